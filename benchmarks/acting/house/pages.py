"""The order book, which is read a page at a time."""

# mypy: disable-error-code="no-untyped-def"
# The agents may not import typing, and what is offered to them has to run as it stands.


def all_orders(fetch_orders):
    """All orders of the order book: pages count from 0, and `next` is None in the last one."""
    page = fetch_orders(0)
    orders = list(page["orders"])
    while page["next"] is not None:
        page = fetch_orders(page["next"])
        orders.extend(page["orders"])
    return orders
