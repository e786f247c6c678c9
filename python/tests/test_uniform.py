# SPDX-License-Identifier: Apache-2.0
"""Many small systems at once against NumPy's and SciPy's of each, and operands that are refused."""
import textwrap
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from processes import stops_at_interrupt
from together import in_threads
from tulle import uniform

TYPES = [(np.float32, 2e-4), (np.float64, 1e-10)]


def systems(count=20, n=30, dtype=np.float64, seed=1):
    """A pattern with a full diagonal, values of as many matrices with large diagonals, and the matrices."""
    rng = np.random.default_rng(seed)
    A = sp.csr_array(sp.random(n, n, 0.1, format="csr", random_state=seed) + sp.eye(n))
    P = uniform.Pattern(A)
    values = rng.uniform(-1, 1, (count, P.nnz))
    values[:, P.indices == np.repeat(np.arange(n), np.diff(P.indptr))] += 8
    values = values.astype(dtype)
    return P, values, [P.matrix(v) for v in values]


def near(a, b, tolerance):
    assert a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=0, atol=tolerance * (1 + np.abs(b).max(initial=0)))


@pytest.fixture(name="grouped", params=[False, True])
def _grouped(request, monkeypatch):
    """The second time, calls of the library take three systems or four."""
    if request.param:
        monkeypatch.setattr(uniform, "_AT_ONCE", 400)
        monkeypatch.setattr(uniform, "_SOLVED_AT_ONCE", 400)


@pytest.mark.usefixtures("grouped")
@pytest.mark.parametrize("dtype, tolerance", TYPES)
@pytest.mark.parametrize("order", "CF")
def test_sparse(dtype, tolerance, order):
    P, values, matrices = systems(dtype=dtype)
    values = np.array(values, order=order)
    b = np.array(np.random.default_rng(2).random((20, 30)), dtype, order=order)
    want = np.stack([np.linalg.solve(A.toarray(), v) for A, v in zip(matrices, b)])
    near(P.multiply(values, b), np.stack([A @ v for A, v in zip(matrices, b)]), tolerance)
    for method in ("cg", "bicgstab", "gmres"):
        for precond in ("none", "jacobi", "ilu"):
            if method == "cg":
                continue  # the matrices are not symmetric
            x, reports = P.solve(values, b, method=method, precond=precond)
            assert x.dtype == dtype and reports.converged.all() and (reports.rows == -1).all()
            near(x, want, max(tolerance, 1e-6))
    x, reports = P.solve(values, b, x0=x, rtol=1e-3)
    assert reports.iterations.max() == 0
    lower = np.stack([np.linalg.solve(np.tril(A.toarray()), v) for A, v in zip(matrices, b)])
    near(P.solve_triangular(values, b), lower, tolerance)
    upper = np.stack([np.linalg.solve(np.triu(A.toarray(), 1) + np.eye(30), v) for A, v in zip(matrices, b)])
    near(P.solve_triangular(values, b, lower=False, unit_diagonal=True), upper, tolerance)


def test_cg_of_symmetric_systems():
    line = sp.csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(25, 25)).tocsr())
    P = uniform.Pattern(line)
    values = np.outer(np.arange(1.0, 6), line.data)
    b = np.ones((5, 25))
    x, reports = P.solve(values, b, method="cg", precond="none")
    assert reports.converged.all() and reports.iterations.max() <= 25
    for s, row in enumerate(x):
        near(P.matrix(values[s]) @ row, b[s], 1e-7)
        assert reports.residuals[s] <= 1e-8 * np.linalg.norm(b[s])


def test_ilu():
    P, values, matrices = systems()
    b = np.ones((20, 30))
    F = P.ilu(values)
    for x, A in zip(F.solve(b), matrices):
        near(x, tulle.ilu(A).solve(np.ones(30)), 1e-12)
    F.update(2 * values)
    near(F.solve(2 * b), P.ilu(values).solve(b), 1e-14)
    assert repr(F) == "<tulle factors of 20 sparse systems of 30 rows>"
    bad = values.copy()
    bad[3] = 0
    with pytest.raises(tulle.ZeroPivot, match="system 3") as failure:
        F.update(bad)
    assert failure.value.row == 0
    near(F.solve(2 * b), P.ilu(values).solve(b), 1e-14)  # as it was
    F.update(bad, check=False)
    assert F.rows[3] == 0 and (np.delete(F.rows, 3) == -1).all() and "1 of no use" in repr(F)
    near(np.delete(F.solve(b), 3, 0), np.delete(P.ilu(values).solve(b), 3, 0), 1e-14)


