# SPDX-License-Identifier: Apache-2.0
"""tulle.csr: a matrix in CSR around arrays of PyTorch, CuPy or NumPy, which computes where the arrays are."""
from __future__ import annotations

import contextlib
from typing import Any

from . import _matrix as matrix
from ._device_core import INDEX, Core, around
from ._errors import InvalidArgument, TooLarge, Unsupported, check
from ._interrupts import interruptible
from ._kinds import NUMPY, kind_of, taken
from ._library import ffi, lib

_SHORT = 100_000  # entries of operands up to which a sparse product takes a moment, and Ctrl-C waits for it
_SPGEMM_SIZE = ffi.sizeof("tulle_spgemm_options")


def _checked(arrays, shape):
    """The arrays (data, indices, indptr) with their kind, where the library can borrow them."""
    arrays, kinds = zip(*(taken(array) for array in arrays))
    kind = kinds[0]
    if kinds.count(kind) != 3:
        raise InvalidArgument(f"data, indices and indptr are of {', '.join(one.name for one in kinds)}: arrays of one "
                              f"library are wanted")
    devices = {kind.device(array) for array in arrays}
    if len(devices) > 1:
        raise InvalidArgument("data, indices and indptr live in the memory of different devices")
    for name, array in zip(("data", "indices", "indptr"), arrays):
        if array.ndim != 1 or not kind.is_plain(array):
            raise InvalidArgument(f"{name} is no vector whose numbers follow each other in memory: nothing is copied")
    data, indices, indptr = arrays
    if data.dtype not in kind.floats:
        raise InvalidArgument(f"data is of {data.dtype}: float32 and float64 are computed with")
    sizes = kind.indices.get(indptr.dtype), kind.indices.get(indices.dtype)
    if sizes not in INDEX:
        raise InvalidArgument(f"indptr is of {indptr.dtype} and indices are of {indices.dtype}: int32 or int64 is "
                              f"wanted for both, or int64 for indptr alone")
    if indptr.shape[0] != shape[0] + 1 or indices.shape != data.shape:
        raise InvalidArgument(f"a matrix of {shape[0]} rows has {shape[0] + 1} offsets, and as many indices as data: "
                              f"here are {indptr.shape[0]}, {indices.shape[0]} and {data.shape[0]}")
    return arrays, kind


def _without_room(data, indices, indptr):
    """The arrays of a matrix in CSR, of which SciPy's may have room behind the entries: views without it."""
    if kind_of(indptr) is NUMPY and data.shape[0] != indptr[-1]:
        data, indices = data[:indptr[-1]], indices[:indptr[-1]]
    return data, indices, indptr


def _parts(A):
    """data, indices, indptr and the shape of a sparse matrix in CSR of PyTorch, CuPy or SciPy."""
    kind = kind_of(A)
    if kind is not None and kind.is_sparse_csr(A):
        return (A.values(), A.col_indices(), A.crow_indices()), tuple(A.shape)
    if getattr(A, "format", None) == "csr":
        return _without_room(A.data, A.indices, A.indptr), A.shape
    raise InvalidArgument(f"{type(A).__name__} is no matrix in CSR: arrays (data, indices, indptr), a tensor of the "
                          f"layout torch.sparse_csr, or a csr_matrix of CuPy or SciPy is wanted")


def _remade(arrays, shape, op):
    """A copy or an unpickled matrix."""
    A = csr(arrays, shape)
    return A.T if op else A


