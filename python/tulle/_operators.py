# SPDX-License-Identifier: Apache-2.0
"""Operators and preconditioners: of the library for SciPy, and of SciPy for the library."""
from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Sequence

import numpy as np
import numpy.typing as npt
import scipy.sparse as sp
from scipy.sparse.linalg import LinearOperator, aslinearoperator

from . import _matrix as matrix
from ._arrays import csr_array
from ._context import OfProcess, cpu
from ._errors import InvalidArgument, ZeroPivot, check, made, told
from ._interrupts import interruptible
from ._library import ffi, lib, text
from ._sparse import is_on_device, of_scipy, with_entries

if TYPE_CHECKING:
    from ._device_operators import DeviceFactors, DeviceMultigrid


def as_square(A, with_b=None):
    """A as a csr_array of f32 or f64 that the library takes, and its handle. with_b: the type of a right-hand side:
    the system is in f32 only where both are."""
    A = with_entries(A)
    if not isinstance(A, csr_array):
        A = csr_array(A)
    if A.ndim != 2 or A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise InvalidArgument(f"A has the shape {A.shape}: a square matrix with rows is wanted")
    if A.dtype.kind not in "fiub" or A.dtype.itemsize > 8:
        raise InvalidArgument(f"A is of {A.dtype}: float32 and float64 are computed with, and integers as float64")
    single = all(dtype in (np.float16, np.float32) for dtype in (A.dtype, A.dtype if with_b is None else with_b))
    A = A.astype(np.float32 if single else np.float64, copy=False)
    handle = A._handle()
    if handle is None:  # arrays that the library does not take as they are
        index = np.promote_types(A.indices.dtype, A.indptr.dtype)
        data = np.array(A.data, dtype=A.dtype.newbyteorder("="))
        arrays = data, np.array(A.indices, index), np.array(A.indptr, index)
        A = csr_array(arrays, shape=A.shape)
        A.data, A.indices, A.indptr = arrays
        handle = A._handle()
    return A, handle.here()


def _check_pattern(A, handle):
    """Fails where A has another pattern than the matrix of a handle."""
    if not (np.array_equal(A.indptr, handle.indptr) and np.array_equal(A.indices, handle.indices)):
        raise InvalidArgument("A has another pattern than the matrix that this was made of: make it anew")


class Operator(OfProcess, LinearOperator):
    """An operator of the library, for SciPy's methods and for tulle's.

    >>> M = ilu(csr_array([[4.0, 1.0], [1.0, 3.0]]))
    >>> M.shape, (M @ np.array([5.0, 4.0])).round(12)
    ((2, 2), array([1., 1.]))
    """

    def __init__(self, linop: Any, keeps: Sequence[Any] = ()) -> None:
        info = ffi.new("tulle_linop_info *")
        check(lib.tulle_linop_describe(linop, info))
        super().__init__(matrix.DTYPES[info.type], (info.rows, info.cols))
        self._linop, self._keeps, self._transposes = linop, keeps, info.transposes
        self.lock = threading.RLock()  # an operator of the library serves one call at a time

    def _apply(self, op, x):
        if np.iscomplexobj(x):
            return self._apply(op, np.real(x)) + 1j * self._apply(op, np.imag(x))
        x = matrix.plain(np.asarray(x, dtype=self.dtype))
        y = np.empty((self.shape[op == lib.TULLE_T],) + x.shape[1:], self.dtype)
        wrap = matrix.wrap_vector if x.ndim == 1 else matrix.wrap_block
        if x.size == 0 or y.size == 0:
            return np.zeros_like(y)
        with self.lock:
            check(lib.tulle_linop_apply(cpu().handle, op, matrix.ONE, self._linop, wrap(x), matrix.ZERO, wrap(y)))
        return y

    def _matvec(self, x):
        return self._apply(lib.TULLE_N, np.ravel(x))

    def _matmat(self, X):
        return self._apply(lib.TULLE_N, X)

    def _rmatvec(self, x):
        if not self._transposes:
            raise NotImplementedError("this operator has no transpose")
        return self._apply(lib.TULLE_T, np.ravel(x))

    def solve(self, b: npt.ArrayLike) -> np.ndarray:
        """The operator applied to b: of a preconditioner, which stands for an inverse, an approximate solution.

        >>> ilu(csr_array([[4.0, 1.0], [1.0, 3.0]])).solve(np.array([5.0, 4.0])).round(12)
        array([1., 1.])
        """
        return self @ b


