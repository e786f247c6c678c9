# SPDX-License-Identifier: Apache-2.0
"""Quantities and conditions of problems on meshes, and how they are said to the library; see tulle.fem."""
from __future__ import annotations

import dataclasses
import math
from typing import Any, Callable, Sequence, Union

import numpy as np
import numpy.typing as npt

from ._errors import InvalidArgument, c_text, told
from ._library import ffi, lib
from ._mesh import Mesh

# A quantity of a problem: a number, an array with a number for each cell (of a condition: for each facet, or for each
# node where u is given), or a function of the coordinates.
Quantity = Union[float, npt.ArrayLike, Callable[..., float]]


@dataclasses.dataclass(frozen=True)
class Dirichlet:
    """u is given on a group of facets; group None: the whole boundary. value: of elasticity a displacement along each
    axis, None for an axis along which nothing is given, as on rollers; or one number for all axes. An array has a
    number for each node of the mesh.

    >>> Dirichlet("wall", 20.0)
    Dirichlet(group='wall', value=20.0)
    """

    group: str | None = None
    value: Quantity | Sequence[Quantity | None] = 0.0


@dataclasses.dataclass(frozen=True)
class Neumann:
    """The flux k grad u . n is given on a group of facets, or of elasticity the traction along each axis. An array has
    a number for each facet of the mesh, or, with group None, of its boundary.

    >>> Neumann("inlet", 1.5)
    Neumann(group='inlet', value=1.5)
    """

    group: str | None = None
    value: Quantity | Sequence[Quantity] = 0.0


@dataclasses.dataclass(frozen=True)
class Robin:
    """The flux plus factor times u is given on a group of facets, or of elasticity the traction of springs. Arrays are
    as those of Neumann.

    >>> Robin("air", factor=10.0, value=200.0)
    Robin(group='air', factor=10.0, value=200.0)
    """

    group: str | None = None
    factor: Quantity = 1.0
    value: Quantity | Sequence[Quantity] = 0.0


@dataclasses.dataclass(frozen=True)
class Period:
    """u is the same on two groups of facets, the second of which lies by `shift` from the first. tolerance: largest
    distance of partners from their places; 0: 1e-8 of the mesh's size.

    >>> Period("x-min", "x-max", shift=(1.0, 0.0))
    Period(start='x-min', end='x-max', shift=(1.0, 0.0), tolerance=0.0)
    """

    start: str
    end: str
    shift: Sequence[float]
    tolerance: float = 0.0


Condition = Union[Dirichlet, Neumann, Robin]
_KINDS = {Dirichlet: lib.TULLE_DIRICHLET, Neumann: lib.TULLE_NEUMANN, Robin: lib.TULLE_ROBIN}


class Draft:
    """A problem in the library's words, with the memory that these words need while the problem is made."""

    def __init__(self, mesh: Mesh):
        self.mesh = mesh
        self.kept: list[Any] = []

    def function(self, function):
        """Says a quantity that Python computes at a point, or at a node by its number. An exception becomes NaN, which
        the library refuses, and `told` keeps it."""
        call = ffi.callback("double(double *, int64_t, void *)", lambda x, element, _user: function(x, element),
                            error=math.nan, onerror=told.on_error)
        self.kept.append(call)
        return {"function": call}

    def quantity(self, given, count: int, name: str, of_nodes: bool = False):
        """Says a quantity; an array has `count` numbers."""
        if callable(given):
            dimension = self.mesh.dimension
            return self.function(lambda x, element: given(*x[0:dimension]))
        numbers = np.asarray(given)
        if numbers.dtype.kind not in "fiub" or numbers.ndim > 1 or (numbers.ndim == 1 and len(numbers) != count):
            raise InvalidArgument(f"{name} has the shape {numbers.shape} and is of {numbers.dtype}: a real number, "
                                  f"{count} of them, or a function of the coordinates is wanted")
        if numbers.ndim == 0:
            return {"number": float(numbers)}
        if of_nodes:
            return self.function(lambda x, node: numbers[node])
        numbers = np.array(numbers, dtype=np.float64)
        self.kept.append(numbers)
        return {"of_elements": ffi.cast("double *", ffi.from_buffer(numbers))}

    def group(self, name: str | None):
        if name is None:
            return ffi.NULL
        if not isinstance(name, str):
            raise InvalidArgument(f"group is {name!r}: a name is wanted, or None for the whole boundary")
        self.kept.append(ffi.new("char[]", c_text(name, "group")))
        return self.kept[-1]

    def facets(self, condition: Condition) -> int:
        """Returns the number of facets that arrays of a condition count."""
        return self.mesh._info.facets if condition.group is not None else self.mesh.boundary().cell_count

    def head(self, condition: Condition):
        """Says the part of a condition that all kinds of problems have, and how arrays of its values count."""
        if type(condition) not in _KINDS:
            raise InvalidArgument(f"{condition!r} is no condition: Dirichlet, Neumann and Robin are")
        fixed = isinstance(condition, Dirichlet)
        lists = isinstance(condition.value, (np.ndarray, list, tuple)) or \
            isinstance(getattr(condition, "factor", 0), (np.ndarray, list, tuple))
        count = self.mesh._info.nodes if fixed else self.facets(condition) if lists else 0
        words = {"group": self.group(condition.group), "kind": _KINDS[type(condition)]}
        if isinstance(condition, Robin):
            words["factor"] = self.quantity(condition.factor, count, "factor")
        return words, count, fixed

    def listed(self, kind: str, items):
        array = ffi.new(f"{kind}[]", list(items))
        self.kept.append(array)
        return array
