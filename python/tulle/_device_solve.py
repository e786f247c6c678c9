# SPDX-License-Identifier: Apache-2.0
"""A x = b for arrays of PyTorch and CuPy, and for tulle.csr: on the device where the arrays are."""
import dataclasses
import functools
import warnings

from . import _matrix as matrix
from ._device import csr
from ._errors import InvalidArgument, check
from ._interrupts import callback, check_not_stopped, interruptible
from ._kinds import is_foreign, taken
from ._library import ffi, lib
from ._operators import as_square
from ._solve import ConvergenceWarning, _history, _report, solve_options


def is_for(A, b):
    """True where a system is solved here, and not with NumPy's arrays."""
    return isinstance(A, csr) or is_foreign(A) or is_foreign(b)


def _matrix_of(A):
    """A as a csr; a dense matrix, or one in another format, only of NumPy and SciPy."""
    if isinstance(A, csr):
        return A
    return csr(A if is_foreign(A) else as_square(A)[0])


def _operand(A, b, name):
    """b and its kind, where it fits A."""
    b, kind = taken(b)
    A._check_device(kind, b, name)
    if kind.floats.get(b.dtype) != A._core.type:
        raise InvalidArgument(f"{name} is of {b.dtype}, and A of {A.dtype}: operands are not converted")
    if b.ndim not in (1, 2) or b.shape[0] != A.shape[0] or 0 in b.shape:
        raise InvalidArgument(f"{name} has the shape {tuple(b.shape)}: a vector of {A.shape[0]} numbers, or a matrix "
                              f"of so many rows, is wanted")
    return b, kind


def _guess(A, x0, b, kind):
    """A guess x0, where it fits b. A solution does not depend on it, so no gradient flows there."""
    x0, found = _operand(A, x0, "x0")
    if found is not kind or x0.shape != b.shape:
        raise InvalidArgument(f"x0 is of {found.name} and has the shape {tuple(x0.shape)}, b is of {kind.name} and has "
                              f"{tuple(b.shape)}")
    return kind.alias(x0)


def _near_null(A, B, kind):
    """A near null space as an array of b's library. A solution does not depend on it, so no gradient flows there."""
    B, found = _operand(A, B, "near_null")
    if found is not kind or B.ndim != 2 or B.shape[1] > 16:
        raise InvalidArgument(f"near_null is of {found.name} and has the shape {tuple(B.shape)}: an array of {kind.name} "
                              f"with {A.shape[0]} rows and 1 to 16 columns is wanted")
    return kind.plain(kind.alias(B))


class _Vectors:
    """Multivectors of the library around arrays of one kind, in one context."""

    def __init__(self, core, kind, context):
        self.core, self.kind, self.context = core, kind, context

    def wrap(self, array):
        shape, strides = tuple(array.shape), tuple(self.kind.strides(array))
        if len(shape) == 1:
            return self.core.wrap(self.context, (*shape, 1), lib.TULLE_COLUMN_MAJOR, 0, self.kind.pointer(array))
        return self.core.wrap(self.context, shape, *matrix.layout_of(shape, strides), self.kind.pointer(array))

    def like(self, b):
        """An array of b's shape whose numbers follow each other."""
        return self.kind.empty(tuple(b.shape), b, self.core.device)

    def norms(self, vector, columns):
        """The 2-norms of the columns. Waits for them."""
        norms = ffi.new("double[]", columns)
        check(lib.tulle_vec_norm2(self.context.handle, vector, ffi.new("tulle_result *", {"number": norms})[0]))
        return list(norms)


def _residual(vectors, mat, x, b):
    """The largest |b - A x| / |b| of all columns; of a column b = 0 it is |A x|."""
    left = vectors.like(b)
    of_b, of_x, of_left = (vectors.wrap(array) for array in (b, x, left))
    handle, columns = vectors.context.handle, 1 if b.ndim == 1 else b.shape[1]
    check(lib.tulle_vec_copy(handle, of_b, of_left))
    check(lib.tulle_spmm(handle, lib.TULLE_N, matrix.MINUS_ONE, mat, of_x, matrix.ONE, of_left))
    pairs = zip(vectors.norms(of_left, columns), vectors.norms(of_b, columns))
    return max(norm / size if size > 0 else norm for norm, size in pairs)


def _is_symmetric(context, mat):
    facts = ffi.new("tulle_facts *")
    check(lib.tulle_mat_facts(context.handle, mat, facts))
    return facts.symmetric and facts.equal == facts.off_diagonal


def _mat_of(core, op, context):
    """The library's matrix of op(A) in this context."""
    mat = core.mat_in(context)
    if op == lib.TULLE_N or _is_symmetric(context, mat):
        return mat
    out = ffi.new("tulle_mat **")
    check(lib.tulle_mat_transpose(context.handle, mat, out))
    return ffi.gc(out[0], lib.tulle_mat_destroy)


def _run(core, op, b, kind, x0, settings, near_null):
    """op(A)^-1 b and a report. Waits for the solution."""
    context = kind.context(core.device, solving=True)
    vectors = _Vectors(core, kind, context)
    b = kind.plain(b)
    x = vectors.like(b)
    if x0 is not None:
        kind.copy_to(x, x0)
    found, history = ffi.new("tulle_solve_report *"), []
    options, _words = solve_options(*settings)
    options.solver.guess = x0 is not None
    if near_null is not None:
        columns = vectors.wrap(near_null)
        options.near_null = columns
    with interruptible(context):
        mat = _mat_of(core, op, context)
        monitor = callback("int(void *, int64_t, double)", lambda user, step, norm: history.append(norm) or 0)
        options.solver.monitor = monitor
        check(lib.tulle_solve_sized(context.handle, mat, vectors.wrap(b), vectors.wrap(x), options,
                                    ffi.sizeof("tulle_solve_options"), found))
        check_not_stopped(found.solver.outcome)
    report = _report(found, _residual(vectors, mat, x, b))
    if not report.converged:
        warnings.warn(f"tulle.solve: {report.outcome}", ConvergenceWarning, stacklevel=4)
    return x, dataclasses.replace(report, history=_history(history, x))


def solve(A, b, x0, settings, near_null):
    """As tulle.solve, of which `settings` are the arguments of solve_options."""
    A = _matrix_of(A)
    core, op = A._core, A._op
    if A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise InvalidArgument(f"A has the shape {A.shape}: a square matrix with rows is wanted")
    b, kind = _operand(A, b, "b")
    if x0 is not None:
        x0 = _guess(A, x0, b, kind)
    if near_null is not None:
        near_null = _near_null(A, near_null, kind)
    if kind.tracks(b) or core.kind.tracks(core.data):
        from . import _torch
        guesses = [x0]  # for the solution itself; solutions of gradients start at 0
        run = functools.partial(_run_with, kind, guesses, settings, near_null)
        return _torch.solution(core, op, b, run)
    return _run(core, op, b, kind, x0, settings, near_null)


def _run_with(kind, guesses, settings, near_null, core, op, b):
    x0 = guesses.pop() if guesses else None
    return _run(core, op, b, kind, x0, settings, near_null)