class Hierarchy:
    """What is told of a hierarchy of algebraic multigrid, `_linop`, which serves one call at a time (`lock`)."""

    _linop: Any
    shape: tuple[int, int]

    def _info(self):
        info = ffi.new("tulle_amg_info *")
        check(lib.tulle_amg_describe(self._linop, info))
        return info

    @property
    def levels(self) -> list[tuple[int, int]]:
        """Rows and entries of each level, the first one first.

        >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
        >>> amg(A).levels[0]
        (5000, 14998)
        """
        found, info = [], ffi.new("tulle_amg_level_info *")
        for level in range(self._info().levels):
            check(lib.tulle_amg_level_numbers(self._linop, level, info))
            found.append((info.rows, info.nnz))
        return found

    def _level(self, level):
        """The description of a level."""
        if not 0 <= level < self._info().levels:
            raise InvalidArgument(f"level is {level}, and the hierarchy has the levels 0 to {self._info().levels - 1}")
        info = ffi.new("tulle_amg_level_info *")
        check(lib.tulle_amg_level(self._linop, level, info))
        return info

    @property
    def operator_complexity(self) -> float:
        """Entries of the matrices of all levels over those of A.

        >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
        >>> 1 < amg(A).operator_complexity < 3
        True
        """
        return self._info().operator_complexity

    def explain(self) -> str:
        """Says how the hierarchy was made, and why.

        >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
        >>> len(amg(A).explain()) > 0
        True
        """
        length = ffi.new("size_t *")
        check(lib.tulle_amg_explain(self._linop, ffi.NULL, 0, length))
        words = ffi.new("char[]", length[0] + 1)
        check(lib.tulle_amg_explain(self._linop, words, length[0] + 1, length))
        return text(words)

    def __repr__(self) -> str:
        return (f"<tulle multigrid of {self.shape[0]} rows: {len(self.levels)} levels, "
                f"{self.operator_complexity:.2f} times the entries of A>")


def as_near_null(B, A):
    """A near null space as the library takes it: the columns of an array of A's rows, of A's type."""
    if np.iscomplexobj(B):
        raise InvalidArgument("near_null is complex: the library computes with real numbers")
    B = np.ascontiguousarray(B, dtype=A.dtype)
    if B.ndim != 2 or B.shape[0] != A.shape[0] or not 1 <= B.shape[1] <= 16:
        raise InvalidArgument(f"near_null has the shape {B.shape}: {A.shape[0]} rows and 1 to 16 columns are wanted")
    return B


class Multigrid(Hierarchy, Operator):
    """A hierarchy of algebraic multigrid: applied to b, one cycle for A x = b.

    >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
    >>> M = amg(A)
    >>> (M @ np.ones(5000)).shape
    (5000,)
    """

    def __init__(self, A: Any, options: dict[str, Any]) -> None:
        self._A, handle = as_square(A)
        self._of = handle  # has the arrays that the hierarchy borrows
        near_null = options.pop("near_null", None)
        call = ffi.new("tulle_amg_options *", options)
        if near_null is not None:
            near_null = as_near_null(near_null, self._A)
            columns = matrix.wrap_block(near_null)
            call.near_null = columns
        with interruptible():
            linop = made(lib.tulle_amg_create_sized, "tulle_linop **", lib.tulle_linop_destroy, cpu().handle,
                         handle.mat, call, ffi.sizeof("tulle_amg_options"))
        super().__init__(linop)

    def update(self, A: Any = None) -> None:
        """Brings the hierarchy to new values of A on the pattern that it was made of; interpolation stays. None: the
        values of the A that it was made of were edited in place.

        >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
        >>> M = amg(A)
        >>> x = M @ np.ones(5000)
        >>> M.update(2 * A)
        >>> np.allclose(M @ np.ones(5000), x / 2)
        True
        """
        A, handle = as_square(self._A if A is None else A)
        _check_pattern(A, self._of)
        with self.lock, interruptible():
            check(lib.tulle_amg_update(cpu().handle, self._linop, handle.mat, lib.TULLE_AMG_KEEP_P))
        self._A, self._of = A, handle

    def matrix(self, level: int) -> "csr_array | None":
        """A copy of a level's matrix, A on level 0; None of a level that the cycle only passes, whose matrix is not
        kept.

        >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
        >>> (amg(A).matrix(0) != A).nnz
        0
        """
        with self.lock:
            info = self._level(level)
            arrays = matrix.arrays_of(info.A) if info.A else None
            return arrays and csr_array(tuple(np.array(array) for array in arrays), shape=(info.rows, info.rows))


