# SPDX-License-Identifier: Apache-2.0
"""A program that test_dist.py runs under mpirun: products, gathering, solutions and failures of shared matrices."""
import doctest
import gc
import time
import warnings

import numpy as np
import pytest
import scipy.sparse as sp

import tulle


def grid(n, dtype=np.float64):
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return (sp.kron(sp.eye(n), line) + sp.kron(line, sp.eye(n))).tocsr().astype(dtype)


def flow(n):
    return (grid(n) + sp.kron(sp.eye(n), sp.diags([-0.5, 0.5], [-1, 0], shape=(n, n)))).tocsr()


def shared(A, rows):
    return dist.DistributedMatrix(A[rows], comm)


def same_in_all(value):
    assert all(other == value for other in comm.allgather(value)), value


def products():
    for dtype, near in ((np.float32, 1e-5), (np.float64, 1e-13)):
        A = flow(9).astype(dtype)
        rows = dist.share(A.shape[0], comm)
        D = shared(A, rows)
        assert D.shape == A.shape and D.nnz == A.nnz and D.dtype == dtype and D.rows == rows
        for x in (np.random.default_rng(3).random(81), np.random.default_rng(3).random((81, 3))):
            x = x.astype(dtype)
            np.testing.assert_allclose(D @ x[rows], (A @ x)[rows], rtol=near, atol=near)
            whole = D.gather(x[rows], root=comm.size - 1)
            assert (whole is None) == (comm.rank != comm.size - 1)
            assert whole is None or np.array_equal(whole, x)
        x = np.random.default_rng(4).random(81).astype(dtype)
        np.testing.assert_allclose(x[rows] @ D, (A.T @ x)[rows], rtol=near, atol=near)


def solutions():
    for A, method in ((grid(12), "cg"), (flow(12), "bicgstab")):
        rows = dist.share(A.shape[0], comm)
        b = np.random.default_rng(1).random(A.shape[0])
        D = shared(A, rows)
        x, report = dist.solve(D, b[rows])
        assert report.converged and report.method == method and report.residual < 1.1e-8
        assert len(report.history) == report.iterations + 1
        same_in_all(report.history)
        want = sp.linalg.spsolve(A.tocsc(), b)
        np.testing.assert_allclose(x, want[rows], rtol=1e-5)
        again, _ = dist.solve(D, b[rows])
        assert np.array_equal(x, again)
        closer, report = dist.solve(D, b[rows], x0=x)
        assert report.iterations <= 1 and np.allclose(closer, x)
    X, report = dist.solve(D, np.column_stack([b[rows], 2 * b[rows]]), precond="ilu:0", method="gmres")
    assert report.converged and report.history is None and report.precond == "ilu:0"
    np.testing.assert_allclose(X[:, 1], 2 * X[:, 0], rtol=1e-5)
    D = shared(grid(12), rows)
    assert dist.solve(D, b[rows], method="cg", precond="amg")[1].converged
    x, info = dist.cg(D, b[rows], rtol=1e-10)
    assert info == 0
    assert dist.cg(D, b[rows], rtol=1e-10, maxiter=2)[1] == 2
    with warnings.catch_warnings(record=True) as told:
        warnings.simplefilter("always")
        assert not dist.solve(D, b[rows], maxiter=1)[1].converged
    assert told[0].category is tulle.ConvergenceWarning


def sizes():
    """Numbers whose squares are beyond the ends of the type, and no columns at all."""
    A = grid(6)
    rows = dist.share(36, comm)
    D = shared(A, rows)
    for size in (1e200, 1e-200):
        b = np.full(rows.stop - rows.start, size)
        with warnings.catch_warnings():
            warnings.simplefilter("error")
            x, report = dist.solve(D, b)
        assert report.converged and 0 < report.residual < 1.1e-8
        x, report = dist.solve(D, np.column_stack([b, 0 * b]), precond="none")
        assert report.converged and report.residual < 1.1e-8 and not x[:, 1].any()
    x, report = dist.solve(D, np.empty((rows.stop - rows.start, 0)))
    assert x.shape == (rows.stop - rows.start, 0) and report.residual == 0


def refusals():
    """Each of these is said in all processes, and the matrix of a vector that is refused stays fit for use."""
    A = grid(3)
    rows = dist.share(9, comm)
    D, ones = shared(A, rows), np.ones(rows.stop - rows.start)
    with pytest.raises(tulle.InvalidArgument, match="x is of complex128"):
        D @ (1j * ones)
    with pytest.raises(tulle.InvalidArgument, match="x is of object"):
        D @ D
    with pytest.raises(tulle.InvalidArgument, match="not complex128"):
        shared(1j * A, rows)
    with pytest.raises(tulle.InvalidArgument, match="A is None"):
        dist.DistributedMatrix(None, comm)
    assert np.array_equal(dist.DistributedMatrix(tulle.csr(A[rows]), comm) @ ones, (A @ np.ones(9))[rows])
    local = A[rows]
    if comm.rank == comm.size - 1:  # one process's mistake
        local = sp.hstack([local, sp.csr_matrix((local.shape[0], 2))])
    with pytest.raises(tulle.InvalidArgument, match="columns, and all processes have 9 rows together"):
        dist.DistributedMatrix(local, comm)
    assert np.array_equal(D @ ones, (A @ np.ones(9))[rows])


