# SPDX-License-Identifier: Apache-2.0
"""csr_arrays around matrices that the library made."""
from __future__ import annotations

from . import _matrix as matrix
from ._arrays import csr_array
from ._library import lib


def csr_of(mat, own_indices=False):
    """A csr_array whose values are the matrix's own memory, and so are indices and offsets unless own_indices: then they
    are copies, for a matrix whose pattern others have, too, since SciPy's methods may edit them."""
    shape = lib.tulle_mat_rows(mat), lib.tulle_mat_cols(mat)
    arrays = matrix.arrays_of(mat)
    if own_indices:
        arrays = arrays[0], arrays[1].copy(), arrays[2].copy()
    result = csr_array(arrays, shape=shape, copy=False)
    if result.indices.dtype == arrays[1].dtype and result.indptr.dtype == arrays[2].dtype:
        result.data, result.indices, result.indptr = arrays  # SciPy has views of them
        result._tulle_handle = matrix.Handle(mat, 0, arrays, shape)
    return result
