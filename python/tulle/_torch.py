# SPDX-License-Identifier: Apache-2.0
"""Gradients of PyTorch through products and solutions. Imported where a tensor asks for a gradient, never before."""
import torch

from ._errors import InvalidArgument, Unsupported
from ._kinds import NO_TRANSFORMS

_NUMBERS_AT_ONCE = 2**24  # numbers that a gradient of values gathers at a time, beside its result


def _rows_of_entries(core):
    """The row of each entry of the matrix, kept with the core whose pattern it is."""
    core = core.origin or core
    if core.rows_of_entries is None:
        indptr = core.indptr
        rows = torch.arange(core.shape[0], dtype=core.indices.dtype, device=indptr.device)
        core.rows_of_entries = torch.repeat_interleave(rows, indptr.diff(), output_size=core.data.shape[0])
    return core.rows_of_entries


def _gathered(rows, cols, G, X):
    """g_i . x_j for each pair of a row and a column."""
    terms = G.index_select(0, rows) * X.index_select(0, cols)
    return terms if terms.ndim == 1 else terms.sum(1)


def _at_entries(core, op, G, X):
    """g_i . x_j at the entries (i, j) of op(A), in the order of A's values: the gradient of op(A) X with regard to
    them."""
    rows, cols = _rows_of_entries(core), core.indices
    if op:
        rows, cols = cols, rows
    each = max(1, _NUMBERS_AT_ONCE // max(1, X.shape[1] if X.ndim == 2 else 1))
    if rows.shape[0] <= each:
        return _gathered(rows, cols, G, X)
    return torch.cat([_gathered(i, j, G, X) for i, j in zip(rows.split(each), cols.split(each))])


class _Product(torch.autograd.Function):
    """Y = op(A) X, with the gradients op(A)^T G for X, and (g_i . x_j) at A's entries for its values."""

    @staticmethod
    def forward(ctx, values, X, core, op, kind):
        ctx.save_for_backward(values, X)
        ctx.of = core, op, kind
        return core.product(op, X, kind)

    @staticmethod
    def backward(ctx, G):
        values, X = ctx.saved_tensors
        core, op, kind = ctx.of
        gradient = _Product.apply(values, G, core, 1 - op, kind) if ctx.needs_input_grad[1] else None
        at_entries = _at_entries(core, op, G, X) if ctx.needs_input_grad[0] else None
        return at_entries, gradient, None, None, None


class _Solution(torch.autograd.Function):
    """X = op(A)^-1 B, with the gradients L = op(A)^-T G for B, and (-l_i . x_j) at A's entries for its values."""

    @staticmethod
    def forward(ctx, values, B, core, op, solve, reports):
        X, report = solve(core, op, B)
        reports.append(report)
        ctx.save_for_backward(values, X)
        ctx.of = core, op, solve
        return X

    @staticmethod
    def backward(ctx, G):
        values, X = ctx.saved_tensors
        core, op, solve = ctx.of
        L = _Solution.apply(values, G, core, 1 - op, solve, [])
        at_entries = -_at_entries(core, op, L, X) if ctx.needs_input_grad[0] else None
        return at_entries, L if ctx.needs_input_grad[1] else None, None, None, None, None


def _check_no_transform(*tensors):
    """Fails of tensors of torch.func, which these functions do not know."""
    is_wrapped = getattr(getattr(torch._C, "_functorch", None), "is_functorch_wrapped_tensor", lambda tensor: False)
    if any(isinstance(tensor, torch.Tensor) and is_wrapped(tensor) for tensor in tensors):
        raise Unsupported(NO_TRANSFORMS)


def _values(core, x):
    """A's values, for gradients with regard to them; None where they are no tensor."""
    if not isinstance(x, torch.Tensor):
        raise InvalidArgument("gradients of A's values are wanted, and the operand is no tensor: make it one, or use "
                              "torch.no_grad()")
    return core.data if isinstance(core.data, torch.Tensor) else None


def product(core, op, X, kind):
    """op(A) X, of which PyTorch can compute gradients with regard to A's values and to X."""
    _check_no_transform(core.data, X)
    return _Product.apply(_values(core, X), X, core, op, kind)


def solution(core, op, B, solve):
    """op(A)^-1 B and a report, as `product`; solve(core, op, B) computes them without gradients."""
    _check_no_transform(core.data, B)
    reports = []
    return _Solution.apply(_values(core, B), B, core, op, solve, reports), reports[0]
