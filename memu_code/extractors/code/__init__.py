"""Code as text and as a tree: what may be parsed, what its names mean, and the shape that tells two codes apart."""
