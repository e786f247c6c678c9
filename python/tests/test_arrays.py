# SPDX-License-Identifier: Apache-2.0
"""Products, sums and conversions against SciPy's, the arrays that are borrowed, and what is edited."""
import copy
import gc
import os
import pickle
import textwrap
import tracemalloc

import numpy as np
import pytest
import scipy
import scipy.sparse as sp

import tulle
from processes import leaks_nothing, stops_at_interrupt
from together import in_threads
from tulle import _matrix as matrix

NEWER = tuple(map(int, scipy.__version__.split(".")[:2])) >= (1, 12)
TYPES = [np.float32, np.float64]
INDICES = [np.int32, np.int64]


def theirs(rows, cols, dtype=np.float64, index=np.int32, density=0.1, seed=1):
    made = sp.csr_array(sp.random(rows, cols, density, format="csr", dtype=dtype, random_state=seed))
    made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
    return made


def near(a, b, dtype):
    a, b = (m.toarray() if sp.issparse(m) else m for m in (a, b))
    assert a.dtype == b.dtype and a.shape == b.shape
    np.testing.assert_allclose(a, b, rtol=0, atol=100 * np.finfo(dtype).eps * (1 + np.abs(b).max(initial=0)))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("index", INDICES)
@pytest.mark.parametrize("container", [tulle.csr_array, tulle.csc_array])
def test_products(dtype, index, container):
    S = theirs(60, 40, dtype, index)
    A = container(S)
    A.indices, A.indptr = A.indices.astype(index), A.indptr.astype(index)
    rng = np.random.default_rng(2)
    x, X = rng.random(40).astype(dtype), rng.random((40, 7)).astype(dtype)
    near(A @ x, S @ x, dtype)
    near(A @ x[::-1], S @ x[::-1], dtype)
    for Y in (X, np.asfortranarray(X), X[:, ::2], X[::-1]):
        near(A @ Y, S @ Y, dtype)
    y = rng.random(60).astype(dtype)
    near(A.T @ y, S.T @ y, dtype)
    near(y @ A, y @ S, dtype)
    for B, D in ((A @ A.T, S @ S.T), (A.T @ A, S.T @ S), (A + A, S + S), (A.tocsc(), S.tocsc()), (A.tocsr(), S)):
        near(B, D, dtype)
        assert isinstance(B, (tulle.csr_array, tulle.csc_array))
        if NEWER:  # older ones do not always narrow indices of 64 bits that 32 bits could hold
            assert B.indices.dtype == D.indices.dtype and B.indptr.dtype == D.indptr.dtype
    assert (A - A).nnz == 0


@pytest.mark.parametrize("container", [tulle.csr_array, tulle.csc_array])
def test_operands_in_the_other_format(container, monkeypatch):
    S = theirs(40, 40, np.float64)
    A = container(S)
    T = A.T
    monkeypatch.setattr(type(T), "_turned", None)  # the library transposes, not the array first
    for made, want in ((A + T, S + S.T), (A - T, S - S.T), (A @ T, S @ S.T)):
        near(made, want, np.float64)
        assert type(made) is container
    monkeypatch.undo()
    near((A @ T) + (A @ T).T, S @ S.T * 2, np.float64)  # of a pattern that is its own transpose


def test_types_promote_as_theirs():
    S = theirs(30, 30, np.float32)
    A = tulle.csr_array(S)
    for other in (np.ones(30), np.ones(30, np.int64), np.ones(30, np.complex128), np.ones((30, 2)), np.float32(2)):
        mine, his = (A @ other, S @ other) if np.ndim(other) else (A * other, S * other)
        near(mine, his, np.float32)
    column = np.asmatrix(np.ones((30, 1)))
    assert type(A @ column) is type(S @ column)
    assert (tulle.csr_array(np.eye(3, dtype=int)) @ np.ones(3, int)).dtype == np.dtype(int)


def test_wrong_shapes_are_scipys_errors():
    A = tulle.csr_array(theirs(5, 4))
    for other in (np.ones(5), np.ones((5, 2)), theirs(5, 5)):
        with pytest.raises(ValueError):
            A @ other
    with pytest.raises(ValueError):
        A + tulle.csr_array(theirs(4, 4))


@pytest.mark.parametrize("dtype", TYPES)
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array])
def test_transposed_products_that_repeat(dtype, container):
    """After a few products the library shares the columns of A.T @ x, which must read the values where they are."""
    rows = 60_000
    columns = (np.arange(rows)[:, None] + [0, 3, 5]) % rows
    S = sp.csr_array((np.ones(3 * rows, dtype), np.sort(columns).ravel(), np.arange(0, 3 * rows + 1, 3)))
    A = tulle.csr_array(S) if container is sp.csr_array else tulle.csc_array(S.T)
    S = container(A)
    rng = np.random.default_rng(1)
    x = rng.random(rows).astype(dtype)
    for _ in range(8):
        S.data[:] = rng.random(S.nnz)
        A.data[:] = S.data
        product = (A.T if container is sp.csr_array else A) @ x
        near(product, (S.T if container is sp.csr_array else S) @ x, dtype)


