# SPDX-License-Identifier: Apache-2.0
"""tulle.csr around arrays of NumPy, and around arrays that are only known by an interface."""
import copy
import gc
import pickle
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from processes import leaks_nothing
from together import in_threads
from tulle import _device, _kinds


def theirs(rows, cols, dtype=np.float64, index=np.int32, seed=1):
    made = sp.csr_array(sp.random(rows, cols, 0.1, format="csr", dtype=dtype, random_state=seed))
    made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
    return made


def arrays(S):
    return S.data, S.indices, S.indptr


def near(a, b, dtype=np.float64):
    assert a.shape == b.shape and a.dtype == dtype
    np.testing.assert_allclose(a, b, rtol=0, atol=100 * np.finfo(dtype).eps * (1 + np.abs(b).max(initial=0)))


def dense(A):
    return sp.csr_array(arrays(A), shape=A.shape).toarray()


@pytest.mark.parametrize("dtype", [np.float32, np.float64])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_products(dtype, index):
    S = theirs(60, 40, dtype, index)
    A, rng = tulle.csr(arrays(S), shape=S.shape), np.random.default_rng(2)
    x, y = rng.random(40).astype(dtype), rng.random(60).astype(dtype)
    X = rng.random((40, 7)).astype(dtype)
    near(A @ x, S @ x, dtype)
    near(A @ x[::-1], S @ x[::-1], dtype)
    near(A @ np.repeat(x, 3)[::3], S @ x, dtype)
    near(A.T @ y, S.T @ y, dtype)
    near(y @ A, S.T @ y, dtype)
    near(X.T @ A.T, (S @ X).T, dtype)
    for Y in (X, np.asfortranarray(X), X[:, ::2], X[:, 2:5], X[::-1], X[:, :1], X[:, :0], np.asfortranarray(X)[:, ::3]):
        near(A @ Y, S @ Y, dtype)
    assert (A @ np.asfortranarray(X)).flags.f_contiguous and (A @ X).flags.c_contiguous
    for B, want in ((A.T @ A, S.T @ S), (A @ A.T, S @ S.T), (A.T @ S, S.T @ S)):
        near(dense(B), want.toarray(), dtype)
        assert B.indices.dtype == index and B.shape == want.shape
        near((B @ np.ones(B.shape[1], dtype)), want @ np.ones(B.shape[1], dtype), dtype)


def test_pointers_are_the_callers():
    S = theirs(50, 50)
    A = tulle.csr(S)
    assert A.data is S.data and A.indices is S.indices and A.indptr is S.indptr
    view = _device.ffi.new("tulle_mat_arrays *")
    _device.check(_device.lib.tulle_mat_view(A._core.mat, view))
    for pointer, array in ((view.values, S.data), (view.cols, S.indices), (view.offsets, S.indptr)):
        assert int(_device.ffi.cast("intptr_t", pointer)) == array.ctypes.data


def test_room_behind_the_entries():
    S = theirs(50, 50)
    want, nnz = S @ np.ones(50), S.nnz
    S.data, S.indices = np.append(S.data, np.full(9, np.nan)), np.append(S.indices, np.full(7, 99, S.indices.dtype))
    A = tulle.csr(S)
    assert A.nnz == nnz == len(A.indices)
    assert A.data.base is S.data and A.indices.base is S.indices and A.indptr is S.indptr
    near(A @ np.ones(50), want)
    S.data[:nnz] *= 2
    near(A @ np.ones(50), 2 * want)


def test_results_are_the_librarys_memory_and_live_alone():
    A = tulle.csr(theirs(50, 50))
    B = A @ A
    view = _device.ffi.new("tulle_mat_arrays *")
    _device.check(_device.lib.tulle_mat_view(B._core.mat, view))
    assert B.data.ctypes.data == int(_device.ffi.cast("intptr_t", view.values)) and not B.data.flags.owndata
    parts, want = arrays(B), dense(B)
    del B, A, view
    gc.collect()
    np.zeros(10_000)
    near(sp.csr_array(parts, shape=want.shape).toarray(), want)


def test_borrowed_arrays_live_as_long_as_the_matrix():
    S = theirs(3000, 3000)
    want = S @ np.ones(3000)
    A = tulle.csr(tuple(array.copy() for array in arrays(S)), shape=S.shape).T.T
    gc.collect()
    np.full(100_000, 7.0)
    near(A @ np.ones(3000), want)


