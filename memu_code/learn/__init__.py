"""Memory made, kept and let go: what needs several rooms at once.

Nothing is imported here: a journal that begins before an agent's first step must not wait for what extracts.
"""
