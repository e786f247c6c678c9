# SPDX-License-Identifier: Apache-2.0
"""Meshes, problems on them against what is known of their solutions, files, and words that are refused."""
import os
import pathlib
import xml.etree.ElementTree

import numpy as np
import pytest
import scipy.sparse as sp
import scipy.sparse.linalg as spl

import tulle
from together import in_threads
from tulle import fem

EXAMPLES = pathlib.Path(__file__).parents[2] / "examples"


def in_files():
    """Leaves a test out where libtulle-io was not built."""
    try:
        tulle._library.io()
    except ImportError as error:
        pytest.skip(str(error))


def solved(problem):
    u, report = tulle.solve(problem.matrix(), problem.load(), rtol=1e-12)
    assert report.converged
    return u


@pytest.mark.parametrize("spec", ["box-tri:9x7", "box-quad:9x7", "box-tet:4", "box-hex:4x3x5", "box-hex27:3",
                                  "cylinder-tri:4x2", "lshape-quad:6", "box-quad:6,perturb=0.2"])
def test_linear_functions_are_exact(spec):
    mesh = fem.generate(spec)

    def linear(*x):
        return 1.0 + sum((d + 2) * x[d] for d in range(len(x)))
    problem = fem.Diffusion(mesh, conditions=[fem.Dirichlet(None, linear)])
    want = 1.0 + mesh.points @ np.arange(2, 2 + mesh.dimension)
    np.testing.assert_allclose(solved(problem), want, rtol=1e-8, atol=1e-10)
    edge = np.unique(np.concatenate([nodes.ravel() for nodes in mesh.boundary().cells.values()]))
    given = np.zeros(problem.size)
    given[edge] = want[edge]
    np.testing.assert_allclose(problem.give(np.zeros(problem.size)), given, atol=1e-14)
    assert problem.given == len(edge)


def test_matrix_is_symmetric_and_loads_add_up():
    mesh = fem.generate("box-quad:5x4")
    free = fem.Diffusion(mesh, k=2.0, f=3.0)
    A = free.matrix()
    assert type(A) is tulle.csr_array and A.shape == (30, 30) and A.has_sorted_indices
    np.testing.assert_allclose(A.toarray(), A.toarray().T)
    np.testing.assert_allclose(A @ np.ones(30), 0, atol=1e-13)
    np.testing.assert_allclose(free.load().sum(), 3.0)
    np.testing.assert_allclose(fem.Diffusion(mesh, c=1.0, k=0.0).matrix().sum(), 1.0)
    np.testing.assert_allclose(fem.Diffusion(mesh, k=1.0, c=0.0).matrix().toarray() * 2, A.toarray(), atol=1e-14)


def test_quantities():
    mesh = fem.generate("box-quad:6x6")
    centres = mesh.points[mesh.cells["quad"]].mean(axis=1)
    of_cells = fem.Diffusion(mesh, k=np.where(centres[:, 0] < 0.5, 1.0, 10.0), c=np.full(36, 2.0), f=centres[:, 1])
    by_function = fem.Diffusion(mesh, k=lambda x, y: 1.0 if x < 0.5 else 10.0, c=lambda x, y: 2.0, f=lambda x, y: y)
    np.testing.assert_allclose(of_cells.matrix().toarray(), by_function.matrix().toarray(), atol=1e-13)
    np.testing.assert_allclose(of_cells.load().sum(), by_function.load().sum())
    values = np.sin(mesh.points[:, 0])
    by_array = fem.Diffusion(mesh, conditions=[fem.Dirichlet(None, values)])
    by_function = fem.Diffusion(mesh, conditions=[fem.Dirichlet(None, lambda x, y: np.sin(x))])
    np.testing.assert_allclose(by_array.load(), by_function.load())


