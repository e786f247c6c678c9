# SPDX-License-Identifier: Apache-2.0
"""Tests of SciPy and PyAMG with tulle's functions and arrays in the place of SciPy's: which pass, and which are left
out and why. README.md has the counts."""
import importlib.metadata
import json
import os
import pathlib
import subprocess
import sys

import pytest
import scipy

import tulle

HERE = pathlib.Path(__file__).parent
README = (HERE.parent / "README.md").read_text(encoding="utf-8")
VERSION = tuple(map(int, scipy.__version__.split(".")[:2]))

# Tests that tulle does not pass, each with the reason.
ITERATIVE = {
    "test_iterative.py::test_precond_inverse[poisson1d]": "wants at most 3 products: BiCGStab computes the residual "
                                                          "anew from x before it says that it has converged",
    "test_iterative.py::test_precond_inverse[poisson2d]": "the same",
    "test_iterative.py::TestGMRES::test_defective_precond_breakdown": "wants a zero of x exactly: it is 3e-16",
}


def run_instead(what, tests, folder, *options):
    """What became of tests with tulle's names in the place of others', by their files and names."""
    to = folder / "results.json"
    package = pathlib.Path(tulle.__file__).parent.parent
    paths = os.pathsep.join(filter(None, [str(HERE), str(package), os.environ.get("PYTHONPATH")]))
    command = [sys.executable, "-m", "pytest", "-q", "-p", "instead", "-p", "no:cacheprovider", "-W", "ignore"]
    done = subprocess.run([*command, *options, "--pyargs", *tests], cwd=folder, capture_output=True, text=True,
                          check=False, env={**os.environ, "PYTHONPATH": paths, "TULLE_INSTEAD": what,
                                            "TULLE_INSTEAD_TO": str(to)})
    assert to.exists(), done.stdout + done.stderr
    return json.loads(to.read_text(encoding="utf-8"))


def of_tulle(results):
    """Those tests that came to tulle at all, and those that failed."""
    return {name: test for name, test in results.items()
            if test["outcome"] == "failed" or (test["entered"] and test["outcome"] != "skipped")}


def short(name):
    """A test's name with that of its file, without the folder."""
    path, test = name.split("::", 1)
    return f"{pathlib.Path(path).name}::{test}"


def row_of(what, results, left_out):
    """A row of README.md's table."""
    passed = [test for test in results.values() if test["outcome"] == "passed"]
    computed = sum(test["computed"] > 0 for test in passed)
    return f"| {what} | {len(results)} | {len(passed)} | {computed} | {left_out} |"


def judge(results, left_out, least, what):
    """Checks outcomes against what is known of them, and README.md against the counts."""
    results = of_tulle(results)
    failed = {short(name) for name, test in results.items() if test["outcome"] == "failed"}
    assert failed == set(left_out), failed ^ set(left_out)
    assert sum(test["outcome"] == "passed" and test["computed"] > 0 for test in results.values()) >= least
    row = row_of(what, results, len(left_out))
    if f"| {what} |" in README:  # the counts of another version may differ
        assert row in README, row


@pytest.mark.skipif(VERSION < (1, 12), reason="the methods have today's signatures from SciPy 1.12 on")
def test_iterative_methods(tmp_path):
    results = run_instead("solvers", ["scipy.sparse.linalg._isolve.tests.test_iterative"], tmp_path)
    judge(results, ITERATIVE, 130, f"SciPy {scipy.__version__}, `test_iterative.py` | `cg`, `bicgstab`, `gmres`")


@pytest.mark.skipif(VERSION < (1, 12), reason="before SciPy 1.12 the tests take matrices alone")
def test_triangular_systems(tmp_path):
    results = run_instead("solvers", ["scipy.sparse.linalg._dsolve.tests.test_linsolve"], tmp_path, "-k",
                          "TestSpsolveTriangular")
    judge(results, {}, 280, f"SciPy {scipy.__version__}, `test_linsolve.py` | `spsolve_triangular`")


@pytest.mark.skipif(VERSION < (1, 12), reason="up to SciPy 1.10 these are tests of csr_matrix alone")
def test_scipys_own_classes(tmp_path):
    results = run_instead("named", [str(HERE / "test_scipy_own.py")], tmp_path)
    judge(results, {}, 90, f"SciPy {scipy.__version__}, `test_base.py` | `csr_array`, `csc_array`")


@pytest.mark.skipif("TULLE_TEST_OTHERS" not in os.environ, reason="takes minutes: TULLE_TEST_OTHERS asks for it")
@pytest.mark.skipif(VERSION < (1, 12), reason="before SciPy 1.12 the tests take matrices alone")
def test_scipys_linear_algebra(tmp_path):
    results = run_instead("arrays", ["scipy.sparse.linalg", "scipy.sparse.csgraph"], tmp_path)
    judge(results, {}, 500, f"SciPy {scipy.__version__}, `sparse.linalg`, `sparse.csgraph` | `csr_array`, `csc_array`")


def test_pyamg(tmp_path):
    pytest.importorskip("pyamg")
    results = run_instead("arrays", ["pyamg"], tmp_path)
    judge(results, {}, 100, f"PyAMG {importlib.metadata.version('pyamg')} | `csr_array`, `csc_array`")
