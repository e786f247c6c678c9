# SPDX-License-Identifier: Apache-2.0
# Iterative solutions at every place that is there, checked by the program and, for some, by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

# What is left of each equation, by Python: SOLVED.py MATRIX B X OP TOLERANCE SIGN: A x = SIGN b.
cat >"$folder/solved.py" <<'PYTHON'
import math, sys
def column(path):
    return [float(line) for line in open(path).read().split("\n")[2:] if line]
path, b_path, x_path, op, tolerance, sign = sys.argv[1:7]
b, x = [float(sign) * v for v in column(b_path)], column(x_path)
left = list(b)
rows = [line.split() for line in open(path) if not line.startswith("%")]
for i, j, v in rows[1:]:
    i, j = int(i) - 1, int(j) - 1
    if op == "T":
        i, j = j, i
    left[i] -= float(v) * x[j]
    if "symmetric" in open(path).readline() and i != j:
        left[j] -= float(v) * x[i]
norm = math.sqrt(sum(v * v for v in b))
assert math.sqrt(sum(v * v for v in left)) <= float(tolerance) * norm, left
PYTHON

# All methods and preconditioners, of a symmetric and of another matrix.
for place in "${places[@]}"; do
    for more in '-m cg' '-p jacobi --norm preconditioned' '-p block-jacobi:3' '-p ilu:1' '-p ic' '-p chebyshev:3' '-p amg:3' '-p amg-plain' '-p amg-smoothed:3' \
        '-m bicgstab -p ilu' '-m gmres --restart 7 -p jacobi' '-m gmres --norm preconditioned -p ic:1' \
        '-m chebyshev' '-m chebyshev -p ic' '-m minres -p ic --norm preconditioned' '-m fgmres --restart 7 -p ilu' '-p jacobi --format sell --trans T' '-p ilu --format bsr:block=2' \
        '--type f32 -p ic --tolerance 1e-4' '--repeatable -b random --seed 3' '--mixed -p jacobi' \
        '--mixed -m gmres -p ilu --norm preconditioned --restart 5' '--mixed -m bicgstab --format sell'; do
        # shellcheck disable=SC2086
        run 0 tulle solve p2d5:8 --on "$place" --json $more
        json_where "d['op'] == 'solve' and d['outcome'] == 'CONVERGED' and d['converged']"
        json_where "d['right'] is (None if d['norm'] == 'preconditioned' and d['precond'] != 'none' else True)"
        json_where "d['norm'] == 'preconditioned' or d['residual'] <= d['limit'] * (1 + 1e-12)"
        json_where "len(d['history']) == d['iterations'] + 1 > 1 and d['history'][0] == d['start_norm']"
    done
done
run 0 tulle solve p2d5:8,5 --on cpu --json -p ilu:1 --shift 0.5
json_where "d['method'] == 'cg' and d['precond'] == 'ilu:1' and d['norm'] == 'true' and d['shift'] == 0.5"
json_where "d['solved']['format'] == 'csr' and d['b'] == 'ones' and not d['trans'] and d['guess'] is None"
json_where "abs(d['b_norm'] - 40 ** 0.5) < 1e-12 and abs(d['limit'] - 1e-8 * d['b_norm']) < 1e-18"
json_where "0 < d['relative'] <= 1e-8 and d['start_norm'] == d['history'][0] and d['begun_anew'] == 0"
json_where "d['products'] > d['iterations'] and d['preconditions'] >= d['iterations']"
json_where "d['factors']['block'] == 1 and d['factors']['levels'] > 1 and d['factors']['nnz_l'] > 67"
json_where "min(d[k] for k in ('convert_ms', 'precond_ms', 'create_ms', 'setup_ms', 'iteration_ms')) >= 0"
json_where "abs(d['iteration_ms'] * d['iterations'] - d['solve_ms']) <= 1e-9 * d['solve_ms']"
run 0 tulle solve p2d5:8 --on cpu --json -p ilu --format bsr:block=4 -m gmres
json_where "d['solved']['format'] == 'bsr' and d['factors']['block'] == 4 and d['factors']['nnz_u'] < 64"

# What is chosen, and why; where no time decides, always the same.
cat >"$folder/blocks.py" <<'PYTHON'
entries, n = {}, 20
for i in range(n):
    for j in (i - 3, i - 1, i, i + 1, i + 3):
        for a in range(3 if 0 <= j < n else 0):
            for b in range(3):
                v = 2 if (i, a) == (j, b) else 0.3 * (a + 1) - 0.4 * b - 0.2 * (j - i)
                entries[3 * i + a + 1, 3 * j + b + 1] = v
print("%%MatrixMarket matrix coordinate real general")
print(3 * n, 3 * n, len(entries))
for (i, j), v in entries.items():
    print(i, j, v)
