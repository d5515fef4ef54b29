"""The backward slice: which statements of a run lead to its answer, and the code that is made of them."""
