"""Bills of the shop."""

# mypy: disable-error-code="no-untyped-def,no-untyped-call"
# The agents may not import typing, and what is offered to them has to run as it stands.


def bill_total(bill):
    """The total of a bill in euros: prices are in mills (a thousandth), void lines do not count, bundles hold lines."""
    total = 0
    for line in bill["lines"]:
        if line.get("void"):
            continue
        if "bundle" in line:
            total += bill_total(line["bundle"]) * 1000
        else:
            total += line["qty"]["n"] * line["price_mills"]
    return total / 1000