def test_offsets_of_64_bits_beside_columns_of_32():
    S = theirs(30, 20)
    A = tulle.csr((S.data, S.indices, S.indptr.astype(np.int64)), shape=S.shape)
    near(A @ np.ones(20), S @ np.ones(20))
    near(dense(A.T @ A), (S.T @ S).toarray())


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (3, 4)])
def test_empty(shape):
    A = tulle.csr((np.zeros(0), np.zeros(0, np.int32), np.zeros(shape[0] + 1, np.int32)), shape=shape)
    near(A @ np.ones(shape[1]), np.zeros(shape[0]))
    near(A.T @ np.ones((shape[0], 2)), np.zeros((shape[1], 2)))
    assert (A @ A.T).nnz == 0 and (A @ A.T).shape == (shape[0], shape[0])


def test_values():
    S = theirs(40, 40)
    A, x = tulle.csr(S), np.ones(40)
    before = A @ x
    S.data *= 2
    near(A @ x, 2 * before)
    A.optimize(10**9)
    S.data *= 2
    A.values_changed()
    near(A @ x, 4 * before)
    values = np.arange(A.nnz, dtype=float)
    B = A.with_values(values)
    want = sp.csr_array((values, S.indices, S.indptr), shape=S.shape)
    near(B @ x, want @ x)
    near(B.T @ x, want.T @ x)
    near(A.T.with_values(values) @ x, want.T @ x)
    assert B.with_values(values).with_values(values)._core.origin is A._core
    values *= 3
    B.values_changed()
    near(B @ x, want @ x)
    near(A @ x, 4 * before)
    del A
    gc.collect()
    near(B @ x, want @ x)


def test_a_matrix_of_a_matrix():
    A = tulle.csr(theirs(20, 20))
    for B, want in ((tulle.csr(A), A), (tulle.csr(A.T, shape=(20, 20)), A.T)):
        assert B.data is A.data and B.format == want.format
        near(B @ np.ones(20), want @ np.ones(20))
    with pytest.raises(tulle.InvalidArgument, match="shape"):
        tulle.csr(A, shape=(5, 5))
    with pytest.raises(tulle.InvalidArgument, match="CSR"):
        tulle.csr(A.T, shape=(5, 5))


def test_copies_are_their_own():
    A = tulle.csr(theirs(20, 30)).T
    want = A @ np.ones(20)
    for B in (copy.copy(A), copy.deepcopy(A), pickle.loads(pickle.dumps(A))):
        assert B.shape == (30, 20)
        near(B @ np.ones(20), want)
    B = copy.deepcopy(A)
    B.data[:] = 0
    near(A @ np.ones(20), want)


def test_words():
    A = tulle.csr(theirs(100, 80))
    assert "csr" in A.explain() and "csr" in A.T.explain()
    assert "plan" in A.optimize().lower() and A.optimize(1000, vectors=8)
    assert repr(A) == "<tulle.csr of 100 rows, 80 columns and 800 entries of float64, arrays of NumPy on the CPU>"
    assert A.nnz == 800 and A.dtype == np.float64 and A.ndim == 2 and A.T.shape == (80, 100)


def test_it_says_no():
    S = theirs(5, 4)
    data, indices, indptr = arrays(S)
    wrong = [((data, indices, indptr), None, "shape"), ((data, indices, indptr), (6, 4), "offsets"),
             ((data, indices, indptr), (5, -4), "shape"), ((data[:-1], indices, indptr), (5, 4), "indices"),
             ((data.astype(int), indices, indptr), (5, 4), "float32"),
             ((data, indices, indptr.astype(np.int16)), (5, 4), "int16"),
             ((data, indices.astype(np.int64), indptr), (5, 4), "int64"),
             ((np.repeat(data, 2)[::2], indices, indptr), (5, 4), "memory"),
             ((data, indices + 3, indptr), (5, 4), "column"), ((data[:, None], indices, indptr), (5, 4), "vector"),
             (sp.coo_array(S), None, "CSR"), (S, (4, 5), "shape"), ("S", None, "CSR")]
    for A, shape, words in wrong:
        with pytest.raises(tulle.InvalidArgument, match=words):
            tulle.csr(A, shape=shape)
    A = tulle.csr(S)
    for x, words in ((np.ones(5), "shape"), (np.ones(4, np.float32), "float32"), (np.ones((4, 1, 1)), "shape"),
                     (np.ones(4, int), "int64"), (A, "shape"), (sp.coo_array(S), "CSR"),
                     (tulle.csr(theirs(4, 4, np.float32)), "float32"), (sp.csr_array((4, 4), dtype=int), "int64")):
        with pytest.raises(tulle.InvalidArgument, match=words):
            A @ x
    for values in (data[:-1], data.astype(np.float32), np.repeat(data, 2)[::2]):
        with pytest.raises(tulle.InvalidArgument, match="values"):
            A.with_values(values)