def check_pivots(context: Any, factor: Any) -> None:
    """Raises ZeroPivot where a pivot is zero, Inf or NaN. Waits on a GPU."""
    report = ffi.new("tulle_factor_report *")
    check(lib.tulle_factor_status(context.handle, factor, report))
    if report.bad > 0:
        error = ZeroPivot(f"the pivot of row {report.bad_row} is zero, Inf or NaN")
        error.status, error.row = "TULLE_ZERO_PIVOT", report.bad_row
        raise error


class Triangles:
    """What is told of factors L and U, `_factor`."""

    _factor: Any
    shape: tuple[int, int]

    @property
    def nnz(self) -> int:
        """Entries of both factors.

        >>> ilu(csr_array([[4.0, 1.0], [1.0, 3.0]])).nnz
        4
        """
        info = ffi.new("tulle_factor_info *")
        check(lib.tulle_factor_describe(self._factor, info))
        return info.nnz_l + info.nnz_u

    def __repr__(self) -> str:
        return f"<tulle factors of {self.shape[0]} rows: {self.nnz} entries>"


def _in_order(A):
    """A as as_square has it, or a copy where the columns of its rows do not rise: many of SciPy's methods sort an array
    in place, which then has the pattern that it had, in another order."""
    A, _ = as_square(A)
    return A if A.has_sorted_indices else A.sorted_indices()


class Factors(Triangles, Operator):
    """Factors of A: applied to b, a solution of L U x = b.

    >>> A = csr_array([[4.0, 1.0], [1.0, 3.0]])
    >>> F = ilu(A)
    >>> F @ np.array([5.0, 4.0])
    array([1., 1.])
    """

    def __init__(self, A: Any, options: dict[str, Any]) -> None:
        A = _in_order(A)
        # The matrix whose pattern the factors are of has offsets and indices that edits in place of A's do not change.
        self._of = matrix.borrowed((A.data, A.indices.copy(), A.indptr.copy()), A.shape, False)
        call = ffi.new("tulle_factor_options *", options)
        with interruptible():
            self._factor = made(lib.tulle_factor_create_sized, "tulle_factor **", lib.tulle_factor_destroy,
                                cpu().handle, self._of.mat, call, ffi.sizeof("tulle_factor_options"))
            linop = made(lib.tulle_linop_from_factor, "tulle_linop **", lib.tulle_linop_destroy, cpu().handle,
                         self._factor, matrix.TYPES[A.dtype])
        super().__init__(linop)
        check_pivots(cpu(), self._factor)

    def update(self, A: Any) -> None:
        """Computes the factors of new values of A on the pattern that they were made of.

        >>> A = csr_array([[4.0, 1.0], [1.0, 3.0]])
        >>> F = ilu(A)
        >>> F.update(2 * A)
        >>> F.solve(np.array([10.0, 8.0]))
        array([1., 1.])
        """
        A = _in_order(A)
        _check_pattern(A, self._of)
        data = matrix.plain(np.asarray(A.data, dtype=self.dtype))
        mat = made(lib.tulle_mat_with_values, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, self._of.mat,
                   matrix.TYPES[self.dtype], self._of.nnz, ffi.from_buffer(data))
        with self.lock, interruptible():
            check(lib.tulle_factor_update(cpu().handle, self._factor, mat))
        check_pivots(cpu(), self._factor)


_FAMILIES = {None: "TULLE_AMG_FAMILY_CHOOSE", "classical": "TULLE_AMG_CLASSICAL", "plain": "TULLE_AMG_AGGREGATION",
             "smoothed": "TULLE_AMG_SMOOTHED"}


def _made_of(A, here, on_device, options):
    """An operator of this class, or, of a tulle.csr around arrays of PyTorch and CuPy, of its class for these."""
    if is_on_device(A):
        from . import _device_operators  # imported here, since that module needs this one
        return getattr(_device_operators, on_device)(A, options)
    return here(A, options)


