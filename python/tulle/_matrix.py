# SPDX-License-Identifier: Apache-2.0
"""Matrices of the library around NumPy's arrays, which they borrow, and NumPy's arrays around the library's memory."""
import threading
import weakref

import numpy as np

from ._context import cpu
from ._errors import InvalidArgument, check, made
from ._kinds import NUMPY
from ._library import ffi, lib, text

TYPES = {np.dtype(np.float32): lib.TULLE_F32, np.dtype(np.float64): lib.TULLE_F64}
INDICES = {np.dtype(np.int32): lib.TULLE_I32, np.dtype(np.int64): lib.TULLE_I64}
DTYPES = {number: dtype for dtype, number in TYPES.items()}
_INT32, _INT64 = INDICES
INDEX_DTYPES = {lib.TULLE_I32: (_INT32, _INT32), lib.TULLE_I64_I32: (_INT64, _INT32), lib.TULLE_I64: (_INT64, _INT64)}
ZERO = ffi.new("tulle_scalar *", {"number": 0.0})[0]
ONE = ffi.new("tulle_scalar *", {"number": 1.0})[0]
MINUS_ONE = ffi.new("tulle_scalar *", {"number": -1.0})[0]

_SHORT = 50_000  # numbers of a slice up to which a copy takes less time than a multivector around it
_borrow = ffi.new("tulle_mat_options *", {"ownership": lib.TULLE_BORROW})
_BORROW_SIZE = ffi.sizeof("tulle_mat_options")
_AT_ONCE, _STRIP = 200_000_000, 32  # multiplications of a call; a multiple of the columns that the library sums at once
_MOST_SHAPES = 8  # shapes of operands of which multivectors are kept
_point, _spmv, _spmm = lib.tulle_vec_point, lib.tulle_spmv, lib.tulle_spmm
_from_buffer, _empty, _cast = ffi.from_buffer, np.empty, ffi.cast


def _is_plain(array):
    return type(array) is np.ndarray and array.ndim == 1 and array.flags.c_contiguous and array.flags.aligned


def is_taken(data, indices, indptr):
    """True where the library takes these arrays as they are: f32 or f64, indices of one type, everything contiguous."""
    return (_is_plain(data) and data.dtype in TYPES and _is_plain(indices) and _is_plain(indptr) and
            indices.dtype in INDICES and indices.dtype == indptr.dtype)


def why_not(data, indices, indptr):
    """Says why the library does not take these arrays as they are."""
    for name, array, known in (("data", data, TYPES), ("indices", indices, INDICES), ("indptr", indptr, INDICES)):
        if not isinstance(array, np.ndarray) or array.dtype not in known:
            own = getattr(array, "dtype", type(array).__name__)
            return f"{name} is of {own}, not of {' or '.join(map(str, known))}"
        if not _is_plain(array):
            return f"{name} is no aligned vector of NumPy whose numbers follow each other"
    return f"indices are of {indices.dtype} and indptr is of {indptr.dtype}, not of one type"


def plain(x):
    """x, or a copy of it, with its numbers one after another and aligned."""
    flags = x.flags
    return x if flags.c_contiguous and flags.aligned else np.array(x, order="C")


def lent(pointer, length, dtype, owner):
    """An array of NumPy on the library's memory; the owner lives as long as any view of the array."""
    if length == 0:
        return np.empty(0, dtype)
    kept = ffi.gc(_cast("char *", pointer), lambda _, owner=owner: None)
    return np.frombuffer(ffi.buffer(kept, length * np.dtype(dtype).itemsize), dtype)


def _start(array):
    """A pointer to an array's first number, where rows follow each other in half the time that NUMPY.pointer takes."""
    return _from_buffer(array) if array.flags.c_contiguous else _cast("void *", NUMPY.pointer(array))


def _key(data):
    """The address of an array, as a number."""
    return int(_cast("intptr_t", _start(data)))


class Edits:
    """Edits in place of the arrays that share the memory of their values, such as A, A.T and csr_array(A): their
    number, and the library's matrices that may have copies of the values."""

    _known: "weakref.WeakValueDictionary[int, Edits]" = weakref.WeakValueDictionary()  # by the address of the values
    _lock = threading.Lock()

    def __init__(self):
        self.count, self._mats = 0, weakref.WeakSet()

    @classmethod
    def of(cls, data):
        """The edits of these values; None where no matrix of the library has them."""
        return cls._known.get(_key(data)) if isinstance(data, np.ndarray) else None

    @classmethod
    def joined(cls, data, mat):
        """The edits of these values, of which a matrix of the library is to hear."""
        address = _key(data)
        with cls._lock:
            edits = cls._known.get(address)
            if edits is None:
                edits = cls._known[address] = cls()
            edits._mats.add(mat)
        return edits

    def values_changed(self):
        for mat in list(self._mats):
            check(lib.tulle_mat_values_changed(cpu().handle, mat))


