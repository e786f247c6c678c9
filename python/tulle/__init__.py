# SPDX-License-Identifier: Apache-2.0
"""Sparse linear algebra on NVIDIA GPUs and CPUs, for arrays of NumPy, SciPy, PyTorch and CuPy."""
import importlib
import typing

from ._arrays import csc_array, csr_array
from ._context import Context, empty_cache, get_threads, set_threads
from ._device import csr
from ._errors import (Cancelled, DeviceFault, Error, FileFault, InvalidArgument, NoDevice, NotFound, OutOfMemory,
                      PeerFailed, TooLarge, Unsupported, ZeroPivot)
from ._library import lib as _lib, text as _text
from ._progress import set_progress
from ._spgemm import Product, spgemm
from ._threads import register as _register

if typing.TYPE_CHECKING:
    from . import batch, dist as dist, fem, plot, report, uniform
    from ._operators import Factors, Multigrid, Operator, amg, ic, ilu
    from ._solve import ConvergenceWarning, Report, bicgstab, cg, gmres, solve
    from ._triangular import SingularTriangle, Triangle, spsolve_triangular

# Type checkers take these names alone as the package's own. Of the modules tulle.dist is left out, which
# `from tulle import *` would load, and which needs mpi4py.
__all__ = [
    "Cancelled", "Context", "ConvergenceWarning", "DeviceFault", "Error", "Factors", "FileFault", "InvalidArgument",
    "Multigrid", "NoDevice", "NotFound", "Operator", "OutOfMemory", "PeerFailed", "Product", "Report",
    "SingularTriangle", "TooLarge", "Triangle", "Unsupported", "ZeroPivot", "amg", "batch", "bicgstab", "cg",
    "csc_array", "csr", "csr_array", "empty_cache", "fem", "get_threads", "gmres", "ic", "ilu", "plot", "report",
    "set_progress", "set_threads", "solve", "spgemm", "spsolve_triangular", "uniform"]

# Modules of the package, and names with the modules that have them: these need scipy.sparse.linalg, which takes longer
# to load than the rest of this package.
_MODULES = ("batch", "dist", "fem", "plot", "report", "uniform")
_LATER = {name: module for module, names in {
    "_operators": ("Factors", "Multigrid", "Operator", "amg", "ic", "ilu"),
    "_solve": ("ConvergenceWarning", "Report", "bicgstab", "cg", "gmres", "solve"),
    "_triangular": ("SingularTriangle", "Triangle", "spsolve_triangular"),
}.items() for name in names}


def __getattr__(name: str) -> typing.Any:
    """Loads what is not in the package's first modules when it is first named, so that `import tulle` is quick."""
    if name in _MODULES:
        return importlib.import_module(f"{__name__}.{name}")
    if name in _LATER:
        value = globals()[name] = getattr(importlib.import_module(f"{__name__}.{_LATER[name]}"), name)
        return value
    raise AttributeError(f"module 'tulle' has no attribute {name!r}")


def __dir__() -> "list[str]":
    return sorted({*globals(), *_MODULES, *_LATER})


_register()
__version__ = _text(_lib.tulle_version())