PYTHON
python3 "$folder/blocks.py" >blocks.mtx
matrix() { printf '%%%%MatrixMarket matrix coordinate real general\n%s\n' "$1" | tr ';' '\n'; }
vector() { printf '%%%%MatrixMarket matrix array real general\n%s 1\n' $# && printf '%s\n' "$@"; }
matrix '2 2 4;1 1 1;1 2 2;2 1 2;2 2 1' >indefinite.mtx
matrix '3 3 9;1 1 1;1 2 .9;1 3 .9;2 1 .9;2 2 1;2 3 -.9;3 1 .9;3 2 -.9;3 3 1' >hidden.mtx
matrix '2 2 4;1 1 -1;1 2 2;2 1 2;2 2 1' >signs.mtx
matrix '2 2 2;1 2 1;2 1 -1' >turned.mtx
matrix '3 3 5;1 1 4;1 2 1;2 2 5;2 3 -1;3 3 6' >upper.mtx
vector 1 -1 >across.mtx
vector 1 -1 -1 >corner.mtx
for place in "${places[@]}"; do
    chosen=(tulle solve --on "$place" --repeatable --json)
    run 0 "${chosen[@]}" p3d27:6
    json_where "(d['method'], d['precond']) == ('cg', 'ic:0') and d['why']['format'] is None"
    json_where "d['why']['method'] == 'A is symmetric, and its diagonal is positive and dominant'"
    json_where "d['why']['precond'].endswith('times as long, and about 2.5 times fewer are needed') and 'before' not in d"
    small=ilu:0 # complete factors of a small system are counted for CPUs alone
    [[ $place == cpu* ]] && small=lu
    run 0 "${chosen[@]}" indefinite.mtx
    json_where "(d['method'], d['precond']) == ('gmres', '$small') and 'before' not in d"
    json_where "'positive definite: 2 of its entries are larger than' in d['why']['method']"
    run 0 "${chosen[@]}" hidden.mtx corner.mtx
    json_where "(d['method'], d['precond']) == ('gmres', 'ilu:0') and d['why']['method'].endswith('; cg ended as INDEFINITE')"
    json_where "(d['before']['method'], d['before']['precond']) == ('cg', 'jacobi') and d['before']['ms'] >= 0"
    json_where "d['before']['outcome'] == 'INDEFINITE' and d['before']['iterations'] < 3 and d['choose_ms'] > 0"
    json_where "[a['precond'] for a in d['attempts']] == ['ic:0', 'jacobi', 'ilu:0']"
    json_where "[a['outcome'] for a in d['attempts']] == [None, 'INDEFINITE', 'CONVERGED']"
    run 0 "${chosen[@]}" signs.mtx
    json_where "d['method'] == 'gmres' and 'not all of its diagonal is positive' in d['why']['method']"
    run 0 "${chosen[@]}" upper.mtx
    json_where "d['method'] == 'bicgstab' and d['why']['method'].endswith('its diagonal is dominant')"
    json_where "d['precond'] == 'ilu:0' and d['why']['precond'].startswith('with ILU(0) an iteration takes ')"
    run 0 "${chosen[@]}" turned.mtx
    json_where "d['precond'] == 'ilu:0' and d['attempts'][0]['permuted'] and 'rows change places' in d['why']['precond']"
    json_where "d['why']['method'].endswith('is not dominant in 2 rows') and d['iterations'] <= 2"
    run 0 "${chosen[@]}" blocks.mtx --auto -m gmres
    json_where "d['method'] == 'gmres' and d['solved']['format'] == 'bsr' and d['factors']['block'] == 3"
    json_where "d['why']['format'] == '100 % of its blocks of 3 x 3 are entries' and d['right']"
    run 0 "${chosen[@]}" blocks.mtx --format sell
    json_where "d['precond'] == 'block-jacobi:3' and d['why']['precond'] == 'there are no factors of sell'"
    run 0 "${chosen[@]}" blocks.mtx --format bsr:block=3 --auto -m bicgstab
    json_where "d['precond'] == 'ilu:0' and d['method'] == 'bicgstab' and d['why']['method'] is None"
    run 0 "${chosen[@]}" hidden.mtx corner.mtx --auto -p jacobi
    json_where "d['precond'] == 'jacobi' and d['before']['precond'] == 'jacobi' and d['why']['precond'] is None"
    run 1 "${chosen[@]}" hidden.mtx corner.mtx --auto -m cg
    json_where "d['outcome'] == 'INDEFINITE' and 'before' not in d"
done
run 0 tulle solve p3d27:10 --on cpu:1 --json
json_where "(d['method'], d['precond']) == ('cg', 'ic:0') and 'times fewer' in d['why']['precond']"
# Of 16 threads most have nothing to do in narrow levels, and a diagonal is the better bargain, as busy as
# the machine may be.
run 0 tulle solve p2d5:90 --on cpu:16 --json
json_where "(d['method'], d['precond']) == ('cg', 'jacobi') and ' only about 2.5 times fewer' in d['why']['precond']"
# A beam: Jacobi's preconditioner is no help, and factors, dear or not, are exact.
python3 - >beam.mtx <<'PYTHON'
n = 1000
entries = [(i, j, v) for i in range(1, n + 1) for j, v in ((i, 6), (i - 1, -4), (i - 2, 1)) if j > 0]
print("%%MatrixMarket matrix coordinate real symmetric")
print(n, n, len(entries))
for entry in entries:
    print(*entry)
PYTHON
run 0 tulle solve beam.mtx --on cpu:1 --json --tolerance 1e-4
json_where "(d['method'], d['precond']) == ('cg', 'ic:0') and d['iterations'] < 5"
json_where "d.get('before', {'outcome': 'STAGNATED', 'precond': 'jacobi'})['outcome'] == 'STAGNATED'"
json_where "d['why']['method'] == 'A is symmetric, and its diagonal is positive'"
run 1 tulle solve beam.mtx --on cpu:1 --json --tolerance 1e-4 -p jacobi --auto --max-iterations 20
json_where "d['outcome'] == 'MOST_ITERATIONS' and d['iterations'] == 20 and 'before' not in d"
run 0 tulle solve p2d5:8 --on cpu --json -m gmres
json_where "d['method'] == 'gmres' and d['precond'] == 'none' and d['why']['precond'] is None"

# More accurate solutions take more iterations, preconditioned ones fewer.
run 0 tulle solve p2d5:40 --on cpu --json --tolerance 1e-4 -m cg
json_where "1e-8 < d['relative'] <= 1e-4"
iterations() { python3 -c 'import json, sys; print(json.load(open(sys.argv[1]))["iterations"])' "$out"; }
rough=$(iterations)
run 0 tulle solve p2d5:40 --on cpu --json --tolerance 1e-10 -m cg
fine=$(iterations)
run 0 tulle solve p2d5:40 --on cpu --json --tolerance 1e-10 -p ic
check "iterations for 1e-4: $rough, for 1e-10: $fine" test "$rough" -lt "$fine"
check "iterations with factors: $(iterations), without: $fine" test $((3 * $(iterations))) -lt $((2 * fine))

# Bounds of eigenvalues, which are 8 sin^2(pi / 42) and 8 cos^2(pi / 42) here: of the method, or of the
# preconditioner, whose are a quarter of them.
run 0 tulle solve p2d5:20 --on cpu --json -m chebyshev --lowest 0.0446 --highest 7.96
json_where "(d['lowest'], d['highest']) == (0.0446, 7.96) and d['right'] and d['precond'] == 'none'"
json_where "d['iterations'] < 160"
run 1 tulle solve p2d5:20 --on cpu --json -m chebyshev --lowest 1 --highest 2 --max-iterations 500
run 0 tulle solve p2d5:20 --on cpu --json -p chebyshev:6 --lowest 0.0111 --highest 1.99
json_where "(d['lowest'], d['highest']) == (0.0111, 1.99) and d['method'] == 'cg' and d['right']"
bounded=$(iterations)
run 0 tulle solve p2d5:20 --on cpu --json -p chebyshev:6 --lowest 1.98 --highest 1.99
check "iterations with some bounds: $bounded, with others: $(iterations)" test "$bounded" != "$(iterations)"
run 0 tulle solve p2d5:20 --on cpu --json -p chebyshev:6
json_where "d['lowest'] is None and d['highest'] is None"

# A limit of the norm itself; how long it may get no smaller.
run 0 tulle solve p2d5:20 --on cpu --json -m cg --absolute 0.5
json_where "d['limit'] == 0.5 and 1e-3 < d['residual'] <= 0.5 and d['right']"
run 1 tulle solve beam.mtx --on cpu:1 --json -m cg --patience 2
json_where "d['outcome'] == 'STAGNATED' and d['iterations'] < 100"

# x itself, against Python; from a file, or transposed; and again from where it was.
run 0 tulle gen random:40,40,4 sparse.mtx
run 0 tulle gen p2d5:5,8 grid.mtx
cat >dominant.py <<'PYTHON'
rows = [line.split() for line in open("sparse.mtx") if not line.startswith("%")]
entries = {(int(i), int(j)): float(v) for i, j, v in rows[1:]}
for i in range(1, 41):
    entries[i, i] = 1 + sum(abs(v) for (r, _), v in entries.items() if r == i)
print("%%MatrixMarket matrix coordinate real general")
print(40, 40, len(entries))
for (i, j), v in entries.items():
    print(i, j, repr(v))
PYTHON
python3 dominant.py >a.mtx
printf '%%%%MatrixMarket matrix array real general\n40 1\n' >b.mtx
seq 1 40 | sed 's/$/e-2/' >>b.mtx
for place in "${places[@]}"; do
    for op in N T; do
        for way in '-m bicgstab' '-m gmres -p ilu' '-m gmres -p block-jacobi --format dia'; do
            # shellcheck disable=SC2086
            run 0 tulle solve a.mtx b.mtx --on "$place" --trans $op $way -o x.mtx
            check "the solution of $op by $way" python3 "$folder/solved.py" a.mtx b.mtx x.mtx $op 1e-8 1
        done
    done
done
run 0 tulle solve grid.mtx --on cpu -b b.mtx -o x.mtx
check "written" grep -q 'written   x.mtx$' "$out"
check "the solution of a file" python3 "$folder/solved.py" grid.mtx b.mtx x.mtx N 1e-8 1
run 0 tulle solve grid.mtx b.mtx --on cpu --guess x.mtx --json
json_where "d['iterations'] == 0 and d['guess'] == 'x.mtx' and len(d['history']) == 1"
for place in "${places[@]}"; do
    run 0 tulle solve a.mtx --minus-y b.mtx --on "$place" -m gmres -o x.mtx --json
    json_where "d['minus_y'] == 'b.mtx' and d['b'] is None"
    check "the solution of A x + y = 0" python3 "$folder/solved.py" a.mtx b.mtx x.mtx N 1e-8 -1
    run 0 tulle solve a.mtx b.mtx --on "$place" -m bicgstab -p jacobi --mixed --tolerance 1e-12 -o x.mtx --json
    json_where "d['mixed'] and d['type'] == 'f64' and d['begun_anew'] > 0 and d['relative'] <= 1e-12"
    check "the solution in mixed precision" python3 "$folder/solved.py" a.mtx b.mtx x.mtx N 1e-12 1
done
run 1 tulle solve grid.mtx b.mtx -m cg --on cpu --max-iterations 5 -o part.mtx --json
json_where "d['outcome'] == 'MOST_ITERATIONS' and d['iterations'] == 5 and d['file'] == 'part.mtx'"
run 0 tulle solve grid.mtx b.mtx --on cpu --guess part.mtx --json
json_where "d['iterations'] > 0 and d['start_norm'] < d['b_norm']"

# What people are told.
printf '%%%%MatrixMarket matrix array real general\n30 1\n' >b30.mtx
seq 1 30 >>b30.mtx
run 0 tulle solve p2d5:6,5 b30.mtx --on cpu -m gmres -p ilu --restart 9 --format bsr:block=2 --trans T
for line in "system    A' x = b, b from b30.mtx$" 'place     cpu, ' 'format    bsr, blocks of 2 x 2, ' \
    'method    gmres, begun anew every 9 iterations$' \
    'precond   ilu:0, incomplete factors L U of [0-9]* blocks in [0-9]* levels$' \
    'setup     .*, of which the preconditioner took [0-9]' 'solve     .*: [1-9][0-9]* iterations of [0-9]' \
    'outcome   CONVERGED$' \
    "residual  .b - A' x. / .b. is [0-9.e-]*, computed in long double; 1e-08 was wanted: right$"; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle solve p2d5:6 -b random --seed 5 --on cpu
check "the method and why" grep -q '^  method    cg: A is symmetric, and its' "$out"
check "the preconditioner and why" grep -Eq '^  precond   (jacobi|ic:0), .*: with IC\(0\) an iteration takes ' "$out"
check "how long choosing took" grep -q '^  setup .*; choosing took [0-9]' "$out"
run 0 tulle solve p2d5:6 -b random --seed 5 --on cpu -m cg
check "no preconditioner" grep -q '^  precond   none$' "$out"
check "what b is" grep -q '^  system    A x = b, b random with seed 5$' "$out"
run 0 tulle solve p2d5:6 --on cpu -p jacobi --norm preconditioned
check "nothing is wanted of the true norm" \
    grep -q 'in long double; what was tested is the preconditioned norm, which is another$' "$out"
run 2 tulle solve p2d5:6 --on cpu -m cg --restart 10
run 2 tulle solve p2d5:6 --on cpu -p jacobi --shift 1
run 0 tulle solve p2d5:6 --on cpu --constant-null-space
check "of ones nothing is left" grep -q 'of b nothing is left but rounding' "$out"
run 0 tulle solve p2d5:6 --on cpu --absolute 1e300
check "what is allowed is no rounding" grep -q '|b - A x| / |b| is 1, computed' "$out"

run 0 tulle solve p2d5:5,6 --minus-y b30.mtx --mixed --on cpu --plot plot.svg
for line in "system    A x [+] y = 0, y from b30.mtx, iterated in f32$" 'residual  .A x [+] y. / .y. is ' \
    'plotted   plot.svg$'; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle solve hidden.mtx corner.mtx --on cpu
check "what was tried before" grep -Eq '^  before    cg with jacobi: INDEFINITE after 0 iterations, [0-9]' "$out"

# Attempts in their order, the one that counts among them: of numbers that far apart the later ones
# often end with Inf.
python3 - >apart.mtx <<'PYTHON'
import random
random.seed(23)
n = random.choice([20, 100, 300, 400])
lines = []
for i in range(1, n + 1):
    lines.append(f"{i} {i} {10.0 ** random.randint(-250, 250)!r}")
    if i > 1:
        lines.append(f"{i} {i - 1} {-(10.0 ** random.randint(-250, 250))!r}")
print("%%MatrixMarket matrix coordinate real symmetric")
print(n, n, len(lines))
print("\n".join(lines))
PYTHON
run 1 tulle solve apart.mtx --on cpu --json=apart.json
check "attempts in their order" python3 - apart.json "$out" <<'PYTHON'
import json, re, sys
made = [(a["method"], a["precond"]) for a in json.load(open(sys.argv[1]))["attempts"] if a["outcome"]]
said, method = [], None
for line in open(sys.argv[2]):
    attempt = re.match(r"  (before|after) +(\w+) with ([^:]+): ", line)
    part = re.match(r"  (method|precond) +([^,: ]+(:\d+)?)", line)
    if attempt:
        said.append(attempt.group(2, 3))
    elif part and part.group(1) == "method":
        method = part.group(2)
    elif part:
        said.append((method, part.group(2)))
assert len(made) > 2 and said == made, (said, made)
PYTHON

# The picture: well-formed, a line with a point for each iteration, from the top to the limit.
run 0 tulle solve p2d5:20 -m cg --on cpu --plot 'a<b>&.svg' --json
json_where "d['plot'] == 'a<b>&.svg'"
cp "$out" history.json
check "the picture" python3 - 'a<b>&.svg' <<'PYTHON'
import json, math, re, sys
import xml.etree.ElementTree as xml
d, root = json.load(open("history.json")), xml.parse(sys.argv[1]).getroot()
texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
paths = {e.get("stroke"): e.get("d") for e in root.iter("{http://www.w3.org/2000/svg}path")}
points = [tuple(map(float, p.split())) for p in re.split("[ML]", paths["#123a6b"])[1:]]
limit = float(re.match(r"M96 ([0-9.]+)h560$", paths["#b00"])[1])
assert texts[0] == "p2d5:20: cg, none" and "CONVERGED after %d iterations" % d["iterations"] in texts, texts
assert len(points) == d["iterations"] + 1 and points[0][0] == 96 and points[-1][0] == 656
low, high = math.floor(math.log10(d["end_norm"])), math.ceil(math.log10(max(d["history"])))
for norm, (_, y) in zip(d["history"], points):
    assert abs(y - (384 - 320 * (math.log10(norm) - low) / (high - low))) < 0.06, (norm, y)
assert points[-1][1] > limit > points[-2][1] and "1e%d" % low in texts
PYTHON
# The norms of the sketch are not that of the report, and both say of what they are.
sketched() { # HEADING ARGUMENTS
    local heading=$1
    shift
    run 0 tulle solve "$@" --on cpu --plot -
    check "the sketch's norm: $*" grep -qxF "$heading by iteration, as cg has it; the residual above is of x itself" "$out"
}
sketched '|b - A x|' p2d5:20 -m cg
sketched "|b - A' x|" p2d5:20 -m cg --transpose
sketched '|A x + y|' p2d5:5,6 -m cg --minus-y b30.mtx
sketched 'Preconditioned |b - A x|' p2d5:20 -m cg -p jacobi --norm preconditioned
run 0 tulle solve p2d5:20 -m cg --on cpu --plot labelled.svg
check "the picture's norm" grep -q '>|b - A x|, as cg has it on its way</text>' labelled.svg

# No iteration is none of 0 ns.
printf '%%%%MatrixMarket matrix array real general\n9 1\n0\n0\n0\n0\n0\n0\n0\n0\n0\n' >zero9.mtx
run 0 tulle solve p2d5:3 zero9.mtx --on cpu
check "x was right" grep -qx '  solve     no iteration: x is right where it begins' "$out"
run 0 tulle solve random:0,0,0 --on cpu
check "there was no x" grep -qx '  solve     nothing was to be solved: A has no rows' "$out"
check "and no time" sh -c "! grep -q ' -\?nan \| 0 ns' '$out'"
run 1 tulle solve indefinite.mtx across.mtx -m cg --on cpu
check "it ended at once" grep -qx '  solve     no iteration' "$out"

for more in 'random:0,0,0' 'p2d5:40 --max-iterations 2' 'indefinite.mtx zero.mtx'; do
    printf '%%%%MatrixMarket matrix array real general\n2 1\n0\n0\n' >zero.mtx
    # shellcheck disable=SC2086
    tulle solve $more --on cpu --plot few.svg >"$out" 2>"$err"
    check "a picture of $more" python3 -c 'import xml.dom.minidom; xml.dom.minidom.parse("few.svg")'
done

# Every way to end, by its name.
matrix '2 2 4;1 1 1;1 2 1;2 1 1;2 2 1' >singular.mtx
ends() {
    local name=$1
    shift
    run 1 tulle solve "$@"
    check "outcome $name of: $*" grep -Eq "^  outcome   $name, not converged: [a-z]" "$out"
    check "no claim of: $*" sh -c "! grep -q 'right\|WRONG' '$out'"
    run 1 tulle solve "$@" --json
    json_where "d['outcome'] == '$name' and not d['converged'] and not d['right']"
    json_where "d['outcome_text'].startswith('not converged: ')"
}
for place in "${places[@]}"; do
    ends INDEFINITE indefinite.mtx across.mtx --on "$place" -m cg
    ends BROKE_DOWN turned.mtx --on "$place" -m bicgstab
    ends BROKE_DOWN singular.mtx across.mtx --on "$place" -m gmres
    ends BROKE_DOWN singular.mtx across.mtx --on "$place" -m minres
    run 0 tulle solve indefinite.mtx across.mtx --on "$place" -m minres
    ends MOST_ITERATIONS p2d5:9 --on "$place" -m cg --max-iterations 3
done
ends MOST_TIME p2d5:60 --on cpu --time 1e-9
ends STAGNATED p2d5:30 --on cpu --tolerance 1e-30
for method in cg bicgstab gmres minres fgmres; do
    run 0 tulle solve indefinite.mtx zero.mtx --on cpu --json -m $method
    json_where "d['iterations'] == 0 and d['relative'] == 0 and d['b_norm'] == 0"
    run 0 tulle solve random:0,0,0 --on cpu --json -m $method -p jacobi
    json_where "d['iterations'] == 0 and d['solved']['rows'] == 0 and d['relative'] == 0"
done
for precond in none jacobi block-jacobi ilu ic chebyshev amg amg-plain amg-smoothed; do
    run 0 tulle solve random:0,0,0 --on cpu --json -p $precond
done
run 0 tulle solve random:0,0,0 --on cpu --json
# Several right-hand sides.
for more in '' '-m gmres' '-p amg -m cg' '--mixed' '--type f32'; do
    # shellcheck disable=SC2086
    run 0 tulle solve p2d5:12 --on cpu --json -b random -K 3 $more -o several.mtx
    json_where "d['vectors'] == 3 and d['right'] and 0 <= d['farthest_vector'] < 3"
    check "three columns" grep -q '^144 3$' several.mtx
done
run 0 tulle solve p2d5:12 several.mtx --on cpu -K 3
check "says how many" grep -q '3 right-hand sides' "$out"
bad 'several.mtx: is 144 x 3, but the vector must be 144 x 1' tulle solve p2d5:12 several.mtx --on cpu
bad '--vectors: a mesh has one right-hand side' tulle solve box-tri:2 -K 2

# Multigrid's levels.
run 0 tulle solve p3d7:12 --on cpu --json -m cg -p amg --levels
json_where "d['hierarchy']['levels'] == len(d['levels']) == 3 and not d['hierarchy']['stalled']"
json_where "d['levels'][0]['nnz'] == d['a']['nnz'] and d['levels'][1]['passed']"
json_where "1.2 < d['hierarchy']['operator_complexity'] < 1.6"
run 0 tulle solve p3d7:12 --on cpu -m cg -p amg --levels
check 'the passed level' grep -q '^  1 passed  *[0-9]' "$out"
for precond in amg-plain:2 amg-smoothed:2; do
    run 0 tulle solve p3d7:16 --on cpu --json -m cg -p $precond --levels
    json_where "d['precond'] == '$precond' and d['iterations'] <= 20 and d['converged']"
    json_where "len(d['levels']) == 3 and d['levels'][0]['rows'] > 10 * d['levels'][1]['rows']"
    json_where "1.1 < d['hierarchy']['operator_complexity'] < 1.5"
done
run 0 tulle solve p2d5:40 --on cpu -m cg -p amg-smoothed
check 'the family' grep -q '^  precond   amg-smoothed:2, multigrid by smoothed aggregation of 2 levels, ' "$out"
bad '--precond: the degree of its smoother must be a whole number from 1 to 8' tulle solve p2d5:4 -p amg-plain:9
# --amg is short for --precond amg.
run 0 tulle solve p2d5:30 --amg --levels
check 'multigrid by --amg' grep -q 'precond   amg:2, multigrid of' "$out"
check 'the factor of convergence' grep -q '  factor    0\.[0-9]* of the residual is left after an iteration' "$out"
bad '--amg goes not with --precond jacobi' tulle solve p2d5:4 --amg -p jacobi
run 0 tulle solve p2d5:30 --amg -p amg-plain
check 'a family beside --amg' grep -q 'precond   amg-plain:2' "$out"
run 0 tulle solve p3d7:5 --on cpu --levels
check 'no levels' grep -q '^  levels    none: ' "$out"
run 0 tulle solve p2d5:40 --on cpu --json --time 1000
json_where "d['converged']"

# A singular matrix, and the parts of b and x that it says nothing of: every row adds up to 0.
python3 - >torus.mtx <<'PYTHON'
side = 6
print("%%MatrixMarket matrix coordinate real general")
print(side * side, side * side, 5 * side * side)
for y in range(side):
    for x in range(side):
        i = y * side + x + 1
        for dy, dx, v in ((0, 0, 4), (0, 1, -1), (0, -1, -1), (1, 0, -1), (-1, 0, -1)):
            print(i, (y + dy) % side * side + (x + dx) % side + 1, v)
PYTHON
for place in "${places[@]}"; do
    run 0 tulle solve torus.mtx --on "$place" -b random --constant-null-space --json -o x.mtx
    json_where "d['constant_null_space'] and d['right'] and 0 < d['residual'] <= 1e-8 * d['b_norm']"
    check "x has no constant part" python3 -c '
x = [float(v) for v in open("x.mtx").read().split()[7:]]
assert len(x) == 36 and abs(sum(x)) < 1e-12 * max(map(abs, x)), x'
done
run 0 tulle solve torus.mtx --on cpu -b random --constant-null-space
check "what is solved" grep -q 'seed 1, without their constant parts$' "$out"
run 1 tulle solve torus.mtx --on cpu -b random -q
run 1 tulle solve p2d5:3 --on cpu --constant-null-space -m cg -b random --seed 3
check "A has no constant null vectors" \
    grep -q '^  to try    without --constant-null-space: the rows of A do not add up to 0$' "$out"

# What is advised is what is the matter. A ring whose rows add up to 0, and whose columns do not.
python3 - >ring.mtx <<'PYTHON'
n = 20
print("%%MatrixMarket matrix coordinate real general")
print(n, n, 3 * n)
for i in range(n):
    left = 1 + i % 3
    for j, v in ((i, left + 2), (i - 1, -left), (i + 1, -2)):
        print(i + 1, j % n + 1, v)
PYTHON
run 1 tulle solve ring.mtx --on cpu -m bicgstab -b random --constant-null-space
check "the columns of A" \
    grep -q '^  to try    without --constant-null-space: the columns of A do not add up to 0$' "$out"
run 1 tulle solve ring.mtx --on cpu -m gmres -b random --patience 30
if grep -q constant-null-space "$out"; then fail "a null space of another kind is advised"; fi
# GMRES gets nowhere where eigenvalues lie on a circle around 0, and complete factors do.
python3 - >circle.mtx <<'PYTHON'
n = 60
print("%%MatrixMarket matrix coordinate real general")
print(n, n, 2 * n)
for i in range(1, n + 1):
    print(i, i, 0.5)
    print(i, i % n + 1, 1)
PYTHON
{ echo "%%MatrixMarket matrix array real general" && echo 60 1 && echo 1 && yes 0 | head -n 59; } >first.mtx
run 1 tulle solve circle.mtx first.mtx --on cpu -m gmres
check "complete factors are advised" grep -q '^  to try    --precond lu, or --restart 200' "$out"
run 0 tulle solve circle.mtx first.mtx --on cpu -m gmres -p lu
# Advice follows the most iterations, too, if these are more than GMRES has vectors.
run 1 tulle solve p2d5:30 --on cpu -m gmres -p none --max-iterations 45
check "the most iterations are advised on" grep -q '^  to try    --precond lu, or --restart 200' "$out"
run 1 tulle solve p2d5:30 --on cpu -m gmres -p none --max-iterations 20
if grep -q "to try" "$out"; then fail "a few iterations are advised on"; fi
for method in cg gmres bicgstab; do
    run 1 tulle solve torus.mtx --on cpu -m $method -b random
    check "sums are 0" grep -q '^  to try    --constant-null-space: the rows and the columns of A add up' "$out"
done
run 1 tulle solve ring.mtx --on cpu -m cg -b random
check "cg wants symmetry" grep -q '^  to try    --method gmres: A is not symmetric, which cg wants$' "$out"
run 1 tulle solve p2d5:30 --on cpu -m cg --type f32 --tolerance 1e-8
check "f32 reaches no more" grep -q '^  to try    --type f64, or --mixed .*: rounding x to f32 leaves' "$out"
if grep -q constant-null-space "$out"; then fail "a null space is advised that A has not"; fi

# Wrong command lines, matrices and vectors.
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\nnan\n' >nan.mtx
printf '%%%%MatrixMarket matrix array real general\n2 1\n1\n' >short.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 2\n1 1 1\n3 1 1\n' >out.mtx
# Numbers that are too small for the type are told, of vectors and matrices; in f64 they are there.
printf '%%%%MatrixMarket matrix array real general\n3 1\n1e-30\n1e-310\n2e-312\n' >small.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 1e-46\n' >least.mtx
run 0 tulle solve p2d5:1,3 small.mtx --type f32 --on cpu
check "so small" grep -qx 'tulle: small.mtx:4: warning: the number is too small for f32 and counts as 0, the first of 2' "$err"
run 0 tulle solve p2d5:1,3 small.mtx --on cpu
check "not in f64" test ! -s "$err"
run 0 tulle spmv --check least.mtx --type f32 --on cpu
check "nor of a matrix" grep -q '^tulle: least.mtx:5: warning: .* counts as 0$' "$err"

bad 'missing: MATRIX' tulle solve
bad "'c.mtx' is too much" tulle solve a.mtx b.mtx c.mtx
# A matrix with an empty row has no solution, and the report says so.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 2\n1 1 1\n2 2 4\n' >empty_row.mtx
run 1 tulle solve empty_row.mtx --on cpu
check "an empty row" grep -q 'because   A is singular: 1 of its 3 rows have no entry$' "$out"

bad "'sor' is none of cg.bicgstab.gmres.chebyshev.minres.fgmres" tulle solve p2d5:3 --method sor
bad "'gmrs' is none of .*did you mean gmres" tulle solve p2d5:3 --method gmrs
bad "'jacobu' is none of .*did you mean jacobi" tulle solve p2d5:3 --precond jacobu
bad "jacobi takes no number, in 'jacobi:2'" tulle solve p2d5:3 --precond jacobi:2
bad "the rows of a block must be a whole number from 1 to 16" tulle solve p2d5:3 -p block-jacobi:17
bad "the level of fill must be a whole number from 0 .* in 'ilu:'" tulle solve p2d5:3 -p ilu:
bad 'its degree must be .* from 1 to 100' tulle solve p2d5:3 -p chebyshev:0
bad '--restart: .300. is not a whole number from 1 to 256' tulle solve p2d5:3 --restart 300
bad '--norm preconditioned goes not with --method fgmres' tulle solve p2d5:3 -m fgmres --norm preconditioned
bad '--tolerance: it must not be negative' tulle solve p2d5:3 --tolerance -1
bad '--time: it must not be negative' tulle solve p2d5:3 --time -1
bad '--absolute: it must not be negative' tulle solve p2d5:3 --absolute -1
bad '--patience: .0. is not a whole number of at least 1' tulle solve p2d5:3 --patience 0
bad '--lowest and --highest: 0 < lowest < highest, not 2 and 1' tulle solve p2d5:3 -m chebyshev --lowest 2 --highest 1
bad '--lowest and --highest: 0 < lowest < highest, not 2 and 0' tulle solve p2d5:3 -p chebyshev --lowest 2
bad '--lowest and --highest go with --method chebyshev' tulle solve p2d5:3 -m cg --lowest 1 --highest 2
bad '--lowest and --highest go with --method chebyshev' tulle solve p2d5:3 --lowest 1 --highest 2
bad '--minus-y b.mtx is b, less its sign' tulle solve p2d5:3 --minus-y b.mtx b.mtx
bad '--minus-y b.mtx is b, less its sign' tulle solve p2d5:3 --minus-y b.mtx -b ones
bad '--mixed: x and b are in f64, not f32' tulle solve p2d5:3 --mixed --type f32
bad 'b.mtx: is 40 x 1, but the vector must be 9 x 1' tulle solve p2d5:3 --minus-y b.mtx --on cpu
bad "b is given twice: 'b.mtx' and --b ones" tulle solve p2d5:3 b.mtx -b ones
bad "there is no format 'bsx'" tulle solve p2d5:3 -f bsx
bad 'random:4,5,2 is 4 x 5, not square' tulle solve random:4,5,2 --on cpu
bad 'b.mtx: is 40 x 1, but the vector must be 9 x 1' tulle solve p2d5:3 b.mtx --on cpu
bad 'b.mtx: is 40 x 1, but the vector must be 9 x 1' tulle solve p2d5:3 --guess b.mtx --on cpu
bad "nan.mtx:4: 'nan' is no finite number" tulle solve indefinite.mtx nan.mtx --on cpu
bad 'short.mtx' tulle solve indefinite.mtx short.mtx --on cpu
bad 'out.mtx:4' tulle solve out.mtx --on cpu
bad 'no_such.mtx' tulle solve no_such.mtx --on cpu
bad 'no_such.mtx' tulle solve p2d5:3 no_such.mtx --on cpu
bad 'indefinite.mtx: the pivot of row 1 is not positive, or Inf: try --precond jacobi, or --shift' \
    tulle solve indefinite.mtx -p ic --on cpu
bad 'turned.mtx: the pivot of row 0 is zero, Inf or NaN: try --precond jacobi, or --shift' \
    tulle solve turned.mtx -p ilu --on cpu
bad 'singular.mtx: a block of its diagonal, from row 0 on, is singular: try --precond jacobi' \
    tulle solve singular.mtx -p block-jacobi:2 --on cpu
bad 'indefinite.mtx: chebyshev needs a positive definite matrix' tulle solve indefinite.mtx -m chebyshev \
    --on cpu
bad 'convert it to CSR or BSR' tulle solve p2d5:3 -p ilu --format sell --on cpu
echo text >notes.txt
bad 'notes.txt: is no Matrix Market array' tulle solve p2d5:3 -o notes.txt --on cpu
bad 'notes.txt: is no SVG picture' tulle solve p2d5:3 --plot notes.txt --on cpu
check "left as it was" grep -qx text notes.txt
for shift in -1 -0.5; do
    bad '.-shift: it must be 0 or more' tulle solve p2d5:3 -p ilu --shift "$shift" --on cpu
done
run 0 tulle solve indefinite.mtx across.mtx -p ic --shift 2 -m gmres --on cpu

# Interrupted: nothing is left; on a terminal a line of how far it is.
run 130 timeout --foreground --preserve-status -s INT 1 tulle solve p2d5:1500 --tolerance 1e-15 --on cpu \
    -p none --plot part.svg -o stopped.mtx --max-iterations 1000000
one_line_with 'interrupted'
check "nothing is written" test ! -e stopped.mtx -a ! -e part.svg
on_terminal 130 --interrupt 'residual(.*residual){2}' \
    tulle solve p2d5:1500 --tolerance 1e-15 --on cpu -p none
check "how far it is" grep -Fq $'\riteration ' "$out"
check "how small the residual is" grep -Fq $' of that at the start\e[K' "$out"
check "the line is erased" grep -Fq $'\r\e[Ktulle: interrupted' "$out"

# A library that computes wrong: exit code 1, and the report says so.
if is_sanitized; then
    skipped "wrong solutions: with AddressSanitizer nothing can stand before libtulle"
else
    cat >"$folder/wrong.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <stdlib.h>
#include <tulle/tulle.h>

tulle_status tulle_solver_run(tulle_ctx *ctx, tulle_solver *S, const tulle_vec *b, tulle_vec *x,
                              tulle_solver_report *report) {
    __typeof__(tulle_solver_run) *right;
    *(void **)&right = dlsym(RTLD_NEXT, "tulle_solver_run");
    tulle_status status = right(ctx, S, b, x, report);
    tulle_vec_info info;
    tulle_vec_describe(x, &info);
    if (getenv("WRONG")) ((double *)info.data)[4] += atof(getenv("WRONG"));
    return status;
}
C
    check "a library that computes wrong" cc -shared -fPIC -I "$here/../../include" \
        "$folder/wrong.c" -o "$folder/wrong.so"
    system=(env LD_PRELOAD="$folder/wrong.so" tulle solve p2d5:3 -m cg --on cpu)
    run 0 "${system[@]}"
    for wrong in 1e-6 nan inf; do
        run 1 env WRONG=$wrong "${system[@]}"
        check "it is said" grep -Eq 'residual  .* was wanted: WRONG$' "$out"
        run 1 env WRONG=$wrong "${system[@]}" --json
        json_where "d['converged'] and not d['right']"
    done
fi
finish
