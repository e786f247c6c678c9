# SPDX-License-Identifier: Apache-2.0
"""Many operations on small operands at once: recorded one by one, then run together by all threads, again and again.

Operands are NumPy arrays and sparse matrices of float32 and float64, which are borrowed: a run reads the numbers that
stand in them. Indices and offsets must stay as they are. A method of Batch records an operation and returns the array
that a run fills. Tasks that touch the same numbers run as if one after the other, in the order of recording; all others
run side by side.

>>> import tulle
>>> A, x = tulle.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([1.0, 1.0])
>>> batch = Batch()
>>> y = batch.matmul(A, x)
>>> size = batch.dot(y, y)
>>> batch.run()
>>> y, float(size)
(array([2., 5.]), 29.0)
>>> x[:] = 2
>>> batch.run()
>>> y
array([ 4., 10.])
"""
from __future__ import annotations

import bisect
import threading
from typing import Any

import numpy as np
import scipy.sparse as sp

from . import _matrix as matrix
from ._context import Context, OfProcess, cpu
from ._errors import InvalidArgument, ZeroPivot, check, made
from ._library import ffi, lib
from ._sparse import of_scipy, taken

__all__ = ["Batch", "BatchFactors"]


class _Order:
    """Finds the tasks that a task waits for, so that all have the numbers that they would have one after the other."""

    def __init__(self):
        self._spans = {}  # spans of memory, ascending, by the bits of their lengths: long ones do not hide short ones
        self._writer, self._readers = {}, {}  # each span's last task that writes it, and readers since

    def _touching(self, span):
        """Yields the known spans that overlap a span."""
        for bits, spans in self._spans.items():
            at = bisect.bisect_left(spans, (span[0] - (1 << bits), 0))
            while at < len(spans) and spans[at][0] < span[1]:
                if spans[at][1] > span[0]:
                    yield spans[at]
                at += 1

    def _know(self, span):
        if span not in self._readers:
            bisect.insort(self._spans.setdefault((span[1] - span[0]).bit_length(), []), span)
            self._readers[span] = []

    def before(self, reads, writes):
        """Returns the tasks that a task with these spans waits for."""
        found = {self._writer[known] for span in (*reads, *writes) for known in self._touching(span)
                 if known in self._writer}
        for span in writes:
            for known in self._touching(span):
                found.update(self._readers[known])
        return sorted(found)

    def add(self, task, reads, writes):
        for span in (*reads, *writes):
            self._know(span)
        for span in reads:
            self._readers[span].append(task)
        for span in writes:
            self._writer[span], self._readers[span] = task, []


def _span(array):
    """Returns the addresses between which an array's numbers stand."""
    return np.lib.array_utils.byte_bounds(array) if hasattr(np.lib, "array_utils") else np.byte_bounds(array)


def _span_of(thing):
    """Returns a span for an object of the library's, by its own address."""
    address = int(ffi.cast("intptr_t", thing))
    return address, address + 1


def _checked(array, name):
    if not isinstance(array, np.ndarray) or array.dtype not in matrix.TYPES or not array.flags.aligned:
        raise InvalidArgument(f"{name} is to be an array of float32 or float64, which is borrowed")
    if array.ndim > 2 or 0 in array.shape:
        raise InvalidArgument(f"{name} has the shape {array.shape}: a vector or a matrix with numbers is wanted")
    return array