@pytest.mark.parametrize("shape", [(0, 5), (5, 0), (0, 0), (1, 1)])
def test_empty(shape):
    S = sp.csr_array(shape)
    A = tulle.csr_array(shape)
    near(A @ np.ones(shape[1]), S @ np.ones(shape[1]), np.float64)
    near(A @ np.ones((shape[1], 3)), S @ np.ones((shape[1], 3)), np.float64)
    near(A.T @ np.ones(shape[0]), S.T @ np.ones(shape[0]), np.float64)
    near(A @ A.T, S @ S.T, np.float64)
    near(A + A, S + S, np.float64)


def test_arrays_are_borrowed_and_results_are_not_copied():
    A = tulle.csr_array(theirs(50, 50))
    data, indices = A.data, A.indices
    A @ np.ones(50)
    assert A.data is data and A.indices is indices
    B = A @ A
    assert not B.data.flags.owndata and not B.indices.flags.owndata  # the library's memory
    C = B @ np.ones(50)
    kept = B.data
    del B
    gc.collect()
    assert np.isfinite(kept).all() and np.isfinite(C).all()


def test_unsorted_and_repeated_entries_stay():
    data, cols, offsets = np.array([1.0, 2, 3, 4]), np.array([2, 0, 2, 1], np.int32), np.array([0, 3, 4], np.int32)
    A = tulle.csr_array((data, cols, offsets), shape=(2, 3))
    np.testing.assert_array_equal(A @ np.array([1.0, 10, 100]), [402, 40])
    near(A @ A.T, sp.csr_array(A.toarray() @ A.toarray().T), np.float64)
    np.testing.assert_array_equal(A.indices, [2, 0, 2, 1])


def test_edits_are_noticed():
    A = tulle.csr_array(theirs(20, 20))
    x = np.ones(20)
    before = A @ x
    A.data *= 2
    near(A @ x, 2 * before, np.float64)
    A.data = A.data / 2
    near(A @ x, before, np.float64)
    A.optimize(10**9)
    A.data *= 2
    A.values_changed()
    near(A @ x, 2 * before, np.float64)
    A[3, 3] = 7.0
    A.setdiag(5.0)
    near(A @ x, A.toarray() @ x, np.float64)
    A.sort_indices()
    A.resize(10, 10)
    near(A @ x[:10], A.toarray() @ x[:10], np.float64)


def test_copies():
    A = tulle.csr_array(theirs(20, 20))
    y = A @ np.ones(20)
    for B in (A.copy(), copy.copy(A), copy.deepcopy(A), pickle.loads(pickle.dumps(A)), A[:], A[::-1][::-1]):
        assert type(B) is tulle.csr_array
        near(B @ np.ones(20), y, np.float64)
    B = A.copy()
    B.data[:] = 0
    near(A @ np.ones(20), y, np.float64)


def test_threads_share_a_matrix():
    A = tulle.csr_array(theirs(300, 300))
    want, wrong = A @ np.ones(300), []

    def work():
        for i in range(200):
            if not np.array_equal(A @ np.full(300, 1.0), want):
                wrong.append(i)
    in_threads(work)
    assert not wrong


def test_arrays_that_are_no_matrix():
    B = tulle.csr_array((np.ones(2), np.array([0, 9], np.int32), np.array([0, 1, 2], np.int32)), shape=(2, 10))
    B.indices[1] = 10
    with pytest.raises(tulle.InvalidArgument) as failure:
        B @ np.ones(10)
    assert failure.value.status == "TULLE_INVALID_MATRIX" and failure.value.row == 1


def test_words():
    A = tulle.csr_array(theirs(100, 100))
    assert "csr" in A.explain()
    assert "plan" in A.optimize().lower()
    assert "SciPy" in tulle.csr_array(np.eye(3, dtype=int)).explain()
    assert tulle.Context("cpu:2").threads == 2 and repr(tulle.Context("cpu")) == "tulle.Context('cpu')"
    with pytest.raises(tulle.Error):
        tulle.Context("nowhere")


def test_indices_of_two_types():
    A, B = tulle.csr_array(theirs(20, 20)), tulle.csr_array(theirs(20, 20, seed=2))
    want_product, want_sum = (A @ B).toarray(), (A + B).toarray()
    B.indices, B.indptr = B.indices.astype(np.int64), B.indptr.astype(np.int64)
    near(A @ B, want_product, np.float64)
    near(B + A, want_sum, np.float64)
    B.indptr = B.indptr.astype(np.int32)  # two types in one matrix are SciPy's
    near(B @ np.ones(20), B.toarray() @ np.ones(20), np.float64)


