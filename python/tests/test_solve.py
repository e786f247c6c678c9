# SPDX-License-Identifier: Apache-2.0
"""Solutions: in one call, by methods with SciPy's signatures, with preconditioners of both sides; and Ctrl-C."""
import subprocess
import sys
import textwrap
import warnings

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import tulle
from processes import stops_at_interrupt


def grid(n, dtype=np.float64):
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return tulle.csr_array((sp.kron(sp.eye(n), line) + sp.kron(line, sp.eye(n))).tocsr().astype(dtype))


def flow(n):
    """The same with a flow, so that it is not symmetric."""
    wind = sp.kron(sp.eye(n), sp.diags([-0.5, 0.5], [-1, 0], shape=(n, n)))
    return tulle.csr_array((sp.csr_array(grid(n)) + sp.csr_array(wind.tocsr())))


def left(A, x, b):
    return np.linalg.norm(A @ x - b) / np.linalg.norm(b)


@pytest.mark.parametrize("dtype, reached", [(np.float32, 1e-4), (np.float64, 1e-7)])
def test_solve(dtype, reached):
    A, b = grid(40, dtype), np.random.default_rng(1).random(1600).astype(dtype)
    x, report = tulle.solve(A, b)
    assert x.dtype == dtype and report.converged and left(A, x, b) < reached
    assert "outcome   converged" in repr(report) and report.method in repr(report)
    X, report = tulle.solve(A, np.column_stack([b, 2 * b, b[::-1]]))
    assert X.shape == (1600, 3) and report.converged and left(A, X[:, 1], 2 * b) < reached
    assert report.history is None and len(tulle.solve(A, b[:, None])[1].history) > 1
    x, report = tulle.solve(A, b, method="cg", precond="amg", x0=x)
    assert report.method == "cg" and report.precond.startswith("amg") and report.iterations <= 2


def test_solve_takes_other_matrices():
    dense = np.array([[4, 1], [1, 3]])
    for A in (dense, sp.coo_array(dense), sp.csc_matrix(dense), dense.astype(np.float32), dense.tolist()):
        x, report = tulle.solve(A, [5, 4])
        assert report.converged
        np.testing.assert_allclose(x, [1, 1], rtol=1e-5)


def test_solve_says_no():
    A = grid(30)
    for b in (np.ones(5), np.ones((2, 900)), np.ones((900, 0)), np.ones((900, 1, 1))):
        with pytest.raises(tulle.InvalidArgument):
            tulle.solve(A, b)
    with pytest.raises(tulle.InvalidArgument, match="square"):
        tulle.solve(tulle.csr_array(np.ones((2, 3))), np.ones(2))
    with pytest.raises(tulle.Error):
        tulle.solve(A, np.ones(900), method="guess")
    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        x, report = tulle.solve(A, np.ones(900), maxiter=3, method="cg", precond="none")
    assert not report.converged and np.isfinite(x).all()
    with pytest.warns(tulle.ConvergenceWarning):
        tulle.solve(A, np.ones(900), maxiter=3, method="cg", precond="none")


@pytest.mark.parametrize("as_csr", [False, True])
def test_solve_names_the_mistake(as_csr):
    A, b = grid(10), np.ones(100)
    K = tulle.csr(A) if as_csr else A
    for mistake in ({"precond": tulle.amg(A)}, {"method": tulle.cg}, {"maxiter": 1.5}, {"maxiter": -1}, {"rtol": "x"},
                    {"rtol": -1.0}, {"atol": float("nan")}):
        with pytest.raises(tulle.InvalidArgument, match=next(iter(mistake))):
            tulle.solve(K, b, **mistake)
    assert tulle.solve(K, b, maxiter=np.int64(500), rtol=np.float32(1e-3))[1].converged


def test_what_is_no_matrix():
    for wrong in (None, 4.0, "text", np.ones(4), np.ones((2, 2, 2)), spl.aslinearoperator(grid(2)),
                  tulle.ilu(grid(2))):
        for call in (tulle.solve, tulle.spsolve_triangular, lambda A, b: tulle.amg(A), lambda A, b: tulle.ilu(A)):
            with pytest.raises(tulle.InvalidArgument, match="A is"):
                call(wrong, np.ones(4))


