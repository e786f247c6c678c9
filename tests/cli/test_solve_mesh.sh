# SPDX-License-Identifier: Apache-2.0
# Diffusion on meshes, from the command line to a picture: all elements and operators, at every place
# that is there; what is given on parts of the boundary; and what is refused.
# shellcheck disable=SC2016 # sections of Gmsh's files begin with a dollar
source "$(dirname "$0")/common.sh"

find_places cpu

column() { sed 1,2d "$1"; }
# same FILE FILE: numbers differ by what two solutions to 1e-10 may.
cat >"$folder/same.py" <<'PYTHON'
import sys
a, b = ([float(n) for n in open(name).read().split("\n")[2:] if n] for name in sys.argv[1:3])
assert len(a) == len(b) > 0 and max(abs(x - y) for x, y in zip(a, b)) <= 1e-8 * max(map(abs, a))
PYTHON

# All elements and operators, of a generator and of a file.
for place in "${places[@]}"; do
    elements=(tri quad tet hex hex27) ways=(csr ell hyb local matrix-free)
    [ "$place" = emulated ] && elements=(hex) ways=(csr local matrix-free)
    for element in "${elements[@]}"; do
        for way in "${ways[@]}"; do
            run 0 tulle solve box:3 --element "$element" --operator "$way" --on "$place" --tolerance 1e-10 \
                -p jacobi --json -o "$way.mtx"
            json_where "d['right'] and d['b'] == 'loads' and d['a']['source'] == 'mesh'"
            case $way in
                local | matrix-free) own=$way format=csr ;;
                *) own=assembled format=$way ;;
            esac
            json_where "d['mesh']['operator'] == '$own' and d['solved']['format'] == '$format'"
            json_where "(d['mesh']['operator_bytes'] > 0) == ('$own' != 'assembled')"
            json_where "d['mesh']['nodes'] == d['a']['rows'] and d['mesh']['given'] < d['mesh']['nodes']"
            check "$element by $way" python3 "$folder/same.py" csr.mtx "$way.mtx"
        done
    done
done
run 0 tulle mesh make box-hex:3 -o box.msh
run 0 tulle solve box-hex:3 --tolerance 1e-10 -p jacobi -o made.mtx
run 0 tulle solve box.msh --tolerance 1e-10 -p jacobi -o file.mtx
check "the mesh is told" grep -Eq '^  mesh +27 cells, 64 nodes, u is given at 56; read in ' "$out"
check "of a file" python3 "$folder/same.py" made.mtx file.mtx
run 0 tulle solve box.msh --type f32 --repeatable --operator local
check "so is the operator" grep -Eq '^  operator  local: element matrices of ' "$out"
run 0 tulle solve box.msh --type f32 --repeatable --operator matrix-free --precond chebyshev
check "and this one" grep -Eq '^  operator  matrix-free: patches of cells of ' "$out"

# Where all nodes are given there is nothing to solve, and that is said.
for mesh in box-quad:1 box-tri:1 'box-quad:1 --operator local'; do
    # shellcheck disable=SC2086
    run 0 tulle solve $mesh --on cpu
    check "nothing was to be solved of $mesh" grep -qx '  solve     nothing was to be solved: u is given at all nodes' "$out"
done

# Coefficients, numbers that are given and preconditioners are those of the matrix.
problem=(--conductivity 2 --conductivity domain=3 --reaction domain=5 --dirichlet x-min=1 --neumann x-max=4)
for precond in none jacobi ic; do
    for way in csr matrix-free; do
        run 0 tulle solve box-tet:4,perturb=0.1 "${problem[@]}" --operator "$way" -p "$precond" --tolerance 1e-10 \
            -o "$way.mtx"
    done
    check "a problem with $precond" python3 "$folder/same.py" csr.mtx matrix-free.mtx
done

# So are walls, and rows that nodes share.
problem=(--reaction 1 --periodic x-min=x-max --robin z-max=2:6 --robin x-max=1:3 --dirichlet y-min=1)
for mesh in box-hex:3,perturb=0.1 box-hex27:2; do
    for way in csr matrix-free; do
        run 0 tulle solve "$mesh" "${problem[@]}" --operator "$way" -p jacobi --tolerance 1e-10 -o "$way.mtx"
    done
    check "walls and a period of $mesh" python3 "$folder/same.py" csr.mtx matrix-free.mtx
done

