# SPDX-License-Identifier: Apache-2.0
"""Sparse matrices of any kind as operands of the library, and csr_arrays around matrices that the library made."""
from __future__ import annotations

import numpy as np
import scipy.sparse as sp

from . import _matrix as matrix
from ._arrays import csc_array, csr_array
from ._device import csr
from ._errors import InvalidArgument
from ._kinds import NUMPY
from ._library import lib


def is_on_device(A):
    """True for a tulle.csr around arrays of PyTorch or CuPy, on a GPU or in the memory of a CPU."""
    return isinstance(A, csr) and A._core.kind is not NUMPY


def of_scipy(A):
    """Returns A, or for a tulle.csr around NumPy's arrays a csr_array, transposed a csc_array, around the same ones."""
    if not isinstance(A, csr):
        return A
    kind, arrays = A._core.kind, (A.data, A.indices, A.indptr)
    if kind is not NUMPY:
        raise InvalidArgument(f"the tulle.csr has arrays of {kind.name}: here matrices of SciPy, and tulle.csr around "
                              f"arrays of NumPy, are taken")
    result = (csc_array if A.format == "csc" else csr_array)(arrays, shape=A.shape, copy=False)
    result.data, result.indices, result.indptr = arrays  # SciPy has views of them
    return result


def with_entries(A):
    """Returns A as of_scipy does, where it is a matrix whose entries can be read."""
    A = of_scipy(A)
    if sp.issparse(A):
        return A
    about = f"A is {'None' if A is None else type(A).__name__}"
    if hasattr(A, "matvec"):
        raise InvalidArgument(f"{about}, an operator, whose entries cannot be read: a matrix is wanted here; tulle.cg, "
                              f"bicgstab and gmres take operators")
    if np.ndim(A) != 2:
        raise InvalidArgument(f"{about}, and has {np.ndim(A)} axes: a sparse matrix, or an array of two axes, is "
                              f"wanted")
    return A


def real_type(*dtypes):
    """Returns the type in which real numbers of these types are computed with: f32 where all are f32, else f64."""
    for dtype in dtypes:
        if dtype.kind not in "fiub" or dtype.itemsize > 8:
            raise InvalidArgument(f"float32 and float64 are computed with, and integers as float64, not {dtype}")
    return np.dtype(np.float32 if all(dtype == np.float32 for dtype in dtypes) else np.float64)


def taken(A, dtype=None):
    """Returns A as a csr_array, or of CSC a csc_array, of f32 or f64 with arrays that the library takes, and its
    handle, which is None of an array without rows or columns."""
    A = with_entries(A)
    if not isinstance(A, (csr_array, csc_array)):
        A = csc_array(A) if sp.issparse(A) and A.format == "csc" else csr_array(A)
    if A.ndim != 2:
        raise InvalidArgument(f"the array has {A.ndim} axes: a matrix has two")
    own = real_type(A.dtype)  # fails of complex numbers, whatever type is wanted
    dtype = own if dtype is None else dtype
    if A.dtype != dtype:
        A = A.astype(dtype)
    handle = A._handle()
    if handle is None and min(A.shape) > 0:  # arrays that the library does not take as they are
        index = np.promote_types(A.indices.dtype, A.indptr.dtype)
        arrays = np.array(A.data, dtype=dtype), np.array(A.indices, index), np.array(A.indptr, index)
        A = type(A)(arrays, shape=A.shape)
        A.data, A.indices, A.indptr = arrays
        handle = A._handle()
    return A, handle


def csr_of(mat, own_indices=False):
    """Makes a csr_array whose values are the matrix's own memory. With own_indices its indices and offsets are copies,
    for a matrix whose pattern others have, too, since SciPy's methods may edit them; else they are the matrix's."""
    shape = lib.tulle_mat_rows(mat), lib.tulle_mat_cols(mat)
    arrays = matrix.arrays_of(mat)
    if own_indices:
        arrays = arrays[0], arrays[1].copy(), arrays[2].copy()
    result = csr_array(arrays, shape=shape, copy=False)
    if result.indices.dtype == arrays[1].dtype and result.indptr.dtype == arrays[2].dtype:
        result.data, result.indices, result.indptr = arrays  # SciPy has views of them
        result._tulle_handle = matrix.Handle(mat, 0, arrays, shape)
    return result
