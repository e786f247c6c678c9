# SPDX-License-Identifier: Apache-2.0
"""A x = b: in one call, and by the methods of scipy.sparse.linalg under SciPy's signatures."""
from __future__ import annotations

import contextlib
import dataclasses
import inspect
import numbers
import warnings
from typing import Any, Callable

import numpy as np
import numpy.typing as npt
import scipy.sparse.linalg as spl
from scipy.sparse.linalg import aslinearoperator

from . import _matrix as matrix
from ._context import cpu
from ._errors import InvalidArgument, c_text, check, made
from ._interrupts import callback, check_not_stopped, interruptible
from ._library import ffi, lib, text
from ._operators import as_near_null, as_square, linop_of
from ._sparse import is_on_device, of_scipy, with_entries


class ConvergenceWarning(UserWarning):
    """A solution did not reach its tolerance."""


@dataclasses.dataclass(frozen=True)
class Attempt:
    """One way that was tried."""

    method: str
    precond: str
    outcome: str
    iterations: int
    ms: float


@dataclasses.dataclass(frozen=True)
class Report:
    """The way to a solution, and its end. residual: |b - A x| / |b|, computed anew from x, the largest of all columns.
    history: the norms of the residual that the iteration tested, from its start on, all attempts one after another; of
    one right-hand side only, with several it is None. Times are in milliseconds.

    >>> x, report = solve([[4.0, 1.0], [1.0, 3.0]], [5.0, 4.0])
    >>> report.converged, report.residual < 1e-8
    (True, True)
    """

    converged: bool
    outcome: str
    method: str
    precond: str
    iterations: int
    residual: float
    why_method: str
    why_precond: str
    choose_ms: float
    precond_ms: float
    solve_ms: float
    attempts: tuple
    history: tuple | None = ()

    def __repr__(self) -> str:
        why = {"method": self.why_method, "precond": self.why_precond}
        lines = [f"{name:9s} {getattr(self, name)}" + (f": {reason}" if reason else "") for name, reason in why.items()]
        before = [f"before    {a.method} with {a.precond}: {a.outcome} after {a.iterations} iterations, {a.ms:.3g} ms"
                  for a in self.attempts[:-1]]
        return "\n".join([*before, *lines, f"setup     {self.choose_ms + self.precond_ms:.3g} ms",
                          f"solve     {self.solve_ms:.3g} ms, {self.iterations} iterations",
                          f"outcome   {self.outcome}, |b - A x| / |b| = {self.residual:.3g}"])


def _residual(A, x, b):
    """The largest |b - A x| / |b| of all columns; of a column b = 0 it is |A x|."""
    size = np.abs(b).max()
    size = size if 0 < size < np.inf else 1  # squares of large and small numbers would leave the range
    left, norms = np.linalg.norm((b - A @ x) / size, axis=0), np.linalg.norm(b / size, axis=0)
    return float(np.max(left / np.where(norms > 0, norms, 1)))


def _report(found, residual):
    attempts = [Attempt(text(lib.tulle_method_name(a.method)), text(a.precond), text(lib.tulle_outcome_text(a.outcome)),
                        a.iterations, a.ms) for a in found.attempt[0:found.attempts]]
    return Report(converged=found.solver.outcome == lib.TULLE_CONVERGED,
                  outcome=text(lib.tulle_outcome_text(found.solver.outcome)),
                  method=text(lib.tulle_method_name(found.method)),
                  precond=text(found.precond), iterations=found.solver.iterations,
                  residual=residual, why_method=text(found.method_why), why_precond=text(found.precond_why),
                  choose_ms=found.choose_ms, precond_ms=found.precond_ms,
                  solve_ms=found.solver.solve_ms, attempts=tuple(attempts))


def _history(norms, x):
    """The norms as a report has them: those of several columns belong to no single one."""
    return tuple(norms) if x.ndim == 1 or x.shape[1] == 1 else None


def _operand(b, dtype, rows, name="b"):
    b = np.asarray(b)
    if b.ndim not in (1, 2) or b.shape[0] != rows:
        raise InvalidArgument(f"{name} has the shape {b.shape}: a vector of {rows} numbers, or a matrix of so many "
                              f"rows, is wanted")
    if np.iscomplexobj(b):
        raise InvalidArgument(f"{name} is complex: the library computes with real numbers")
    return np.array(b, dtype=dtype, order="F")


