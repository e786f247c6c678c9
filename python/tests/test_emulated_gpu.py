# SPDX-License-Identifier: Apache-2.0
"""The way of arrays on a GPU, without a GPU: contexts run the library's GPU kernels on the emulator, whose memory is
the host's, a stand-in for CuPy has arrays of NumPy, and tensors live on the CPU. Streams are not there: gpu_arrays.py
has tests of them for a machine with a GPU."""
import sys
import types

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from together import in_threads
from tulle import _context, _kinds, fem

try:
    tulle.Context("emulated")
except tulle.NoDevice:
    pytest.skip("this library has no emulator", allow_module_level=True)


class Memory:
    def __init__(self, array):
        self.ptr, self.device_id = array.__array_interface__["data"][0], 0


class FakeArray(np.ndarray):
    """An array of NumPy with the attributes of CuPy's."""

    data = property(Memory)


def of_gpu(array):
    return np.asarray(array).view(FakeArray)


class Device:
    def __init__(self, number):
        assert number == 0

    def __enter__(self):
        return self

    def __exit__(self, *_):
        return None


class _Interface:
    def __init__(self, array):
        self.owner, self.__array_interface__ = array, array.__cuda_array_interface__


def fake_cupy():
    cupy = types.ModuleType("cupy")
    cupy.ndarray = FakeArray
    cupy.empty = lambda shape, dtype: of_gpu(np.full(shape, np.nan).astype(dtype))
    cupy.asarray = lambda array: of_gpu(np.asarray(_Interface(array)))
    cupy.ascontiguousarray = lambda array: of_gpu(np.ascontiguousarray(array))
    cupy.cuda = types.SimpleNamespace(Device=Device, get_current_stream=lambda: types.SimpleNamespace(ptr=0),
                                      runtime=types.SimpleNamespace(getDevice=lambda: 0))
    return cupy


@pytest.fixture(name="emulated", autouse=True)
def _emulated(monkeypatch):
    """GPU 0 is the emulator, and cupy the stand-in."""
    monkeypatch.setattr(_context, "_name", lambda device: "emulated")
    monkeypatch.setattr(_context, "_DEFAULT_STREAM", 0)
    monkeypatch.setitem(sys.modules, "cupy", fake_cupy())
    monkeypatch.setattr(_kinds, "_made", {})
    monkeypatch.setattr(_kinds, "_of_type", {np.ndarray: _kinds.NUMPY})
    yield
    _context._of_thread.on_gpus.clear()


def theirs(rows, cols, dtype=np.float64, index=np.int32):
    S = sp.csr_array(sp.random(rows, cols, 0.2, format="csr", dtype=dtype, random_state=1))
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    return S


def near(a, b):
    eps = np.finfo(b.dtype).eps
    assert isinstance(a, FakeArray) and a.dtype == b.dtype
    np.testing.assert_allclose(a, b, rtol=0, atol=100 * eps * (1 + np.abs(b).max(initial=0)))


def on_gpu(S):
    return tulle.csr(tuple(map(of_gpu, (S.data, S.indices, S.indptr))), shape=S.shape)


def dense(A):
    return of_gpu(sp.csr_array(tuple(map(np.asarray, (A.data, A.indices, A.indptr))), shape=A.shape).toarray())


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_products(dtype, index):
    S = theirs(30, 20, dtype, index)
    A, rng = on_gpu(S), np.random.default_rng(1)
    assert "CuPy on GPU 0" in repr(A)
    assert {context.backend for context in A._core.contexts} == {"emulated"}
    x, y, X = rng.random(20).astype(dtype), rng.random(30).astype(dtype), rng.random((20, 5)).astype(dtype)
    near(A @ of_gpu(x), S @ x)
    near(A @ of_gpu(x[::-1]), S @ x[::-1])
    near(A.T @ of_gpu(y), S.T @ y)
    near(of_gpu(y) @ A, S.T @ y)
    for Y in (X, np.asfortranarray(X), X[:, ::2], X[:, 1:3], X[:, :1], X[:, :0]):
        near(A @ of_gpu(Y), S @ Y)
    for B, want in ((A.T @ A, S.T @ S), (A @ A.T, S @ S.T)):
        near(dense(B), want.toarray())
        assert isinstance(B.data, FakeArray) and B.indices.dtype == index
        near(B @ of_gpu(np.ones(B.shape[1], dtype)), want @ np.ones(B.shape[1], dtype))


def test_values_and_plans():
    S = theirs(30, 30)
    A, x = on_gpu(S), of_gpu(np.ones(30))
    A.optimize(10**6)
    A.T.optimize(10**6)
    A.data[:] *= 2
    A.values_changed()
    near(A @ x, S @ np.ones(30))
    near(A.T @ x, S.T @ np.ones(30))
    B = A.with_values(of_gpu(np.arange(float(A.nnz))))
    near(B @ x, sp.csr_array((np.arange(float(A.nnz)), S.indices, S.indptr), shape=S.shape) @ np.ones(30))


