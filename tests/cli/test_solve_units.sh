# SPDX-License-Identifier: Apache-2.0
# What tulle solve chooses and says does not change when the units of A and b do.
source "$(dirname "$0")/common.sh"

# SYSTEM.py KIND FACTOR: a grid's matrix times a factor. convection: not symmetric, nowhere dominant;
# noise: symmetric and dominant but for one unit in the last place, here and there.
cat >"$folder/system.py" <<'PYTHON'
import math, sys
kind, factor, side = sys.argv[1], float(sys.argv[2]), 16
wind = 40.0 if kind == "convection" else 0.0
entries = []
def add(i, j, value):
    value *= factor
    if kind == "noise" and (i + 2 * j) % 7 == 0:
        value = math.nextafter(value, math.inf)
    entries.append(f"{i + 1} {j + 1} {value!r}")
for y in range(side):
    for x in range(side):
        i = y * side + x
        add(i, i, 4.0)
        if x > 0: add(i, i - 1, -1.0 - wind)
        if x + 1 < side: add(i, i + 1, -1.0 + wind)
        if y > 0: add(i, i - side, -1.0)
        if y + 1 < side: add(i, i + side, -1.0)
print("%%MatrixMarket matrix coordinate real general")
print(side * side, side * side, len(entries))
print("\n".join(entries))
PYTHON
system() { python3 "$folder/system.py" "$@"; }

# What decides whether factors are taken is A's, not a number's: with --repeatable no time has a part.
for kind in poisson convection noise; do
    first=
    for factor in 1 1e-12 1e-6 1e6 1e12 1e-200 1e200; do
        system "$kind" "$factor" >scaled.mtx
        run 0 tulle solve scaled.mtx --on cpu --repeatable --json
        chosen=$(python3 -c 'import json, sys
d = json.load(sys.stdin)
print(d["method"], d["precond"], d["outcome"], d["iterations"])' <"$out")
        first=${first:-$chosen}
        # other digits of A: an iteration more or less is the same
        check "$kind times $factor: $chosen, not $first" python3 -c 'import sys
a, b = (t.split() for t in sys.argv[1:])
assert a[:3] == b[:3] and abs(int(a[3]) - int(b[3])) <= 1' "$chosen" "$first"
    done
    if [ "$kind" != convection ]; then check "$kind is taken by CG" test "${first%% *}" = cg; fi
done
system noise 1 >noise.mtx
run 0 tulle solve noise.mtx --on cpu --repeatable --json
json_where "d['why']['method'] == 'A is symmetric but for rounding, and its diagonal is positive and dominant'"
run 0 tulle info noise.mtx --json
json_where "d['symmetry']['values'] == 'unsymmetric'"

# Of an A below the least normal number of f64 the scale that brings it into f32 is a number, too;
# x is beyond f64, and that is said of x and not of the scale.
system poisson 1e-310 >scaled.mtx
run 1 tulle solve scaled.mtx --mixed -m cg --on cpu --json
json_where "d['outcome'] == 'NOT_A_NUMBER'"

# f32 inside, of numbers that f32 has not.
for factor in 1 1e39 1e-40 1e-50 1e200; do
    system poisson "$factor" >scaled.mtx
    for more in '' '-m cg -p jacobi' '-m gmres -p ilu' '-m cg -p jacobi --norm preconditioned'; do
        # shellcheck disable=SC2086
        run 0 tulle solve scaled.mtx --mixed --on cpu --json $more
        json_where "d['outcome'] == 'CONVERGED' and d['right'] in (True, None)"
    done
done
system poisson 1e39 >scaled.mtx
bad 'its largest number is 4e.39, and --single takes numbers of f32' tulle factor scaled.mtx --single --on cpu

finish
