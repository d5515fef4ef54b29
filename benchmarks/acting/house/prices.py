"""Prices of the canteen."""


def canteen_price(cents: int) -> int:
    """The price that the canteen takes, in cents: rounded to the nearest 5, and 2.5 up."""
    return (cents * 2 + 5) // 10 * 5
