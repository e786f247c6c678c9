# SPDX-License-Identifier: Apache-2.0
"""Memory of this process, and Ctrl-C in another one."""
import gc
import os
import signal
import subprocess
import sys

MOST_PAGES = 500  # of 4 kB


def pages():
    """Returns the pages of memory that the process has, after rubbish was collected."""
    gc.collect()
    with open("/proc/self/statm", encoding="ascii") as statm:
        return int(statm.read().split()[1])


def leaks_nothing(calls, first, more):
    """Asserts that calls(more) takes no more memory than some pages, once calls(first) has warmed up."""
    calls(first)
    before = pages()
    calls(more)
    assert pages() - before < MOST_PAGES


def stops_at_interrupt(program):
    """Asserts that a program, which says "ready" and then computes for long, stops at SIGINT and says "interrupted
    True"."""
    child = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert child.stdout.readline() == "ready\n"
    try:
        child.wait(0.3)
    except subprocess.TimeoutExpired:
        os.kill(child.pid, signal.SIGINT)
    assert child.stdout.read() == "interrupted True\n"
    assert child.wait(60) == 0
