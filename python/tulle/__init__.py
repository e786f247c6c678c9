# SPDX-License-Identifier: Apache-2.0
"""Sparse linear algebra on NVIDIA GPUs and CPUs, for arrays of NumPy, SciPy, PyTorch and CuPy."""
from . import batch, fem, plot, uniform
from ._arrays import csc_array, csr_array
from ._context import Context, empty_cache, get_threads, set_threads
from ._device import csr
from ._errors import (Cancelled, DeviceFault, Error, FileFault, InvalidArgument, NoDevice, NotFound, OutOfMemory,
                      TooLarge, Unsupported, ZeroPivot)
from ._library import lib as _lib, text as _text
from ._operators import Factors, Multigrid, Operator, amg, ic, ilu
from ._solve import ConvergenceWarning, Report, bicgstab, cg, gmres, solve
from ._spgemm import Product, spgemm
from ._threads import register as _register
from ._triangular import SingularTriangle, Triangle, spsolve_triangular

_register()
__version__ = _text(_lib.tulle_version())
