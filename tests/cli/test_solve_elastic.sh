# SPDX-License-Identifier: Apache-2.0
# Elastic bodies from the command line, multigrid of nodes for matrices of files, and what is refused.
source "$(dirname "$0")/common.sh"

find_places cpu
iterations() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["iterations"])' "$out"; }

# known.py UNKNOWNS EXPRESSION: of the nodes of a mesh in nodes.txt, "x y z" a line, x.mtx holds u = EXPRESSION, a list
# with a number for each axis, to 1e-7 of the largest.
cat >"$folder/known.py" <<'PYTHON'
import sys
d, text = int(sys.argv[1]), sys.argv[2]
u = [float(n) for n in open("x.mtx").read().split("\n")[2:] if n]
nodes = [[float(n) for n in line.split()] for line in open("nodes.txt")]
assert len(u) == d * len(nodes) > 0
due = [n for x, y, z in nodes for n in eval(text)]
assert max(abs(a - b) for a, b in zip(u, due)) <= 1e-7 * max(map(abs, due)), (u, due)
PYTHON
# Nodes of box-hex:AxBxC and of box-quad:AxB, in their order.
cat >"$folder/nodes.py" <<'PYTHON'
import sys
sides, size = ([float(n) for n in a.split("x")] + [0] for a in sys.argv[1:3])
a, b, c = (int(n) for n in (sides + [0])[:3])
for k in range(c + 1):
    for j in range(b + 1):
        for i in range(a + 1):
            print(i * size[0] / a, j * size[1] / b, k * size[2] / c if c else 0)
PYTHON
nodes() { python3 "$folder/nodes.py" "$@" >nodes.txt; }
known() { check "u = $2" python3 "$folder/known.py" "$@"; }
tight=(--tolerance 1e-11 -o x.mtx)

# A bar that does not thin out, pulled by 3 at its end: u = 3 x / E. By its own weight: u = f (l x - x^2 / 2) / E, exact
# at nodes. In a plane, too; and of a file.
for place in "${places[@]}"; do
    nodes 4x2x2 2x1x1
    run 0 tulle solve box-hex:4x2x2,size=2x1x1 --elasticity --young 2 --poisson 0 --clamp x-min \
        --traction x-max=3,0,0 --on "$place" "${tight[@]}"
    known 3 '[1.5 * x, 0, 0]'
    run 0 tulle solve box-hex:4x2x2,size=2x1x1 --elasticity --young domain=2 --poisson domain=0 --clamp x-min \
        --force domain=4,0,0 --on "$place" "${tight[@]}"
    known 3 '[2 * (2 * x - x * x / 2), 0, 0]'
    nodes 4x2 2x1
    run 0 tulle solve box-quad:4x2,size=2x1 --elasticity --poisson 0 --clamp x-min --traction x-max=3,0 --on "$place" \
        "${tight[@]}"
    known 2 '[3 * x, 0]'
done
run 0 tulle mesh make box-hex:4x2x2,size=2x1x1 -o bar.msh
run 0 tulle solve bar.msh --elasticity --poisson 0 --clamp x-min --traction x-max=3,0,0 "${tight[@]}"
nodes 4x2x2 2x1x1
known 3 '[3 * x, 0, 0]'
# Without a load a body hangs by its weight: the last axis points up.
run 0 tulle solve box-hex:2x2x4 --elasticity --poisson 0 --clamp z-max "${tight[@]}"
nodes 2x2x4 1x1x1
known 3 '[0, 0, -(1 - z * z) / 2]'

