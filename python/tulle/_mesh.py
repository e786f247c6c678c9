# SPDX-License-Identifier: Apache-2.0
"""Meshes of finite elements: of arrays, of files and of model problems; see tulle.fem."""
from __future__ import annotations

import os
from typing import Mapping

import numpy as np
import numpy.typing as npt

from . import _matrix as matrix
from ._context import OfProcess, cpu
from ._errors import InvalidArgument, NotFound, c_text, check, made
from ._interrupts import interruptible
from ._library import ffi, io, lib, text

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
    """Copies an array of two dimensions, whose numbers keep their values in the type."""
    given = np.asarray(array)
    if given.ndim != 2 or given.dtype.kind not in ("iu" if dtype is np.int32 else "fiu"):
        raise InvalidArgument(f"{name} has the shape {given.shape} and is of {given.dtype}: two axes of "
                              f"{'integers' if dtype is np.int32 else 'real numbers'} are wanted")
    made_of: np.ndarray = np.array(given, dtype=dtype, order="C")
    if dtype is np.int32 and not np.array_equal(made_of, given):
        raise InvalidArgument(f"{name} has node numbers that are too large")
    return made_of


class Mesh(OfProcess):
    """A mesh of finite elements, which never changes.

    points: coordinates of the nodes, (nodes, 1 to 3). cells: for each shape, by meshio's name for it, the nodes of the
    cells, such as {"triangle": [[0, 1, 2]]}; shapes of less than the highest dimension are left out. groups: for each
    name of a part of the boundary, where conditions can be given, the nodes of its facets. `load` and `generate` make
    meshes of files and of model problems.

    >>> Mesh([[0.0, 0.0], [1.0, 0.0], [0.0, 1.0]], {"triangle": [[0, 1, 2]]}, {"floor": [[0, 1]]})
    <tulle mesh of 3 nodes in 2 dimensions: 1 triangle; groups: floor>
    """

    def __init__(self, points: npt.ArrayLike, cells: Mapping[str, npt.ArrayLike],
                 groups: Mapping[str, npt.ArrayLike] | None = None):
        coordinates = _table(points, np.float64, "points")
        if not isinstance(cells, Mapping):
            raise InvalidArgument(f"cells is a {type(cells).__name__}: a dict is wanted, from shapes to nodes")
        unknown = [shape for shape in cells if shape not in _SHAPES and shape != "vertex"]
        if unknown:
            raise InvalidArgument(f"{unknown[0]!r} is no shape of {sorted(_SHAPES)}")
        dimension = max((_FACTS[_SHAPES[shape]].dimension for shape in cells if shape != "vertex"), default=1)
        blocks: list[tuple[int, np.ndarray, np.ndarray | None]] = [
            (_SHAPES[shape], _table(nodes, np.int32, f"cells[{shape!r}]"), None) for shape, nodes in cells.items()
            if shape != "vertex" and _FACTS[_SHAPES[shape]].dimension == dimension]
        names = list(groups or {})
        for number, (name, facets) in enumerate((groups or {}).items(), 1):
            nodes = _table(facets, np.int32, f"groups[{name!r}]")
            shape = self._facet_shape(dimension - 1, nodes.shape[1], name)
            blocks.append((shape, nodes, np.full(len(nodes), number, np.int32)))
        for shape, nodes, _ in blocks:
            if nodes.shape[1] != _FACTS[shape].nodes:
                raise InvalidArgument(f"a {_NAMES[shape]} has {_FACTS[shape].nodes} nodes, not {nodes.shape[1]}")
        encoded = [ffi.new("char[]", c_text(name, "a group")) for name in names]
        parts = ffi.new("tulle_mesh_block[]", [
            {"shape": shape, "count": len(nodes), "nodes": ffi.cast("int32_t *", ffi.from_buffer(nodes)),
             "groups": ffi.NULL if group is None else ffi.cast("int32_t *", ffi.from_buffer(group))}
            for shape, nodes, group in blocks])
        named = ffi.new("tulle_mesh_group[]", [{"number": number, "dimension": dimension - 1, "name": name}
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
    def _facet_shape(dimension: int, nodes: int, name: str) -> int:
        """Returns the shape of the facets of a group, which have so many nodes."""
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
        """The number of coordinates of a node.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.dimension
        2
        """
        return self._info.dimension

    @property
    def points(self) -> np.ndarray:
        """The coordinates of all nodes, (nodes, dimension): the mesh's own memory, for reading.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.points.shape
        (6, 2)
        """
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
        """For each shape the nodes of its cells, (cells, nodes of the shape).

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.cells["quad"].shape
        (2, 4)
        """
        return self._by_shape(False)

    @property
    def facets(self) -> dict[str, np.ndarray]:
        """For each shape the nodes of the facets that are listed, because they are in a group.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.facets["line"].shape
        (6, 2)
        """
        return self._by_shape(True)

    @property
    def cell_count(self) -> int:
        """The number of cells of all shapes.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.cell_count
        2
        """
        return self._info.cells

    @property
    def groups(self) -> dict[str, int]:
        """The names of groups of cells and of facets, each with the dimension of its elements.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.groups["domain"], mesh.groups["x-min"]
        (2, 1)
        """
        return {text(group.name): group.dimension for group in self._named() if text(group.name)}

    def _named(self):
        return self._view.groups[0:self._view.group_count]

    def _numbers_of(self, name: str) -> dict[int, list[int]]:
        """Returns the numbers that elements of a group have in blocks of each dimension: the group's and its
        unions'."""
        groups = [group for group in self._named() if text(group.name) == name]
        if not groups:
            raise NotFound(f"the mesh has no group {name!r}; it has {sorted(self.groups)}")
        numbers = {group.dimension: [group.number] for group in groups}
        for union in self._view.unions[0:self._view.union_count]:
            if union.dimension in numbers and numbers[union.dimension][0] in union.groups[0:union.count]:
                numbers[union.dimension].append(union.number)
        return numbers

    def _members(self, name: str, facets: bool):
        """Yields each block of cells or of facets with a mask of its elements that are in the group."""
        numbers = self._numbers_of(name)
        for block in self._blocks(facets):
            wanted = numbers.get(_FACTS[block.shape].dimension)
            if wanted is None or not block.groups:
                yield block, np.zeros(block.count, bool)
            else:
                yield block, np.isin(matrix.lent(block.groups, block.count, np.int32, self._mesh), wanted)

    def cells_of(self, group: str) -> np.ndarray:
        """Returns the numbers of the cells in a group, counted through all shapes in their order.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.cells_of("domain")
        array([0, 1])
        """
        return np.flatnonzero(np.concatenate([mask for _, mask in self._members(group, False)] or [np.zeros(0, bool)]))

    def nodes_of(self, group: str) -> np.ndarray:
        """Returns the nodes of all cells and facets in a group, ascending.

        >>> mesh = generate("box-quad:2x1")
        >>> len(mesh.nodes_of("x-min"))
        2
        """
        found = [self._lent(block.nodes, block.count, _FACTS[block.shape].nodes, np.int32)[mask].ravel()
                 for facets in (False, True) for block, mask in self._members(group, facets)]
        return np.unique(np.concatenate(found or [np.zeros(0, np.int32)]))

    def boundary(self) -> Mesh:
        """Returns the facets that one cell alone has, as the cells of a mesh with the same nodes.

        >>> mesh = generate("box-quad:2x1")
        >>> mesh.boundary()
        <tulle mesh of 6 nodes in 2 dimensions: 6 lines; groups: domain, x-max, x-min, y-max, y-min>
        """
        with interruptible():
            return Mesh._of(made(lambda *to: lib.tulle_mesh_boundary(*to, ffi.NULL), "tulle_mesh **",
                                 lib.tulle_mesh_destroy, cpu().handle, self._mesh))

    def save(self, path: str | os.PathLike[str], point_data: Mapping[str, npt.ArrayLike] | None = None,
             cell_data: Mapping[str, npt.ArrayLike] | None = None) -> None:
        """Writes the mesh to a file for ParaView (.vtu) or Gmsh (.msh), compressed where the path ends in .gz, .xz or
        .zst.

        point_data, cell_data (.vtu alone): for each name a number, or a vector of up to three, for each node or cell.

        >>> import pathlib, tempfile
        >>> path = pathlib.Path(tempfile.mkdtemp(), "mesh.vtu")
        >>> mesh = generate("box-quad:2x1")
        >>> mesh.save(path, point_data={"x": mesh.points[:, 0]})    # doctest: +SKIP
        """
        kept, fields = [], []
        for of_cells, data in ((False, point_data), (True, cell_data)):
            for name, values in (data or {}).items():
                numbers = _numbers_of_field(values, self.cell_count if of_cells else self._info.nodes, name)
                kept += [ffi.new("char[]", c_text(name, "a field")), numbers]
                fields.append({"name": kept[-2], "of_cells": of_cells, "type": matrix.TYPES[numbers.dtype],
                               "components": numbers.shape[1], "values": ffi.from_buffer(numbers)})
        listed = ffi.new("tulle_mesh_field[]", fields)
        options = ffi.new("tulle_mesh_save_options *", {"field_count": len(fields), "fields": listed})
        with interruptible():
            check(io().tulle_mesh_save_sized(cpu().handle, self._mesh, _path(path), options,
                                             ffi.sizeof("tulle_mesh_save_options")))

    def __repr__(self) -> str:
        cells = ", ".join(f"{len(nodes)} {name}{'s' if len(nodes) != 1 else ''}" for name, nodes in self.cells.items())
        groups = f"; groups: {', '.join(sorted(self.groups))}" if self.groups else ""
        return f"<tulle mesh of {self._info.nodes} nodes in {self.dimension} dimensions: {cells or 'no cells'}{groups}>"


def _path(path: str | os.PathLike[str]) -> bytes:
    """Returns a file's name for C."""
    c_text(os.fsdecode(path), "path")
    return os.fsencode(path)


def _numbers_of_field(values: npt.ArrayLike, count: int, name: str) -> np.ndarray:
    """Returns the numbers of a field as a file has them: (nodes or cells, 1 or 3)."""
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
    checks it. Of other formats meshio reads meshes; Mesh takes `points` and `cells_dict` of these, of a plane
    `points[:, :2]`.

    >>> load("bracket.msh")    # doctest: +SKIP
    """
    with interruptible():
        return Mesh._of(made(lambda *to: io().tulle_mesh_load(*to, ffi.NULL), "tulle_mesh **", lib.tulle_mesh_destroy,
                             cpu().handle, _path(path)))


def generate(spec: str) -> Mesh:
    """Makes the mesh of a model problem, such as "box-hex:40x40x40" or "cylinder-tri:8x4"; `generators` lists them.

    >>> generate("box-quad:3x2")
    <tulle mesh of 12 nodes in 2 dimensions: 6 quads; groups: domain, x-max, x-min, y-max, y-min>
    """
    with interruptible():
        return Mesh._of(made(lib.tulle_mesh_generate, "tulle_mesh **", lib.tulle_mesh_destroy, cpu().handle,
                             c_text(spec, "the mesh")))


def generators() -> dict[str, str]:
    """Lists the forms of specifications that `generate` takes, each with what it makes.

    >>> "box-quad:" in " ".join(generators())
    True
    """
    found, info = {}, ffi.new("tulle_mesh_generator_info *")
    for i in range(lib.tulle_mesh_generator_count()):
        check(lib.tulle_mesh_generator_describe(i, info))
        found[text(info.usage)] = text(info.summary)
    return found
