# SPDX-License-Identifier: Apache-2.0
"""Ctrl-C in long calls: the library is asked to stop, and KeyboardInterrupt is raised when it has. Where the library
asks, it also tells its progress."""
import contextlib
import threading
import weakref

from ._context import cpu
from ._errors import check, raise_told, told
from ._library import ffi, lib
from ._progress import Progress


def callback(signature, function):
    """A callback whose exceptions stop the call: the library gets 1, and `told` keeps the exception."""
    return ffi.callback(signature, function, error=1, onerror=told.on_error)


def check_not_stopped(outcome):
    """Raises KeyboardInterrupt where a callback has stopped an iterative method. The callback's exception is raised at
    the end of the block in its place; that exception is lost where Ctrl-C comes again before `told` has kept it."""
    if outcome == lib.TULLE_STOPPED:
        raise KeyboardInterrupt


def _asks_in(context):
    """The callback that long calls of a context ask, which lives as long as the context: Ctrl-C may come between any
    two steps of this module, and none of them must leave the library a callback that is gone."""
    if context.asks is None:
        blocks = context.blocks

        def tell(_user, *step):
            progress = blocks[-1]() if blocks else None
            if progress is not None:
                progress.tell(*step)
            return 0
        context.asks = callback("int(void *, const char *, int64_t, int64_t)", tell)
    return context.asks


def _leave(context, progress):
    """Takes a block away, and those that Ctrl-C ended before they could do so. The library asks nobody without one."""
    context.blocks[:] = [block for block in context.blocks if block() not in (None, progress)]
    if not context.blocks:
        check(lib.tulle_ctx_set_progress(context.handle, ffi.NULL, ffi.NULL))


@contextlib.contextmanager
def interruptible(context=None):
    """While the block runs, calls of this context (None: the one of this thread on the CPU) stop at Ctrl-C and show
    their progress. The exception that a callback raised is raised again, by the call that was cancelled or at the end
    of the block, in the place of any other. Blocks may be nested, as where a callback calls the library: the outer one
    goes on to stop at Ctrl-C when the inner one has ended."""
    main = threading.current_thread() is threading.main_thread()
    context = cpu() if context is None else context
    progress = Progress()
    told.error = None
    try:
        if main:
            context.blocks.append(weakref.ref(progress))
            check(lib.tulle_ctx_set_progress(context.handle, _asks_in(context), ffi.NULL))
        yield
    finally:
        if main:
            _leave(context, progress)
            progress.end()
        raise_told()
