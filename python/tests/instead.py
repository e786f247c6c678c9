# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for tests of other packages: it puts tulle's names in the place of others' before they are
imported, and writes down what became of each test, and in how many tulle's code and the library were called.

TULLE_INSTEAD: "solvers" or "arrays" of SciPy, "cupy", "torch", "named", where tests name tulle's arrays themselves, or
"nothing", to see tests as they are without tulle.
TULLE_INSTEAD_TO: the file for the results, in JSON.
"""
import contextlib
import functools
import json
import os

import pytest

calls = {"entered": 0, "computed": 0}
results = {}


def counted(owner, name, count):
    """Counts the calls of a function."""
    function = getattr(owner, name)

    @functools.wraps(function)
    def wrapper(*arguments, **options):
        calls[count] += 1
        return function(*arguments, **options)
    setattr(owner, name, wrapper)
    return wrapper


def solvers():
    """tulle's methods and triangular solutions for SciPy's."""
    import scipy.sparse.linalg as spl
    import scipy.sparse.linalg._dsolve as dsolve
    import scipy.sparse.linalg._isolve as isolve

    import tulle
    from tulle import _solve, _triangular
    for name in ("cg", "bicgstab", "gmres"):
        setattr(isolve, name, counted(tulle, name, "entered"))
    spl.spsolve_triangular = dsolve.spsolve_triangular = counted(tulle, "spsolve_triangular", "entered")
    counted(_solve, "_run", "computed")
    counted(_triangular.Triangle, "_solved", "computed")


def arrays():
    """tulle's arrays for SciPy's, also as results of SciPy's conversions."""
    import scipy.sparse as sp

    import tulle
    for module, name in ((sp._csr, "csr_array"), (sp._csc, "csc_array")):
        for owner in (sp, module):
            setattr(owner, name, getattr(tulle, name))
    named()


def named():
    """Only counts: the tests name tulle's arrays themselves, as test_scipy_own.py does."""
    from tulle import _arrays, _matrix
    for owner, name in ((_arrays._Array, "__matmul__"), (_arrays._Array, "_turned")):
        counted(owner, name, "entered")
    for owner, name in ((_matrix.Handle, "multiply"), (_matrix.Handle, "multiply_block"), (_arrays, "_with_index"),
                        (_arrays._Array, "_around")):
        counted(owner, name, "computed")


def library_of_foreign_arrays():
    """Counts what tulle.csr has the library compute."""
    from tulle import _device, _device_solve
    for owner, name in ((_device.Core, "product"), (_device, "_spgemm"), (_device_solve, "_run")):
        counted(owner, name, "computed")


def cupy():
    """tulle's products and methods for those of CuPy's sparse matrices."""
    import instead_cupy
    library_of_foreign_arrays()
    instead_cupy.install(counted)
    return contextlib.nullcontext


def torch():
    """tulle's products for those of PyTorch's tensors in CSR and CSC."""
    import instead_torch
    library_of_foreign_arrays()
    counted(instead_torch, "product", "entered")
    return instead_torch.Instead


def nothing():
    """The tests as they are."""


around_a_test = None
if "TULLE_INSTEAD" in os.environ:  # else a search for doctests imports this file
    around_a_test = globals()[os.environ["TULLE_INSTEAD"]]()


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_call():
    with around_a_test() if around_a_test else contextlib.nullcontext():
        yield


def pytest_runtest_setup():
    calls.update(entered=0, computed=0)


@pytest.hookimpl(hookwrapper=True)
def pytest_runtest_makereport(item):
    told = {"file": str(item.path), **calls}
    (yield).get_result().user_properties.append(("tulle", told))  # comes along from a worker of pytest-xdist


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        told = dict(report.user_properties).get("tulle", {"file": "", "entered": 0, "computed": 0})  # none of a crash
        file, outcome = told.pop("file"), "expected failure" if hasattr(report, "wasxfail") else report.outcome
        result = results[f"{file}::{report.nodeid.split('::', 1)[1]}"] = {"outcome": outcome, **told}
        if outcome == "failed":
            why = [line[1:].strip() for line in report.longreprtext.splitlines() if line.startswith("E ")]
            result["why"] = why[0][:200] if why else ""


def pytest_sessionfinish(session):
    if not hasattr(session.config, "workerinput"):
        with open(os.environ["TULLE_INSTEAD_TO"], "w", encoding="utf-8") as to:
            json.dump(results, to)
