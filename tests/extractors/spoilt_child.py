"""A child of the fuzz benchmark that dies at program 1, hangs at program 3 and raises at program 4."""

from __future__ import annotations

import os
import signal
import sys
import time

from benchmarks.extracting.fuzz import say

if __name__ == "__main__":
    for number in range(int(sys.argv[2]), int(sys.argv[3])):
        say({"number": number, "kind": "mutated"})
        if number == 1:
            os.kill(os.getpid(), signal.SIGSEGV)
        if number == 3:
            time.sleep(600)
        say({"number": number, "kind": "mutated", "fault": "exception: X" if number == 4 else "", "nodes": 0})
