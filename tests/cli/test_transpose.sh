# SPDX-License-Identifier: Apache-2.0
# Transposes at every place that is there, checked by the program and by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

cat >"$folder/turn.py" <<'PYTHON'
import sys
def read(path):
    lines = [line.split() for line in open(path) if not line.startswith("%")]
    return [int(n) for n in lines[0]], [(int(i), int(j), float(v)) for i, j, v in lines[1:]]
(m, n, nnz), entries = read(sys.argv[1])
shape, got = read(sys.argv[2])
assert shape == [n, m, nnz], shape
assert got == sorted(((j, i, v) for i, j, v in entries), key=lambda e: e[:2])
PYTHON
is_turned() { check "$*" python3 "$folder/turn.py" "$@"; }

for place in "${places[@]}"; do
    for spec in random:60,40,5 p3d7:6 rmat:7,6 dense_rows:90,3,2 random:0,0,0 random:5,0,0 random:0,5,0; do
        run 0 tulle transpose --check $spec --on "$place" --json
        json_where "d['op'] == 'transpose' and d['err'] == 0 and d['backend'] == '${place%%:*}'"
        json_where "(d['a']['rows'], d['a']['cols']) == (d['b']['cols'], d['b']['rows'])"
        json_where "d['a']['nnz'] == d['b']['nnz'] and d['a']['trans'] and 'ms' not in d and 'phases_ms' not in d"
        json_where "d['matrix_bytes'] == d['a']['bytes'] + d['b']['bytes'] and d['first_ms'] >= 0"
    done
done
run 0 tulle transpose --check random:60,60,5 --on cpu --json --repeat 3 --type f32
json_where "d['type'] == 'f32' and 0 < d['ms_q10'] <= d['ms'] <= d['ms_q90']"
json_where "abs(d['gbs'] / (1e-6 * d['matrix_bytes'] / d['ms']) - 1) < 1e-9"
json_where "abs(d['floor'] / (d['gbs'] / d['copy_gbs']) - 1) < 1e-9"

# What people are told.
run 0 tulle transpose --check random:60,40,5 --on cpu --repeat 3
check "A" grep -q '^random:60,40,5: 60 x 40, 300 entries, f64, index 32/32, made in ' "$out"
for line in 'B         40 x 60, 300 entries, f64, index 32/32$' 'place     cpu, ' \
    'error     none, bit for bit: right$' 'memory    A and B take ' 'first     [0-9]' \
    'time      .* \(median of 3; deciles ' 'speed     .* GB/s, each matrix' \
    "floor     .* of the machine's .* GB/s"; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle transpose p2d5:5 --on cpu --repeat 1
check "not checked" grep -q 'error     not checked$' "$out"
run 0 tulle transpose p2d5:5 --on cpu --check
check "no speed of calls that were not timed" sh -c "! grep -q 'GB/s\|median' '$out'"

# B itself, against Python, and back.
run 0 tulle gen random:30,20,4 a.mtx --seed 5
for place in "${places[@]}"; do
    rm -f b.mtx back.mtx
    run 0 tulle transpose --check a.mtx --on "$place" -o b.mtx
    check "written" grep -Eq 'written   b.mtx, .*B in ' "$out"
    is_turned a.mtx b.mtx
    run 0 tulle transpose --check b.mtx --on "$place" -o back.mtx --json
    json_where "d['file'] == 'back.mtx' and d['file_bytes'] == $(wc -c <back.mtx)"
    check "back" cmp a.mtx back.mtx
done
run 0 tulle transpose --check random:30,20,4 --seed 5 --on cpu -o seed.mtx
check "seed" cmp seed.mtx b.mtx
tulle transpose --check - --on cpu --json <a.mtx >"$out"
json_where "d['a']['source'] == 'real' and d['err'] == 0"

# Very many rows and columns stay few: those without entries take no room, in the check neither.
printf '%%%%MatrixMarket matrix coordinate real general\n2000000000000 3 2\n1 1 3\n2000000000000 3 1\n' >tall.mtx
run 0 tulle transpose --check tall.mtx --on cpu --json
json_where "d['a']['format'] == 'dcsr' and d['b']['cols'] == 2000000000000 and d['err'] == 0"
printf '%%%%MatrixMarket matrix coordinate real general\n2000000000000 1000000000000 1\n7 9 3\n' >huge.mtx
run 0 tulle transpose --check huge.mtx --on cpu --json
json_where "d['b']['format'] == 'dcsr' and d['b']['rows'] == 1000000000000 and d['err'] == 0"
run 0 tulle transpose huge.mtx --on cpu --json
json_where "d['b']['format'] == 'dcsr' and d['b']['rows'] == 1000000000000 and 'err' not in d"

# Wrong command lines and files.
bad 'missing: MATRIX' tulle transpose
bad "'b' is too much" tulle transpose a b
bad '--repeat: .*from 0 to 1000000' tulle transpose a.mtx --repeat -1
bad 'no_such.mtx' tulle transpose no_such.mtx --on cpu
bad 'must end in .mtx' tulle transpose no_such.mtx -o b.txt
bad "no command 'transpos'; did you mean transpose" tulle transpos

# A library that turns wrong: exit code 1, and where.
if wrong_library 'wrong transposes' tulle_mat_transpose \
    'tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B' \
    'ctx, A, B' B; then
    turn=(env LD_PRELOAD="$folder/wrong.so" tulle transpose --check p2d5:3 --on cpu)
    run 0 "${turn[@]}"
    run 1 env WRONG_VALUE=1 "${turn[@]}"
    check "the value is said" grep -Eq \
        'error     not exact: WRONG; B\[0, 1\] is 0, should be -1$' "$out"
    # of a pattern that is not its own transpose, which B would share with A
    turn=(env LD_PRELOAD="$folder/wrong.so" tulle transpose --check random:9,4,3 --on cpu)
    run 1 env WRONG_COLUMN=1 "${turn[@]}" --json
    json_where "d['err'] is None and d['wrong']['row'] == 0 and 'missing' in d['wrong']['fault']"
fi
finish