@pytest.mark.parametrize("method", [tulle.cg, tulle.bicgstab, tulle.gmres])
def test_methods_say_no(method):
    A, b = grid(4), np.ones(16)
    assert method(A.toarray().tolist(), b.tolist())[1] == method(A, b[:, None])[1] == 0
    for wrong in (np.ones((2, 8)), np.ones((1, 16)), np.ones((16, 2)), np.ones(15), None, "b"):
        with pytest.raises(tulle.InvalidArgument, match=r"^b has the shape \("):
            method(A, wrong)
        if wrong is not None and not isinstance(wrong, str):
            with pytest.raises(tulle.InvalidArgument, match=r"^x0 has the shape \("):
                method(A, b, x0=wrong)
    for wrong in (None, object()):
        with pytest.raises(tulle.InvalidArgument, match="^A is "):
            method(wrong, b)
    for wrong in (-1, 2.5, "many"):
        with pytest.raises(tulle.InvalidArgument, match=f"^maxiter is {wrong!r}: "):
            method(A, b, maxiter=wrong)


def test_solve_is_in_float32_where_both_are():
    A = np.array([[4.0, 1.0], [1.0, 3.0]])
    for first, second in ((np.float32, np.float32), (np.float32, np.float64), (np.float32, np.int64),
                          (np.float64, np.float32), (np.int64, np.float32)):
        x, report = tulle.solve(tulle.csr_array(A.astype(first)), np.array([5, 4], second), rtol=1e-6)
        assert report.converged
        assert x.dtype == (np.float32 if first == second == np.float32 else np.float64)
    x, report = tulle.solve(tulle.csr_array(A.astype(np.float32)), [5e200, 4e200], rtol=1e-13)
    assert report.converged
    np.testing.assert_allclose(x, 1e200, rtol=1e-12)


def preconditioners(A):
    return [None, tulle.amg(A), tulle.amg(A, "plain"), tulle.ilu(A), tulle.ilu(A, 1),
            spl.LinearOperator(A.shape, lambda v: v / 4, dtype=A.dtype), sp.diags(1 / A.diagonal())]


@pytest.mark.parametrize("method", [tulle.cg, tulle.bicgstab, tulle.gmres])
@pytest.mark.parametrize("make", [grid, flow])
def test_methods(method, make):
    if method is tulle.cg and make is flow:
        pytest.skip("CG is for symmetric matrices")
    A = make(30)
    b = np.random.default_rng(2).random(900)
    for M in preconditioners(A):
        x, info = method(A, b, M=M, rtol=1e-9, maxiter=500)
        assert info == 0 and left(A, x, b) < 2e-9
    x, info = method(spl.aslinearoperator(A), b, rtol=1e-9, maxiter=500)
    assert info == 0 and left(A, x, b) < 2e-9
    x, info = method(A, b[:, None], rtol=1e-6, maxiter=500)
    assert x.shape == (900,) and info == 0
    assert method(A, b, rtol=1e-12, maxiter=1)[1] > 0
    assert method(A, np.zeros(900))[1] == 0 and not method(A, np.zeros(900))[0].any()
    seen = []
    x, info = method(A, b, rtol=1e-6, callback=seen.append)  # the iteration is SciPy's then
    assert info == 0 and seen


def test_preconditioners_serve_scipy():
    A = grid(30)
    b = np.ones(900)
    for M in (tulle.amg(A), tulle.ic(A)):
        count = []
        x, info = spl.cg(A, b, M=M, callback=lambda _: count.append(1))
        assert info == 0 and len(count) < 40
        near = M @ np.column_stack([b, 2 * b])
        np.testing.assert_allclose(near[:, 1], 2 * near[:, 0], rtol=1e-12)
    assert tulle.ilu(A).solve(b).shape == (900,)


def test_updates():
    A = grid(30)
    M, F = tulle.amg(A), tulle.ilu(A)
    before, factors = M @ np.ones(900), F @ np.ones(900)
    B = A.copy()
    B.data *= 2
    M.update(B)
    F.update(B)
    np.testing.assert_allclose(M @ np.ones(900), before / 2, rtol=1e-12)
    np.testing.assert_allclose(F @ np.ones(900), factors / 2, rtol=1e-12)
    B.data /= 2
    M.update()
    np.testing.assert_allclose(M @ np.ones(900), before, rtol=1e-12)
    assert "levels" in repr(M) and M.levels[0] == (900, A.nnz) and M.operator_complexity >= 1 and M.explain()
    assert "entries" in repr(F) and F.nnz == A.nnz


