# SPDX-License-Identifier: Apache-2.0
"""Thousands of small systems at once: sparse ones that share a pattern, and dense ones of one size.

The systems are the first axis of every array, as in numpy.linalg: `values[s]` are the entries of matrix s in the order
of the pattern's entries, `b[s]` is its right-hand side. Arrays of float32 and float64 are borrowed where their numbers
follow each other in memory, system by system (C order) or number by number (Fortran order).

>>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
>>> values = np.array([[4.0, 1.0, 1.0, 3.0], [8.0, 2.0, 2.0, 6.0]])
>>> x, reports = P.solve(values, np.array([[5.0, 4.0], [10.0, 8.0]]))
>>> x.round(6)
array([[1., 1.],
       [1., 1.]])
>>> reports
<tulle reports of 2 systems: all converged, after 1 to 1 iterations>
"""
from __future__ import annotations

import threading
import warnings
from typing import Any, Iterator

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp

from . import _matrix as matrix
from ._arrays import csr_array
from ._context import OfProcess, cpu
from ._errors import InvalidArgument, ZeroPivot, check, made
from ._library import ffi, lib, text
from ._solve import ConvergenceWarning
from ._sparse import of_scipy, real_type

__all__ = ["DenseFactors", "Factors", "Pattern", "Reports", "cholesky", "lu", "solve"]

_METHODS = {"cg": lib.TULLE_CG, "bicgstab": lib.TULLE_BICGSTAB, "gmres": lib.TULLE_GMRES}
_PRECONDS = {"none": lib.TULLE_UNIFORM_NONE, "jacobi": lib.TULLE_UNIFORM_JACOBI, "ilu": lib.TULLE_UNIFORM_ILU}
# Numbers of matrices in one call of the library, which does not ask whether to go on: some tenths of a second of work
# at most. Between two calls Python sees Ctrl-C.
_AT_ONCE, _SOLVED_AT_ONCE = 10_000_000, 500_000
_REPORT = np.dtype([("outcome", np.int32), ("row", np.int32), ("iterations", np.int64), ("norm", np.float64)])


class Reports:
    """The ends that systems came to: arrays with a number for each system.

    >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
    >>> x, reports = P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]])
    >>> len(reports)
    1
    """

    def __init__(self, count: int):
        self._records = np.zeros(count, _REPORT)

    def _to(self, first: int) -> Any:
        """The place of the reports from this system on, as the library takes it."""
        to = ffi.new("tulle_uniform_reports *")
        to.host = ffi.cast("tulle_uniform_report *", ffi.from_buffer(self._records)) + first
        return to[0]

    @property
    def converged(self) -> np.ndarray:
        """True for each system that reached its tolerance.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]])[1].converged
        array([ True])
        """
        return self._records["outcome"] == lib.TULLE_CONVERGED

    @property
    def iterations(self) -> np.ndarray:
        """The iterations of each system.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]])[1].iterations
        array([1])
        """
        return self._records["iterations"]

    @property
    def residuals(self) -> np.ndarray:
        """The 2-norm of b - A x of each system, computed anew from x.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]])[1].residuals < 1e-7
        array([ True])
        """
        return self._records["norm"]

    @property
    def rows(self) -> np.ndarray:
        """The row of the first pivot of each system that cannot be divided by; -1: there is none.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]])[1].rows
        array([-1], dtype=int32)
        """
        return self._records["row"]

    def outcome(self, system: int) -> str | None:
        """Returns the reason why a system ended, in words.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]])[1].outcome(0)
        'converged'
        """
        return text(lib.tulle_outcome_text(int(self._records["outcome"][system])))

    def __len__(self) -> int:
        return len(self._records)

    def __repr__(self) -> str:
        good = self.converged
        if not len(self):
            return "<tulle reports of 0 systems>"
        head = f"<tulle reports of {len(self)} systems: "
        if not good.any():
            return f"{head}none converged; the first: {self.outcome(0)}>"
        counts = self.iterations[good]
        span = f"after {counts.min()} to {counts.max()} iterations"
        if good.all():
            return f"{head}all converged, {span}>"
        first = int(np.argmin(good))
        return f"{head}{good.sum()} converged, {span}; number {first}: {self.outcome(first)}>"


def _real(array: npt.ArrayLike, name: str) -> np.ndarray:
    array = np.asarray(array)
    if array.dtype.kind not in "fiub" or array.dtype.itemsize > 8:
        raise InvalidArgument(f"{name} is of {array.dtype}: real numbers of up to 64 bits are wanted")
    return array


