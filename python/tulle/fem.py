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

import dataclasses
import math
import os
import threading
from typing import Any, Callable, Mapping, Sequence, Union

import numpy as np
import numpy.typing as npt

from . import _matrix as matrix
from ._arrays import csr_array
from ._context import cpu
from ._errors import Error, InvalidArgument, NotFound, check, made
from ._interrupts import interruptible
from ._library import ffi, io, lib, text
from ._operators import Operator
from ._sparse import csr_of

__all__ = ["Diffusion", "Dirichlet", "Elasticity", "ElementOperator", "Mesh", "Neumann", "Period", "Robin", "generate",
           "generators", "load"]

# Shapes by the names that meshio has for them.
_SHAPES = {"line": lib.TULLE_LINE, "triangle": lib.TULLE_TRIANGLE, "quad": lib.TULLE_QUADRILATERAL,
           "tetra": lib.TULLE_TETRAHEDRON, "hexahedron": lib.TULLE_HEXAHEDRON, "line3": lib.TULLE_LINE3,
           "quad9": lib.TULLE_QUADRILATERAL9, "hexahedron27": lib.TULLE_HEXAHEDRON27, "triangle6": lib.TULLE_TRIANGLE6,
           "tetra10": lib.TULLE_TETRAHEDRON10, "wedge": lib.TULLE_PRISM, "pyramid": lib.TULLE_PYRAMID,
           "quad8": lib.TULLE_QUADRILATERAL8, "hexahedron20": lib.TULLE_HEXAHEDRON20}
_NAMES = {number: name for name, number in _SHAPES.items()}


def _facts_of(shape: int):
    facts = ffi.new("tulle_shape_info *")
    check(lib.tulle_shape_describe(shape, facts))
    return facts


_FACTS = {shape: _facts_of(shape) for shape in _NAMES}


def _frozen(array: np.ndarray) -> np.ndarray:
    array.flags.writeable = False
    return array


def _table(array: npt.ArrayLike, dtype: type, name: str) -> np.ndarray:
    """A copy of an array of two dimensions, whose numbers keep their values in the type."""
    given = np.asarray(array)
    if given.ndim != 2 or given.dtype.kind not in ("iu" if dtype is np.int32 else "fiu"):
        raise InvalidArgument(f"{name} has the shape {given.shape} and is of {given.dtype}: two axes of "
                              f"{'integers' if dtype is np.int32 else 'real numbers'} are wanted")
    made_of: np.ndarray = np.array(given, dtype=dtype, order="C")
    if dtype is np.int32 and not np.array_equal(made_of, given):
        raise InvalidArgument(f"{name} has node numbers that are too large")
    return made_of


