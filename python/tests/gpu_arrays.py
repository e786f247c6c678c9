# SPDX-License-Identifier: Apache-2.0
"""Tests of arrays of PyTorch and CuPy on a GPU. The library has to be built with CUDA.

    python -m pytest python/tests/gpu_arrays.py      tests of a library that is not installed are skipped
"""
import copy
import gc
import importlib
import threading
import time

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from together import in_threads
from tulle import _context, _device, fem


def module(name):
    """A library of arrays that has a GPU; None where there is none."""
    try:
        found = importlib.import_module(name)
        count = found.cuda.device_count() if name == "torch" else found.cuda.runtime.getDeviceCount()
    except Exception:  # CuPy's import fails in several ways where there is no driver
        return None
    return found if count > 0 else None


torch, cupy = module("torch"), module("cupy")
needs_torch = pytest.mark.skipif(torch is None, reason="no PyTorch with a GPU")
needs_cupy = pytest.mark.skipif(cupy is None, reason="no CuPy with a GPU")
needs_two = pytest.mark.skipif(torch is None or torch.cuda.device_count() < 2, reason="no second GPU")
pytestmark = [pytest.mark.filterwarnings("ignore:Sparse"),
              pytest.mark.filterwarnings("error::tulle.ConvergenceWarning")]


class Torch:
    """What tests need of PyTorch, under names that both libraries share."""

    def __init__(self, device=0):
        self.where = f"cuda:{device}"

    def array(self, numbers):
        return torch.tensor(np.ascontiguousarray(numbers), device=self.where)

    def host(self, array):
        return array.detach().cpu().numpy()

    def is_own(self, array):
        return type(array) is torch.Tensor and array.is_cuda

    def address(self, array):
        return array.data_ptr()

    def by_columns(self, array):
        return array.T.contiguous().T

    def stream(self):
        return torch.cuda.current_stream(self.where).cuda_stream

    def sparse(self, S):
        parts = (self.array(part) for part in (S.indptr, S.indices, S.data))
        return torch.sparse_csr_tensor(*parts, size=S.shape)

    def parts(self, T):
        return T.values(), T.col_indices(), T.crow_indices()


class CuPy:
    """The same of CuPy."""

    def array(self, numbers):
        return cupy.asarray(np.ascontiguousarray(numbers))

    def host(self, array):
        return cupy.asnumpy(array)

    def is_own(self, array):
        return type(array) is cupy.ndarray

    def address(self, array):
        return array.data.ptr

    def by_columns(self, array):
        return cupy.asfortranarray(array)

    def stream(self):
        return cupy.cuda.get_current_stream().ptr

    def sparse(self, S):
        import cupyx.scipy.sparse
        return cupyx.scipy.sparse.csr_matrix(sp.csr_matrix(S))

    def parts(self, T):
        return T.data, T.indices, T.indptr


LIBRARIES = [pytest.param(Torch, marks=needs_torch, id="torch"), pytest.param(CuPy, marks=needs_cupy, id="cupy")]


@pytest.fixture(name="lib", params=LIBRARIES)
def _lib(request):
    return request.param()


def random(rows, cols, dtype=np.float64, index=np.int32, seed=1, per_row=20):
    """Rows of about as many entries each, in places at random."""
    rng = np.random.default_rng(seed)
    offsets = np.arange(0, rows * per_row + 1, per_row)
    S = sp.csr_array((rng.random(rows * per_row), rng.integers(0, cols, rows * per_row), offsets), shape=(rows, cols))
    S.sum_duplicates()
    S.data, S.indices, S.indptr = S.data.astype(dtype), S.indices.astype(index), S.indptr.astype(index)
    return S


def on(lib, S):
    return tulle.csr(tuple(lib.array(part) for part in (S.data, S.indices, S.indptr)), shape=S.shape)


def near(lib, a, want):
    assert lib.is_own(a)
    a, eps = lib.host(a), np.finfo(want.dtype).eps
    assert a.dtype == want.dtype and a.shape == want.shape
    np.testing.assert_allclose(a, want, rtol=0, atol=200 * eps * (1 + np.abs(want).max(initial=0)))