def _vector(b, rows, name="b"):
    """b as a vector; SciPy's methods take one column, too."""
    b = np.asarray(b)
    if b.shape not in ((rows,), (rows, 1)):
        raise InvalidArgument(f"{name} has the shape {b.shape}: a vector of {rows} numbers is wanted; tulle.solve takes "
                              f"several right-hand sides")
    return b.ravel()


def _operator(A):
    """A as SciPy's functions take it: a matrix, an operator or an array; lists become arrays."""
    return of_scipy(A) if hasattr(A, "shape") else np.asarray(with_entries(A))


def solve_options(rtol, atol, maxiter, method, precond, block=0):
    """The options of tulle_solve, and the words that they borrow."""
    for name, word in (("method", method), ("precond", precond)):
        if not isinstance(word, (str, type(None))):
            raise InvalidArgument(f"{name} is a {type(word).__name__}: a name is wanted, or None to choose; tulle.cg, "
                                  f"bicgstab and gmres take operators as M")
    for name, number, kind in (("rtol", rtol, numbers.Real), ("atol", atol, numbers.Real),
                               ("maxiter", maxiter, numbers.Integral), ("block", block, numbers.Integral)):
        if not isinstance(number, kind) or not number >= 0:
            raise InvalidArgument(f"{name} is {number!r}: {'an integer' if kind is numbers.Integral else 'a number'} "
                                  f"from 0 on is wanted")
    options = ffi.new("tulle_solve_options *")
    words = [ffi.new("char[]", c_text(word, name)) if word else ffi.NULL
             for name, word in (("method", method), ("precond", precond))]
    options.method, options.precond = words
    options.block = block
    options.solver.tolerance, options.solver.absolute, options.solver.max_iterations = rtol, atol, maxiter
    return options, words


def _wrap(x):
    return matrix.wrap_vector(x) if x.ndim == 1 else matrix.wrap_block(x)


def solve(A: Any, b: Any, *, x0: Any = None, rtol: float = 0.0, atol: float = 0.0, maxiter: int = 0,
          method: str | None = None, precond: str | None = None, block: int = 0,
          near_null: Any = None) -> tuple[Any, Report]:
    """Solves A x = b by a method and a preconditioner that are chosen by facts of A; returns x and a report.

    b: a vector, or a matrix whose columns are right-hand sides. x is of float32 where A and b are, else of float64, in
    which the system is then solved. x0: a guess. rtol, atol: |b - A x| is to be at most
    rtol |b| or atol; rtol 0: 1e-8 in f64, 1e-5 in f32. maxiter: most iterations of all attempts; 0: as many as seem
    right. method: "cg", "bicgstab", "gmres", "minres" or "fgmres"; precond: "none", "jacobi", "ilu:0", "ic:0", "lu",
    "amg" and others of tulle/solve.h; None chooses. Operators as preconditioners are for tulle.cg, bicgstab and gmres.
    Where x does not reach the tolerance ConvergenceWarning is given, and x is the best that was found.

    block, near_null: of a system whose nodes have several unknowns, such as elasticity, what tulle.amg says of them;
    multigrid of nodes then comes first, unless A is symmetric and not definite or has a diagonal that is not positive.
    They go with a precond that is None, "amg" or "amg-smoothed".

    Where A is a tulle.csr, or A or b are of PyTorch or CuPy, the system is solved where these arrays are, on a GPU in
    the caller's current stream; x is an array of b's library, and gradients of PyTorch flow to b and to A's values. b,
    A, x0 and near_null are then of one type. The call waits for x.

    >>> x, report = solve([[4.0, 1.0], [1.0, 3.0]], [5.0, 4.0])
    >>> x.round(12), report.converged
    (array([1., 1.]), True)
    """
    from . import _device_solve  # imported here, since that module needs this one
    if _device_solve.is_for(A, b):
        return _device_solve.solve(A, b, x0, (rtol, atol, maxiter, method, precond, block), near_null)
    A, handle = as_square(A, np.asarray(b).dtype)
    b = _operand(b, A.dtype, A.shape[0])
    x = np.zeros_like(b) if x0 is None else _operand(x0, A.dtype, A.shape[0], "x0")
    if x.shape != b.shape:
        raise InvalidArgument(f"x0 has the shape {x.shape}, and b {b.shape}")
    if b.ndim == 2 and b.shape[1] == 0:
        raise InvalidArgument("b has no columns")
    found, history = ffi.new("tulle_solve_report *"), []
    options, _words = solve_options(rtol, atol, maxiter, method, precond, block)
    options.solver.guess = x0 is not None
    if near_null is not None:
        near_null = as_near_null(near_null, A)
        columns = matrix.wrap_block(near_null)  # which borrows the array
        options.near_null = columns
    with interruptible():
        monitor = callback("int(void *, int64_t, double)", lambda user, step, norm: history.append(norm) or 0)
        options.solver.monitor = monitor
        check(lib.tulle_solve_sized(cpu().handle, handle.mat, _wrap(b), _wrap(x), options,
                                    ffi.sizeof("tulle_solve_options"), found))
        check_not_stopped(found.solver.outcome)
    report = _report(found, _residual(A, x, b))
    if not report.converged:
        warnings.warn(f"tulle.solve: {report.outcome}", ConvergenceWarning, stacklevel=2)
    return x, dataclasses.replace(report, history=_history(history, x))