def test_zero_pivot():
    with pytest.raises(tulle.ZeroPivot) as failure:
        tulle.ilu(tulle.csr_array(np.array([[0.0, 1], [1, 0]])))
    assert failure.value.row == 0


def test_messages_have_the_words_of_python():
    A = grid(10)
    for wrong, words in ((lambda: tulle.ilu(A, fill=-5), "^fill is a level from 0 on$"),
                         (lambda: tulle.amg(A, degree=99), "^degree is 99"),
                         (lambda: tulle.ilu(tulle.csr_array(np.array([[0.0, 1], [1, 0]]))), "row 0 .* more fill"),
                         (lambda: tulle.ic(-A), "row 0 .* positive definite"),
                         (lambda: A.optimize(-1), "^products is negative$"),
                         (lambda: tulle.solve(A, np.ones(A.shape[0]), atol=np.inf), "^atol is inf$"),
                         (lambda: tulle.solve(A, np.ones(A.shape[0]), method="cg\0x"), "^method is .* without NUL"),
                         (lambda: tulle.fem.generate("sphere:3"), "; tulle.fem.generators.. lists them$"),
                         (lambda: tulle.fem.load("mesh.msh\0x"), "^path is .* without NUL")):
        with pytest.raises(tulle.Error, match=words) as failure:
            wrong()
        assert "options" not in str(failure.value) and "TULLE" not in str(failure.value)


def test_errors_of_callbacks_come_out():
    A = grid(10)

    def fails(_):
        raise RuntimeError("mine")
    with pytest.raises(RuntimeError, match="mine"):
        tulle.cg(A, np.ones(100), M=spl.LinearOperator(A.shape, fails, dtype=float))


def test_interrupt():
    program = textwrap.dedent("""
        import numpy as np, scipy.sparse as sp, sys, tulle
        line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(1200, 1200))
        A = tulle.csr_array((sp.kron(sp.eye(1200), line) + sp.kron(line, sp.eye(1200))).tocsr())
        print("ready", flush=True)
        try:
            tulle.cg(A, np.ones(A.shape[0]), rtol=1e-13)
        except KeyboardInterrupt:
            print("interrupted", (A @ np.ones(A.shape[0])).sum() > 0)
    """)
    stops_at_interrupt(program)


def test_complex_operators_of_real_systems():
    """The imaginary part is not dropped: the call fails, and with a complex b the iteration is SciPy's."""
    A, b = tulle.csr_array(sp.diags([-1.0, 3.0, -1.0], [-1, 0, 1], shape=(20, 20)).tocsr()), np.ones(20)
    turns = sp.linalg.LinearOperator(A.shape, matvec=lambda x: 1j * x, dtype=float)
    for method in (tulle.cg, tulle.bicgstab, tulle.gmres):
        for M in (sp.eye(20, format="csr") * 1j, sp.eye(20).toarray() * 1j, turns):
            with pytest.raises(tulle.InvalidArgument, match="is complex and the system is real"):
                method(A, b, M=M)
        with pytest.raises(tulle.InvalidArgument, match="is complex and the system is real"):
            method(turns, b)
    assert tulle.cg(A, b + 0j, M=sp.eye(20, format="csr") * (1 + 0j))[1] == 0


def test_interrupt_after_an_inner_block():
    """A block that ended inside another one, as of a call in a callback, leaves Ctrl-C to the outer one."""
    program = textwrap.dedent("""
        import os, signal, sys, threading
        import numpy as np, tulle
        from tulle import _device
        from tulle._interrupts import interruptible
        tulle.set_threads(1)
        columns = np.random.default_rng(1).integers(0, 10**5, 6 * 10**6).astype(np.int32)
        offsets = np.arange(0, columns.size + 1, 60, dtype=np.int32)
        A = tulle.csr((np.ones(columns.size), columns, offsets), shape=(10**5, 10**5))
        _device._SHORT = 10**9  # so that the product has no block of its own
        stopped = False
        try:
            with interruptible():
                with interruptible():
                    pass
                threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
                try:
                    A @ A
                except KeyboardInterrupt:
                    stopped = True
                    raise
        except KeyboardInterrupt:
            sys.exit(0 if stopped else 2)
        """)
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=300).returncode == 0
