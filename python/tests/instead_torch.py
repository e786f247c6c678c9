# SPDX-License-Identifier: Apache-2.0
"""tulle's products for those of PyTorch's sparse tensors: a mode in which matmul, mm, mv, addmm and addmv of tensors in
CSR and CSC go to tulle.csr, and to PyTorch where tulle has no counterpart."""
import pytest

import tulle

torch = pytest.importorskip("torch")  # a search for doctests imports this file

_REAL = (torch.float32, torch.float64)
_COMPRESSED = (torch.sparse_csr, torch.sparse_csc)
_PRODUCTS = {"matmul", "__matmul__", "mm", "mv", "_sparse_mm"}
_SUMS = {"addmm", "addmv", "_sparse_addmm"}


def is_sparse(a):
    return isinstance(a, torch.Tensor) and a.layout in _COMPRESSED


def is_ours(a, like):
    """True for tensors of the type and device of another that tulle.csr can compute with. It sees a sparse tensor's
    values without what PyTorch records of them, so no gradient would reach the tensor."""
    if type(a) is not torch.Tensor or a.dtype not in _REAL or a.dtype != like.dtype or a.device != like.device:
        return False
    if is_sparse(a):
        return a.ndim == 2 and a.values().ndim == 1 and not (a.requires_grad and torch.is_grad_enabled())
    return a.layout is torch.strided and a.ndim in (1, 2)


def matrix_of(a):
    """A sparse tensor as a tulle.csr, which borrows its arrays."""
    values = a.values().detach().contiguous()
    if a.layout is torch.sparse_csr:
        return tulle.csr((values, a.col_indices().contiguous(), a.crow_indices().contiguous()), shape=tuple(a.shape))
    arrays = values, a.row_indices().contiguous(), a.ccol_indices().contiguous()
    return tulle.csr(arrays, shape=tuple(a.shape)[::-1]).T


def product(a, b):
    """a @ b; None where it is PyTorch's: of batches, blocks and hybrid tensors, of other types, of sparse tensors whose
    gradients are wanted, and of operands that do not fit, where PyTorch's error is wanted."""
    if not (is_ours(a, b) and is_ours(b, a)) or a.ndim == 1 or a.shape[1] != b.shape[0]:
        return None
    if not is_sparse(b):
        A = matrix_of(a)
        if b.requires_grad:
            A.T.optimize()  # gradients are products with A.T, of which gradcheck wants the same bits each time
        return A @ b
    if not is_sparse(a):
        return a @ matrix_of(b)
    C = matrix_of(a) @ matrix_of(b)
    return torch.sparse_csr_tensor(C.indptr, C.indices, C.data, size=C.shape)


def sum_of(c, a, b, beta=1, alpha=1):
    """beta c + alpha a @ b; None as in `product`. c does not count where beta is 0, not even its NaN."""
    if not isinstance(c, torch.Tensor) or c.dtype != a.dtype or c.device != a.device:
        return None
    if is_sparse(c) and (c.requires_grad or not (is_sparse(a) and is_sparse(b))):
        return None
    P = product(a, b)
    if P is None:
        return None
    if not is_sparse(c):
        P = P.to_dense() if is_sparse(P) else P
        if c.ndim > P.ndim or any(m not in (1, n) for m, n in zip(c.shape[::-1], P.shape[::-1])):
            return None
        return alpha * P if beta == 0 else torch.add(beta * c, P, alpha=alpha)
    P = alpha * P if beta == 0 else torch.add(beta * c.to_sparse_csr(), P, alpha=alpha)
    return P if c.layout is torch.sparse_csr else P.to_sparse_csc()


def computed(name, arguments, options):
    """The result of a function by tulle; None where it is PyTorch's."""
    if name in _PRODUCTS and len(arguments) == 2 and not options:
        a, b = arguments
        return product(a, b) if is_sparse(a) or is_sparse(b) else None
    if name in _SUMS and len(arguments) == 3 and set(options) <= {"alpha", "beta"}:
        c, a, b = arguments
        return sum_of(c, a, b, **options) if is_sparse(a) or is_sparse(b) else None
    return None


def put(out, result):
    """Writes a result where the caller wants it; None where PyTorch has to judge the place."""
    if type(out) is not torch.Tensor or out.requires_grad or out.layout is not torch.strided or is_sparse(result):
        return None
    if out.shape != result.shape or out.dtype != result.dtype or out.device != result.device:
        return None
    return out.copy_(result.detach())


class Instead(torch.overrides.TorchFunctionMode):
    """While it is entered, products of sparse tensors go to tulle."""

    def __torch_function__(self, func, types, args=(), kwargs=None):
        options = dict(kwargs or {})
        out = options.pop("out", None)
        result = computed(getattr(func, "__name__", ""), args, options)
        if result is not None and out is not None:
            result = put(out, result)
        return func(*args, **(kwargs or {})) if result is None else result
