# SPDX-License-Identifier: Apache-2.0
"""Pictures: what they show, in numbers that matplotlib was handed."""
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle

matplotlib = pytest.importorskip("matplotlib")
matplotlib.use("Agg")
from matplotlib import pyplot  # noqa: E402  pylint: disable=wrong-import-position


@pytest.fixture(autouse=True)
def close():
    yield
    pyplot.close("all")


def grid(n):
    line = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(n, n))
    return tulle.csr_array((sp.kron(sp.eye(n), line) + sp.kron(line, sp.eye(n))).tocsr())


def drawn(ax):
    """Draws the figure, so that what cannot be drawn fails here, and returns the axes."""
    ax.figure.canvas.draw()
    return ax


@pytest.mark.parametrize("shape", [(60, 60), (1000, 37), (37, 1000), (1, 5000)])
@pytest.mark.parametrize("container", [sp.csr_array, sp.csc_array, sp.coo_array, tulle.csr_array, tulle.csc_array])
def test_density_is_a_count(shape, container):
    S = sp.random(*shape, 0.05, format="coo", random_state=3)
    found = tulle.plot.density(container(S), 50)
    height, width = found.shape
    assert max(found.shape) == 50 or max(shape) <= 50
    want = np.zeros(found.shape, int)
    np.add.at(want, (S.row.astype(int) * height // shape[0], S.col.astype(int) * width // shape[1]), 1)
    np.testing.assert_array_equal(found, want)


def test_density_of_a_csr_around_numpys_arrays():
    A = grid(20)[:300]
    K = tulle.csr(A)
    np.testing.assert_array_equal(tulle.plot.density(K, 50), tulle.plot.density(A, 50))
    np.testing.assert_array_equal(tulle.plot.density(K.T, 50), tulle.plot.density(A, 50).T)
    assert drawn(K.T.spy()).get_title() == drawn(A.T.spy()).get_title()


def test_density_in_several_parts(monkeypatch):
    A = grid(40)
    want = tulle.plot.density(A, 64)
    monkeypatch.setattr(tulle.plot, "MOST_AT_ONCE", 7)
    np.testing.assert_array_equal(tulle.plot.density(A, 64), want)
    assert want.sum() == A.nnz


def test_spy():
    ax = drawn(grid(200).spy())
    assert ax.get_title() == "40,000 × 40,000, 199,200 entries"
    image = ax.images[0].get_array()
    assert image.shape == (400, 400) and 390 < np.ma.count(image) < 2000
    assert ax.get_ylim() == (40000, 0) and len(ax.figure.axes) == 2  # the second one is the scale of colours
    _, given = pyplot.subplots()
    assert drawn(tulle.plot.spy(np.eye(3), given)) is given
    assert np.ma.count(given.images[0].get_array()) == 3
    for A in (sp.csr_array((4, 4)), sp.csr_array((0, 3)), np.zeros((2, 0)), [[1.0, 2.0]], [[np.nan]]):
        drawn(tulle.plot.spy(A))
    for wrong, words in ((None, "A is None"), ([1.0, 2.0], "has 1 axes"), (tulle.ilu(np.eye(2)), "an operator")):
        with pytest.raises(tulle.InvalidArgument, match=words):
            tulle.plot.spy(wrong)
    with pytest.raises(tulle.InvalidArgument, match="pixels is 0"):
        tulle.plot.spy(np.eye(3), pixels=0)


def test_convergence():
    A, b = grid(40), np.ones(1600)
    reports = {precond: tulle.solve(A, b, precond=precond, method="cg")[1] for precond in ("amg", "jacobi")}
    residuals = tulle.plot.Residuals(A, b)
    tulle.gmres(A, b, M=tulle.ilu(A), callback=residuals)
    bicgstab = tulle.plot.Residuals(A, b, np.ones(1600))
    tulle.bicgstab(A, b, np.ones(1600), callback=bicgstab)
    ax = drawn(tulle.plot.convergence({**reports, "gmres": residuals, "bicgstab": bicgstab}, rtol=1e-8))
    for line, (name, report) in zip(ax.lines, reports.items()):
        norms = line.get_ydata()
        assert line.get_label() == name and len(norms) == len(report.history) == report.iterations + 1
        assert norms[0] == 1 and norms[-1] < 1e-7
        assert np.isclose(report.history[0], np.linalg.norm(b))
    assert residuals[-1] < 1e-3 * residuals[0] and bicgstab[0] == pytest.approx(np.linalg.norm(b - A @ np.ones(1600)))
    assert len(tulle.plot.convergence(reports["amg"]).get_legend().get_texts()) == 1
    for wrong in ([], [[1, 2]], 3.0, "norms", [reports["amg"]], (np.ones(2), reports["amg"])):
        with pytest.raises(ValueError, match="sequence of norms"):
            tulle.plot.convergence(wrong)


def test_hierarchy():
    A = grid(60)
    M = tulle.amg(A)
    ax = drawn(tulle.plot.hierarchy(M))
    widths = [bar.get_width() for bar in ax.patches]
    assert widths == [rows for rows, _ in M.levels] + [entries for _, entries in M.levels]
    ax = drawn(tulle.plot.hierarchy(M, spy=True))
    assert len(ax.child_axes) == len(M.levels)
    assert len(ax.child_axes[0].images) == 1
    np.testing.assert_array_equal(M.matrix(0).toarray(), A.toarray())
    for level, (rows, entries) in enumerate(M.levels):
        matrix = M.matrix(level)
        assert matrix is None or (matrix.shape[0], matrix.nnz) == (rows, entries)
    for wrong in (A, tulle.ilu(A), None):
        with pytest.raises(tulle.InvalidArgument, match="a hierarchy is wanted, which tulle.amg makes of a matrix"):
            tulle.plot.hierarchy(wrong)
    with pytest.raises(tulle.InvalidArgument, match="levels 0 to"):
        M.matrix(len(M.levels))


def test_roofline_takes_rows_and_names_of_files_alone():
    row = {"op": "spmv", "matrix": "p2d5:9", "type": "f64", "backend": "cpu", "machine": "a computer",
           "date": "2026-01-01", "kernel": "spmv_csr", "choice": "rule", "ms": 1.0, "gbs": 10.0}
    assert len(drawn(tulle.plot.roofline(row)).collections) == 2
    for wrong, words in (([1, 2], "names of files"),  # numbers, which open() would take as those of open files
                         ([row, "results.jsonl"], "names of files"), ([{"op": "spmv"}], "a row has no field 'choice'")):
        with pytest.raises(ValueError, match=words):
            tulle.plot.roofline(wrong)


def test_matplotlib_is_asked_for():
    program = ("import sys, numpy, tulle\nassert 'matplotlib' not in sys.modules\nsys.modules['matplotlib'] = None\n"
               "try:\n    tulle.plot.spy(numpy.eye(3))\nexcept ImportError as error:\n    print(error)")
    said = subprocess.run([sys.executable, "-c", program], capture_output=True, text=True, check=True).stdout
    assert said == "tulle.plot draws with matplotlib, which is missing: pip install tulle[plot]\n"
