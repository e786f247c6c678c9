# SPDX-License-Identifier: Apache-2.0
"""Triangular systems against SciPy's."""
import numpy as np
import pytest
import scipy.linalg
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import tulle
from together import in_threads

TYPES = [(np.float32, 1e-4), (np.float64, 1e-11)]


def square(n=60, dtype=np.float64, seed=1):
    return sp.csr_array((sp.random(n, n, 0.1, random_state=seed) + 3 * sp.eye(n)).tocsr().astype(dtype))


@pytest.mark.parametrize("dtype, tolerance", TYPES)
@pytest.mark.parametrize("form", ["csr", "csc", "coo"])
@pytest.mark.parametrize("lower", [True, False])
@pytest.mark.parametrize("unit", [True, False])
def test_solutions(dtype, tolerance, form, lower, unit):
    A = square(dtype=dtype)
    B = np.random.default_rng(2).random((60, 4)).astype(dtype)
    S = A.asformat(form)  # with both triangles, of which one is not read
    T = tulle.Triangle(S, lower, unit)
    D = A.toarray()
    for b in (B[:, 0].copy(), B, np.asfortranarray(B), B[:, ::2], B[::-1], B[:, :0]):
        want = scipy.linalg.solve_triangular(D, b, lower=lower, unit_diagonal=unit)
        for x in (tulle.spsolve_triangular(S, b, lower, unit_diagonal=unit), T.solve(b)):
            assert x.dtype == dtype and x.shape == b.shape
            np.testing.assert_allclose(x, want, atol=tolerance)
        want = scipy.linalg.solve_triangular(D, b, trans=1, lower=lower, unit_diagonal=unit)
        np.testing.assert_allclose(T.H @ b, want, atol=tolerance)
    assert repr(T) == (f"<tulle {'lower' if lower else 'upper'} triangle of 60 rows"
                       f"{' with ones on the diagonal' if unit else ''}>")


def test_as_scipys():
    L = sp.csr_array(sp.tril(square(), format="csr"))
    for b in (np.arange(60), np.ones((60, 2)), np.ones(60, np.float32), np.arange(60) * 1j):
        want = spl.spsolve_triangular(L, b.astype(complex if b.dtype.kind == "c" else float))
        x = tulle.spsolve_triangular(L, b)
        assert x.dtype == want.dtype
        np.testing.assert_allclose(x, want, atol=1e-12)
    C = sp.csr_array(L + 1j * sp.eye(60))
    np.testing.assert_allclose(tulle.spsolve_triangular(C, np.ones(60)), spl.spsolve_triangular(C, np.ones(60)))
    np.testing.assert_allclose(tulle.spsolve_triangular(L.astype(np.float32), np.ones(60)),
                               spl.spsolve_triangular(L.astype(np.float32).astype(float), np.ones(60)), atol=1e-12)
    np.testing.assert_allclose(tulle.spsolve_triangular(L.toarray(), np.ones(60)),
                               spl.spsolve_triangular(L, np.ones(60)))


def test_overwriting():
    L = tulle.csr_array(sp.tril(square(), format="csr"))
    b = np.ones((60, 3))
    want = tulle.spsolve_triangular(L, b)
    assert (b == 1).all()
    x = tulle.spsolve_triangular(L, b, overwrite_b=True)
    assert x is b
    np.testing.assert_array_equal(x, want)
    for b in (np.ones((60, 3), int), np.ones((60, 6))[:, ::2], np.ones((60, 3), np.float32)):
        np.testing.assert_allclose(tulle.spsolve_triangular(L, b, overwrite_b=True), want)
    frozen = np.ones((60, 3))
    frozen.flags.writeable = False
    np.testing.assert_array_equal(tulle.spsolve_triangular(L, frozen, overwrite_b=True), want)


def test_unsorted_and_repeated_entries():
    data, cols = np.array([1.0, 1, 3, 2, 5]), np.array([0, 0, 1, 0, 1], np.int32)
    A = sp.csr_array((data, cols, np.array([0, 2, 5], np.int32)), shape=(2, 2))
    np.testing.assert_allclose(tulle.spsolve_triangular(A, [2.0, 10.0]), [1.0, 1.0])
    np.testing.assert_array_equal(A.data, data)


def test_singular():
    for A, row in ((np.array([[1.0, 0], [1, 0]]), 1), (sp.csr_array((3, 3)), 0), (np.zeros((2, 2)), 0)):
        with pytest.raises(tulle.ZeroPivot) as failure:
            tulle.spsolve_triangular(sp.csr_array(A), np.ones(A.shape[0]))
        assert failure.value.row == row and isinstance(failure.value, np.linalg.LinAlgError)
        x = tulle.spsolve_triangular(sp.csr_array(A), np.ones(A.shape[0]), unit_diagonal=True)
        np.testing.assert_allclose((np.tril(A.toarray() if sp.issparse(A) else A, -1) + np.eye(len(x))) @ x, 1)


def test_nan_reaches_what_depends_on_it():
    L = tulle.csr_array([[1.0, 0, 0], [0, 1, 0], [1, 0, 1]])
    assert np.isnan(tulle.spsolve_triangular(L, [np.nan, 1.0, 1.0])).tolist() == [True, False, True]


def test_refused():
    L = square()
    for b in (np.ones(5), np.ones((5, 60)), np.ones((60, 1, 1)), 1.0, np.array(["a"] * 60), np.ones(60, np.longdouble)):
        with pytest.raises((tulle.InvalidArgument, TypeError)):
            tulle.spsolve_triangular(L, b)
    with pytest.raises(tulle.InvalidArgument, match="square"):
        tulle.Triangle(np.ones((2, 3)))
    with pytest.raises(tulle.InvalidArgument):
        tulle.Triangle(L.astype(complex))
    assert tulle.spsolve_triangular(sp.csr_array((0, 0)), np.ones(0)).shape == (0,)


def test_values_edited_in_place():
    A = tulle.csr_array(sp.tril(square(), format="csr"))
    T = tulle.Triangle(A)
    before = T @ np.ones(60)
    A.data *= 2
    np.testing.assert_allclose(T @ np.ones(60), before / 2)
    A.data = A.data / 2  # another array: the triangle keeps what it has
    np.testing.assert_allclose(T @ np.ones(60), before / 2)
    np.testing.assert_allclose(tulle.spsolve_triangular(A, np.ones(60)), before)


def test_a_triangle_in_several_threads():
    A = tulle.csr_array(sp.tril(square(400), format="csr"))
    wrong = []
    want = tulle.spsolve_triangular(A.copy(), np.ones(400))
    T = tulle.Triangle(A)

    def work():
        for _ in range(50):
            if not np.array_equal(T @ np.ones(400), want):
                wrong.append(1)
            if not np.array_equal(tulle.spsolve_triangular(A, np.ones(400)), want):
                wrong.append(2)
    in_threads(work)
    assert not wrong


def test_it_is_a_preconditioner():
    line = sp.csr_array(sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(200, 200)).tocsr())
    x, info = tulle.gmres(line, np.ones(200), M=tulle.Triangle(line), rtol=1e-9)
    assert info == 0
    np.testing.assert_allclose(line @ x, 1, atol=1e-6)