class Mesh:
    """A mesh of finite elements, which never changes.

    points: coordinates of the nodes, (nodes, 1 to 3). cells: for each shape, by meshio's name for it, the nodes of the
    cells, such as {"triangle": [[0, 1, 2]]}. groups: for each name of a part of the boundary, where conditions can be
    given, the nodes of its facets. Meshes of files and of model problems: load, generate.

    >>> Mesh([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], {"triangle": [[0, 1, 2]]}, {"floor": [[0, 1]]})
    <tulle mesh of 3 nodes in 2 dimensions: 1 triangle; groups: floor>
    """

    def __init__(self, points: npt.ArrayLike, cells: Mapping[str, npt.ArrayLike],
                 groups: Mapping[str, npt.ArrayLike] | None = None):
        coordinates = _table(points, np.float64, "points")
        unknown = [shape for shape in cells if shape not in _SHAPES]
        if unknown:
            raise InvalidArgument(f"{unknown[0]!r} is no shape of {sorted(_SHAPES)}")
        blocks: list[tuple[int, np.ndarray, np.ndarray | None]] = [
            (_SHAPES[shape], _table(nodes, np.int32, f"cells[{shape!r}]"), None)
            for shape, nodes in cells.items()]
        names = list(groups or {})
        for number, (name, facets) in enumerate((groups or {}).items(), 1):
            nodes = _table(facets, np.int32, f"groups[{name!r}]")
            shape = self._facet_shape(blocks, nodes.shape[1], name)
            blocks.append((shape, nodes, np.full(len(nodes), number, np.int32)))
        for shape, nodes, _ in blocks:
            if nodes.shape[1] != _FACTS[shape].nodes:
                raise InvalidArgument(f"a {_NAMES[shape]} has {_FACTS[shape].nodes} nodes, not {nodes.shape[1]}")
        dimension = max((_FACTS[shape].dimension for shape, _, _ in blocks), default=1) - 1
        encoded = [ffi.new("char[]", name.encode()) for name in names]
        parts = ffi.new("tulle_mesh_block[]", [
            {"shape": shape, "count": len(nodes), "nodes": ffi.cast("int32_t *", ffi.from_buffer(nodes)),
             "groups": ffi.NULL if group is None else ffi.cast("int32_t *", ffi.from_buffer(group))}
            for shape, nodes, group in blocks])
        named = ffi.new("tulle_mesh_group[]", [{"number": number, "dimension": dimension, "name": name}
                                               for number, name in enumerate(encoded, 1)])
        arrays = ffi.new("tulle_mesh_arrays *", {
            "dimension": coordinates.shape[1], "node_count": len(coordinates), "block_count": len(blocks),
            "coordinates": ffi.cast("double *", ffi.from_buffer(coordinates)), "blocks": parts,
            "group_count": len(names), "groups": named})
        with interruptible():
            self._mesh = made(lib.tulle_mesh_create, "tulle_mesh **", lib.tulle_mesh_destroy, cpu().handle, arrays)
            check(lib.tulle_mesh_check(cpu().handle, self._mesh))
        self._look()

    @staticmethod
    def _facet_shape(blocks, nodes: int, name: str) -> int:
        """The shape of the facets of a group, which have so many nodes."""
        dimension = max((_FACTS[shape].dimension for shape, _, _ in blocks), default=0) - 1
        for shape, facts in _FACTS.items():
            if facts.dimension == dimension and facts.nodes == nodes:
                return shape
        raise InvalidArgument(f"groups[{name!r}] has facets of {nodes} nodes: the cells have no such ones")

    @classmethod
    def _of(cls, mesh) -> Mesh:
        self = cls.__new__(cls)
        self._mesh = mesh
        self._look()
        return self

    def _look(self) -> None:
        info, view = ffi.new("tulle_mesh_info *"), ffi.new("tulle_mesh_arrays *")
        check(lib.tulle_mesh_describe(self._mesh, info))
        check(lib.tulle_mesh_view(self._mesh, view))
        self._info, self._view = info, view

    def _lent(self, pointer, rows: int, columns: int, dtype: type) -> np.ndarray:
        return _frozen(matrix.lent(pointer, rows * columns, dtype, self._mesh).reshape(rows, columns))

    @property
    def dimension(self) -> int:
        """The number of coordinates of a node."""
        return self._info.dimension

    @property
    def points(self) -> np.ndarray:
        """The coordinates of all nodes, (nodes, dimension): the mesh's own memory, for reading."""
        return self._lent(self._view.coordinates, self._info.nodes, self._info.dimension, np.float64)

    def _blocks(self, facets: bool):
        first, count = (self._info.cell_blocks, self._info.facet_blocks) if facets else (0, self._info.cell_blocks)
        return self._view.blocks[first:first + count]

    def _by_shape(self, facets: bool) -> dict[str, np.ndarray]:
        found: dict[str, list[np.ndarray]] = {}
        for block in self._blocks(facets):
            nodes = self._lent(block.nodes, block.count, _FACTS[block.shape].nodes, np.int32)
            found.setdefault(_NAMES[block.shape], []).append(nodes)
        return {name: parts[0] if len(parts) == 1 else _frozen(np.concatenate(parts)) for name, parts in found.items()}

    @property
    def cells(self) -> dict[str, np.ndarray]:
        """For each shape the nodes of its cells, (cells, nodes of the shape)."""
        return self._by_shape(False)

    @property
    def facets(self) -> dict[str, np.ndarray]:
        """For each shape the nodes of the facets that are listed, because they are in a group."""
        return self._by_shape(True)

    @property
    def cell_count(self) -> int:
        """The number of cells of all shapes."""
        return self._info.cells

    @property
    def groups(self) -> dict[str, int]:
        """The names of groups of cells and of facets, each with the dimension of its elements."""
        return {text(group.name): group.dimension for group in self._named() if text(group.name)}

    def _named(self):
        return self._view.groups[0:self._view.group_count]

    def _numbers_of(self, name: str) -> dict[int, list[int]]:
        """The numbers that elements of a group have in the blocks of each dimension: the group's and its unions'."""
        groups = [group for group in self._named() if text(group.name) == name]
        if not groups:
            raise NotFound(f"the mesh has no group {name!r}; it has {sorted(self.groups)}")
        numbers = {group.dimension: [group.number] for group in groups}
        for union in self._view.unions[0:self._view.union_count]:
            if union.dimension in numbers and numbers[union.dimension][0] in union.groups[0:union.count]:
                numbers[union.dimension].append(union.number)
        return numbers

    def _members(self, name: str, facets: bool):
        """For each block of cells or of facets, the block and a mask of its elements that are in the group."""
        numbers = self._numbers_of(name)
        for block in self._blocks(facets):
            wanted = numbers.get(_FACTS[block.shape].dimension)
            if wanted is None or not block.groups:
                yield block, np.zeros(block.count, bool)
            else:
                yield block, np.isin(matrix.lent(block.groups, block.count, np.int32, self._mesh), wanted)

    def cells_of(self, group: str) -> np.ndarray:
        """The numbers of the cells in a group, counted through all shapes in their order."""
        return np.flatnonzero(np.concatenate([mask for _, mask in self._members(group, False)] or [np.zeros(0, bool)]))

    def nodes_of(self, group: str) -> np.ndarray:
        """The nodes of all cells and facets in a group, ascending."""
        found = [self._lent(block.nodes, block.count, _FACTS[block.shape].nodes, np.int32)[mask].ravel()
                 for facets in (False, True) for block, mask in self._members(group, facets)]
        return np.unique(np.concatenate(found or [np.zeros(0, np.int32)]))

    def boundary(self) -> Mesh:
        """The facets that one cell alone has, as a mesh with the same nodes: its cells."""
        with interruptible():
            return Mesh._of(made(lambda *to: lib.tulle_mesh_boundary(*to, ffi.NULL), "tulle_mesh **",
                                 lib.tulle_mesh_destroy, cpu().handle, self._mesh))

    def save(self, path: str | os.PathLike[str], point_data: Mapping[str, npt.ArrayLike] | None = None,
             cell_data: Mapping[str, npt.ArrayLike] | None = None) -> None:
        """Writes the mesh to a file for ParaView (.vtu) or Gmsh (.msh), compressed where the path ends in .gz, .xz or
        .zst.

        point_data, cell_data (.vtu alone): for each name a number, or a vector of up to three, for each node or cell.
        """
        kept, fields = [], []
        for of_cells, data in ((False, point_data), (True, cell_data)):
            for name, values in (data or {}).items():
                numbers = _numbers_of_field(values, self.cell_count if of_cells else self._info.nodes, name)
                kept += [ffi.new("char[]", name.encode()), numbers]
                fields.append({"name": kept[-2], "of_cells": of_cells, "type": matrix.TYPES[numbers.dtype],
                               "components": numbers.shape[1], "values": ffi.from_buffer(numbers)})
        listed = ffi.new("tulle_mesh_field[]", fields)
        options = ffi.new("tulle_mesh_save_options *", {"field_count": len(fields), "fields": listed})
        with interruptible():
            check(io().tulle_mesh_save_sized(cpu().handle, self._mesh, os.fsencode(path), options,
                                             ffi.sizeof("tulle_mesh_save_options")))

    def __repr__(self) -> str:
        cells = ", ".join(f"{len(nodes)} {name}{'s' if len(nodes) != 1 else ''}" for name, nodes in self.cells.items())
        groups = f"; groups: {', '.join(sorted(self.groups))}" if self.groups else ""
        return f"<tulle mesh of {self._info.nodes} nodes in {self.dimension} dimensions: {cells or 'no cells'}{groups}>"