def dense(lib, A):
    return sp.csr_array(tuple(lib.host(part) for part in (A.data, A.indices, A.indptr)), shape=A.shape).toarray()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_products(lib, dtype, index):
    S = random(700, 500, dtype, index)
    A, rng = on(lib, S), np.random.default_rng(1)
    assert "GPU 0" in repr(A) and A.explain()
    assert {context.backend for context in A._core.contexts} == {"cuda"}
    x, y, X = rng.random(500).astype(dtype), rng.random(700).astype(dtype), rng.random((500, 20)).astype(dtype)
    near(lib, A @ lib.array(x), S @ x)
    near(lib, A.T @ lib.array(y), S.T @ y)
    near(lib, lib.array(y) @ A, S.T @ y)
    near(lib, lib.array(X.T) @ A.T, (S @ X).T)
    own = lib.array(X)
    for Y, want in ((own, X), (lib.by_columns(own), X), (own[:, ::2], X[:, ::2]), (own[:, 3:9], X[:, 3:9]),
                    (own[:, :1], X[:, :1]), (own[:, :0], X[:, :0]), (lib.by_columns(own)[:, ::3], X[:, ::3])):
        near(lib, A @ Y, S @ want)
    near(lib, A @ own[:, 5], S @ X[:, 5])
    near(lib, A.T @ lib.array((S @ X)), S.T @ (S @ X))
    for B, want in ((A.T @ A, S.T @ S), (A @ A.T, S @ S.T)):
        np.testing.assert_allclose(dense(lib, B), want.toarray(), rtol=0, atol=200 * np.finfo(dtype).eps)
        assert lib.is_own(B.data) and lib.host(B.indices).dtype == index
        ones = np.ones(B.shape[1], dtype)
        near(lib, B @ lib.array(ones), want @ ones)


def test_their_sparse_matrices(lib):
    S, x = random(300, 200), np.ones(200)
    T = lib.sparse(S)
    A = tulle.csr(T)
    near(lib, A @ lib.array(x), S @ x)
    np.testing.assert_allclose(lib.host(A @ lib.array(x)), lib.host(T @ lib.array(x)), rtol=1e-12)
    B = A.T @ T
    np.testing.assert_allclose(dense(lib, B), (S.T @ S).toarray(), atol=1e-12)
    for mine, own in zip((A.data, A.indices, A.indptr), lib.parts(T)):
        assert lib.address(mine) == lib.address(own)


def pointers(A):
    view = _device.ffi.new("tulle_mat_arrays *")
    _device.check(_device.lib.tulle_mat_view(A._core.mat, view))
    return [int(_device.ffi.cast("intptr_t", pointer)) for pointer in (view.values, view.cols, view.offsets)]


def test_nothing_is_copied(lib):
    A = on(lib, random(300, 300))
    assert pointers(A) == [lib.address(array) for array in (A.data, A.indices, A.indptr)]
    B = A @ A
    assert pointers(B) == [lib.address(array) for array in (B.data, B.indices, B.indptr)]
    want, parts = dense(lib, B), (B.data, B.indices, B.indptr)
    del A, B
    gc.collect()
    other = on(lib, random(300, 300, seed=2))
    other @ other  # takes memory of the pool
    again = sp.csr_array(tuple(lib.host(part) for part in parts), shape=(300, 300)).toarray()
    np.testing.assert_array_equal(again, want)


def test_results_of_products_live_in_their_librarys_memory(lib):
    A, x = on(lib, random(50_000, 50_000, per_row=5)), lib.array(np.ones(50_000))
    A @ x
    before = [context.memory for context in A._core.contexts]
    kept = [A @ x for _ in range(20)]
    assert [context.memory for context in A._core.contexts] == before and len({lib.address(y) for y in kept}) == 20


def test_values_and_plans(lib):
    S, x = random(2000, 2000), np.ones(2000)
    A, of_gpu = on(lib, S), lib.array(x)
    words = A.optimize(10**6), A.T.optimize(10**6), A.optimize(10**6, vectors=8)
    assert all(words)
    near(lib, A @ of_gpu, S @ x)
    near(lib, A.T @ of_gpu, S.T @ x)
    near(lib, A @ lib.array(np.ones((2000, 8))), S @ np.ones((2000, 8)))
    A.data[:] = A.data * 2
    A.values_changed()
    near(lib, A @ of_gpu, 2 * (S @ x))
    near(lib, A.T @ of_gpu, 2 * (S.T @ x))
    values = np.arange(float(S.nnz))
    B, want = A.with_values(lib.array(values)), sp.csr_array((values, S.indices, S.indptr), shape=S.shape)
    near(lib, B @ of_gpu, want @ x)
    near(lib, B.T @ of_gpu, want.T @ x)
    near(lib, A @ of_gpu, 2 * (S @ x))
    C = copy.deepcopy(B)
    near(lib, C @ of_gpu, want @ x)