def test_solve():
    line = sp.diags([-1.0, 2.5, -1.2], [-1, 0, 1], shape=(60, 60)).tocsr()
    b = of_gpu(np.random.default_rng(1).random(60))
    for A, S in ((on_gpu(line), line), (on_gpu(line).T, line.T)):
        x, report = tulle.solve(A, b, rtol=1e-10)
        assert isinstance(x, FakeArray) and report.converged and np.linalg.norm(S @ np.asarray(x) - b) < 1e-9


def test_solve_by_nodes():
    body = fem.Elasticity(fem.generate("box-hex:4x2x2"), 1.0, 0.3, f=(0.0, 0.0, -1.0),
                          conditions=[fem.Dirichlet("x-min")])
    A, b, B = body.matrix(), body.load(), body.rigid_motions()
    for motions in (of_gpu(B), of_gpu(np.asfortranarray(B)), None):
        x, report = tulle.solve(on_gpu(sp.csr_array(A)), of_gpu(b), block=3, near_null=motions)
        assert isinstance(x, FakeArray) and report.converged and report.precond == "amg-smoothed:2"
        assert np.linalg.norm(A @ np.asarray(x) - b) < 1.1e-8 * np.linalg.norm(b)
    with pytest.raises(tulle.InvalidArgument, match="near_null"):
        tulle.solve(on_gpu(sp.csr_array(A)), of_gpu(b), near_null=B)


def spd(n, dtype=np.float64):
    return sp.diags([-1.0, 2.5, -1.2], [-1, 0, 1], shape=(n, n)).tocsr().astype(dtype)


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("make", [tulle.amg, tulle.ilu, tulle.ic])
def test_preconditioners(make, dtype):
    line = sp.csr_array(sp.diags([-1.0, 2.1, -1.0], [-1, 0, 1], shape=(400, 400)).astype(dtype))
    A, b = on_gpu(line.copy()), of_gpu(np.random.default_rng(1).random(400).astype(dtype))
    M = make(A)
    assert {context.backend for context in M._contexts} == {"emulated"}
    want, ones = np.asarray(M @ b), np.asarray(M @ of_gpu(np.ones(400, dtype)))
    near(M.solve(b), want)
    near(M @ of_gpu(np.ones((400, 3), dtype)), np.stack(3 * [ones], axis=1))
    if make is not tulle.amg:  # whose smoothers are other ones on a CPU
        near(M @ b, make(tulle.csr_array(line)) @ np.asarray(b))
    for method in (tulle.cg, tulle.bicgstab, tulle.gmres):
        x, info = method(A, b, M=M, rtol=1e-5)
        assert info == 0 and isinstance(x, FakeArray) and x.dtype == dtype
        assert np.linalg.norm(line @ np.asarray(x) - b) < 2e-5 * np.linalg.norm(b)
    M.update(A.with_values(of_gpu(4 * line.data)))
    near(M @ b, want / dtype(4))
    A.data[:] = 2 * line.data
    M.update(A)
    near(M @ b, want / dtype(2))
    A.data[:] = line.data
    M.update(A)
    near(M @ b, want)


def test_methods_without_preconditioner():
    line, b = spd(60), of_gpu(np.random.default_rng(1).random(60))
    for A, S in ((on_gpu(line), line), (on_gpu(line).T, line.T)):
        for M in (None, tulle.ilu(A), on_gpu(sp.csr_array(sp.eye(60).tocsr()))):
            x, info = tulle.gmres(A, b, M=M, rtol=1e-10)
            assert info == 0 and np.linalg.norm(S @ np.asarray(x) - b) < 1e-9
        again, info = tulle.bicgstab(A, b, x0=x, rtol=1e-9)
        assert info == 0 and np.linalg.norm(S @ np.asarray(again) - b) < 1e-8
        assert tulle.cg(A, of_gpu(np.zeros(60)))[0].tolist() == [0.0] * 60
    x, info = tulle.gmres(on_gpu(line), b, rtol=1e-12, maxiter=1, restart=2)
    assert info == 1


def test_factors_of_a_transpose_are_updated():
    line, b = spd(50), of_gpu(np.ones(50))
    A = on_gpu(line)
    F = tulle.ilu(A.T)
    near(F @ b, tulle.ilu(tulle.csr_array(line.T)) @ np.ones(50))
    F.update(A.with_values(of_gpu(4 * line.data)).T)
    near(F @ b, tulle.ilu(tulle.csr_array(line.T)) @ np.ones(50) / 4)


def test_levels_of_multigrid():
    line = sp.csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(3000, 3000)).tocsr())
    M, host = tulle.amg(on_gpu(line)), tulle.amg(tulle.csr_array(line))
    assert M.levels == host.levels and repr(M) == repr(host) and M.explain()
    assert M.operator_complexity == host.operator_complexity
    near(dense(M.matrix(0)), line.toarray())
    with pytest.raises(tulle.InvalidArgument, match="level is 99"):
        M.matrix(99)