def _numbers_of_field(values: npt.ArrayLike, count: int, name: str) -> np.ndarray:
    """The numbers of a field as a file has them: (nodes or cells, 1 or 3)."""
    numbers = np.asarray(values)
    if numbers.dtype.kind not in "fiub" or numbers.ndim not in (1, 2) or len(numbers) != count or \
            (numbers.ndim == 2 and not 1 <= numbers.shape[1] <= 3):
        raise InvalidArgument(f"{name!r} has the shape {numbers.shape} and is of {numbers.dtype}: {count} real numbers "
                              f"are wanted, or vectors of up to three")
    numbers = numbers.reshape(count, 1 if numbers.ndim == 1 else numbers.shape[1])
    dtype = np.float32 if numbers.dtype == np.float32 else np.float64
    room = np.zeros((count, 1 if numbers.shape[1] == 1 else 3), dtype)
    room[:, :numbers.shape[1]] = numbers
    return room


def load(path: str | os.PathLike[str]) -> Mesh:
    """Reads a mesh from a file of Gmsh's (.msh, versions 2.2 and 4.1) or of VTK's (.vtu), plain or compressed, and
    checks it. Meshes in other formats: meshio reads them, and Mesh takes points and cells_dict of what it read."""
    with interruptible():
        return Mesh._of(made(lambda *to: io().tulle_mesh_load(*to, ffi.NULL), "tulle_mesh **", lib.tulle_mesh_destroy,
                             cpu().handle, os.fsencode(path)))


