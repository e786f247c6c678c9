# SPDX-License-Identifier: Apache-2.0
"""Tensors of PyTorch on the CPU: products, gradients, edits that are noticed, and two libraries with threads in one
process. gpu_arrays.py has the same on a GPU."""
import copy
import gc
import io
import os
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from processes import leaks_nothing
from together import in_threads
from tulle import _device

torch = pytest.importorskip("torch")

pytestmark = [pytest.mark.filterwarnings("ignore:Sparse"),
              pytest.mark.filterwarnings("error::tulle.ConvergenceWarning")]
TYPES = [torch.float32, torch.float64]


def csr_tensor(rows, cols, dtype=torch.float64, index=torch.int64, seed=1, density=0.1):
    S = sp.random(rows, cols, density, format="csr", random_state=seed)
    parts = torch.tensor(S.indptr, dtype=index), torch.tensor(S.indices, dtype=index), torch.tensor(S.data, dtype=dtype)
    return torch.sparse_csr_tensor(*parts, size=S.shape)


def parts_of(T):
    return T.values(), T.col_indices(), T.crow_indices()


def near(a, b):
    assert type(a) is torch.Tensor and a.shape == b.shape and a.dtype == b.dtype
    size = float(b.detach().abs().max()) if b.numel() else 0.0
    torch.testing.assert_close(a.detach(), b.detach(), rtol=0, atol=100 * torch.finfo(b.dtype).eps * (1 + size))


def dense(A):
    return torch.sparse_csr_tensor(A.indptr, A.indices, A.data, size=A.shape).to_dense()


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", [torch.int32, torch.int64])
def test_products(dtype, index):
    T = csr_tensor(60, 40, dtype, index)
    A, D = tulle.csr(T), T.to_dense()
    x, y, X = torch.rand(40, dtype=dtype), torch.rand(60, dtype=dtype), torch.rand(40, 7, dtype=dtype)
    near(A @ x, D @ x)
    near(A.T @ y, D.T @ y)
    near(y @ A, y @ D)
    near(X.T @ A.T, X.T @ D.T)
    near(A @ X[:, 3], D @ X[:, 3])
    near(A @ x[:1].expand(40), D @ x[:1].expand(40))
    columns = X.T.contiguous().T
    for Y in (X, columns, X[:, ::2], X[:, 2:5], columns[:, ::3], X[:, :1], X[:, :0], x[:, None].expand(40, 3)):
        near(A @ Y, D @ Y)
    assert (A @ X).is_contiguous() and (A @ columns).T.is_contiguous()
    negative = torch.complex(X, X).conj().imag
    assert negative.is_neg()
    near(A @ negative, D @ negative)
    near(A @ negative[:, 0], D @ negative[:, 0])
    for B, want in ((A.T @ A, D.T @ D), (A @ A.T, D @ D.T), (A.T @ T, D.T @ D)):
        near(dense(B), want)
        assert B.indices.dtype == index
        near(B @ B.T @ torch.ones(B.shape[0], dtype=dtype), want @ (want.T @ torch.ones(B.shape[0], dtype=dtype)))


def address_of(pointer):
    return int(_device.ffi.cast("intptr_t", pointer))


def view_of(A):
    view = _device.ffi.new("tulle_mat_arrays *")
    _device.check(_device.lib.tulle_mat_view(A._core.mat, view))
    return view


def test_nothing_is_copied():
    T = csr_tensor(50, 50)
    A = tulle.csr(T)
    view = view_of(A)
    for pointer, array in zip((view.values, view.cols, view.offsets), parts_of(T)):
        assert address_of(pointer) == array.data_ptr()
    assert A.data.data_ptr() == T.values().data_ptr()
    B = A @ A
    assert address_of(view_of(B).values) == B.data.data_ptr()
    values, want = B.data, dense(B)
    parts = B.indptr, B.indices
    del A, B, T, view
    gc.collect()
    torch.zeros(10_000)
    near(torch.sparse_csr_tensor(*parts, values, size=want.shape).to_dense(), want)


def test_arrays_of_two_libraries_on_the_cpu():
    S = sp.random(30, 20, 0.2, format="csr")
    A, x = tulle.csr(S), torch.ones(20, dtype=torch.float64)
    near(A @ x, torch.tensor(S @ x.numpy()))
    B = tulle.csr(tuple(torch.tensor(part) for part in (S.data, S.indices, S.indptr)), shape=S.shape)
    assert isinstance(B @ x.numpy(), np.ndarray)
    x.requires_grad_()
    (A @ x).sum().backward()
    near(x.grad, torch.tensor(S.T @ np.ones(30)))
    B.data.requires_grad_()
    with pytest.raises(tulle.InvalidArgument, match="no tensor"):
        B @ np.ones(20)


