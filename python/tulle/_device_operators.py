# SPDX-License-Identifier: Apache-2.0
"""Multigrid, factors and iterative methods where the arrays of PyTorch and CuPy are that a tulle.csr is around."""
from __future__ import annotations

import contextlib
import functools
import threading
from typing import Any

from . import _matrix as matrix
from ._context import OfProcess
from ._device import csr
from ._device_core import Contexts, address, around
from ._device_solve import _guess, _mat_of, _operand, _Vectors
from ._errors import InvalidArgument, Unsupported, check, made
from ._interrupts import callback, check_not_stopped, interruptible
from ._kinds import taken
from ._library import ffi, lib
from ._operators import Hierarchy, Triangles, check_pivots


def _checked_square(A):
    """A's core and whether it is transposed, of a square matrix with rows whose values ask for no gradient."""
    if not isinstance(A, csr):
        raise InvalidArgument(f"A is a {type(A).__name__}: a tulle.csr is wanted here")
    if A.shape[0] != A.shape[1] or A.shape[0] == 0:
        raise InvalidArgument(f"A has the shape {A.shape}: a square matrix with rows is wanted")
    _check_no_gradient(A._core.kind, A._core.data)
    return A._core, A._op


def _check_no_gradient(kind, array):
    if kind.tracks(array):
        raise Unsupported("gradients flow through products and tulle.solve alone: detach the tensors, or use "
                          "torch.no_grad()")


def _destroy(contexts, destroy, thing):
    """Destroys an object of the library, once the work of all contexts that have used it is done."""
    for context in contexts:
        context.synchronize()
    destroy(thing)


class DeviceOperator(OfProcess):
    """An operator of the library for arrays of one library on one device. A thread or a stream that uses it waits for
    the work of the one before."""

    ndim = 2
    __array_ufunc__ = None

    def __init__(self, core: Any, context: Any) -> None:
        self._core, self.shape, self.dtype = core, (max(core.shape),) * 2, core.dtype
        self.lock = threading.RLock()
        self._contexts, self._last = Contexts(), context
        self._contexts.add(context)

    def _kept(self, maker, kind, destroy, *arguments):
        """The object that a function of the library makes; it goes when work with it is done."""
        return made(maker, kind, functools.partial(_destroy, self._contexts, destroy), *arguments)

    @contextlib.contextmanager
    def used_in(self, context):
        """Lets a context work with the operator, behind the work of the one that did so before."""
        with self.lock:
            if context is not self._last:
                self._last.synchronize()
                self._contexts.add(context)
                self._last = context
            yield self._linop

    def __matmul__(self, b: Any) -> Any:
        """The operator applied to a vector, or to each column of a matrix, of A's library, type and device, where it
        makes an array of the same library. On a GPU the call waits for nothing in the stream where the operator was
        last used."""
        core = self._core
        b, kind = _operand(csr._of(core), b, "b")
        _check_no_gradient(kind, b)
        context = kind.context(core.device, solving=True)
        vectors = _Vectors(core, kind, context)
        b = kind.plain(b)
        x = vectors.like(b)
        with self.used_in(context) as linop:
            check(lib.tulle_linop_apply(context.handle, lib.TULLE_N, matrix.ONE, linop, vectors.wrap(b), matrix.ZERO,
                                        vectors.wrap(x)))
        return x

    def solve(self, b: Any) -> Any:
        """The operator applied to b: of a preconditioner, which stands for an inverse, an approximate solution."""
        return self @ b


def _check_pattern(A, shape, op, indices, indptr):
    """Fails where A has another pattern than the one that an operator was made of."""
    core, is_own = A._core, A._op == op and A._core.shape == shape
    for ours, theirs in ((indptr, core.indptr), (indices, core.indices)):
        is_own = is_own and (ours is theirs or (ours.shape == theirs.shape and bool((ours == theirs).all())))
    if not is_own:
        raise InvalidArgument("A has another pattern than the matrix that this was made of: make it anew")


class _Made(DeviceOperator):
    """An operator that was made of a matrix, whose values may change."""

    def __init__(self, A, options):
        core, self._op = _checked_square(A)
        context = core.kind.context(core.device, solving=True)
        super().__init__(core, context)
        self._mat, self._options = _mat_of(core, self._op, context), options
        with interruptible(context):
            self._make(context)

    def _taken(self, A):
        """A, the core of another matrix of the pattern, and the context of the caller; A None: the same matrix."""
        A = csr._of(self._core, self._op) if A is None else A
        core, _ = _checked_square(A)
        own = self._core
        if core.kind is not own.kind or core.dtype != own.dtype or core.device != own.device:
            words = [f"{one.dtype} of {one.kind.name} on {one.kind.place(one.device)}" for one in (core, own)]
            raise InvalidArgument(f"A has arrays of {words[0]}, and this was made of {words[1]}")
        if core is not own:
            _check_pattern(A, own.shape, self._op, own.indices, own.indptr)
        return core, core.kind.context(core.device, solving=True)