def test_conditions():
    mesh = fem.generate("box-quad:4x1")
    # -u'' = 0 with u = 0 on the left, a flux of 3 into the right side: u = 3 x.
    problem = fem.Diffusion(mesh, conditions=[fem.Dirichlet("x-min"), fem.Neumann("x-max", 3.0)])
    np.testing.assert_allclose(solved(problem), 3 * mesh.points[:, 0], atol=1e-10)
    # The flux is 2 (5 - u) there: u = 10/3 x.
    problem = fem.Diffusion(mesh, conditions=[fem.Dirichlet("x-min"), fem.Robin("x-max", 2.0, 10.0)])
    np.testing.assert_allclose(solved(problem), 10 / 3 * mesh.points[:, 0], atol=1e-10)
    of_facets = fem.Diffusion(mesh, conditions=[fem.Dirichlet("x-min"),
                                                fem.Robin("x-max", np.full(10, 2.0), np.full(10, 10.0))])
    np.testing.assert_allclose(solved(of_facets), solved(problem), atol=1e-10)
    everywhere = fem.Diffusion(mesh, c=1.0, conditions=[fem.Neumann(None, np.arange(10.0))])
    assert everywhere.load().sum() > 0 and everywhere.given == 0
    later = fem.Diffusion(mesh, conditions=[fem.Dirichlet(None, 1.0), fem.Dirichlet("x-max", 2.0)])
    np.testing.assert_allclose(solved(later)[mesh.nodes_of("x-max")], 2.0)


def test_periods():
    mesh = fem.generate("box-quad:8x3")
    problem = fem.Diffusion(mesh, f=lambda x, y: np.sin(2 * np.pi * x), c=1.0,
                            periods=[fem.Period("x-min", "x-max", (1.0, 0.0))])
    assert problem.size == 8 * 4 and len(problem.rows) == 9 * 4
    u = problem.on_nodes(solved(problem))
    left, right = mesh.nodes_of("x-min"), mesh.nodes_of("x-max")
    np.testing.assert_array_equal(np.sort(u[left]), np.sort(u[right]))
    for shift in ((1.0,), (0.0, 0.0), (np.nan, 0.0), (0.7, 0.0)):
        with pytest.raises(tulle.InvalidArgument):
            fem.Diffusion(mesh, periods=[fem.Period("x-min", "x-max", shift)])


def test_convergence_of_order_2():
    def error(n):
        mesh = fem.generate(f"box-tri:{n}")
        x, y = mesh.points.T
        problem = fem.Diffusion(mesh, f=lambda x, y: 2 * np.pi**2 * np.sin(np.pi * x) * np.sin(np.pi * y),
                                conditions=[fem.Dirichlet()])
        return np.abs(solved(problem) - np.sin(np.pi * x) * np.sin(np.pi * y)).max()
    assert 3.5 < error(8) / error(16) < 4.5


@pytest.mark.parametrize("dtype, tolerance", [(np.float32, 1e-4), (np.float64, 1e-11)])
def test_operators(dtype, tolerance):
    mesh = fem.generate("box-hex:5x4x3")
    problem = fem.Diffusion(mesh, k=np.linspace(1, 2, 60), c=0.5, f=1.0, conditions=[fem.Dirichlet("x-min", 1.0)])
    A, x = problem.matrix(dtype), np.random.default_rng(1).random(problem.size).astype(dtype)
    for L in (problem.operator(dtype), problem.matrix_free(dtype)):
        assert isinstance(L, spl.LinearOperator) and L.dtype == dtype and "elements" in repr(L)
        np.testing.assert_allclose(L @ x, A @ x, atol=tolerance)
        np.testing.assert_allclose(L @ np.stack([x, 2 * x], 1), A @ np.stack([x, 2 * x], 1), atol=tolerance)
        np.testing.assert_allclose(L.diagonal(), A.diagonal(), atol=tolerance)
    L = problem.matrix_free()
    u, info = tulle.cg(L, problem.load(), M=sp.diags(1 / L.diagonal()), rtol=1e-10)
    assert info == 0
    np.testing.assert_allclose(u, solved(problem), atol=1e-7)
    u, info = spl.cg(L, problem.load(), atol=0, maxiter=500)
    assert info == 0
    beam = fem.Elasticity(mesh, 1e3, 0.3, conditions=[fem.Dirichlet("x-min")])
    x = np.random.default_rng(1).random(beam.size)
    np.testing.assert_allclose(beam.operator() @ x, beam.matrix() @ x, atol=1e-9)
    with pytest.raises(tulle.Unsupported):
        fem.Diffusion(mesh, k=lambda *x: 1.0).matrix_free()


