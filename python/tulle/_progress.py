# SPDX-License-Identifier: Apache-2.0
"""Progress of long calls: a line on a terminal or in a notebook, which goes when the call has ended."""
import math
import sys
import time

from ._library import text

PATIENCE, BETWEEN = 2.0, 0.2  # seconds until the first line, and between two of them

_wanted = True


def set_progress(on: bool) -> None:
    """Says whether calls show their progress, as they do at first: in the main thread a call that takes more than two
    seconds has a line in the notebook, or on the terminal that is the standard error; elsewhere nothing is shown.

    >>> set_progress(False)
    >>> set_progress(True)
    """
    global _wanted
    _wanted = on


def _nowhere(_line):
    """Shows nothing."""


def _on_terminal(line):
    """Writes a line over the one before it."""
    sys.stderr.write(f"\r{line}\033[K")
    sys.stderr.flush()


class _InNotebook:
    """An output of the cell that runs, whose text changes."""

    handle = None

    def __call__(self, line):
        from IPython.display import display  # imported here, since only a notebook surely has it
        if self.handle is None:
            self.handle = display({"text/plain": line}, raw=True, display_id=True)
        else:
            self.handle.update({"text/plain": line}, raw=True)


def place():
    """The function that shows a line to the user."""
    shell = getattr(sys.modules.get("IPython"), "get_ipython", lambda: None)()
    if getattr(shell, "kernel", None) is not None:
        return _InNotebook()
    return _on_terminal if sys.stderr is not None and sys.stderr.isatty() else _nowhere


class Progress:
    """The line of one call."""

    def __init__(self):
        self.began = time.monotonic()
        self.due = self.began + PATIENCE if _wanted else math.inf
        self.show = None  # until the first line is due

    def tell(self, what, done, total):
        """Shows how far the call is, if that is due."""
        now = time.monotonic()
        if now < self.due:
            return
        self.due = now + BETWEEN
        of = f" of {total:,} ({100 * done / total:.0f} %)" if total > 0 else ""
        self._show(f"{text(what)}: {done:,}{of}, {now - self.began:.0f} s")

    def end(self):
        """Takes the line away."""
        if self.show is not None:
            self._show("")

    def _show(self, line):
        try:
            if self.show is None:
                self.show = place()
            self.show(line)
        except Exception:  # a terminal or a notebook that has gone must not stop the call
            self.show, self.due = _nowhere, math.inf