def test_it_says_no():
    T = csr_tensor(5, 4)
    values, indices, indptr = parts_of(T)
    for A, shape, words in ((T.to_sparse_coo(), None, "CSR"), (T.to_dense(), None, "CSR"),
                            ((values.half(), indices, indptr), (5, 4), "float16"),
                            ((values, indices.short(), indptr), (5, 4), "int16"),
                            ((values, indices, indptr.numpy()), (5, 4), "one library"),
                            ((values, indices, indptr.to("meta")), (5, 4), "meta")):
        with pytest.raises(tulle.InvalidArgument, match=words):
            tulle.csr(A, shape=shape)
    A = tulle.csr(T)
    for x, words in ((torch.ones(5, dtype=torch.float64), "shape"), (torch.ones(4), "float32"),
                     (torch.ones(4, dtype=torch.float64, device="meta"), "meta"), (T.to_sparse_coo(), "CSR")):
        with pytest.raises(tulle.InvalidArgument, match=words):
            A @ x


def test_a_matrix_of_tensors_is_refused_in_clear_words():
    A, b = tulle.csr(csr_tensor(20, 20)), np.ones(20)
    for call in (tulle.Triangle, tulle.uniform.Pattern, lambda A: tulle.gmres(np.eye(20), b, M=A),
                 lambda A: tulle.spgemm(A, np.eye(20)),
                 lambda A: tulle.spgemm(np.eye(20), np.eye(20), mask=A), lambda A: tulle.spsolve_triangular(A, b),
                 lambda A: tulle.Product(np.eye(20), np.eye(20)).update(A, np.eye(20)),
                 lambda A: tulle.batch.Batch().matmul(A, b)):
        with pytest.raises(tulle.InvalidArgument, match="arrays of PyTorch: here matrices of SciPy"):
            call(A)


def test_preconditioners_and_methods_take_tensors():
    line = sp.diags([-1.0, 2.5, -1.0], [-1, 0, 1], shape=(50, 50)).tocsr()
    values, indices, indptr = (torch.tensor(array) for array in (line.data, line.indices, line.indptr))
    A, b = tulle.csr((values, indices, indptr), shape=(50, 50)), torch.ones(50, dtype=torch.float64)
    for M in (None, tulle.amg(A), tulle.ilu(A), tulle.ic(A)):
        x, info = tulle.cg(A, b, M=M, rtol=1e-10)
        assert info == 0 and isinstance(x, torch.Tensor) and np.linalg.norm(line @ x.numpy() - 1) < 1e-8
    F = tulle.ilu(A)
    values.mul_(2)
    F.update()
    np.testing.assert_allclose((F @ b).numpy(), tulle.ilu(tulle.csr_array(2 * line)) @ np.ones(50))
    for call in (lambda: F @ b.clone().requires_grad_(), lambda: tulle.cg(A, b.clone().requires_grad_()),
                 lambda: tulle.amg(tulle.csr((values.clone().requires_grad_(), indices, indptr), shape=(50, 50)))):
        with pytest.raises(tulle.Unsupported, match="detach"):
            call()


def test_edits_are_noticed():
    T = csr_tensor(40, 40)
    A, x = tulle.csr(T), torch.ones(40, dtype=torch.float64)
    before = A @ x
    A.optimize(10**9)
    A.T.optimize(10**9)
    turned = A.T @ x
    A.data.mul_(2)
    near(A @ x, 2 * before)
    near(A.T @ x, 2 * turned)
    with torch.inference_mode():
        near(A @ x, 2 * before)
        near(tulle.csr((A.data * 2, A.indices, A.indptr), A.shape) @ x, 4 * before)
    A.data.data = A.data.data / 2  # other memory
    gc.collect()
    torch.full((1000,), 7.0)
    near(A @ x, before)
    B = A.with_values(3 * A.data)
    near(B @ x, 3 * before)
    B.data.mul_(2)
    near(B @ x, 6 * before)
    near(B.T @ x, 6 * turned)
    B.data.data = B.data.data / 2
    near(B @ x, 3 * before)
    near(A @ x, before)