def test_longer_arrays_than_entries():
    indices, indptr = np.arange(8, dtype=np.int32) % 3, np.array([0, 2, 4], np.int32)
    A = tulle.csr_array((np.arange(1.0, 9), indices, indptr), shape=(2, 3))
    near(A @ np.ones(3), np.array([3.0, 7.0]), np.float64)
    near((A @ A.T), sp.csr_array(A.toarray() @ A.toarray().T), np.float64)


def test_read_only_arrays():
    S = theirs(20, 20)
    for array in (S.data, S.indices, S.indptr):
        array.flags.writeable = False
    A, x = tulle.csr_array(S), np.ones(20)
    x.flags.writeable = False
    near(A @ x, S @ x, np.float64)


def test_a_child_of_fork_computes():
    A = tulle.csr_array(theirs(3000, 3000))
    want = A @ np.ones(3000)
    child = os.fork()
    if child == 0:
        os._exit(0 if np.array_equal(A @ np.ones(3000), want) else 1)
    assert os.waitstatus_to_exitcode(os.waitpid(child, 0)[1]) == 0
    assert np.array_equal(A @ np.ones(3000), want)


def test_nothing_leaks():
    def calls(count):
        for _ in range(count):
            B = tulle.csr_array(S)
            (B @ B.T) @ x
            B @ X
    S, x, X = theirs(30, 30), np.ones(30), np.ones((30, 4))
    leaks_nothing(calls, 300, 3000)


def reversed_bytes(array):
    return array.astype(array.dtype.newbyteorder(">"))


REASONS = {
    "data is of int64, not of float32 or float64": ("data", lambda array: array.astype(np.int64)),
    "data is of >f8": ("data", reversed_bytes),
    "data is no aligned vector": ("data", lambda array: np.repeat(array, 2)[::2]),
    "indptr is of >i4": ("indptr", reversed_bytes),
    "indices is of uint16": ("indices", lambda array: array.astype(np.uint16)),
    "indices are of int32 and indptr is of int64": ("indptr", lambda array: array.astype(np.int64)),
}


@pytest.mark.parametrize("reason", REASONS)
def test_why_scipy_computes(reason):
    A = tulle.csr_array(theirs(20, 20))
    assert "SciPy" not in A.explain()
    name, change = REASONS[reason]
    setattr(A, name, change(getattr(A, name)))
    assert reason in A.explain() and reason in A.optimize()
    assert "the shape is (0, 3)" in tulle.csr_array((0, 3)).explain()


@pytest.mark.parametrize("index", INDICES)
def test_product_without_entries(index):
    """SciPy chooses the index type of a product without entries by itself."""
    for container in ("csr_array", "csc_array"):
        S, A = getattr(sp, container)((9, 9)), getattr(tulle, container)((9, 9))
        for made in (S, A):
            made.indices, made.indptr = made.indices.astype(index), made.indptr.astype(index)
        want, found = S @ S, A @ A
        assert found.nnz == 0 and (found.indices.dtype, found.indptr.dtype) == (want.indices.dtype, want.indptr.dtype)


def test_slices_are_not_copied():
    A = tulle.csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(100_000, 100_000)).tocsr())
    X = np.random.default_rng(1).random((100_000, 16))
    for Y in (X[:, :8], X[:, 3], np.asfortranarray(X[:, 5:9]), np.asfortranarray(X)[:, 4:12]):
        want = A @ np.ascontiguousarray(Y)
        tracemalloc.start()
        result = A @ Y
        peak = tracemalloc.get_traced_memory()[1]
        tracemalloc.stop()
        np.testing.assert_allclose(result, want, rtol=0, atol=1e-14)
        assert peak < 1.2 * result.nbytes


@pytest.mark.parametrize("theirs, ours", [(sp.csr_array, tulle.csr_array), (sp.csc_array, tulle.csc_array)])
def test_scipys_own_array_on_the_left(theirs, ours):
    S, A = theirs(sp.random(30, 20, 0.2, random_state=1)), ours(sp.random(20, 30, 0.2, random_state=2))
    for made, want in ((S @ A, S @ theirs(A)), (S + A.T.asformat(S.format), S + theirs(A.T)),
                       (S - A.T.asformat(S.format), S - theirs(A.T))):
        assert type(made) is ours and made._tulle_handle is not None
        np.testing.assert_allclose(made.toarray(), want.toarray(), atol=1e-14)
    whole = ours(np.eye(20, 30, dtype=int))
    assert type(S @ whole) is ours and (S @ whole != S @ theirs(whole)).nnz == 0
    x = np.ones(30)
    np.testing.assert_allclose(x @ S, S.T @ x)
    np.testing.assert_allclose(x @ A.T, A @ x)


