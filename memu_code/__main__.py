"""`python -m memu_code` is the command line `memu-code`."""

from memu_code.cli import app

app(prog_name="memu-code")