_NO_LOCK = contextlib.nullcontext()


def _dtype_of(A):
    return getattr(A, "dtype", None) or np.asarray(A).dtype


def _is_theirs(A, b, x0, callback):
    """True for what SciPy's own methods do: complex systems, and calls with a callback, which sees x."""
    parts = [_dtype_of(A), np.asarray(b).dtype] + ([] if x0 is None else [np.asarray(x0).dtype])
    return callback is not None or any(part.kind == "c" for part in parts)


def _tolerance(number, name, dtype):
    """A tolerance as the library takes it: Infinity, which SciPy takes, is as good as the largest number."""
    if not isinstance(number, numbers.Real) or not number >= 0:
        raise InvalidArgument(f"{name} is {number!r}: a number from 0 on is wanted")
    return min(float(number), float(np.finfo(dtype).max))


def _most(maxiter, restart=1):
    """The most iterations of a method that counts restarts; None: as many as SciPy allows."""
    if maxiter is None:
        return None
    if not isinstance(maxiter, numbers.Integral) or maxiter < 0:
        raise InvalidArgument(f"maxiter is {maxiter!r}: an integer from 1 on is wanted, or None")
    return maxiter * restart


def _check_no_callback(function):
    if function is not None:
        raise InvalidArgument("a callback is for SciPy's iteration, which takes no arrays of PyTorch or CuPy")


def _options(method, size, dtype, rtol, atol, maxiter, restart):
    """The library's options of an iterative method. SciPy's limit is max(rtol |b|, atol), the library's the larger of
    both, too."""
    options = ffi.new("tulle_solver_options *")
    options.method, options.restart = method, restart
    options.max_iterations = maxiter or 10 * size
    options.tolerance = max(_tolerance(rtol, "rtol", dtype), np.finfo(dtype).tiny)
    options.absolute = _tolerance(atol, "atol", dtype)
    return options