class csr:
    """A matrix in CSR around arrays of PyTorch, CuPy or NumPy. It computes on the device where the arrays are, and
    there in the caller's current stream; results are arrays of the operand's library.

    A: arrays (data, indices, indptr), with `shape`; or a tensor of the layout torch.sparse_csr, a csr_matrix of CuPy,
    or a csr_matrix or csr_array of SciPy. data: nnz numbers in float32 or float64; indices: nnz columns, in any order,
    repeated ones add up; indptr: shape[0] + 1 offsets; both int32 or int64. Arrays of other libraries are seen by CuPy,
    PyTorch or NumPy through `__cuda_array_interface__` or DLPack, and results are then arrays of these.

    The arrays are borrowed, never copied, and live as long as the matrix. Room behind the entries of SciPy's arrays is
    left out: `data` and `indices` are views then. Making a matrix waits for the device, since indices are checked.

    Values may be edited in place, and count in the next product, unless the library has copied them, as `optimize` may
    do and `with_values` does: then only edits that PyTorch counts are noticed, and after others `values_changed` must
    be called, after all edits of arrays of NumPy and CuPy. indices and indptr must stay as they are.

    Gradients of PyTorch flow through `A @ x`, `A @ X` and `tulle.solve`, to data too.

    >>> import numpy as np
    >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
    >>> A @ np.array([1.0, 2.0])
    array([6., 6.])
    >>> A.T @ np.array([1.0, 2.0])
    array([4., 7.])
    >>> A
    <tulle.csr of 2 rows, 2 columns and 3 entries of float64, arrays of NumPy on the CPU>
    """

    __slots__ = ("_core", "_op", "__weakref__")
    __array_ufunc__ = None  # x @ A of NumPy and CuPy comes to __rmatmul__
    ndim = 2

    def __init__(self, A: Any, shape: tuple[int, int] | None = None) -> None:
        if isinstance(A, csr) and shape in (None, A.shape):
            self._core, self._op = A._core, A._op
            return
        if isinstance(A, tuple) and len(A) == 3:
            if shape is None:
                raise InvalidArgument("shape is not given: (rows, columns) is wanted beside data, indices and indptr")
            arrays = A
        else:
            arrays, own = _parts(A)
            if shape is not None and tuple(shape) != tuple(own):
                raise InvalidArgument(f"shape is {tuple(shape)}, and the matrix is {tuple(own)}")
            shape = own
        shape = tuple(int(n) for n in shape)
        if len(shape) != 2 or min(shape) < 0:
            raise InvalidArgument(f"shape is {shape}: (rows, columns) is wanted")
        arrays, kind = _checked(arrays, shape)
        self._core, self._op = Core(arrays, shape, kind, kind.context(kind.device(arrays[0]))), lib.TULLE_N

    @classmethod
    def _of(cls, core, op=lib.TULLE_N):
        self = cls.__new__(cls)
        self._core, self._op = core, op
        return self

    @property
    def data(self) -> Any:
        """The values: the array that was handed over.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.data
        array([4., 1., 3.])
        """
        return self._core.data

    @property
    def indices(self) -> Any:
        """The column of each entry; in a transposed matrix the row.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.indices
        array([0, 1, 1])
        """
        return self._core.indices

    @property
    def indptr(self) -> Any:
        """The offsets of the rows; in a transposed matrix those of the columns.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.indptr
        array([0, 2, 3])
        """
        return self._core.indptr

    @property
    def shape(self) -> tuple[int, int]:
        """Rows and columns.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.shape
        (2, 2)
        """
        rows, cols = self._core.shape
        return (cols, rows) if self._op else (rows, cols)

    @property
    def format(self) -> str:
        """"csr"; "csc" of a transposed matrix, whose arrays go by columns.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.format, A.T.format
        ('csr', 'csc')
        """
        return "csc" if self._op else "csr"

    @property
    def dtype(self) -> Any:
        """The type of the values, as their library has it.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.dtype
        dtype('float64')
        """
        return self._core.dtype

    @property
    def nnz(self) -> int:
        """The number of stored entries.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.nnz
        3
        """
        return self._core.data.shape[0]

    @property
    def T(self) -> csr:
        """The transposed matrix, on the same arrays: nothing is computed or copied. On a GPU its products may add in
        any order, so that their last bits may differ from run to run, unless `A.T.optimize()` was called.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> A.T @ np.array([1.0, 2.0])
        array([4., 7.])
        """
        return csr._of(self._core, 1 - self._op)

    def with_values(self, data: Any) -> csr:
        """The matrix of the same pattern with other values: an array of nnz numbers of the same library, type and
        device.

        The pattern is shared, with all plans of `optimize`, and not checked again. The library copies the values, and
        the call waits for that; after data of NumPy or CuPy was edited `values_changed` must be called.
        A.T.with_values takes values in the order of A's.

        >>> import numpy as np
        >>> A = csr((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
        >>> A.with_values(np.array([3.0, 5.0])) @ np.ones(2)
        array([3., 5.])
        """
        core = self._core
        data, kind = taken(data)
        like = kind is core.kind and data.dtype == core.dtype and tuple(data.shape) == (self.nnz,)
        if not like or not kind.is_plain(data):
            raise InvalidArgument(f"values are {self.nnz} numbers of {core.dtype} in an array of {core.kind.name}, one "
                                  f"after another in memory")
        self._check_device(kind, data, "data")
        return csr._of(core.with_values(data, kind.context(core.device)), self._op)

    def values_changed(self) -> None:
        """Says that values were edited in place after `optimize`, which may have made copies of them, or in the array
        of `with_values`. Edits that PyTorch counts are noticed without it. It does not count edits of `t.data`, of
        arrays that share a tensor's memory, as `t.numpy()`, of replayed CUDA graphs, and of tensors of
        torch.inference_mode(). Copies values where the library has copies of them; does not wait on a GPU.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> _ = A.optimize(100_000)
        >>> A.data[:] *= 2
        >>> A.values_changed()
        >>> A @ np.array([1.0, 2.0])
        array([12., 12.])
        """
        core = self._core
        core.values_changed(core.kind.context(core.device))

    def optimize(self, products: int = 1000, vectors: int = 1) -> str:
        """Prepares so many products with vectors, or with matrices of so many columns in row-major order, where that
        pays, and returns what was chosen and why. The plan serves all matrices of this pattern (`with_values`), in
        every stream; that of A.T is another one. May copy the matrix into another format; waits for the device.

        >>> import numpy as np
        >>> A = csr((np.ones(2), np.array([0, 1]), np.array([0, 1, 2])), shape=(2, 2))
        >>> _ = A.optimize(100_000)
        """
        core = self._core
        context = core.kind.context(core.device)
        with interruptible(context):
            return matrix.optimized(context, self._op, core.now(context), products, vectors)

    def explain(self) -> str:
        """Says which kernel computes a product with a vector, and why. Copies nothing; does not wait.

        >>> import numpy as np
        >>> A = csr((np.array([4.0, 1.0, 3.0]), np.array([0, 1, 1]), np.array([0, 2, 3])), shape=(2, 2))
        >>> len(A.explain()) > 0
        True
        """
        core = self._core
        context = core.kind.context(core.device)
        return matrix.explained(context, self._op, core.now(context))

    def spy(self, ax: Any = None, **options: Any) -> Any:
        """Draws where entries are, as tulle.plot.spy does, of arrays of NumPy, and returns the axes."""
        from . import plot  # pictures are loaded when one is wanted
        return plot.spy(self, ax, **options)

    def _check_device(self, kind, array, name):
        core = self._core
        device = kind.device(array)
        if device != core.device:
            raise InvalidArgument(f"{name} is in the memory of {kind.place(device)}, and A in that of "
                                  f"{kind.place(core.device)}")

    def _check_operand(self, kind, x):
        core = self._core
        if kind.floats.get(x.dtype) != core.type:
            raise InvalidArgument(f"x is of {x.dtype}, and A of {core.dtype}: operands are not converted")
        if x.ndim not in (1, 2) or x.shape[0] != core.shape[1 - self._op]:
            raise InvalidArgument(f"x has the shape {tuple(x.shape)}, and A {self.shape}")
        if kind.device(x) != core.device:
            self._check_device(kind, x, "x")

    def __matmul__(self, other: Any) -> Any:
        """A @ x, A @ X or A @ B.

        x: a vector of shape[1] numbers; X: a matrix of so many rows, in row-major or column-major order, also a slice.
        Both are of A's type and on A's device. The result is an array of the operand's library, made by that library,
        and X's order is the result's. Nothing is copied, unless neither rows nor columns of the operand follow each
        other. On a GPU the work is queued in the current stream of the operand's library, and the call does not wait.

        B: a sparse matrix, of which `csr` makes one where it is none, also around the arrays of one in CSC. The result
        is a `csr` in the library's memory, which its arrays `data`, `indices` and `indptr` see without a copy and keep.
        The call waits for the size of the result.
        """
        kind = kind_of(other)
        if kind is None or not kind.is_dense(other):
            return self._times(other)
        self._check_operand(kind, other)
        core = self._core
        if kind.tracks(other) or core.kind.tracks(core.data):
            from . import _torch
            return _torch.product(core, self._op, other, kind)
        return core.product(self._op, other, kind)

    def __rmatmul__(self, other: Any) -> Any:
        """x @ A, which is A.T @ x; for a matrix X, (A.T @ X.T).T; for a sparse one the product as a `csr`."""
        if hasattr(other, "format"):
            return _sparse_operand(other) @ self
        other, kind = taken(other)
        return (self.T @ other) if other.ndim == 1 else (self.T @ other.T).T

    def _times(self, other):
        """A @ other, a sparse matrix, or an array of a library that this module does not know."""
        if isinstance(other, csr):
            return self._times_sparse(other)
        if hasattr(other, "format") or kind_of(other) is not None:
            return self._times_sparse(_sparse_operand(other))
        return self @ taken(other)[0]

    def _times_sparse(self, other):
        first, second, kind = self._core, other._core, self._core.kind
        if first.kind is not second.kind or first.dtype != second.dtype:
            raise InvalidArgument(f"B has arrays of {second.dtype} of {second.kind.name}, and A of {first.dtype} of "
                                  f"{first.kind.name}")
        if self.shape[1] != other.shape[0]:
            raise InvalidArgument(f"A has the shape {self.shape}, and B {other.shape}")
        self._check_device(kind, second.data, "B")
        _check_no_gradient(first, second)
        context = kind.context(first.device)
        mat = _spgemm(context, (self._op, first.now(context)), (other._op, second.now(context)))
        return csr._of(around(mat, kind, context, first.device))

    def __repr__(self) -> str:
        core, (rows, cols) = self._core, self.shape
        dtype = str(core.dtype).split(".")[-1]
        return (f"<tulle.csr of {rows} rows, {cols} columns and {self.nnz} entries of {dtype}, arrays of "
                f"{core.kind.name} on {core.kind.place(core.device)}>")

    def __reduce__(self):
        return _remade, ((self.data, self.indices, self.indptr), self._core.shape, self._op)


