#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Interrupts commands that take long, and says which of them did not end as they should.

interrupted.py SECONDS COMMANDS [-v]

A line of the file COMMANDS is the name of a signal, after how many seconds it is sent, and a command, which
runs in an empty folder of its own. A line is printed for each fault: the command was over before, needed
more than SECONDS of the processor's time to end, had another code than 130, or left a file. Several
commands run at once. The time is the processor's, which other programs on the machine do not change. -v prints it.
"""
import concurrent.futures
import os
import shlex
import signal
import subprocess
import sys
import tempfile
import time

AT_ONCE = 4
PATIENCE = 60  # seconds until a command is ended by force
TICK = 1 / os.sysconf("SC_CLK_TCK")


def used(child):
    """The processor's time that a child has had, in seconds; user's and system's, of all threads."""
    with open(f"/proc/{child.pid}/stat") as file:
        fields = file.read().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) * TICK


def end_of(child):
    """The code of a child, and the processor's time that it had in all."""
    deadline = time.monotonic() + PATIENCE
    while time.monotonic() < deadline:
        pid, status, usage = os.wait4(child.pid, os.WNOHANG)
        if pid:
            child.returncode = os.waitstatus_to_exitcode(status)
            return child.returncode, usage.ru_utime + usage.ru_stime
        time.sleep(0.01)
    child.kill()
    child.wait()
    return None, 0


def fault_of(line, seconds):
    name, after, command = line.split(maxsplit=2)
    with tempfile.TemporaryDirectory() as folder:
        child = subprocess.Popen(shlex.split(command), cwd=folder, stdin=subprocess.DEVNULL,
                                 stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
        time.sleep(float(after))
        if child.poll() is not None:
            return f"ended before the signal, with code {child.returncode}"
        before = used(child)
        child.send_signal(getattr(signal, name))
        code, total = end_of(child)
        left = os.listdir(folder)
    if "-v" in sys.argv:
        print(f"{total - before:.2f} s: {line}")
    if code is None:
        return "did not end"
    if code != 130:
        return f"code {code}"
    if left:
        return f"left {left}"
    return f"needed {total - before:.2f} s" if total - before > seconds else None


def main():
    with open(sys.argv[2]) as file:
        lines = [line.strip() for line in file if line.strip()]
    with concurrent.futures.ThreadPoolExecutor(AT_ONCE) as pool:
        faults = list(pool.map(lambda line: fault_of(line, float(sys.argv[1])), lines))
    bad = [f"{line}: {fault}" for line, fault in zip(lines, faults) if fault]
    if bad:
        print(*bad, sep="\n")
    return 1 if bad or not lines else 0


sys.exit(main())
