# SPDX-License-Identifier: Apache-2.0
"""Matrices whose rows are shared by processes of MPI, by mpi4py, which must be installed. Every function here is called
by all processes of the communicator, in the same order.

    mpirun -n 4 python3 program.py

The library reaches the other processes by Python functions around mpi4py, so that it works with whatever MPI mpi4py was
made with. A product makes two such calls, of some microseconds each, beside its messages.
"""
from __future__ import annotations

import dataclasses
import warnings
import weakref
from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from mpi4py import MPI

from ._context import OfProcess, cpu
from ._errors import InvalidArgument, check, made
from ._interrupts import callback, interruptible
from ._library import ffi, lib
from ._matrix import DTYPES, ONE, TYPES, ZERO, wrap_block, wrap_vector
from ._solve import ConvergenceWarning, Report, _history, _report, solve_options

_SIGNATURES = {
    "gather": "tulle_status(void *, const void *, size_t, void *)",
    "exchange_start": "tulle_status(void *, tulle_ctx *, const tulle_comm_piece *, int, const tulle_comm_piece *, int)",
    "exchange_finish": "tulle_status(void *, tulle_ctx *)",
}


_DUPLICATES = MPI.Comm.Create_keyval()


class _Duplicates:
    """Counts the duplicates of a communicator, and keeps those that this process has given up: MPI has few
    communicators, and all processes free one together."""

    def __init__(self):
        self.made, self.given_up = 0, {}


def _duplicate(comm, user):
    """Duplicates a communicator for `user`, after freeing the duplicates that all processes have given up."""
    kept = comm.Get_attr(_DUPLICATES)
    if kept is None:
        kept = _Duplicates()
        comm.Set_attr(_DUPLICATES, kept)
    for number in sorted(set.intersection(*map(set, comm.allgather(list(kept.given_up))))):
        kept.given_up.pop(number).Free()
    kept.made += 1
    made = comm.Dup()
    weakref.finalize(user, kept.given_up.__setitem__, kept.made, made).atexit = False
    return made


class _Communicator:
    """The library's communicator of an mpi4py one, of which it keeps a duplicate. An exception of a message stays in
    `error`, and the library fails with TULLE_PEER_FAILED."""

    def __init__(self, comm):
        self.comm = _duplicate(comm, self)
        self.requests, self.error = [], None
        functions = ffi.new("tulle_comm_functions *")
        functions.size, functions.rank, functions.ranks = ffi.sizeof(functions[0]), comm.rank, comm.size
        self.callbacks = {name: ffi.callback(signature, getattr(self, name), error=lib.TULLE_PEER_FAILED,
                                             onerror=self.on_error) for name, signature in _SIGNATURES.items()}
        for name, function in self.callbacks.items():
            setattr(functions, name, function)
        self.handle = made(lib.tulle_comm_create, "tulle_comm **", lib.tulle_comm_destroy, functions, ffi.NULL)

    def on_error(self, _kind, error, _traceback):
        self.error = error

    def gather(self, _user, from_, size, to):
        self.comm.Allgather([ffi.buffer(from_, size), MPI.BYTE], [ffi.buffer(to, size * self.comm.size), MPI.BYTE])
        return 0

    def exchange_start(self, _user, _ctx, sends, send_count, receives, receive_count):
        # pylint: disable=too-many-arguments
        self.requests = [self.comm.Irecv([ffi.buffer(piece.data, piece.bytes), MPI.BYTE], piece.rank)
                         for piece in receives[0:receive_count]]
        self.requests += [self.comm.Isend([ffi.buffer(piece.data, piece.bytes), MPI.BYTE], piece.rank)
                          for piece in sends[0:send_count]]
        return 0

    def exchange_finish(self, _user, _ctx):
        MPI.Request.Waitall(self.requests)
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
    matrix; a process may have no rows. A vector x goes with it that each process has the rows of that it has of A.
    Products and solutions are computed in the process's context for the CPU (tulle.set_threads).

    >>> A = DistributedMatrix(sp.csr_array([[2.0, 1.0], [1.0, 2.0]]), MPI.COMM_SELF)
    >>> A @ np.array([1.0, 0.0])
    array([2., 1.])
    """

    __array_ufunc__ = None  # x @ A is asked of A

    def __init__(self, local: Any, comm: Any = MPI.COMM_WORLD) -> None:
        local = sp.csr_matrix(local)
        if local.dtype not in TYPES:
            local = local.astype(np.float64)
        offsets, columns = (np.ascontiguousarray(part, dtype=np.int64) for part in (local.indptr, local.indices))
        values = np.ascontiguousarray(local.data)
        self._comm, self._context = _Communicator(comm), cpu()
        handle, rows = ffi.new("tulle_dist_mat **"), local.shape[0]
        self._comm.check(lib.tulle_dist_mat_create(
            self._context.handle, self._comm.handle, rows, rows, ffi.from_buffer("int64_t[]", offsets),
            ffi.from_buffer("int64_t[]", columns), TYPES[values.dtype], ffi.from_buffer(values), handle))
        self.handle = ffi.gc(handle[0], lib.tulle_dist_mat_destroy)
        info = ffi.new("tulle_dist_mat_info *")
        check(lib.tulle_dist_mat_describe(self.handle, info))
        self.shape = (info.rows, info.cols)
        self.rows = slice(info.first_row, info.first_row + rows)
        self.nnz, self.dtype = info.nnz, DTYPES[info.type]

    @property
    def comm(self) -> Any:
        """The communicator of mpi4py, a duplicate of the one that was given."""
        return self._comm.comm

    def _operand(self, x, name):
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

    def __repr__(self):
        return (f"<{self.shape[0]}x{self.shape[1]} tulle.dist.DistributedMatrix of {self.dtype}, {self.nnz} entries in "
                f"{self.comm.size} processes>")


def _wrap(x):
    return wrap_vector(x) if x.ndim == 1 else wrap_block(x)


def _norms(A, x):
    squares = np.sum(np.square(x, dtype=np.float64), axis=0)
    return np.sqrt(A.comm.allreduce(squares))


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
    residual = float(np.max(_norms(A, b - A @ x) / np.where(norms > 0, norms, 1)))
    report = dataclasses.replace(_report(found, residual), history=_history(history, x))
    if not report.converged:
        warnings.warn(f"tulle.dist.solve: {report.outcome}", ConvergenceWarning, stacklevel=2)
    return x, report


def cg(A: DistributedMatrix, b: npt.ArrayLike, x0: npt.ArrayLike | None = None, *, rtol: float = 1e-5,
       atol: float = 0.0, maxiter: int = 0, precond: str = "jacobi") -> tuple[np.ndarray, int]:
    """Conjugate gradients under the signature of scipy.sparse.linalg.cg: x, and 0 or the number of iterations where the
    tolerance was not reached.

    >>> cg(DistributedMatrix(sp.csr_array([[2.0]]), MPI.COMM_SELF), [4.0])
    (array([2.]), 0)
    """
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ConvergenceWarning)
        x, report = solve(A, b, x0=x0, rtol=rtol, atol=atol, maxiter=maxiter, method="cg", precond=precond)
    return x, 0 if report.converged else max(1, report.iterations)
