# SPDX-License-Identifier: Apache-2.0
# The benchmark of operations that make matrices: rows that fit the schema on the CPU and the
# emulated GPU, products, memory and phases, resuming, kernels by name, and bad input.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
export TULLE_BENCH=$root/bench TULLE_PEERS=$root/lab/peers
quick=(--repeat 2 --seconds 0.001 --peers none)

# The square of a grid: every kernel once, the default as the rule. 5 x 4 points have 20 + 2 * 31
# entries; products and entries of the square are counted by hand below.
find_all_places cpu:2
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op spgemm "${quick[@]}" --json=rows.jsonl p2d5:5,4
    check "the heading of $place" grep -q 'p2d5:5,4  C = A A f64' "$out"
    check "phases of $place" grep -q 'phases of a call' "$out"
done
check "the schema holds" python3 "$root/bench/schema.py" rows.jsonl
cat >count.py <<'PYTHON'
import json
points = [(x, y) for x in range(5) for y in range(4)]
near = {p: [q for q in points if abs(p[0] - q[0]) + abs(p[1] - q[1]) <= 1] for p in points}
products = sum(len(near[q]) for p in points for q in near[p])
entries = sum(len({r for q in near[p] for r in near[q]}) for p in points)
for row in map(json.loads, open("rows.jsonl")):
    assert row["products"] == products and row["nnz_c"] == entries, row
    assert abs(row["compression"] - products / entries) < 1e-9, row
    assert abs(row["gflops"] - 2e-6 * products / row["ms"]) < 1e-9 * row["gflops"], row
    value = {"f32": 4, "f64": 8}[row["type"]]
    least = sum(4 * 21 + (4 + value) * count for count in (row["nnz"], entries))
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
    assert abs(row["floor"] - row["gbs"] / row["copy_gbs"]) < 1e-9, row
    assert row["peak_bytes"] >= 4 * 21 + (4 + value) * entries, row
    assert row["samples"] >= 2 and row["err"] <= 1 and row["sorted"] and not row["pooled"], row
    phases = sum(row[name + "_ms"] for name in
                 ("operands", "analysis", "count", "allocate", "compute", "finish"))
    assert 0 < phases <= row["phases_ms"] * 1.001, row
PYTHON
check "what is counted and worked out" python3 count.py
rows_where rows.jsonl \
    '{row["type"] for row in rows} == {"f32", "f64"}' \
    'sorted({row["kernel"] for row in rows if row["backend"] == "cpu"}) ==
     ["spgemm_auto", "spgemm_hash", "spgemm_spa"]' \
    'all((row["choice"] == "rule") == (row["kernel"] == "spgemm_auto") for row in rows)' \
    'all(row["request"].endswith(" for spgemm") for row in rows)'

# Kernels by name; the default alone.
run 0 tulle-lab bench --on cpu:1 --op spgemm "${quick[@]}" --type f64 -k spgemm_auto -k hash --json \
    random:50,40,3 --with p2d5:8,5
cp "$out" with.jsonl
check "the schema holds with B" python3 "$root/bench/schema.py" with.jsonl
rows_where with.jsonl '[row["kernel"] for row in rows] == ["spgemm_auto", "spgemm_hash"]' \
    'all(row["second"] == "p2d5:8,5" and row["choice"] == "forced" for row in rows)' \
    'all(row["request"].endswith("for spgemm with p2d5:8,5") for row in rows)'

# Nothing is measured twice, and a product with vectors is another measurement.
run 0 tulle-lab bench --on cpu:2 --op spgemm "${quick[@]}" --resume rows.jsonl p2d5:5,4
check "nothing is measured again" grep -q ' 0 new measurements' "$err"
run 0 tulle-lab bench --on cpu:2 "${quick[@]}" --type f64 --resume rows.jsonl p2d5:5,4
check "products with vectors are" grep -qE ' [1-9][0-9]* new measurements' "$err"

