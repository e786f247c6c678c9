# SPDX-License-Identifier: Apache-2.0
"""Batches against NumPy's and SciPy's of each operation, their order, and operands that are refused."""
import gc

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from together import in_threads
from tulle.batch import Batch

TYPES = [(np.float32, 1e-4), (np.float64, 1e-11)]


def square(n=30, dtype=np.float64, seed=1):
    return sp.csr_array((sp.random(n, n, 0.1, random_state=seed) + 3 * sp.eye(n)).tocsr().astype(dtype))


def blocks(count=6, size=4, dtype=np.float64, seed=1):
    """A matrix of square blocks with large ones on the diagonal."""
    rng = np.random.default_rng(seed)
    pattern = sp.random(count, count, 0.3, random_state=seed) + sp.eye(count)
    dense = np.kron(pattern.toarray() != 0, np.ones((size, size))) * rng.random((count * size,) * 2)
    return sp.bsr_array(sp.bsr_matrix((dense + 4 * size * np.eye(count * size)).astype(dtype), blocksize=(size, size)))


@pytest.mark.parametrize("dtype, tolerance", TYPES)
def test_operations(dtype, tolerance):
    rng = np.random.default_rng(2)
    x, X, Z, A = (rng.random(shape).astype(dtype) for shape in ((30,), (30, 3), (30, 2), (3, 4)))
    S = square(dtype=dtype)
    C, batch = S.tocsc(), Batch()
    R = sp.bsr_array(rng.random((30, 30)).astype(dtype), blocksize=(3, 2))
    found = [(batch.matmul(S, x), lambda: S @ x), (batch.matmul(S, X, alpha=2.0), lambda: 2 * (S @ X)),
             (batch.matmul(S, X, transposed=True), lambda: S.T @ X), (batch.matmul(C, x), lambda: S @ x),
             (batch.matmul(C, X, transposed=True), lambda: S.T @ X), (batch.matmul(R, X), lambda: R @ X),
             (batch.matmul(R, x, transposed=True), lambda: R.T @ x), (batch.combine(X, A), lambda: X @ A),
             (batch.combine(X, A[:, 0]), lambda: X @ A[:, 0]), (batch.dot(X, Z), lambda: X.T @ Z),
             (batch.dot(x, Z), lambda: x @ Z), (batch.dot(X, x), lambda: X.T @ x), (batch.dot(x, x), lambda: x @ x),
             (batch.scale(3.0, X), lambda: 3 * X), (batch.copy(X), lambda: X),
             (batch.norm(x), lambda: np.linalg.norm(x)), (batch.norm(X), lambda: np.linalg.norm(X, axis=0)),
             (batch.solve_triangular(S, X), lambda: np.linalg.solve(np.tril(S.toarray()), X)),
             (batch.solve_triangular(C, x, lower=False, unit_diagonal=True),
              lambda: np.linalg.solve(np.triu(S.toarray(), 1) + np.eye(30), x))]
    F = batch.lu(S)
    found += [(batch.solve(F, X), lambda: np.linalg.solve(S.toarray(), X)),
              (batch.solve(F, x, transposed=True), lambda: np.linalg.solve(S.toarray().T, x))]
    for _ in range(2):
        batch.run()
        for result, want in found:
            assert result.dtype == dtype and result.shape == np.shape(want())
            np.testing.assert_allclose(result, want(), atol=10 * tolerance)
        x += 1
        X *= 2
        S.data *= 1.5
        C.data *= 1.5
    assert len(batch) == len(found) + 1 and repr(batch) == f"<tulle batch of {len(batch)} tasks>" and F.row == -1


def test_operands_in_other_layouts():
    room = np.random.default_rng(3).random((40, 12))
    S = square(40)
    batch = Batch()
    for X in (room[:, 2:5], room[:, 3], room.T[4:7].T, np.asfortranarray(room)[:, 1:4], room[:, :1], np.ones((40, 1))):
        out = np.full((40, 9), 7.0)[:, 1:1 + (X.shape[1] if X.ndim == 2 else 1)]
        out = out if X.ndim == 2 else out[:, 0]
        y = batch.matmul(S, X, out=out)
        assert y is out
        batch.run()
        np.testing.assert_allclose(y, S @ X)
        np.testing.assert_allclose(out.base.sum() - out.sum(), 7.0 * (out.base.size - out.size))
    wide = np.zeros(40, np.float32)
    batch.copy(room[:, 0], out=wide)
    batch.run()
    np.testing.assert_allclose(wide, room[:, 0], rtol=1e-6)


