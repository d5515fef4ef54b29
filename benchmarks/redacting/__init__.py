"""A corpus of secrets and of what only looks like them, drawn by a seed, and the rivals that are measured on it."""
