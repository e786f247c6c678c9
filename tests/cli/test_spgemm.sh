# SPDX-License-Identifier: Apache-2.0
# Products of two sparse matrices at every place that is there, checked by the program and, for one,
# by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

# A B of Matrix Market files, as Python has it: product A [TURN...] prints "row column value" in order
# of rows and columns, with turned operands among the words a and b.
cat >"$folder/product.py" <<'PYTHON'
import sys
from matrix_market import assert_near, read
def product(a, b, turned=""):
    m, l, left = read(a, "a" in turned)
    l, n, right = read(b, "b" in turned)
    rows = {}
    for k, j, v in right:
        rows.setdefault(k, []).append((j, v))
    sums = {}
    for i, k, v in left:
        for j, w in rows.get(k, []):
            sums[i, j] = sums.get((i, j), 0) + v * w
    return m, n, sums
def compare(c, a, b, turned="", alpha=1, mask=None):
    m, n, got = read(c, False)
    wanted = product(a, b, turned)
    if mask:
        places = {(i, j) for i, j, v in read(mask, False)[2]}
        wanted = *wanted[:2], {at: v for at, v in wanted[2].items() if at in places}
    assert (m, n) == wanted[:2], (m, n, wanted[:2])
    assert len(got) == len(wanted[2]), (len(got), len(wanted[2]))
    for i, j, v in got:
        want = float(alpha) * wanted[2][i, j]
        assert_near(v, want, (i, j))
compare(*sys.argv[1:])
PYTHON
is_product() { check "$*" env PYTHONPATH="$here" PYTHONDONTWRITEBYTECODE=1 python3 "$folder/product.py" "$@"; }

# Every kernel by its name and by that without the operation's, at each place; both types.
tulle kernels --json >"$out"
python3 -c '
import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    if k["operation"] == "spgemm": print(k["name"], k["backend"])' "$out" >"$folder/kernels"
check "kernels to run" test -s "$folder/kernels"
tried=0
for place in "${places[@]}"; do
    while read -r kernel backend; do
        [ "$backend" = cpu ] && [ "${place%%:*}" != cpu ] && continue
        [ "$backend" = gpu ] && [ "${place%%:*}" = cpu ] && continue
        for name in "$kernel" "${kernel#spgemm_}"; do
            for more in '' '--type f32 --alpha -3' '--unsorted --index 64/32' \
                '--transpose-a --transpose-b --seed 7'; do
                # shellcheck disable=SC2086
                run 0 tulle spgemm --check banded:60,9 --on "$place" --kernel "$name" --json $more
                json_where "d['kernel'] == '$kernel' and 0 <= d['err'] <= 1 and d['c']['nnz'] > 540"
                tried=$((tried + 1))
            done
        done
    done <"$folder/kernels"
done
check "kernels were run at each place" test "$tried" -ge "$((8 * ${#places[@]}))"

# Two matrices, and all their ways to be turned; shapes, and what is derived from them.
shapes=('' 'random:60,40,5 random:40,70,3' --transpose-a 'random:40,60,5 random:40,70,3'
    --transpose-b 'random:60,40,5 random:70,40,3'
    '--transpose-a --transpose-b' 'random:40,60,5 random:70,40,3')
