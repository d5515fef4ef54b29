"""What was learnt in one space brought into a wider one, and taken out of it again.

Each file is imported by itself: taking back needs a parser, which listing the spaces does without.
"""
