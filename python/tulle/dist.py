# SPDX-License-Identifier: Apache-2.0
"""Matrices whose rows are shared by processes of MPI, by mpi4py, which must be installed. Every function here is called
by all processes of the communicator, in the same order.

    mpirun -n 4 python3 program.py

The library reaches the other processes by Python functions around mpi4py, so that it works with whatever MPI mpi4py was
made with. A product makes two such calls, of some microseconds each, beside its messages.

A process that waits for others longer than the timeout of a matrix raises PeerFailed, and the matrix is of no use any
more. A process that ends by an exception may wait for the others in MPI's end: under `mpirun -n 4 python3 -m mpi4py
program.py` it ends them.
"""
from __future__ import annotations

import dataclasses
import time
import warnings
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from mpi4py import MPI

from ._context import OfProcess, cpu
from ._errors import InvalidArgument, PeerFailed, check, made
from ._interrupts import callback, interruptible
from ._library import ffi, lib
from ._matrix import DTYPES, ONE, TYPES, ZERO, wrap_block, wrap_vector
from ._solve import ConvergenceWarning, Report, _history, _report, solve_options
from ._sparse import real_type, with_entries

_SIGNATURES = {
    "gather": "tulle_status(void *, const void *, size_t, void *)",
    "exchange_start": "tulle_status(void *, tulle_ctx *, const tulle_comm_piece *, int, const tulle_comm_piece *, int)",
    "exchange_finish": "tulle_status(void *, tulle_ctx *)",
}


_DUPLICATES = MPI.Comm.Create_keyval()
_PATIENCE = 300.0  # seconds, as the library's own communicators
_MOST = 1 << 30    # bytes of one message: MPI counts them in 32 bits

# Requests that no process has answered, and their memory, which MPI may still read and write.
_abandoned: list[tuple[list, tuple]] = []


def _have_ended(requests, statuses):
    try:
        return MPI.Request.Testall(requests, statuses)
    except MPI.Exception as error:  # as where a piece is larger than its room
        words = {str(MPI.Exception(status.error)) for status in statuses if status.error} or {str(error)}
        raise PeerFailed(f"calls do not match, or a message failed ({', '.join(sorted(words))}): let all processes make "
                         "the same calls") from error


def _await(requests, timeout, *memory):
    """Waits until all requests have ended; returns their statuses. memory: what must stay if they never do."""
    statuses = [MPI.Status() for _ in requests]
    begun = time.monotonic()
    while not _have_ended(requests, statuses):
        waited = time.monotonic() - begun
        if waited > timeout:
            _abandoned.append((requests, memory))
            raise PeerFailed(f"another process did not answer within the timeout of {timeout:g} seconds: let all "
                             "processes make the same calls, or give a longer timeout")
        time.sleep(0 if waited < 1e-3 else 1e-4)
    return statuses


class _Duplicates:
    """The duplicates of a communicator, and those that this process has given up: MPI has few communicators, and all
    processes free one together. `there` are the numbers of those that are not free, the same in all processes."""

    def __init__(self):
        self.made, self.there, self.given_up = 0, [], {}


def _free_duplicates(comm, kept, timeout):
    """Frees the duplicates that all processes have given up."""
    mine, everybodys = (bytearray(number in kept.given_up for number in kept.there) for _ in range(2))
    _await([comm.Iallreduce([mine, MPI.BYTE], [everybodys, MPI.BYTE], MPI.BAND)], timeout, mine, everybodys)
    for number in [number for number, free in zip(kept.there, everybodys) if free]:
        kept.there.remove(number)
        kept.given_up.pop(number).Free()


def _duplicate(comm, user, timeout):
    """A duplicate of a communicator for `user`, and what gives it up when `user` is gone."""
    kept = comm.Get_attr(_DUPLICATES)
    if kept is None:
        kept = _Duplicates()
        comm.Set_attr(_DUPLICATES, kept)
    _free_duplicates(comm, kept, timeout)
    made, request = comm.Idup()
    _await([request], timeout, made)
    kept.made += 1
    kept.there.append(kept.made)
    gives_up = weakref.finalize(user, kept.given_up.__setitem__, kept.made, made)
    gives_up.atexit = False
    return made, gives_up


def _parts(size, most=None):
    """The parts of so many bytes that one message each takes."""
    most = most or _MOST
    return [slice(first, min(first + most, size)) for first in range(0, size, most)]


