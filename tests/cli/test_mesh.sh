# SPDX-License-Identifier: Apache-2.0
# Meshes: made, looked at, converted, and refused.
# shellcheck disable=SC2016 # sections of Gmsh's files begin with a dollar
source "$(dirname "$0")/common.sh"

run 0 tulle mesh make --list
check "a generator is listed" grep -q '^box-hex:NX\[xNYxNZ\]' "$out"
run 0 tulle mesh make --list --json
json_where 'len(d["generators"]) == 15 and all(g["example"].startswith(g["name"]) for g in d["generators"])'

run 0 tulle mesh make cylinder-hex:4x2x3,perturb=0.1 -o can.msh --json
json_where 'd["nodes"] == 228 and d["cells"] == 144 and d["facets"] == 144 and d["file_bytes"] > 0'
run 0 tulle mesh info can.msh --json
json_where 'd["nodes"] == 228 and d["boundary"] == 144 and d["dimension"] == 3 and d["unused_nodes"] == 0'
json_where 'd["blocks"][0] == {"shape": "hexahedron", "cells": True, "count": 144}'
json_where '[g["elements"] for g in d["groups"]] == [144, 48, 48, 48] and d["groups"][1]["name"] == "side"'
json_where '0.5 < d["scaled_jacobian"]["least"] < d["scaled_jacobian"]["greatest"] <= 1'
json_where 'd["file"]["binary"] and sum(d["scaled_jacobian"]["tenths"]) == 144'
run 0 tulle mesh info can.msh
check "the shape is said" grep -q 'cells      144 of shape hexahedron' "$out"
check "so are groups" grep -Eq '^  side +1 +2 +48$' "$out"
run 0 tulle mesh info box-tri:20,shuffle=1 --json
json_where 'd["node_distance_renumbered"] < d["node_distance"] / 4 and "file" not in d'
run 0 sh -c 'tulle mesh info - --json <can.msh'
json_where 'd["nodes"] == 228'

# There and back: the same bytes.
run 0 tulle mesh convert can.msh text.msh.gz --encoding text
run 0 tulle mesh convert text.msh.gz back.msh
check "binary, text and binary again" cmp can.msh back.msh
run 0 tulle mesh convert can.msh near.msh --renumber -q
check "quiet" test ! -s "$out"
check "renumbered" sh -c '! cmp -s can.msh near.msh'
run 0 tulle mesh convert can.msh skin.msh --boundary --json
json_where 'd["cells"] == 144 and d["nodes"] == 228'

# .vtu files hold what the mesh does: XML, and arrays as text, base64 and bytes behind it.
for encoding in text base64 raw; do
    run 0 tulle mesh convert can.msh "$encoding.vtu" --encoding "$encoding"
done
run 0 tulle mesh convert can.msh can.text.msh --encoding text
cat >vtu.py <<'PYTHON'
import base64, re, struct, sys
import xml.etree.ElementTree as xml

def grid(name):
    """The arrays of a grid by their names, decoded as the format's description says."""
    data = open(name, "rb").read()
    head, mark, behind = data.partition(b'<AppendedData encoding="raw">\n_')
    tree = xml.fromstring(head + b"</VTKFile>" if mark else data)
    assert tree.attrib == {"type": "UnstructuredGrid", "version": "1.0",
                           "byte_order": "LittleEndian", "header_type": "UInt64"}
    letter = {"Float64": "d", "Int32": "i", "Int64": "q", "UInt8": "B"}
    arrays = {}
    for array in tree.iter("DataArray"):
        a, code = array.attrib, letter[array.attrib["type"]]
        if a["format"] == "ascii":
            numbers = [float(n) if code == "d" else int(n) for n in array.text.split()]
        else:
            raw = behind[int(a["offset"]):] if a["format"] == "appended" else base64.b64decode(array.text)
            size, = struct.unpack_from("<Q", raw)
            count = size // struct.calcsize(code)
            numbers = list(struct.unpack_from("<%d%s" % (count, code), raw, 8))
        arrays[a["Name"]] = numbers
    piece, = tree.iter("Piece")
    assert len(arrays["points"]) == 3 * int(piece.attrib["NumberOfPoints"])
    assert len(arrays["types"]) == len(arrays["offsets"]) == int(piece.attrib["NumberOfCells"])
    assert arrays["offsets"][-1] == len(arrays["connectivity"])
    return arrays