def test_elasticity():
    mesh = fem.generate("box-hex:6x2x2,size=6x1x1")
    # A bar pulled along x, held by rollers: strains are constant, sigma = E eps.
    pull = [fem.Dirichlet("x-min", (0.0, None, None)), fem.Dirichlet("y-min", (None, 0.0, None)),
            fem.Dirichlet("z-min", (None, None, 0.0)), fem.Neumann("x-max", (5.0, 0.0, 0.0))]
    bar = fem.Elasticity(mesh, young=1000.0, poisson=0.25, conditions=pull)
    u = bar.on_nodes(solved(bar))
    want = mesh.points * 5.0 / 1000.0 * np.array([1.0, -0.25, -0.25])
    np.testing.assert_allclose(u, want, atol=1e-9)
    lame = fem.Elasticity(mesh, lame=(400.0, 400.0), conditions=pull)  # the same material
    np.testing.assert_allclose(lame.matrix().toarray(), bar.matrix().toarray(), rtol=1e-12, atol=1e-9)
    springs = fem.Elasticity(mesh, 1000.0, 0.25, conditions=pull[:3] + [fem.Robin("x-max", 10.0, (5.0, 0.0, 0.0))])
    assert 0 < springs.on_nodes(solved(springs))[:, 0].max() < u[:, 0].max()
    heavy = fem.Elasticity(mesh, 1000.0, 0.25, f=(0.0, 0.0, -1.0), conditions=[fem.Dirichlet("x-min")])
    np.testing.assert_allclose(fem.Elasticity(mesh, 1000.0, 0.25, f=(0, 0, -1.0)).load().sum(), -6.0)
    assert heavy.on_nodes(solved(heavy))[:, 2].min() < 0
    uneven = fem.Elasticity(mesh, np.full(mesh.cell_count, 1000.0), np.full(mesh.cell_count, 0.25), conditions=pull)
    np.testing.assert_array_equal(uneven.matrix().toarray(), bar.matrix().toarray())
    flat = fem.Elasticity(fem.generate("box-tri:3"), 10.0, 0.3, f=(1.0, lambda x, y: x),
                          conditions=[fem.Dirichlet("x-min", 0.1)])
    np.testing.assert_allclose(flat.on_nodes(solved(flat))[flat.mesh.nodes_of("x-min")], 0.1)
    assert "elasticity: 32 unknowns, 8 of them given" in repr(flat)