def _info(report, restart):
    """SciPy's info: 0, or the number of iterations, of restarted methods that of cycles, where the tolerance was not
    reached."""
    if report.outcome == lib.TULLE_BROKE_DOWN:
        return -10
    cycles = -(-report.iterations // restart) if restart else report.iterations
    return 0 if report.outcome == lib.TULLE_CONVERGED else max(1, cycles)


def _run_on_device(method, A, b, x0, rtol, atol, maxiter, M, restart=0):
    """As _run, where the arrays of PyTorch or CuPy are."""
    from . import _device_operators  # imported here, since that module needs this one
    if maxiter == 0:
        raise InvalidArgument("maxiter is 0: an integer from 1 on is wanted")
    dtype = np.dtype(np.float32 if A._core.type == lib.TULLE_F32 else np.float64)
    options = _options(method, A.shape[0], dtype, rtol, atol, maxiter, restart)
    x, report = _device_operators.run(A, b, x0, M, options)
    return x, _info(report, restart)


def _run(method, A, b, x0, rtol, atol, maxiter, M, restart=0):
    """x and info as SciPy has them: 0, or the number of iterations where the tolerance was not reached."""
    b = _vector(b, A.shape[0])
    if isinstance(x0, str) and x0 == "Mb":  # SciPy's word for M b
        x0 = b if M is None else aslinearoperator(M) @ b
    single = _dtype_of(A) == b.dtype == np.float32  # else f64, as SciPy has it
    dtype = np.dtype(np.float32 if single else np.float64)
    b = _operand(b, dtype, A.shape[0])
    x = np.zeros_like(b) if x0 is None else _operand(_vector(x0, A.shape[0], "x0"), dtype, A.shape[0], "x0")
    if b.size == 0 or maxiter == 0:
        return x, 0
    options, report = _options(method, b.size, dtype, rtol, atol, maxiter, restart), ffi.new("tulle_solver_report *")
    options.guess = x0 is not None
    is_zero = not b.any()  # the squares of small numbers are 0, and NaN is no 0
    with interruptible():
        options.monitor = monitor = callback("int(void *, int64_t, double)", lambda user, iteration, n: 0)
        linop, keep = linop_of(A, dtype)
        precond, keep_m = (ffi.NULL, None) if M is None else linop_of(M, dtype)
        solver = made(lib.tulle_solver_create_sized, "tulle_solver **", lib.tulle_solver_destroy, cpu().handle, linop,
                      precond, options, ffi.sizeof("tulle_solver_options"))
        with getattr(keep, "lock", _NO_LOCK), getattr(keep_m, "lock", _NO_LOCK):
            check(lib.tulle_solver_run(cpu().handle, solver, _wrap(b), _wrap(x), report))
        check_not_stopped(report.outcome)
    del monitor, keep, keep_m
    return (np.zeros_like(b), 0) if is_zero else (x, _info(report, restart))


# SciPy's name of rtol, which is tol up to SciPy 1.11.
_RTOL = "rtol" if "rtol" in inspect.signature(spl.cg).parameters else "tol"


def _by(name: str, theirs: Callable, about: str) -> Callable[..., tuple[np.ndarray, int]]:
    method = getattr(lib, f"TULLE_{name.upper()}")

    def solver(A: Any, b: npt.ArrayLike, x0: npt.ArrayLike | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
               maxiter: int | None = None, M: Any = None,
               callback: Callable[[np.ndarray], object] | None = None) -> tuple[np.ndarray, int]:
        if is_on_device(A):
            _check_no_callback(callback)
            return _run_on_device(method, A, b, x0, rtol, atol, _most(maxiter), M)
        A, M = _operator(A), of_scipy(M)
        if _is_theirs(A, b, x0, callback):
            return theirs(A, b, x0, **{_RTOL: rtol}, atol=atol, maxiter=maxiter, M=M, callback=callback)
        return _run(method, A, b, x0, rtol, atol, _most(maxiter), M)
    solver.__name__ = solver.__qualname__ = name
    solver.__doc__ = about
    return solver


cg = _by("cg", spl.cg, """Conjugate gradients, as scipy.sparse.linalg.cg: x and 0, or the iterations if rtol was not
    reached. A, M: matrices, tulle's operators, or SciPy's. With a callback the iteration itself is SciPy's. Where A is
    a tulle.csr around arrays of PyTorch or CuPy, the iteration runs where these are, b and x are such arrays, and M is
    a tulle.csr or what tulle.amg, ilu and ic make of one.

    >>> x, info = cg(np.array([[4.0, 1.0], [1.0, 3.0]]), np.array([5.0, 4.0]))
    >>> x.round(4), info
    (array([1., 1.]), 0)
    """)
bicgstab = _by("bicgstab", spl.bicgstab, """Stabilised biconjugate gradients, as scipy.sparse.linalg.bicgstab; see cg.

    >>> x, info = bicgstab(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([5.0, 5.0]))
    >>> x.round(4), info
    (array([1., 1.]), 0)
    """)


def gmres(A: Any, b: npt.ArrayLike, x0: npt.ArrayLike | None = None, *, rtol: float = 1e-5, atol: float = 0.0,
          restart: int | None = None, maxiter: int | None = None, M: Any = None,
          callback: Callable[[Any], object] | None = None,
          callback_type: str | None = None) -> tuple[np.ndarray, int]:
    """Restarted GMRES, as scipy.sparse.linalg.gmres; see cg. M is applied from the right, so that the residual that is
    tested is that of A x = b. maxiter counts restarts, as SciPy does.

    >>> x, info = gmres(np.array([[4.0, 1.0], [2.0, 3.0]]), np.array([5.0, 5.0]))
    >>> x.round(4), info
    (array([1., 1.]), 0)
    """
    if is_on_device(A):
        _check_no_callback(callback)
        restart = min(restart or 20, max(1, A.shape[0]))
        return _run_on_device(lib.TULLE_GMRES, A, b, x0, rtol, atol, _most(maxiter, restart), M, restart)
    A, M = _operator(A), of_scipy(M)
    if _is_theirs(A, b, x0, callback):
        return spl.gmres(A, b, x0, **{_RTOL: rtol}, atol=atol, restart=restart, maxiter=maxiter, M=M, callback=callback,
                         callback_type=callback_type)
    restart = min(restart or 20, max(1, np.size(b)))
    return _run(lib.TULLE_GMRES, A, b, x0, rtol, atol, _most(maxiter, restart), M, restart)