def test_operators_serve_streams_in_turn(monkeypatch):
    """Each stream has a context; the second one waits for the first."""
    line, b = spd(50), of_gpu(np.ones(50))
    F = tulle.ilu(on_gpu(line))
    want = np.asarray(F @ b)
    first = F._last
    waits = []
    monkeypatch.setattr(_kinds.CuPy, "context", lambda self, device, solving=False: other)
    other = tulle.Context("emulated")
    monkeypatch.setattr(type(first), "synchronize", lambda self: waits.append(self))
    near(F @ b, want)
    assert waits == [first] and F._last is other and set(F._contexts) == {first, other}
    monkeypatch.undo()


def test_operators_say_no():
    line = spd(20)
    A, b = on_gpu(line), of_gpu(np.ones(20))
    M = tulle.ilu(A)
    for wrong, words in ((lambda: M @ np.ones(20), "CPU"), (lambda: M @ of_gpu(np.ones(19)), "19"),
                         (lambda: M @ of_gpu(np.ones(20, np.float32)), "not converted"),
                         (lambda: tulle.amg(on_gpu(theirs(4, 5))), "square"),
                         (lambda: M.update(on_gpu(theirs(20, 20))), "another pattern"),
                         (lambda: M.update(tulle.csr_array(line)), "tulle.csr"),
                         (lambda: M.update(on_gpu(spd(20, np.float32))), "float32"),
                         (lambda: tulle.cg(A, b, M=tulle.ilu(tulle.csr_array(line))), "M is a Factors"),
                         (lambda: tulle.cg(A, b, maxiter=0), "maxiter is 0"),
                         (lambda: tulle.cg(A, of_gpu(np.ones((20, 2)))), "vector is wanted"),
                         (lambda: tulle.cg(A, b, callback=print), "callback")):
        with pytest.raises(tulle.InvalidArgument, match=words):
            wrong()
    with pytest.raises(tulle.ZeroPivot):
        tulle.ilu(on_gpu(sp.csr_array(np.array([[0.0, 1], [1, 0]]))))


def test_it_says_no():
    A = on_gpu(theirs(5, 5))
    with pytest.raises(tulle.InvalidArgument, match="GPU 0"):
        A @ np.ones(5)
    with pytest.raises(tulle.InvalidArgument, match="CPU"):
        tulle.csr(theirs(5, 5)) @ of_gpu(np.ones(5))


class Unused:
    """A context that computes nothing."""

    trimmed = 0

    def trim(self):
        Unused.trimmed += 1


def test_contexts_are_kept_by_stream(monkeypatch):
    made = []
    monkeypatch.setattr(_context, "Context", lambda name, stream: made.append((name, stream)) or Unused())
    monkeypatch.setattr(_context, "_DEFAULT_STREAM", 1)
    first = _context.gpu(0, 0)
    assert _context.gpu(0, 0) is first and _context.gpu(0, 7) is not first
    assert _context.gpu(0, 0, solving=True) is not first and _context.gpu(0, 7, solving=True) is _context.gpu(0, 7)
    assert [stream for _, stream in made] == [1, 7, 0]
    for stream in range(100, 120):
        _context.gpu(0, stream)
    assert len(_context._of_thread.on_gpus) == _context._MOST_STREAMS and Unused.trimmed == 3 + 20 - 16
    in_threads(lambda: _context.gpu(0, 5), 1)  # its context gives its memory back at the thread's end
    assert Unused.trimmed == 3 + 20 - 16 + 1


def test_gradients(monkeypatch):
    """Tensors that claim to be on GPU 0, for the library's part of the work."""
    torch = pytest.importorskip("torch")
    monkeypatch.setattr(_kinds.PyTorch, "context", lambda self, device, solving=False: _context.gpu(0, 0, solving))
    S = (theirs(8, 8) + sp.diags([4.0], [0], shape=(8, 8))).tocsr()
    values = torch.tensor(S.data, requires_grad=True)
    indices, indptr = torch.tensor(S.indices), torch.tensor(S.indptr)
    X, b = (torch.rand(shape, dtype=torch.float64, requires_grad=True) for shape in ((8, 2), (8,)))

    def product(values, X):
        return tulle.csr((values, indices, indptr), shape=S.shape) @ X

    def solution(values, b):
        return tulle.solve(tulle.csr((values, indices, indptr), shape=S.shape), b, rtol=1e-13)[0]
    assert torch.autograd.gradcheck(product, (values, X), fast_mode=True)
    assert torch.autograd.gradcheck(solution, (values, b), fast_mode=True)
    with torch.no_grad():
        A = tulle.csr((values, indices, indptr), shape=S.shape)
        C = A.T @ A
    assert isinstance(C.data, torch.Tensor)
    np.testing.assert_allclose((C @ torch.ones(8, dtype=torch.float64)).numpy(), S.T @ (S @ np.ones(8)))