def amg(A: Any, family: str | None = None, degree: int = 0, strength: float = 0.0, block: int = 0,
        near_null: npt.ArrayLike | None = None) -> "Multigrid | DeviceMultigrid":
    """Makes a hierarchy of algebraic multigrid for A, a preconditioner for SciPy's methods and tulle's. Of a tulle.csr
    around arrays of PyTorch or CuPy it works where these are, and is a preconditioner for tulle's methods there.

    family: "classical", "plain" or "smoothed" aggregation; None chooses by facts of A. degree: of the smoother, 1 to 8.
    strength: share of a row's largest connection from which one is strong. Zeros choose. block: of a system, the
    unknowns of a node, 1 to 16, whose rows follow each other; the family is then smoothed aggregation of nodes, in
    blocks. near_null: of a system on the host, 1 to 16 columns that A nearly takes to 0, such as rigid motions; None:
    constants for each unknown of a node.

    >>> import tulle
    >>> A = csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
    >>> x, info = tulle.cg(A, np.ones(5000), M=amg(A))
    >>> info
    0
    >>> amg(sp.kron(A, sp.eye(3), format="csr"), block=3).levels[0]
    (15000, 134982)
    """
    if family not in _FAMILIES:
        raise InvalidArgument(f"family is {family!r}, none of 'classical', 'plain' and 'smoothed'")
    options = {"family": getattr(lib, _FAMILIES[family]), "degree": degree, "strength": strength,
               "block": block}
    if near_null is not None:
        if is_on_device(A):
            raise InvalidArgument("near_null goes with SciPy's arrays: leave it out, or give A as one")
        options["near_null"] = near_null
    return _made_of(A, Multigrid, "DeviceMultigrid", options)


def ilu(A: Any, fill: int = 0, modified: float = 0.0) -> "Factors | DeviceFactors":
    """Makes incomplete factors L U of A with fill up to this level, where A's arrays are, as amg does. modified: the
    share of what is dropped that is taken off the diagonal.

    >>> F = ilu(csr_array([[4.0, 1.0], [1.0, 3.0]]))
    >>> F.solve(np.array([5.0, 4.0]))
    array([1., 1.])
    """
    return _made_of(A, Factors, "DeviceFactors", {"kind": lib.TULLE_LU, "fill": fill, "modified": modified})


def ic(A: Any, fill: int = 0) -> "Factors | DeviceFactors":
    """Makes incomplete factors L L' of a symmetric A with fill up to this level, where A's arrays are, as amg does.

    >>> F = ic(csr_array([[4.0, 1.0], [1.0, 3.0]]))
    >>> F.solve(np.array([5.0, 4.0])).round(12)
    array([1., 1.])
    """
    return _made_of(A, Factors, "DeviceFactors", {"kind": lib.TULLE_CHOLESKY, "fill": fill})


def _view(vector):
    """NumPy's view of a vector of one column that the library hands to a callback."""
    info = ffi.new("tulle_vec_info *")
    check(lib.tulle_vec_describe(vector, info))
    step = info.ld if info.layout == lib.TULLE_ROW_MAJOR else 1
    return matrix.lent(info.data, max(0, (info.rows - 1) * step + 1), matrix.DTYPES[info.type], vector)[::step]


def _check_real(numbers):
    """Fails where an operator of a real system has, or gives, complex numbers, of which only a part would be read."""
    if np.iscomplexobj(numbers):
        raise InvalidArgument("A or M is complex and the system is real: give b as complex numbers, or an operator of real "
                              "ones")


class _Foreign:
    """An operator of SciPy as one of the library's, whose calls come back to Python."""

    def __init__(self, operator, dtype):
        def apply(_self, _ctx, x, y):
            numbers = operator.matvec(_view(x).copy())  # x may be kept, its memory may not
            _check_real(numbers)
            _view(y)[:] = np.ravel(numbers)
            return lib.TULLE_OK
        self._apply = ffi.callback("tulle_status(void *, tulle_ctx *, const tulle_vec *, tulle_vec *)", apply,
                                   error=lib.TULLE_CANCELLED, onerror=told.on_error)
        self._functions = ffi.new("tulle_linop_functions *", {"apply": self._apply})
        self.linop = made(lib.tulle_linop_create, "tulle_linop **", lib.tulle_linop_destroy, cpu().handle,
                          matrix.TYPES[dtype], *operator.shape, self._functions, ffi.NULL)


def linop_of(operator, dtype):
    """The library's operator for an operator or a matrix, and what must live as long."""
    if isinstance(operator, Operator) and operator.dtype == dtype:
        return operator._linop, operator
    operator = of_scipy(operator)
    if sp.issparse(operator):
        _check_real(operator)
        A = operator if isinstance(operator, csr_array) else csr_array(operator)
        A = A if A.dtype == dtype else A.astype(dtype)
        handle = A._handle()
        if handle is not None:
            handle = handle.here()
            return made(lib.tulle_linop_from_mat, "tulle_linop **", lib.tulle_linop_destroy, cpu().handle,
                        handle.mat), handle
    foreign = _Foreign(aslinearoperator(operator), dtype)
    return foreign.linop, foreign