def generate(spec: str) -> Mesh:
    """Makes the mesh of a model problem, such as "box-hex:40x40x40" or "cylinder-tri:8x4"; `generators` lists them.

    >>> generate("box-quad:3x2")
    <tulle mesh of 12 nodes in 2 dimensions: 6 quads; groups: domain, x-max, x-min, y-max, y-min>
    """
    with interruptible():
        return Mesh._of(made(lib.tulle_mesh_generate, "tulle_mesh **", lib.tulle_mesh_destroy, cpu().handle,
                             spec.encode()))


def generators() -> dict[str, str]:
    """The forms of specifications that `generate` takes, each with what it makes."""
    found, info = {}, ffi.new("tulle_mesh_generator_info *")
    for i in range(lib.tulle_mesh_generator_count()):
        check(lib.tulle_mesh_generator_describe(i, info))
        found[text(info.usage)] = text(info.summary)
    return found


# A quantity of a problem: a number, an array with a number for each cell (of a condition: for each facet, or for each
# node where u is given), or a function of the coordinates.
Quantity = Union[float, npt.ArrayLike, Callable[..., float]]


@dataclasses.dataclass(frozen=True)
class Dirichlet:
    """u is given on a group of facets; group None: the whole boundary. value: of elasticity a displacement along each
    axis, None for an axis along which nothing is given, as on rollers; or one number for all axes. An array has a
    number for each node of the mesh."""

    group: str | None = None
    value: Quantity | Sequence[Quantity | None] = 0.0


@dataclasses.dataclass(frozen=True)
class Neumann:
    """The flux k grad u . n is given on a group of facets, or of elasticity the traction along each axis. An array has
    a number for each facet of the mesh, or, with group None, of its boundary."""

    group: str | None = None
    value: Quantity | Sequence[Quantity] = 0.0


@dataclasses.dataclass(frozen=True)
class Robin:
    """The flux plus factor times u is given on a group of facets, or of elasticity the traction of springs. Arrays are
    as those of Neumann."""

    group: str | None = None
    factor: Quantity = 1.0
    value: Quantity | Sequence[Quantity] = 0.0


@dataclasses.dataclass(frozen=True)
class Period:
    """u is the same on two groups of facets, the second of which lies by `shift` from the first. tolerance: largest
    distance of partners from their places; 0: 1e-8 of the mesh's size."""

    start: str
    end: str
    shift: Sequence[float]
    tolerance: float = 0.0


Condition = Union[Dirichlet, Neumann, Robin]
_KINDS = {Dirichlet: lib.TULLE_DIRICHLET, Neumann: lib.TULLE_NEUMANN, Robin: lib.TULLE_ROBIN}


class _Draft:
    """What a problem says in the library's words, and the memory that these words need while the problem is made."""

    def __init__(self, mesh: Mesh, told):
        self.mesh, self.told = mesh, told
        self.kept: list[Any] = []

    def function(self, function):
        """A quantity that Python computes at a point, or at a node by its number. An exception becomes NaN, which the
        library refuses, and `told` keeps it."""
        call = ffi.callback("double(double *, int64_t, void *)", lambda x, element, _user: function(x, element),
                            error=math.nan, onerror=self.told.on_error)
        self.kept.append(call)
        return {"function": call}

    def quantity(self, given, count: int, name: str, of_nodes: bool = False):
        """A quantity; an array has `count` numbers."""
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
        self.kept.append(ffi.new("char[]", name.encode()))
        return self.kept[-1]

    def facets(self, condition: Condition) -> int:
        """The number of facets that arrays of a condition count."""
        return self.mesh._info.facets if condition.group is not None else self.mesh.boundary().cell_count

    def head(self, condition: Condition):
        """The part of a condition that all kinds of problems have, and how arrays of its values count."""
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