def test_tasks_have_the_order_of_recording():
    n, batch = 50, Batch()
    x = np.zeros((n, 4))
    want = x.copy()
    y, step = np.ones(n), np.ones((n, 2))
    for k in range(100):  # writes and reads of columns that overlap
        batch.axpy(1.0, y, x[:, k % 4])
        batch.axpy(0.5, x[:, k % 3:k % 3 + 2], step)
        batch.scale(0.9, x[:, (k + 1) % 4], out=x[:, (k + 1) % 4])
        batch.copy(step[:, 0], out=y)
    other, other_step, z = want, np.ones((n, 2)), np.ones(n)
    batch.run()
    for k in range(100):
        other[:, k % 4] += z
        other_step += 0.5 * other[:, k % 3:k % 3 + 2]
        other[:, (k + 1) % 4] *= 0.9
        z = other_step[:, 0].copy()
    np.testing.assert_allclose(x, other, rtol=1e-12)
    np.testing.assert_allclose(step, other_step, rtol=1e-12)


def test_many_problems():
    rng = np.random.default_rng(4)
    count = 300
    matrices = [square(20, seed=s) for s in range(count)]
    b, x = rng.random((count, 20)), np.zeros((count, 20))
    batch = Batch()
    for S, rhs, out in zip(matrices, b, x):
        batch.solve(batch.lu(S), rhs, out=out)
    residuals = [batch.matmul(S, out, out=rhs.copy(), alpha=-1.0, beta=1.0) for S, out, rhs in zip(matrices, x, b)]
    norms = [batch.norm(r) for r in residuals]
    batch.run()
    assert max(norms) < 1e-12
    for S, rhs, out in zip(matrices[::50], b[::50], x[::50]):
        np.testing.assert_allclose(out, np.linalg.solve(S.toarray(), rhs))


@pytest.mark.parametrize("dtype, tolerance", TYPES)
@pytest.mark.parametrize("size", [1, 3, 4, 5, 8])
def test_blocks(dtype, tolerance, size):
    B = blocks(size=size, dtype=dtype)
    X = np.random.default_rng(1).random((B.shape[0], 3)).astype(dtype)
    batch = Batch()
    y, t = batch.matmul(B, X), batch.matmul(B, X, transposed=True)
    F = batch.lu(B)
    x = batch.solve(F, X)
    for _ in range(2):
        batch.run()
        D = B.toarray()
        np.testing.assert_allclose(y, D @ X, atol=100 * tolerance)
        np.testing.assert_allclose(t, D.T @ X, atol=100 * tolerance)
        np.testing.assert_allclose(x, np.linalg.solve(D, X), atol=10 * tolerance)
        B.data *= 2


def test_bad_pivots():
    good, bad = square(10), square(10, seed=2)
    batch = Batch()
    F, G = batch.lu(good), batch.lu(bad)
    x = batch.solve(F, np.ones(10))
    batch.run()
    values = bad.data.copy()
    bad.data[:] = 0
    with pytest.raises(tulle.ZeroPivot, match="1 of 2"):
        batch.run()
    np.testing.assert_allclose(good @ x, 1)
    batch.run(check_pivots=False)
    assert F.row == -1 and G.row == 0
    bad.data[:] = values
    batch.run()
    assert G.row == -1 and "10 rows" in repr(G)
    with pytest.raises(tulle.ZeroPivot):
        batch.lu(sp.csr_array(np.array([[0.0, 1], [1, 0]])))
    batch.run()  # the refusal recorded nothing
    assert len(batch) == 3


def test_operands_stay():
    batch, want = Batch(), None
    S, x = square(500), np.random.default_rng(1).random(500)
    B = blocks(60)
    want, of_blocks = S @ x, B @ np.ones(B.shape[0])
    y, z = batch.matmul(S, x), batch.matmul(B, np.ones(B.shape[0]))
    S.data = np.zeros_like(S.data)
    B.data = np.zeros_like(B.data)
    del S, x, B
    gc.collect()
    [np.zeros(10**4) for _ in range(10)]
    batch.run()
    np.testing.assert_allclose(y, want)
    np.testing.assert_allclose(z, of_blocks)
    del batch
    gc.collect()
    np.testing.assert_allclose(y, want)


