# SPDX-License-Identifier: Apache-2.0
"""The places in which gpu_others.py puts tulle, on the CPU, where SciPy's sparse matrices stand for CuPy's; and the
counts that it wrote down where PyTorch and CuPy are."""
import json

import numpy as np
import pytest
import scipy.sparse as sp

import instead_cupy
from gpu_others import unexplained, with_rows
from test_others import HERE, README

S = sp.random(30, 20, 0.2, format="csr", random_state=1)
SQUARE = sp.csr_matrix(sp.random(30, 30, 0.05, random_state=2) @ sp.eye(30) + 5 * sp.eye(30))


def theirs(*operands, **settings):
    return "theirs"


def around(A, C):
    return sp.csr_matrix((C.data, C.indices, C.indptr), shape=C.shape)


times = instead_cupy.dispatcher(theirs, np.ndarray, around)


@pytest.mark.parametrize("A", [S, S.tocsc(), S.astype(np.float32)])
def test_products_of_cupy(A):
    x, X = np.ones(20, A.dtype), np.arange(60, dtype=A.dtype).reshape(20, 3)
    np.testing.assert_allclose(times(A, x), A @ x, rtol=1e-5)
    np.testing.assert_allclose(times(A, X), A @ X, rtol=1e-5)
    np.testing.assert_allclose(times(A.T, np.ones(30, A.dtype)), A.T @ np.ones(30), rtol=1e-5)
    for B in (A.T, A.T.tocsr()):
        np.testing.assert_allclose(times(A, B).toarray(), (A @ B).toarray(), rtol=1e-5)


def test_products_that_cupy_keeps():
    for A, x in ((S, np.ones(20, np.float32)), (S.astype(complex), np.ones(20)), (S, np.ones(21)), (S, 2.0),
                 (S.tocoo(), np.ones(20)), (S, S), (S, np.ones((20, 1, 1)))):
        assert times(A, x) == "theirs"


@pytest.mark.parametrize("name", ["cg", "bicgstab", "gmres"])
def test_methods_of_cupy(name):
    A = SQUARE @ SQUARE.T if name == "cg" else SQUARE
    method, b = instead_cupy.method_of(name, theirs, np.ndarray), np.ones(30)
    for x, info in (method(A, b, rtol=1e-9), method(A, b[:, None], x0=b / 5, rtol=1e-9)):
        assert info == 0 and np.linalg.norm(A @ x - b) < 1e-8
    assert method(A, b, maxiter=1, rtol=1e-12)[1] == 1
    for kept in (dict(M=A), dict(callback=print), dict(restart=3)):
        assert method(A, b, **kept) == "theirs"
    assert method(A.toarray(), b) == method(A, np.ones(31)) == method(A, b.astype(np.float32)) == "theirs"


@pytest.mark.filterwarnings("ignore:Sparse")
def test_products_of_pytorch():
    torch = pytest.importorskip("torch")
    import instead
    import instead_torch
    A, D = torch.sparse_csr_tensor(S.indptr, S.indices, S.data, size=S.shape), torch.tensor(S.toarray())
    x, X, c = torch.rand(20, dtype=D.dtype), torch.rand(20, 3, dtype=D.dtype), torch.rand(30, 3, dtype=D.dtype)

    def all_of(A):
        return [A @ x, A.mv(x), torch.mm(A, X), torch.matmul(X.T, A.t()), torch.sparse.mm(A, X),
                torch.addmm(c, A, X, beta=0.5, alpha=2), torch.addmm(c * torch.nan, A, X, beta=0),
                torch.addmv(c[:, 0], A, x), torch.mm(A, X, out=torch.zeros_like(c))]
    counted = instead.calls["entered"]
    product = instead_torch.product
    instead.counted(instead_torch, "product", "entered")
    try:
        with instead_torch.Instead():
            found, C = all_of(A), A @ A.t().to_sparse_csr()
    finally:
        instead_torch.product = product
    assert instead.calls["entered"] == counted + 10
    for a, want in zip(found, all_of(D)):
        torch.testing.assert_close(a, want)
    torch.testing.assert_close(C.to_dense(), D @ D.T)
    assert instead_torch.product(A, x.float()) is None and instead_torch.product(A, c) is None


def test_readme_has_the_counts():
    runs = json.loads((HERE / "gpu_others.json").read_text(encoding="utf-8"))
    assert "torch, CPU" in runs
    for counts in runs.values():
        assert counts["in the library"] > 0 and counts["row"] in README, counts["row"]
        assert counts["calls of the library"] >= counts["in the library"]
        assert not unexplained(counts["left out"])


def test_rows_of_a_table():
    page = "text\n| a | b | 1 |\n| c | d | 2 |\nmore"
    more = with_rows(page, ["| a | b | 3 |", "| e | f | 4 |"])
    assert more == "text\n| a | b | 3 |\n| c | d | 2 |\n| e | f | 4 |\nmore"