def mesh(name):
    """Coordinates, and hexahedra with their groups' entities, of a text file of Gmsh's."""
    text = open(name).read()
    nodes = re.search(r"\$Nodes\n[^\n]*\n[^\n]*\n(.*?)\$End", text, re.S).group(1).split("\n")
    count = len(nodes) // 2
    points = [float(x) for line in nodes[count:] for x in line.split()]
    cells = re.search(r"\$Elements\n.*\n3 1 5 144\n((.*\n){144})", text).group(1).split("\n")
    return points, [int(n) - 1 for line in cells for n in line.split()[1:]]

grids = [grid(n + ".vtu") for n in ("text", "base64", "raw")]
assert grids[0] == grids[1] == grids[2]
points, nodes = mesh("can.text.msh")
assert grids[0]["points"] == points and grids[0]["connectivity"] == nodes
assert set(grids[0]["types"]) == {12} and set(grids[0]["group"]) == {1}
PYTHON
check "the grids are the mesh" python3 vtu.py

# meshio reads them, and what it writes of them is read here: points and cells, in either encoding.
cat >others.py <<'PYTHON'
import sys
import meshio

def same(a, b, shapes, name):
    assert a.points.tobytes() == b.points.tobytes(), name
    for shape in shapes:
        assert (a.cells_dict[shape] == b.cells_dict[shape]).all(), (name, shape)

def first(spec):
    return meshio.read(spec + ".text.msh")

def cells(m):
    return max(m.cells_dict, key=lambda s: meshio._mesh.topological_dimension[s])

def read(specs):
    for spec in specs:
        m = first(spec)
        same(m, meshio.read(spec + ".raw.msh"), m.cells_dict, spec)
        back([spec], ("text", "base64", "raw"), "vtu")

def write(specs):
    for spec in specs:
        for encoding in ("text", "raw"):
            meshio.write("%s.%s.theirs.msh" % (spec, encoding), meshio.read("%s.%s.msh" % (spec, encoding)),
                         file_format="gmsh", binary=encoding == "raw")

def back(specs, encodings=("text", "raw"), ending="again.vtu"):
    for spec in specs:
        for encoding in encodings:
            name = "%s.%s.%s" % (spec, encoding, ending)
            same(first(spec), meshio.read(name), [cells(first(spec))], name)

{"read": read, "write": write, "back": back}[sys.argv[1]](sys.argv[2:])
PYTHON
others() { "${TULLE_PYTHON:-/usr/bin/python3}" others.py "$1" "${specs[@]}"; }
specs=(box-tri box-quad box-tet box-hex box-hex27)
for spec in "${specs[@]}"; do
    for encoding in text raw; do
        run 0 tulle mesh make "$spec:3,perturb=0.1" -o "$spec.$encoding.msh" --encoding "$encoding"
        run 0 tulle mesh make "$spec:3,perturb=0.1" -o "$spec.$encoding.vtu" --encoding "$encoding"
    done
    run 0 tulle mesh make "$spec:3,perturb=0.1" -o "$spec.base64.vtu" --encoding base64
done
run 0 others read
run 0 others write
for spec in "${specs[@]}"; do
    run 0 tulle mesh info "$spec.text.msh" --json
    facets=$(sed -En 's/^\s*"facets":\s*([0-9]+),$/\1/p' "$out")
    for encoding in text raw; do
        theirs=$spec.$encoding.theirs.msh
        run 0 tulle mesh info "$theirs" --json
        json_where "d['file']['binary'] == ('$encoding' == 'raw') and d['facets'] == $facets > 0"
        run 0 tulle mesh convert "$theirs" "$spec.$encoding.again.vtu"
        run 0 tulle mesh convert "$theirs" "$spec.$encoding.again.msh"
    done
    check "theirs are one mesh" cmp "$spec.text.again.msh" "$spec.raw.again.msh"
done
run 0 others back

# Cells of all shapes, of meshio's own: files of Gmsh's, versions 4.1 and 2.2, and of VTK's, compressed
# and not, are read as one mesh, and what is written of it in each encoding is read there as what it was.
cat >shapes.py <<'PYTHON'
import sys
import meshio, numpy

half = [[0, 0, 0], [2, 0, 0], [0, 2, 0], [0, 0, 2]]
middle = lambda p, pairs: p + [[(a + b) / 2 for a, b in zip(p[i], p[j])] for i, j in pairs]
square = [[0, 0, 0], [2, 0, 0], [2, 2, 0], [0, 2, 0]]
cube = square + [[x, y, 2] for x, y, _ in square]
ring = [(0, 1), (1, 2), (2, 3), (3, 0)]
shapes = {
    "line3": middle(half[:2], [(0, 1)]),
    "triangle6": middle(half[:3], [(0, 1), (1, 2), (2, 0)]),
    "tetra10": middle(half, [(0, 1), (1, 2), (2, 0), (0, 3), (1, 3), (2, 3)]),
    "wedge": half[:3] + [[x, y, 2] for x, y, _ in half[:3]],
    "pyramid": square + [[1, 1, 1.5]],
    "quad8": middle(square, ring),
    "quad9": middle(square, ring) + [[1, 1, 0]],
    "hexahedron20": middle(cube, ring + [(a + 4, b + 4) for a, b in ring] + [(a, a + 4) for a in range(4)]),
}
del shapes["line3"]