def _sparse_operand(B):
    """B as a csr around its arrays, of CSC a transposed one."""
    return csr(B.T).T if getattr(B, "format", None) == "csc" else csr(B)


def _check_no_gradient(*cores):
    """Fails where a product of sparse matrices would lose a gradient."""
    for core in cores:
        if core.kind.tracks(core.data):
            raise Unsupported("gradients do not flow through a product of two sparse matrices: detach their values, or "
                              "use torch.no_grad()")


def _spgemm(context, first, second):
    """The library's product of two matrices, in the wider of their index types if that can hold it."""
    infos = [ffi.new("tulle_mat_info *") for _ in range(2)]
    for info, (_, mat) in zip(infos, (first, second)):
        check(lib.tulle_mat_describe(mat, info))
    options = ffi.new("tulle_spgemm_options *", {"index_given": True, "index": max(info.index for info in infos)})
    out = ffi.new("tulle_mat **")
    arguments = (context.handle, first[0], second[0], matrix.ONE, first[1], second[1], options, _SPGEMM_SIZE, ffi.NULL,
                 out)
    with interruptible(context) if sum(info.nnz for info in infos) > _SHORT else contextlib.nullcontext():
        try:
            check(lib.tulle_spgemm_sized(*arguments))
        except TooLarge:
            options.index = lib.TULLE_I64
            check(lib.tulle_spgemm_sized(*arguments))
    return out[0]
