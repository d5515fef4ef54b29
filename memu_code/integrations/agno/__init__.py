"""The Agno host: agents of Agno are offered what is known before a run, and teach what their code did in it."""

from memu_code.integrations.agno.attaching import attach, is_attached, release, resume, tools

__all__ = ["attach", "is_attached", "release", "resume", "tools"]
