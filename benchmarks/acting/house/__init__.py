"""The small repository of helpers that a memory is seeded from; the right answers are what they compute."""