@pytest.mark.parametrize("dtype, tolerance", TYPES)
@pytest.mark.parametrize("n", [1, 2, 7, 32])
def test_dense(dtype, tolerance, n):
    rng = np.random.default_rng(n)
    A = rng.random((50, n, n)).astype(dtype) + 3 * np.eye(n, dtype=dtype)
    b = rng.random((50, n)).astype(dtype)
    tolerance *= n
    near(uniform.solve(A, b), np.linalg.solve(A, b[:, :, None])[:, :, 0], tolerance)
    F = uniform.lu(A)
    B = rng.random((50, n, 3)).astype(dtype)
    near(F.solve(B), np.linalg.solve(A, B), tolerance)
    near(F.solve(np.asfortranarray(b)), F.solve(b), 1e-30)
    F.update(2 * A)
    near(F.solve(2 * b), uniform.solve(A, b), tolerance)
    S = A @ A.transpose(0, 2, 1)
    near(uniform.cholesky(S).solve(b), np.linalg.solve(S, b[:, :, None])[:, :, 0], tolerance)
    near(uniform.cholesky(np.tril(S)).solve(b), uniform.cholesky(S).solve(b), 1e-30)
    assert repr(F) == f"<tulle LU factors of 50 dense systems of {n} rows>" and len(F) == 50


def test_singular_dense():
    A = np.stack([np.eye(3)] * 4)
    A[2, 1] = 0
    with pytest.raises(tulle.ZeroPivot, match="row 1 of system 2"):
        uniform.solve(A, np.ones((4, 3)))
    F = uniform.lu(A, check=False)
    assert F.rows.tolist() == [-1, -1, 1, -1]
    np.testing.assert_array_equal(np.delete(F.solve(np.ones((4, 3))), 2, 0), np.ones((3, 3)))
    with pytest.raises(tulle.ZeroPivot):
        uniform.cholesky(-np.stack([np.eye(3)] * 2))
    with pytest.raises(tulle.ZeroPivot):
        uniform.lu(np.full((1, 2, 2), np.nan))


def test_systems_that_do_not_converge():
    P, values, _ = systems()
    b = np.ones((20, 30))
    values[4] = np.nan
    values[6] = 0
    with pytest.warns(tulle.ConvergenceWarning, match="18 converged.*number 4"):
        x, reports = P.solve(values, b, precond="jacobi")
    assert reports.converged.sum() == 18 and not reports.converged[[4, 6]].any()
    assert reports.rows[6] == 0 and "pivot" in reports.outcome(6) or reports.outcome(6)
    good = reports.converged
    near(P.multiply(values, x)[good], b[good], 1e-6)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        assert "none converged" in repr(P.solve(values, b, maxiter=1, rtol=1e-15, precond="none")[1])
    b[:] = 0
    x, reports = P.solve(values, b)
    assert reports.converged.all() and not x.any()


def test_empty():
    P, values, _ = systems()
    x, reports = P.solve(values[:0], np.ones((0, 30)))
    assert x.shape == (0, 30) and len(reports) == 0 and "0 systems" in repr(reports)
    assert P.multiply(values[:0], np.ones((0, 30))).shape == (0, 30)
    assert P.ilu(values[:0]).solve(np.ones((0, 30))).shape == (0, 30)
    assert uniform.lu(np.ones((0, 4, 4))).solve(np.ones((0, 4))).shape == (0, 4)
    assert uniform.lu(np.ones((3, 0, 0))).solve(np.ones((3, 0))).shape == (3, 0)
    nothing = uniform.Pattern(sp.csr_array((4, 4)))
    np.testing.assert_array_equal(nothing.multiply(np.ones((2, 0)), np.ones((2, 4))), np.zeros((2, 4)))
    np.testing.assert_array_equal(nothing.solve_triangular(np.ones((2, 0)), np.ones((2, 4)), unit_diagonal=True),
                                  np.ones((2, 4)))
    for call in (lambda: nothing.ilu(np.ones((2, 0))), lambda: nothing.solve(np.ones((2, 0)), np.ones((2, 4)))):
        with pytest.raises(tulle.InvalidArgument, match="no entries"):
            call()
    assert len(uniform.Pattern(sp.csr_array((0, 0))).ilu(np.ones((2, 0)))) == 2


