# SPDX-License-Identifier: Apache-2.0
# Sums of two sparse matrices at every place that is there, checked by the program and by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

# C = alpha A + beta B of Matrix Market files, as Python has it, with turned operands among a and b.
cat >"$folder/sum.py" <<'PYTHON'
import sys
from matrix_market import assert_near, read
def compare(c, a, b, turned="", alpha=1, beta=1):
    m, n, got = read(c, False)
    m_a, n_a, left = read(a, "a" in turned)
    m_b, n_b, right = read(b, "b" in turned)
    assert (m, n) == (m_a, n_a) == (m_b, n_b), (m, n, m_a, n_a, m_b, n_b)
    sums = {}
    for factor, entries in ((float(alpha), left), (float(beta), right)):
        for i, j, v in entries:
            sums[i, j] = sums.get((i, j), 0) + factor * v
    assert [(i, j) for i, j, v in got] == sorted(sums), (len(got), len(sums))
    for i, j, v in got:
        want = sums[i, j]
        assert_near(v, want, (i, j))
compare(*sys.argv[1:])
PYTHON
is_sum() { check "$*" env PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 python3 "$folder/sum.py" "$@"; }

# Two matrices, and all their ways to be turned; what is derived from their shapes.
shapes=('' 'random:60,40,5 random:60,40,3' --transpose-a 'random:40,60,5 random:60,40,3'
    --transpose-b 'random:60,40,5 random:40,60,3'
    '--transpose-a --transpose-b' 'random:40,60,5 random:40,60,3')