def test_edits_that_are_not_counted_need_a_word():
    T = csr_tensor(40, 40)
    A, x = tulle.csr(T), torch.ones(40, dtype=torch.float64)
    B, before = A.with_values(A.data.clone()), A @ x
    A.optimize(10**9)
    with torch.inference_mode():
        C = A.with_values(A.data.clone())
    edits = (lambda t: t.data.mul_(2), lambda t: np.multiply(t.numpy(), 2, out=t.numpy()))
    for factor, edit in zip((2, 4), edits):
        for one in (A, B):
            edit(one.data)
            one.values_changed()
            near(one @ x, factor * before)
    with torch.inference_mode():
        C.data.mul_(2)
        C.values_changed()
        near(C @ x, 2 * before)


def system(n=12):
    S = sp.random(n, n, 0.2, format="csr", random_state=3) + sp.diags([-1.0, 4.0, -0.5], [-1, 0, 1], shape=(n, n))
    S = S.tocsr()
    values = torch.tensor(S.data, requires_grad=True)
    return values, torch.tensor(S.indices), torch.tensor(S.indptr), S.shape


def operands(n=12):
    torch.manual_seed(1)
    return [torch.randn(n, dtype=torch.float64, requires_grad=True),
            torch.randn(n, 3, dtype=torch.float64, requires_grad=True)]


@pytest.mark.parametrize("turned", [False, True])
def test_gradients_of_products(turned):
    values, indices, indptr, shape = system()

    def product(values, X):
        A = tulle.csr((values, indices, indptr), shape=shape)
        return A.T @ X if turned else A @ X
    for X in operands():
        assert torch.autograd.gradcheck(product, (values, X))
        assert torch.autograd.gradgradcheck(product, (values, X))
        assert torch.autograd.gradcheck(product, (values.detach(), X))
        assert torch.autograd.gradcheck(product, (values, X.detach()))


@pytest.mark.parametrize("turned", [False, True])
def test_gradients_of_solutions(turned):
    values, indices, indptr, shape = system()

    def solution(values, B):
        A = tulle.csr((values, indices, indptr), shape=shape)
        return tulle.solve(A.T if turned else A, B, rtol=1e-13)[0]
    for B in operands():
        assert torch.autograd.gradcheck(solution, (values, B))
        assert torch.autograd.gradgradcheck(solution, (values, B))
        assert torch.autograd.gradcheck(solution, (values, B.detach()))


def test_gradients_of_a_symmetric_system():
    n = 300
    line = sp.diags([-1.0, 2.1, -1.0], [-1, 0, 1], shape=(n, n)).tocsr()
    A = tulle.csr((torch.tensor(line.data), torch.tensor(line.indices), torch.tensor(line.indptr)), shape=line.shape)
    b = torch.rand(n, dtype=torch.float64, requires_grad=True)
    guess = torch.zeros(n, dtype=torch.float64)
    x, report = tulle.solve(A, b, x0=guess, rtol=1e-12)
    x.square().sum().backward()
    want = np.linalg.solve(line.toarray().T, 2 * x.detach().numpy())
    np.testing.assert_allclose(b.grad.numpy(), want, rtol=1e-8)
    assert report.method == "cg"


def test_a_guess_gets_no_gradient():
    values, indices, indptr, shape = system()
    A, b = tulle.csr((values.detach(), indices, indptr), shape=shape), operands()[0]
    guess = torch.ones(12, dtype=torch.float64, requires_grad=True)
    x, report = tulle.solve(A, b.detach(), x0=guess)
    assert report.converged and not x.requires_grad and x.grad_fn is None
    x, _ = tulle.solve(A, b, x0=guess)
    x.sum().backward()
    assert x.requires_grad and b.grad is not None and guess.grad is None


def test_gradients_in_parts():
    """The gradient of the values is gathered in parts where it has many numbers."""
    from tulle import _torch
    T = csr_tensor(80, 60)
    values = T.values().clone().requires_grad_()
    G, X = torch.rand(80, 5, dtype=torch.float64), torch.rand(60, 5, dtype=torch.float64)
    grads = []
    for each in (_torch._NUMBERS_AT_ONCE, 100):
        before, _torch._NUMBERS_AT_ONCE = _torch._NUMBERS_AT_ONCE, each
        try:
            A = tulle.csr((values, T.col_indices(), T.crow_indices()), shape=T.shape)
            grads.append(torch.autograd.grad((A @ X * G).sum(), values)[0])
        finally:
            _torch._NUMBERS_AT_ONCE = before
    near(grads[0], grads[1])
    D = T.to_dense().requires_grad_()
    of_all = torch.autograd.grad((D @ X * G).sum(), D)[0]
    near(grads[0], of_all[A._core.rows_of_entries, A.indices])