# Sums, of one matrix and of two.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op add "${quick[@]}" --json added.jsonl --type f64 p2d5:6
    check "the heading of a sum on $place" grep -q "p2d5:6  C = A + B f64 .*B: A's rows moved down" \
        "$out"
    run 0 tulle-lab bench --on "$place" --op add "${quick[@]}" --json added.jsonl --type f64 \
        random:30,50,4 --with random:30,50,2
    check "the heading of two matrices' sum on $place" grep -q "random:30,50,4  C = A + B" "$out"
done
check "the schema holds for sums" python3 "$root/bench/schema.py" added.jsonl
rows_where added.jsonl 'len(rows) == 2 * len({row["backend"] for row in rows})' \
    'all(row["kernel"] == "tulle_add" and row["op"] == "add" and row["err"] <= 1 for row in rows)' \
    'all(row["products"] is None or row["products"] == 0 for row in rows)'
# Without a B, of patterns that differ: in the grid's inner rows two of five places meet.
rows_where added.jsonl 'all(1.4 * row["nnz"] < row["nnz_c"] < 1.8 * row["nnz"] for row in rows if row["matrix"] == "p2d5:6")' \
    'all(row["second"] for row in rows)'
# A sum on a pattern that is shared takes C's values and no more.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op add_values "${quick[@]}" --json shared.jsonl --type f64 p2d5:6
    check "the heading of a sum of values on $place" grep -q "p2d5:6  C = A + A, values alone f64" "$out"
done
check "the schema holds for sums of values" python3 "$root/bench/schema.py" shared.jsonl
rows_where shared.jsonl 'all(row["nnz_c"] == row["nnz"] and row["err"] <= 1 for row in rows)' \
    'all(abs(row["gbs"] * row["ms"] - 16e-6 * row["nnz"]) < 1e-9 for row in rows)' \
    'all(row["peak_bytes"] == 8 * row["nnz"] and row["extra_bytes"] == 0 for row in rows if row["backend"] == "cpu")'
# Entries that two matrices share, and a triangle: of an entry in the grid's inner rows one of two.
for place in "${places[@]}"; do
    for op in entrywise part; do
        run 0 tulle-lab bench --on "$place" --op $op "${quick[@]}" --json some.jsonl --type f64 p2d5:6
    done
    check "the heading of a part on $place" grep -q "p2d5:6  C = lower part of A f64" "$out"
done
check "the schema holds for entries of a matrix" python3 "$root/bench/schema.py" some.jsonl
rows_where some.jsonl 'len(rows) == 2 * len({row["backend"] for row in rows})' \
    'all(row["err"] == 0 and 0 < row["nnz_c"] < row["nnz"] for row in rows)' \
    'all(2 * row["nnz_c"] == row["nnz"] + 36 for row in rows if row["op"] == "part")'
# Triangles of a graph: C has an entry for each edge that is a side of one and joins its ends.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op masked "${quick[@]}" --json masked.jsonl --type f64 rmat:6,6
    check "the heading of a masked product on $place" grep -q "rmat:6,6  C = (L L) on L f64" "$out"
done
check "the schema holds for masked products" python3 "$root/bench/schema.py" masked.jsonl
rows_where masked.jsonl 'len(rows) == len({row["backend"] for row in rows})' \
    'all(row["kernel"] == "masked_rows" and row["choice"] == "rule" for row in rows)' \
    'all(row["err"] == 0 and 0 < row["nnz_c"] < row["nnz"] < row["products"] for row in rows)'
bad "--with is not for --op masked" tulle-lab bench --op masked p2d5:4 --with p2d5:4
bad "--with is not for --op add_values" tulle-lab bench --op add_values p2d5:4 --with p2d5:4
run 2 tulle-lab bench --on cpu:1 --op add "${quick[@]}" --type f64 p2d5:6 --with p2d5:5
check "says what cannot be added" grep -q 'A is 36 x 36 and B 25 x 25: A + B does not exist' "$err"

# The transpose: no products, no kernels, no phases.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op transpose "${quick[@]}" --json turned.jsonl --type f64 \
        p2d5:6 random:30,50,4
    check "the heading of $place" grep -q "random:30,50,4  C = A' f64" "$out"
