# SPDX-License-Identifier: Apache-2.0
"""Finite elements: meshes, and the systems of diffusion and of linear elasticity on them.

>>> import tulle
>>> mesh = generate("box-tri:40x30")
>>> problem = Diffusion(mesh, f=1.0, conditions=[Dirichlet("x-min"), Dirichlet("x-max", lambda x, y: y)])
>>> u, report = tulle.solve(problem.matrix(), problem.load())
>>> float(u[mesh.nodes_of("x-max")].max().round(8))
1.0
>>> mesh.save("heat.vtu", point_data={"u": problem.on_nodes(u)})    # doctest: +SKIP
"""
from __future__ import annotations

import threading
from typing import Sequence

import numpy as np
import numpy.typing as npt

from . import _matrix as matrix
from ._arrays import csr_array
from ._conditions import Condition, Dirichlet, Draft, Neumann, Period, Quantity, Robin
from ._context import OfProcess, cpu
from ._errors import InvalidArgument, check, made
from ._interrupts import interruptible
from ._library import ffi, lib
from ._mesh import Mesh, generate, generators, load
from ._operators import Operator
from ._sparse import csr_of

__all__ = ["Diffusion", "Dirichlet", "Elasticity", "ElementOperator", "Mesh", "Neumann", "Period", "Robin", "generate",
           "generators", "load"]


class ElementOperator(Operator):
    """A matrix that is not there: products are computed from the cells, for tulle's methods and SciPy's.

    >>> L = Diffusion(generate("box-quad:8"), c=1.0).operator()
    >>> L.shape
    (81, 81)
    """

    def diagonal(self) -> np.ndarray:
        """Computes the diagonal of the matrix.

        >>> L = Diffusion(generate("box-quad:8"), c=1.0).operator()
        >>> L.diagonal().shape
        (81,)
        """
        d = np.empty(self.shape[0], self.dtype)
        with self.lock:
            check(lib.tulle_linop_get_diagonal(cpu().handle, self._linop, matrix.wrap_vector(d)))
        return d

    def __repr__(self) -> str:
        return f"<tulle operator of finite elements: {self.shape[0]} rows of {self.dtype}>"


class _Problem(OfProcess):
    """The part that all kinds of problems share; `_kind` is in the names of the library's functions."""

    _kind: str
    mesh: Mesh

    def _create(self, words):
        """Makes the problem of words(draft), in which functions of Python's may be called."""
        with interruptible():
            draft = Draft(self.mesh)
            problem = ffi.new(f"tulle_{self._kind}_problem *", words(draft))
            self._problem = made(self._function("create"), f"tulle_{self._kind} **", self._function("destroy"),
                                 cpu().handle, self.mesh._mesh, problem)
        self._info = ffi.new(f"tulle_{self._kind}_info *")
        check(self._function("describe")(self._problem, self._info))
        self._lock, self._pattern = threading.RLock(), None

    def _function(self, name: str):
        return getattr(lib, f"tulle_{self._kind}_{name}")

    @property
    def size(self) -> int:
        """The number of unknowns: of rows of the matrix."""
        raise NotImplementedError

    @property
    def given(self) -> int:
        """The number of unknowns that are given."""
        return self._info.given

    def _assembly(self):
        if self._pattern is None:
            with interruptible():
                self._pattern = made(self._function("assembly"), "tulle_assembly **", lib.tulle_assembly_destroy,
                                     cpu().handle, self._problem, lib.TULLE_CSR)
        return self._pattern

    def matrix(self, dtype: npt.DTypeLike = np.float64) -> csr_array:
        """Computes the matrix, which is symmetric, with rows and columns of given unknowns 0 but for the diagonal.

        >>> Diffusion(generate("box-quad:8"), c=1.0).matrix().nnz
        625
        """
        kind = _kind_of(dtype)
        with self._lock, interruptible():
            pattern = self._assembly()
            mat = made(lib.tulle_assembly_matrix, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, pattern, kind)
            check(self._function("values")(cpu().handle, self._problem, pattern, mat))
        return csr_of(mat, own_indices=True)

    def load(self, dtype: npt.DTypeLike = np.float64) -> np.ndarray:
        """Computes the right-hand side b of matrix() u = b.

        >>> float(Diffusion(generate("box-quad:8"), f=1.0).load().sum().round(12))
        1.0
        """
        _kind_of(dtype)
        b = np.zeros(self.size, dtype)
        with self._lock, interruptible():
            check(self._function("load")(cpu().handle, self._problem, self._assembly(), matrix.wrap_vector(b)))
        return b

    def give(self, u: npt.ArrayLike) -> np.ndarray:
        """Returns a copy of u with the given numbers in their rows."""
        u = np.asarray(u)
        if u.shape != (self.size,) or u.dtype.kind not in "fiub":
            raise InvalidArgument(f"u has the shape {u.shape} and is of {u.dtype}: {self.size} real numbers are wanted")
        u = np.array(u, dtype=np.float32 if u.dtype == np.float32 else np.float64)
        with self._lock:
            check(self._function("give")(cpu().handle, self._problem, matrix.wrap_vector(u)))
        return u

    def operator(self, dtype: npt.DTypeLike = np.float64) -> ElementOperator:
        """Makes the matrix an operator that multiplies by the matrices of elements, which it keeps.

        >>> Diffusion(generate("box-quad:8"), c=1.0).operator().shape
        (81, 81)
        """
        options = ffi.new("tulle_local_options *")
        with self._lock, interruptible():
            linop = made(self._function("local_sized"), "tulle_linop **", lib.tulle_linop_destroy, cpu().handle,
                         self._problem, options, ffi.sizeof("tulle_local_options"), _kind_of(dtype))
        return ElementOperator(linop)

    def _check_length(self, u: npt.ArrayLike) -> np.ndarray:
        u = np.asarray(u)
        if u.shape != (self.size,):
            raise InvalidArgument(f"u has the shape {u.shape}: {self.size} numbers are wanted")
        return u

    def __repr__(self) -> str:
        return f"<tulle {self._kind}: {self.size} unknowns, {self.given} of them given, on {self.mesh!r}>"