def _type(*arrays: np.ndarray) -> np.dtype:
    """Returns the type in which these arrays are computed with: f32 where all are f32, else f64."""
    return real_type(*(array.dtype for array in arrays))


def _laid_out(array: np.ndarray, dtype: np.dtype) -> np.ndarray:
    """Returns the array in this type, copied only where the type or the order of its numbers in memory asks for it."""
    array = np.asarray(array, dtype=dtype)
    flags = array.flags
    return array if flags.aligned and (flags.c_contiguous or flags.f_contiguous) else np.array(array, order="C")


def _check_shape(array: np.ndarray, shape: tuple[int, ...], name: str) -> None:
    if array.shape != shape:
        raise InvalidArgument(f"{name} has the shape {array.shape}: {shape} is wanted, a row for each system")


def _groups(count: int, numbers: int, most: int) -> Iterator[slice]:
    """Yields groups of systems, each with so many numbers, that have at most so many numbers together."""
    size = max(1, most // max(1, numbers))
    return (slice(first, min(first + size, count)) for first in range(0, count, size))


def _wrap(array: np.ndarray):
    """Makes the library's multivector around an array, of which a system is a column."""
    return matrix.wrap_block(array.T)


def _fail(reports: Reports) -> None:
    """Raises ZeroPivot for the first system that has a bad pivot."""
    bad = np.flatnonzero(~reports.converged)
    if bad.size:
        system, row = int(bad[0]), int(reports.rows[bad[0]])
        error = ZeroPivot(f"the pivot of row {row} of system {system} cannot be divided by; so it is in {bad.size} of "
                          f"{len(reports)} systems (check=False keeps the others)")
        error.status, error.row = "TULLE_ZERO_PIVOT", row
        raise error


class Pattern(OfProcess):
    """The pattern that the matrices of many systems share, with what was found out of it.

    A: a square sparse matrix in CSR, of up to 1024 rows and 12288 entries, none of them twice; its values do not count.

    >>> Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
    <tulle pattern of small systems: 2 rows, 4 entries>
    """

    def __init__(self, A: Any):
        A = of_scipy(A)
        if not sp.issparse(A) or A.format != "csr":
            raise InvalidArgument("A is to be a sparse matrix in CSR, in whose order values stand; A.tocsr() makes one")
        if A.ndim != 2 or A.shape[0] != A.shape[1]:
            raise InvalidArgument(f"A has the shape {A.shape}: a square matrix is wanted")
        matrix.check_lengths((A.data, A.indices, A.indptr), A.shape[0])
        self.n, self.nnz = A.shape[0], int(A.indptr[-1])
        if self.nnz > lib.TULLE_UNIFORM_MOST_ENTRIES:
            raise InvalidArgument(f"A has {self.nnz} entries: up to {lib.TULLE_UNIFORM_MOST_ENTRIES} are taken")
        self.indptr, self.indices = np.array(A.indptr, np.int32), np.array(A.indices[:self.nnz], np.int32)
        self._pattern = made(lib.tulle_uniform_create, "tulle_uniform **", lib.tulle_uniform_destroy, cpu().handle,
                             self.n, ffi.from_buffer("int32_t[]", self.indptr),
                             ffi.from_buffer("int32_t[]", self.indices))

    def __repr__(self) -> str:
        return f"<tulle pattern of small systems: {self.n} rows, {self.nnz} entries>"

    def _operands(self, values: npt.ArrayLike, **vectors: npt.ArrayLike) -> list[np.ndarray]:
        """Returns values and vectors in their common type, as the library takes them."""
        arrays = {"values": _real(values, "values"), **{name: _real(v, name) for name, v in vectors.items()}}
        values = arrays["values"]
        if values.ndim != 2 or values.shape[1] != self.nnz:
            raise InvalidArgument(f"values have the shape {values.shape}: a row of {self.nnz} numbers for each system "
                                  f"is wanted")
        for name in vectors:
            _check_shape(arrays[name], (values.shape[0], self.n), name)
        dtype = _type(*arrays.values())
        return [_laid_out(array, dtype) for array in arrays.values()]

    def _groups(self, b: np.ndarray, most: int = _AT_ONCE) -> Iterator[slice]:
        """Yields groups of systems for one call of the library each; none where there are no numbers."""
        return _groups(len(b) if b.size and self.nnz else 0, self.nnz, most)

    def matrix(self, values: npt.ArrayLike) -> csr_array:
        """Makes the matrix of one system, whose values these are.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.matrix([4.0, 1.0, 1.0, 3.0]).toarray()
        array([[4., 1.],
               [1., 3.]])
        """
        values = np.array(_real(values, "values"))
        _check_shape(values, (self.nnz,), "values")
        return csr_array((values, self.indices.copy(), self.indptr.copy()), shape=(self.n, self.n))

    def multiply(self, values: npt.ArrayLike, x: npt.ArrayLike) -> np.ndarray:
        """Computes A x of every system.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.multiply([[4.0, 1.0, 1.0, 3.0]], [[1.0, 1.0]])
        array([[5., 4.]])
        """
        values, x = self._operands(values, x=x)
        y = np.zeros(x.shape, x.dtype)
        for of in self._groups(x):
            check(lib.tulle_uniform_spmv(cpu().handle, self._pattern, matrix.ONE, _wrap(values[of]), _wrap(x[of]),
                                         matrix.ZERO, _wrap(y[of])))
        return y

    def solve(self, values: npt.ArrayLike, b: npt.ArrayLike, *, x0: npt.ArrayLike | None = None, rtol: float = 0.0,
              atol: float = 0.0, maxiter: int = 0, method: str = "bicgstab", precond: str = "ilu",
              restart: int = 0) -> tuple[np.ndarray, Reports]:
        """Solves every system by an iterative method; returns x and the reports.

        method: "cg", "bicgstab" or "gmres" (restart: its vectors); precond: "none", "jacobi" or "ilu". rtol, atol: a
        system ends where |b - A x| is at most rtol |b| or atol; rtol 0: 1e-8 in f64, 1e-5 in f32. maxiter: most
        iterations of a system; 0: 1000. Where systems do not reach the tolerance ConvergenceWarning is given.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> x, reports = P.solve([[4.0, 1.0, 1.0, 3.0]], [[5.0, 4.0]], method="gmres", rtol=1e-10)
        >>> x.round(8)
        array([[1., 1.]])
        """
        if method not in _METHODS or precond not in _PRECONDS:
            raise InvalidArgument(f"method {method!r} is to be one of {sorted(_METHODS)}, precond {precond!r} one of "
                                  f"{sorted(_PRECONDS)}")
        vectors = {"b": b} if x0 is None else {"b": b, "x0": x0}
        values, b, *guess = self._operands(values, **vectors)
        x = np.array(guess[0], order="C") if guess else np.zeros(b.shape, b.dtype)
        reports = Reports(len(b))
        if b.size == 0:
            return x, reports
        if self.nnz == 0:
            raise InvalidArgument("the pattern has no entries: there is nothing to solve with")
        options = ffi.new("tulle_uniform_options *", {
            "method": _METHODS[method], "preconditioner": _PRECONDS[precond], "tolerance": rtol, "absolute": atol,
            "max_iterations": maxiter, "guess": x0 is not None, "restart": restart})
        for of in self._groups(b, _SOLVED_AT_ONCE):
            check(lib.tulle_uniform_solve_sized(cpu().handle, self._pattern, options,
                                                ffi.sizeof("tulle_uniform_options"), _wrap(values[of]), _wrap(b[of]),
                                                _wrap(x[of]), reports._to(of.start)))
        if not reports.converged.all():
            warnings.warn(f"tulle.uniform: {reports!r}", ConvergenceWarning, stacklevel=2)
        return x, reports

    def solve_triangular(self, values: npt.ArrayLike, b: npt.ArrayLike, lower: bool = True,
                         unit_diagonal: bool = False) -> np.ndarray:
        """Computes T^-1 b of every system, T the lower or the upper triangle of its matrix. A diagonal of 0 divides,
        and gives Inf or NaN.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.solve_triangular([[4.0, 1.0, 1.0, 3.0]], [[4.0, 4.0]])
        array([[1., 1.]])
        """
        values, b = self._operands(values, b=b)
        x = np.zeros(b.shape, b.dtype)
        part = lib.TULLE_LOWER if lower else lib.TULLE_UPPER
        diagonal = lib.TULLE_UNIT if unit_diagonal else lib.TULLE_NON_UNIT
        for of in self._groups(b):
            check(lib.tulle_uniform_trisolve(cpu().handle, self._pattern, part, diagonal, _wrap(values[of]),
                                             _wrap(b[of]), _wrap(x[of])))
        if x.size and not self.nnz:
            x[:] = b if unit_diagonal else np.divide(b, np.zeros_like(b))
        return x

    def ilu(self, values: npt.ArrayLike, check: bool = True) -> Factors:
        """Makes the factors L U of every matrix without fill. check: ZeroPivot is raised where a matrix has none.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.ilu([[4.0, 1.0, 1.0, 3.0]])
        <tulle factors of 1 sparse systems of 2 rows>
        """
        return Factors(self, values, check)


class _AnyFactors(OfProcess):
    """The part that factors of sparse and of dense matrices share: which are of use."""

    _reports: Reports

    @property
    def rows(self) -> np.ndarray:
        """The row of the first pivot of each system that cannot be divided by; -1: the factors are of use.

        >>> lu([[[0.0, 0.0], [0.0, 4.0]]], check=False).rows
        array([0], dtype=int32)
        """
        return self._reports.rows

    def __len__(self) -> int:
        return len(self._reports)

    def _words(self) -> str:
        bad = int((~self._reports.converged).sum())
        return f", {bad} of no use" if bad else ""


class Factors(_AnyFactors):
    """Incomplete factors L U of many sparse matrices with one pattern, without fill.

    >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
    >>> F = P.ilu([[4.0, 1.0, 1.0, 3.0]])
    >>> F.solve([[5.0, 4.0]])
    array([[1., 1.]])
    """

    def __init__(self, pattern: Pattern, values: npt.ArrayLike, check: bool = True):
        if pattern.nnz == 0 and pattern.n:
            raise InvalidArgument("the pattern has no entries: its matrices have no factors")
        self._of, self._lock = pattern, threading.RLock()
        self._compute(pattern._operands(values)[0], check)

    def _compute(self, values, fail):
        factors, reports = np.empty_like(values, order="K"), Reports(len(values))
        for of in self._of._groups(values):
            check(lib.tulle_uniform_ilu(cpu().handle, self._of._pattern, _wrap(values[of]), _wrap(factors[of]),
                                        reports._to(of.start)))
        if fail:
            _fail(reports)
        self._factors, self._reports = factors, reports

    def update(self, values: npt.ArrayLike, check: bool = True) -> None:
        """Computes the factors of other values. Where ZeroPivot is raised they stay as they were.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> F = P.ilu([[4.0, 1.0, 1.0, 3.0]])
        >>> F.update([[8.0, 2.0, 2.0, 6.0]])
        >>> F.solve([[10.0, 8.0]])
        array([[1., 1.]])
        """
        values = self._of._operands(values)[0]
        with self._lock:
            _check_shape(values, self._factors.shape, "values")
            self._compute(values.astype(self._factors.dtype, copy=False), check)

    def solve(self, b: npt.ArrayLike) -> np.ndarray:
        """Computes (L U)^-1 b of every system.

        >>> P = Pattern(sp.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> P.ilu([[4.0, 1.0, 1.0, 3.0]]).solve([[5.0, 4.0]])
        array([[1., 1.]])
        """
        with self._lock:
            factors = self._factors
        b = _real(b, "b")
        _check_shape(b, (len(factors), self._of.n), "b")
        b = _laid_out(b, factors.dtype)
        x = np.zeros(b.shape, b.dtype)
        for of in self._of._groups(b):
            check(lib.tulle_uniform_ilu_solve(cpu().handle, self._of._pattern, _wrap(factors[of]), _wrap(b[of]),
                                              _wrap(x[of])))
        return x

    def __repr__(self) -> str:
        return f"<tulle factors of {len(self)} sparse systems of {self._of.n} rows{self._words()}>"


class DenseFactors(_AnyFactors):
    """Factors of many dense matrices of one size, of up to 32 rows: L U with row exchanges, or L L' of symmetric
    ones.

    >>> lu([[[2.0, 0.0], [0.0, 4.0]]])
    <tulle LU factors of 1 dense systems of 2 rows>
    """

    def __init__(self, A: npt.ArrayLike, symmetric: bool, check: bool = True):
        self._symmetric, self._lock = symmetric, threading.RLock()
        self._compute(_real(A, "A"), check)

    def _compute(self, A, fail):
        if A.ndim != 3 or A.shape[1] != A.shape[2]:
            raise InvalidArgument(f"A has the shape {A.shape}: (systems, n, n) is wanted")
        count, n = A.shape[:2]
        dtype = _type(A)
        by_columns = np.array(A.transpose(0, 2, 1), dtype=dtype, order="C").reshape(count, n * n)
        pivots, reports = np.zeros((count, n), np.int32), Reports(count)
        for of in _groups(count if A.size else 0, n * n, _AT_ONCE):
            if self._symmetric:
                check(lib.tulle_uniform_cholesky(cpu().handle, n, _wrap(by_columns[of]), reports._to(of.start)))
            else:
                check(lib.tulle_uniform_lu(cpu().handle, n, _wrap(by_columns[of]),
                                           ffi.from_buffer("int32_t[]", pivots[of]), reports._to(of.start)))
        if fail:
            _fail(reports)
        self.n, self._numbers, self._pivots, self._reports = n, by_columns, pivots, reports

    def update(self, A: npt.ArrayLike, check: bool = True) -> None:
        """Computes the factors of other matrices, as many of the same size. Where ZeroPivot is raised they stay as they
        were.

        >>> F = lu([[[2.0, 0.0], [0.0, 4.0]]])
        >>> F.update([[[1.0, 0.0], [0.0, 2.0]]])
        >>> F.solve([[2.0, 8.0]])
        array([[2., 4.]])
        """
        A = _real(A, "A")
        with self._lock:
            _check_shape(A, (len(self), self.n, self.n), "A")
            self._compute(A, check)

    def _solved(self, numbers, pivots, b):
        b = _laid_out(b, numbers.dtype)
        x = np.empty(b.shape, b.dtype)
        for of in _groups(len(b), self.n * self.n, _AT_ONCE):
            operands = _wrap(numbers[of]), _wrap(b[of]), _wrap(x[of])
            if self._symmetric:
                check(lib.tulle_uniform_cholesky_solve(cpu().handle, self.n, *operands))
            else:
                check(lib.tulle_uniform_lu_solve(cpu().handle, self.n, operands[0],
                                                 ffi.from_buffer("int32_t[]", pivots[of]), *operands[1:]))
        return x

    def solve(self, b: npt.ArrayLike) -> np.ndarray:
        """Computes A^-1 b of every system: b of the shape (systems, n), or (systems, n, right-hand sides).

        >>> lu([[[2.0, 0.0], [0.0, 4.0]]]).solve([[2.0, 8.0]])
        array([[1., 2.]])
        """
        b = _real(b, "b")
        with self._lock:
            numbers, pivots = self._numbers, self._pivots
        if b.ndim not in (2, 3) or b.shape[:2] != (len(self), self.n):
            raise InvalidArgument(f"b has the shape {b.shape}: {(len(self), self.n)} is wanted, or a third axis more "
                                  f"for several right-hand sides")
        if b.size == 0:
            return np.zeros(b.shape, numbers.dtype)
        if b.ndim == 2:
            return self._solved(numbers, pivots, b)
        return np.stack([self._solved(numbers, pivots, b[:, :, k]) for k in range(b.shape[2])], axis=2)

    def __repr__(self) -> str:
        kind = "Cholesky" if self._symmetric else "LU"
        return f"<tulle {kind} factors of {len(self)} dense systems of {self.n} rows{self._words()}>"


def lu(A: npt.ArrayLike, check: bool = True) -> DenseFactors:
    """Makes the factors L U, with row exchanges, of dense matrices A of the shape (systems, n, n), n up to 32. check:
    ZeroPivot is raised where a matrix is singular; False: `rows` of the factors says which.

    >>> F = lu([[[0.0, 2.0], [4.0, 0.0]], [[1.0, 0.0], [0.0, 2.0]]])
    >>> F.solve([[2.0, 4.0], [1.0, 1.0]])
    array([[1. , 1. ],
           [1. , 0.5]])
    """
    return DenseFactors(A, False, check)


def cholesky(A: npt.ArrayLike, check: bool = True) -> DenseFactors:
    """Makes the factors L L' of symmetric positive definite matrices, of which the lower triangles are read;
    otherwise as lu.

    >>> cholesky([[[4.0, 0.0], [2.0, 5.0]]]).solve([[6.0, 7.0]])
    array([[1., 1.]])
    """
    return DenseFactors(A, True, check)


def solve(A: npt.ArrayLike, b: npt.ArrayLike) -> np.ndarray:
    """Solves dense systems A x = b: A of the shape (systems, n, n), b (systems, n) or (systems, n, right-hand sides).

    >>> solve([[[2.0, 0.0], [0.0, 4.0]]], [[2.0, 8.0]])
    array([[1., 2.]])
    """
    return lu(A).solve(b)