def mismatched():
    """Two columns in one process and one in the others: a piece is larger, or smaller, than its room."""
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(9, 9)).tocsr()
    D = dist.DistributedMatrix(line[dist.share(9, comm)], comm, timeout=2)
    ones = np.ones((D.rows.stop - D.rows.start, 2 if comm.rank == 0 else 1))
    if comm.size > 1 and comm.rank < 2:
        with pytest.raises(tulle.PeerFailed, match="calls do not match"):
            D @ ones
    else:
        D @ ones
    comm.Barrier()


def no_rows():
    """All rows are those of the last process."""
    A = grid(4)
    rows = slice(0, 16) if comm.rank == comm.size - 1 else slice(0, 0)
    D = shared(A, rows)
    x, report = dist.solve(D, np.ones(rows.stop))
    assert report.converged and x.shape == (rows.stop,)
    whole = D.gather(x)
    assert whole is None or np.allclose(A @ whole, 1)


def failures():
    D = shared(grid(3), dist.share(9, comm))
    with pytest.raises(tulle.InvalidArgument, match="this process has"):
        D @ np.ones(10)
    with pytest.raises(tulle.InvalidArgument, match="is none of|there is no"):
        dist.solve(D, np.ones(D.rows.stop - D.rows.start), precond="nothing")
    wrong = sp.csr_array((1, 99)) if comm.rank == 0 else sp.csr_array((1, 1))
    if comm.rank == 0:
        wrong = sp.csr_array(([1.0], ([0], [98])), shape=(1, 99))
    with pytest.raises(tulle.Error, match="has column 98" if comm.rank == 0 else "rank 0 failed"):
        dist.DistributedMatrix(wrong, comm)


def communicators():
    """Communicators of matrices that are gone are free for others: MPI has some thousands."""
    handles = set()
    for _ in range(100):
        handles.add(shared(grid(2), dist.share(4, comm)).comm.py2f())
        gc.collect()
    assert len(handles) < 10
    # A process may keep what others have given up.
    kept = [shared(grid(2), dist.share(4, comm)) for _ in range(3)]
    del kept[1 if comm.rank == 0 else 2]
    gc.collect()
    assert np.isfinite(shared(grid(2), dist.share(4, comm)) @ np.ones(kept[0].rows.stop - kept[0].rows.start)).all()
    assert np.isfinite(kept[0] @ np.ones(kept[0].rows.stop - kept[0].rows.start)).all()


def timeouts():
    """A process that stays away ends the calls of the others, and their matrix, and nothing else."""
    for timeout in (0.0, -1.0, float("nan")):
        with pytest.raises(tulle.InvalidArgument, match="timeout is"):
            dist.DistributedMatrix(grid(2), MPI.COMM_SELF, timeout=timeout)
    D, other = (dist.DistributedMatrix(grid(3)[dist.share(9, comm)], comm, timeout=0.3) for _ in range(2))
    apart = comm.Dup()
    b = np.ones(D.rows.stop - D.rows.start)
    calls = [lambda: dist.solve(other, b),
             lambda: dist.DistributedMatrix(grid(3)[dist.share(9, comm)], apart, timeout=0.3)]
    if comm.rank == 1:  # the one whose neighbour rank 0 is
        calls.append(lambda: D @ b)
    if comm.rank > 0:
        for call in calls:
            begun = time.monotonic()
            with pytest.raises(tulle.PeerFailed, match="did not answer within the timeout of 0.3 seconds"):
                call()
            assert time.monotonic() - begun < 20
        with pytest.raises(tulle.PeerFailed, match="has failed before"):
            other @ b
    comm.Barrier()
    products()


def large_pieces():
    """Pieces that MPI takes in several messages."""
    most, dist._MOST = dist._MOST, 64
    products()
    solutions()
    dist._MOST = most
    assert dist._parts(5, 2) == [slice(0, 2), slice(2, 4), slice(4, 5)] and not dist._parts(0)


def partitions():
    """Rows that METIS moves, of a grid whose rows are in disorder: products send less, and the solution comes back."""
    order = np.random.default_rng(7).permutation(400)
    A = grid(20)[order][:, order]
    rows = dist.share(400, comm)
    D = shared(A, rows)
    try:
        B, P = D.partition()
    except tulle.Unsupported as error:
        assert "METIS" in str(error)
        return
    assert repr(P) == f"<tulle.dist.Order of 400 rows in {comm.size} processes>"
    assert B.shape == D.shape and B.nnz == D.nnz and B.received <= D.received / 2
    x = np.random.default_rng(3).random((400, 2))
    for part in (x[rows], x[rows][:, 0]):
        assert np.array_equal(P.unpermute(P.permute(part)), part)
        np.testing.assert_allclose(P.unpermute(B @ P.permute(part)), D @ part, rtol=1e-13, atol=1e-13)
    z, report = dist.solve(B, P.permute(x[rows][:, 0]))
    assert report.converged and np.allclose(D @ P.unpermute(z), x[rows][:, 0], atol=1e-6)
    with pytest.raises(tulle.InvalidArgument, match="this process has"):
        P.permute(np.ones(401))
    del D, B
    gc.collect()
    assert np.array_equal(P.unpermute(P.permute(x[rows])), x[rows])


if __name__ == "__main__":  # mpi4py need not be there for whoever only looks at this file
    from mpi4py import MPI
    from tulle import dist

    comm = MPI.COMM_WORLD
    examples = doctest.testmod(dist)
    assert examples.attempted > 0 and examples.failed == 0
    for test in (products, solutions, sizes, refusals, mismatched, no_rows, failures, communicators, large_pieces,
                 partitions, timeouts):
        test()
    if comm.rank == 0:
        print(f"right by {comm.size}")