def held(arrays):
    """References that keep NumPy from moving the memory of these arrays, which `resize` does in place otherwise: it
    refuses arrays to which there are weak references, and this memory is borrowed."""
    bases = [array.base for array in arrays if isinstance(array.base, np.ndarray)]
    return [weakref.ref(array) for array in (*arrays, *bases)]


class Handle:
    """A matrix of the library that has the arrays of a SciPy matrix as its own, without a copy: in CSR the matrix
    itself (op 0), in CSC its transpose, of which products take the transpose (op 1).

    The arrays are compared by identity at each use (`is_of`): another array in the place of one of them makes a new
    handle, and so do another type or size of the same array, and methods that edit arrays of this memory (Edits).
    Values that are edited in place count in the next product; where a plan was made (optimize), values_changed must be
    called first."""

    __slots__ = ("mat", "op", "data", "indices", "indptr", "rows", "cols", "dtype", "index", "size", "pairs",
                 "nnz", "context", "edits", "count", "held", "blocks", "transpose")

    def __init__(self, mat, op, arrays, shape, context=None):
        self.mat, self.op = mat, op
        self.data, self.indices, self.indptr = arrays
        self.rows, self.cols = shape
        self.dtype, self.index, self.size = self.data.dtype, self.indices.dtype, self.data.size
        self.nnz = self.indptr.item(-1)
        self.context = context or cpu()  # that in which the matrix was made
        self.pairs, self.blocks = [], {}  # multivectors of vectors, and of matrices by columns, layout and stride
        self.held = held(arrays)
        self.edits = Edits.joined(self.data, mat)
        self.count = self.edits.count
        self.transpose = None  # the handle that turned() has made

    def is_of(self, matrix):
        """True where the matrix has the arrays of the handle, of the same types and sizes, and no method has edited
        arrays of their memory since."""
        data, indices, indptr = matrix.data, matrix.indices, matrix.indptr
        return (self.data is data and self.indices is indices and self.indptr is indptr and
                self.edits.count == self.count and data.dtype is self.dtype and data.size == self.size and
                indices.dtype is self.index and indptr.item(-1) == self.nnz)

    def turned(self):
        """A handle of the transpose, around this handle's matrix and arrays, the same one every time: A.T is a new
        array at each use, whose vectors of the library wait here for the next one."""
        if self.transpose is None:
            self.transpose = Handle(self.mat, 1 - self.op, (self.data, self.indices, self.indptr),
                                    (self.cols, self.rows), self.context)
        return self.transpose

    def here(self):
        """The handle, or one of its arrays in this thread's context, for calls that take none of other contexts."""
        if self.context is cpu():
            return self
        shape = (self.rows, self.cols)
        return borrowed((self.data, self.indices, self.indptr), shape, self.op == 1)

    def multiply(self, x):
        """A x of a contiguous vector x of A's type. A pair of vectors serves one call at a time."""
        y = _empty(self.rows, self.dtype)
        try:
            pair = self.pairs.pop()
            status = _point(pair[0], _from_buffer(x)) or _point(pair[1], _from_buffer(y))
        except IndexError:
            pair, status = (wrap_vector(x), wrap_vector(y)), 0
        status = status or _spmv(cpu().handle, self.op, ONE, self.mat, pair[0], ZERO, pair[1])
        self.pairs.append(pair)
        if status:
            check(status)
        return y

    def product(self, x):
        """A x of a vector x of A's type; a long one is read where it is, also a slice."""
        flags = x.flags
        if flags.c_contiguous and flags.aligned:
            return self.multiply(x)
        if x.size > _SHORT and layout_of_array(x[:, None]) is not None:
            return self.multiply_block(x[:, None])[:, 0]
        return self.multiply(plain(x))

    def multiply_block(self, X):
        """A X of a matrix X of A's type, read where it is unless neither its rows nor its columns follow each other."""
        read = layout_of_array(X)
        if read is None:
            return self.multiply_block(np.array(X, order="C"))
        columns = X.shape[1]
        Y = _empty((self.rows, columns), self.dtype)
        if self.nnz * columns <= _AT_ONCE:
            self._multiply_strip(X, Y, (columns, *read, *layout_of_array(Y)))
        else:
            for part in strips(self.nnz, columns):
                x, y = X[:, part], Y[:, part]
                self._multiply_strip(x, y, (x.shape[1], *layout_of_array(x), *layout_of_array(y)))
        return Y

    def _multiply_strip(self, X, Y, key):
        """Y := A X. key: number of columns, layout and leading dimension of X and of Y."""
        kept = self.blocks.get(key)
        if kept is None:
            if len(self.blocks) >= _MOST_SHAPES:
                self.blocks.clear()
            kept = self.blocks[key] = []
        try:
            pair = kept.pop()
            status = _point(pair[0], _start(X)) or _point(pair[1], _start(Y))
        except IndexError:
            pair, status = (wrap_block(X), wrap_block(Y)), 0
        status = status or _spmm(cpu().handle, self.op, ONE, self.mat, pair[0], ZERO, pair[1])
        kept.append(pair)
        if status:
            check(status)


