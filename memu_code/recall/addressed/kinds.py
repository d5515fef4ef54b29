"""How a text speaks to a model."""

from __future__ import annotations

from enum import StrEnum


class Speech(StrEnum):
    """How a text speaks to a model."""

    OVERRIDE = "override"  # it takes back what the model was told before
    ORDER = "order"  # it calls the model by name, or says what it must do now
    ROLE = "role"  # it plays a part in the chat: marks of roles, turns and ends
    TOOL = "tool"  # it calls a tool, or dictates the answer
    SECRET = "secret"  # it asks for keys, or for the prompt
    FETCH = "fetch"  # it wants something fetched and obeyed
    HIDDEN = "hidden"  # it holds characters that are not seen