def mesh(shape):
    points = numpy.array(shapes[shape], dtype=float) / 4  # which ascii files have all digits of
    return meshio.Mesh(points, [(shape, numpy.arange(len(points)).reshape(1, -1))])

def write():
    for shape in shapes:
        m = mesh(shape)
        meshio.write(shape + ".packed.vtu", m)
        meshio.write(shape + ".plain.vtu", m, compression=None)
        meshio.write(shape + ".ascii.vtu", m, binary=False)
        for version in ("22", "41"):
            for binary in (True, False):
                tags = {"gmsh:physical": [numpy.array([7])], "gmsh:geometrical": [numpy.array([1])]}
                meshio.write("%s.%s%s.msh" % (shape, "raw" if binary else "text", version),
                             meshio.Mesh(m.points, m.cells, cell_data=tags if version == "22" else {}),
                             file_format="gmsh22" if version == "22" else "gmsh", binary=binary)

def read(*names):
    for name in names:
        shape, m = name.split(".")[0], meshio.read(name)
        want = mesh(shape)
        flat = want.points[:, 2] if "quad" in shape or "tri" in shape else want.points[:0, 0]
        assert (flat == 0).all() and m.points.tobytes() == want.points.tobytes(), name
        assert (m.cells_dict[shape] == want.cells_dict[shape]).all(), name

{"write": write, "read": read, "list": lambda: print(*shapes)}[sys.argv[1]](*sys.argv[2:])
PYTHON
shapes() { "${TULLE_PYTHON:-/usr/bin/python3}" shapes.py "$@"; }
run 0 shapes write
for shape in triangle6 tetra10 wedge pyramid quad8 quad9 hexahedron20; do
    written=()
    for theirs in packed.vtu plain.vtu ascii.vtu raw22.msh text22.msh raw41.msh text41.msh; do
        run 0 tulle mesh info "$shape.$theirs" --json
        json_where "d['cells'] == 1 and d['file']['turned'] == 0"
        run 0 tulle mesh convert "$shape.$theirs" "$shape.$theirs.vtu"
        written+=("$shape.$theirs.vtu")
    done
    for encoding in text raw; do
        run 0 tulle mesh convert "$shape.packed.vtu" "$shape.$encoding.vtu" --encoding "$encoding"
        run 0 tulle mesh convert "$shape.$encoding.vtu" "$shape.$encoding.msh" --encoding "$encoding"
    done
    written+=("$shape.text.vtu") # meshio cuts bytes behind the XML wrongly where arrays are short
    run 0 shapes read "${written[@]}" "$shape.text.msh" "$shape.raw.msh"
    run 0 tulle solve "$shape.packed.vtu" --reaction 2 --source 3 --robin 4:1.5 -o "$shape.u.vtu" --encoding text
    check "x of $shape is text" grep -q 'format="ascii"' "$shape.u.vtu"
done
check "base64 is what .vtu files have" grep -q 'format="binary"' wedge.text22.msh.vtu
run 0 tulle mesh info wedge.packed.vtu
check "what the file is" grep -Eq '^  file +VTK 0.1, binary, plain; ' "$out"
run 0 tulle mesh info wedge.raw22.msh
check "and of which version" grep -Eq '^  file +Gmsh 2.2, binary, plain; ' "$out"

# What is refused: exit code 2 and one line, and no file.
format='$MeshFormat\n4.1 0 8\n$EndMeshFormat\n'
nodes='$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n'

# bad_mesh NAME PATTERN TEXT
bad_mesh() {
    printf '%b' "$3" >"$1"
    bad "^tulle: $1:$2" tulle mesh info "$1"
    bad "^tulle: $1:$2" tulle mesh convert "$1" out.vtu
    check "$1 leaves no output" test ! -e out.vtu
}
bad_mesh empty.msh ' is empty' ''
bad_mesh text.msh '1: .*MeshFormat' 'hello\n'
bad_mesh old.msh '2: version 2.1 is not read' '$MeshFormat\n2.1 0 8\n$EndMeshFormat\n'
bad_mesh type.msh "[0-9]+: elements of Gmsh's type 13" \
    "$format$nodes"'$Elements\n1 1 1 1\n3 1 13 1\n1 1 2 3 4 1 2\n$EndElements\n'
