# SPDX-License-Identifier: Apache-2.0
"""Public functions have type hints, objects say what they are, and the package loads no more than it must."""
import ast
import inspect
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from tulle import _operators, _solve, _triangular, batch, fem, uniform

MODULES = [batch, fem, uniform, tulle._arrays, tulle._context, tulle._device, tulle._mesh, _operators,
           tulle._progress, _solve, tulle._spgemm, _triangular]


def members_of(cls, module):
    """The members that a class has from this module, but for SciPy's methods in a wrapper."""
    for base in cls.__mro__:
        if base.__module__ == module.__name__:
            yield from ((name, about) for name, about in vars(base).items()
                        if "<locals>" not in getattr(about, "__qualname__", ""))


def functions_of(module):
    """The public functions of a module, and the public methods of its public classes."""
    for name, thing in vars(module).items():
        if name.startswith("_") or getattr(thing, "__module__", None) != module.__name__:
            continue
        if inspect.isfunction(thing):
            yield name, thing
        if inspect.isclass(thing):
            for method, about in members_of(thing, module):
                about = about.fget if isinstance(about, property) else getattr(about, "__func__", about)
                if inspect.isfunction(about) and (not method.startswith("_") or method == "__init__"):
                    yield f"{name}.{method}", about


# Functions and classes for tulle's own modules.
INTERNAL = {"Core", "Progress", "address", "as_near_null", "as_square", "cpu", "gpu", "linop_of", "place", "report_of",
            "solve_options", "solver"}


@pytest.mark.parametrize("module", MODULES, ids=lambda module: module.__name__)
def test_public_functions_have_hints(module):
    assert (pathlib.Path(tulle.__file__).parent / "py.typed").exists()
    found = dict(functions_of(module))
    assert found
    for name, function in found.items():
        if name.split(".")[0] in INTERNAL:
            continue
        signature = inspect.signature(function)
        bare = [p.name for p in signature.parameters.values()
                if p.name not in ("self", "cls") and p.annotation is p.empty]
        assert not bare, (name, bare)
        assert signature.return_annotation is not signature.empty or name.endswith("__init__"), name
        assert inspect.getdoc(function) or name.endswith("__init__"), name


def test_objects_say_what_they_are():
    A = tulle.csr_array(sp.eye(4, format="csr"))
    mesh = fem.generate("box-quad:2")
    P = uniform.Pattern(A)
    work = batch.Batch()
    for thing in (tulle.ilu(A), tulle.amg(A), tulle.Product(A, A), tulle.Triangle(A), P, P.ilu(np.ones((2, 4))),
                  uniform.lu(np.ones((2, 1, 1))), uniform.Reports(3), work, work.lu(A), mesh, fem.Diffusion(mesh),
                  fem.Elasticity(mesh, 1.0, 0.3), fem.Diffusion(mesh).operator(), tulle.solve(A, np.ones(4))[1]):
        assert "object at 0x" not in repr(thing) and len(repr(thing)) > 10


def test_names_that_come_later():
    """Type checkers see the imports that run when a name is first used."""
    source = ast.parse(pathlib.Path(tulle.__file__).read_text(encoding="utf-8"))
    checked = next(node for node in source.body if isinstance(node, ast.If))
    names = {name.name: node.module for node in checked.body for name in node.names}
    assert names == {**tulle._LATER, **dict.fromkeys(tulle._MODULES)}
    for name, module in tulle._LATER.items():
        assert name in dir(tulle) and getattr(tulle, name).__module__ == f"tulle.{module}"
    with pytest.raises(AttributeError, match="no attribute 'nonsense'"):
        tulle.nonsense


def test_errors_are_the_packages_own():
    for name in tulle.__all__:
        thing = getattr(tulle, name)
        if inspect.isclass(thing) and thing.__bases__[0] is tulle.Error:
            assert thing.__module__ == "tulle", name
    assert tulle.Error.__module__ == "tulle"


def test_names_are_exported():
    """Type checkers that are strict take the names in __all__ alone as those of a package that has type hints."""
    source = ast.parse(pathlib.Path(tulle.__file__).read_text(encoding="utf-8"))
    imported = [node for node in ast.walk(source) if isinstance(node, ast.ImportFrom) and node.level]
    names = {name.asname or name.name for node in imported for name in node.names}
    assert {name for name in names if not name.startswith("_")} == {*tulle.__all__, "dist"}
    everything = {}
    exec("from tulle import *", everything)
    assert everything["solve"] is tulle.solve
    assert tulle.report.__all__ == ["Fault", "cases", "page", "read"]


def test_import_is_quick():
    """Modules that take long to load, or that are seldom needed, are not loaded with the package."""
    program = ("import numpy, scipy.sparse, sys; before = set(sys.modules); import tulle; "
               "print(*(set(sys.modules) - before))")
    loaded = subprocess.run([sys.executable, "-c", program], check=True, capture_output=True, text=True).stdout.split()
    assert "tulle" in loaded
    assert not set(loaded) & {"IPython", "ctypes.util", "importlib.metadata", "scipy.sparse.linalg", "torch"}