class ElementOperator(Operator):
    """A matrix that is not there: products are computed from the cells, for tulle's methods and SciPy's."""

    def diagonal(self) -> np.ndarray:
        """The diagonal of the matrix, as of a sparse one."""
        d = np.empty(self.shape[0], self.dtype)
        with self.lock:
            check(lib.tulle_linop_get_diagonal(cpu().handle, self._linop, matrix.wrap_vector(d)))
        return d

    def __repr__(self) -> str:
        return f"<tulle operator of finite elements: {self.shape[0]} rows of {self.dtype}>"


class _Problem:
    """The part that all kinds of problems share; `_kind` is in the names of the library's functions."""

    _kind: str
    mesh: Mesh

    def _create(self, words):
        """Makes the problem of words(draft), in which functions of Python's may be called."""
        with interruptible() as told:
            try:
                draft = _Draft(self.mesh, told)
                problem = ffi.new(f"tulle_{self._kind}_problem *", words(draft))
                self._problem = made(self._function("create"), f"tulle_{self._kind} **", self._function("destroy"),
                                     cpu().handle, self.mesh._mesh, problem)
            except Error:
                if told.error is None:
                    raise
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
        """The matrix, symmetric, with rows and columns of given unknowns 0 but for the diagonal."""
        kind = _kind_of(dtype)
        with self._lock, interruptible():
            pattern = self._assembly()
            mat = made(lib.tulle_assembly_matrix, "tulle_mat **", lib.tulle_mat_destroy, cpu().handle, pattern, kind)
            check(self._function("values")(cpu().handle, self._problem, pattern, mat))
        return csr_of(mat, own_indices=True)

    def load(self, dtype: npt.DTypeLike = np.float64) -> np.ndarray:
        """The right-hand side b of matrix() u = b."""
        _kind_of(dtype)
        b = np.zeros(self.size, dtype)
        with self._lock, interruptible():
            check(self._function("load")(cpu().handle, self._problem, self._assembly(), matrix.wrap_vector(b)))
        return b

    def give(self, u: npt.ArrayLike) -> np.ndarray:
        """A copy of u with the given numbers in their rows."""
        u = np.asarray(u)
        if u.shape != (self.size,) or u.dtype.kind not in "fiub":
            raise InvalidArgument(f"u has the shape {u.shape} and is of {u.dtype}: {self.size} real numbers are wanted")
        u = np.array(u, dtype=np.float32 if u.dtype == np.float32 else np.float64)
        with self._lock:
            check(self._function("give")(cpu().handle, self._problem, matrix.wrap_vector(u)))
        return u

    def operator(self, dtype: npt.DTypeLike = np.float64) -> ElementOperator:
        """The matrix as an operator that multiplies by the matrices of elements, which it keeps."""
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
        """The number of unknowns: of rows of the matrix."""
        return self._info.nodes

    @property
    def rows(self) -> np.ndarray:
        """The row of each node of the mesh: its own number, unless periods make nodes the same."""
        nodes = self.mesh._info.nodes
        if not self._info.rows:
            return np.arange(nodes, dtype=np.int32)
        return matrix.lent(self._info.rows, nodes, np.int32, self._problem).copy()

    def on_nodes(self, u: npt.ArrayLike) -> np.ndarray:
        """A solution as a number for each node of the mesh."""
        return self._check_length(u)[self.rows]

    def matrix_free(self, dtype: npt.DTypeLike = np.float64) -> ElementOperator:
        """The matrix as an operator that computes products from the geometry of cells and keeps no matrices. k and c
        are numbers or arrays; cells are quadrilaterals and triangles, or hexahedra and tetrahedra."""
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
        if (lame is None) == (young is None and poisson is None) or (lame is None and None in (young, poisson)):
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
        """The parts of a vector along the axes."""
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
        """The number of unknowns: of rows of the matrix."""
        return self._info.nodes * self._info.unknowns

    def on_nodes(self, u: npt.ArrayLike) -> np.ndarray:
        """A solution as a displacement for each node of the mesh, (nodes, dimension)."""
        return self._check_length(u).reshape(-1, self._info.unknowns)