for place in "${places[@]}"; do
    for ((i = 0; i < ${#shapes[@]}; i += 2)); do
        # shellcheck disable=SC2086
        run 0 tulle spgemm --check ${shapes[i + 1]} ${shapes[i]} --on "$place" --json
        json_where "d['op'] == 'spgemm' and d['err'] <= 1 and not d['squared']"
        json_where "(d['c']['rows'], d['c']['cols']) == (60, 70) and d['c']['nnz'] > 60"
        json_where "abs(d['compression'] - d['products'] / d['c']['nnz']) < 1e-9 and d['compression'] >= 1"
        json_where "d['a']['trans'] == ('-a' in '${shapes[i]}') and d['b']['trans'] == ('-b' in '${shapes[i]}')"
        json_where "d['peak_bytes'] >= d['c']['bytes'] > 0 and 'ms' not in d and d['peak_bytes'] <= d['bound_bytes']"
        json_where "d['matrix_bytes'] == sum(d[m]['bytes'] for m in 'abc')"
    done
done
run 0 tulle spgemm --check random:60,40,5 --transpose-b --on cpu --json --repeat 3
json_where "d['squared'] and d['c']['rows'] == d['c']['cols'] == 60"
json_where "d['matrix_bytes'] == d['a']['bytes'] + d['c']['bytes']"
json_where "0 < d['ms_q10'] <= d['ms'] <= d['ms_q90'] and d['first_ms'] > 0"
json_where "abs(d['gflops'] / (2e-6 * d['products'] / d['ms']) - 1) < 1e-9"
json_where "list(d['phases_ms']) == 'operands analysis count allocate compute finish total'.split()"
json_where "0.5 < sum(d['phases_ms'].values()) / 2 / d['phases_ms']['total'] <= 1.0001"
run 0 tulle spgemm --check random:60,40,5 random:40,70,3 --on cpu --json
json_where "d['products'] == 60 * 5 * 3"

# What people are told.
run 0 tulle spgemm --check random:60,40,5 random:30,40,3 --transpose-b --on cpu --alpha -0.5 --repeat 3
check "A" grep -q '^random:60,40,5: 60 x 40, 300 entries, f64, index 32/32, made in ' "$out"
check "B" grep -q '^random:30,40,3: 30 x 40, 90 entries, ' "$out"
for line in "product   C = -0.5 A B'$" 'C         60 x 30, [0-9,]* entries, f64, index 32/32$' \
    'place     cpu, ' 'kernel    spgemm_' 'products  [0-9,]*, [1-9][0-9.]* for each entry of C$' \
    'error     .* of the bound: right$' 'memory    at most .*B at a time, with C; A, B and C take ' \
    'phases    operands .*, analysis .*, count .*, allocate .*, compute .*, finish ' \
    'first     [0-9]' 'time      .* \(median of 3; deciles ' 'speed     .* GFLOP/s$'; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle spgemm p2d5:5 --transpose-a --on cpu --unsorted --repeat 1
check "A A" grep -q "product   C = 1 A' A$" "$out"
check "not checked" grep -q 'error     not checked$' "$out"
check "any order" grep -q 'C  .*, columns in any order$' "$out"
run 0 tulle spgemm p2d5:5 --on cpu --check
check "no speed of calls that were not timed" sh -c "! grep -q 'GFLOP\|median' '$out'"
run 0 tulle spgemm p2d5:5 --on cpu --json --repeat 2
json_where "'err' not in d and d['ms'] > 0"

# Under a cap: in pieces, or what is missing.
for place in "${places[@]}"; do
    spec=p2d5:60
    [ "$place" = emulated ] && spec=p2d5:20
    run 0 tulle spgemm --check $spec --on "$place" --json
    json_where "d['pieces'] == 1 and d['peak_bytes'] <= d['predicted_bytes']"
    read -r cap little < <(python3 -c 'import json, sys
d = json.load(sys.stdin)
a, c = d["a"]["bytes"], d["c"]["bytes"]
print(int(a + c + 0.6 * (d["peak_bytes"] - c)), a + c // 2)' <"$out")
    run 0 tulle spgemm --check $spec --on "$place" --json --memory "$cap"
    json_where "d['pieces'] > 1 and d['err'] <= 1"
    json_where "d['peak_bytes'] <= d['predicted_bytes'] <= $cap - d['a']['bytes']"
    run 0 tulle spgemm --check $spec --on "$place" --memory "$cap"
    check "said" grep -Eq 'predicted at most .*B, and .*B when C had been counted; made in [0-9]+ pieces$' "$out"
    enoughs=()
    run 3 tulle spgemm --check $spec --on "$place" --memory "$little"
    check "what is missing" grep -Eq \
        "the context's cap of .*B \($little bytes\) is too small, and a cap of .*B \([0-9]+ bytes\) suffices" "$err"
    for told in 's/.*and a cap of \([0-9.]*[KMG]*B\) .*suffices.*/\1/p' 's/.*B (\([0-9]*\) bytes) suffices.*/\1/p'; do
        enough=$(sed -n "$told" "$err" | tail -1)
        check "a cap that suffices is told" test -n "$enough"
        enoughs+=("$enough")
    done
    for enough in "${enoughs[@]}"; do
        run 0 tulle spgemm --check $spec --on "$place" --memory "$enough"
    done
done
example=$(tulle spgemm --help | sed -n '/--memory [0-9]/s/^  \(tulle spgemm p.*\)/\1/p')
check "the help has an example of --memory" test -n "$example"
# shellcheck disable=SC2086 # several words
run 0 $example --check
check "which is of pieces" grep -q 'made in [0-9]* pieces$' "$out"
run 0 tulle spgemm --check p2d5:5 --on cpu --memory 1.5MB

# The type, the seed, and the index type.
run 0 tulle spgemm --check p2d5:5 --on cpu --json --type f32
json_where "d['type'] == 'f32'"
for index in 32/32:32/32 64/32:64/32 64:64/64 auto:32/32; do
    for place in "${places[@]}"; do
        run 0 tulle spgemm --check p2d5:5 --on "$place" --json --index "${index%:*}"
        json_where "d['c']['index'] == '${index#*:}' and d['a']['index'] == '32/32' and d['err'] <= 1"
    done
done
run 0 tulle gen random:60,60,5 seven.mtx --seed 7
run 0 tulle spgemm --check random:60,60,5 --on cpu --seed 7 --output c.mtx
is_product c.mtx seven.mtx seven.mtx

# C itself, against Python.
run 0 tulle gen random:30,20,4 a.mtx
run 0 tulle gen random:20,50,3 b.mtx --seed 2
run 0 tulle gen random:50,20,3 bt.mtx --seed 3
for place in "${places[@]}"; do
    rm -f c.mtx
    run 0 tulle spgemm --check a.mtx b.mtx --on "$place" --output c.mtx
    check "written" grep -Eq 'written   c.mtx, .*B in ' "$out"
    is_product c.mtx a.mtx b.mtx
    run 0 tulle spgemm --check a.mtx bt.mtx --transpose-b --alpha -2.5 --on "$place" -o c2.mtx
    is_product c2.mtx a.mtx bt.mtx b -2.5
    run 0 tulle spgemm --check a.mtx --transpose-a --on "$place" -o c3.mtx --unsorted --json
    json_where "d['file'] == 'c3.mtx' and d['file_bytes'] == $(wc -c <c3.mtx)"
    is_product c3.mtx a.mtx a.mtx a
done
run 0 tulle spgemm --check a.mtx b.mtx --on cpu -o c.tulle
run 0 tulle convert c.tulle back.mtx
is_product back.mtx a.mtx b.mtx
tulle spgemm --check - b.mtx --on cpu --json <a.mtx >"$out"
json_where "d['a']['source'] == 'real' and d['err'] <= 1"

run 0 tulle gen random:30,50,6 d.mtx --seed 4
# What it may take stands first, and is kept, also with D and of a triple product.
for place in "${places[@]}"; do
    run 0 tulle spgemm --check a.mtx b.mtx --on "$place"
    check "the bound is the first line" grep -q '^at most .* will be needed, with C, of at most ' <(head -n 1 "$out")
    run 0 tulle spgemm --check a.mtx b.mtx --on "$place" --json
    json_where "d['peak_bytes'] <= d['bound_bytes'] and d['c']['nnz'] <= d['bound_nnz'] <= d['products']"
    run 0 tulle spgemm --check a.mtx b.mtx --add d.mtx --on "$place" --json
    json_where "d['matrix_bytes'] == sum(d[m]['bytes'] for m in 'abcd')"
    json_where "d['peak_bytes'] <= d['bound_bytes'] <= d['forecast_bytes']"
    json_where "d['products'] < d['bound_nnz'] <= d['products'] + 180 and d['c']['nnz'] <= d['bound_nnz']"
    run 0 tulle spgemm --check p3d7:6 interp3:6 --galerkin --add random:27,27,3 --on "$place" --json
    json_where "d['peak_bytes'] <= d['bound_bytes'] <= d['forecast_bytes'] and d['c']['nnz'] <= d['bound_nnz'] == 729"
    run 0 tulle spgemm --check p3d7:6 interp3:6 --galerkin --on "$place"
    check "so has a triple product" grep -q '^at most .* will be needed, with C, of at most ' <(head -n 1 "$out")
done

# A cap that C does not fit in: what is said at first is no promise that it suffices.
run 3 tulle spgemm --check rmat:9,8 --on cpu --memory 300K
check "what the cap leaves" grep -q '^at most .* will be had, as --memory leaves no more, with C, of at most ' "$out"
run 0 tulle spgemm --check rmat:9,8 --on cpu:1 --memory 30M
check "a cap that is wide" grep -q '^at most .* will be needed, with C, of at most ' "$out"

# A folder that is not there is found before the product is made.
run 2 tulle spgemm --check a.mtx b.mtx --on cpu -o none/c.mtx
check "says which" grep -q '^tulle: none/c.mtx: cannot be created: No such file or directory$' "$err"
check "nothing was begun" test ! -s "$out"

# A cap is for the product, not for its file.
run 0 tulle spgemm --check rmat:8,8 --on cpu:2 --memory 1M -o capped.mtx
run 0 tulle spgemm --check rmat:8,8 --on cpu:2 -o free.mtx
check "the file of a capped product" cmp capped.mtx free.mtx

# + beta D, and C against the same file without it.
for place in "${places[@]}"; do
    run 0 tulle spgemm --check a.mtx b.mtx --add d.mtx --beta -0.5 --alpha 2 --on "$place" -o plus.mtx --json \
        --unsorted --repeat 2
    json_where "d['err'] <= 1 and d['beta'] == -0.5 and d['d']['nnz'] == 180 and d['phases_ms']['add'] > 0"
    run 0 tulle spgemm --check a.mtx b.mtx --alpha 2 --on "$place" -o product.mtx
    run 0 tulle add --check product.mtx d.mtx --beta -0.5 --on "$place" -o sum.mtx
    check "the sum of the product and D" cmp plus.mtx sum.mtx
    run 0 tulle spgemm --check random:30,20,4 random:20,50,3 --add random:30,50,6 --type f32 --beta 0.1 \
        --alpha 0.3 --on "$place" --json
    json_where "d['err'] <= 1 and d['type'] == 'f32'"
done
run 0 tulle spgemm --check a.mtx b.mtx --add d.mtx --beta -0.5 --on cpu
check "D is named" grep -q '^d.mtx: 30 x 50, 180 entries, ' "$out"
check "A B + D" grep -q 'product   C = 1 A B + -0.5 D$' "$out"
check "adding is a phase" grep -q 'phases .*, add ' "$out"
bad '--add: D \(a.mtx\) is 30 x 20, and the product 30 x 50' tulle spgemm a.mtx b.mtx --add a.mtx --on cpu
bad 'no_such.mtx' tulle spgemm a.mtx b.mtx --add no_such.mtx --on cpu
bad '--beta is of D: there is none without --add' tulle spgemm a.mtx b.mtx --beta 1 --on cpu
bad "D is '-'" tulle spgemm a.mtx b.mtx --add - --on cpu

# The product at the places of a mask alone, and D beside it.
for place in "${places[@]}"; do
    run 0 tulle spgemm --check a.mtx b.mtx --mask d.mtx --alpha 3 --on "$place" -o on.mtx --json --repeat 2
    json_where "d['err'] <= 1 and d['kernel'] == 'masked_rows' and d['mask']['nnz'] == 180 and d['c']['nnz'] <= 180"
    json_where "d['matrix_bytes'] == sum(d[m]['bytes'] for m in ('a', 'b', 'mask', 'c'))"
    json_where "d['peak_bytes'] <= d['bound_bytes'] <= d['forecast_bytes'] and d['bound_nnz'] <= 180"
    is_product on.mtx a.mtx b.mtx "" 3 d.mtx
    run 0 tulle spgemm --check a.mtx b.mtx --mask d.mtx --alpha 3 --add d.mtx --on "$place" -k rows -o plus.mtx
    run 0 tulle add --check on.mtx d.mtx --on "$place" -o sum.mtx
    check "the sum of the masked product and D" cmp plus.mtx sum.mtx
    run 0 tulle spgemm --check a.mtx --transpose-b --mask random:30,30,9 --type f32 --on "$place" --json
    json_where "d['err'] <= 1 and d['mask']['matrix'] == 'random:30,30,9'"
done
run 0 tulle spgemm --check a.mtx b.mtx --mask d.mtx --add d.mtx --on cpu
check "M is named" grep -q '^d.mtx: 30 x 50, 180 entries, ' "$out"
check "A B on M" grep -q 'product   C = 1 A B on M + 1 D$' "$out"
check "M is counted" grep -q 'A, B, D, M and C take ' "$out"
bad '--mask: M \(a.mtx\) is 30 x 20, and the product 30 x 50' tulle spgemm a.mtx b.mtx --mask a.mtx --on cpu
bad 'no_such.mtx' tulle spgemm a.mtx b.mtx --mask no_such.mtx --on cpu
bad "M is '-'" tulle spgemm a.mtx b.mtx --mask - --on cpu
bad '--mask is of A B: --galerkin takes none' tulle spgemm p2d5:4 p2d5:4 --galerkin --mask p2d5:4 --on cpu
bad 'whose kernels begin with masked_' tulle spgemm a.mtx b.mtx --mask d.mtx -k spgemm_spa --on cpu

# P' A P, against two products.
run 0 tulle gen random:30,30,4 s.mtx
run 0 tulle gen random:30,12,2 p.mtx --seed 5
for place in "${places[@]}"; do
    run 0 tulle spgemm --check p3d7:6 interp3:6 --galerkin --on "$place" --json
    json_where "d['err'] <= 1 and d['galerkin'] and (d['c']['rows'], d['c']['cols']) == (27, 27)"
    run 0 tulle spgemm --check s.mtx p.mtx --galerkin --alpha 3 --on "$place" -o coarse.mtx --json --repeat 2
    json_where "d['err'] <= 1 and 'add' not in d['phases_ms'] and not d['squared']"
    run 0 tulle spgemm --check s.mtx p.mtx --on "$place" -o right.mtx
    run 0 tulle spgemm --check p.mtx right.mtx --transpose-a --alpha 3 --on "$place" -o two.mtx
    check "two products" cmp coarse.mtx two.mtx
    run 0 tulle spgemm --check s.mtx p.mtx --galerkin --add random:12,12,5 --beta 2 --type f32 --alpha 0.3 \
        --on "$place" --json
    json_where "d['err'] <= 1 and d['beta'] == 2"
done
run 0 tulle spgemm --check s.mtx p.mtx --galerkin --on cpu
check "P' A P" grep -q "product   C = 1 P' A P$" "$out"
bad '--galerkin: A \(a.mtx\) is 30 x 20, and P \(p.mtx\) has 30 rows' \
    tulle spgemm --check a.mtx p.mtx --galerkin --on cpu
bad 'of an A and a P that are not turned' tulle spgemm s.mtx --galerkin --on cpu
bad 'of an A and a P that are not turned' tulle spgemm s.mtx p.mtx --galerkin --transpose-a --on cpu

# Matrices whose rows are mostly empty.
run 0 tulle convert a.mtx a_dcsr.tulle --format dcsr
run 0 tulle convert b.mtx b_dcsr.tulle --format dcsr
run 0 tulle spgemm --check a_dcsr.tulle b_dcsr.tulle --on cpu --json -o d.mtx
json_where "d['a']['format'] == d['b']['format'] == 'dcsr' and d['c']['format'] == 'csr' and d['err'] <= 1"
is_product d.mtx a.mtx b.mtx

# Values that overflow are no error, and alpha = 0 keeps the pattern.
printf '%%%%MatrixMarket matrix coordinate real general\n2 2 4\n1 1 1e308\n1 2 -1e308\n2 1 1e308\n2 2 10\n' >big.mtx
for place in "${places[@]}"; do
    for alpha in 1 0 1e-300 1e300; do
        run 0 tulle spgemm --check big.mtx --on "$place" --alpha $alpha --json
        json_where "d['err'] <= 1 and d['c']['nnz'] == 4"
    done
done
bad "too large for f32" tulle spgemm big.mtx --on cpu --type f32

# Empty shapes.
for shapes in '0,0,0 0,0,0' '5,0,0 0,5,0' '0,5,0 5,0,0' '5,5,0 5,5,0' '5,5,2 5,3,0'; do
    for place in "${places[@]}"; do
        run 0 tulle spgemm --check "random:${shapes% *}" "random:${shapes#* }" --on "$place" --json --repeat 2
        json_where "d['err'] == 0 and d['c']['nnz'] == d['products'] == 0 and d['compression'] is None"
    done
done

# Shapes that do not fit, in words that say which.
bad 'A \(random:60,40,5\) has 40 columns, but B \(random:60,40,5\) has 60 rows: --transpose-a' \
    tulle spgemm --check random:60,40,5 --on cpu
bad 'A transposed \(random:60,40,5\) has 60 columns, but B transposed \(p2d5:3,4\) has 12 rows' \
    tulle spgemm --check random:60,40,5 p2d5:3,4 --transpose-a --transpose-b --on cpu

# Wrong command lines and files.
bad 'missing: A' tulle spgemm
bad "'c' is too much" tulle spgemm a b c
bad "'16' is none of auto.32/32.64/32.64 " tulle spgemm a.mtx --index 16
bad '--alpha: .*finite number' tulle spgemm a.mtx --alpha nan
bad '--repeat: .*from 0 to 1000000' tulle spgemm a.mtx --repeat -1
bad 'did you mean --transpose-[ab]' tulle spgemm a.mtx --transpose-c
bad "A and B are both '-'" tulle spgemm - -
bad 'no_such.mtx' tulle spgemm a.mtx no_such.mtx --on cpu
bad "no kernel 'spgemm_spq'" tulle spgemm p2d5:3 --on cpu --kernel spgemm_spq
bad 'spmv_csr takes no part in this product' tulle spgemm p2d5:3 --on cpu --kernel spmv_csr
bad 'ell takes no part in this product' tulle spgemm p2d5:3 --on cpu --kernel ell
head -n 20 a.mtx >short.mtx
bad '^tulle: short.mtx:' tulle spgemm short.mtx b.mtx --on cpu
bad '^tulle: short.mtx:' tulle spgemm b.mtx short.mtx --on cpu

# Where C can not go is said at once, and what is there stays.
printf 'what nobody may lose\n' >notes.mtx
bad '^tulle: notes.mtx: is no .*, and stays as it is' tulle spgemm no_such.mtx -o notes.mtx
check "notes.mtx is what it was" grep -q 'nobody may lose' notes.mtx
bad 'must end in .mtx' tulle spgemm no_such.mtx -o c.txt
bad 'directory' tulle spgemm no_such.mtx -o .
bad 'no_such_folder' tulle spgemm a.mtx b.mtx --on cpu -o no_such_folder/c.mtx --json

# Very many columns: a check has no place for each of them; indices that were asked for may be too narrow.
printf '%%%%MatrixMarket matrix coordinate real general\n3 2000000000000 2\n1 1 3\n3 2000000000000 1\n' >wide.mtx
printf '%%%%MatrixMarket matrix coordinate real general\n2000000000000 3 2\n1 1 3\n2000000000000 3 1\n' >tall.mtx
run 0 tulle gen random:3,4,2 few.mtx
run 0 tulle spgemm --check tall.mtx few.mtx --on cpu --json
json_where 'd["c"]["rows"] == 2000000000000 and d["err"] <= 1'
run 0 tulle spgemm --check random:4,3,2 wide.mtx --on cpu --json
json_where 'd["c"]["cols"] == 2000000000000 and d["err"] <= 1'
for index in 32/32 64/32; do
    bad "--index $index: C is 4 x 2000000000000, .*take 64 or auto" \
        tulle spgemm random:4,3,2 wide.mtx --on cpu --index $index
done
bad '--index 32/32: C is 2000000000000 x 4' \
    tulle spgemm wide.mtx random:3,4,2 --transpose-a --on cpu --index 32/32
bad '^tulle: --index 32/32: C has more entries than 32-bit offsets count, .*take 64/32, 64 or auto' \
    tulle spgemm random:46342,1,1 random:1,46342,46342 --on cpu --index 32/32 --json
if [[ " ${places[*]} " == *" emulated "* ]]; then
    run 0 tulle spgemm random:4,3,2 wide.mtx --on emulated --json
    json_where "d['c']['index'] == '64/64' and d['c']['nnz'] == d['products'] > 0"
fi

# Interrupted while it checks, after the line that says so.
on_terminal 130 --interrupt 'checking: ' \
    env OMP_NUM_THREADS=1 tulle spgemm --check random:4000,4000,600 --on cpu
check "the line is erased" grep -Fq $'\r\e[Ktulle: interrupted' "$out"

# A library that computes wrong, one entry or one place of one: exit code 1, and where.
if wrong_library 'wrong products' tulle_spgemm_sized \
    'tulle_ctx *ctx, tulle_trans op_A, tulle_trans op_B, tulle_scalar alpha, const tulle_mat *A,
    const tulle_mat *B, const tulle_spgemm_options *options, size_t options_size,
    tulle_spgemm_report *report, tulle_mat **C' \
    'ctx, op_A, op_B, alpha, A, B, options, options_size, report, C' C; then
    product=(env LD_PRELOAD="$folder/wrong.so" tulle spgemm --check p2d5:3 --on cpu)
    run 0 "${product[@]}"
    run 1 env WRONG_VALUE=1 "${product[@]}"
    check "the value is said" grep -Eq \
        'error     [0-9.e+]* of the bound: WRONG; C\[0, 1\] is -7, should be -8$' "$out"
    run 1 env WRONG_VALUE=1 "${product[@]}" --json
    json_where "d['err'] > 1 and d['wrong'] == {'row': 0, 'column': 1, 'fault': None, 'got': -7, 'want': -8}"
    run 0 env WRONG_VALUE=1 "${product[@]/--check/--quiet}"
    run 1 env WRONG_COLUMN=1 "${product[@]}"
    check "the place is said" grep -Eq \
        'error     WRONG; C\[0, 8\] is an entry where no products meet$' "$out"
    run 1 env WRONG_COLUMN=1 "${product[@]}" --json
    json_where "d['err'] is None and 'no products' in d['wrong']['fault'] and d['wrong']['column'] == 8"
fi
finish