@pytest.mark.parametrize("theirs, ours", [(sp.csr_array, tulle.csr_array), (sp.csc_array, tulle.csc_array)])
@pytest.mark.parametrize("index", [np.int32, np.int64])
def test_slices(theirs, ours, index):
    S = theirs(sp.random(30, 20, 0.2, random_state=1))
    S.indices, S.indptr = S.indices.astype(index), S.indptr.astype(index)
    S.indices, S.data = S.indices[::-1].copy(), S.data[::-1].copy()  # unsorted, and with repeated entries
    A = ours(S.copy())
    everything, some = slice(None), (slice(3, 17), slice(0, 20), slice(5, 5), slice(19, 3), slice(-4, None),
                                     slice(2, 18, 3), slice(None, None, -1))
    cuts = [(everything, everything), *((one, everything) for one in some), *((everything, one) for one in some),
            *((one, two) for one in some for two in some), ([4], slice(2, 9)), (slice(2, 9), [4]),
            ([3, 1, 1], slice(2, 9))]
    for cut in cuts:
        made, want = A[cut], S[cut]
        assert made.shape == want.shape and made.dtype == want.dtype, cut
        np.testing.assert_array_equal(made.toarray(), want.toarray(), err_msg=str(cut))
        if sp.issparse(made) and made.ndim == 2 and min(made.shape) > 0:
            assert type(made) is ours and made.indices.dtype == want.indices.dtype, cut
            assert not np.shares_memory(made.data, A.data) or cut == (everything, everything)
            np.testing.assert_allclose(made @ np.ones(made.shape[1]), want @ np.ones(want.shape[1]))
    A[3:17].data[:] = 7
    np.testing.assert_array_equal(A.toarray(), S.toarray())


@pytest.mark.parametrize("kind", ["csr_array", "csc_array", "csr"])
def test_products_by_strips_of_columns(kind, monkeypatch):
    S = sp.csr_array(sp.random(30, 20, 0.2, random_state=1))
    A = {"csr_array": tulle.csr_array, "csc_array": lambda S: tulle.csc_array(S.tocsc()), "csr": tulle.csr}[kind](S)
    X = np.random.default_rng(1).random((20, 100))
    operands = X, np.asfortranarray(X), X[:, ::2], X[:, 3:90], np.asfortranarray(X)[:, 1:80], X[:, :1], X[::-1]
    want = [A @ Y for Y in operands]
    monkeypatch.setattr(matrix, "_AT_ONCE", 1)
    assert len(matrix.strips(A.nnz, 100)) == 4
    for Y, once in zip(operands, want):
        np.testing.assert_array_equal(A @ Y, once)
        np.testing.assert_allclose(once, S @ Y)


def test_interrupt_of_a_product_with_many_columns():
    stops_at_interrupt(textwrap.dedent("""
        import numpy as np, scipy.sparse as sp, tulle
        A = tulle.csr_array(sp.diags([1.0] * 401, range(-200, 201), shape=(10_000, 10_000), format="csr"))
        X = np.ones((10_000, 12_000), np.float64)
        print("ready", flush=True)
        try:
            A @ X
        except KeyboardInterrupt:
            print("interrupted", (A @ X[:, 0]).max() == 401)
    """))


@pytest.mark.parametrize("index", INDICES)
def test_arrays_that_the_library_makes_are_as_scipy_makes_them(index):
    S = theirs(40, 30, index=index)
    A = tulle.csr_array(S)
    for ours, want in ((A.T, S.T), (A.T.tocsr(), S.T.tocsr()), (A.tocsc(), S.tocsc()), (A + A, S + S),
                       (A @ A.T, S @ S.T), (A.T, S.T)):  # the last one of an array whose handle is made
        scipys = type(ours)((ours.data, ours.indices, ours.indptr), shape=ours.shape)
        assert scipys.__dict__.keys() <= ours.__dict__.keys()
        assert ours.shape == want.shape and ours.maxprint == want.maxprint
        if index is np.int32 or NEWER:  # an older SciPy's A.T has other indices than A
            assert ours.indices.dtype == want.indices.dtype and ours.indptr.dtype == want.indptr.dtype
        near(ours, want, np.float64)


def test_classes_of_users_keep_their_constructors():
    class named(tulle.csr_array):
        def __init__(self, *arguments, **options):
            super().__init__(*arguments, **options)
            self.name = "of a user"
    A = named(theirs(20, 20))
    assert type(A + A) is named and (A + A).name == "of a user" and (A @ A).name == "of a user"
