# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in long calls: the library is asked to stop, and KeyboardInterrupt is raised when it has. Where the library
asks, it also tells its progress."""
import contextlib
import threading

from ._context import cpu
from ._errors import Cancelled, check
from ._library import ffi, lib
from ._progress import Progress


class _Told:
    """The exception that a callback raised. A pending Ctrl-C is raised in a callback, too: it is Python code."""

    def __init__(self):
        self.error = None

    def on_error(self, _kind, error, _traceback):
        self.error = error


def callback(signature, function, told):
    """A callback whose exceptions stop the call: the library gets 1, and `told` keeps the exception."""
    return ffi.callback(signature, function, error=1, onerror=told.on_error)


@contextlib.contextmanager
def interruptible(context=None):
    """While the block runs, calls of this context (None: the one of this thread on the CPU) stop at Ctrl-C and show
    their progress. Yields the place of the exception that a callback raised; it is raised again at the end of the
    block. Blocks may be nested, as where a callback calls the library: the outer one goes on to stop at Ctrl-C when the
    inner one has ended."""
    told, progress = _Told(), Progress()
    main = threading.current_thread() is threading.main_thread()
    tells = callback("int(void *, const char *, int64_t, int64_t)",
                     lambda user, what, done, total: progress.tell(what, done, total) or 0, told)
    context = cpu() if context is None else context
    outer = context.tells
    if main:
        _tell(context, tells)
    try:
        yield told
    except Cancelled:
        if told.error is None:
            raise
    finally:
        if main:
            _tell(context, outer)
            progress.end()
    if told.error is not None:
        error, told.error = told.error, None  # no cycle through the traceback
        raise error


def _tell(context, tells):
    """Makes the library ask this callback whether calls of the context are to go on; NULL: it asks nobody."""
    check(lib.tulle_ctx_set_progress(context.handle, tells, ffi.NULL))
    context.tells = tells
