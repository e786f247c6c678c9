# SPDX-License-Identifier: Apache-2.0
# Triangular systems at every place that is there, checked by the program and, for some, by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

# All triangles, layouts and types.
for place in "${places[@]}"; do
    for more in '' '--part upper' '--trans T' '--part upper --trans T --alpha -0.5' '--unit --vectors 3' \
        '--vectors 5 --layout row --type f32' '--format bsr:block=3 --vectors 2' \
        '--format bsr:block=4 --trans T --part upper --unit'; do
        # shellcheck disable=SC2086
        run 0 tulle trisolve --check random:60,60,5 --dominant --on "$place" --json $more
        json_where "d['op'] == 'trisolve' and 0 <= d['err'] <= 1 and d['a']['nnz'] == 300"
        json_where "d['levels'] > 1 and d['schedule_bytes'] > 0 and d['analysis_ms'] > 0"
    done
done
run 0 tulle trisolve --check p2d5:6,5 --part upper --trans T --on cpu --json --repeat 3 -K 2 --alpha 3
json_where "d['part'] == 'upper' and d['trans'] and not d['unit'] and not d['dominant']"
json_where "(d['rows'], d['entries'], d['levels'], d['longest']) == (30, 49, 10, 2)"
json_where "d['k'] == 2 and d['alpha'] == 3 and d['layout'] == 'column' and d['kernel'] is None"
json_where "d['ms'] > 0 and d['floor'] > 0 and d['solved']['format'] == 'csr'"
json_where "d['minimal_bytes'] == 79 * 12 + 31 * 4 + 2 * 2 * 30 * 8"
run 0 tulle trisolve --check p2d5:6,5 --format bsr:block=2 --on cpu --json
json_where "d['solved']['format'] == 'bsr' and d['rows'] == 15"

# A diagonal of 0: what X is, is said; the result is as right as it can be.
printf '%%%%MatrixMarket matrix coordinate real general\n1 1 1\n1 1 0\n' >"$folder/zero.mtx"
run 0 tulle trisolve --check "$folder/zero.mtx" --on cpu
check "X is said not to be finite" grep -q 'X         1 of its numbers is not finite, though B is' "$out"
run 0 tulle trisolve --check "$folder/zero.mtx" --on cpu --json
json_where "d['x_not_finite'] == 1"
run 0 tulle trisolve --check p2d5:4 --on cpu
check "no X is said to be infinite" bash -c "! grep -q 'not finite' '$out'"

# Every kernel by its name, where it runs here; and by a name without the operation's.
tulle kernels --json >"$out"
python3 -c '
import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    if k["operation"] == "trisolve":
        print(k["name"], "emulated" if k["backend"] == "gpu" else "cpu")' "$out" >"$folder/kernels"
check "kernels to run" test -s "$folder/kernels"
while read -r kernel place; do
    [[ " ${places[*]} " == *" $place "* ]] || continue
    for name in "$kernel" "${kernel#trisolve_}"; do
        run 0 tulle trisolve --check p3d7:5 --on "$place" --json --kernel "$name"
        json_where "d['kernel'] == '$name' and d['err'] <= 1"
    done
done <"$folder/kernels"

# What a kernel that brings T into another form spends on that, in each call; how long, beside other
# programs, nobody knows, but for the unit.
run 0 tulle trisolve --check p3d7:5 --on cpu --json --repeat 3
json_where "d['conversion_ms'] == 0 and d['analysis_ms'] > 0"
run 0 tulle trisolve --check p3d7:5 --on cpu --repeat 3
check "no conversion where there is none" bash -c "! grep -q 'for converting operands' '$out'"
if [[ " ${places[*]} " == *" emulated "* ]]; then
    run 0 tulle trisolve --check p3d7:5 --on emulated --json --repeat 3 --kernel trisolve_columns
    json_where "0 < d['conversion_ms'] < 20 * d['ms_q90'] and d['analysis_ms'] > 0"
    run 0 tulle trisolve --check p3d7:5 --on emulated --repeat 3 --kernel columns
    check "people see what converting takes" \
        grep -Eq '^  of it     .* for converting operands, which leaves [0-9.]+ [a-z]*s$' "$out"