def test_meshes_of_arrays():
    points = [[0, 0], [1, 0], [1, 1], [0, 1], [2, 0], [2, 1]]
    mesh = fem.Mesh(points, {"quad": [[0, 1, 2, 3]], "triangle": [[1, 4, 5], [1, 5, 2]]},
                    {"left": [[0, 3]], "right": [[4, 5]]})
    assert repr(mesh).startswith("<tulle mesh of 6 nodes in 2 dimensions: 1 quad, 2 triangles; groups: left, right>")
    assert mesh.groups == {"left": 1, "right": 1} and mesh.cell_count == 3
    np.testing.assert_array_equal(mesh.nodes_of("left"), [0, 3])
    np.testing.assert_array_equal(mesh.cells["triangle"], [[1, 4, 5], [1, 5, 2]])
    np.testing.assert_array_equal(mesh.facets["line"], [[0, 3], [4, 5]])
    np.testing.assert_array_equal(mesh.points, points)
    assert mesh.boundary().cell_count == 6 and mesh.boundary().cells["line"].shape == (6, 2)
    problem = fem.Diffusion(mesh, conditions=[fem.Dirichlet("left"), fem.Dirichlet("right", 2.0)])
    np.testing.assert_allclose(solved(problem), mesh.points[:, 0], atol=1e-12)
    as_read = {"vertex": [[0]], "line": [[0, 1], [1, 2]], "quad": [[0, 1, 2, 3]]}  # as meshio has them
    assert fem.Mesh(points[:4], as_read).cell_count == 1
    surface = fem.Mesh([[0, 0, 0], [1, 0, 0], [0, 1, 1]], {"triangle": [[0, 1, 2]]})
    assert surface.dimension == 3 and fem.Diffusion(surface).matrix().shape == (3, 3)
    for name in ("points", "cells"):
        array = mesh.points if name == "points" else mesh.cells["quad"]
        with pytest.raises(ValueError):
            array[0] = 0
    kept = fem.generate("box-tri:50").points
    np.zeros(10**5)
    assert kept.shape == (51 * 51, 2) and kept.max() == 1.0  # the mesh lives as long as its arrays


def test_meshes_that_are_refused():
    good, cells = [[0, 0], [1, 0], [0, 1]], {"triangle": [[0, 1, 2]]}
    for points, parts, groups in (
            (good, {"triangle": [[0, 2, 1]]}, None),  # turned over
            (good, {"triangle": [[0, 1, 3]]}, None), (good, {"triangle": [[0, 1, -1]]}, None),
            (good, {"triangle": [[0, 1]]}, None), (good, {"triangle": [[0.0, 1.0, 2.0]]}, None),
            (good, {"triangle": [0, 1, 2]}, None), (good, {"triangle": [[0, 1, 2**40]]}, None),
            (good, {"pentagon": [[0, 1, 2]]}, None), (good, [[0, 1, 2]], None), (good, {"triangle": [[0, 1, 2]]}, {"a\0": [[0, 1]]}), ([[0, 0], [1, 0], [0, np.nan]], cells, None),
            ([0, 1, 2], cells, None), (np.zeros((3, 4)), cells, None), (np.array(good) * 1j, cells, None),
            (good, cells, {"a": [[0, 1, 2]]}), (good, cells, {"a": [[0, 5]]}), (good, cells, {"a": [0, 1]}),
            (good, {}, {"a": [[0, 1]]}), (good, {"triangle": [[0, 1, 2]], "tetra": [[0, 1, 2, 2]]}, None)):
        with pytest.raises(tulle.InvalidArgument):
            fem.Mesh(points, parts, groups)
    for spec in ("box-tri", "sphere:3", "box-tri:-1", ""):
        with pytest.raises(tulle.Error):
            fem.generate(spec)
    assert any(usage.startswith("box-hex:") for usage in fem.generators())