def _layout(array, shape, name):
    """Returns the library's layout and leading dimension of an array that stands for a matrix of this shape."""
    steps = [step // array.itemsize for step in array.strides]
    if array.size == 1:
        return lib.TULLE_ROW_MAJOR, 1
    if any(step % array.itemsize for step in array.strides):
        steps = [0, 0]
    if array.ndim == 2:
        if (steps[1] == 1 or shape[1] == 1) and steps[0] >= shape[1]:
            return lib.TULLE_ROW_MAJOR, steps[0]
        if (steps[0] == 1 or shape[0] == 1) and steps[1] >= shape[0]:
            return lib.TULLE_COLUMN_MAJOR, steps[1]
    if array.ndim == 1 and steps[0] >= 1:
        return (lib.TULLE_ROW_MAJOR if shape[1] == 1 else lib.TULLE_COLUMN_MAJOR), steps[0]
    raise InvalidArgument(f"{name} of the shape {array.shape} lies in memory with steps of {array.strides} bytes: its "
                          f"rows or its columns are to follow each other")


def _shape_of(array):
    """Returns the shape of an array as a matrix: a vector is a column."""
    return array.shape if array.ndim == 2 else (array.size, 1)


class BatchFactors(OfProcess):
    """Factors that a batch computes anew in each run, for Batch.solve.

    >>> import tulle
    >>> batch = Batch()
    >>> batch.lu(tulle.csr_array([[4.0, 1.0], [1.0, 3.0]])).row
    -1
    """

    def __init__(self, factor: Any, rows: int, batch: Batch, task: int) -> None:
        self._factor, self.shape, self._batch, self._task = factor, (rows, rows), batch, task

    @property
    def row(self) -> int:
        """The row of the first pivot of the last run that is zero, Inf or NaN; -1: the factors are of use.

        >>> import tulle
        >>> batch = Batch()
        >>> F = batch.lu(tulle.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> batch.run()
        >>> F.row
        -1
        """
        return self._batch._rows[self._task]

    def __repr__(self) -> str:
        return f"<tulle factors of {self.shape[0]} rows in a batch>"


class Batch(OfProcess):
    """Operations that are run together. Its methods but `run` record an operation, and return the array of its result.

    `out` is the array that gets the result of an operation, and is returned; None: a new one. alpha and beta are
    numbers; with beta = 0 the old numbers of `out` are not read. The batch keeps the arrays of its operands: another
    array in the place of A.data is not seen. It runs with as many threads as were set when it was made.

    >>> import tulle
    >>> batch = Batch()
    >>> y = batch.scale(3.0, np.array([1.0, 2.0]))
    >>> batch.run()
    >>> y
    array([3., 6.])
    """

    def __init__(self) -> None:
        # A batch runs in the context that it was made in, in which one thread at a time may work.
        self._context, self._lock = Context(cpu().where), threading.RLock()
        self._handle = made(lib.tulle_batch_create, "tulle_batch **", lib.tulle_batch_destroy, self._context.handle)
        self._order, self._count = _Order(), 0
        self._kept: list[Any] = []
        self._matrices: dict[tuple, tuple] = {}
        self._rows: dict[int, int] = {}

    def _vector(self, array, shape=None, name="X"):
        array = _checked(array, name)
        shape = _shape_of(array) if shape is None else shape
        layout, step = _layout(array, shape, name)
        vector = made(lib.tulle_vec_wrap, "tulle_vec **", lib.tulle_vec_destroy, self._context.handle,
                      matrix.TYPES[array.dtype], *shape, layout, step,
                      ffi.cast("void *", array.__array_interface__["data"][0]))
        self._kept += [array, vector, *matrix.held([array])]
        return vector

    def _out(self, out, shape, dtype, as_matrix=None):
        """Returns the array for a result, and the library's vector around it."""
        as_matrix = as_matrix or (shape if len(shape) == 2 else (*shape, 1))
        if out is None:
            out = np.zeros(shape, dtype)
        if not isinstance(out, np.ndarray) or out.shape != shape or not out.flags.writeable:
            raise InvalidArgument(f"out is to be an array of the shape {shape} that can be written to")
        return out, self._vector(out, as_matrix, "out")

    def _record(self, function, *arguments, reads=(), writes=()):
        task = ffi.new("int *")
        before = self._order.before(reads, writes)
        check(function(self._handle, *arguments, task))
        for earlier in before:
            check(lib.tulle_batch_after(self._handle, task[0], earlier))
        self._order.add(task[0], reads, writes)
        self._count = task[0] + 1
        return task[0]

    def _sparse(self, A, formats=("csr", "csc", "bsr")):
        """Returns the library's matrix for a sparse one, its op, its shape and the span of its values."""
        A = of_scipy(A)
        if not sp.issparse(A) or A.format not in formats or A.ndim != 2 or A.dtype not in matrix.TYPES:
            raise InvalidArgument(f"A is to be a sparse matrix of float32 or float64, which is borrowed, in "
                                  f"{' or '.join(formats)}")
        arrays = A.data, A.indices, A.indptr
        key = A.format, A.shape, *map(id, arrays)  # the arrays are kept, so no others get their ids
        if key not in self._matrices:
            self._kept += [*arrays, *matrix.held(arrays)]
            self._matrices[key] = self._new_matrix(A)
        return self._matrices[key]

    def _new_matrix(self, A):
        if A.format == "bsr":
            return _blocks(A, self._context), 0, A.shape, _span(A.data)
        own, handle = taken(A)
        if handle is None or (handle.nnz and not np.shares_memory(own.data, A.data)):
            raise InvalidArgument(f"A, of the shape {A.shape}, cannot be borrowed: a matrix with rows and columns is "
                                  f"wanted, whose arrays are aligned and without gaps, with indices of one type")
        self._kept.append(handle)
        return handle.mat, handle.op, A.shape, _span(own.data)

    def matmul(self, A: Any, X: np.ndarray, out: np.ndarray | None = None, alpha: float = 1.0, beta: float = 0.0,
               transposed: bool = False) -> np.ndarray:
        """Records out = alpha A X + beta out, A a sparse matrix in CSR, CSC or BSR (or its transpose), X a vector or
        a matrix.

        >>> import tulle
        >>> batch = Batch()
        >>> y = batch.matmul(tulle.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([1.0, 1.0]))
        >>> batch.run()
        >>> y
        array([2., 5.])
        """
        with self._lock:
            mat, op, shape, values = self._sparse(A)
            x = self._vector(X)
            out, y = self._out(out, (shape[1 if transposed else 0],) + X.shape[1:], X.dtype)
            self._record(lib.tulle_batch_spmm, op ^ int(transposed), alpha, mat, x, beta, y,
                         reads=[values, _span(X)], writes=[_span(out)])
        return out

    def combine(self, X: np.ndarray, A: np.ndarray, out: np.ndarray | None = None, alpha: float = 1.0,
                beta: float = 0.0) -> np.ndarray:
        """Records out = alpha X A + beta out, X of up to 32 columns, A dense, with as many rows and up to 32
        columns.

        >>> batch = Batch()
        >>> Y = batch.combine(np.ones((3, 2)), np.array([[1.0], [2.0]]))
        >>> batch.run()
        >>> Y.ravel()
        array([3., 3., 3.])
        """
        with self._lock:
            x, a = self._vector(X), self._vector(A, name="A")
            out, y = self._out(out, (_shape_of(X)[0],) + A.shape[1:], X.dtype)
            self._record(lib.tulle_batch_axpy, alpha, x, a, beta, y, reads=[_span(X), _span(A)], writes=[_span(out)])
        return out

    def axpy(self, alpha: float, X: np.ndarray, out: np.ndarray) -> np.ndarray:
        """Records out = alpha X + out, of up to 32 columns.

        >>> batch = Batch()
        >>> y = batch.axpy(2.0, np.array([1.0, 2.0]), np.array([1.0, 1.0]))
        >>> batch.run()
        >>> y
        array([3., 5.])
        """
        return self.combine(X, np.eye(_shape_of(_checked(X, "X"))[1], dtype=X.dtype) if X.ndim == 2 else
                            np.ones(1, X.dtype), out, alpha, 1.0)

    def dot(self, X: np.ndarray, Z: np.ndarray, out: np.ndarray | None = None, alpha: float = 1.0,
            beta: float = 0.0) -> np.ndarray:
        """Records out = alpha X' Z + beta out, the inner products of up to 32 columns each. Of two vectors the result
        is an array of no axes.

        >>> batch = Batch()
        >>> s = batch.dot(np.array([1.0, 2.0]), np.array([3.0, 4.0]))
        >>> batch.run()
        >>> float(s)
        11.0
        """
        with self._lock:
            x, z = self._vector(X), self._vector(Z, name="Z")
            out, r = self._out(out, X.shape[1:] + Z.shape[1:], X.dtype, (_shape_of(X)[1], _shape_of(Z)[1]))
            self._record(lib.tulle_batch_dot, alpha, x, z, beta, r, reads=[_span(X), _span(Z)], writes=[_span(out)])
        return out

    def scale(self, alpha: float, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Records out = alpha X; out may be X.

        >>> batch = Batch()
        >>> y = batch.scale(2.0, np.array([1.0, 2.0]))
        >>> batch.run()
        >>> y
        array([2., 4.])
        """
        with self._lock:
            x = self._vector(X)
            out, y = self._out(out, X.shape, X.dtype)
            self._record(lib.tulle_batch_scale, alpha, x, y, reads=[_span(X)], writes=[_span(out)])
        return out

    def copy(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Records out = X, also from float32 to float64 and back.

        >>> batch = Batch()
        >>> y = batch.copy(np.array([1.0, 2.0]))
        >>> batch.run()
        >>> y
        array([1., 2.])
        """
        with self._lock:
            x = self._vector(X)
            out, y = self._out(out, X.shape, X.dtype)
            self._record(lib.tulle_batch_copy, x, y, reads=[_span(X)], writes=[_span(out)])
        return out

    def norm(self, X: np.ndarray, out: np.ndarray | None = None) -> np.ndarray:
        """Records the 2-norm of a vector, in an array of no axes, or of each column of a matrix.

        >>> batch = Batch()
        >>> s = batch.norm(np.array([3.0, 4.0]))
        >>> batch.run()
        >>> float(s)
        5.0
        """
        with self._lock:
            x = self._vector(X)
            out, r = self._out(out, X.shape[1:], X.dtype, (1, _shape_of(X)[1]))
            self._record(lib.tulle_batch_norm2, x, r, reads=[_span(X)], writes=[_span(out)])
        return out

    def lu(self, A: Any, fill: int | None = None) -> BatchFactors:
        """Records the factors L U of A, in CSR, or in BSR with row exchanges inside its square blocks, of up to 16
        rows. The columns of each row of A rise, each once, as A.sum_duplicates() makes them. fill: the fill that is
        kept beside A's pattern, by levels; 0: none, None: all. A's pattern is analysed now, with the values that stand
        in A, of which there must be factors; each run computes the factors of A's values then.

        >>> import tulle
        >>> batch = Batch()
        >>> F = batch.lu(tulle.csr_array([[4.0, 1.0], [1.0, 3.0]]))
        >>> x = batch.solve(F, np.array([5.0, 4.0]))
        >>> batch.run()
        >>> x
        array([1., 1.])
        """
        with self._lock:
            mat, _, shape, values = self._sparse(A, ("csr", "bsr"))
            if not of_scipy(A).has_canonical_format:  # many of SciPy's methods would change the order of the entries
                raise InvalidArgument("the columns of A's rows are to ascend, each once: A.sum_duplicates() makes them "
                                      "so")
            options = ffi.new("tulle_factor_options *", {"kind": lib.TULLE_LU,
                                                         "fill": lib.TULLE_FILL_ALL if fill is None else fill})
            factor = made(lib.tulle_factor_create_sized, "tulle_factor **", lib.tulle_factor_destroy,
                          self._context.handle, mat, options, ffi.sizeof("tulle_factor_options"))
            task = self._record(lib.tulle_batch_factor, factor, mat, reads=[values], writes=[_span_of(factor)])
            self._rows[task] = -1
            self._kept.append(factor)
            return BatchFactors(factor, shape[0], self, task)

    def solve(self, F: BatchFactors, B: np.ndarray, out: np.ndarray | None = None, alpha: float = 1.0,
              transposed: bool = False) -> np.ndarray:
        """Records out = alpha A^-1 B by the factors F of A in this batch (or of A's transpose); out may be B.

        >>> import tulle
        >>> batch = Batch()
        >>> x = batch.solve(batch.lu(tulle.csr_array([[4.0, 1.0], [1.0, 3.0]])), np.array([5.0, 4.0]))
        >>> batch.run()
        >>> x
        array([1., 1.])
        """
        if not isinstance(F, BatchFactors) or F._batch is not self:
            raise InvalidArgument("F is to be what `lu` of this batch returned")
        with self._lock:
            b = self._vector(B, name="B")
            out, x = self._out(out, B.shape, B.dtype)
            self._record(lib.tulle_batch_solve, int(transposed), alpha, F._factor, b, x,
                         reads=[_span(B), _span_of(F._factor)], writes=[_span(out)])
        return out

    def solve_triangular(self, A: Any, B: np.ndarray, out: np.ndarray | None = None, lower: bool = True,
                         unit_diagonal: bool = False, alpha: float = 1.0) -> np.ndarray:
        """Records out = alpha T^-1 B, T the lower or the upper triangle of A; out may be B. A diagonal of 0
        divides.

        >>> import tulle
        >>> batch = Batch()
        >>> x = batch.solve_triangular(tulle.csr_array([[2.0, 0.0], [1.0, 4.0]]), np.array([2.0, 9.0]))
        >>> batch.run()
        >>> x
        array([1., 2.])
        """
        with self._lock:
            mat, op, _, values = self._sparse(A)
            b = self._vector(B, name="B")
            out, x = self._out(out, B.shape, B.dtype)
            part = lib.TULLE_LOWER if lower != bool(op) else lib.TULLE_UPPER  # the library has the transpose of CSC
            self._record(lib.tulle_batch_trisolve, part, lib.TULLE_UNIT if unit_diagonal else lib.TULLE_NON_UNIT, op,
                         alpha, mat, b, x, reads=[values, _span(B)], writes=[_span(out)])
        return out

    def run(self, check_pivots: bool = True) -> None:
        """Runs all operations, each once. Where factors met a bad pivot the others are done, too; then ZeroPivot is
        raised, or, with check_pivots=False, `row` of the factors says which.

        >>> batch, x = Batch(), np.array([1.0, 2.0])
        >>> y = batch.scale(2.0, x)
        >>> batch.run()
        >>> x[:] = 5
        >>> batch.run()
        >>> y
        array([10., 10.])
        """
        with self._lock:
            if self._count == 0:
                return
            check(lib.tulle_batch_run(self._context.handle, self._handle, lib.TULLE_BATCH_GROUPED))
            if self._rows:
                self._read_reports(check_pivots)

    def _read_reports(self, check_pivots):
        reports = ffi.new("const tulle_batch_report **")
        check(lib.tulle_batch_reports(self._context.handle, self._handle, reports))
        self._context.synchronize()
        self._rows = {task: int(reports[0][task].row) for task in self._rows}
        bad = [(task, row) for task, row in self._rows.items() if row >= 0]
        if bad and check_pivots:
            error = ZeroPivot(f"a pivot of {len(bad)} of {len(self._rows)} factorisations is zero, Inf or NaN: the "
                              f"first is in row {bad[0][1]} of task {bad[0][0]}")
            error.status, error.row = "TULLE_ZERO_PIVOT", bad[0][1]
            raise error

    def __len__(self) -> int:
        return self._count

    def __repr__(self) -> str:
        return f"<tulle batch of {self._count} tasks>"


def _blocks(A, context):
    """Makes the library's matrix around the arrays of a matrix in BSR."""
    rows, cols = A.blocksize
    plain = all(array.flags.c_contiguous and array.flags.aligned for array in (A.data, A.indices, A.indptr))
    if max(rows, cols) > 16 or A.data.dtype not in matrix.TYPES or not plain or A.indices.dtype != A.indptr.dtype:
        raise InvalidArgument(f"A in BSR has blocks of {rows} by {cols} of {A.dtype}: ones of at most 16 by 16 of "
                              f"float32 or float64 are taken")
    if not A.has_canonical_format:
        raise InvalidArgument("the blocks of A's rows are to ascend, each once: A.sum_duplicates() makes them so")
    matrix.check_lengths((A.data, A.indices, A.indptr), A.shape[0] // rows)
    storage = ffi.new("tulle_storage *", {"stored": A.data.size, "block": rows, "block_cols": cols, "full": True})
    arrays = ffi.new("tulle_mat_arrays *", {"offsets": ffi.from_buffer(A.indptr), "cols": ffi.from_buffer(A.indices),
                                            "values": ffi.from_buffer(A.data)})
    options = ffi.new("tulle_mat_options *", {"ownership": lib.TULLE_BORROW})
    return made(lib.tulle_mat_create_sized, "tulle_mat **", lib.tulle_mat_destroy, context.handle, *A.shape,
                lib.TULLE_BSR, storage, matrix.INDICES[A.indices.dtype], arrays, matrix.TYPES[A.data.dtype], options,
                ffi.sizeof("tulle_mat_options"))
