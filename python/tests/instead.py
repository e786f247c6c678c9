# SPDX-License-Identifier: Apache-2.0
"""A plugin of pytest for tests of other packages: it puts tulle's names in the place of SciPy's before they are
imported, and writes down what became of each test, and in how many tulle's code and the library were called.

TULLE_INSTEAD: "solvers" or "arrays". TULLE_INSTEAD_TO: the file for the results, in JSON.
"""
import functools
import json
import os

import scipy.sparse as sp
import scipy.sparse.linalg as spl
import scipy.sparse.linalg._dsolve as dsolve
import scipy.sparse.linalg._isolve as isolve

import tulle
from tulle import _arrays, _matrix, _solve, _triangular

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
    for name in ("cg", "bicgstab", "gmres"):
        setattr(isolve, name, counted(tulle, name, "entered"))
    spl.spsolve_triangular = dsolve.spsolve_triangular = counted(tulle, "spsolve_triangular", "entered")
    counted(_solve, "_run", "computed")
    counted(_triangular.Triangle, "_solved", "computed")


def arrays():
    """tulle's arrays for SciPy's, also as results of SciPy's conversions."""
    for module, name in ((sp._csr, "csr_array"), (sp._csc, "csc_array")):
        for owner in (sp, module):
            setattr(owner, name, getattr(tulle, name))
    for owner, name in ((_arrays._Array, "__matmul__"), (_arrays._Array, "_turned")):
        counted(owner, name, "entered")
    for owner, name in ((_matrix.Handle, "multiply"), (_matrix.Handle, "multiply_block"), (_arrays, "_with_index"),
                        (_arrays._Array, "_around")):
        counted(owner, name, "computed")


if "TULLE_INSTEAD" in os.environ:  # else a search for doctests imports this file
    {"solvers": solvers, "arrays": arrays}[os.environ["TULLE_INSTEAD"]]()


def pytest_runtest_setup(item):
    calls.update(entered=0, computed=0)


def pytest_runtest_logreport(report):
    if report.when == "call" or report.outcome != "passed":
        outcome = "expected failure" if hasattr(report, "wasxfail") else report.outcome
        results[report.nodeid.split("::", 1)[1]] = {"outcome": outcome, **calls}


def pytest_sessionfinish():
    with open(os.environ["TULLE_INSTEAD_TO"], "w", encoding="utf-8") as to:
        json.dump(results, to)
