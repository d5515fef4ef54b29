"""A simulated year of recurring problems, with everything in it that makes a memory right or wrong."""