fi

# What people are told.
run 0 tulle trisolve --check p2d5:6,5 --dominant --unit --on cpu --repeat 2 --format bsr:block=2 \
    --kernel trisolve_rows
for line in "system    T X = 1 B, T the lower triangle of A with ones on its diagonal, whose" \
    'place     cpu, ' 'kernel    trisolve_rows$' 'format    bsr, blocks of 2 x 2, ' \
    'levels    [1-9][0-9]*; the widest has [1-9][0-9]* of 15 rows; a row waits for [1-9][0-9]* ' \
    'analysis  [0-9].*, keeps [0-9]' 'error     .* of the bound: right$' 'first     [0-9]' \
    'time      .* \(median of 2; deciles ' 'speed     .*GB/s' "floor     .* of the machine's "; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle trisolve p2d5:5 --on cpu --repeat 1
check "not checked" grep -q 'error     not checked$' "$out"
run 0 tulle trisolve p2d5:5 --on cpu --check
check "no speed of calls that were not timed" sh -c "! grep -q 'median\|floor' '$out'"

# X itself, and what --dominant does, against Python.
cat >"$folder/solve.py" <<'PYTHON'
import sys
def matrix(path):
    rows = [line.split() for line in open(path) if not line.startswith("%")]
    n, entries = int(rows[0][0]), {}
    for i, j, v in rows[1:]:
        entries[int(i) - 1, int(j) - 1] = float(v)
    return n, entries
def column(path):
    return [float(line) for line in open(path).read().split("\n")[2:] if line]
path, b_path, x_path, part, op, dominant = sys.argv[1:7]
n, A = matrix(path)
if dominant == "yes":
    for i in range(n):
        A[i, i] = 1 + sum(abs(v) for (r, c), v in A.items() if r == i != c)
T = {(i, j): v for (i, j), v in A.items() if (j <= i if part == "lower" else j >= i)}
if op == "T":
    T = {(j, i): v for (i, j), v in T.items()}
b, x = column(b_path), column(x_path)
for i in range(n):
    left = b[i] - sum(v * x[c] for (r, c), v in T.items() if r == i)
    assert abs(left) < 1e-12, (i, left)
PYTHON
run 0 tulle gen random:40,40,4 a.mtx
printf '%%%%MatrixMarket matrix array real general\n40 1\n' >b.mtx
seq 1 40 | sed 's/$/e-2/' >>b.mtx
for place in "${places[@]}"; do
    for part in lower upper; do
        for op in N T; do
            run 0 tulle trisolve --check a.mtx --on "$place" --part $part --trans $op --dominant --b b.mtx -o x.mtx \
               
            check "the solution of $part $op" python3 "$folder/solve.py" a.mtx b.mtx x.mtx $part $op yes
        done
    done
done
run 0 tulle gen p2d5:5,8 grid.mtx
run 0 tulle trisolve --check grid.mtx --on cpu --b b.mtx -o x.mtx
check "written" grep -q 'written   x.mtx$' "$out"
check "the solution of a file" python3 "$folder/solve.py" grid.mtx b.mtx x.mtx lower N no
run 0 tulle convert a.mtx rows.tulle --format dcsr
run 0 tulle trisolve --check rows.tulle --on cpu --dominant --b b.mtx -o y.mtx
run 0 tulle trisolve --check a.mtx --on cpu --dominant --b b.mtx -o x.mtx
check "of a file in another format" cmp x.mtx y.mtx

# Nothing to solve, and what grows too large is no error.
run 0 tulle trisolve --check random:0,0,0 --on cpu --json --repeat 2
json_where "d['err'] == 0 and d['levels'] == 0"
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 5\n1 1 1e-300\n2 1 1e300\n2 2 1e-300\n3 2 1\n3 3 1\n' >large.mtx
for place in "${places[@]}"; do
    run 0 tulle trisolve --check large.mtx --on "$place" --json --b ones
    json_where "d['err'] <= 1"
