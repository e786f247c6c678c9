# SPDX-License-Identifier: Apache-2.0
"""tulle.csr: a matrix in CSR around arrays of PyTorch, CuPy or NumPy, which computes where the arrays are."""
from __future__ import annotations

import contextlib
import functools
import threading
import weakref
from typing import Any

from . import _matrix as matrix
from ._errors import InvalidArgument, TooLarge, Unsupported, check, made
from ._interrupts import interruptible
from ._kinds import HOST, NUMPY, kind_of, taken
from ._library import ffi, lib

_INDEX = {(4, 4): lib.TULLE_I32, (8, 4): lib.TULLE_I64_I32, (8, 8): lib.TULLE_I64}
_MOST_SHAPES = 16
_SHORT = 100_000  # entries of operands up to which a sparse product takes a moment, and Ctrl-C waits for it
_SPGEMM_SIZE = ffi.sizeof("tulle_spgemm_options")
_ROWS, _COLUMNS = lib.TULLE_ROW_MAJOR, lib.TULLE_COLUMN_MAJOR
_point, _spmv, _spmm, _cast = lib.tulle_vec_point, lib.tulle_spmv, lib.tulle_spmm, ffi.cast


def address(number):
    return _cast("void *", number)


class _Contexts:
    """The contexts that have computed with a matrix, which go with their threads: a matrix keeps none of them. One that
    is gone has waited for its work."""

    def __init__(self):
        self._known, self._lock = {}, threading.Lock()  # weak references by the address of the object

    def add(self, context):
        with self._lock:
            for key, known in list(self._known.items()):
                if known() is None:
                    del self._known[key]
            self._known[id(context)] = weakref.ref(context)

    def __contains__(self, context):
        known = self._known.get(id(context))
        return known is not None and known() is context

    def __iter__(self):
        found = [known() for known in list(self._known.values())]
        return iter([context for context in found if context is not None])

    def __len__(self):
        return sum(1 for _ in self)


def _give_up(contexts, _aliases, mat):
    """Destroys a matrix of the library, and lets go the arrays that it borrows. Work of other contexts than its own may
    still read it: that work is waited for. Its own context gives the memory to later work alone."""
    own, living = lib.tulle_mat_context(mat), list(contexts)
    if any(context.handle != own for context in living):
        for context in living:
            lib.tulle_ctx_synchronize(context.handle)
    lib.tulle_mat_destroy(mat)


def _borrowed(context, arrays, shape, kind):
    """A matrix of the library around these arrays (data, indices, indptr); the caller destroys it."""
    data, indices, indptr = arrays
    out = ffi.new("tulle_mat **")
    index = _INDEX[kind.indices[indptr.dtype], kind.indices[indices.dtype]]
    offsets, columns, values = (address(kind.pointer(array)) for array in (indptr, indices, data))
    check(lib.tulle_mat_create_csr_sized(context.handle, *shape, data.shape[0], index, offsets, columns,
                                         kind.floats[data.dtype], values, matrix._borrow, matrix._BORROW_SIZE, out))
    return out[0]


