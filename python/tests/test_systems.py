# SPDX-License-Identifier: Apache-2.0
"""Systems whose nodes have several unknowns: multigrid of nodes in tulle.solve and tulle.amg."""
import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from tulle import fem


def rigid(points):
    """The rigid motions of nodes in space as the library has them: along the axes, then about the middle."""
    y = points - points.mean(axis=0)
    y /= np.abs(y).max()
    motions = np.zeros((len(points), 3, 6))
    for axis in range(3):
        motions[:, axis, axis] = 1
        motions[:, :, 3 + axis] = np.cross(np.eye(3)[axis], y)
    return motions.reshape(-1, 6)


@pytest.fixture(scope="module", name="beam")
def make_beam():
    """A beam held at one end that bends under its weight: A, b and the rigid motions."""
    mesh = fem.generate("box-hex:32x6x6,size=8x1x1")
    body = fem.Elasticity(mesh, 1.0, 0.3, f=(0.0, 0.0, -1.0), conditions=[fem.Dirichlet("x-min")])
    return body.matrix(), body.load(), body.rigid_motions()


def test_rigid_motions():
    mesh = fem.generate("box-hex:5x3x2,size=4x2x1")
    body = fem.Elasticity(mesh, 1.0, 0.3, conditions=[fem.Dirichlet("x-min")])
    np.testing.assert_allclose(body.rigid_motions(), rigid(mesh.points), atol=1e-15)
    free = fem.Elasticity(fem.generate("box-tri:4"), 1.0, 0.3)
    assert free.rigid_motions().shape == (50, 3)
    assert np.abs(free.matrix() @ free.rigid_motions()).max() < 1e-14  # they cost no energy


def are_nodes(report):
    return report.precond == "amg-smoothed:2" and report.why_precond.startswith("nodes of 3 unknowns")


def test_near_null_of_the_whole_call(beam):
    A, b, B = beam
    x, report = tulle.solve(A, b, block=3, near_null=B)
    assert report.converged and are_nodes(report) and np.linalg.norm(A @ x - b) < 2e-8 * np.linalg.norm(b)
    constants = tulle.solve(A, b, block=3)[1]
    assert constants.converged and are_nodes(constants) and constants.iterations > report.iterations
    # Without block the rows of A's full blocks are a node's.
    assert tulle.solve(A, b, near_null=B)[1].iterations == report.iterations
    for same in (np.asfortranarray(B), B.tolist(), np.repeat(B, 2, axis=1)[:, ::2], B.astype(np.float32).astype(float)):
        again, found = tulle.solve(A, b, block=3, near_null=same)
        assert found.iterations <= report.iterations + 1
        np.testing.assert_allclose(again, x, rtol=1e-4, atol=1e-6 * abs(x).max())
    bedded = tulle.csr_array((A + 0.1 * sp.eye(A.shape[0], format="csr")).astype(np.float32))  # as f32 can solve it
    single, report = tulle.solve(bedded, b.astype(np.float32), block=3, near_null=B)
    assert single.dtype == np.float32 and report.converged and are_nodes(report)


def test_near_null_where_arrays_are(beam):
    A, b, B = beam
    K, report = tulle.csr(A), tulle.solve(A, b, block=3, near_null=B)[1]
    for same in (B, np.asfortranarray(B)):
        x, found = tulle.solve(K, b, block=3, near_null=same)
        assert found.converged and are_nodes(found) and found.iterations == report.iterations
        assert np.linalg.norm(A @ x - b) < 2e-8 * np.linalg.norm(b)
    with pytest.raises(tulle.InvalidArgument, match="near_null is of float32"):
        tulle.solve(K, b, near_null=B.astype(np.float32))


def test_gradients_with_a_near_null_space(beam):
    torch = pytest.importorskip("torch")
    A, b, B = beam
    K = tulle.csr((torch.tensor(A.data), torch.tensor(A.indices), torch.tensor(A.indptr)), shape=A.shape)
    load, motions = torch.tensor(b, requires_grad=True), torch.tensor(B, requires_grad=True)
    x, report = tulle.solve(K, load, block=3, near_null=motions)
    assert are_nodes(report)
    x.sum().backward()
    want = tulle.solve(A, np.ones(len(b)), rtol=1e-10)[0]
    np.testing.assert_allclose(load.grad.numpy(), want, rtol=1e-4, atol=1e-6 * abs(want).max())
    assert motions.grad is None
    with pytest.raises(tulle.InvalidArgument, match="near_null is of NumPy"):
        tulle.solve(K, load, near_null=B)


@pytest.mark.parametrize("as_csr", [False, True])
def test_mistakes_are_named(beam, as_csr):
    A, b, B = beam
    K = tulle.csr(A) if as_csr else A
    for near_null in (B[:-1], B[:, 0], B[:, :0], np.repeat(B, 3, axis=1)):
        with pytest.raises(tulle.InvalidArgument, match="near_null has|near_null is of NumPy"):
            tulle.solve(K, b, near_null=near_null)
    for block in (-1, 1.5, "3", None):
        with pytest.raises(tulle.InvalidArgument, match=f"block is {block!r}: an integer"):
            tulle.solve(K, b, block=block)
    for block in (17, 2):  # 2: the number of rows is odd
        with pytest.raises(tulle.Error, match="block"):
            tulle.solve(K, b, block=block)
    with pytest.raises(tulle.InvalidArgument, match="precond"):
        tulle.solve(K, b, precond="jacobi", near_null=B)


def test_near_null_of_multigrid(beam):
    A, b, B = beam
    counts = []
    for near_null in (None, B):
        steps = []
        M = tulle.amg(A, block=3, near_null=near_null)
        assert M.levels[0] == (A.shape[0], A.nnz)
        x, info = tulle.cg(A, b, M=M, rtol=1e-8, callback=steps.append)
        assert info == 0 and np.linalg.norm(A @ x - b) < 2e-8 * np.linalg.norm(b)
        counts.append(len(steps))
    assert counts[1] < counts[0]
    with pytest.raises(tulle.InvalidArgument, match="near_null is complex"):
        tulle.amg(A, block=3, near_null=B + 1j)
    with pytest.raises(tulle.InvalidArgument, match="near_null has the shape"):
        tulle.amg(A, block=3, near_null=B[:-1])
    with pytest.raises(tulle.InvalidArgument, match="near_null is complex"):
        tulle.solve(sp.csr_array(A), b, near_null=B * 1j)