bad_mesh turned.msh ' element 8 .quadrilateral. is turned over' \
    "$format$nodes"'$Elements\n1 1 8 8\n2 1 3 1\n8 1 2 4 3\n$EndElements\n'
printf '%b' "$format$nodes"'$Elements\n1 2 8 9\n2 1 2 2\n8 1 3 2\n9 1 3 4\n$EndElements\n' >clockwise.msh
run 0 tulle mesh info clockwise.msh
check "a turned cell is told" grep -Eq '^  turned +1 cells, which were turned over in the file$' "$out"
run 0 tulle mesh info clockwise.msh --json
json_where 'd["file"]["turned"] == 1 and d["file"]["format"] == "msh" and d["file"]["version"] == "4.1"'
run 0 tulle solve clockwise.msh
check "solve tells so, too" grep -Eq '^  turned +1 cells' "$out"
bad_mesh flat.msh ' element 8 .triangle. is degenerate' \
    "$format$nodes"'$Elements\n1 1 8 8\n2 1 2 1\n8 1 3 1\n$EndElements\n'
bad_mesh same.msh '[0-9]+: two elements have the number 8' \
    "$format$nodes"'$Elements\n1 2 8 8\n2 1 2 2\n8 1 2 3\n8 1 3 4\n$EndElements\n'
bad_mesh point.msh '[0-9]+: two elements have the number 9' \
    "$format$nodes"'$Elements\n2 3 8 9\n2 1 2 2\n9 1 2 3\n8 1 3 4\n0 1 15 1\n9 1\n$EndElements\n'
printf '%b' "$format$nodes"'$Elements\n2 3 7 9\n2 1 2 2\n9 1 2 3\n7 1 3 4\n0 1 15 1\n8 1\n$EndElements\n' >fall.msh
run 0 tulle mesh info fall.msh --json
json_where 'd["cells"] == 2'
bad_mesh lie.msh '5: 100000000000 nodes are promised' "$format"'$Nodes\n1 100000000000 1 4\n'
bad_mesh hanging.msh ' element 1 .quadrilateral.: node 7 hangs on its facet of nodes 2, 3' \
    "$format"'$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1.5 0 0\n1.5 0.5 0\n1 0.5 0\n1.5 1 0\n$EndNodes\n$Elements\n1 3 1 3\n2 1 3 3\n1 1 2 3 4\n2 2 5 6 7\n3 7 6 8 3\n$EndElements\n'
head -c $(($(stat -c %s can.msh) / 2)) can.msh >cut.msh
bad 'cut.msh: byte [0-9]+: 144 elements are promised, more than the rest of the file can hold' tulle mesh info cut.msh
head -c $(($(stat -c %s text.msh.gz) / 2)) text.msh.gz >cut.msh.gz
bad 'cut.msh.gz: damaged gzip: the file ends in the middle' tulle mesh info cut.msh.gz

bad 'no such file' tulle mesh info missing.msh
bad 'did you mean box-tri' tulle mesh info bix-tri:3
bad 'usage: box-tri' tulle mesh info box-tri:0
bad 'size must be from 1e-100' tulle mesh info box-quad:2x3,size=0x1
bad 'size must be from 1e-100' tulle mesh info box-quad:2x3,size=2x+0X1
run 0 tulle mesh info box-quad:2x3,size=10x1
bad 'perturb less' tulle mesh info box-tet:9,perturb=0.5
bad 'there is no generator' tulle mesh make can.msh -o x.msh
bad 'must end in .msh or .vtu' tulle mesh make box-tri:3 -o x.mtx
bad 'base64' tulle mesh make box-tri:3 -o x.msh --encoding base64
bad 'encoding goes with a mesh' tulle solve box-tri:3 --encoding text
bad 'no mesh file' tulle mesh convert can.msh vtu.py
bad "'look' is none of" tulle mesh look can.msh
bad "'can.msh' is none of .*: tulle mesh info FILE says" tulle mesh can.msh
bad 'output is missing' tulle mesh make box-tri:3
bad 'output belongs' tulle mesh info can.msh -o x.msh
bad 'what is missing' tulle mesh convert can.msh
bad "'x' is too much" tulle mesh info can.msh x
bad 'belong to make' tulle mesh info can.msh --renumber
bad 'list belongs' tulle mesh info can.msh --list
check "no file after a failure" test ! -e x.msh -a ! -e x.mtx
finish