# Multigrid of nodes is chosen and told; other preconditioners and operators have the same u.
cat >"$folder/same.py" <<'PYTHON'
import sys
a, b = ([float(n) for n in open(name).read().split("\n")[2:] if n] for name in sys.argv[1:3])
assert len(a) == len(b) > 0 and max(abs(x - y) for x, y in zip(a, b)) <= 1e-6 * max(map(abs, a))
PYTHON
bar=(box-hex:12x3x3,size=4x1x1 --elasticity --clamp x-min --tolerance 1e-10)
run 0 tulle solve "${bar[@]}" --json -o x.mtx
json_where "d['right'] and d['b'] == 'loads' and d['solved']['format'] == 'bsr' and d['mesh']['unknowns'] == 3"
json_where "d['precond'] == 'amg-smoothed:2' and d['hierarchy']['block'] == 3 and d['hierarchy']['near_null'] == 6"
json_where "d['near_null'] == {'from': 'rigid', 'block': 3, 'vectors': 6} and d['mesh']['given'] == 16"
json_where "d['why']['precond'] == 'nodes of 3 unknowns and a near null space of 6 vectors are given'"
rigid=$(iterations)
run 0 tulle solve "${bar[@]}" --near-null constant --json -o other.mtx
json_where "d['near_null'] == {'from': 'constant', 'block': 3, 'vectors': 3} and d['iterations'] > $rigid"
check "constants lead to the same u" python3 "$folder/same.py" x.mtx other.mtx
for way in csr ell local; do
    run 0 tulle solve "${bar[@]}" --operator "$way" --json -o other.mtx
    own=$way
    [ "$way" = local ] && own=bsr
    json_where "d['right'] and d['solved']['format'] == '$own' and d['hierarchy']['block'] == 3"
    check "u by $way" python3 "$folder/same.py" x.mtx other.mtx
done
run 0 tulle solve "${bar[@]}" -m cg -p jacobi --json -o other.mtx
json_where "'near_null' not in d and 'hierarchy' not in d and d['iterations'] > $rigid"
check "u by the diagonal" python3 "$folder/same.py" x.mtx other.mtx
run 0 tulle solve "${bar[@]}" --mixed --json -o other.mtx
json_where "d['right'] and d['precond'] == 'amg-smoothed:2' and d['solved']['bytes'] < d['a']['bytes']"
check "u in mixed precision" python3 "$folder/same.py" x.mtx other.mtx
run 0 tulle solve "${bar[@]}" --amg --type f32 --tolerance 1e-3
check "a hierarchy of nodes" grep -Eq '^  precond   amg:2, multigrid of [2-9] levels of nodes, ' "$out"

# u is an arrow at each node, also in a plane.
for mesh in box-tri:3 box-tet:2; do
    run 0 tulle solve "$mesh" --elasticity --clamp x-min -o u.vtu
    check "arrows of $mesh" grep -q '<DataArray type="Float64" Name="u" NumberOfComponents="3"' u.vtu
done

# Matrices of files: a truss, its nodes, and its rigid motions as they are written here.
cat >truss.py <<'PYTHON'
a, b = 24, 6
at = lambda i, j: j * (a + 1) + i
K = {}
for j in range(b + 1):
    for i in range(a + 1):
        for di, dj in ((1, 0), (0, 1), (1, 1), (-1, 1)):
            if not (0 <= i + di <= a and j + dj <= b):
                continue
            p, q, s = at(i, j), at(i + di, j + dj), 1 / (di * di + dj * dj) ** 1.5
            for x, y, sign in ((p, p, 1), (q, q, 1), (p, q, -1), (q, p, -1)):
                for r, dr in enumerate((di, dj)):
                    for c, dc in enumerate((di, dj)):
                        k = (2 * x + r, 2 * y + c)
                        K[k] = K.get(k, 0) + sign * s * dr * dc
for j in range(b + 1):
    for r in range(2):
        K[2 * at(0, j) + r, 2 * at(0, j) + r] += 10
n = 2 * (a + 1) * (b + 1)
def write(name, kind, sizes, lines):
    with open(name, "w") as f:
        f.write(f"%%MatrixMarket matrix {kind} real general\n{sizes}\n" + "".join(f"{line}\n" for line in lines))
write("truss.mtx", "coordinate", f"{n} {n} {len(K)}", (f"{i + 1} {j + 1} {v!r}" for (i, j), v in sorted(K.items())))
nodes = [(i, j) for j in range(b + 1) for i in range(a + 1)]
write("nodes.mtx", "array", f"{n // 2} 2", [p[d] for d in range(2) for p in nodes])
write("short.mtx", "array", f"{n // 2 - 1} 2", [p[d] for d in range(2) for p in nodes[1:]])
modes = [[1, 0], [0, 1], None]
write("modes.mtx", "array", f"{n} 3", [u for m in modes for x, y in nodes for u in (m or (3 - y, x - 12))])
write("wide.mtx", "array", f"{n} 17", [1] * (17 * n))
PYTHON
check "a truss" python3 truss.py
for how in '--coordinates nodes.mtx --near-null rigid' '--near-null modes.mtx --block-size 2'; do
    # shellcheck disable=SC2086 # words of options
    run 0 tulle solve truss.mtx -b random $how --json
    json_where "d['right'] and d['precond'] == 'amg-smoothed:2' and d['hierarchy']['near_null'] == 3"
    json_where "d['near_null']['block'] == 2 and d['near_null']['vectors'] == 3"
    rigid=$(iterations)
