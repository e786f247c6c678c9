# SPDX-License-Identifier: Apache-2.0
"""Arrays, edits and threads that once gave wrong numbers or ended the process."""
import gc
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import tulle
from together import in_threads


def band(n, dtype=np.float64):
    return tulle.csr_array(sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(n, n)).tocsr().astype(dtype))


def misaligned(numbers):
    room = np.zeros(numbers.nbytes + 1, np.uint8)[1:].view(numbers.dtype)
    room[:] = numbers
    assert not room.flags.aligned
    return room


def test_misaligned_vectors():
    A, x = band(50), np.arange(50.0)
    want, y = A @ x, misaligned(x)
    np.testing.assert_array_equal(A @ y, want)
    np.testing.assert_array_equal(A @ y[:, None], want[:, None])
    np.testing.assert_allclose(y @ A, x @ A, rtol=1e-15)
    np.testing.assert_array_equal(tulle.ilu(A) @ y, tulle.ilu(A) @ x)
    B = band(50)
    B.data = misaligned(B.data)
    np.testing.assert_allclose(B @ x, want, rtol=1e-15)
    assert tulle.solve(B, x)[1].converged


def test_transposes_of_transposes_in_another_thread():
    A, b = band(50), np.ones(50)
    want = A @ b  # the library's matrix is one of this thread's context
    found = []

    def work():
        found.extend([tulle.bicgstab(A.T.T, want)[1], tulle.amg(A.T.T).shape, np.array_equal(A.T.T @ b, want)])
    in_threads(work, 1)
    assert found == [0, (50, 50), True]
    tulle.set_threads(1)
    try:
        assert tulle.ilu(A.T.T).shape == (50, 50) and np.array_equal(A.T.T @ b, want)
    finally:
        tulle.set_threads(None)


def test_a_transpose_after_edits():
    A, x = band(50), np.arange(50.0)
    for edit in (lambda: A.data.__imul__(2), lambda: A.setdiag(7.0, k=3), lambda: A.T.setdiag(5.0, k=20),
                 lambda: setattr(A, "data", A.data + 1), A.sort_indices):
        np.testing.assert_allclose(A.T @ x, A.toarray().T @ x, rtol=1e-14)
        edit()
    np.testing.assert_allclose(A.T @ x, A.toarray().T @ x, rtol=1e-14)
    np.testing.assert_allclose(A.T.T @ x, A.toarray() @ x, rtol=1e-14)


@pytest.mark.filterwarnings("ignore")
def test_operators_keep_the_arrays_that_they_borrow():
    A = band(200_000)
    b = np.ones(200_000)
    M, F = tulle.amg(A), tulle.ilu(A)
    before, factors = M @ b, F @ b
    A.setdiag(1.0, k=7)
    gc.collect()
    np.zeros(600_000)
    np.testing.assert_array_equal(M @ b, before)
    np.testing.assert_array_equal(F @ b, factors)
    with pytest.raises(tulle.InvalidArgument, match="pattern"):
        M.update(A)
    with pytest.raises(tulle.InvalidArgument, match="pattern"):
        F.update(A)


@pytest.mark.parametrize("fill", [0, 2])
def test_factors_of_an_array_that_is_sorted_in_place(fill):
    A, b = band(3000), np.arange(3000.0)
    A = tulle.csr_array(A[:, ::-1])[::-1]  # rows whose columns fall
    A = tulle.csr_array((A.data, A.indices, A.indptr), shape=A.shape)
    assert not A.has_sorted_indices
    F = tulle.ilu(A, fill=fill)
    want = F @ b
    A.sort_indices()
    A.data *= 2
    np.testing.assert_array_equal(F @ b, want)
    F.update(A)
    np.testing.assert_array_equal(F @ b, want / 2)
    A.indices[:] = np.arange(A.nnz) % 3
    A.changed()
    with pytest.raises(tulle.InvalidArgument, match="pattern"):
        F.update(A)
    F.update(band(3000))
    np.testing.assert_array_equal(F @ b, want)


def test_vectors_of_callbacks_may_be_kept():
    A, seen = band(300_000), []
    M = spl.LinearOperator(A.shape, lambda v: (seen.append(v), v)[1], dtype=float)
    assert tulle.cg(A, np.ones(A.shape[0]), M=M, rtol=1e-8)[1] == 0
    gc.collect()
    assert all(np.isfinite(v.sum()) for v in seen)