class _Communicator:
    """The library's communicator of an mpi4py one, of which it keeps a duplicate. An exception of a message stays in
    `error`, and the library fails with TULLE_PEER_FAILED. Messages have memory of their own: MPI may still use it when
    the library has given a call up."""

    def __init__(self, comm, timeout):
        if not timeout > 0:
            raise InvalidArgument(f"timeout is {timeout}: it must be more than 0 seconds")
        self.timeout = timeout
        self.comm, self.gives_up = _duplicate(comm, self, timeout)
        self.requests, self.receives, self.sent, self.error = [], [], [], None
        functions = ffi.new("tulle_comm_functions *")
        functions.size, functions.rank, functions.ranks = ffi.sizeof(functions[0]), comm.rank, comm.size
        self.callbacks = {name: ffi.callback(signature, getattr(self, name), error=lib.TULLE_PEER_FAILED,
                                             onerror=self.on_error) for name, signature in _SIGNATURES.items()}
        for name, function in self.callbacks.items():
            setattr(functions, name, function)
        self.handle = made(lib.tulle_comm_create, "tulle_comm **", lib.tulle_comm_destroy, functions, ffi.NULL)

    def on_error(self, _kind, error, _traceback):
        """Keeps the exception, and the duplicate, as messages may still be on their way in it."""
        self.error = error
        self.gives_up.detach()
        _abandoned.append((self.requests, (self.comm, self.receives, self.sent)))

    def gather(self, _user, from_, size, to):
        ranks, given, got = self.comm.size, ffi.buffer(from_, size), ffi.buffer(to, size * self.comm.size)
        for part in _parts(size, _MOST // ranks):
            sent, came = bytearray(given[part]), bytearray((part.stop - part.start) * ranks)
            _await([self.comm.Iallgather([sent, MPI.BYTE], [came, MPI.BYTE])], self.timeout, sent, came)
            for rank in range(ranks):
                got[rank * size + part.start:rank * size + part.stop] = came[rank * len(sent):(rank + 1) * len(sent)]
        return 0

    def exchange_start(self, _user, _ctx, sends, send_count, receives, receive_count):
        # pylint: disable=too-many-arguments
        self.receives = [(piece.data, piece.rank, bytearray(piece.bytes)) for piece in receives[0:receive_count]]
        self.sent = [(piece.rank, bytearray(ffi.buffer(piece.data, piece.bytes))) for piece in sends[0:send_count]]
        self.requests = [self.comm.Irecv([memoryview(room)[part], MPI.BYTE], rank)
                         for _, rank, room in self.receives for part in _parts(len(room))]
        self.requests += [self.comm.Isend([memoryview(room)[part], MPI.BYTE], rank)
                          for rank, room in self.sent for part in _parts(len(room))]
        return 0

    def exchange_finish(self, _user, _ctx):
        statuses = iter(_await(self.requests, self.timeout))
        for data, _, room in self.receives:
            if sum(next(statuses).Get_count(MPI.BYTE) for _ in _parts(len(room))) != len(room):
                raise PeerFailed("calls do not match: a piece of another size than was expected came: let all "
                                 "processes make the same calls")
            ffi.memmove(data, room, len(room))
        self.requests, self.receives, self.sent = [], [], []
        return 0

    def check(self, status):
        """Raises what a message raised, or else the library's failure."""
        error, self.error = self.error, None
        if error is not None:
            raise error
        check(status)


def share(n: int, comm: Any = MPI.COMM_WORLD) -> slice:
    """The rows of this process where n rows are shared evenly.

    >>> share(10, MPI.COMM_SELF)
    slice(0, 10, None)
    """
    first = ffi.new("int64_t *")
    rows = lib.tulle_dist_share(n, comm.size, comm.rank, first)
    return slice(first[0], first[0] + rows)


class DistributedMatrix(OfProcess):
    """A square matrix of which each process has rows that follow each other, those of rank 0 first.

    local: this process's rows, a sparse matrix or array of SciPy in float32 or float64, with the columns of the whole
    matrix; a process may have no rows. A vector x goes with it that each process has the rows of that it has of A, and
    which is taken in A's type; so are results.
    timeout: seconds after which a process that waits for others gives up, here and in each call with the matrix.
    Products and solutions are computed in the process's context for the CPU (tulle.set_threads).

    >>> A = DistributedMatrix(sp.csr_array([[2.0, 1.0], [1.0, 2.0]]), MPI.COMM_SELF)
    >>> A @ np.array([1.0, 0.0])
    array([2., 1.])
    """

    __array_ufunc__ = None  # x @ A is asked of A

    def __init__(self, local: Any, comm: Any = MPI.COMM_WORLD, timeout: float = _PATIENCE) -> None:
        local = sp.csr_matrix(with_entries(local))
        local = local.astype(real_type(local.dtype), copy=False)
        offsets, columns = (np.ascontiguousarray(part, dtype=np.int64) for part in (local.indptr, local.indices))
        values = np.ascontiguousarray(local.data)
        comm, context, handle, rows = _Communicator(comm, timeout), cpu(), ffi.new("tulle_dist_mat **"), local.shape[0]
        comm.check(lib.tulle_dist_mat_create(
            context.handle, comm.handle, rows, rows, ffi.from_buffer("int64_t[]", offsets),
            ffi.from_buffer("int64_t[]", columns), TYPES[values.dtype], ffi.from_buffer(values), handle))
        self._take(comm, context, handle[0])
        self._check_columns(rows == 0 or local.shape[1] == self.shape[1], local.shape[1])

    def _check_columns(self, fit, columns):
        """Fails in all processes where in one of them the columns of its rows do not fit."""
        own, everybodys = bytearray([fit]), bytearray(1)
        _await([self.comm.Iallreduce([own, MPI.BYTE], [everybodys, MPI.BYTE], MPI.BAND)], self._comm.timeout, own,
               everybodys)
        if not everybodys[0]:
            raise InvalidArgument(f"this process's rows have {columns} columns, and all processes have {self.shape[0]} "
                                  f"rows together: each process gives its rows with the columns of the whole matrix, "
                                  f"which is square")

    def _take(self, comm, context, handle):
        self._comm, self._context, self.handle = comm, context, ffi.gc(handle, lib.tulle_dist_mat_destroy)
        info = ffi.new("tulle_dist_mat_info *")
        check(lib.tulle_dist_mat_describe(self.handle, info))
        self.shape = (info.rows, info.cols)
        self.rows = slice(info.first_row, info.first_row + info.local_rows)
        self.nnz, self.dtype, self.received = info.nnz, DTYPES[info.type], info.received

    @property
    def comm(self) -> Any:
        """The communicator of mpi4py, a duplicate of the one that was given."""
        return self._comm.comm

    def _operand(self, x, name):
        x = np.asarray(x)
        if x.dtype.kind not in "fiub":
            raise InvalidArgument(f"{name} is of {x.dtype}: arrays of real numbers are taken")
        x = np.array(x, dtype=self.dtype, order="F")
        rows = self.rows.stop - self.rows.start
        if x.ndim not in (1, 2) or x.shape[0] != rows:
            raise InvalidArgument(f"{name} has the shape {x.shape}: this process has {rows} rows")
        return x

    def _multiply(self, op, x):
        x = self._operand(x, "x")
        y = np.empty_like(x)
        self._comm.check(lib.tulle_dist_mat_multiply(self._context.handle, op, ONE, self.handle, _wrap(x), ZERO,
                                                     _wrap(y)))
        return y

    def __matmul__(self, x: npt.ArrayLike) -> np.ndarray:
        """This process's rows of A x; x: its rows of a vector, or of a matrix."""
        return self._multiply(lib.TULLE_N, x)

    def __rmatmul__(self, x: npt.ArrayLike) -> np.ndarray:
        """This process's numbers of x A, that is, its rows of A^T x, x a vector."""
        return self._multiply(lib.TULLE_T, x)

    def gather(self, x: npt.ArrayLike, root: int = 0) -> np.ndarray | None:
        """The whole of a vector or matrix in the process `root`, and None in the others."""
        x = self._operand(x, "x")
        whole = np.empty((self.shape[0], *x.shape[1:]), dtype=self.dtype, order="F") if self.comm.rank == root else None
        data = ffi.NULL if whole is None else ffi.from_buffer(whole.ravel(order="K"))
        self._comm.check(lib.tulle_dist_gather(self._context.handle, self._comm.handle, _wrap(x), root, data))
        return whole

    def partition(self) -> tuple[DistributedMatrix, Order]:
        """B = P A P^T and P, where P moves rows to processes such that products send little: parts of A's graph by
        METIS, if the library was built with that. For a matrix whose rows have entries all over; `received` is how many
        rows of x a product brings here.

            B, P = A.partition()
            z, report = dist.solve(B, P.permute(b))
            x = P.unpermute(z)

        Rank 0 gathers A and parts it, and the others wait, at most as long as the timeout.

        >>> A = DistributedMatrix(sp.csr_array([[2.0, 1.0], [1.0, 2.0]]), MPI.COMM_SELF)
        >>> B, P = A.partition()
        >>> P.unpermute(B @ P.permute([1.0, 0.0]))
        array([2., 1.])
        """
        handle, order = ffi.new("tulle_dist_mat **"), ffi.new("tulle_dist_order **")
        self._comm.check(lib.tulle_dist_mat_partition(self._context.handle, self.handle, handle, order))
        B = object.__new__(DistributedMatrix)
        B._take(self._comm, self._context, handle[0])
        return B, Order(self, B, order[0])

    def __repr__(self):
        return (f"<{self.shape[0]}x{self.shape[1]} tulle.dist.DistributedMatrix of {self.dtype}, {self.nnz} entries in "
                f"{self.comm.size} processes>")


class Order(OfProcess):
    """An order of the rows of a matrix that has moved rows to other processes (DistributedMatrix.partition)."""

    def __init__(self, before: DistributedMatrix, after: DistributedMatrix, handle: Any) -> None:
        self._before, self._after, self._handle = before, after, ffi.gc(handle, lib.tulle_dist_order_destroy)

    def permute(self, x: npt.ArrayLike) -> np.ndarray:
        """P x: this process's rows after the partition, of its rows before; x: a vector or a matrix."""
        return self._move(lib.tulle_dist_vec_permute, self._before, x, self._after)

    def unpermute(self, y: npt.ArrayLike) -> np.ndarray:
        """P^T y: this process's rows before the partition, of its rows after; y: a vector or a matrix."""
        return self._move(lib.tulle_dist_vec_unpermute, self._after, y, self._before)

    def _move(self, function, there, x, here):
        x = there._operand(x, "x")
        y = np.empty((here.rows.stop - here.rows.start, *x.shape[1:]), dtype=x.dtype, order="F")
        here._comm.check(function(here._context.handle, self._handle, _wrap(x), _wrap(y)))
        return y

    def __repr__(self):
        return f"<tulle.dist.Order of {self._before.shape[0]} rows in {self._before.comm.size} processes>"


def _wrap(x):
    return wrap_vector(x) if x.ndim == 1 else wrap_block(x)


def _norms(A, x):
    norms = ffi.new("double[]", 1 if x.ndim == 1 else x.shape[1])
    A._comm.check(lib.tulle_dist_norm2(A._context.handle, A._comm.handle, _wrap(x), norms))
    return np.array(list(norms))


def solve(A: DistributedMatrix, b: npt.ArrayLike, *, x0: npt.ArrayLike | None = None, rtol: float = 0.0,
          atol: float = 0.0, maxiter: int = 0, method: str | None = None,
          precond: str | None = None) -> tuple[np.ndarray, Report]:
    """Solves A x = b as tulle.solve does; b, x0 and x: this process's rows. All processes give the same options, and
    get the same report. precond: "none", "jacobi", "chebyshev:4"; or "ilu:0", "ic:0", "lu", "block-jacobi:4" of each
    process's own rows and columns; "amg" is multigrid of the whole matrix.

    >>> A = DistributedMatrix(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]), MPI.COMM_SELF)
    >>> x, report = solve(A, [5.0, 4.0])
    >>> x.round(12), report.converged
    (array([1., 1.]), True)
    """
    b = A._operand(b, "b")
    x = np.zeros_like(b) if x0 is None else A._operand(x0, "x0")
    found, history = ffi.new("tulle_solve_report *"), []
    options, _words = solve_options(rtol, atol, maxiter, method, precond)
    options.solver.guess = x0 is not None
    with interruptible(A._context):
        options.solver.monitor = monitor = callback("int(void *, int64_t, double)",
                                                    lambda user, step, norm: history.append(norm) or 0)
        A._comm.check(lib.tulle_dist_solve_sized(A._context.handle, A.handle, _wrap(b), _wrap(x), options,
                                                 ffi.sizeof("tulle_solve_options"), found))
    del monitor
    norms = _norms(A, b)
    residual = float(np.max(_norms(A, b - A @ x) / np.where(norms > 0, norms, 1), initial=0))
    report = dataclasses.replace(_report(found, residual), history=_history(history, x))
    if not report.converged:
        warnings.warn(f"tulle.dist.solve: {report.outcome}", ConvergenceWarning, stacklevel=2)
    return x, report


def cg(A: DistributedMatrix, b: npt.ArrayLike, x0: npt.ArrayLike | None = None, *, rtol: float = 1e-5,
       atol: float = 0.0, maxiter: int = 0, precond: str = "jacobi") -> tuple[np.ndarray, int]:
    """Conjugate gradients as scipy.sparse.linalg.cg, with the name of a preconditioner (solve) for M: x, and 0 or the
    number of iterations where the tolerance was not reached.

    >>> cg(DistributedMatrix(sp.csr_array([[2.0]]), MPI.COMM_SELF), [4.0])
    (array([2.]), 0)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        x, report = solve(A, b, x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, method="cg", precond=precond)
    return x, 0 if report.converged else max(1, report.iterations)