def _kind_of(dtype: npt.DTypeLike) -> int:
    kind = matrix.TYPES.get(np.dtype(dtype))
    if kind is None:
        raise InvalidArgument(f"dtype is {np.dtype(dtype)}: float32 and float64 are computed with")
    return kind


class Diffusion(_Problem):
    """Diffusion -div(k grad u) + c u = f on a mesh, u a number at each node.

    k, c, f: a number, an array with a number for each cell, or a function of the coordinates. conditions: Dirichlet,
    Neumann and Robin ones; where nothing is said the flux is 0. periods: parts of the boundary where u is the same.

    >>> problem = Diffusion(generate("box-quad:8"), f=lambda x, y: x * y, conditions=[Dirichlet()])
    >>> problem.matrix().shape, problem.given
    ((81, 81), 32)
    """

    _kind = "diffusion"

    def __init__(self, mesh: Mesh, k: Quantity = 1.0, c: Quantity = 0.0, f: Quantity = 0.0,
                 conditions: Sequence[Condition] = (), periods: Sequence[Period] = ()):
        self.mesh = mesh
        self._create(lambda draft: self._words(draft, k, c, f, conditions, periods))

    def _words(self, draft, k, c, f, conditions, periods):
        cells = self.mesh.cell_count
        factor = draft.listed("tulle_quantity", [draft.quantity(k, cells, "k")])
        given = draft.listed("tulle_condition", [self._condition(draft, condition) for condition in conditions])
        same = draft.listed("tulle_period", [self._period(draft, period) for period in periods])
        return {"k": factor, "c": draft.quantity(c, cells, "c"), "f": draft.quantity(f, cells, "f"),
                "condition_count": len(given), "conditions": given, "period_count": len(same), "periods": same}

    @staticmethod
    def _condition(draft, condition):
        words, count, fixed = draft.head(condition)
        return {**words, "value": draft.quantity(condition.value, count, "value", of_nodes=fixed)}

    @staticmethod
    def _period(draft, period):
        shift = np.asarray(period.shift, np.float64)
        if shift.shape != (draft.mesh.dimension,) or None in (period.start, period.end):
            raise InvalidArgument(f"{period!r}: two names of groups and a shift of {draft.mesh.dimension} numbers are "
                                  f"wanted")
        return {"from": draft.group(period.start), "to": draft.group(period.end), "shift": shift.tolist(),
                "tolerance": period.tolerance}

    @property
    def size(self) -> int:
        """The number of unknowns: of rows of the matrix.

        >>> Diffusion(generate("box-quad:8")).size
        81
        """
        return self._info.nodes

    @property
    def rows(self) -> np.ndarray:
        """The row of each node of the mesh: its own number, unless periods make nodes the same.

        >>> Diffusion(generate("box-quad:2x1")).rows
        array([0, 1, 2, 3, 4, 5], dtype=int32)
        """
        nodes = self.mesh._info.nodes
        if not self._info.rows:
            return np.arange(nodes, dtype=np.int32)
        return matrix.lent(self._info.rows, nodes, np.int32, self._problem).copy()

    def on_nodes(self, u: npt.ArrayLike) -> np.ndarray:
        """Returns a solution as a number for each node of the mesh.

        >>> problem = Diffusion(generate("box-quad:8"))
        >>> problem.on_nodes(np.ones(problem.size)).shape
        (81,)
        """
        return self._check_length(u)[self.rows]

    def matrix_free(self, dtype: npt.DTypeLike = np.float64) -> ElementOperator:
        """Makes the matrix an operator that computes products from the geometry of cells and keeps no matrices. k and
        c are numbers or arrays; cells are quadrilaterals and triangles, or hexahedra and tetrahedra.

        >>> Diffusion(generate("box-quad:8"), c=1.0).matrix_free().shape
        (81, 81)
        """
        options = ffi.new("tulle_matrix_free_options *")
        with self._lock, interruptible():
            linop = made(lib.tulle_diffusion_matrix_free_sized, "tulle_linop **", lib.tulle_linop_destroy,
                         cpu().handle, self._problem, self.mesh._mesh, options,
                         ffi.sizeof("tulle_matrix_free_options"), _kind_of(dtype))
        return ElementOperator(linop)


