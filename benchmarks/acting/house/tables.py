"""Tables that the scales write."""


def scale_rows(text: str) -> list[list[str]]:
    """The rows of a scale table as lists of texts: `|` between fields, `^` around one with `|` in it, `!` comments."""
    rows = []
    for line in text.splitlines():
        if not line or line.startswith("!"):
            continue
        fields: list[str] = []
        field, quoted = "", False
        for character in line:
            if character == "^":
                quoted = not quoted
            elif character == "|" and not quoted:
                fields.append(field)
                field = ""
            else:
                field += character
        fields.append(field)
        rows.append(fields)
    return rows


def scale_number(text: str) -> float:
    """The number in a field of a scale table: a comma for the point, dots between thousands."""
    return float(text.replace(".", "").replace(",", "."))
