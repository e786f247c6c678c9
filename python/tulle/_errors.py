# SPDX-License-Identifier: Apache-2.0
"""Failures of the library as exceptions, with the library's words."""
from __future__ import annotations

import threading

from ._library import ffi, lib, text


class Error(Exception):
    """A call of the library failed. `status` names how, as "TULLE_SHAPE_MISMATCH"; `argument` is the argument at fault,
    `row` the row of the matrix at fault; each is None where there is none."""

    status: str | None = None
    argument: str | None = None
    row: int | None = None


class InvalidArgument(Error, ValueError):
    """An argument is not valid, or arguments do not fit together."""


class Unsupported(Error, NotImplementedError):
    """The library does not have this combination."""


class OutOfMemory(Error, MemoryError):
    """There is not enough memory, or the context's cap does not allow it."""


class TooLarge(Error, OverflowError):
    """A size is too large for the index type, or for the machine."""


class NoDevice(Error, RuntimeError):
    """There is no such GPU, no driver, or the library's GPU part is not installed."""


class DeviceFault(Error, RuntimeError):
    """A GPU failed: its context, and what lives there, is lost."""


class ZeroPivot(Error, ArithmeticError):
    """A pivot of a factorisation is zero."""


class NotFound(Error, LookupError):
    """There is no such name."""


class FileFault(Error, OSError):
    """A file cannot be read or written, or is not in the format that it should be in."""


class PeerFailed(Error, ConnectionError):
    """Another process failed, or did not answer in time (tulle.dist)."""


class Cancelled(Error):
    """The call was cancelled."""


for _kind in (Error, *Error.__subclasses__()):
    _kind.__module__ = "tulle"  # which has them, and which a traceback names

KINDS = {
    "TULLE_OUT_OF_MEMORY": OutOfMemory, "TULLE_UNSUPPORTED": Unsupported, "TULLE_TOO_LARGE": TooLarge,
    "TULLE_NO_DEVICE": NoDevice, "TULLE_DEVICE_FAULT": DeviceFault, "TULLE_ZERO_PIVOT": ZeroPivot,
    "TULLE_NOT_FOUND": NotFound, "TULLE_CANCELLED": Cancelled, "TULLE_IO_ERROR": FileFault,
    "TULLE_PARSE_ERROR": FileFault, "TULLE_PEER_FAILED": PeerFailed,
}


# Words of C in messages, and those of this package: options are arguments, and some of them it does not have.
_WORDS = ((", or TULLE_FILL_ALL", ""), ("boost pivots (options.tiny and boost), ", ""), (" (options.shift)", ""),
          ("options: ", ""), ("options.", ""), ("expected_calls", "products"), ("max_iterations", "maxiter"),
          ("absolute is", "atol is"), ("tolerance is to be", "rtol is to be"),
          ("TULLE_AMG_SMOOTHED, or 0", "'smoothed', or None"),
          ("tulle_mesh_generator_describe lists", "tulle.fem.generators() lists"))


def _in_python(message):
    for theirs, ours in _WORDS:
        message = message.replace(theirs, ours)
    return message


class _Told(threading.local):
    """The exception that a callback raised in a call of this thread, until the call has ended. A pending Ctrl-C is
    raised in a callback, too: it is Python code."""

    error = None

    def on_error(self, _kind, error, _traceback):
        self.error = error


told = _Told()


def raise_told():
    """Raises the exception that a callback raised, if there is one."""
    if told.error is not None:
        error, told.error = told.error, None  # no cycle through the traceback
        raise error


def failure(status):
    """The exception for a status that a call of this thread has just returned."""
    record = lib.tulle_last_error()
    name = text(lib.tulle_status_name(status))
    message = text(record.message) or text(lib.tulle_status_text(status))
    error = KINDS.get(name, InvalidArgument)(_in_python(message))
    error.status = name
    error.argument = text(record.argument) or None
    error.row = record.row if record.row >= 0 else None
    return error


def c_text(word, what):
    """The bytes of a name for C, where a NUL would end it."""
    if "\0" in word:
        raise InvalidArgument(f"{what} is {word!r}: a name without NUL is wanted")
    return word.encode()


def check(status):
    if status == lib.TULLE_CANCELLED:
        raise_told()
    if status:
        raise failure(status)


def made(maker, kind, destroy, *arguments):
    """The object that maker(..., &object) makes; it is destroyed with the last reference to it, or at once where Ctrl-C
    came while it was made."""
    out = ffi.new(kind)
    try:
        check(maker(*arguments, out))
    except BaseException:
        if out[0]:
            destroy(out[0])
        raise
    return ffi.gc(out[0], destroy)
