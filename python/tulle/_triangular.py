# SPDX-License-Identifier: Apache-2.0
"""Triangular systems with a sparse matrix."""
from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import scipy.sparse.linalg as spl

from . import _matrix as matrix
from ._context import OfProcess, cpu
from ._errors import InvalidArgument, ZeroPivot, check
from ._library import lib
from ._sparse import of_scipy, real_type, taken


class SingularTriangle(ZeroPivot, np.linalg.LinAlgError):
    """A triangular matrix has a zero on its diagonal."""


class Triangle(OfProcess, spl.LinearOperator):
    """T^-1 as an operator, T the lower or the upper triangle of a square sparse matrix A: applied to b, the solution of
    T x = b. Entries of the other triangle are not read.

    The order in which rows can be solved is found once, from the pattern, and kept. A in CSR or CSC, of float32
    or float64, is borrowed: values that are edited in place count in the next solution. It is copied, and later edits
    do not count, where it is of another format or type, where its arrays have gaps or indices of two types, and where
    a row has several entries on the diagonal.

    >>> import tulle
    >>> T = Triangle(tulle.csr_array([[2.0, 0.0], [1.0, 4.0]]))
    >>> T @ np.array([2.0, 9.0])
    array([1., 2.])
    >>> T.T @ np.array([4.0, 8.0])
    array([1., 2.])
    """

    def __init__(self, A: Any, lower: bool = True, unit_diagonal: bool = False):
        A, handle = taken(A)
        if A.shape[0] != A.shape[1]:
            raise InvalidArgument(f"A has the shape {A.shape}: a square matrix is wanted")
        if not unit_diagonal:
            zeros = np.flatnonzero(A.diagonal() == 0)
            if zeros.size:
                error = SingularTriangle(f"row {zeros[0]} has no number on the diagonal, or 0")
                error.status, error.row = "TULLE_ZERO_PIVOT", int(zeros[0])
                raise error
            if A.nnz and not A.has_canonical_format and _repeats_diagonal(A):
                A = A.copy()
                A.sum_duplicates()
                handle = A._handle()
        super().__init__(A.dtype, A.shape)
        self._A, self._of, self._lower, self._unit = A, handle, bool(lower), bool(unit_diagonal)

    def _solved(self, b, transposed=False, in_place=False):
        """Computes op(T)^-1 b of a vector or a matrix of real numbers."""
        if self._of is None:  # no rows
            return np.zeros(b.shape, b.dtype)
        b = b if in_place and b.flags.aligned else matrix.plain(b)
        x = b if in_place else np.empty(b.shape, b.dtype)
        op = self._of.op != transposed  # the library has the transpose of CSC
        part = lib.TULLE_LOWER if self._lower != bool(self._of.op) else lib.TULLE_UPPER
        wrap = matrix.wrap_vector if b.ndim == 1 else matrix.wrap_block
        if b.size:
            check(lib.tulle_trisolve(cpu().handle, part, lib.TULLE_UNIT if self._unit else lib.TULLE_NON_UNIT, int(op),
                                     matrix.ONE, self._of.mat, wrap(b), wrap(x)))
        return x

    def _apply(self, b, transposed=False):
        b = np.asarray(b)
        if b.dtype.kind == "c":
            return self._apply(b.real, transposed) + 1j * self._apply(b.imag, transposed)
        return self._solved(b.astype(self._type_with(b), copy=False), transposed)

    def _type_with(self, b):
        """Returns the type of the solution: f64 where A or b are f64."""
        return real_type(np.dtype(np.promote_types(self.dtype, b.dtype)))

    def _matvec(self, x):
        return self._apply(np.ravel(x))

    def _matmat(self, X):
        return self._apply(X)

    def _rmatvec(self, x):
        return self._apply(np.ravel(x), True)

    def _rmatmat(self, X):
        return self._apply(X, True)

    def solve(self, b: npt.ArrayLike) -> np.ndarray:
        """Computes T^-1 b of a vector or a matrix b.

        >>> import tulle
        >>> Triangle(tulle.csr_array([[2.0, 0.0], [1.0, 4.0]])).solve([2.0, 9.0])
        array([1., 2.])
        """
        return self @ np.asarray(b)

    def __repr__(self) -> str:
        unit = " with ones on the diagonal" if self._unit else ""
        return f"<tulle {'lower' if self._lower else 'upper'} triangle of {self.shape[0]} rows{unit}>"


def _repeats_diagonal(A):
    """Returns True where a row has several entries on the diagonal, whose sum counts."""
    major = np.repeat(np.arange(A.shape[0]), np.diff(A.indptr))
    on = major[A.indices[:len(major)] == major]
    return len(on) > len(np.unique(on))


def spsolve_triangular(A: Any, b: npt.ArrayLike, lower: bool = True, overwrite_A: bool = False,
                       overwrite_b: bool = False, unit_diagonal: bool = False) -> np.ndarray:
    """Solves T x = b, T the lower or the upper triangle of A, as scipy.sparse.linalg.spsolve_triangular; entries of the
    other triangle are not read. overwrite_b: b may become x, where its type allows it. Complex matrices are SciPy's.

    The order of the rows stays with A if that is a csr_array of tulle; Triangle keeps more.

    >>> import tulle
    >>> spsolve_triangular(tulle.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))
    array([1., 2.])
    """
    A, b = of_scipy(A), np.asanyarray(b)
    if (getattr(A, "dtype", None) or np.asarray(A).dtype).kind == "c":
        return spl.spsolve_triangular(A, b, lower=lower, overwrite_A=overwrite_A, overwrite_b=overwrite_b,
                                      unit_diagonal=unit_diagonal)
    T = Triangle(A, lower, unit_diagonal)
    if b.ndim not in (1, 2) or b.shape[0] != T.shape[0]:
        raise InvalidArgument(f"b has the shape {b.shape}: a vector of {T.shape[0]} numbers, or a matrix of so many "
                              f"rows, is wanted")
    laid_out = b.flags.c_contiguous or b.flags.f_contiguous
    if overwrite_b and type(b) is np.ndarray and b.dtype.kind == "f" and b.dtype == T._type_with(b) and \
            laid_out and b.flags.aligned and b.flags.writeable:
        return T._solved(b, in_place=True)
    return T._apply(b)