def grid(n, shift=0.0):
    line = sp.diags([-1.0, 2.0 + shift, -1.0 - shift], [-1, 0, 1], shape=(n, n))
    return sp.csr_array(sp.kron(sp.eye(n), line) + sp.kron(line, sp.eye(n)))


@pytest.mark.parametrize("shift", [0.0, 0.2])
def test_solve(lib, shift):
    S = grid(60, shift)
    b = np.random.default_rng(1).random(S.shape[0])
    for A, want in ((on(lib, S), S), (on(lib, S).T, S.T)):
        x, report = tulle.solve(A, lib.array(b), rtol=1e-9)
        assert lib.is_own(x) and report.converged and report.residual <= 1.01e-9
        assert np.linalg.norm(want @ lib.host(x) - b) <= 1.1e-9 * np.linalg.norm(b)
    X, report = tulle.solve(on(lib, S), lib.array(np.column_stack([b, 2 * b])), x0=lib.array(np.zeros((b.size, 2))))
    assert report.converged and lib.host(X).shape == (b.size, 2)


def test_solve_by_nodes(lib):
    body = fem.Elasticity(fem.generate("box-hex:16x8x8,size=2x1x1"), 1.0, 0.3, f=(0.0, 0.0, -1.0),
                          conditions=[fem.Dirichlet("x-min")])
    S, b, B = sp.csr_array(body.matrix()), body.load(), body.rigid_motions()
    counts = []
    for motions in (lib.array(B), None):
        x, report = tulle.solve(on(lib, S), lib.array(b), block=3, near_null=motions)
        assert lib.is_own(x) and report.converged and report.precond == "amg-smoothed:2"
        assert np.linalg.norm(S @ lib.host(x) - b) < 1.1e-8 * np.linalg.norm(b)
        counts.append(report.iterations)
    assert counts[0] < counts[1]


@pytest.mark.parametrize("make", [tulle.amg, tulle.ilu, tulle.ic])
def test_preconditioners(lib, make):
    S = grid(60)
    A, b = on(lib, S), lib.array(np.random.default_rng(1).random(S.shape[0]))
    M, size = make(A), np.linalg.norm(lib.host(b))
    first = lib.host(M @ b)
    for method in (tulle.cg, tulle.bicgstab, tulle.gmres):
        x, info = method(A, b, M=M, rtol=1e-9)
        assert lib.is_own(x) and info == 0 and np.linalg.norm(S @ lib.host(x) - lib.host(b)) <= 1.1e-9 * size
    M.update(A.with_values(4 * A.data))
    np.testing.assert_allclose(lib.host(M @ b), first / 4, rtol=1e-5, atol=1e-9)
    with pytest.raises(tulle.InvalidArgument, match="CPU"):
        M @ np.ones(S.shape[0])


@needs_torch
def test_preconditioners_serve_streams_and_threads():
    lib, S = Torch(), grid(60)
    A, b = on(lib, S), torch.ones(S.shape[0], dtype=torch.float64, device="cuda")
    M, found = tulle.ilu(A), []
    want = lib.host(M @ b)
    stream = torch.cuda.Stream()
    for _ in range(20):
        with torch.cuda.stream(stream):
            stream.wait_stream(torch.cuda.default_stream())
            found.append(M @ b)
        found.append(M @ b)
    torch.cuda.synchronize()
    in_threads(lambda: found.append(M @ b), 3)
    torch.cuda.synchronize()
    for x in found:
        np.testing.assert_array_equal(lib.host(x), want)


