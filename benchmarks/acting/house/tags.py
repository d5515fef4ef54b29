"""Tags of the tools."""


def tag_is_valid(tag: str) -> bool:
    """Whether a tool tag is valid: in `KD-4821-3`, digits times 3, 1, 3, 1 plus letters (A is 1) give 3, modulo 7."""
    letters, digits, check = tag.split("-")
    total = sum(int(digit) * weight for digit, weight in zip(digits, (3, 1, 3, 1), strict=True))
    total += sum(ord(letter) - ord("A") + 1 for letter in letters)
    return total % 7 == int(check)