def test_problems_that_are_refused():
    mesh = fem.generate("box-quad:3")
    refused = [dict(k="1"), dict(k=np.ones(5)), dict(c=1j), dict(f=np.ones((9, 1))), dict(k=np.nan), dict(k=None),
               dict(f=lambda x: x), dict(conditions=["x-min"]), dict(conditions=[fem.Dirichlet(3)]),
               dict(conditions=[fem.Dirichlet("x-min", np.ones(9))]),
               dict(conditions=[fem.Neumann("x-min", np.ones(9))]),
               dict(conditions=[fem.Dirichlet("x-min", np.inf)]), dict(conditions=[fem.Robin("x-min", "stiff")]),
               dict(conditions=[fem.Dirichlet("x-min", (1.0, 2.0))])]
    for words in refused:
        with pytest.raises((tulle.InvalidArgument, TypeError)):
            fem.Diffusion(mesh, **words)
    with pytest.raises(tulle.NotFound):
        fem.Diffusion(mesh, conditions=[fem.Dirichlet("nowhere")])
    with pytest.raises(tulle.NotFound, match="x-max"):
        mesh.nodes_of("nowhere")
    for words in (dict(), dict(young=1.0), dict(young=1.0, poisson=0.3, lame=(1, 1)), dict(young=-1.0, poisson=0.3),
                  dict(young=1.0, poisson=0.5), dict(young=1.0, poisson=0.3, f=1.0),
                  dict(young=1.0, poisson=0.3, f=(1.0, 2.0, 3.0)),
                  dict(young=1.0, poisson=0.3, conditions=[fem.Dirichlet("x-min", (0.0,))]),
                  dict(young=1.0, poisson=0.3, conditions=[fem.Neumann("x-min", (0.0, None))])):
        with pytest.raises(tulle.InvalidArgument):
            fem.Elasticity(mesh, **words)
    with pytest.raises(tulle.Unsupported):
        fem.Elasticity(fem.generate("box-hex27:2"), 1.0, 0.3)
    problem = fem.Diffusion(mesh)
    for call in (problem.matrix, problem.load, problem.operator, problem.matrix_free):
        with pytest.raises(tulle.InvalidArgument):
            call(np.int32)
    for u in (np.ones(3), np.ones((16, 1)), np.ones(16) * 1j):
        with pytest.raises(tulle.InvalidArgument):
            problem.give(u)
    with pytest.raises(tulle.InvalidArgument):
        problem.on_nodes(np.ones(3))


def test_errors_of_functions_come_out():
    def fails(x, y):
        raise ZeroDivisionError("mine")
    mesh = fem.generate("box-quad:3")
    for words in (dict(k=fails), dict(f=fails), dict(conditions=[fem.Dirichlet("x-min", fails)])):
        with pytest.raises(ZeroDivisionError, match="mine"):
            fem.Diffusion(mesh, **words)

    def interrupted(x, y):
        raise KeyboardInterrupt
    with pytest.raises(KeyboardInterrupt):
        fem.Diffusion(mesh, k=interrupted)
    assert fem.Diffusion(mesh).matrix().shape == (16, 16)


def test_matrices_are_their_own():
    problem = fem.Diffusion(fem.generate("box-quad:4"), conditions=[fem.Dirichlet()])
    A, B = problem.matrix(), problem.matrix()
    want, nnz = B @ np.ones(25), B.nnz
    A.data[:] = 0
    A.eliminate_zeros()
    A.setdiag(1.0)
    np.testing.assert_array_equal(B @ np.ones(25), want)
    C = problem.matrix()
    del problem
    assert C.nnz == nnz and (C @ np.ones(25) == want).all()
    C.data *= 2
    np.testing.assert_allclose(C @ np.ones(25), 2 * want)


def test_files(tmp_path):
    in_files()
    mesh = fem.load(EXAMPLES / "bracket.msh")
    assert {"wall", "pipe", "air", "steel"} <= set(mesh.groups) and mesh.dimension == 3
    assert len(mesh.cells_of("steel")) == mesh.cell_count
    problem = fem.Diffusion(mesh, conditions=[fem.Dirichlet("pipe", 80.0), fem.Robin("air", 0.1, 2.0)])
    u = problem.on_nodes(solved(problem))
    assert 20 < u.min() and u.max() < 80.0001
    moved = np.column_stack([u, u, u])
    mesh.save(tmp_path / "u.vtu", point_data={"u": u, "flat": moved[:, :2].astype(np.float32), "vector": moved},
              cell_data={"number": np.arange(mesh.cell_count)})
    tree = xml.etree.ElementTree.parse(tmp_path / "u.vtu")
    arrays = {a.get("Name"): a.get("NumberOfComponents") for a in tree.iter("DataArray")}
    assert {"u", "flat", "vector", "number"} <= set(arrays) and arrays["flat"] == arrays["vector"] == "3"
    again = fem.load(os.fspath(tmp_path / "u.vtu"))
    np.testing.assert_array_equal(again.points, mesh.points)
    np.testing.assert_array_equal(again.cells["tetra"], mesh.cells["tetra"])
    for name in ("mesh.msh", "mesh.msh.gz", "mesh.msh.zst"):
        mesh.save(tmp_path / name)
        again = fem.load(tmp_path / name)
        assert again.groups == mesh.groups and len(again.nodes_of("air")) == len(mesh.nodes_of("air"))


