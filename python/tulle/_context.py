# SPDX-License-Identifier: Apache-2.0
"""Contexts: the place where work runs."""
import threading

from ._errors import check, made
from ._library import ffi, lib, text

_BACKENDS = {lib.TULLE_CPU: "cpu", lib.TULLE_CUDA: "cuda", lib.TULLE_EMULATED: "emulated"}


class Context:
    """A place where work runs: "cpu", "cpu:8" (threads), "cuda", "cuda:1" (a GPU), or "auto" (a GPU where one is usable).

    memory: most bytes that the context may hold; None: no cap. repeatable: every result has the same bits in every run.

    >>> Context("cpu:2")
    tulle.Context('cpu:2')
    """

    def __init__(self, where="auto", memory=None, repeatable=False):
        options = ffi.new("tulle_ctx_options *")
        options.memory_cap = memory or 0
        self.where = where
        self.handle = made(lib.tulle_ctx_create_sized, "tulle_ctx **", lib.tulle_ctx_destroy, where.encode(), options,
                           ffi.sizeof("tulle_ctx_options"))
        if repeatable:
            check(lib.tulle_ctx_set_repeatable(self.handle, True))

    def _info(self):
        info = ffi.new("tulle_device_info *")
        check(lib.tulle_ctx_device(self.handle, info))
        return info

    @property
    def backend(self) -> str:
        """"cpu" or "cuda"."""
        return _BACKENDS[self._info().backend]

    @property
    def device(self) -> str:
        """The name of the processor or GPU."""
        return text(self._info().name)

    @property
    def threads(self) -> int:
        """The number of CPU threads; 0 on a GPU."""
        return self._info().threads

    @property
    def memory(self) -> int:
        """Bytes that live objects of the context hold."""
        usage = ffi.new("tulle_memory_usage *")
        check(lib.tulle_ctx_memory(self.handle, usage))
        return usage.in_use

    def synchronize(self) -> None:
        """Waits for all work of the context."""
        check(lib.tulle_ctx_synchronize(self.handle))

    def __repr__(self):
        return f"tulle.Context({self.where!r})"


class _OfThread(threading.local):
    """The context of a thread, which no other thread uses; made when the thread first needs one."""

    context = None


_of_thread = _OfThread()


def cpu():
    """The context in which this thread works on NumPy's and SciPy's arrays."""
    context = _of_thread.context
    if context is None:
        context = _of_thread.context = Context("cpu")
    return context


def set_threads(threads):
    """Sets the number of CPU threads of this Python thread's later calls; None: as many as the process has cores, or as
    OMP_NUM_THREADS says."""
    _of_thread.context = Context("cpu" if threads is None else f"cpu:{threads}")