for place in "${places[@]}"; do
    for ((i = 0; i < ${#shapes[@]}; i += 2)); do
        # shellcheck disable=SC2086
        run 0 tulle add --check ${shapes[i + 1]} ${shapes[i]} --on "$place" --json
        json_where "d['op'] == 'add' and d['err'] <= 1 and (d['c']['rows'], d['c']['cols']) == (60, 40)"
        json_where "d['c']['nnz'] + d['both'] == d['a']['nnz'] + d['b']['nnz'] and d['both'] > 0"
        json_where "d['a']['trans'] == ('-a' in '${shapes[i]}') and d['b']['trans'] == ('-b' in '${shapes[i]}')"
        json_where "d['peak_bytes'] >= d['c']['bytes'] > 0 and 'ms' not in d and 'floor' not in d"
        json_where "d['matrix_bytes'] == sum(d[m]['bytes'] for m in 'abc')"
    done
    run 0 tulle add --check fem:200 fem:200 --on "$place" --type f32 --alpha 0.3 --beta -7 --json
    json_where "d['type'] == 'f32' and d['both'] == d['c']['nnz'] and 0 < d['err'] <= 1"
    json_where "d['alpha'] == 0.3 and d['beta'] == -7 and d['backend'] == '${place%%:*}'"
done
run 0 tulle add --check random:60,60,5 random:60,60,5 --on cpu --json --repeat 3
json_where "0 < d['ms_q10'] <= d['ms'] <= d['ms_q90'] and d['first_ms'] > 0"
json_where "abs(d['gbs'] / (1e-6 * d['matrix_bytes'] / d['ms']) - 1) < 1e-9"
json_where "abs(d['floor'] / (d['gbs'] / d['copy_gbs']) - 1) < 1e-9"
json_where "list(d['phases_ms']) == 'operands count allocate compute finish total'.split()"
json_where "0.3 < sum(d['phases_ms'].values()) / 2 / d['phases_ms']['total'] <= 1.0001"

# What people are told.
run 0 tulle add --check random:60,40,5 random:40,60,3 --transpose-b --on cpu --alpha -0.5 --repeat 3
check "A" grep -q '^random:60,40,5: 60 x 40, 300 entries, f64, index 32/32, made in ' "$out"
check "B" grep -q '^random:40,60,3: 40 x 60, 120 entries, ' "$out"
for line in "sum       C = -0.5 A \+ 1 B'$" 'C         60 x 40, [0-9,]* entries, f64, index 32/32$' \
    'place     cpu, ' 'both      [0-9,]* entries are where A and B have one$' \
    'error     .* of the bound: right$' 'memory    at most .*B at a time, with C; A, B and C take ' \
    'phases    operands .*, count .*, allocate .*, compute .*, finish ' \
    'first     [0-9]' 'time      .* \(median of 3; deciles ' 'speed     .* GB/s, each matrix' \
    "floor     .* of the machine's .* GB/s"; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle add p2d5:5 p2d5:5 --on cpu --repeat 1
check "not checked" grep -q 'error     not checked$' "$out"
run 0 tulle add p2d5:5 p2d5:5 --on cpu --check
check "no speed of calls that were not timed" sh -c "! grep -q 'GB/s\|median' '$out'"
run 0 tulle add p2d5:5 p2d5:5 --on cpu --json --repeat 2
json_where "'err' not in d and d['ms'] > 0"

# The index type, and the seed.
for index in 32/32:32/32 64/32:64/32 64:64/64 auto:32/32; do
    for place in "${places[@]}"; do
        run 0 tulle add --check p2d5:5 p2d5:5 --on "$place" --json --index "${index%:*}"
        json_where "d['c']['index'] == '${index#*:}' and d['a']['index'] == '32/32' and d['err'] <= 1"
    done
done
run 0 tulle gen random:60,60,5 seven.mtx --seed 7
run 0 tulle add --check random:60,60,5 random:60,60,5 --on cpu --seed 7 --output c.mtx
is_sum c.mtx seven.mtx seven.mtx

# C itself, against Python.
run 0 tulle gen random:30,20,4 a.mtx
run 0 tulle gen random:30,20,3 b.mtx --seed 2
run 0 tulle gen random:20,30,3 bt.mtx --seed 3
for place in "${places[@]}"; do
    rm -f c.mtx
    run 0 tulle add --check a.mtx b.mtx --on "$place" --output c.mtx
    check "written" grep -Eq 'written   c.mtx, .*B in ' "$out"
    is_sum c.mtx a.mtx b.mtx
    run 0 tulle add --check a.mtx bt.mtx --transpose-b --alpha -2.5 --beta 0.1 --on "$place" -o c2.mtx \
        --json
    json_where "d['file'] == 'c2.mtx' and d['file_bytes'] == $(wc -c <c2.mtx)"
    is_sum c2.mtx a.mtx bt.mtx b -2.5 0.1
done
run 0 tulle add --check a.mtx b.mtx --on cpu -o c.tulle
run 0 tulle convert c.tulle back.mtx
is_sum back.mtx a.mtx b.mtx
tulle add --check - b.mtx --on cpu --json <a.mtx >"$out"
json_where "d['a']['source'] == 'real' and d['err'] <= 1"

# Matrices whose rows are mostly empty, or whose entries cancel.
run 0 tulle convert a.mtx a_dcsr.tulle --format dcsr
run 0 tulle add --check a_dcsr.tulle b.mtx --on cpu --json -o d.mtx
json_where "d['a']['format'] == 'dcsr' and d['c']['format'] == 'csr' and d['err'] <= 1"
is_sum d.mtx a.mtx b.mtx
for place in "${places[@]}"; do
    run 0 tulle add --check a.mtx a.mtx --beta -1 --on "$place" -o zero.mtx --json
    json_where "d['c']['nnz'] == d['both'] == d['a']['nnz'] and d['err'] == 0"
    is_sum zero.mtx a.mtx a.mtx '' 1 -1
done

# Empty shapes.
for shape in 0,0,0 5,0,0 0,5,0 5,5,0; do
    for place in "${places[@]}"; do
        run 0 tulle add --check random:$shape random:$shape --on "$place" --json --repeat 2
        json_where "d['err'] == 0 and d['c']['nnz'] == d['both'] == 0"
    done
done

# Shapes that do not fit, in words that say which.
bad 'A \(random:60,40,5\) is 60 x 40, but B \(random:40,60,5\) is 40 x 60: --transpose-a' \
    tulle add --check random:60,40,5 random:40,60,5 --on cpu
bad 'A transposed \(random:60,40,5\) is 40 x 60, but B transposed \(p2d5:3,4\) is 12 x 12' \
    tulle add --check random:60,40,5 p2d5:3,4 --transpose-a --transpose-b --on cpu

# Wrong command lines and files.
bad 'missing: A B' tulle add
bad 'missing: B \(' tulle add a.mtx
bad "'c' is too much" tulle add a b c
bad "'16' is none of auto.32/32.64/32.64 " tulle add a.mtx b.mtx --index 16
bad '--beta: .*finite number' tulle add a.mtx b.mtx --beta nan
bad '--repeat: .*from 0 to 1000000' tulle add a.mtx b.mtx --repeat -1
bad "A and B are both '-'" tulle add - -
bad 'no_such.mtx' tulle add a.mtx no_such.mtx --on cpu
head -n 20 a.mtx >short.mtx
bad '^tulle: short.mtx:' tulle add short.mtx b.mtx --on cpu
bad '^tulle: short.mtx:' tulle add b.mtx short.mtx --on cpu

# Where C can not go is said at once, and what is there stays.
printf 'what nobody may lose\n' >notes.mtx
bad '^tulle: notes.mtx: is no .*, and stays as it is' tulle add no_such.mtx a.mtx -o notes.mtx
check "notes.mtx is what it was" grep -q 'nobody may lose' notes.mtx
bad 'must end in .mtx' tulle add no_such.mtx a.mtx -o c.txt
bad 'no_such_folder' tulle add a.mtx b.mtx --on cpu -o no_such_folder/c.mtx

# Very many columns: a check has no place for each of them; indices that were asked for may be too narrow.
printf '%%%%MatrixMarket matrix coordinate real general\n3 2000000000000 2\n1 1 3\n3 2000000000000 1\n' >wide.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2000000000000 3 2\n1 1 3\n2000000000000 3 1\n' >tall.mtx
run 0 tulle add --check tall.mtx tall.mtx --on cpu --json
json_where 'd["c"]["rows"] == 2000000000000 and d["err"] <= 1'
run 0 tulle add --check wide.mtx wide.mtx --on cpu --json
json_where 'd["c"]["cols"] == 2000000000000 and d["err"] <= 1'
bad '--index 64/32: C is 3 x 2000000000000, .*take 64 or auto' \
    tulle add wide.mtx wide.mtx --on cpu --index 64/32
run 0 tulle add wide.mtx wide.mtx --on cpu --json
json_where "d['c']['index'] == '64/64' and d['c']['nnz'] == d['both'] == 2"

# A library that computes wrong: exit code 1, and where.
if wrong_library 'wrong sums' tulle_add_sized \
    'tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, tulle_scalar alpha, const tulle_mat *A,
    tulle_scalar beta, const tulle_mat *B, const tulle_add_options *options,
    size_t options_size, tulle_add_report *report, tulle_mat **C' \
    'ctx, op_A, op_B, alpha, A, beta, B, options, options_size, report, C' C; then
    sum=(env LD_PRELOAD="$folder/wrong.so" tulle add --check p2d5:3 p2d5:3 --on cpu)
    run 0 "${sum[@]}"
    run 1 env WRONG_VALUE=1 "${sum[@]}"
    check "the value is said" grep -Eq \
        'error     [0-9.e+]* of the bound: WRONG; C\[0, 1\] is -1, should be -2$' "$out"
    run 0 env WRONG_VALUE=1 "${sum[@]/--check/--quiet}"
    run 1 env WRONG_COLUMN=1 "${sum[@]}" --json
    json_where "d['err'] is None and 'neither A nor B' in d['wrong']['fault'] and d['wrong']['column'] == 8"
fi
finish
