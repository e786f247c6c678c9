# SPDX-License-Identifier: Apache-2.0
"""Sparse products: masked ones and kept ones against SciPy's."""
import gc

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from processes import leaks_nothing
from together import in_threads

TYPES = [np.float32, np.float64]


def some(rows, cols, dtype=np.float64, seed=1, density=0.1):
    return sp.csr_array(sp.random(rows, cols, density, format="csr", dtype=dtype, random_state=seed))


def near(C, D, dtype=np.float64):
    assert type(C) is tulle.csr_array and C.dtype == D.dtype and C.shape == D.shape
    np.testing.assert_allclose(C.toarray(), D.toarray(), rtol=0, atol=100 * np.finfo(dtype).eps)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("first", ["csr", "csc", "coo"])
@pytest.mark.parametrize("second", ["csr", "csc"])
def test_products(dtype, first, second):
    A, B = some(40, 30, dtype), some(30, 50, dtype, 2)
    C = tulle.spgemm(A.asformat(first), B.asformat(second))
    near(C, A @ B, dtype)
    assert C.has_sorted_indices and C.indices.dtype == np.int32
    near(C @ tulle.csr_array(C.T.tocsr()), (A @ B) @ (A @ B).T, dtype)


def test_zero_sums_stay():
    A = tulle.csr_array([[1.0, 1.0]])
    C = tulle.spgemm(A, tulle.csr_array([[1.0], [-1.0]]))
    assert C.nnz == 1 and C.data[0] == 0


def test_masks():
    A, B, M = some(40, 30), some(30, 50, seed=2), some(40, 50, seed=3)
    want = (A @ B).toarray() * (M.toarray() != 0)
    integers = M.copy()
    integers.data = np.zeros(M.nnz, int)  # an entry counts, whatever its value
    for mask in (M, M.tocsc(), M.tocoo(), M.astype(np.float32), M.astype(bool), integers, M.toarray() != 0):
        C = tulle.spgemm(A, B, mask=mask)
        np.testing.assert_allclose(C.toarray(), want, atol=1e-14)
        assert C.nnz <= M.nnz
    assert tulle.spgemm(A, B, mask=sp.csr_array((40, 50))).nnz == 0
    with pytest.raises(tulle.InvalidArgument, match="mask"):
        tulle.spgemm(A, B, mask=M.T)


def test_triangles():
    rng = np.random.default_rng(5)
    upper = np.triu(rng.random((60, 60)) < 0.2, 1)
    full = (upper | upper.T).astype(float)
    L = tulle.csr_array(np.tril(full))
    assert tulle.spgemm(L, L, mask=L).sum() == round(np.trace(full @ full @ full) / 6)


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("formats", [("csr", "csr"), ("csc", "csr"), ("csr", "csc"), ("csc", "csc")])
def test_kept_products(dtype, formats):
    A, B = (X.asformat(f) for X, f in zip((some(40, 30, dtype), some(30, 50, dtype, 2)), formats))
    P = tulle.Product(A, B)
    near(P.C, A @ B, dtype)
    C = P.C
    for factor in (2, -1, 0):
        assert P.update(factor * A, B) is C
        near(C, (factor * A) @ B, dtype)
        np.testing.assert_allclose(C @ np.ones(50, dtype), (factor * A) @ (B @ np.ones(50, dtype)), atol=1e-3)
    near(P.update(A.tocsr(), 3 * B.tocoo()), A @ (3 * B), dtype)
    A.data[:] = 1  # values that are edited in place
    near(P.update(A, B), A @ B, dtype)
    assert repr(P) == f"<tulle product: 40 by 50, {C.nnz} entries of {np.dtype(dtype)}>"