def test_views_of_edited_arrays():
    n = 3000
    indices, indptr = np.tile(np.array([2, 1, 1], np.int32), n), np.arange(0, 3 * n + 1, 3, dtype=np.int32)
    A = tulle.csr_array((np.ones(3 * n), indices, indptr), shape=(n, n))
    x = np.ones(n)
    T = A.T
    np.testing.assert_array_equal(T @ x, sp.csc_array(T) @ x)
    A.sum_duplicates()
    for result, want in ((T @ x, sp.csc_array(T) @ x), ((T + T).sum(), 2 * sp.csc_array(T).sum())):
        np.testing.assert_allclose(result, want)
    assert T.tocsr().nnz == 2 * n


def test_one_operator_in_several_threads():
    A = band(20_000)
    M, b = tulle.amg(A), np.random.default_rng(1).random(20_000)
    F = tulle.ilu(A)
    want, factors, wrong = M @ b, F @ b, []

    def work():
        for _ in range(20):
            if not np.array_equal(M @ b, want) or not np.array_equal(F @ b, factors):
                wrong.append(1)
            if tulle.cg(A, b, M=M, rtol=1e-8)[1]:
                wrong.append(2)
    in_threads(work)
    assert not wrong


def test_a_matrix_of_another_thread_is_solved_with():
    A, found = band(100), []
    A @ np.ones(100)
    in_threads(lambda: found.extend([tulle.solve(A, np.ones(100))[1], tulle.amg(A), tulle.ilu(A)]), 1)
    assert found[0].converged and len(found) == 3
    tulle.set_threads(1)
    assert tulle.solve(A, np.ones(100))[1].converged
    tulle.set_threads(None)


def test_complex_systems_are_scipys():
    A, b = band(50), np.ones(50) + 1j * np.arange(50)
    for method in (tulle.cg, tulle.bicgstab, tulle.gmres):
        x, info = method(A, b, rtol=1e-10)
        assert info == 0 and np.abs(A @ x - b).max() < 1e-6
    with pytest.raises(tulle.InvalidArgument, match="complex"):
        tulle.solve(A, b)
    with pytest.raises(tulle.InvalidArgument, match="complex"):
        tulle.solve(A.astype(complex), b)
    np.testing.assert_allclose((tulle.ilu(A) @ b).imag, tulle.ilu(A) @ b.imag)


@pytest.mark.parametrize("dtype, unit", [(np.float64, 1e-300), (np.float32, 1e-30), (np.float64, 1e200)])
@pytest.mark.parametrize("method", [tulle.cg, tulle.bicgstab, tulle.gmres])
def test_systems_in_units_whose_squares_leave_the_range(method, dtype, unit):
    A, b = band(20).astype(dtype), np.arange(20, dtype=dtype)
    x, info = method(A * dtype(unit), b * dtype(unit))
    assert info == 0
    np.testing.assert_allclose(A @ x, b, rtol=0, atol=1e-3)


@pytest.mark.parametrize("number", [np.nan, np.inf])
@pytest.mark.parametrize("method", [tulle.cg, tulle.bicgstab, tulle.gmres])
def test_no_numbers_in_b_are_no_success(method, number):
    b = np.ones(20)
    b[3] = number
    assert method(band(20), b)[1] != 0
    x, info = method(band(20), np.zeros(20), x0=np.ones(20))
    assert info == 0 and not x.any()


def test_values_without_factors():
    A = band(50)
    for F, B in ((tulle.ilu(A), A * 0), (tulle.ic(A), -A)):
        with pytest.raises(tulle.ZeroPivot):
            F.update(B)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
def test_scaling_in_place_after_optimize(dtype):
    A = band(3000, dtype)
    A.optimize(10**7)
    x = np.ones(3000, dtype)
    before = A @ x
    A *= 2
    np.testing.assert_array_equal(A @ x, 2 * before)
    A /= 4
    np.testing.assert_array_equal(A @ x, before / 2)
    T = A.T
    T.optimize(10**7)
    A *= 2
    np.testing.assert_allclose(T @ x, sp.csc_array(T) @ x, rtol=1e-5)


def test_results_have_scipys_types():
    A = band(50)
    assert tulle.cg(A.astype(np.float32), np.ones(50))[0].dtype == np.float64
    assert tulle.cg(A.astype(np.int8), np.ones(50, np.float32))[0].dtype == np.float64
    assert tulle.cg(A.astype(np.float32), np.ones(50, np.float32))[0].dtype == np.float32
    x, info = tulle.cg(A, np.ones(50), x0=np.full(50, 3.0), maxiter=0)
    assert info == 0 and (x == 3).all()
    with pytest.raises(tulle.InvalidArgument, match="x0"):
        tulle.cg(A, np.ones(50), x0=np.ones(3))
    x, report = tulle.solve(A, 1e200 * np.ones(50))
    assert report.converged and report.residual < 1e-7
    with pytest.raises(tulle.InvalidArgument, match="shape"):
        tulle.solve(np.zeros((0, 0)), np.zeros(0))
    with pytest.raises(tulle.InvalidArgument, match="float128|longdouble"):
        tulle.solve(A.astype(np.longdouble), np.ones(50))


