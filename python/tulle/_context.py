# SPDX-License-Identifier: Apache-2.0
"""Contexts: the place where work runs."""
from __future__ import annotations

import contextlib
import threading
from typing import Any

from ._errors import c_text, check, made
from ._library import ffi, lib, text

_BACKENDS = {lib.TULLE_CPU: "cpu", lib.TULLE_CUDA: "cuda", lib.TULLE_EMULATED: "emulated"}


class OfProcess:
    """An object of the library, which lives in the memory of its process alone."""

    def __reduce_ex__(self, protocol: Any) -> Any:
        raise TypeError(f"tulle: an object of {type(self).__name__} cannot be pickled or copied: pickle what it was "
                        f"made of, and make it anew")


class Context(OfProcess):
    """A place where work runs: "cpu", "cpu:8" (threads), "cuda", "cuda:1" (a GPU), "auto" (a GPU where one is usable).

    memory: most bytes that the context may hold; None: no cap. repeatable: every result has the same bits in every run.
    stream: on a GPU, the address of a cudaStream_t of the caller's, who keeps it alive (1: the default stream); 0: a
    stream of the context's own. Making a context on a GPU waits for it.

    >>> Context("cpu:2")
    tulle.Context('cpu:2')
    """

    asks = None  # the callback that long calls ask; see tulle._interrupts

    def __init__(self, where: str = "auto", memory: int | None = None, repeatable: bool = False,
                 stream: int = 0) -> None:
        if where.startswith(("auto", "cuda")):
            from . import _gpu_part  # imported here, as it takes a while that users of a CPU need not wait
            _gpu_part.load()
        options = ffi.new("tulle_ctx_options *")
        options.memory_cap = memory or 0
        options.stream = ffi.cast("void *", stream)
        self.where, self.blocks = where, []  # blocks of tulle._interrupts that run, the innermost last
        self.handle = made(lib.tulle_ctx_create_sized, "tulle_ctx **", lib.tulle_ctx_destroy, c_text(where, "where"), options,
                           ffi.sizeof("tulle_ctx_options"))
        if repeatable:
            check(lib.tulle_ctx_set_repeatable(self.handle, True))

    def _info(self):
        info = ffi.new("tulle_device_info *")
        check(lib.tulle_ctx_device(self.handle, info))
        return info

    @property
    def backend(self) -> str:
        """"cpu" or "cuda".

        >>> Context("cpu").backend
        'cpu'
        """
        return _BACKENDS[self._info().backend]

    @property
    def device(self) -> str:
        """The name of the processor or GPU.

        >>> bool(Context("cpu").device)
        True
        """
        return text(self._info().name)

    @property
    def threads(self) -> int:
        """The number of CPU threads; 0 on a GPU.

        >>> Context("cpu:2").threads
        2
        """
        return self._info().threads

    @property
    def memory(self) -> int:
        """Bytes that live objects of the context hold.

        >>> Context("cpu").memory
        0
        """
        usage = ffi.new("tulle_memory_usage *")
        check(lib.tulle_ctx_memory(self.handle, usage))
        return usage.in_use

    def synchronize(self) -> None:
        """Waits for all work of the context.

        >>> Context("cpu").synchronize()
        """
        check(lib.tulle_ctx_synchronize(self.handle))

    def trim(self) -> None:
        """Gives scratch memory, and memory that is kept for reuse, back to the system. Waits for the context's work.

        >>> Context("cpu").trim()
        """
        check(lib.tulle_ctx_trim(self.handle))

    def __repr__(self):
        return f"tulle.Context({self.where!r})"


class _OnGpus(dict):
    """Contexts of a thread by device and stream. Their scratch memory goes with the thread, while matrices of other
    threads may keep the contexts themselves."""

    def __del__(self):
        for context in self.values():
            with contextlib.suppress(Exception):  # the interpreter, or the GPU, may be at its end
                context.trim()


class _OfThread(threading.local):
    """Contexts of a thread, which no other thread uses, made when the thread first needs them: the one that works on
    the CPU, those that set_threads chose by number, and those of GPUs by device and stream."""

    def __init__(self):
        self.context = None
        self.by_threads = {}
        self.on_gpus = _OnGpus()


_of_thread = _OfThread()
_DEFAULT_STREAM = 1  # cudaStreamLegacy, where PyTorch and CuPy have 0
_OWN_STREAM = 0
_MOST_STREAMS = 16


def cpu():
    """The context in which this thread works on NumPy's and SciPy's arrays."""
    context = _of_thread.context
    if context is None:
        context = _of_thread.context = Context("cpu")
    return context


def _name(device):
    return f"cuda:{device}"


def gpu(device, stream, solving=False, keeps=None):
    """The context of this thread for a GPU and a stream of the caller's, which `keeps` keeps alive.

    Solutions may run as CUDA graphs, which cannot be captured from the default stream. In place of that stream they
    have one of the context's own, which CUDA orders with the default stream in both directions."""
    stream = stream or _DEFAULT_STREAM
    key = device, _OWN_STREAM if solving and stream == _DEFAULT_STREAM else stream
    contexts = _of_thread.on_gpus
    context = contexts.get(key)
    if context is None:
        if len(contexts) >= _MOST_STREAMS:
            contexts.pop(next(iter(contexts))).trim()  # the oldest one; matrices that need it have it still
        context = contexts[key] = Context(_name(device), stream=key[1])
        context.keeps = keeps  # behind `handle`, so that the context goes before the stream
    return context


def empty_cache() -> None:
    """Gives the scratch memory of this thread's contexts, and memory that they keep for reuse, back to the system and
    to the GPUs. Waits for all work of these contexts. Arrays and matrices stay as they are.

    On a GPU a context keeps the scratch memory of sparse products, and that of their results that are gone, for its
    next calls; PyTorch and CuPy cannot use it meanwhile. PyTorch computes gradients of tensors on a GPU in threads of
    its own: contexts of these keep their memory, such as that of the solution that a gradient of `tulle.solve` is.

    >>> empty_cache()
    """
    state = _of_thread
    contexts = {state.context, *state.by_threads.values(), *state.on_gpus.values()} - {None}
    for context in contexts:
        context.trim()


def set_threads(threads: int | None) -> None:
    """Sets the number of CPU threads of this Python thread's later calls; None: as many as the process has cores, or as
    OMP_NUM_THREADS or the program's own OpenMP says. Calls of other Python threads, OpenMP and BLAS keep theirs. Copies
    nothing, and does not wait.

    >>> set_threads(1)
    >>> get_threads()
    1
    >>> set_threads(None)
    """
    kept = _of_thread.by_threads
    if threads is None:
        context = Context("cpu")  # asks OpenMP anew
        context = kept.setdefault(("cpu", context.threads), context)
    elif threads in kept:
        context = kept[threads]
    else:
        context = kept[threads] = Context(f"cpu:{threads}")
    _of_thread.context = context


def get_threads() -> int:
    """The number of CPU threads of this Python thread's calls.

    >>> set_threads(2)
    >>> get_threads()
    2
    >>> set_threads(None)
    """
    return cpu().threads