def test_refused():
    P, values, _ = systems()
    b = np.ones((20, 30))
    for wrong in (b[:, :5], b[:5], b[0], b[None], b * 1j, np.array([["a"] * 30] * 20),
                  b.astype(np.longdouble)):
        with pytest.raises(tulle.InvalidArgument):
            P.solve(values, wrong)
        with pytest.raises(tulle.InvalidArgument):
            P.multiply(values, wrong)
        with pytest.raises(tulle.InvalidArgument):
            P.ilu(values).solve(wrong)
    for wrong in (values[:, 1:], values[0], values * 1j):
        with pytest.raises(tulle.InvalidArgument):
            P.solve(wrong, b)
        with pytest.raises(tulle.InvalidArgument):
            P.ilu(values).update(wrong)
    with pytest.raises(tulle.InvalidArgument, match="method"):
        P.solve(values, b, method="magic")
    with pytest.raises(tulle.InvalidArgument):
        P.solve(values, b, maxiter=-1)
    for wrong in (np.eye(3), sp.eye(3, format="csc"), sp.csr_array((2, 3)), None):
        with pytest.raises(tulle.InvalidArgument):
            uniform.Pattern(wrong)
    with pytest.raises(tulle.InvalidArgument):  # an entry stands twice
        uniform.Pattern(sp.csr_array((np.ones(2), [0, 0], [0, 2]), shape=(1, 1)))
    with pytest.raises(tulle.TooLarge):
        uniform.Pattern(sp.csr_array(sp.eye(2000, format="csr")))
    with pytest.raises(tulle.TooLarge):
        uniform.lu(np.stack([np.eye(33)]))
    for wrong in (np.ones((3, 2)), np.ones((2, 3, 4)), np.ones((2, 3, 3)) * 1j):
        with pytest.raises(tulle.InvalidArgument):
            uniform.lu(wrong)
    F = uniform.lu(np.stack([np.eye(3)] * 2))
    for wrong in (np.ones(3), np.ones((3, 3)), np.ones((2, 4)), np.ones((2, 3, 1, 1))):
        with pytest.raises(tulle.InvalidArgument):
            F.solve(wrong)
    with pytest.raises(tulle.InvalidArgument):
        F.update(np.ones((3, 3, 3)))


def test_other_numbers_and_layouts():
    P, values, _ = systems()
    b = np.arange(600).reshape(20, 30)
    want, _ = P.solve(values, b.astype(float))
    near(P.solve(values, b)[0], want, 1e-14)
    near(P.solve(values.astype(np.float32).astype(float), b.astype(np.float32))[0], want, 1e-4)
    near(P.solve(np.repeat(values, 2, 1)[:, ::2], np.repeat(b, 2, 0)[::2])[0], want, 1e-14)
    assert P.solve(values.astype(np.float32), b.astype(np.float32))[0].dtype == np.float32
    frozen = values.copy()
    frozen.flags.writeable = False
    near(P.solve(frozen, b)[0], want, 1e-14)


def test_arrays_are_borrowed():
    P, values, _ = systems()
    for order in "CF":
        taken, b = P._operands(np.array(values, order=order), b=np.ones((20, 30), order=order))
        assert np.shares_memory(taken, P._operands(taken)[0]) and P._operands(taken)[0] is taken
        assert P._operands(taken, b=b)[1] is b


def test_threads_share_a_pattern():
    P, values, _ = systems(200)
    b, wrong = np.ones((200, 30)), []
    want, F = P.solve(values, b)[0], P.ilu(values)
    factors = F.solve(b)

    def work():
        for _ in range(10):
            if not np.array_equal(P.solve(values, b)[0], want) or not np.array_equal(F.solve(b), factors):
                wrong.append(1)
            F.update(values)
    in_threads(work)
    assert not wrong


@pytest.mark.parametrize("short", ["indices", "indptr"])
def test_short_arrays(short):
    A = sp.eye(8, format="csr")
    setattr(A, short, getattr(A, short)[:2].copy())
    with pytest.raises(tulle.InvalidArgument, match=short):
        uniform.Pattern(A)


def test_interrupt():
    program = textwrap.dedent("""
        import numpy as np, scipy.sparse as sp, tulle
        line = sp.csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(1000, 1000)).tocsr())
        P = tulle.uniform.Pattern(line)
        values, b = np.tile(line.data, (4000, 1)), np.ones((4000, 1000))
        print("ready", flush=True)
        try:
            P.solve(values, b, precond="none", rtol=1e-14)
        except KeyboardInterrupt:
            print("interrupted", np.allclose(P.multiply(values[:2], b[:2])[:, 1:-1], 0))
    """)
    stops_at_interrupt(program)


@pytest.mark.parametrize("options, message", [({"rtol": 2.0}, "rtol is to be at least 0, below 1"),
                                              ({"atol": -1.0}, "atol is to be at least 0"),
                                              ({"maxiter": -1}, "maxiter is to be at least 0"),
                                              ({"restart": 300}, "restart is to be from 0 to 256")])
def test_options_out_of_range(options, message):
    P = uniform.Pattern(sp.eye(2, format="csr"))
    with pytest.raises(tulle.InvalidArgument, match=f"^{message}$"):
        P.solve([[1.0, 1.0]], [[1.0, 1.0]], **options)


@pytest.mark.filterwarnings("ignore::tulle.ConvergenceWarning")
@pytest.mark.parametrize("method", ["cg", "bicgstab", "gmres"])
def test_solutions_beyond_the_range(method):
    P = uniform.Pattern(sp.eye(1, format="csr"))
    x, reports = P.solve([[1e-300], [1e300], [1e300]], [[1e300], [1e-300], [1e300]], method=method)
    np.testing.assert_array_equal(reports.converged, [False, False, True])
    assert x[2] == 1