def test_it_says_no(lib):
    A = on(lib, random(50, 50))
    with pytest.raises(tulle.InvalidArgument, match="CPU"):
        A @ np.ones(50)
    with pytest.raises(tulle.InvalidArgument, match="GPU 0"):
        tulle.csr(random(50, 50)) @ lib.array(np.ones(50))
    with pytest.raises(tulle.InvalidArgument, match="float32"):
        A @ lib.array(np.ones(50, np.float32))
    with pytest.raises(tulle.InvalidArgument, match="column"):
        tulle.csr((A.data, A.indices + 50, A.indptr), shape=A.shape)


def test_threads_share_a_matrix(lib):
    S, wrong = random(3000, 3000), []
    A, x = on(lib, S), lib.array(np.ones(3000))
    want = S @ np.ones(3000)

    def work():
        try:
            for _ in range(50):
                near(lib, A @ x, want)
            (A @ A) @ x
        except BaseException as error:  # told to the main thread
            wrong.append(error)
    threads = [threading.Thread(target=work) for _ in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert not wrong
    near(lib, A @ x, want)


@needs_torch
@needs_cupy
def test_two_libraries_share_a_matrix():
    S, x = random(500, 400), np.ones(400)
    A = on(Torch(), S)
    near(CuPy(), A @ cupy.asarray(x), S @ x)
    near(Torch(), on(CuPy(), S) @ Torch().array(x), S @ x)
    exported = sp.csr_array(S)
    seen = tuple(Interface(cupy.asarray(part)) for part in (exported.data, exported.indices, exported.indptr))
    near(CuPy(), tulle.csr(seen, shape=S.shape) @ Interface(cupy.asarray(x)), S @ x)


class Interface:
    """An array of an unknown library."""

    def __init__(self, array):
        self.array, self.__cuda_array_interface__ = array, array.__cuda_array_interface__


def used_streams():
    return {device_stream[1] for device_stream in _context._of_thread.on_gpus}


@needs_torch
def test_streams_of_torch():
    """Work runs in the current stream, behind what is queued there."""
    lib, S = Torch(), random(20_000, 20_000)
    A, want = on(lib, S), S @ np.full(20_000, 3.0)
    assert 1 in used_streams()  # the default stream
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        A @ torch.ones(20_000, dtype=torch.float64, device="cuda")  # makes the context
        assert side.cuda_stream in used_streams()
        for _ in range(20):
            x = torch.zeros(20_000, dtype=torch.float64, device="cuda")
            torch.cuda._sleep(2_000_000)
            x += 3
            y = A @ x
            del x
            got = y.cpu().numpy()
            np.testing.assert_allclose(got, want, rtol=1e-12)
            B = A @ A
            near(lib, B @ torch.ones(20_000, dtype=torch.float64, device="cuda"), S @ (S @ np.ones(20_000)))


@needs_cupy
def test_streams_of_cupy():
    lib, S = CuPy(), random(20_000, 20_000)
    A, want = on(lib, S), S @ np.full(20_000, 3.0)
    cupy.cuda.get_current_stream().synchronize()
    for non_blocking in (False, True):
        side = cupy.cuda.Stream(non_blocking=non_blocking)
        with side:
            A @ cupy.ones(20_000)
            assert side.ptr in used_streams()
            for _ in range(20):
                x = cupy.zeros(20_000)
                for _ in range(30):
                    x += 0.1
                y = A @ x
                del x
                np.testing.assert_allclose(cupy.asnumpy(y), want, rtol=1e-9)
        del side, y
        gc.collect()
    near(lib, A @ cupy.full(20_000, 3.0), want)


@needs_torch
def test_products_do_not_wait():
    """While the stream sleeps for about a second, products return."""
    lib, S = Torch(), random(20_000, 20_000)
    A, x, X = on(lib, S), lib.array(np.ones(20_000)), lib.array(np.ones((20_000, 8)))

    def several():
        return [A @ x for _ in range(10)] + [A @ X, A.T @ x]
    results = several()  # PyTorch has memory for as many results then
    del results
    torch.cuda.synchronize()
    start = time.perf_counter()
    torch.cuda._sleep(1_500_000_000)
    results = several()
    queued = time.perf_counter() - start
    torch.cuda.synchronize()
    done = time.perf_counter() - start
    assert done > 0.3 and queued < done / 3
    near(lib, results[0], S @ np.ones(20_000))


@needs_torch
def test_products_in_a_graph():
    """A product is captured in a CUDA graph after one in the same stream."""
    S = random(5000, 5000)
    A, x = on(Torch(), S), torch.ones(5000, dtype=torch.float64, device="cuda")
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):
        for _ in range(2):
            A @ x
    side.synchronize()
    graph = torch.cuda.CUDAGraph()
    with torch.cuda.graph(graph, stream=side):
        y = A @ x
    x.fill_(5.0)
    graph.replay()
    torch.cuda.synchronize()
    near(Torch(), y, S @ np.full(5000, 5.0))