def test_refused():
    S, x = square(), np.ones(30)
    batch, frozen = Batch(), np.zeros(30)
    frozen.flags.writeable = False
    room = np.zeros(30 * 8 + 1, np.uint8)[1:].view(float)
    for wrong in (x.tolist(), np.ones(30, int), np.ones(29), np.ones((30, 0)), np.ones((30, 1, 1)), x[::-1], x * 1j,
                  room, np.broadcast_to(np.ones(1), 30), np.ones(30, np.float32), np.ones((60, 60))[::2, ::2],
                  x.astype(">f8")):
        with pytest.raises(tulle.InvalidArgument):
            batch.matmul(S, wrong)
    for out in (np.zeros(29), np.zeros((30, 1)), frozen, np.zeros(30, np.float32), x, [0.0] * 30):
        with pytest.raises(tulle.InvalidArgument):
            batch.matmul(S, x, out=out)
    for A in (S.astype(complex), S.tocoo(), S.toarray(), S.astype(int), sp.csr_array((0, 3)), sp.csr_array((3, 0)),
              np.ones((2, 2, 2)), sp.bsr_array(np.ones((34, 34)), blocksize=(17, 17))):
        with pytest.raises((tulle.InvalidArgument, ValueError, TypeError)):
            batch.matmul(A, x)
    with pytest.raises(tulle.InvalidArgument):
        batch.combine(np.ones((30, 33)), np.ones((33, 2)))
    with pytest.raises(tulle.InvalidArgument):
        batch.combine(np.ones((30, 3)), np.ones((2, 2)))
    with pytest.raises(tulle.InvalidArgument):
        batch.dot(np.ones((30, 3)), np.ones((29, 3)))
    for A in (sp.csr_array(np.ones((2, 3))), S.tocsc(), S.toarray()):
        with pytest.raises(tulle.InvalidArgument):
            batch.lu(A)
    other = Batch()
    for F in (other.lu(S), None, tulle.ilu(S)):
        with pytest.raises(tulle.InvalidArgument):
            batch.solve(F, x)
    with pytest.raises(tulle.Unsupported):
        batch.solve_triangular(sp.csr_array(np.array([[0.0, 1.0], [1.0, 0.0]])), np.ones(2))
    assert len(batch) == 0
    batch.run()


def test_nan_passes():
    batch, x = Batch(), np.array([1.0, np.nan])
    y = batch.matmul(sp.csr_array(np.eye(2)), x)
    size = batch.norm(x)
    batch.run()
    assert y[0] == 1 and np.isnan(y[1]) and np.isnan(size)


def test_a_batch_in_several_threads():
    S, x = square(100), np.ones(100)
    batch = Batch()
    y = batch.solve(batch.lu(S), batch.matmul(S, x))
    wrong = []

    def work():
        for _ in range(30):
            batch.run()
        own = Batch()
        z = own.matmul(S, x)
        own.run()
        if not np.allclose(z, S @ x):
            wrong.append(1)
    in_threads(work)
    np.testing.assert_allclose(y, x)
    assert not wrong


def test_a_matrix_in_many_tasks():
    S, B = square(), blocks()
    x, z = np.ones(30), np.ones(B.shape[0])
    batch = Batch()
    found = [batch.matmul(S, x) for _ in range(5)] + [batch.matmul(S, x, transposed=True), batch.solve(batch.lu(S), x)]
    of_blocks = [batch.matmul(B, z), batch.solve(batch.lu(B), z)]
    S.data = 2 * S.data  # another array: tasks that follow have it
    twice = batch.matmul(S, x)
    batch.run()
    for y in found[:5]:
        np.testing.assert_allclose(y, S @ x / 2)
    np.testing.assert_allclose(twice, S @ x)
    np.testing.assert_allclose(found[5], S.T @ x / 2)
    np.testing.assert_allclose(S @ found[6], 2)
    np.testing.assert_allclose(of_blocks[0], B @ z)
    np.testing.assert_allclose(B @ of_blocks[1], 1)