done
run 0 tulle solve truss.mtx -b random --block-size 2 --json
json_where "d['right'] and d['hierarchy']['near_null'] == 2 and d['near_null']['from'] == 'constant'"
json_where "d['iterations'] > $rigid"
run 0 tulle solve truss.mtx -b random --block-size 2 --near-null rigid --coordinates nodes.mtx -m cg -p amg-smoothed:3
check "given" grep -q '^  precond   amg-smoothed:3, multigrid by smoothed aggregation of ' "$out"
run 0 tulle solve truss.mtx -f bsr:block=2 --near-null constant --block-size 2
check "in blocks" grep -q '^  format    bsr, blocks of 2 x 2' "$out"

# What is refused: exit code 2 and one line.
bad 'nothing holds the body: .*--clamp GROUP' tulle solve bar.msh --elasticity
bad "no part of the boundary is called 'wall'; there are x-min" tulle solve bar.msh --elasticity --clamp wall
bad 'go with --elasticity' tulle solve bar.msh --clamp x-min
bad 'and nothing of diffusion' tulle solve bar.msh --elasticity --clamp x-min --source 2
bad 'p2d5:3 is no mesh: --elasticity' tulle solve p2d5:3 --elasticity
bad 'matrix-free is for diffusion' tulle solve bar.msh --elasticity --clamp x-min --operator matrix-free
bad "force: '1,2' is not of the form .GROUP=.X,Y,Z" tulle solve bar.msh --elasticity --clamp x-min --force 1,2
bad "traction: 'x-max=1,2,3,4' is not of the form" tulle solve bar.msh --elasticity --clamp x-min \
    --traction x-max=1,2,3,4
bad "traction: 'x-max=1,2,' is not of the form" tulle solve bar.msh --elasticity --clamp x-min --traction x-max=1,2,
bad "traction: '1,2,3' is not of the form .GROUP=.X,Y$" tulle solve box-tri:2 --elasticity --clamp x-min \
    --traction 1,2,3
bad "young: 'steel' is not of the form .GROUP=.NUMBER" tulle solve bar.msh --elasticity --clamp x-min --young steel
bad "no group of cells is called 'x-min'" tulle solve bar.msh --elasticity --clamp x-min --poisson x-min=0.2
bad '0.5' tulle solve bar.msh --elasticity --clamp x-min --poisson 0.5
bad 'of order 1' tulle solve box-hex27:2 --elasticity --clamp x-min
bad 'block-size: the mesh says that' tulle solve bar.msh --elasticity --clamp x-min --block-size 3
bad 'coordinates: the mesh says that' tulle solve bar.msh --elasticity --clamp x-min --coordinates nodes.mtx
bad 'give --coordinates FILE' tulle solve truss.mtx --near-null rigid
bad 'coordinates goes with --near-null rigid' tulle solve truss.mtx --coordinates nodes.mtx
bad 'go with --precond amg' tulle solve truss.mtx --near-null modes.mtx -p ilu
bad 'go with --precond amg' tulle solve truss.mtx --block-size 2 -m cg
bad 'give --block-size B' tulle solve truss.mtx --near-null constant
bad 'short.mtx: has 174 nodes of 2 unknowns, but A has 350 rows' tulle solve truss.mtx --near-null rigid \
    --coordinates short.mtx
bad 'wide.mtx: is 350 x 17: a node is a row' tulle solve truss.mtx --near-null rigid --coordinates wide.mtx
bad 'rigid motions have 2 unknowns' tulle solve truss.mtx --near-null rigid --coordinates nodes.mtx --block-size 5
bad 'nodes.mtx: is 175 x 2, but a near null space must have 350 rows' tulle solve truss.mtx --near-null nodes.mtx
bad 'wide.mtx: is 350 x 17, but' tulle solve truss.mtx --near-null wide.mtx
bad 'none.mtx: ' tulle solve truss.mtx --near-null none.mtx
bad 'not nodes of 3 unknowns' tulle solve truss.mtx --block-size 3
bad 'block-size: not where processes or threads share' tulle solve truss.mtx --block-size 2 --ranks 2
finish
