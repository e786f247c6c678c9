#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Runs a command on a pseudo-terminal, and ends with its exit code.

terminal.py [--columns N] [--interrupt PATTERN] COMMAND...

The terminal's window has N columns; without --columns its size is not known. Once all that was drawn
matches PATTERN (a regular expression, in which a dot is any character), the command gets SIGINT. All
that was drawn, colours and carriage returns included, goes to standard output, where lines end as in
files; a line on standard error says after how many seconds the first of it came.
"""
import argparse
import fcntl
import os
import pty
import re
import signal
import struct
import sys
import termios
import time

LINES = 24


def parse():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--columns", type=int)
    parser.add_argument("--interrupt", metavar="PATTERN")
    parser.add_argument("command", nargs=argparse.REMAINDER)
    given = parser.parse_args()
    if not given.command:
        parser.error("there is no command")
    return given


def start(given):
    pid, terminal = pty.fork()
    if pid == 0:
        if given.columns:
            fcntl.ioctl(1, termios.TIOCSWINSZ, struct.pack("HHHH", LINES, given.columns, 0, 0))
        os.execvp(given.command[0], given.command)
    return pid, terminal


def blocks(terminal):
    """Reads what is drawn, piece by piece; the system fails a read once the command has closed its end."""
    try:
        while block := os.read(terminal, 4096):
            yield block
    except OSError:
        pass


def main():
    given = parse()
    begin, first, seen = time.monotonic(), None, b""
    pattern = re.compile(given.interrupt.encode(), re.DOTALL) if given.interrupt else None
    pid, terminal = start(given)
    for block in blocks(terminal):
        if first is None:
            first = time.monotonic() - begin
        seen += block
        if pattern and pattern.search(seen):
            os.kill(pid, signal.SIGINT)
            pattern = None
    code = os.waitstatus_to_exitcode(os.waitpid(pid, 0)[1])
    sys.stdout.buffer.write(seen.replace(b"\r\n", b"\n"))
    if first is not None:
        print(f"first output after {first:.2f} seconds", file=sys.stderr)
    return code if code >= 0 else 128 - code


sys.exit(main())
