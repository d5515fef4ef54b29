"""How the command line says no: one sentence on stderr, 1 for what is refused with a reason, 2 for wrong usage."""

from __future__ import annotations

import logging
import sys
from collections.abc import Sequence
from typing import Any

import typer
from typer.core import TyperGroup

from memu_code.cli.screen import say
from memu_code.cli.streams import stand_in, write_nowhere
from memu_code.errors import MemuCodeError, UsageError

REFUSED = 1
WRONG_USAGE = 2


class Commands(TyperGroup):
    """The commands; whatever they raise that is foreseeable becomes a sentence and an exit code."""

    def main(
        self,
        args: Sequence[str] | None = None,
        prog_name: str | None = None,
        complete_var: str | None = None,
        standalone_mode: bool = True,
        windows_expand_args: bool = True,
        **extra: Any,
    ) -> Any:
        stand_in()
        _log_in_one_line()
        try:
            code = super().main(args, prog_name, complete_var, False, windows_expand_args, **extra)
        except MemuCodeError as error:
            say(str(error))
            code = WRONG_USAGE if isinstance(error, UsageError) else REFUSED
        except typer.TyperException as error:
            say(_usage(error))
            code = error.exit_code
        except typer.Abort:
            code = REFUSED
        except OSError as error:  # a verb says of a file in a sentence of its own what is wrong with it
            say(f"The output cannot be written: {error.strerror or error}.")
            write_nowhere(1)
            code = REFUSED
        if not standalone_mode:
            return code
        sys.exit(code if isinstance(code, int) else 0)


def _usage(error: typer.TyperException) -> str:
    """The sentence of a wrong call, and where to look."""
    context = getattr(error, "ctx", None)
    command = context.command_path if context else "memu-code"
    message = " ".join(error.format_message().split())
    return f"{message.rstrip('.')}. See `{command} --help`."


def _log_in_one_line() -> None:
    """Errors that the memory logs become a sentence, never a traceback.

    Its warnings are left out: here, the error that each of them foretells is raised and told a moment later. What makes
    a person wait is said.
    """
    for name, level in (("memu_code", logging.ERROR), ("memu_code.intake", logging.INFO)):
        log = logging.getLogger(name)
        if not any(isinstance(handler, _Sentences) for handler in log.handlers):
            log.addHandler(_Sentences(level))
            log.propagate = False
            log.setLevel(min(level, log.getEffectiveLevel()))


class _Sentences(logging.Handler):
    def emit(self, record: logging.LogRecord) -> None:
        reason = f" ({record.exc_info[1]})" if record.exc_info and record.exc_info[1] else ""
        say(record.getMessage() + reason)