class Elasticity(_Problem):
    """Linear elasticity on a mesh of order 1: the displacements u of each node along the axes under the force f.

    young and poisson, or lame=(lambda, mu), describe the material; f has a force for each axis: numbers, arrays with
    one for each cell, or functions. In a plane it is plane strain. Unknown r of node p is row p * dimension + r.

    >>> beam = Elasticity(generate("box-hex:6x2x2"), young=1e5, poisson=0.3, f=(0.0, 0.0, -1.0),
    ...                   conditions=[Dirichlet("x-min")])
    >>> beam.size, beam.given
    (189, 27)
    """

    _kind = "elasticity"

    def __init__(self, mesh: Mesh, young: Quantity | None = None, poisson: Quantity | None = None,
                 f: Sequence[Quantity] | None = None, conditions: Sequence[Condition] = (),
                 lame: tuple[Quantity, Quantity] | None = None):
        named = [quantity is not None for quantity in (young, poisson)]  # arrays are not compared with None
        if any(named) == (lame is not None) or any(named) != all(named):
            raise InvalidArgument("the material is given by young and poisson, or by lame=(lambda, mu)")
        self.mesh = mesh
        first, second = (young, poisson) if lame is None else lame
        constants = lib.TULLE_YOUNG_POISSON if lame is None else lib.TULLE_LAME
        self._create(lambda draft: self._words(draft, constants, first, second, f, conditions))

    def _words(self, draft, constants, first, second, f, conditions):
        cells = self.mesh.cell_count
        given = draft.listed("tulle_elastic_condition", [self._condition(draft, condition) for condition in conditions])
        force = (0.0,) * self.mesh.dimension if f is None else f
        return {"constants": constants, "first": draft.quantity(first, cells, "young or lambda"),
                "second": draft.quantity(second, cells, "poisson or mu"),
                "force": [draft.quantity(part, cells, "f") for part in self._axes(force, "f")],
                "condition_count": len(given), "conditions": given}

    def _axes(self, value, name: str):
        """Returns the parts of a vector along the axes."""
        if not isinstance(value, (list, tuple, np.ndarray)) or len(value) != self.mesh.dimension:
            raise InvalidArgument(f"{name} is {value!r}: a quantity for each of {self.mesh.dimension} axes is wanted")
        return list(value)

    def _condition(self, draft, condition):
        words, count, fixed = draft.head(condition)
        value = condition.value
        if not isinstance(value, (list, tuple, np.ndarray)):
            value = (value,) * self.mesh.dimension
        parts = self._axes(value, "value")
        if not fixed and any(part is None for part in parts):
            raise InvalidArgument(f"{condition!r}: None is for displacements that are not given")
        given = [{} if part is None else draft.quantity(part, count, "value", of_nodes=fixed) for part in parts]
        return {**words, "free": [part is None for part in parts], "value": given}

    @property
    def size(self) -> int:
        """The number of unknowns: of rows of the matrix.

        >>> Elasticity(generate("box-quad:8"), young=1.0, poisson=0.3).size
        162
        """
        return self._info.nodes * self._info.unknowns

    def on_nodes(self, u: npt.ArrayLike) -> np.ndarray:
        """Returns a solution as a displacement for each node of the mesh, (nodes, dimension).

        >>> beam = Elasticity(generate("box-quad:8"), young=1.0, poisson=0.3)
        >>> beam.on_nodes(np.ones(beam.size)).shape
        (81, 2)
        """
        return self._check_length(u).reshape(-1, self._info.unknowns)

    def rigid_motions(self) -> np.ndarray:
        """Returns the rigid motions of the nodes, 3 columns in a plane and 6 in space: near_null of tulle.solve and
        tulle.amg, whose block is then the mesh's dimension.

        >>> Elasticity(generate("box-quad:8"), young=1.0, poisson=0.3).rigid_motions().shape
        (162, 3)
        """
        points, dimension = matrix.plain(self.mesh.points), self.mesh.dimension
        with self._lock:
            vectors = made(lib.tulle_near_null_rigid, "tulle_vec **", lib.tulle_vec_destroy, cpu().handle,
                           matrix.wrap_block(points), dimension)
            motions = np.empty((self.size, 3 if dimension == 2 else 6))
            check(lib.tulle_vec_read(cpu().handle, vectors, ffi.from_buffer(motions), 0))
        return motions