def test_products_have_their_own_patterns():
    A, B = tulle.csr_array(some(40, 30)), tulle.csr_array(some(30, 50, seed=2))
    P, want = tulle.Product(A, B), (A @ B).toarray()
    again = A.copy()
    A.data[::2] = 0
    A.eliminate_zeros()
    B.resize(5, 5)
    del B
    gc.collect()
    np.testing.assert_allclose(P.update(again, some(30, 50, seed=2)).toarray(), want)
    with pytest.raises(tulle.InvalidArgument, match="A has another pattern"):
        P.update(A, some(30, 50, seed=2))
    with pytest.raises(tulle.InvalidArgument, match="B has another pattern"):
        P.update(again, some(30, 50, seed=3))
    for wrong in (some(30, 30), some(40, 31), np.ones((40, 30))):
        with pytest.raises(tulle.InvalidArgument):
            P.update(wrong, some(30, 50, seed=2))
    np.testing.assert_allclose(P.C.toarray(), want)  # a refusal leaves C as it was
    with pytest.raises(ValueError):
        P.C.indices[0] = 7
    C = P.C.copy()
    C.data[:] = 0
    C.eliminate_zeros()
    kept = P.C
    del P
    gc.collect()
    np.testing.assert_allclose(kept.toarray(), want)


def test_refused():
    A = some(5, 4)
    for wrong in (A, np.ones(5), 3.0, A.astype(complex), np.ones((4, 4, 4))):
        with pytest.raises((tulle.InvalidArgument, ValueError, TypeError)):
            tulle.spgemm(A, wrong)
        with pytest.raises((tulle.InvalidArgument, ValueError, TypeError)):
            tulle.Product(A, wrong)
    with pytest.raises(tulle.InvalidArgument):
        tulle.Product(sp.csr_array((0, 3)), sp.csr_array((3, 2)))


def test_an_update_says_no_to_complex_values():
    A = tulle.csr_array(some(6, 6))
    P = tulle.Product(A, A)
    before, wrong = P.C.toarray(), sp.csr_array(A) * (1 + 2j)
    for operands in ((wrong, A), (A, wrong), (wrong.tocsc(), A)):
        with pytest.raises(tulle.InvalidArgument, match="complex128"):
            P.update(*operands)
    np.testing.assert_array_equal(P.C.toarray(), before)


def test_empty():
    for rows, inner, cols in ((0, 3, 2), (2, 0, 3), (2, 3, 0), (0, 0, 0), (3, 3, 3)):
        C = tulle.spgemm(sp.csr_array((rows, inner)), sp.csr_array((inner, cols)))
        assert C.shape == (rows, cols) and C.nnz == 0
        assert tulle.spgemm(sp.csr_array((rows, inner)), sp.csr_array((inner, cols)), mask=C).nnz == 0


def test_nan_and_other_types():
    A, B = some(20, 20), some(20, 20, seed=2)
    A.data[3] = np.nan
    C = tulle.spgemm(A, B)
    assert np.array_equal(np.isnan(C.toarray()).any(1), np.isnan((A @ B).toarray()).any(1))
    I, J = (sp.csr_array((X.toarray() > 0.5).astype(int)) for X in (B, some(20, 20, seed=3)))
    np.testing.assert_array_equal(tulle.spgemm(I, J).toarray(), (I @ J).toarray())
    assert tulle.spgemm(B.astype(np.float32), B).dtype == np.float64
    long = B.copy()
    long.indices, long.indptr = B.indices.astype(np.int64), B.indptr.astype(np.int64)
    near(tulle.spgemm(long, B), B @ B)


def test_a_product_in_several_threads():
    A = tulle.csr_array(some(200, 200))
    P, wrong = tulle.Product(A, A), []
    want = (A @ A).toarray()

    def work():
        for _ in range(20):
            C = tulle.spgemm(A, A)
            P.update(A, A)
            if not np.array_equal(C.toarray(), want) or not np.array_equal(P.C.toarray(), want):
                wrong.append(1)
    in_threads(work)
    assert not wrong


def test_nothing_leaks():
    def calls(count):
        for _ in range(count):
            P = tulle.Product(A, A)
            P.update(A, A)
            tulle.spgemm(A, A, mask=A)
    A = tulle.csr_array(some(30, 30))
    leaks_nothing(calls, 300, 3000)