def test_solve():
    line = sp.diags([-1.0, 2.5, -1.2], [-1, 0, 1], shape=(500, 500)).tocsr()
    A, b = tulle.csr(line), np.random.default_rng(1).random(500)
    for matrix, want in ((A, line), (A.T, line.T)):
        x, report = tulle.solve(matrix, b, rtol=1e-10)
        assert report.converged and report.residual < 1e-10 and type(x) is np.ndarray
        assert len(report.history) > 1 and report.history[-1] < report.history[0]
        assert np.linalg.norm(want @ x - b) <= 1.01e-10 * np.linalg.norm(b)
    X, report = tulle.solve(A, np.column_stack([b, 2 * b]), x0=np.zeros((500, 2)))
    assert X.shape == (500, 2) and report.converged and report.history is None
    with pytest.raises(tulle.InvalidArgument, match="square"):
        tulle.solve(tulle.csr(theirs(3, 4)), np.ones(3))
    for b in (np.ones(499), np.ones((500, 0)), np.ones((500, 1, 1))):
        with pytest.raises(tulle.InvalidArgument, match="shape"):
            tulle.solve(A, b)
    with pytest.raises(tulle.InvalidArgument, match="float32"):
        tulle.solve(A, np.ones(500, np.float32))
    with pytest.raises(tulle.InvalidArgument, match="x0"):
        tulle.solve(A, np.ones(500), x0=np.ones((500, 1)))
    with pytest.warns(tulle.ConvergenceWarning):
        tulle.solve(A, np.ones(500), maxiter=1, method="cg", precond="none")


@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_it_is_taken_where_matrices_of_scipy_are(index):
    S = sp.csr_array(sp.diags([-1.0, 4.0, -1.5], [-1, 0, 1], shape=(60, 60)).tocsr())
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    b, work = np.random.default_rng(3).random(60), tulle.batch.Batch()
    for A, want in ((tulle.csr(S), S), (tulle.csr(S).T, sp.csr_array(S.T))):
        for make in (tulle.amg, tulle.ilu, tulle.Triangle):
            near(make(A) @ b, make(want) @ b)
        for method in (tulle.cg, tulle.bicgstab, tulle.gmres):
            near(method(A, b, M=tulle.ilu(A))[0], method(want, b, M=tulle.ilu(want))[0])
            near(method(A, b + 1j, M=A, maxiter=2)[0], method(want, b + 1j, M=want, maxiter=2)[0], complex)
        near(tulle.spsolve_triangular(A, b), tulle.spsolve_triangular(want, b))
        near(tulle.spgemm(A, A, mask=A).toarray(), tulle.spgemm(want, want, mask=want).toarray())
        near(tulle.Product(A, A).update(A, A).toarray(), (want @ want).toarray())
        y = work.matmul(A, b)
        work.run()
        near(y, want @ b)
    assert tulle.uniform.Pattern(tulle.csr(S)).nnz == S.nnz


def test_it_is_taken_without_copies():
    from tulle._operators import as_square
    from tulle._sparse import taken
    S = theirs(30, 30)
    A = tulle.csr(S)
    for one in (as_square(A)[0], taken(A)[0], taken(A.T)[0]):
        assert one.data is S.data and one.indices is S.indices and one.indptr is S.indptr


def test_threads_share_a_matrix():
    A, wrong = tulle.csr(theirs(300, 300)), []
    want, squared = A @ np.ones(300), dense(A @ A)

    def work():
        for _ in range(100):
            if not np.array_equal(A @ np.ones(300), want) or not np.array_equal(dense(A @ A), squared):
                wrong.append(1)
        if not tulle.solve(tulle.csr(sp.eye(300, format="csr")), np.ones(300))[1].converged:
            wrong.append(2)
    in_threads(work)
    assert not wrong


def test_contexts_go_with_their_threads():
    S = theirs(50, 50)
    A, x, wrong = tulle.csr(S), np.ones(50), []
    B = A.with_values(2 * S.data)

    def work():
        if not (np.array_equal(A @ x, S @ x) and np.array_equal(B @ x, 2 * (S @ x))):
            wrong.append(1)
    for _ in range(5):
        in_threads(work)
    gc.collect()
    assert not wrong and len(A._core.contexts) == 1 and B._core.contexts is A._core.contexts
    made = []
    in_threads(lambda: made.append(tulle.csr(S)), 1)
    for _ in range(20):
        tulle.set_threads(None)
        work()
        near(made[0] @ x, S @ x)
    assert not wrong and len(A._core.contexts) <= 2 and len(made[0]._core.contexts) == 2
    in_threads(work, 1)  # a new context takes the places of those that are gone
    assert len(A._core.contexts._known) <= 3
    del A, B
    made.clear()