def test_rows_of_entries_are_found_once():
    values, indices, indptr, shape = system()
    A, x = tulle.csr((values.detach(), indices, indptr), shape=shape), operands()[0].detach()
    kept = []
    for _ in range(3):
        B = A.with_values(values).with_values(values)
        (B @ x).sum().backward()
        assert B._core.rows_of_entries is None
        kept.append(A._core.rows_of_entries)
    assert kept[0] is not None and kept[1] is kept[0] and kept[2] is kept[0]
    near(values.grad, 3 * x[indices.long()])


@pytest.mark.skipif(torch.__version__ < "2", reason="before PyTorch 2 sparse CSR tensors have no gradients")
def test_gradients_reach_sparse_tensors():
    values, indices, indptr, shape = system()
    x = operands()[0].detach()
    (tulle.csr(torch.sparse_csr_tensor(indptr, indices, values, size=shape)) @ x).sum().backward()
    rows = torch.repeat_interleave(torch.arange(12), indptr.diff())
    assert rows.shape == values.shape
    near(values.grad, x[indices.long()])


def test_edits_between_a_product_and_its_gradient_are_errors():
    values, indices, indptr, shape = system()
    A = tulle.csr((values, indices, indptr), shape=shape)
    loss = (A @ operands()[0]).sum()
    with torch.no_grad():
        values.mul_(2)
    with pytest.raises(RuntimeError, match="modified by an inplace operation"):
        loss.backward()


def test_no_gradient_is_lost_unseen():
    values, indices, indptr, shape = system()
    A = tulle.csr((values, indices, indptr), shape=shape)
    with pytest.raises(tulle.Unsupported, match="gradients"):
        A @ A
    with torch.no_grad():
        assert (A @ A).nnz > 0
        assert not (A @ operands()[0]).requires_grad


def test_a_layer_learns():
    """Values of a matrix that an optimizer edits in place approach those of another matrix."""
    torch.manual_seed(2)
    T = csr_tensor(30, 30, torch.float32, torch.int32, density=0.2)

    class Layer(torch.nn.Module):
        def __init__(self):
            super().__init__()
            self.values = torch.nn.Parameter(torch.zeros_like(T.values()))
            self.matrix = tulle.csr((self.values, T.col_indices(), T.crow_indices()), shape=T.shape)

        def forward(self, X):
            return self.matrix @ X
    layer, X = Layer(), torch.randn(30, 64)
    want, optimizer = T.to_dense() @ X, torch.optim.Adam(layer.parameters(), lr=0.05)
    for _ in range(200):
        optimizer.zero_grad()
        loss = (layer(X) - want).square().mean()
        loss.backward()
        optimizer.step()
    assert loss < 1e-4
    torch.testing.assert_close(layer.values.detach(), T.values(), atol=0.05, rtol=0)
    twin = copy.deepcopy(layer)
    assert twin.matrix.data is twin.values
    near(twin(X), layer(X))
    file = io.BytesIO()
    torch.save(layer.state_dict(), file)
    with torch.no_grad():
        layer.values.zero_()
    file.seek(0)
    layer.load_state_dict(torch.load(file))
    near(layer(X), twin(X))


def test_threads_share_a_matrix():
    T = csr_tensor(300, 300)
    A, x, wrong = tulle.csr(T), torch.ones(300, dtype=torch.float64), []
    want, squared = A @ x, dense(A @ A)

    def work():
        for _ in range(100):
            if not torch.equal(A @ x, want) or not torch.equal(dense(A @ A), squared):
                wrong.append(1)
    in_threads(work)
    assert not wrong


def test_backward_in_another_thread():
    values, indices, indptr, shape = system()
    A, b = tulle.csr((values, indices, indptr), shape=shape), operands()[0]
    losses = [(tulle.solve(A, b, rtol=1e-12)[0].sum() + (A @ b).sum()) for _ in range(2)]
    losses[0].backward()
    want = values.grad.clone(), b.grad.clone()
    values.grad = b.grad = None
    in_threads(losses[1].backward, 1)
    near(values.grad, want[0])
    near(b.grad, want[1])


