"""What changed between code that failed and code that ran: which step mended which, and the lines that did it."""