done

# Wrong command lines and matrices.
bad 'missing: MATRIX' tulle trisolve
bad "'middle' is none of lower.upper" tulle trisolve p2d5:3 --part middle
bad "'C' is none of N.T" tulle trisolve p2d5:3 --trans C
bad 'vectors' tulle trisolve p2d5:3 --vectors 0
bad 'random:4,5,2 is 4 x 5, not square' tulle trisolve random:4,5,2 --on cpu
bad 'random:30,30,2: row [0-9]* \(from 0\) has no entry on the diagonal, or several: add it, or give --unit' \
    tulle trisolve --check random:30,30,2 --on cpu
bad 'random:30,30,2: block row [0-9]* \(from 0\) has no entry on the diagonal' \
    tulle trisolve --check random:30,30,2 --on cpu --format bsr:block=2
bad 'trisolve: --format: takes csr and bsr:block=N, not sell' tulle trisolve p2d5:3 --on cpu --format sell
bad 'spmv_csr takes no part in this system' tulle trisolve p2d5:3 --on cpu --kernel spmv_csr
bad 'b.mtx: is 40 x 1, but the multivector must be 40 x 2' tulle trisolve a.mtx --dominant -K 2 \
    --on cpu --b b.mtx
bad 'no_such.mtx' tulle trisolve no_such.mtx --on cpu

# A library that computes wrong: exit code 1, and where.
if is_sanitized; then
    skipped "wrong solutions: with AddressSanitizer nothing can stand before libtulle"
else
    cat >"$folder/wrong.c" <<'C'
#define _GNU_SOURCE
#include <dlfcn.h>
#include <math.h>
#include <stdlib.h>
#include <tulle/tulle.h>

tulle_status tulle_trisolve(tulle_ctx *ctx, tulle_part part, tulle_diag diag, tulle_trans op,
                            tulle_scalar alpha, const tulle_mat *A, const tulle_vec *B,
                            tulle_vec *X) {
    __typeof__(tulle_trisolve) *right;
    *(void **)&right = dlsym(RTLD_NEXT, "tulle_trisolve");
    tulle_status status = right(ctx, part, diag, op, alpha, A, B, X);
    tulle_vec_info info;
    tulle_vec_describe(X, &info);
    if (getenv("WRONG")) ((double *)info.data)[8] += atof(getenv("WRONG"));
    return status;
}
C
    check "a library that computes wrong" cc -shared -fPIC -I "$here/../../include" \
        "$folder/wrong.c" -o "$folder/wrong.so"
    system=(env LD_PRELOAD="$folder/wrong.so" tulle trisolve --check p2d5:3 --on cpu --b ones)
    run 0 "${system[@]}"
    run 1 env WRONG=1 "${system[@]}"
    check "the number is said" grep -Eq \
        'error     [0-9.e+]* of the bound: WRONG; X\[8, 0\] is 1.[0-9]*, should be 0.[0-9]* by the others$' \
        "$out"
    for wrong in 1e-12 nan inf; do
        run 1 env WRONG=$wrong "${system[@]}" --json
        json_where "(d['err'] is None or d['err'] > 1) and (d['wrong']['row'], d['wrong']['column']) == (8, 0)"
    done
    run 0 env WRONG=1 "${system[@]/--check/--quiet}"
fi

# Unknowns below the smallest normal number are rounded to few bits, beside numbers at the end of the
# type: right.
for i in 1 2 3 4 5 6 7 8; do echo "$i $i 1.7e308"; done >rows
{
    printf '%%%%MatrixMarket matrix coordinate real general\n9 9 9\n'
    cat rows
    echo '9 9 1e-308'
} >ends.mtx
for place in "${places[@]}"; do
    for seed in 1 2 3; do
        run 0 tulle trisolve --check ends.mtx --on "$place" --seed $seed -n 0
        check "subnormal unknowns on $place" grep -q '^  error     .* of the bound: right$' "$out"
    done
done
finish