done
check "the schema holds for transposes" python3 "$root/bench/schema.py" turned.jsonl
rows_where turned.jsonl 'len(rows) == 2 * len({row["backend"] for row in rows})' \
    'all(row["kernel"] == "tulle_mat_transpose" and row["err"] == 0 for row in rows)' \
    'all(row["nnz_c"] == row["nnz"] and row["products"] == 0 for row in rows)' \
    'all("gflops" not in row and "count_ms" not in row for row in rows)' \
    'all(row["peak_bytes"] >= 8 * row["nnz"] for row in rows)' \
    'all(row["peak_bytes"] >= 4 * (row["cols"] + 1) + 12 * row["nnz"] for row in rows if row["matrix"][0] == "r")'

# Values alone: C is made once, and its values over and over.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op update "${quick[@]}" --json updates.jsonl --type f64 p2d5:6
    check "the heading of $place" grep -q 'p2d5:6  C = A A, values alone f64' "$out"
done
check "the schema holds for updates" python3 "$root/bench/schema.py" updates.jsonl
rows_where updates.jsonl 'len(rows) == len({row["backend"] for row in rows})' \
    'all(row["kernel"] == "spgemm_update" and row["err"] <= 1 for row in rows)' \
    'all(row["nnz_c"] > row["nnz"] and row["gflops"] > 0 for row in rows)'

# Products in blocks, and their values alone, beside those of the same matrices in CSR.
for place in "${places[@]}"; do
    for op in blocks blocks_update; do
        run 0 tulle-lab bench --on "$place" --op $op "${quick[@]}" --peers tulle --json $op.jsonl --type f64 \
            --format bsr:block=3 blocks:3,2
        check "the heading of $op on $place" grep -q 'blocks:3,2  C = A A in blocks.* f64' "$out"
    done
done
for op in blocks blocks_update; do
    check "the schema holds for $op" python3 "$root/bench/schema.py" $op.jsonl
    rows_where $op.jsonl 'all(row["err"] <= 1 and row["block"] == 3 and row["format"] == "bsr" for row in rows)' \
        'len({(row["nnz_c"], row["products"]) for row in rows}) == 1' 'all(row["gflops"] > 0 for row in rows)'
done
rows_where blocks.jsonl 'all(row["kernel"].startswith("blocks_") for row in rows if row["choice"] == "rule")' \
    '{row["kernel"] for row in rows if row["choice"] == "peer" and row["backend"] == "cpu"} == {"tulle_numbers"}' \
    'all(row["choice"] != "forced" for row in rows)'
rows_where blocks_update.jsonl \
    'all(row["kernel"] == "spgemm_update" for row in rows if row["choice"] == "rule")' \
    'all(row["kernel"].startswith("blocks_") for row in rows if row["choice"] == "forced")' \
    '{row["kernel"] for row in rows if row["choice"] == "peer" and row["backend"] == "cpu"} == {"tulle_numbers_update"}'
run 0 tulle-lab bench --on cpu:1 --op blocks "${quick[@]}" --peers none --json two.jsonl --type f64 \
    --format bsr:block=2 --format bsr:block=4 --format bsr:block=3 blocks:4,2
rows_where two.jsonl '[row["block"] for row in rows] == [2, 4]'
check "says which blocks have padding" grep -q 'left out: blocks of 3 x 3 with padding' "$err"
run 0 tulle-lab bench --on cpu:1 --op blocks "${quick[@]}" --peers none --resume two.jsonl --type f64 \
    --format bsr:block=2 --format bsr:block=4 blocks:4,2
check "nothing is measured again" grep -q ' 0 new measurements' "$err"
run 0 tulle-lab bench --on cpu:1 --op blocks "${quick[@]}" --peers none --type f64 p2d5:6
check "says where no blocks of several rows pay" grep -q 'p2d5:6: left out: blocks of 1 x 1; ' "$err"
bad '--op blocks takes bsr:block=N, not csr' tulle-lab bench --op blocks --format csr blocks:3,2
bad '--with is not for --op blocks' tulle-lab bench --op blocks --with p2d5:4 blocks:3,2