# What is known: u = 3 where nothing else is given; u = x between two sides; the flux, and a wall.
values() { column x.mtx | sort -g | sed -n '1p;$p' | awk '{printf "%.6f ", $1}'; }
check_values() { check "$1" test "$(values)" = "$2"; }
run 0 tulle solve box-tet:3 --source 0 --dirichlet 3 -o x.mtx
check_values "a constant" '3.000000 3.000000 '
run 0 tulle solve box-quad:4 --source 0 --dirichlet x-min=1 --dirichlet x-max=2 -o x.mtx
check_values "between two" '1.000000 2.000000 '
run 0 tulle solve box-tri:4 --source 0 --conductivity 2 --dirichlet x-min=1 --neumann x-max=4 -o x.mtx
check_values "a flux" '1.000000 3.000000 '
run 0 tulle solve box-hex:3 --source 0 --conductivity domain=2 --dirichlet z-min=0 --robin z-max=2:6 -o x.mtx
check_values "a wall" '0.000000 3.000000 '
run 0 tulle solve box-hex:3 --source 8 --reaction 4 --robin 0:0 -o x.mtx
check_values "a reaction" '2.000000 2.000000 '

run 0 tulle solve box-hex27:2 --source 2 --dirichlet x-min=0 --dirichlet x-max=0 -o x.mtx
check_values "a parabola, by order 2" '0.000000 0.250000 '

# Periods: between two given numbers u is linear, whatever the sides; all around it is a constant by its
# reaction; in the picture partners have the same number, at all nodes.
run 0 tulle solve box-quad:4 --source 0 --periodic x-min=x-max --dirichlet y-min=1 --dirichlet y-max=2 -o x.mtx
check_values "a strip" '1.000000 2.000000 '
check "rows that nodes share" test "$(column x.mtx | wc -l)" = 20
run 0 tulle solve box-tet:3 --source 8 --reaction 4 --periodic x-min=x-max --periodic y-max=y-min \
    --periodic z-min=z-max --operator local -o x.mtx
check_values "all around" '2.000000 2.000000 '