TWO_LIBRARIES = """
import threading
import numpy as np
import scipy.sparse as sp
from together import in_threads

S = sp.diags([1.0, 2.0, 3.0, 4.0, 5.0], [-900, -1, 0, 1, 900], shape=(200_000, 200_000), format="csr")
A, x = tulle.csr(S), torch.ones(200_000, dtype=torch.float64)
D, wrong = torch.ones(600, 600, dtype=torch.float64), []


def work():
    for _ in range(5):
        right = np.array_equal((A @ x).numpy(), S @ x.numpy()), bool((D @ D == 600).all()), float(x.sum()) == 2e5
        if not all(right):
            wrong.append(right)


for of_torch, of_tulle in ((2, 1), (1, 2)):
    torch.set_num_threads(of_torch)
    tulle.set_threads(of_tulle)
    work()
    in_threads(work, 3)
    assert (torch.get_num_threads(), tulle.get_threads()) == (of_torch, of_tulle)
assert not wrong
"""


@pytest.mark.parametrize("order", ["import tulle, torch", "import torch, tulle"])
def test_two_libraries_with_threads_in_one_process(order):
    """PyTorch brings an OpenMP, and tulle has threads of its own: large products of both, one after the other and at
    the same time, are right, and each library keeps its number of threads."""
    folder = pathlib.Path(__file__).parent
    done = subprocess.run([sys.executable, "-c", order + TWO_LIBRARIES], check=False, capture_output=True, text=True,
                          env={**os.environ, "PYTHONPATH": f"{folder}{os.pathsep}{os.environ.get('PYTHONPATH', '')}"})
    assert done.returncode == 0, done.stderr


def test_nothing_leaks():
    values, indices, indptr, shape = system()

    def calls(count):
        for _ in range(count):
            A = tulle.csr((values, indices, indptr), shape=shape)
            loss = (A @ operands()[1]).sum() + tulle.solve(A, operands()[0])[0].sum()
            loss.backward()
            values.grad = None
            with torch.no_grad():
                (A @ A).T @ operands()[0]
    leaks_nothing(calls, 100, 1000)


def in_forward_mode(function, x):
    forward = torch.autograd.forward_ad
    with forward.dual_level():
        return forward.unpack_dual(function(forward.make_dual(x, torch.ones_like(x)))).tangent


def with_batched_gradients(function, x):
    return torch.autograd.functional.jacobian(function, x, vectorize=True)


def of_torch_func(name):
    def transformed(function, x):
        transform = getattr(pytest.importorskip("torch.func"), name)
        if name == "jvp":
            return transform(function, (x,), (x,))
        if name == "grad":
            return transform(lambda x: function(x).sum())(x)
        return transform(function)(torch.stack([x, x]) if name == "vmap" else x)
    return transformed


TRANSFORMS = [in_forward_mode, *map(of_torch_func, ("grad", "jacfwd", "jacrev", "jvp", "vmap"))]


@pytest.mark.parametrize("transform, of", [
    *((transform, of) for transform in TRANSFORMS for of in ("product", "solution", "values")),
    (with_batched_gradients, "product"), (with_batched_gradients, "solution")])
def test_transforms_are_refused(transform, of):
    """A derivative must not be left out without a word, as that of forward mode was."""
    values, columns, offsets = parts_of((torch.eye(5, dtype=torch.float64) * 3).to_sparse_csr())
    A, ones = tulle.csr((values, columns, offsets), shape=(5, 5)), torch.ones(5, dtype=torch.float64)
    functions = {"product": lambda x: A @ x, "solution": lambda x: tulle.solve(A, x)[0],
                 "values": lambda data: tulle.csr((data, columns, offsets), shape=(5, 5)) @ ones}
    with pytest.raises(tulle.Unsupported, match="torch.func .vmap, grad, jvp., batched gradients .* are not supported"):
        transform(functions[of], values)


def test_guesses_of_iterative_methods():
    A = tulle.csr(torch.eye(5, dtype=torch.float64).to_sparse_csr())
    b = torch.arange(5, dtype=torch.float64)
    guess = torch.ones(5, dtype=torch.float64, requires_grad=True)
    for method in (tulle.cg, tulle.bicgstab, tulle.gmres):
        for x0 in (guess, guess[:, None]):
            x, info = method(A, b, x0=x0)
            assert info == 0 and not x.requires_grad and torch.allclose(x, b, rtol=1e-4)
        for wrong in (guess[:3], np.ones(5), guess + 1j, guess.float(), "Mb"):
            with pytest.raises(tulle.InvalidArgument, match="x0"):
                method(A, b, x0=wrong)
