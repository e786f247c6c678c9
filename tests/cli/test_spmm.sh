# SPDX-License-Identifier: Apache-2.0
# Products with multivectors at every place that is there, checked by the program and, for one,
# by Python.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:3

for place in "${places[@]}"; do
    for more in '' '--layout column' '--layout column --y-layout row --type f32' \
        '--transpose --vectors 3' '--transpose --layout column -K 5 --alpha -0.5 --beta 2' \
        '--layout row --y-layout column -K 33' '-K 1 --transpose'; do
        # shellcheck disable=SC2086
        run 0 tulle spmm --check random:60,40,5 --on "$place" --json $more
        json_where "d['op'] == 'spmm' and 0 <= d['err'] <= 1 and d['nnz'] == 300"
    done
done
# Blocks that are not square, of every place.
for place in "${places[@]}"; do
    for more in '' '--transpose'; do
        run 0 tulle spmm --check blocks:3,4 --on "$place" --format bsr:block=3,block_cols=6 $more
        check "the blocks on $place" grep -q 'bsr, blocks of 3 x 6, ' "$out"
        check "the product on $place" grep -q 'of the bound: right' "$out"
    done
done
bad 'block_cols must be from 1 to 16' tulle spmm blocks:3,4 --format bsr:block=3,block_cols=17 --on cpu
run 0 tulle spmm --check random:60,40,5 --on cpu --json -K 3 --layout column --y-layout row
json_where "d['k'] == 3 and d['layout'] == 'column' and d['y_layout'] == 'row'"

# Every kernel for multivectors by name, where it runs here, in the layout that it takes; and a name without
# the operation's.
tulle kernels --json >"$out"
python3 -c '
import json, sys
for k in json.load(open(sys.argv[1]))["kernels"]:
    if k["operation"] == "spmm":
        print(k["name"], "emulated" if k["backend"] == "gpu" else "cpu")' "$out" >"$folder/kernels"
check "kernels to run" test -s "$folder/kernels"
while read -r kernel place; do
    [[ " ${places[*]} " == *" $place "* ]] || continue
    product=(banded:60,9 --on "$place" --json)
    # one that takes no padding
    [[ $kernel != spmm_bsr_tile ]] || product[0]=blocks:4,3
    layout=row
    tulle spmm --check "${product[@]}" --kernel "$kernel" >"$out" 2>&1 || layout=column
    for name in "$kernel" "${kernel#spmm_}"; do
        run 0 tulle spmm --check "${product[@]}" --kernel "$name" --layout $layout
        json_where "d['kernel'] == '$kernel' and d['choice'] == 'forced' and d['err'] <= 1"
    done
done <"$folder/kernels"
bad 'spmv_csr takes no part in this product' tulle spmm p2d5:3 --on cpu --kernel spmv_csr
bad 'spmm_csr takes no part in this product' tulle spmv p2d5:3 --on cpu --kernel spmm_csr

# Other formats: columns one at a time.
run 0 tulle spmm --check random:60,40,5 --on cpu --format sell --layout column --json
json_where "d['kernel'] == 'spmv_sell' and d['k'] == 8 and d['err'] <= 1"
bad 'convert it to CSR, or make X and Y column-major' \
    tulle spmm --check p2d5:3 --on cpu --format sell --layout row

# The result itself: A times two columns, in files, against Python.
run 0 tulle gen p2d5:5,3 a.mtx
run 0 tulle spmm --check a.mtx --on cpu -K 2 --x ones --output ones.mtx
printf '%%%%MatrixMarket matrix array real general\n15 2\n' >x.mtx
seq 1 30 >>x.mtx
run 0 tulle spmm --check a.mtx --on cpu -K 2 --x x.mtx --y ones.mtx --beta 2 --output y.mtx
check "what is printed" grep -Eq 'product +Y = 1 A X \+ 2 Y, 2 vectors by row' "$out"
check "Y is A X + 2 A 1" python3 -c '
rows = [line.split() for line in open("a.mtx") if not line.startswith("%")]
want = [0.0] * 30
for i, j, value in rows[1:]:
    for k in range(2):
        want[int(i) - 1 + 15 * k] += float(value) * (int(j) + 15 * k + 2)
lines = open("y.mtx").read().split("\n")
assert lines[1] == "15 2"
got = [float(line) for line in lines[2:] if line]
assert got == want, (got, want)'
run 0 tulle spmm --check a.mtx --on cpu:3 --layout column -K 2 --x x.mtx --y ones.mtx --beta 2 \
    --output y3.mtx
check "the same numbers by columns" cmp y.mtx y3.mtx
bad 'x.mtx: is 15 x 2, but the multivector must be 15 x 3' \
    tulle spmm --check a.mtx --on cpu -K 3 --x x.mtx
bad "vectors" tulle spmm a.mtx --vectors 0
bad "layout" tulle spmm a.mtx --layout diagonal

# Empty shapes.
for shape in 0,0,0 5,0,0 0,5,0 5,5,0; do
    for layout in row column; do
        run 0 tulle spmm --check "random:$shape" --on cpu --layout "$layout" --json
        json_where "d['err'] == 0"
    done
done
finish
