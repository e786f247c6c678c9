# SPDX-License-Identifier: Apache-2.0
"""csr_array and csc_array: SciPy's sparse arrays, whose products, sums and conversions in f32 and f64 the library
computes. Everything else is SciPy's own."""
from __future__ import annotations

import contextlib
import functools
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _matrix as matrix
from ._context import cpu
from ._device import csr
from ._errors import TooLarge, check, made
from ._interrupts import interruptible
from ._library import ffi, lib

_ndarray = np.ndarray
_SHORT = 10_000  # entries of operands up to which a product takes a moment
_SHORT_PASSES = 500_000  # the same where each entry is looked at a few times, as in sums
_MOST_INT32 = np.iinfo(np.int32).max
_SPGEMM_SIZE, _ADD_SIZE = ffi.sizeof("tulle_spgemm_options"), ffi.sizeof("tulle_add_options")


class _Array:
    """The part that csr_array and csc_array share."""

    _tulle_handle = None
    _tulle_turned = None  # the array of which this one is the transpose, on the same arrays

    def __init__(self, arg1: Any, *arguments: Any, **options: Any) -> None:
        """As SciPy's class; arg1 may also be a tulle.csr around arrays of NumPy, whose arrays are borrowed."""
        if isinstance(arg1, csr):
            from ._sparse import of_scipy  # imported here, since that module needs this one
            arg1 = of_scipy(arg1)
        super().__init__(arg1, *arguments, **options)

    def _handle(self):
        """The library's matrix of these arrays; None where SciPy computes."""
        handle = self._tulle_handle
        return handle if handle is not None and handle.is_of(self) else self._new_handle()

    def _new_handle(self):
        self._tulle_handle = None
        turned = None if self._tulle_turned is None else self._tulle_turned._handle()
        if turned is not None and turned.is_of(self):
            self._tulle_handle = turned.turned()
        elif self.ndim == 2 and min(self.shape) > 0 and matrix.is_taken(self.data, self.indices, self.indptr):
            arrays = self.data, self.indices, self.indptr
            self._tulle_handle = matrix.borrowed(arrays, self.shape, self.format == "csc")
        return self._tulle_handle

    def changed(self) -> None:
        """Says that indices or offsets were edited in place, also for those of tulle's arrays that share the memory of
        the values, such as A.T. Methods of SciPy's that edit them say so themselves. Values may be edited in place
        without a word, unless `optimize` was called.

        >>> A = csr_array([[4.0, 0.0], [0.0, 3.0]])
        >>> A.indices[:] = A.indices[::-1].copy()
        >>> A.changed()
        >>> A @ np.array([1.0, 2.0])
        array([8., 3.])
        """
        self._tulle_handle = None
        edits = matrix.Edits.of(self.data)
        if edits is not None:
            edits.count += 1

    def values_changed(self) -> None:
        """Says that values were edited in place after `optimize`, which may have made copies of them, of this array or
        of one that shares their memory, such as A.T.

        >>> A = csr_array([[4.0, 1.0], [1.0, 3.0]])
        >>> _ = A.optimize(100_000)
        >>> A.data[:] *= 2
        >>> A.values_changed()
        >>> A @ np.array([1.0, 2.0])
        array([12., 14.])
        """
        edits = matrix.Edits.of(self.data)
        if edits is not None:
            edits.values_changed()

    def __getstate__(self):
        """A handle is of this process and of this object: copies make their own."""
        state = self.__dict__.copy()
        state.pop("_tulle_handle", None)
        state.pop("_tulle_turned", None)
        return state

    def __matmul__(self, other):
        if type(other) is _ndarray and other.ndim == 1:
            handle = self._tulle_handle
            if handle is None or not handle.is_of(self):
                handle = self._new_handle()
            if handle is not None and other.dtype is handle.dtype and other.shape[0] == handle.cols:
                return handle.product(other)
        return super().__matmul__(other)

    # Python asks the right operand first where it is of a subclass of the left one's class, as of S in S @ A.

    def __rmatmul__(self, other):
        return self.__class__(other) @ self if _is_scipy(other, self) else super().__rmatmul__(other)

    def __radd__(self, other):
        return self.__class__(other) + self if _is_scipy(other, self) else super().__radd__(other)

    def __rsub__(self, other):
        return self.__class__(other) - self if _is_scipy(other, self) else super().__rsub__(other)

    def _get_submatrix(self, major=None, minor=None, copy=False):
        """SciPy's hook behind slices. Whole rows, of CSC whole columns, follow each other in memory."""
        if self.ndim == 2 and _is_all(minor, self.shape[self.format == "csr"]) and isinstance(major, slice):
            lines = self.shape[self.format == "csc"]
            first, last, step = major.indices(lines)
            if step == 1 and 0 <= first < last and last - first < lines:
                return self._lines(first, last)
        return super()._get_submatrix(major, minor, copy)

    def _lines(self, first, last):
        """A copy of some rows, of CSC of columns."""
        begin, end = self.indptr[first], self.indptr[last]
        arrays = self.data[begin:end].copy(), self.indices[begin:end].copy(), self.indptr[first:last + 1] - begin
        shape = (last - first, self.shape[1]) if self.format == "csr" else (self.shape[0], last - first)
        return self.__class__(arrays, shape=shape, dtype=self.dtype, copy=False)

    def optimize(self, products: int = 1000) -> str:
        """Prepares so many products with vectors, where that pays, and returns what was chosen and why. The plan stays
        with the arrays: after values were edited in place, `values_changed` must be called.

        >>> A = csr_array(sp.eye(3, format="csr"))
        >>> _ = A.optimize(100_000)
        """
        handle = self._handle()
        if handle is None:
            return f"nothing: {self._why_scipy()}"
        with _stopping_at_interrupts([handle]):
            return matrix.optimized(cpu(), handle.op, handle.mat, products)

    def explain(self) -> str:
        """Says which kernel computes a product with a vector, and why; or why SciPy computes it.

        >>> csr_array(np.eye(2, dtype=int)).explain()
        'SciPy computes with these arrays: data is of int64, not of float32 or float64'
        """
        handle = self._handle()
        if handle is None:
            return self._why_scipy()
        return matrix.explained(cpu(), handle.op, handle.mat)

    def _why_scipy(self):
        if self.ndim != 2 or min(self.shape) == 0:
            return f"SciPy computes with these arrays: the shape is {self.shape}"
        return f"SciPy computes with these arrays: {matrix.why_not(self.data, self.indices, self.indptr)}"

    def spy(self, ax: Any = None, **options: Any) -> Any:
        """Draws where entries are, as tulle.plot.spy does, and returns the axes."""
        from . import plot  # pictures are loaded when one is wanted
        return plot.spy(self, ax, **options)

    def transpose(self, axes: Any = None, copy: bool = False) -> Any:
        """Returns the transposed array in the other format, without copy=True on the same arrays and plans.

        >>> csr_array([[4.0, 1.0], [0.0, 3.0]]).transpose().format
        'csc'
        """
        handle = self._tulle_handle
        if axes is None and not copy and handle is not None and handle.is_of(self):
            container = self._csc_container if self.format == "csr" else self._csr_container
            result = _around_arrays(container, (self.data, self.indices, self.indptr), self.shape[::-1])
        else:
            result = super().transpose(axes, copy)
        if not copy and self.ndim == 2:
            result.data, result.indices, result.indptr = self.data, self.indices, self.indptr  # SciPy has views of them
            result._tulle_turned = self
        return result

    def _turned(self, container):
        """This array in the other format, of its rows for its columns; None where SciPy converts."""
        handle = self._handle()
        if handle is None:
            return None
        with _stopping_at_interrupts([handle], _SHORT_PASSES):
            mat = made(lib.tulle_mat_transpose, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, handle.mat)
        return self._around(mat, self.shape, container)

    def _around(self, mat, shape, container):
        """An array around the library's matrix, in the indices that SciPy chooses."""
        arrays = matrix.arrays_of(mat)
        if arrays is None:
            return None
        data, indices, indptr = arrays
        if np.may_share_memory(indices, self.indices):  # a matrix with the pattern of its transpose
            indices, indptr = indices.copy(), indptr.copy()
        result = _around_arrays(container, (data, indices, indptr), shape)
        if result.indices.dtype == indices.dtype and result.data.size == data.size:
            result.data, result.indices, result.indptr = arrays = data, indices, indptr  # SciPy has views of them
            result._tulle_handle = matrix.Handle(mat, int(result.format == "csc"), arrays, shape)
        return result

    def _without_zeros(self, mat, shape):
        """An array around the library's product or sum, of which SciPy keeps no explicit zeros."""
        result = self._around(mat, shape, self.__class__)
        if result is None:
            return None
        if (result.data == 0).any():
            result.eliminate_zeros()
        result.has_canonical_format = True
        return result

    def _partner(self, other):
        """The handles of this array and of another sparse one, for a product or a sum that SciPy computes in their
        type; None where there are none. The library transposes the other one where that is in the other format."""
        if getattr(other, "ndim", 0) != 2 or self.ndim != 2 or other.dtype != self.dtype:
            return None
        other = other if isinstance(other, _Array) else self.__class__(other)
        handles = self._handle(), other._handle()
        return None if None in handles else handles

    @property
    def _csr_container(self):
        return csr_array

    @property
    def _csc_container(self):
        return csc_array


