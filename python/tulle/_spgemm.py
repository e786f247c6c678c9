# SPDX-License-Identifier: Apache-2.0
"""Products of sparse matrices: masked ones, and ones whose values are computed again and again."""
from __future__ import annotations

import threading
from typing import Any

import numpy as np

from . import _matrix as matrix
from ._arrays import csr_array
from ._context import OfProcess, cpu
from ._errors import InvalidArgument, TooLarge, check, made
from ._interrupts import interruptible
from ._library import ffi, lib
from ._sparse import csr_of, of_scipy, real_type, taken

_SIZE = ffi.sizeof("tulle_spgemm_options")


def _operands(A, B):
    """Returns A and B in one type, with their handles."""
    A, B = of_scipy(A), of_scipy(B)
    dtype = real_type(*(getattr(X, "dtype", None) or np.asarray(X).dtype for X in (A, B)))
    (A, first), (B, second) = taken(A, dtype), taken(B, dtype)
    if A.shape[1] != B.shape[0]:
        raise InvalidArgument(f"A has the shape {A.shape}, and B {B.shape}: A is to have as many columns as B has rows")
    return A, first, B, second


def _mask_of(mask, shape):
    """Returns a mask, of which the values do not count, as an operand, and its handle."""
    mask = csr_array(of_scipy(mask))
    if mask.shape != shape:
        raise InvalidArgument(f"mask has the shape {mask.shape}: the product's is {shape}")
    if mask.dtype not in matrix.TYPES:
        mask = csr_array((np.ones(mask.indices.size, np.float32), mask.indices, mask.indptr), shape=shape)
    return taken(mask)


def _product(first, second, mask=None):
    """Makes the library's product of two handles, with indices of 32 bits where they have these and it fits."""
    index = max(matrix.INDICES[handle.indices.dtype] for handle in (first, second))
    options = ffi.new("tulle_spgemm_options *", {"index_given": True, "index": index})
    options.mask = ffi.NULL if mask is None else mask.mat
    make = (lib.tulle_spgemm_sized, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, first.op, second.op,
            matrix.ONE, first.mat, second.mat, options, _SIZE, ffi.NULL)
    with interruptible():
        try:
            return made(*make)
        except TooLarge:
            options.index = lib.TULLE_I64
            return made(*make)


def spgemm(A: Any, B: Any, mask: Any = None) -> csr_array:
    """Computes the product A B of sparse matrices, or with a mask only its entries where the mask has one.

    Operands in CSR and CSC are borrowed, others converted. The result has an entry wherever a product meets, also where
    the sum is zero. The values of a mask do not count. Memory follows the entries of the mask: so triangles of a graph
    are counted.

    >>> graph = csr_array(np.ones((5, 5)) - np.eye(5))
    >>> L = csr_array(np.tril(graph.toarray()))
    >>> float(spgemm(L, L, mask=L).sum())
    10.0
    """
    A, first, B, second = _operands(A, B)
    shape = A.shape[0], B.shape[1]
    limits, kept = (None, None) if mask is None else _mask_of(mask, shape)
    if first is None or second is None or (limits is not None and kept is None):
        return csr_array(shape, dtype=A.dtype)
    return csr_of(_product(first, second, kept))


class _Operand:
    """A matrix of its own on the pattern of an operand, which gets the operand's new values."""

    def __init__(self, A, handle):
        self._format, self._shape, self._op = A.format, A.shape, handle.op
        self.mat = made(lib.tulle_mat_copy, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, handle.mat,
                        matrix.TYPES[A.dtype])
        self._dtype = A.dtype
        _, self._indices, self._indptr = matrix.arrays_of(self.mat)

    def set(self, A, name):
        A = of_scipy(A)
        A, handle = taken(A.asformat(self._format) if hasattr(A, "asformat") else A, self._dtype)
        nnz = len(self._indices)
        if A.shape != self._shape or not (np.array_equal(A.indptr, self._indptr) and
                                          np.array_equal(A.indices[:nnz], self._indices)):
            raise InvalidArgument(f"{name} has another pattern than the one that the product was made of: make it anew")
        return lambda: check(lib.tulle_mat_set_values(cpu().handle, self.mat, nnz, ffi.from_buffer(A.data)))


class Product(OfProcess):
    """The product C = A B of sparse matrices whose values change and whose patterns stay: C's pattern is found once,
    and `update` computes new values on it.

    C is a csr_array around the product's own memory: an update changes its values. Its pattern is for reading; a copy
    is a matrix of its own. The product keeps copies of A and B.

    >>> A = csr_array([[1.0, 2.0], [0.0, 3.0]])
    >>> P = Product(A, A)
    >>> P.C.toarray()
    array([[1., 8.],
           [0., 9.]])
    >>> P.update(2 * A, A).toarray()
    array([[ 2., 16.],
           [ 0., 18.]])
    """

    def __init__(self, A: Any, B: Any):
        A, first, B, second = _operands(A, B)
        if first is None or second is None:
            raise InvalidArgument(f"A has the shape {A.shape}, and B {B.shape}: matrices with rows and columns are "
                                  f"wanted")
        self._lock = threading.RLock()
        self._ops = first.op, second.op
        self._mat = _product(first, second)
        self._A, self._B = _Operand(A, first), _Operand(B, second)
        self.C = csr_of(self._mat)
        self.C.indices.flags.writeable = self.C.indptr.flags.writeable = False

    def update(self, A: Any, B: Any) -> csr_array:
        """Computes C of other values of A and B, on the patterns that the product was made of; returns C.

        >>> A = csr_array([[1.0, 2.0], [0.0, 3.0]])
        >>> Product(A, A).update(A, 2 * A).toarray()
        array([[ 2., 16.],
               [ 0., 18.]])
        """
        with self._lock:
            for put in (self._A.set(A, "A"), self._B.set(B, "B")):
                put()
            with interruptible():
                check(lib.tulle_spgemm_update(cpu().handle, *self._ops, matrix.ONE, self._A.mat, self._B.mat,
                                              self._mat))
        return self.C

    def __repr__(self) -> str:
        return f"<tulle product: {self.C.shape[0]} by {self.C.shape[1]}, {self.C.nnz} entries of {self.C.dtype}>"