class Core:
    """A matrix of the library, the arrays that it borrows, and what its products need again. `csr` objects that are
    each other's transpose share one."""

    def __init__(self, arrays, shape, kind, context, mat=None, contexts=None):
        self.data, self.indices, self.indptr = arrays
        self._held = matrix.held(arrays) if kind is NUMPY else ()
        self.shape, self.kind, self.device = shape, kind, kind.device(self.data)
        self.dtype, self.type = self.data.dtype, kind.floats[self.data.dtype]
        self.copied = False  # true: the library has a copy of data, for a pattern that others share
        self.origin = None  # the core that borrows the arrays of a pattern which it shares with this one
        self.pairs = {}
        self.rows_of_entries = None  # kept by the core of `origin` for all that share its pattern
        self.contexts = _Contexts() if contexts is None else contexts  # shared by cores of one pattern
        self.contexts.add(context)
        self.home = context  # lives as long as the matrix that was made in it
        self._lock = threading.Lock()  # held where the library's copies of values are made anew
        self._hold(context, mat)

    def _hold(self, context, mat=None):
        """Keeps a matrix around the arrays as they are now. Aliases of them keep their memory alive if a tensor gets
        other memory, even if another thread does that just now."""
        kind, edits = self.kind, self.kind.edits(self.data)
        aliases = [kind.alias(array) for array in (self.data, self.indices, self.indptr)]
        mat = _borrowed(context, aliases, self.shape, kind) if mat is None else mat
        self.mat = ffi.gc(mat, functools.partial(_give_up, self.contexts, aliases))
        self._pointer, self._edits = kind.pointer(aliases[0]), edits

    def _is_edited(self):
        return self.kind.pointer(self.data) != self._pointer or self.kind.edits(self.data) != self._edits

    def mat_in(self, context):
        """The library's matrix, with the values that data has now, as one of this context."""
        mat = self.now(context)
        if lib.tulle_mat_context(mat) == context.handle:
            return mat
        arrays = [self.kind.alias(array) for array in (self.data, self.indices, self.indptr)]
        mat = _borrowed(context, arrays, self.shape, self.kind)
        return ffi.gc(mat, functools.partial(_give_up, (context,), arrays))

    def now(self, context):
        """The library's matrix, with the values that data has now, for work of this context."""
        if self._is_edited():
            with self._lock:
                if self._is_edited():  # no other thread has seen to it meanwhile
                    self._renew(context)
        if context is not self.home and context not in self.contexts:
            self._join(context)
        return self.mat

    def _join(self, context):
        """Lets another context compute with the matrix: copies of values that others have queued are waited for."""
        for other in self.contexts:
            other.synchronize()
        self.contexts.add(context)

    def _renew(self, context):
        """Follows a tensor that was edited, or that has other memory."""
        if not self.copied and self.kind.pointer(self.data) != self._pointer:
            self._hold(context)
        else:
            self.values_changed(context)

    def values_changed(self, context):
        """Brings what the library has copied of the values up to date."""
        kind, edits = self.kind, self.kind.edits(self.data)
        data = kind.alias(self.data)
        self._copy_values(context, address(kind.pointer(data)))
        self._pointer, self._edits = kind.pointer(data), edits

    def _copy_values(self, context, values):
        if self.copied:
            check(lib.tulle_mat_set_values(context.handle, self.mat, self.data.shape[0], values))
        else:
            check(lib.tulle_mat_values_changed(context.handle, self.mat))
        if len(self.contexts) > 1:  # the others read the library's copies, too
            context.synchronize()

    def with_values(self, data, context):
        """The core of the same pattern with other values, which the library copies."""
        kind, out = self.kind, ffi.new("tulle_mat **")
        check(lib.tulle_mat_with_values(context.handle, self.now(context), self.type, data.shape[0],
                                        address(kind.pointer(data)), out))
        core = Core((data, self.indices, self.indptr), self.shape, kind, context, out[0], self.contexts)
        core.copied = True
        core.origin = self.origin or self
        return core

    def wrap(self, context, shape, layout, ld, pointer):
        """A multivector of the library around an array of A's type in A's memory."""
        return made(lib.tulle_vec_wrap, "tulle_vec **", lib.tulle_vec_destroy, context.handle, self.type, *shape,
                    layout, ld, address(pointer))

    def _pair(self, context, op, cols, layout, lds, x, y):
        """Multivectors for an operand and a result with these leading dimensions and pointers. A pair serves one call
        at a time."""
        kept = self.pairs.get((op, cols, layout, lds))
        if kept is None:
            if len(self.pairs) >= _MOST_SHAPES:
                self.pairs.clear()
            kept = self.pairs[op, cols, layout, lds] = []
        try:
            pair = kept.pop()
            check(_point(pair[0], address(x)) or _point(pair[1], address(y)))
        except IndexError:
            pair = (self.wrap(context, (self.shape[1 - op], cols), layout, lds[0], x),
                    self.wrap(context, (self.shape[op], cols), layout, lds[1], y))
        return kept, pair

    def product(self, op, x, kind):
        """op(A) x of a vector or a matrix of this kind, in A's memory and of A's type; without gradients."""
        return self._vector(op, x, kind) if x.ndim == 1 else self._block(op, x, kind)

    def _vector(self, op, x, kind):
        if kind.is_plain(x):
            layout, ld, product = _COLUMNS, 0, _spmv
        else:
            strides = kind.strides(x)
            if strides is None or strides[0] < 1:
                return self._vector(op, kind.plain(x), kind)
            layout, ld, product = _ROWS, strides[0], _spmm
        y = kind.empty((self.shape[op],), x, self.device)
        self._run(product, kind, op, 1, layout, (ld, 0), x, y)
        return y

    def _block(self, op, X, kind):
        """The product with a matrix, in the order of X."""
        strides = kind.strides(X)
        found = matrix.layout_of(X.shape, strides) if strides is not None else None
        if found is None:
            return self._block(op, kind.plain(X), kind)
        layout, ld = found
        rows, cols = self.shape[op], X.shape[1]
        Y = kind.empty((rows, cols), X, self.device) if layout == _ROWS else \
            kind.empty((cols, rows), X, self.device).T
        lds = ld, cols if layout == _ROWS else 0
        strips = matrix.strips(self.data.shape[0], cols) if self.device == HOST else [slice(0, cols)]
        for of in strips if len(strips) > 1 else ():
            self._run(_spmm, kind, op, of.stop - of.start, layout, lds, X[:, of], Y[:, of])
        if len(strips) == 1:
            self._run(_spmm, kind, op, cols, layout, lds, X, Y)
        return Y

    def _run(self, product, kind, op, cols, layout, lds, x, y):
        context = kind.context(self.device)
        mat = self.now(context)
        kept, pair = self._pair(context, op, cols, layout, lds, kind.pointer(x), kind.pointer(y))
        status = product(context.handle, op, matrix.ONE, mat, pair[0], matrix.ZERO, pair[1])
        kept.append(pair)
        if status:
            check(status)


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
    if sizes not in _INDEX:
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

    __slots__ = ("_core", "_op")
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
        return csr._of(_core_around(mat, kind, context, first.device))

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


def _core_around(mat, kind, context, device):
    """The core of a matrix of the library, whose arrays are handed out as they are."""
    owner = ffi.gc(lib.tulle_mat_retain(mat), lib.tulle_mat_destroy)
    info, view = ffi.new("tulle_mat_info *"), ffi.new("tulle_mat_arrays *")
    check(lib.tulle_mat_describe(mat, info))
    if info.format != lib.TULLE_CSR:
        lib.tulle_mat_destroy(mat)
        raise Unsupported("the product has so few entries for so many rows that the library does not keep it in CSR")
    check(lib.tulle_mat_view(mat, view))
    offset, index = matrix.INDEX_DTYPES[info.index]
    parts = ((view.values, info.nnz, matrix.DTYPES[info.type]), (view.cols, info.nnz, index),
             (view.offsets, info.rows + 1, offset))
    arrays = [kind.around(*part, owner, device) for part in parts]
    return Core(arrays, (info.rows, info.cols), kind, context, mat)
