"""The smolagents host: a memory attached to agents, as `attach` or as a step callback."""

from memu_code.integrations.smolagents.attaching import attach, is_attached
from memu_code.integrations.smolagents.callbacks import Callback, callback, detach, release
from memu_code.integrations.smolagents.resuming import resume
from memu_code.integrations.smolagents.tools import tools
from memu_code.integrations.surface import Memory

__all__ = ["Callback", "Memory", "attach", "callback", "detach", "is_attached", "release", "resume", "tools"]