@pytest.mark.parametrize("container", [tulle.csr_array, tulle.csc_array])
@pytest.mark.parametrize("short", ["data", "indices", "indptr"])
def test_short_arrays_are_refused(container, short):
    A = container(band(50))
    A @ np.ones(50)
    setattr(A, short, getattr(A, short)[:3].copy())
    for call in (lambda: A @ np.ones(50), lambda: A @ np.ones((50, 2)), A.explain, A.optimize):
        with pytest.raises(tulle.InvalidArgument, match=short):
            call()
    with pytest.raises(ValueError):
        tulle.solve(A, np.ones(50))
    A.indptr = np.zeros(0, A.indices.dtype)
    with pytest.raises(tulle.InvalidArgument, match="indptr has 0"):
        A @ np.ones(50)


@pytest.mark.parametrize("name", ["data", "indices", "indptr"])
def test_borrowed_arrays_are_not_moved(name):
    A, x = band(50), np.ones(50)
    A.data, A.indices, A.indptr = A.data.copy(), A.indices.copy(), A.indptr.copy()
    want = A @ x
    with pytest.raises(ValueError, match="resize"):
        getattr(A, name).resize(10**6, refcheck=False)
    np.testing.assert_array_equal(A @ x, want)
    A.changed()  # the memory is lent no longer
    getattr(A, name).resize(10**6, refcheck=False)


def test_an_array_that_gets_another_type():
    A, x = band(50), np.ones(50)
    A.data = A.data.copy()
    A @ x
    for dtype in (">f8", np.int64):
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")  # NumPy is to forget such edits one day
            A.data.dtype = dtype
        want = sp.csr_array((A.data, A.indices, A.indptr), shape=A.shape) @ x
        np.testing.assert_array_equal(A @ x, want)
        assert (A @ x).dtype == want.dtype


def optimized(tries=8):
    """A matrix with a plan that has a copy of the values, if the library chooses one in so many trials."""
    for _ in range(tries):
        A = band(3000)
        if "copy" in A.optimize(10**8):
            break
    return A


EDITS = {
    "item of A.T": lambda A: A.T.__setitem__((0, 0), 99.0),
    "diagonal of A.T": lambda A: A.T.setdiag(9.0),
    "scaled csr_array(A)": lambda A: tulle.csr_array(A).__imul__(3),
    "divided A.T.T": lambda A: A.T.T.__itruediv__(2),
    "diagonal of A.conj()": lambda A: A.conj(copy=False).setdiag(9.0),
}


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("edit", EDITS)
def test_edits_through_arrays_of_the_same_memory(edit):
    A, x = optimized(), np.random.default_rng(1).random(3000)
    before = A @ x
    EDITS[edit](A)
    want = sp.csr_array((A.data, A.indices, A.indptr), shape=A.shape) @ x
    assert np.abs(want - before).max() > 0.1
    np.testing.assert_allclose(A @ x, want, rtol=0, atol=1e-12)


def test_a_word_reaches_all_arrays_of_the_memory():
    A, x = optimized(), np.ones(3000)
    T, B = A.T, tulle.csr_array(A)
    T.optimize(10**8)
    A.data *= 2
    B.values_changed()
    for M in (A, T, B):
        np.testing.assert_allclose(M @ x, M.toarray() @ x, rtol=0, atol=1e-12)
    handles = A._tulle_handle, T._tulle_handle
    B.changed()
    assert not handles[0].is_of(A) and not handles[1].is_of(T)
    np.testing.assert_allclose(A @ x, A.toarray() @ x, rtol=0, atol=1e-12)
    assert A._tulle_handle.is_of(A)


def test_edits_reach_plans_of_other_threads():
    A, made = optimized(), []

    def work():
        B = tulle.csr_array(A)
        B.optimize(10**8)
        made.extend([B, tulle.amg(A)])
    in_threads(work, 1)
    gc.collect()
    A *= 2
    in_threads(lambda: A.__imul__(2), 1)
    x = np.random.default_rng(1).random(3000)
    for M in (A, made[0]):
        np.testing.assert_allclose(M @ x, A.toarray() @ x, rtol=0, atol=1e-12)


def test_words_of_a_family_of_multigrid():
    with pytest.raises(tulle.InvalidArgument, match="family must be 'smoothed', or None$"):
        tulle.amg(band(50), family="plain", block=2)