def _around_arrays(container, arrays, shape):
    """An array around data, indices and indptr that the library has made or checked. SciPy's constructor checks them
    again and chooses their index type, which of 32-bit numbers is their own: these get the attributes that it gives,
    in a fifth of its 15 us."""
    data, indices, indptr = arrays
    kept = _attributes(container)
    if kept is None or indices.dtype != np.int32 or indptr.dtype != np.int32 or max(shape) > _MOST_INT32:
        return container(arrays, shape=shape, copy=False)
    result = container.__new__(container)
    result.__dict__.update(kept)
    result._shape, result.data, result.indices, result.indptr = shape, data, indices, indptr
    return result


@functools.cache
def _attributes(container):
    """The attributes beside arrays and shape that SciPy's constructor gives an array; None where it gives others than
    those that are known, and of a user's class, which has a constructor of its own."""
    if container not in (csr_array, csc_array):
        return None
    kept = dict(container((1, 1)).__dict__)
    known = all(kept.pop(name, None) is not None for name in ("_shape", "data", "indices", "indptr"))
    return kept if known and kept.keys() <= {"maxprint"} else None


def _is_scipy(other, array):
    """True for SciPy's own array in the format of an array of tulle's."""
    return sp.issparse(other) and not isinstance(other, _Array) and other.format == array.format