def test_interrupt():
    program = """if True:
        import os, signal, sys, threading
        import numpy as np, scipy.sparse as sp, tulle
        tulle.set_threads(1)
        columns = np.random.default_rng(1).integers(0, 10**5, 6 * 10**6).astype(np.int32)
        offsets = np.arange(0, columns.size + 1, 60, dtype=np.int32)
        A = tulle.csr((np.ones(columns.size), columns, offsets), shape=(10**5, 10**5))
        threading.Timer(0.2, os.kill, (os.getpid(), signal.SIGINT)).start()
        try:
            A @ A
        except KeyboardInterrupt:
            sys.exit(0 if (A @ np.ones(10**5) == 60).all() else 2)
        """
    assert subprocess.run([sys.executable, "-c", program], check=False, timeout=300).returncode == 0


class Seen:
    """An array of an unknown library that shows itself through one interface."""

    def __init__(self, array, *names):
        self._array = array
        for name in names:
            setattr(self, name, getattr(array, name))


def test_arrays_of_other_libraries():
    class Exported(Seen):
        def __dlpack__(self, **options):
            return self._array.__dlpack__(**options)

        def __dlpack_device__(self):
            return self._array.__dlpack_device__()
    S, x = theirs(20, 30), np.ones(30)
    for seen in (lambda a: Seen(a, "__array_interface__"), Exported):
        A = tulle.csr(tuple(seen(array) for array in arrays(S)), shape=S.shape)
        assert np.shares_memory(A.data, S.data) and np.shares_memory(A.indptr, S.indptr)
        near(A @ x, S @ x)
        near(A @ seen(x), S @ x)
    near(A @ list(x), S @ x)


def test_an_array_on_a_gpu_needs_a_library_that_sees_it(monkeypatch):
    for name in _kinds._MAKERS:
        monkeypatch.setitem(sys.modules, name, None)
    on_gpu = Seen(np.ones(3))
    on_gpu.__cuda_array_interface__ = np.ones(3).__array_interface__
    with pytest.raises(tulle.InvalidArgument, match="CuPy or PyTorch"):
        tulle.csr((on_gpu, on_gpu, on_gpu), shape=(3, 3))


def test_no_library_of_arrays_is_imported():
    program = "import sys, tulle; sys.exit(any(name in sys.modules for name in ('torch', 'cupy')))"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


def test_nothing_leaks():
    S, x, X = theirs(30, 30), np.ones(30), np.ones((30, 4))

    def calls(count):
        for _ in range(count):
            A = tulle.csr(S)
            (A @ A.T) @ x
            A.with_values(A.data) @ X
    leaks_nothing(calls, 300, 2000)


def test_products_with_arrays_of_scipy_on_both_sides():
    S, T = theirs(30, 20), theirs(20, 30, seed=2)
    A, B = tulle.csr(arrays(S), shape=S.shape), tulle.csr(arrays(T), shape=T.shape)
    want = (S @ T).toarray()
    for left, right in ((tulle.csr_array(S), B), (S, B), (S.tocsc(), B), (tulle.csc_array(S), B), (A, T.tocsc()),
                        (A, tulle.csc_array(T)), (A, tulle.csr_array(T)), (S.T.tocsr().T, B.T.T)):
        C = left @ right
        assert type(C) is tulle.csr
        near(dense(C), want)
    for container, theirs_ in ((tulle.csr_array, sp.csr_array), (tulle.csc_array, sp.csc_array)):
        for M in (A, A.T):
            mine = container(M)
            assert type(mine) is container
            near(mine.toarray(), theirs_(S if M is A else S.T).toarray())
    assert np.shares_memory(tulle.csr_array(A).data, A.data)
    with pytest.raises(tulle.InvalidArgument, match="coo_array is no matrix in CSR"):
        A @ T.tocoo()


@pytest.mark.parametrize("name", ["data", "indices", "indptr"])
def test_borrowed_arrays_are_not_moved(name):
    S = theirs(30, 20)
    own = [array.copy() for array in arrays(S)]
    A = tulle.csr(tuple(own), shape=S.shape)
    with pytest.raises(ValueError, match="resize"):
        getattr(A, name).resize(10**6, refcheck=False)
    near(A @ np.ones(20), S @ np.ones(20))
