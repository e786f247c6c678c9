# SPDX-License-Identifier: Apache-2.0
"""The examples, each run on a small size, with what they print compared with other computations."""
import os
import pathlib
import re
import runpy
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "examples"
MESH = FOLDER.parents[1] / "examples/bracket.msh"
MOST_LINES = 60


def printed(example, *arguments, folder=None):
    """The numbers that an example prints."""
    environment = {**os.environ, "PYTHONPATH": os.pathsep.join(sys.path), "MPLBACKEND": "Agg"}
    run = subprocess.run([sys.executable, FOLDER / example, *map(str, arguments)], capture_output=True, text=True,
                         check=False, cwd=folder, env=environment)
    assert run.returncode == 0 and not run.stderr, run.stderr
    numbers = re.findall(r"(?<![\w.])-?\d[\d,]*\.?\d*(?:e[-+]\d+)?", run.stdout)
    return [float(number.rstrip(",").replace(",", "")) for number in numbers]


def test_they_are_short():
    examples = sorted(FOLDER.glob("*.py"))
    assert len(examples) == 6
    for example in examples:
        assert len(example.read_text(encoding="utf-8").splitlines()) < MOST_LINES, example


def test_pagerank():
    example = runpy.run_path(str(FOLDER / "pagerank.py"))
    A = example["make_web"](300)
    dense = A.toarray()
    links = dense.sum(axis=1, keepdims=True)
    P = np.where(links > 0, dense / np.maximum(links, 1), 1 / 300).T
    ranks, _ = example["page_rank"](A)
    want = np.linalg.solve(np.eye(300) - 0.85 * P, np.full(300, 0.15 / 300))
    np.testing.assert_allclose(ranks, want, rtol=1e-9)
    graph = ((dense + dense.T) > 0).astype(int)
    assert example["count_triangles"](A) == np.trace(graph @ graph @ graph) // 6 > 0
    assert example["count_triangles"](tulle.csr_array(sp.csr_array(np.eye(4)))) == 0
    assert printed("pagerank.py", 2000)[0] == 2000


def test_pressure():
    found = printed("pressure.py", 24, 20)
    height, divergence, made, updated = found[4:]
    assert found[:3] == [24, 24, 20] and 0.6 < height < 0.69
    assert divergence < 1e-6 and made > 0 and updated > 0


def test_stiff():
    if not hasattr(tulle, "uniform"):
        pytest.skip("this tulle has no tulle.uniform")
    cells, _, _, _, a, b, c, change = printed("stiff.py", 100)
    # The solution at time 40 to five digits, by many more steps of SciPy's Radau method.
    assert cells == 101 and change < 1e-12
    np.testing.assert_allclose([a, b, c], [0.71583, 9.1855e-6, 0.28416], rtol=5e-4)


def test_heat(tmp_path):
    pytest.importorskip("matplotlib")
    if not hasattr(tulle, "fem"):
        pytest.skip("this tulle has no tulle.fem")
    low, high, mean = printed("heat.py", MESH, tmp_path / "heat.png")[-3:]
    assert 15 < low < 25 and high == 90 and 40 < mean < 60
    assert (tmp_path / "heat.png").stat().st_size > 20_000


def test_layer():
    pytest.importorskip("torch")
    if not hasattr(tulle, "csr"):
        pytest.skip("this tulle has no tulle.csr")
    found = printed("layer.py", 1000, 30)
    assert found[:3] == [1000, 8000, 30] and found[-1] > 80
