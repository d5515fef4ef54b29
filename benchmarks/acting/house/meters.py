"""Meters of the plant, which are often busy."""

# mypy: disable-error-code="no-untyped-def"
# The agents may not import typing, and what is offered to them has to run as it stands.


def read_patiently(read_meter, name):
    """The reading of a meter; a busy meter answers at the third time of asking."""
    for _ in range(4):
        try:
            return read_meter(name)
        except Exception:
            continue
    return read_meter(name)