# Triple products, beside two.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op galerkin "${quick[@]}" --peers tulle --json triples.jsonl \
        --type f64 p3d7:4 --with interp3:4
    check "the heading of P' A P on $place" grep -q "p3d7:4  C = P' A P f64" "$out"
done
check "the schema holds for triple products" python3 "$root/bench/schema.py" triples.jsonl
rows_where triples.jsonl 'all(row["err"] <= 1 and row["second"] == "interp3:4" for row in rows)' \
    '{row["kernel"] for row in rows if row["choice"] == "peer" and row["backend"] == "cpu"} == {"tulle_two_products"}' \
    'all(row["kernel"] == "spgemm_auto" for row in rows if row["choice"] == "rule")' \
    'len({row["nnz_c"] for row in rows}) == 1'
run 2 tulle-lab bench --on cpu:1 --op galerkin "${quick[@]}" --type f64 p2d5:6 --with p2d5:5
check "says what cannot be multiplied" grep -q "A is 36 x 36 and P 25 x 25: P' A P does not exist" "$err"

# Faults that the schema must find.
for change in '"err":0,/"err":2,' '"broken":false/"broken":true' '"pooled":false,/' \
    '"analysis_ms":/"analysis":' '"bound_bytes":[0-9]*/"bound_bytes":1' \
    '"predicted_bytes":[0-9]*/"predicted_bytes":1'; do
    sed "1s/$change/" rows.jsonl >changed.jsonl
    run 1 python3 "$root/bench/schema.py" changed.jsonl
done

bad '--with is not for --op spmv' tulle-lab bench --on cpu:1 --with p2d5:4 p2d5:4
bad '--with is not for --op transpose' tulle-lab bench --op transpose --with p2d5:4 p2d5:4
bad '--trans is not for --op spgemm' tulle-lab bench --on cpu:1 --op spgemm --trans t p2d5:4
bad '--vectors is not for --op spgemm' tulle-lab bench --on cpu:1 --op spgemm --vectors 4 p2d5:4
bad "no kernel 'spgemm_hush' on this place; did you mean spgemm_hash" \
    tulle-lab bench --on cpu:1 --op spgemm -k spgemm_hush p2d5:4
bad "no operation 'spgem'; did you mean spgemm?" tulle-lab bench --op spgem p2d5:4
run 2 tulle-lab bench --on cpu:1 --op spgemm "${quick[@]}" --type f64 p2d5:4 --with none.mtx
run 2 tulle-lab bench --on cpu:1 --op spgemm "${quick[@]}" --type f64 --with p2d5:4 random:9,7,2
check "says what does not fit" grep -q 'A is 9 x 7 and B 16 x 16: A B does not exist' "$err"

# What takes too long is left out, and said, on every place; the rest of the run goes on.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op spgemm "${quick[@]}" --give-up 0.0000001 --json late.jsonl p2d5:30 p2d5:31
    check "says what is left out on $place" grep -q 'p2d5:30 f64 rule for spgemm: left out: it took longer than 1e-07 s' "$err"
done
check "the schema holds of what is left out" python3 "$root/bench/schema.py" late.jsonl
rows_where late.jsonl \
    'all(row["choice"] == "refused" and "longer than" in row["reason"] for row in rows)' \
    '{row["matrix"] for row in rows} == {"p2d5:30", "p2d5:31"}' \
    '{row["kernel"] for row in rows if row["backend"] == "cpu"} == {"spgemm_auto", "spgemm_hash", "spgemm_spa"}'
run 0 tulle-lab bench --on cpu:1 --op spgemm "${quick[@]}" --give-up 3600 -k hash --json intime.jsonl p2d5:30
rows_where intime.jsonl 'all(row["choice"] == "forced" and row["ms"] > 0 for row in rows)'
bad '--give-up is not for --op spmv' tulle-lab bench --on cpu:1 --give-up 1 p2d5:4
bad '--give-up: the time is not negative' tulle-lab bench --on cpu:1 --op spgemm --give-up -1 p2d5:4
finish