# A picture: the field of points is there, with all its numbers, between what is given.
run 0 tulle solve cylinder-tet:4x2x4 --source 0 --dirichlet z-min=100 --robin side=4:20 -o heat.vtu --json
json_where "d['field'] == 'heat.vtu' and 'file' not in d"
cat >field.py <<'PYTHON'
import base64, re, struct
data = open("heat.vtu", "rb").read()
points = re.search(rb"<PointData.*?</PointData>", data, re.S).group(0).decode()
assert 'Name="u"' in points and 'type="Float64"' in points and 'format="binary"' in points
raw = base64.b64decode(re.search(r">([^<>]*)</DataArray>", points).group(1))
size = struct.unpack_from("<Q", raw)[0]
u = struct.unpack_from("<%dd" % (size // 8), raw, 8)
assert len(u) == int(re.search(rb'NumberOfPoints="(\d+)"', data).group(1))
assert abs(max(u) - 100) < 1e-5 and 20 < min(u) < 60, (min(u), max(u))
PYTHON
check "u in the picture" python3 field.py
run 0 tulle solve box-quad:3 --source 0 --periodic x-min=x-max --dirichlet y-min=100 --robin y-max=4:20 -o heat.vtu
check "u of a period in the picture" python3 field.py

# A side in two groups is in both, and the other side in one of them.
cat >both.msh <<'MESH'
$MeshFormat
4.1 0 8
$EndMeshFormat
$PhysicalNames
2
1 7 "hot"
1 8 "cold"
$EndPhysicalNames
$Entities
0 2 1 0
1 0 0 0 1 0 0 2 7 8 0
4 0 0 0 0 1 0 1 8 0
1 0 0 0 1 1 0 0 0
$EndEntities
$Nodes
1 4 1 4
2 1 0 4
1
2
3
4
0 0 0
1 0 0
1 1 0
0 1 0
$EndNodes
$Elements
3 4 1 7
1 1 1 1
1 1 2
1 4 1 1
5 4 1
2 1 2 2
6 1 2 3
7 1 3 4
$EndElements
MESH
for given in hot:2 cold:3; do
    run 0 tulle solve both.msh --dirichlet "${given%:*}=1" --json
    json_where "d['mesh']['given'] == ${given#*:} and d['mesh']['turned'] == 0"
done
bad "no part of the boundary is called 'warm'; there are hot, cold" tulle solve both.msh --dirichlet warm=1

# Cells of order 2, and what is not computed on them.
cat >six.msh <<'MESH'
$MeshFormat
2.2 0 8
$EndMeshFormat
$Nodes
6
1 0 0 0
2 2 0 0
3 0 2 0
4 1 0 0
5 1 1 0
6 0 1 0
$EndNodes
$Elements
1
1 9 2 1 1 1 2 3 4 5 6
$EndElements
MESH
run 0 tulle solve six.msh --source 3 --reaction 2 --robin 4:1.5 -o x.mtx
check_values "a triangle of order 2" '1.500000 1.500000 '
run 0 tulle solve six.msh --source 3 --reaction 2 --robin 4:1.5 --operator local
bad 'cells are those of shape triangle of order 2' tulle solve six.msh --operator matrix-free

# Units: u is linear between two sides, whatever a metre and a watt are; numbers that are given come out as given.
cat >linear.py <<'PYTHON'
import sys
u = [float(n) for n in open("x.mtx").read().split("\n")[2:] if n]
ends, per = [float(a) for a in sys.argv[1:3]], int(sys.argv[3])
assert len(u) % (per + 1) == 0
columns = [u[i :: per + 1] for i in range(per + 1)]
assert set(columns[0]) == {ends[0]} and set(columns[per]) == {ends[1]}, (columns[0], columns[per])
worst = max(abs(n - ends[0] - i / per * (ends[1] - ends[0])) for i, c in enumerate(columns) for n in c)
assert worst < 1e-6 * max(map(abs, ends)), worst
PYTHON
ends=(--dirichlet x-min=1 --dirichlet x-max=0 --source 0)
for way in csr local matrix-free; do
    for units in "20 8.85e-12" "20 1e-6" "20,size=1e-6x1e-6 1" "20,size=1e-12x1e-12 1e-12" \
        "20,size=1e12x1e12 1e12" "20 1" "20,size=1e3 1"; do
        read -r size k <<<"$units"
        run 0 tulle solve "box-quad:$size" "${ends[@]}" --conductivity "$k" --operator "$way" -o x.mtx --json
        json_where "d['right'] and d['iterations'] > 3"
        check "box-quad:$size, $k, $way" python3 linear.py 1 0 20
    done
done
for place in "${places[@]}"; do
    for way in csr matrix-free; do
        run 0 tulle solve box-quad:4,size=1e-6x1e-6 "${ends[@]}" --conductivity 8.85e-12 --operator "$way" \
            --on "$place" -o x.mtx
        check "$way on $place" python3 linear.py 1 0 4
    done
done
for type in f32 f64; do
    run 0 tulle solve box-hex:5x1x1 --source 0 --dirichlet x-min=20 --dirichlet x-max=0.1 --tolerance 1e-6 \
        --conductivity 8.85e-12 --type "$type" -o x.mtx --operator local -q
    check "as given, $type" grep -qx '20' <(column x.mtx)
done
run 0 tulle solve box-quad:8 "${ends[@]}" --conductivity 8.85e-12 --mixed -o x.mtx
check "in mixed precision" python3 linear.py 1 0 8

format='$MeshFormat\n4.1 0 8\n$EndMeshFormat\n'
nodes='$Nodes\n1 4 1 4\n2 1 0 4\n1\n2\n3\n4\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n$EndNodes\n'
# Facets that a flux would count on twice are refused by the element; u may be given there.
plate='$PhysicalNames\n3\n1 7 "hot"\n1 8 "cold"\n2 5 "plate"\n$EndPhysicalNames\n$Entities\n0 4 1 0\n1 0 0 0 1 0 0 1 7 0\n2 1 0 0 1 1 0 0 0\n3 0 1 0 1 1 0 0 0\n4 0 0 0 0 1 0 1 8 0\n1 0 0 0 1 1 0 1 5 0\n$EndEntities\n'
cold='1 4 1 1\n5 4 1\n2 1 2 2\n6 1 2 3\n7 1 3 4\n$EndElements\n'
printf '%b' "$format$plate$nodes"'$Elements\n3 4 1 9\n1 1 1 1\n1 1 2\n'"$cold" >once.msh
printf '%b' "$format$plate$nodes"'$Elements\n3 5 1 9\n1 1 1 2\n1 1 2\n2 2 1\n'"$cold" >twice.msh
printf '%b' "$format$plate$nodes"'$Elements\n3 5 1 9\n1 1 1 2\n1 1 2\n2 1 3\n'"$cold" >inside.msh
run 0 tulle solve once.msh --source 0 --dirichlet cold=0 --neumann hot=1 -o x.mtx
bad "group 'hot' has the same facet twice, as elements 2 and 3" tulle solve twice.msh --source 0 --neumann hot=1
bad "a facet of group 'hot', element 3 .*lies between two cells" tulle solve inside.msh --source 0 --robin hot=1:2
for mesh in twice inside; do
    run 0 tulle solve "$mesh.msh" --source 0 --dirichlet hot=5 --dirichlet cold=5 -o x.mtx
    check_values "u on facets of $mesh" '5.000000 5.000000 '
done

# What is refused: exit code 2 and one line.
printf '%b' "$format$nodes"'$Elements\n1 1 8 8\n2 1 3 1\n8 1 2 4 3\n$EndElements\n' >turned.msh
bad 'turned.msh: element 8 .quadrilateral. is turned over' tulle solve turned.msh
printf '%b' "$format$nodes"'$Elements\n1 1 1 1\n3 1 13 1\n1 1 2 3 4 1 2\n$EndElements\n' >type.msh
bad "type.msh:[0-9]+: elements of Gmsh's type 13" tulle solve type.msh
printf '%b' "$format$nodes"'$Elements\n1 2 8 8\n2 1 2 2\n8 1 2 3\n8 1 3 4\n$EndElements\n' >same.msh
bad 'same.msh:[0-9]+: two elements have the number 8' tulle solve same.msh
printf '%b' "$format"'$Nodes\n1 8 1 8\n2 1 0 8\n1\n2\n3\n4\n5\n6\n7\n8\n0 0 0\n1 0 0\n1 1 0\n0 1 0\n1.5 0 0\n1.5 0.5 0\n1 0.5 0\n1.5 1 0\n$EndNodes\n$Elements\n1 3 1 3\n2 1 3 3\n1 1 2 3 4\n2 2 5 6 7\n3 7 6 8 3\n$EndElements\n' >hanging.msh
bad 'hanging.msh: element 1 .quadrilateral.: node 7 hangs' tulle solve hanging.msh
head -c $(($(stat -c %s box.msh) / 2)) box.msh >cut.msh
bad 'cut.msh: ' tulle solve cut.msh
bad "no part of the boundary is called 'roof'" tulle solve box-tri:3 --periodic x-min=roof
bad "'x-min' is not of the form FROM=TO" tulle solve box-tri:3 --periodic x-min
bad "has no partner in 'y-max'" tulle solve box-tri:3 --periodic x-min=y-max
bad 'one element has both' tulle solve box-tri:1 --periodic x-min=x-max
bad "is called 'roof'; there are x-min, x-max" tulle solve box-tri:2 --dirichlet roof=1
bad "no group of cells is called 'x-min'" tulle solve box-tri:2 --conductivity x-min=1
bad "'x-min=' is not of the form" tulle solve box-tri:2 --neumann x-min=
bad "'3' is not of the form .GROUP=.H:U" tulle solve box-tri:2 --robin 3
bad "'pyramid' is none of tri.quad.tet.hex.hex27" tulle solve box:3 --element pyramid
bad "did you mean hex27" tulle solve box:3 --element hex20
bad 'no generator of meshes' tulle solve bax:3 --element hex
bad 'box.msh says of what elements it is: leave --element out' tulle solve box.msh --element hex
bad 'box-tri:3 says of what elements it is' tulle solve box-tri:3 --element tri
for name in u.msh u u.mtx.gz u.tulle; do
    bad "^tulle: $name: x is written .* in .mtx, or .*: .vtu" tulle solve box-hex:2 -o "$name"
    bad "^tulle: $name: x is written as an array, to a name that ends in .mtx" tulle solve p2d5:3 -o "$name"
    check "$name is not written" test ! -e "$name"
done
bad '^tulle: u.vtu: x is written as an array' tulle solve p2d5:3 -o u.vtu
for command in 'solve box-hex:2' 'solve p2d5:3' 'spmv p2d5:3' 'trisolve p2d5:3' 'mesh make box-tri:2'; do
    # shellcheck disable=SC2086 # words of a command
    run 0 tulle $command -o -
    check "nothing but the result: $command" grep -aq '^%%Matrix\|^.Mesh' <(head -n 1 "$out")
done
check "no file of that name" test ! -e ./-
run 0 tulle solve --help
check "what is solved on a mesh is said" grep -q 'of the order that its cells have' <(tr '\n' ' ' <"$out")
bad 'p2d5:3 is no mesh' tulle solve p2d5:3 --operator local
bad 'is no mesh' tulle solve p2d5:3 --source 2
bad "none of .*did you mean matrix-free" tulle solve box-tri:3 --operator matrixfree
bad 'leave .ones. out' tulle solve box-tri:3 -b ones
bad 'leave one out' tulle solve box-tri:3 --operator ell --format sell
bad 'mixed' tulle solve box-tri:3 --operator local --mixed
bad 'not for --operator matrix-free' tulle solve box-tri:3 --operator matrix-free --mixed
cp field.py other.vtu
bad 'no mesh file' tulle solve box-tri:3 -o other.vtu
finish
