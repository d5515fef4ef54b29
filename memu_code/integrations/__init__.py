"""Hosts at the edge: each knows one framework, and nothing below knows it."""