class Twice:
    """Random tasks on operands that overlap in one memory: in a batch, and one after the other in a copy of it."""

    def __init__(self, seed):
        self.rng, self.S = np.random.default_rng(seed), square(12, seed=seed)
        self.ours, self.theirs = self.rng.random((2, 600))
        self.theirs[:] = self.ours
        self.batch, self.steps = Batch(), []
        self.F = self.batch.lu(self.S)

    def views(self, width):
        """A place of both memories: a vector where width is 0, with a step, else a matrix of so many columns."""
        at, step = int(self.rng.integers(500)), int(self.rng.integers(max(1, width), 5 + width))
        shape, strides = ((12,), (8 * step,)) if width == 0 else ((12, width), (8 * step, 8))
        return [np.lib.stride_tricks.as_strided(memory[at:], shape, strides)
                for memory in (self.ours, self.theirs) if at + 12 * step <= 600]

    def record(self, operation, width):
        (x, p), (y, q) = (self.views(width) or ([0.0] * 2) for _ in range(2))
        L, A = np.tril(self.S.toarray()), self.S.toarray()
        if operation == "matmul":
            self.batch.matmul(self.S, x, out=y, alpha=0.1, beta=0.5)
            return lambda: np.copyto(q, 0.1 * (A @ p) + 0.5 * q)
        if operation == "axpy":
            self.batch.axpy(0.3, x, y)
            return lambda: np.copyto(q, 0.3 * p + q)
        if operation == "copy":
            self.batch.copy(x, out=y)
            return lambda: np.copyto(q, p)
        if operation == "scale":
            self.batch.scale(0.7, x, out=x)
            return lambda: np.copyto(p, 0.7 * p)
        if operation == "solve":
            self.batch.solve(self.F, x, out=y)
            return lambda: np.copyto(q, np.linalg.solve(A, p))
        self.batch.solve_triangular(self.S, x, out=y)
        return lambda: np.copyto(q, np.linalg.solve(L, p))


@pytest.mark.parametrize("seed", range(20))
def test_random_tasks_on_one_memory(seed):
    twice = Twice(seed)
    for _ in range(80):
        operation = twice.rng.choice(["matmul", "axpy", "copy", "scale", "solve", "triangular"])
        try:
            twice.steps.append(twice.record(operation, int(twice.rng.integers(4))))
        except tulle.InvalidArgument:
            pass  # operands that overlap each other, or lie beyond the memory
    assert len(twice.steps) > 20 and len(twice.batch) == len(twice.steps) + 1
    for _ in range(2):
        twice.batch.run()
        for step in twice.steps:
            step()
        np.testing.assert_allclose(twice.ours, twice.theirs, rtol=1e-9, atol=1e-9)


def test_matrices_without_entries():
    work, b = Batch(), np.ones(3)
    y = work.matmul(tulle.csr_array((3, 4)), np.ones(4))
    x = work.solve_triangular(tulle.csc_array((3, 3)), b, unit_diagonal=True)
    y[:] = 7
    work.run()
    np.testing.assert_array_equal(y, 0)
    np.testing.assert_array_equal(x, b)


@pytest.mark.parametrize("short", ["data", "indices", "indptr"])
def test_short_blocks(short):
    A = sp.bsr_array(sp.eye(8, format="csr"), blocksize=(2, 2))
    A.has_canonical_format = True  # so that SciPy does not look
    setattr(A, short, getattr(A, short)[:2].copy())
    with pytest.raises(tulle.InvalidArgument, match=short):
        Batch().matmul(A, np.ones(8))


def test_factors_want_columns_that_rise():
    # SciPy sorts such arrays in place when it needs that, as in A.max(), and a later run would have other entries.
    A = tulle.csr_array((np.array([1.0, 4.0, 3.0, 1.0]), np.array([1, 0, 1, 0]), np.array([0, 2, 4])), shape=(2, 2))
    batch, b = tulle.batch.Batch(), np.array([5.0, 4.0])
    with pytest.raises(tulle.InvalidArgument, match="ascend"):
        batch.lu(A)
    A.sum_duplicates()
    x = batch.solve(batch.lu(A), b)
    A.max()
    batch.run()
    np.testing.assert_allclose(x, [1.0, 1.0], rtol=1e-15)