def _is_all(chosen, length):
    """True for a slice, or None, that leaves nothing out."""
    return chosen is None or (isinstance(chosen, slice) and chosen.indices(length) == (0, length, 1))


def _index_of(handles):
    """The index type of a result of these operands, as SciPy chooses it unless the result has too many entries."""
    return max(matrix.INDICES[handle.indices.dtype] for handle in handles)


def _op_beside(handle, own):
    """The op of an operand's matrix in a result in the format of `own`, which has the transpose where that is CSC."""
    return lib.TULLE_N if handle.op == own.op else lib.TULLE_T


def _stopping_at_interrupts(handles, short=_SHORT):
    """A block that Ctrl-C stops where operands have so many entries that it may take long."""
    return interruptible() if sum(handle.nnz for handle in handles) > short else contextlib.nullcontext()


def _with_index(maker, kind, size, handles, short, *arguments):
    """Makes a matrix in the index type that SciPy would choose. Ctrl-C stops what may take long."""
    options = ffi.new(f"{kind} *", {"index_given": True, "index": _index_of(handles)})
    make = maker, "tulle_mat **", lib.tulle_mat_destroy, *arguments, options, size, ffi.NULL
    with _stopping_at_interrupts(handles, short):
        try:
            return made(*make)
        except TooLarge:
            options.index = lib.TULLE_I64
            return made(*make)


def _operand(self, other):
    """The handle, and a dense operand in its type, for a product that SciPy computes in that type; else None, None."""
    handle = self._handle()
    if handle is None or np.promote_types(self.dtype, other.dtype) != handle.dtype:
        return None, None
    return handle, np.asarray(other, dtype=handle.dtype)


def _product_with_vector(self, other):
    handle, x = _operand(self, other)
    if handle is None or x.ndim != 1:
        return None
    return handle.product(x)


def _product_with_matrix(self, other):
    handle, X = _operand(self, other)
    if handle is None or 0 in X.shape:
        return None
    return handle.multiply_block(X)