def test_without_the_library_of_files(tmp_path, monkeypatch):
    monkeypatch.setattr("ctypes.util.find_library", lambda name: None)
    for place in (str(tmp_path / "libtulle.so"), "libtulle.so"):
        monkeypatch.setattr(tulle._library, "find", lambda place=place: place)
        with pytest.raises(ImportError, match="libtulle-io"):
            tulle._library.io.__wrapped__()


def test_files_that_are_refused(tmp_path):
    in_files()
    mesh = fem.generate("box-tri:2")
    with pytest.raises(OSError):
        fem.load(tmp_path / "none.msh")
    (tmp_path / "bad.msh").write_text("$MeshFormat\n4.1 0 8\n$EndMeshFormat\n$Nodes\nx\n")
    with pytest.raises(tulle.FileFault, match="bad.msh:5"):
        fem.load(tmp_path / "bad.msh")
    with pytest.raises(OSError):
        mesh.save(tmp_path / "no" / "folder.vtu")
    for name, words in (("u.txt", {}), ("u.msh", dict(point_data={"u": np.ones(9)})),
                        ("u.vtu", dict(point_data={"u": np.ones(8)})), ("u.vtu", dict(cell_data={"u": np.ones(9)})),
                        ("u.vtu", dict(point_data={"u": np.ones((9, 4))})),
                        ("u.vtu", dict(point_data={"u": np.ones(9) * 1j}))):
        with pytest.raises(tulle.InvalidArgument):
            mesh.save(tmp_path / name, **words)


def test_a_problem_in_several_threads():
    problem = fem.Diffusion(fem.generate("box-quad:40"), f=1.0, conditions=[fem.Dirichlet()])
    want, load, wrong = problem.matrix().toarray(), problem.load(), []

    def work():
        for _ in range(5):
            if not np.array_equal(problem.matrix().toarray(), want) or not np.array_equal(problem.load(), load):
                wrong.append(1)
    in_threads(work)
    assert not wrong


def test_meshes_of_meshio(tmp_path):
    in_files()
    meshio = pytest.importorskip("meshio")
    for spec in ("box-tri:5x4", "box-hex:3", "box-tet:2", "box-hex27:2", "box-quad:4"):
        mesh = fem.generate(spec)
        u = np.arange(len(mesh.points), dtype=float)
        mesh.save(tmp_path / "mesh.vtu", point_data={"u": u, "v": np.column_stack([u, -u])})
        theirs = meshio.read(tmp_path / "mesh.vtu")
        np.testing.assert_array_equal(theirs.points[:, :mesh.dimension], mesh.points)
        np.testing.assert_array_equal(np.ravel(theirs.point_data["u"]), u)
        np.testing.assert_array_equal(theirs.point_data["v"], np.column_stack([u, -u, 0 * u]))
        again = fem.Mesh(theirs.points[:, :mesh.dimension], theirs.cells_dict)
        assert set(again.cells) == set(mesh.cells)
        for shape, nodes in mesh.cells.items():
            np.testing.assert_array_equal(again.cells[shape], nodes)
        np.testing.assert_array_equal(fem.Diffusion(again).matrix().toarray(), fem.Diffusion(mesh).matrix().toarray())
    bracket = meshio.read(EXAMPLES / "bracket.msh")
    ours = fem.load(EXAMPLES / "bracket.msh")
    assert len(bracket.cells_dict["tetra"]) == len(ours.cells["tetra"])
    np.testing.assert_allclose(np.sort(bracket.points, axis=None), np.sort(ours.points, axis=None))