def strips(entries, columns):
    """The columns of a product with a dense matrix that one call of the library computes, as slices: the library does
    not ask whether to go on, and between two calls, some tenths of a second, Python sees Ctrl-C."""
    width = max(_STRIP, _AT_ONCE // max(1, entries) // _STRIP * _STRIP)
    return [slice(first, min(first + width, columns)) for first in range(0, columns, width)]


def wrap_vector(x):
    return made(lib.tulle_vec_wrap, "tulle_vec **", lib.tulle_vec_destroy, cpu().handle, TYPES[x.dtype], x.shape[0], 1,
                lib.TULLE_COLUMN_MAJOR, 0, _from_buffer(x))


def layout_of(shape, strides):
    """The layout and the leading dimension of a multivector of this shape with these strides, in numbers; None where
    neither its rows nor its columns follow each other in memory."""
    (rows, cols), (down, along) = shape, strides
    if rows == 0 or cols == 0:
        return lib.TULLE_ROW_MAJOR, max(cols, 1)
    if (along == 1 or cols == 1) and (down >= cols or rows == 1):
        return lib.TULLE_ROW_MAJOR, cols if rows == 1 else down
    if (down == 1 or rows == 1) and along >= rows:
        return lib.TULLE_COLUMN_MAJOR, along
    return None


def layout_of_array(X):
    """The layout and the leading dimension of a two-dimensional array that the library reads where it is; None of one
    that it does not."""
    flags = X.flags
    if flags.c_contiguous and flags.aligned:
        return lib.TULLE_ROW_MAJOR, max(1, X.shape[1])
    strides = NUMPY.strides(X)
    return None if strides is None else layout_of(X.shape, strides)


def wrap_block(X):
    """A multivector around a two-dimensional array whose rows, or whose columns, follow each other."""
    return made(lib.tulle_vec_wrap, "tulle_vec **", lib.tulle_vec_destroy, cpu().handle, TYPES[X.dtype], *X.shape,
                *layout_of_array(X), _start(X))


def check_lengths(arrays, rows):
    """Fails where an array is shorter than the library would read it."""
    data, indices, indptr = arrays
    if len(indptr) != rows + 1:
        raise InvalidArgument(f"indptr has {len(indptr)} offsets: {rows + 1} are wanted for {rows} rows, or columns in "
                              f"CSC")
    for name, array in (("data", data), ("indices", indices)):
        if len(array) < indptr[-1]:
            raise InvalidArgument(f"{name} has {len(array)} entries, and indptr ends with {indptr[-1]}: an entry is "
                                  f"wanted for each offset up to the last one")


def borrowed(arrays, shape, by_columns):
    """A handle for these arrays (data, indices, indptr) of CSR, or of CSC; is_taken holds of them."""
    data, indices, indptr = arrays
    rows, cols = reversed(shape) if by_columns else shape
    check_lengths(arrays, rows)
    mat = made(lib.tulle_mat_create_csr_sized, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, rows, cols,
               int(indptr[-1]), INDICES[indices.dtype], _from_buffer(indptr), _from_buffer(indices), TYPES[data.dtype],
               _from_buffer(data), _borrow, _BORROW_SIZE)
    return Handle(mat, int(by_columns), arrays, shape)


def arrays_of(mat):
    """data, indices and indptr of a CSR matrix of the library: its own memory, which lives as long as they do; None
    where the matrix is in another format."""
    info, view = ffi.new("tulle_mat_info *"), ffi.new("tulle_mat_arrays *")
    check(lib.tulle_mat_describe(mat, info))
    if info.format != lib.TULLE_CSR:
        return None
    check(lib.tulle_mat_view(mat, view))
    offset, index = INDEX_DTYPES[info.index]
    return (lent(view.values, info.nnz, DTYPES[info.type], mat), lent(view.cols, info.nnz, index, mat),
            lent(view.offsets, info.rows + 1, offset, mat))


def optimized(context, op, mat, products, vectors=1):
    """Prepares so many products of op(A) with so many vectors in row-major order; returns what was chosen and why."""
    options = ffi.new("tulle_optimize_options *", {"expected_calls": products, "vectors": vectors,
                                                   "layout": lib.TULLE_ROW_MAJOR})
    report = ffi.new("tulle_optimize_report *")
    check(lib.tulle_mat_optimize_with_sized(context.handle, op, mat, options, ffi.sizeof("tulle_optimize_options"),
                                            report))
    return text(report.why)


def explained(context, op, mat):
    """Says which kernel computes op(A) x, and why."""
    length = ffi.new("size_t *")
    check(lib.tulle_spmv_explain(context.handle, op, mat, ffi.NULL, 0, length))
    words = ffi.new("char[]", length[0] + 1)
    check(lib.tulle_spmv_explain(context.handle, op, mat, words, length[0] + 1, length))
    return text(words)