def small_system():
    S = random(12, 12, per_row=3) + sp.csr_array(sp.diags([-1.0, 4.0, -0.5], [-1, 0, 1], shape=(12, 12)))
    lib = Torch()
    values = lib.array(S.data).requires_grad_()
    return values, lib.array(S.indices), lib.array(S.indptr), S.shape


@needs_torch
@pytest.mark.parametrize("turned", [False, True])
def test_gradients(turned):
    values, indices, indptr, shape = small_system()
    torch.manual_seed(1)
    X = torch.randn(12, 3, dtype=torch.float64, device="cuda", requires_grad=True)
    b = torch.randn(12, dtype=torch.float64, device="cuda", requires_grad=True)

    def matrix(values):
        A = tulle.csr((values, indices, indptr), shape=shape)
        return A.T if turned else A
    for operand in (X, b):
        assert torch.autograd.gradcheck(lambda v, x: matrix(v) @ x, (values, operand), nondet_tol=1e-12)
        assert torch.autograd.gradcheck(lambda v, x: tulle.solve(matrix(v), x, rtol=1e-13)[0], (values, operand),
                                        nondet_tol=1e-9)
    side = torch.cuda.Stream()
    side.wait_stream(torch.cuda.current_stream())
    with torch.cuda.stream(side):  # gradients run in the stream of the product
        loss = (matrix(values) @ X).square().sum()
        loss.backward()
    side.synchronize()
    D = torch.zeros(shape, dtype=torch.float64, device="cuda")
    rows = torch.repeat_interleave(torch.arange(12, device="cuda"), indptr.diff())
    D = D.index_put((rows, indices.long()), values.detach()).requires_grad_()
    of_all = torch.autograd.grad(((D.T if turned else D) @ X.detach()).square().sum(), D)[0]
    torch.testing.assert_close(values.grad, of_all[rows, indices.long()])


@needs_torch
def test_edits_of_tensors_are_noticed():
    S, x = random(500, 500), torch.ones(500, dtype=torch.float64, device="cuda")
    A = on(Torch(), S)
    A.optimize(10**7)
    before = A @ x
    A.data.mul_(2)
    torch.testing.assert_close(A @ x, 2 * before)
    A.data.data = A.data.data / 2
    torch.testing.assert_close(A @ x, before)


@needs_two
def test_a_second_gpu():
    S, x = random(500, 400), np.ones(400)
    lib = Torch(1)
    A = on(lib, S)
    near(lib, A @ lib.array(x), S @ x)
    near(lib, (A.T @ A) @ lib.array(x), S.T @ (S @ x))
    assert (A @ lib.array(x)).device.index == 1 and torch.cuda.current_device() == 0
    assert tulle.solve(on(lib, grid(30)), lib.array(np.ones(900)))[1].converged
    with pytest.raises(tulle.InvalidArgument, match="GPU 0"):
        A @ Torch(0).array(x)
    if cupy is not None:
        with cupy.cuda.Device(1):
            B, own = on(CuPy(), S), cupy.asarray(x)
            near(CuPy(), B @ own, S @ x)
        y, C = B @ own, B.T @ B  # GPU 0 is current again
        assert y.data.device_id == 1 and C.data.data.device_id == 1
        with cupy.cuda.Device(1):
            near(CuPy(), y, S @ x)


def test_nothing_leaks(lib):
    def free():
        gc.collect()
        tulle.empty_cache()
        return (torch.cuda.mem_get_info() if torch else cupy.cuda.runtime.memGetInfo())[0]

    def calls(count):
        for _ in range(count):
            A = on(lib, S)
            A @ x
            A.with_values(A.data) @ X
            A @ A
    S, x, X = random(500, 500), lib.array(np.ones(500)), lib.array(np.ones((500, 4)))
    calls(50)
    before = free()
    calls(500)
    assert before - free() < 2**23
