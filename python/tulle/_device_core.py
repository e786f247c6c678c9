# SPDX-License-Identifier: Apache-2.0
"""What a tulle.csr and its transposes share: a matrix of the library around arrays of PyTorch, CuPy or NumPy, its
products, and the contexts that have computed with it."""
import functools
import threading
import weakref

from . import _matrix as matrix
from ._errors import Unsupported, check, made
from ._kinds import HOST, NUMPY
from ._library import ffi, lib

INDEX = {(4, 4): lib.TULLE_I32, (8, 4): lib.TULLE_I64_I32, (8, 8): lib.TULLE_I64}
_MOST_SHAPES = 16
_ROWS, _COLUMNS = lib.TULLE_ROW_MAJOR, lib.TULLE_COLUMN_MAJOR
_point, _spmv, _spmm, _cast = lib.tulle_vec_point, lib.tulle_spmv, lib.tulle_spmm, ffi.cast


def address(number):
    return _cast("void *", number)


class Contexts:
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
    index = INDEX[kind.indices[indptr.dtype], kind.indices[indices.dtype]]
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
        self.contexts = Contexts() if contexts is None else contexts  # shared by cores of one pattern
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


def around(mat, kind, context, device):
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