class DeviceMultigrid(Hierarchy, _Made):
    """A hierarchy of algebraic multigrid for arrays of PyTorch or CuPy: applied to b, one cycle for A x = b."""

    def _make(self, context):
        call = ffi.new("tulle_amg_options *", self._options)
        self._linop = self._kept(lib.tulle_amg_create_sized, "tulle_linop **", lib.tulle_linop_destroy, context.handle,
                                 self._mat, call, ffi.sizeof("tulle_amg_options"))

    def update(self, A: Any = None) -> None:
        """Brings the hierarchy to new values of A, a tulle.csr, on the pattern that it was made of; interpolation
        stays. None: the values of the A that it was made of were edited in place. Waits on a GPU."""
        core, context = self._taken(A)
        mat = _mat_of(core, self._op, context)
        with self.used_in(context) as linop, interruptible(context):
            check(lib.tulle_amg_update(context.handle, linop, mat, lib.TULLE_AMG_KEEP_P))
        self._core, self._mat = core, mat

    def matrix(self, level: int) -> "csr | None":
        """A copy of a level's matrix, A on level 0, as a tulle.csr; None of a level that the cycle only passes, whose
        matrix is not kept. Waits on a GPU."""
        core = self._core
        context = core.kind.context(core.device, solving=True)
        with self.used_in(context):
            info = self._level(level)
            if not info.A:
                return None
            out = ffi.new("tulle_mat **")
            check(lib.tulle_mat_copy(context.handle, info.A, core.type, out))
            context.synchronize()
        return csr._of(around(out[0], core.kind, context, core.device))


class DeviceFactors(Triangles, _Made):
    """Factors of A for arrays of PyTorch or CuPy: applied to b, a solution of L U x = b."""

    def _make(self, context):
        call = ffi.new("tulle_factor_options *", self._options)
        self._factor = self._kept(lib.tulle_factor_create_sized, "tulle_factor **", lib.tulle_factor_destroy,
                                  context.handle, self._mat, call, ffi.sizeof("tulle_factor_options"))
        self._linop = self._kept(lib.tulle_linop_from_factor, "tulle_linop **", lib.tulle_linop_destroy,
                                 context.handle, self._factor, self._core.type)
        check_pivots(context, self._factor)

    def update(self, A: Any = None) -> None:
        """Computes the factors of new values of A, a tulle.csr, on the pattern that they were made of; those of an A.T
        are made anew. None: the values of the A that they were made of were edited in place. Waits on a GPU."""
        core, context = self._taken(A)
        with self.used_in(context), interruptible(context):
            if self._op:
                self._mat = _mat_of(core, self._op, context)
                self._make(context)
            else:
                self._update(core, context)
        self._core = core

    def _update(self, core, context):
        values = address(core.kind.pointer(core.data))
        mat = made(lib.tulle_mat_with_values, "tulle_mat **", lib.tulle_mat_destroy, context.handle, self._mat,
                   core.type, core.data.shape[0], values)
        check(lib.tulle_factor_update(context.handle, self._factor, mat))
        check_pivots(context, self._factor)  # waits, so that the matrix may go


@contextlib.contextmanager
def _linop_of(operator, like, context, name):
    """The library's operator for a tulle.csr or an operator of this module, while it is used."""
    if not isinstance(operator, (csr, DeviceOperator)):
        raise InvalidArgument(f"{name} is a {type(operator).__name__}: with arrays of {like.kind.name} a tulle.csr, or "
                              f"what tulle.amg, ilu and ic make of one, is wanted")
    core = operator._core
    if core.type != like.type or core.device != like.device:
        raise InvalidArgument(f"{name} is of {core.dtype} on {core.kind.place(core.device)}, and A of {like.dtype} on "
                              f"{like.kind.place(like.device)}")
    if isinstance(operator, DeviceOperator):
        with operator.used_in(context) as linop:
            yield linop
        return
    core, op = _checked_square(operator)
    yield made(lib.tulle_linop_from_mat, "tulle_linop **", lib.tulle_linop_destroy, context.handle,
               _mat_of(core, op, context))


def run(A, b, x0, M, options):
    """x, and the library's report, of an iterative method by these options of the library's, where A's arrays are.
    Waits for x."""
    core = A._core
    as_csr = A if isinstance(A, csr) else csr._of(core)
    if as_csr.shape[0] != as_csr.shape[1]:
        raise InvalidArgument(f"A has the shape {as_csr.shape}: a square matrix is wanted")
    b, kind = _operand(as_csr, b, "b")
    _check_no_gradient(kind, b)
    context = kind.context(core.device, solving=True)
    vectors = _Vectors(core, kind, context)
    b = kind.plain(b)
    if b.ndim == 2 and b.shape[1] != 1:
        raise InvalidArgument(f"b has the shape {tuple(b.shape)}: a vector is wanted; tulle.solve takes matrices")
    x = vectors.like(b)
    if x0 is not None:
        x0, _ = taken(x0)
        if tuple(x0.shape) in ((core.shape[0],), (core.shape[0], 1)):  # SciPy takes either
            x0 = x0.reshape(tuple(b.shape))
        kind.copy_to(x, _guess(as_csr, x0, b, kind))
    options.guess = x0 is not None
    report = ffi.new("tulle_solver_report *")
    with interruptible(context), contextlib.ExitStack() as used:
        options.monitor = monitor = callback("int(void *, int64_t, double)", lambda user, iteration, n: 0)
        linop = used.enter_context(_linop_of(A, core, context, "A"))
        precond = ffi.NULL if M is None else used.enter_context(_linop_of(M, core, context, "M"))
        solver = made(lib.tulle_solver_create_sized, "tulle_solver **", lib.tulle_solver_destroy, context.handle, linop,
                      precond, options, ffi.sizeof("tulle_solver_options"))
        check(lib.tulle_solver_run(context.handle, solver, vectors.wrap(b), vectors.wrap(x), report))
        check_not_stopped(report.outcome)
        context.synchronize()
    del monitor
    return x, report