def _product_with_sparse(self, other):
    """A B; of matrices in CSC the library has the transposes, whose product is B' A'."""
    handles = self._partner(other)
    if handles is None:
        return None
    own = handles[0]
    first, second = handles if self.format == "csr" else handles[::-1]
    mat = _with_index(lib.tulle_spgemm_sized, "tulle_spgemm_options", _SPGEMM_SIZE, handles, _SHORT, cpu().handle,
                      _op_beside(first, own), _op_beside(second, own), matrix.ONE, first.mat, second.mat)
    if lib.tulle_mat_nnz(mat) == 0:
        return None  # SciPy has an index type of its own for a product without entries
    return self._without_zeros(mat, (self.shape[0], other.shape[1]))


def _sum(self, other, factor):
    handles = self._partner(other)
    if handles is None or self.shape != other.shape:
        return None
    first, second = handles
    mat = _with_index(lib.tulle_add_sized, "tulle_add_options", _ADD_SIZE, handles, _SHORT_PASSES, cpu().handle,
                      lib.TULLE_N, _op_beside(second, first), matrix.ONE, first.mat, factor, second.mat)
    return self._without_zeros(mat, self.shape)


def _plus(self, other):
    return _sum(self, other, matrix.ONE)


def _minus(self, other):
    return _sum(self, other, matrix.MINUS_ONE)


# SciPy's hooks behind @, + and -, under today's names and those up to SciPy 1.10.
_HOOKS = ((("_matmul_vector", "_mul_vector"), _product_with_vector),
          (("_matmul_multivector", "_mul_multivector"), _product_with_matrix),
          (("_matmul_sparse", "_mul_sparse_matrix"), _product_with_sparse),
          (("_add_sparse",), _plus), (("_sub_sparse",), _minus))
# SciPy's methods that edit arrays in place.
_EDITS = ("sort_indices", "sum_duplicates", "eliminate_zeros", "resize", "setdiag", "__setitem__")


def _over(theirs, ours):
    """A hook that computes by the library, and by SciPy where that declines."""
    def hook(self, other):
        result = ours(self, other)
        return theirs(self, other) if result is None else result
    return hook


def _editing(theirs):
    def method(self, *arguments, **options):
        self.changed()  # SciPy's method may leave these arrays edited and have others afterwards
        return theirs(self, *arguments, **options)
    method.__name__, method.__doc__ = theirs.__name__, theirs.__doc__
    return method


def _scaling(theirs):
    """A method that changes values in place, of which plans may have copies."""
    def method(self, *arguments):
        result = theirs(self, *arguments)
        if result is self:
            self.values_changed()
        return result
    method.__name__, method.__doc__ = theirs.__name__, theirs.__doc__
    return method


def _methods(base):
    hooks = {name: _over(getattr(base, name), ours) for names, ours in _HOOKS for name in names if hasattr(base, name)}
    scalings = {name: _scaling(getattr(base, name)) for name in ("__imul__", "__itruediv__")}
    return {**hooks, **scalings, **{name: _editing(getattr(base, name)) for name in _EDITS}}


class csr_array(_Array, type("_csr", (sp.csr_array,), _methods(sp.csr_array))):  # type: ignore[misc]
    """SciPy's csr_array, whose products, sums and conversions in f32 and f64 the library computes.

    >>> A = csr_array([[4.0, 1.0], [1.0, 3.0]])
    >>> A @ np.array([1.0, 2.0])
    array([6., 7.])
    """

    def tocsc(self, copy: bool = False) -> Any:
        """Converts to a csc_array; the arrays are new ones.

        >>> csr_array([[4.0, 1.0], [1.0, 3.0]]).tocsc().format
        'csc'
        """
        result = self._turned(csc_array)
        return super().tocsc(copy) if result is None else result


class csc_array(_Array, type("_csc", (sp.csc_array,), _methods(sp.csc_array))):  # type: ignore[misc]
    """SciPy's csc_array, as csr_array is SciPy's.

    >>> csr_array([[4.0, 1.0], [0.0, 3.0]]).T @ np.array([1.0, 2.0])
    array([4., 7.])
    """

    def tocsr(self, copy: bool = False) -> Any:
        """Converts to a csr_array; the arrays are new ones.

        >>> csc_array([[4.0, 1.0], [1.0, 3.0]]).tocsr().format
        'csr'
        """
        result = self._turned(csr_array)
        return super().tocsr(copy) if result is None else result
