# SPDX-License-Identifier: Apache-2.0
# The benchmark of operations on given arrays: rows that fit the schema on the CPU and the emulated
# GPU, what is counted, each way to ask, resuming, kernels by name, and bad input.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
export TULLE_BENCH=$root/bench TULLE_PEERS=$root/lab/peers
quick=(--repeat 2 --seconds 0.001 --peers none)
find_all_places cpu:2

# Triangles. Rows of a grid of 5 x 4 points wait for those on the left and below: 5 + 4 - 1 levels;
# 31 entries stand beside the diagonal, and 20 on it.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op trisolve "${quick[@]}" --part both --vectors 1,3 \
        --json solves.jsonl p2d5:5,4
    check "the heading of $place" \
        grep -q 'p2d5:5,4  T X = B, upper, 3 by row f64 32/32  20 x 20, 82 entries, 8 levels' "$out"
    check "what converting takes has a column where a kernel of $place converts" test \
        "$(grep -q 'error  *convert$' "$out"; echo $?)" = "$([[ $place == emulated ]]; echo $?)"
done
check "the schema holds for triangles" python3 "$root/bench/schema.py" solves.jsonl
rows_where solves.jsonl '{row["detail"] for row in rows} == {"lower", "upper"}' \
    'all(row["levels"] == 8 and row["prep_ms"] > 0 and row["err"] <= 1 for row in rows)' \
    'all((row["choice"] == "rule") == (row["kernel"] == "tulle_trisolve") for row in rows)' \
    '{"trisolve_rows", "trisolve_levels"} <= {row["kernel"] for row in rows}' \
    'all(row["request"].endswith(" of 3 by row") == (row["k"] == 3) for row in rows)'
rows_where solves.jsonl \
    'all(row["convert_ms"] > 0 for row in rows if row["kernel"] == "trisolve_columns")' \
    'min((row["convert_ms"] / row["ms_q90"] for row in rows if "convert_ms" in row), default=0) < 1' \
    'not any("convert_ms" in row for row in rows if row["kernel"] != "trisolve_columns")' \
    '("trisolve_columns" in {row["kernel"] for row in rows}) ==
     ("emulated" in {row["backend"] for row in rows})'
cat >count.py <<'PYTHON'
import json
for row in map(json.loads, open("solves.jsonl")):
    value, k = {"f32": 4, "f64": 8}[row["type"]], row["k"]
    least = 51 * (value + 4) + 21 * 4 + 2 * 20 * k * value
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
    assert abs(row["floor"] - row["gbs"] / row["copy_gbs"]) < 1e-9, row
    assert abs(row["gflops"] - 1e-6 * k * (2 * 31 + 20) / row["ms"]) < 1e-9 * row["gflops"], row
PYTHON
check "what is worked out" python3 count.py

# Transposed triangles wait for those on the other side, as many; what stood in the file is not
# measured again, what has another transposition is.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op trisolve "${quick[@]}" --part both --vectors 1,3 \
        --trans t --format csr --format bsr:block=2 --json turned.jsonl p2d5:5,4
    check "the heading of transposed triangles on $place" \
        grep -q "p2d5:5,4  T' X = B, lower, 3 by row f64 32/32" "$out"
done
check "the schema holds for transposed triangles" python3 "$root/bench/schema.py" turned.jsonl
rows_where turned.jsonl \
    '{(row["detail"], row["k"], row["block"], row["trans"]) for row in rows} ==
     {(part, k, block, "t") for part in ("lower", "upper") for k in (1, 3) for block in (1, 2)}' \
    'all(row["levels"] == 8 and row["prep_ms"] > 0 and 0 < row["err"] <= 1 for row in rows if row["block"] == 1)' \
    'all(row["err"] <= 1 for row in rows)' 'all(row["trans"] == "n" for row in map(json.loads, open("solves.jsonl")))'
run 0 tulle-lab bench --on cpu:2 --op trisolve "${quick[@]}" --trans both --type f64 --resume turned.jsonl \
    --json both.jsonl p2d5:5,4
rows_where both.jsonl 'len(rows) > 1 and all(row["trans"] == "n" for row in rows)'
run 0 tulle-lab bench --on cpu:2 --op trisolve "${quick[@]}" --trans both --type f64 --json both.jsonl p2d5:5,4
rows_where both.jsonl '{row["trans"] for row in rows} == {"n", "t"}'

# Blocks, a diagonal that is not there, one kernel by name, and nothing twice.
run 0 tulle-lab bench --on cpu:1 --op trisolve "${quick[@]}" --type f64 --format bsr:block=3 --format csr \
    -k rows --json blocks.jsonl random:12,12,3
check "the schema holds for blocks" python3 "$root/bench/schema.py" blocks.jsonl
rows_where blocks.jsonl '[(row["block"], row["kernel"]) for row in rows] ==
    [(3, "trisolve_rows"), (1, "trisolve_rows")]' \
    'rows[0]["request"] == "forced trisolve_rows for trisolve as lower in bsr:block=3"'
run 0 tulle-lab bench --on cpu:2 --op trisolve "${quick[@]}" --part both --vectors 1,3 \
    --resume solves.jsonl p2d5:5,4
check "nothing is measured again" grep -q ' 0 new measurements' "$err"

# Factors, of both kinds, of numbers and of blocks; L L' of blocks is left out and said.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op factor "${quick[@]}" --kind both --format csr \
        --format bsr:block=2 --json factors.jsonl p2d5:5,4
    check "$place says what is left out" grep -q "p2d5:5,4: left out: L L' is for CSR" "$err"
done
check "the schema holds for factors" python3 "$root/bench/schema.py" factors.jsonl
rows_where factors.jsonl \
    '{(row["detail"], row["block"]) for row in rows} == {("lu", 1), ("lu", 2), ("cholesky", 1)}' \
    'all(row["prep_ms"] > 0 and row["extra_bytes"] > 0 and row["err"] <= 1 for row in rows)' \
    'all(row["levels"] == 8 and row["gflops"] is None for row in rows if row["block"] == 1)' \
    'all((row["choice"] == "rule") == (row["kernel"] == "tulle_factor_update") for row in rows)'
cat >count_factors.py <<'PYTHON'
import json
for row in map(json.loads, open("factors.jsonl")):
    value = {"f32": 4, "f64": 8}[row["type"]]
    entries = {"lu": 82, "cholesky": 51}[row["detail"]]
    least = entries * (4 + 2 * value) + 21 * 4
    assert row["block"] == 2 or abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what a factor's floor is" python3 count_factors.py
run 0 tulle-lab bench --on cpu:2 --op factor "${quick[@]}" --kind both --format csr \
    --resume factors.jsonl p2d5:5,4
check "no factor is measured again" grep -q ' 0 new measurements' "$err"

# Complete factors, whose operations are counted, in two orders; no other library's are there.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op factor "${quick[@]}" --fill all --format csr \
        --format bsr:block=2 --json filled.jsonl p2d5:5,4
done
check "the schema holds for complete factors" python3 "$root/bench/schema.py" filled.jsonl
rows_where filled.jsonl \
    '{(row["detail"], row["block"]) for row in rows} ==
    {("filled_amd", 1), ("filled_amd", 2), ("filled_nd", 1), ("filled_nd", 2)}' \
    'all(row["gflops"] > 0 and row["levels"] > 0 and row["err"] <= 1 for row in rows)'

# Fill of a level: a grid's factors get two diagonals within the band, one by one, then the whole band.
rm -f levels.jsonl
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op factor "${quick[@]}" --fill 1 --kind both --json levels.jsonl p2d5:5,4
    check "the heading of levels on $place" \
        grep -q 'p2d5:5,4  factors of A, values alone, cholesky_levels, fill of level 1 f64' "$out"
    run 0 tulle-lab bench --on "$place" --op factor "${quick[@]}" --fill 2 --format csr --format bsr:block=2 \
        --json levels.jsonl p2d5:5,4
done
check "the schema holds for levels of fill" python3 "$root/bench/schema.py" levels.jsonl
rows_where levels.jsonl \
    '{(row["detail"], row["fill"], row["block"]) for row in rows} ==
     {("lu_levels", 1, 1), ("cholesky_levels", 1, 1), ("lu_levels", 2, 1), ("lu_levels", 2, 2)}' \
    'all(row["err"] <= 1 and row["prep_ms"] > 0 and row["levels"] >= 8 for row in rows if row["block"] == 1)' \
    'all((" with fill %d" % row["fill"]) in row["request"] for row in rows)'
cat >count_levels.py <<'PYTHON'
import json
# Grids of 5 x 4 points: 31 entries below the diagonal, and 4 x 3 more of level 1.
for row in map(json.loads, open("levels.jsonl")):
    value = {"f32": 4, "f64": 8}[row["type"]]
    if row["fill"] > 1:
        continue
    a, factors = {"lu_levels": (82, 82 + 2 * 12), "cholesky_levels": (51, 51 + 12)}[row["detail"]]
    least = (a + factors) * (4 + value) + 21 * 4
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what is worked out for levels" python3 count_levels.py
run 0 tulle-lab bench --on cpu:2 --op factor "${quick[@]}" --fill 1 --kind both --resume levels.jsonl p2d5:5,4
check "no level is measured again" grep -q ' 0 new measurements' "$err"
run 0 tulle-lab bench --on cpu:2 --op factor "${quick[@]}" --fill 0 --type f64 --resume factors.jsonl p2d5:5,4
check "no fill is what there is without --fill" grep -q ' 0 new measurements' "$err"
bad "bench: --fill: 'some' is neither a level from 0 on nor all" tulle-lab bench --op factor --fill some p2d5:4
run 2 tulle-lab bench --op trisolve --fill all p2d5:5,4
check "who takes --fill" grep -q -- '--fill is not for --op trisolve' "$err"

# Sums of rows and columns, and both scaled: 82 entries in 20 rows, of 8 bytes and 4 for an index.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op row_sums "${quick[@]}" --trans both --type f64 \
        --json rows_scaled.jsonl p2d5:5,4
    run 0 tulle-lab bench --on "$place" --op mat_scale "${quick[@]}" --type f64 \
        --json rows_scaled.jsonl p2d5:5,4
done
check "the schema holds for sums of rows" python3 "$root/bench/schema.py" rows_scaled.jsonl
rows_where rows_scaled.jsonl 'len(rows) == 3 * len({row["backend"] for row in rows})' \
    'all(row["err"] <= 1 for row in rows)' \
    'all(abs(row["gbs"] * row["ms"] - 1e-6 * {"row_sums": 82 * 8 + 20 * 8 + 21 * 4 +
         (82 * 4 if row["trans"] == "t" else 0), "mat_scale": 82 * 20 + 21 * 4 + 40 * 8}[row["op"]]) < 1e-9
         for row in rows)'

# Vectors: lengths instead of matrices; one way to have numbers on the host and one on the device.
for place in "${places[@]}"; do
    for op in dot axpy axpby scale copy multiply divide norm2 norm_max multivector_dot \
        multivector_axpy; do
        run 0 tulle-lab bench --on "$place" --op $op "${quick[@]}" --vectors 1,3 --layout row,column \
            --json vectors.jsonl 100 7
    done
    check "the heading of $place" grep -q '^7  Y + X A, device, 3 by column f64$' "$out"
done
check "the schema holds for vectors" python3 "$root/bench/schema.py" vectors.jsonl
rows_where vectors.jsonl '{row["op"]: 0 for row in rows}.keys() ==
    {"dot", "axpy", "axpby", "scale", "copy", "multiply", "divide", "norm2", "norm_max",
     "multivector_dot", "multivector_axpy"}' \
    'all(row["err"] <= 1 and row["choice"] == "rule" and "format" not in row for row in rows)' \
    'all({row["detail"] for row in rows if row["op"] == op} == {"host", "device"}
         for op in ("dot", "axpy", "axpby", "scale", "norm2", "norm_max"))' \
    'all({row["detail"] for row in rows if row["op"] == op} == {"device"}
         for op in ("copy", "multiply", "divide", "multivector_dot", "multivector_axpy"))' \
    'all(row["err"] == 0 for row in rows if row["op"] in ("copy", "norm_max"))' \
    'any(row["err"] > 0 for row in rows if row["op"] == "divide")'
cat >count_vectors.py <<'PYTHON'
import json
for row in map(json.loads, open("vectors.jsonl")):
    value, n, k = {"f32": 4, "f64": 8}[row["type"]], int(row["matrix"]), row["k"]
    numbers, flops = {"dot": (2 * n * k + k, 2 * n * k), "axpy": (3 * n * k, 2 * n * k),
                      "axpby": (3 * n * k, 3 * n * k), "scale": (2 * n * k, n * k),
                      "copy": (2 * n * k, None), "multiply": (3 * n * k, n * k),
                      "divide": (3 * n * k, n * k), "norm2": (n * k + k, 2 * n * k),
                      "norm_max": (n * k + k, None),
                      "multivector_dot": (2 * n * k + k * k, 2 * n * k * k),
                      "multivector_axpy": (3 * n * k + k * k, 2 * n * k * k)}[row["op"]]
    assert abs(row["gbs"] - 1e-6 * numbers * value / row["ms"]) < 1e-9 * row["gbs"], row
    if flops is None:
        assert row["gflops"] is None, row
    else:
        assert abs(row["gflops"] - 1e-6 * flops / row["ms"]) < 1e-9 * row["gflops"], row
PYTHON
check "what is worked out for vectors" python3 count_vectors.py

# Tall multivectors, whose Q and R are looked at; fewer rows than columns are left out, and said.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op qr "${quick[@]}" --vectors 1,3 --layout row,column \
        --json tall.jsonl 100 2
    check "the heading of $place" grep -q '^100  X = Q R, 3 by column f64$' "$out"
    check "$place says what is left out" grep -q '2: left out: X = Q R: 2 rows are fewer' "$err"
done
check "the schema holds for tall multivectors" python3 "$root/bench/schema.py" tall.jsonl
rows_where tall.jsonl 'all(row["err"] <= 1 and row["extra_bytes"] > 0 for row in rows)' \
    '{(row["matrix"], row["k"]) for row in rows} == {("100", 1), ("100", 3), ("2", 1)}' \
    '{row["kernel"] for row in rows} == {"tulle_vec_qr"}'
cat >count_tall.py <<'PYTHON'
import json
for row in map(json.loads, open("tall.jsonl")):
    value, n, k = {"f32": 4, "f64": 8}[row["type"]], int(row["matrix"]), row["k"]
    flops = 4 * n * k * k - 4 * k * k * k / 3
    assert abs(row["gbs"] - 1e-6 * 2 * n * k * value / row["ms"]) < 1e-9 * row["gbs"], row
    assert abs(row["gflops"] - 1e-6 * flops / row["ms"]) < 1e-9 * row["gflops"], row
PYTHON
check "what is worked out for tall multivectors" python3 count_tall.py

# Assembly: a number of unknowns gives the nearest cube, here 6^3 nodes with (3 * 6 - 2)^3 entries,
# and in blocks of 3 4^3 nodes.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op assemble "${quick[@]}" --json assembled.jsonl 200
    check "the heading of $place" grep -q '^200  A = sum of elements, bsr f64$' "$out"
done
check "the schema holds for assembly" python3 "$root/bench/schema.py" assembled.jsonl
rows_where assembled.jsonl '{row["detail"] for row in rows} == {"csr", "interleaved", "ell", "bsr"}' \
    'all(row["err"] <= 1 and row["prep_ms"] > 0 and row["extra_bytes"] > 0 for row in rows)' \
    '{(row["rows"], row["nnz"], row["block"]) for row in rows} == {(216, 4096, 1), (192, 9000, 3)}'
cat >count_assembled.py <<'PYTHON'
import json
for row in map(json.loads, open("assembled.jsonl")):
    value, m = {"f32": 4, "f64": 8}[row["type"]], 8 * row["block"]
    elements = 27 if row["block"] == 3 else 125
    least = (elements * m * m + row["nnz"]) * value + elements * 8 * 4
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what is worked out for assembly" python3 count_assembled.py

# Values and loads from coordinates: 6^3 nodes, or 14^2 of quadrilaterals.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op diffusion "${quick[@]}" --json diffusion.jsonl 200
done
check "the schema holds for diffusion" python3 "$root/bench/schema.py" diffusion.jsonl
rows_where diffusion.jsonl 'all(row["err"] <= 1 and row["prep_ms"] > 0 and row["extra_bytes"] > 0 for row in rows)' \
    '{(row["detail"], row["rows"], row["nnz"]) for row in rows} == {("general", 216, 4096), ("boxes", 216, 4096),
      ("tetrahedra", 216, 2446), ("quadrilaterals", 196, 1600), ("load", 216, 4096)}'
cat >count_diffusion.py <<'PYTHON'
import json
for row in map(json.loads, open("diffusion.jsonl")):
    value = {"f32": 4, "f64": 8}[row["type"]]
    nodes = {"quadrilaterals": 169 * 4, "tetrahedra": 750 * 4}.get(row["detail"], 125 * 8)
    made = row["rows"] if row["detail"] == "load" else row["nnz"]
    least = nodes * 4 + row["rows"] * (2 if row["detail"] == "quadrilaterals" else 3) * 8 + made * value
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what is worked out for diffusion" python3 count_diffusion.py

# The local matrix approach, on the same box.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op local "${quick[@]}" --json local.jsonl 200
    check "$place says what is left out" grep -q '200: left out: numbers in f32 under' "$err"
done
check "the schema holds for local matrices" python3 "$root/bench/schema.py" local.jsonl
rows_where local.jsonl '{row["detail"] for row in rows if row["type"] == "f64"} ==
    {"full", "packed", "narrow", "products", "patches", "colours", "atomic", "assembled"}' \
    'all(row["detail"] != "narrow" for row in rows if row["type"] == "f32")' \
    'all(row["err"] <= 1 and row["prep_ms"] > 0 and row["extra_bytes"] > 0 for row in rows)'
cat >count_local.py <<'PYTHON'
import json
for row in map(json.loads, open("local.jsonl")):
    value = {"f32": 4, "f64": 8}[row["type"]]
    cells = {"packed": 36 * value, "products": 36 * value, "narrow": 36 * 4}.get(row["detail"], 64 * value)
    least = 125 * (cells + 8 * 4) + 2 * 216 * value
    if row["detail"] == "assembled":
        least = 4096 * (value + 4) + 217 * 4 + 2 * 216 * value
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what is worked out for local matrices" python3 count_local.py

# The matrix of a mesh, all ways to have it: 64 nodes and 27 cells, of which ELL has 27 slots a row.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op matrix_free "${quick[@]}" --json free.jsonl box-hex:3
    check "$place says what is left out of meshes" \
        grep -q 'box-hex:3: left out: numbers in f32 under' "$err"
done
run 0 tulle-lab bench --on cpu:2 --op matrix_free "${quick[@]}" --type f64 --json free.jsonl \
    box-tri:3,perturb=0.2 lshape-tet:2x1 box-hex27:1 box-hex27:2x1x1,perturb=0.2
check "the schema holds for meshes" python3 "$root/bench/schema.py" free.jsonl
rows_where free.jsonl '{row["detail"] for row in rows if row["type"] == "f64"} ==
    {"matrix_free", "atomic", "local", "packed", "narrow", "csr", "ell", "hyb", "optimised"}' \
    'all(row["detail"] != "narrow" for row in rows if row["type"] == "f32")' \
    'len({row["nnz"] for row in rows if row["matrix"] == "box-hex:3"}) == 1' \
    'all(row["err"] <= 1 and row["prep_ms"] > 0 and row["extra_bytes"] > 0 for row in rows)'
cat >count_free.py <<'PYTHON'
import json
for row in map(json.loads, open("free.jsonl")):
    if row["matrix"] != "box-hex:3" or row["detail"] in ("hyb", "optimised"):
        continue
    value = {"f32": 4, "f64": 8}[row["type"]]
    least = {"csr": 1000 * (value + 4) + 65 * 4, "ell": 64 * 27 * (value + 4),
             "local": 27 * (64 * value + 32), "packed": 27 * (36 * value + 32),
             "narrow": 27 * (36 * 4 + 32)}.get(row["detail"], 6 * value + 27 + 27 * 16)
    assert abs(row["gbs"] - 1e-6 * (least + 2 * 64 * value) / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what is worked out for meshes" python3 count_free.py
run 2 tulle-lab bench --on cpu:2 --op matrix_free "${quick[@]}" box-hexagon:3
check "a mesh that nobody makes" grep -q 'box-hexagon' "$err"
run 2 tulle-lab bench --on cpu:2 --op matrix_free "${quick[@]}" --format csr box-hex:3
check "formats of meshes" grep -q -- '--format is not for --op matrix_free' "$err"
for op in batch_dot batch_axpy; do
    run 0 tulle-lab bench --on cpu:2 --op $op "${quick[@]}" --vectors 1,5 --layout row,column \
        --json many.jsonl 3x70 40
done
check "the schema holds for many at once" python3 "$root/bench/schema.py" many.jsonl
rows_where many.jsonl '{row["matrix"] for row in rows} == {"3x70", "40"}' \
    '{row["detail"] for row in rows if row["op"] == "batch_dot"} == {"grouped", "streams", "tasks", "grid"}' \
    '{row["detail"] for row in rows if row["op"] == "batch_axpy"} ==
     {"grouped", "streams", "tasks", "shuffles", "grid"}' \
    'all(row["err"] <= 1 for row in rows)'
for place in "${places[@]}"; do
    for op in batch_spmm batch_spmm_transposed; do
        run 0 tulle-lab bench --on "$place" --op $op "${quick[@]}" --vectors 3 --layout row,column \
            --type f64 --json cubes.jsonl 2x9
        name=$([[ $op == batch_spmm ]] && echo 'A X' || echo "A'X")
        check "the heading of many products" grep -q "^2x9  $name, many, grouped, 3 by row f64\$" "$out"
    done
done
check "the schema holds for many products" python3 "$root/bench/schema.py" cubes.jsonl
# The nearest cube of 9 has 8 points, each with 3 neighbours and itself: 32 blocks of 9 numbers.
rows_where cubes.jsonl 'all(0 < row["err"] <= 1 and row["rows"] == 24 for row in rows)' \
    '{row["op"] for row in rows} == {"batch_spmm", "batch_spmm_transposed"}' \
    'all(abs(row["gbs"] * row["ms"] * 1e6 / (2 * (32 * (72 + 4) + 9 * 4 + 2 * 24 * 3 * 8)) - 1) < 1e-9
         for row in rows)' \
    'all(abs(row["gflops"] * row["ms"] * 1e6 / (2 * 2 * 32 * 27) - 1) < 1e-9 for row in rows)'
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op batch_mixed "${quick[@]}" --vectors 1,3 --type f64 \
        --json mixed.jsonl 4x60
done
check "the schema holds for mixed sizes" python3 "$root/bench/schema.py" mixed.jsonl
rows_where mixed.jsonl '{row["detail"] for row in rows} == {"grouped", "streams", "tasks", "joined"}' \
    'all(row["err"] <= 1 for row in rows)' 'len({row["rows"] / row["k"] for row in rows}) == 1'
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op batch_shared "${quick[@]}" --vectors 1,4 --type f64 \
        --json shared.jsonl 5x80
done
check "the schema holds for a shared queue" python3 "$root/bench/schema.py" shared.jsonl
rows_where shared.jsonl '{row["detail"] for row in rows} == {"grouped", "shared"}' \
    'all(0 < row["err"] <= 1 for row in rows)'
run 0 tulle-lab bench --on cpu:2 --op batch_factor "${quick[@]}" --vectors 1,5 --format csr \
    --format bsr:block=4 --json factors_many.jsonl blocks:4,3
check "the schema holds for many factors" python3 "$root/bench/schema.py" factors_many.jsonl
rows_where factors_many.jsonl '{row["detail"] for row in rows} == {"grouped", "streams", "tasks", "grid"}' \
    '{row["format"] for row in rows} == {"csr", "bsr"}' '{row["k"] for row in rows} == {1, 5}' \
    'all(row["err"] <= 1 for row in rows)'
for place in "${places[@]}"; do
    for op in batch_lu batch_solve; do
        run 0 tulle-lab bench --on "$place" --op $op "${quick[@]}" --vectors 3 --layout row,column \
            --type f64 --json filled_cubes.jsonl 2x8
    done
    check "the heading of many solutions" grep -q '^2x8  A X = B, many, grouped, 3 by row f64$' "$out"
done
check "the schema holds for many factors" python3 "$root/bench/schema.py" filled_cubes.jsonl
rows_where filled_cubes.jsonl 'all(0 < row["err"] <= 1 and row["gflops"] > 0 for row in rows)' \
    'all(row["levels"] > 0 and row["prep_ms"] > 0 and row["extra_bytes"] > 0 for row in rows)'
run 0 tulle-lab bench --on cpu:2 --op dot "${quick[@]}" --resume vectors.jsonl 7
check "no vector is measured again" grep -q ' 0 new measurements' "$err"

# Batches of small systems on the pattern of a grid: 20 rows, 82 entries.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op uniform "${quick[@]}" --vectors 1,4 --layout row,column \
        --json batches.jsonl p2d5:5,4
    check "the heading of the batch on $place" \
        grep -q 'p2d5:5,4  A x = b in a uniform batch, bicgstab, 4 by column f64' "$out"
done
check "the schema holds for batches" python3 "$root/bench/schema.py" batches.jsonl
rows_where batches.jsonl '{row["detail"] for row in rows} == {"spmv", "bicgstab", "gmres", "ilu"}' \
    'all(row["err"] <= 1 and row["prep_ms"] > 0 and row["choice"] == "rule" for row in rows)' \
    '{(row["k"], row["layout"]) for row in rows} == {(1, "column"), (4, "row"), (4, "column")}'
cat >count_batches.py <<'PYTHON'
import json
for row in map(json.loads, open("batches.jsonl")):
    value, k = {"f32": 4, "f64": 8}[row["type"]], row["k"]
    least = k * (82 + 2 * 20) * value + (82 + 21) * 4
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
PYTHON
check "what is worked out for batches" python3 count_batches.py
run 0 tulle-lab bench --on cpu:2 --op uniform "${quick[@]}" --peers tulle --type f64 --vectors 8 \
    --layout column --json peers.jsonl p2d5:5,4
rows_where peers.jsonl '{row["detail"] for row in rows if row["kernel"] == "tulle_one_by_one"} ==
    {"bicgstab", "gmres", "ilu"}' 'all(row["err"] <= 1 for row in rows)'
run 0 tulle-lab bench --on cpu:1 --op uniform "${quick[@]}" --type f64 p2d5:40
check "says what is too large" grep -q 'p2d5:40: left out: systems of a uniform batch are in CSR' "$err"

# Dense matrices: factors, made of a copy, and solutions with them. More than 32 rows are refused.
for place in "${places[@]}"; do
    for op in uniform_lu uniform_cholesky; do
        run 2 tulle-lab bench --on "$place" --op $op "${quick[@]}" --vectors 1,3 --layout row,column \
            --json dense.jsonl 2 7 33 0 p2d5:4
        for size in 33 0 p2d5:4; do
            check "$place says that $size is none" \
                grep -q "$size: --op $op takes numbers of rows, from 1 to 32$" "$err"
        done
    done
    check "the heading of dense matrices on $place" \
        grep -q "^7  A = L L' of many dense A, solve, 3 by column f64$" "$out"
done
check "the schema holds for dense matrices" python3 "$root/bench/schema.py" dense.jsonl
rows_where dense.jsonl 'all(row["err"] <= 1 for row in rows)' \
    'any(row["err"] > 0 for row in rows if row["detail"] == "factor")' \
    'any(row["err"] > 0 for row in rows if row["detail"] == "solve")' \
    '{(row["kernel"], row["detail"]) for row in rows} ==
    {(f"tulle_uniform_{what}", how) for what in ("lu", "cholesky") for how in ("factor", "solve")}'
cat >count_dense.py <<'PYTHON'
import json
for row in map(json.loads, open("dense.jsonl")):
    value, k, n = {"f32": 4, "f64": 8}[row["type"]], row["k"], int(row["matrix"])
    lu, factor = row["op"] == "uniform_lu", row["detail"] == "factor"
    touched = n * n if lu else n * (n + 1) // 2
    numbers = 2 * n * n + 2 * touched if factor else touched + 2 * n
    least = k * (numbers * value + (4 * n if lu else 0))
    # LU: of the rows below each pivot's a quotient, and their squares twice; L L': half, and roots.
    flops = (sum(m + 2 * m * m for m in range(n)) if lu
             else sum(1 + m + m * (m + 1) for m in range(n)))
    if not factor:
        flops = 2 * n * n - (n if lu else 0)
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
    assert abs(row["gflops"] - 1e-6 * k * flops / row["ms"]) < 1e-9 * row["gflops"], row
PYTHON
check "what is worked out for dense matrices" python3 count_dense.py

# All operations of batches: sizes go to those that take sizes, matrices to the other.
run 0 tulle-lab bench --on cpu:1 --op batch "${quick[@]}" --type f64 --vectors 2 --json all.jsonl 2x8 \
    blocks:2,2
rows_where all.jsonl 'len(set(row["op"] for row in rows)) == 9' \
    'all(row["op"].startswith("batch_") and row["err"] <= 1 and row["k"] == 2 for row in rows)' \
    'all((row["matrix"] == "blocks:2,2") == (row["op"] == "batch_factor") for row in rows)'
run 0 tulle-lab bench --on cpu:1 --op batch "${quick[@]}" --type f64 --vectors 2 --resume all.jsonl 2x8 \
    blocks:2,2
check "each resumes" test "$(grep -c ' 0 new measurements' "$err")" -eq 9
run 0 tulle-lab bench --on cpu:1 --op batch "${quick[@]}" --minutes 0.000000001
check "sizes of their own" test "$(grep -c '1 of 1 matrices not begun' "$err")" -eq 9
bad 'bench: --op batch: give a size, too, as 32x1000, or name one of the batch_... that takes p2d5:4' \
    tulle-lab bench --on cpu:1 --op batch p2d5:4
bad 'bench: --op batch: give a matrix, too, as blocks:4,12, or name one of the batch_... that takes 2x8' \
    tulle-lab bench --on cpu:1 --op batch 2x8
bad '--format is not for --op batch_dot' tulle-lab bench --on cpu:1 --op batch --format csr

# Faults that the schema must find.
for change in '"err":[^,]*,/"err":2,' '"levels":8,/' '"detail":"/"details":"' '"prep_ms":/"prep":'; do
    sed "1s/$change/" solves.jsonl >changed.jsonl
    run 1 python3 "$root/bench/schema.py" changed.jsonl
done

bad "bench: --op: there is no operation 'spmv_bsr'; did you mean --op spmv --format bsr:block=N?" \
    tulle-lab bench --op spmv_bsr
bad "bench: --op: there is no operation 'uniforn'; did you mean uniform?" tulle-lab bench --op uniforn
bad "bench: --op: there is no operation 'nonsense'; there are spmv, spmm, spmm_bsr, batch, " \
    tulle-lab bench --op nonsense
bad '--kind is not for --op trisolve' tulle-lab bench --op trisolve --kind both p2d5:4
bad 'bench: --fill all: is of --kind lu alone' tulle-lab bench --op factor --fill all --kind cholesky p2d5:4
bad "bench: --format: L L' is of csr alone, not bsr:block=2; see --kind lu" \
    tulle-lab bench --on cpu:1 --op factor --kind cholesky --format bsr:block=2 p2d5:4
bad '--vectors is not for --op factor' tulle-lab bench --op factor --vectors 2 p2d5:4
bad '--format is not for --op dot' tulle-lab bench --op dot --format csr 10
bad '--kernel: --op axpy has no kernels' tulle-lab bench --on cpu:1 --op axpy -k csr 10
run 2 tulle-lab bench --on cpu:1 --op dot "${quick[@]}" p2d5:4
check "says what is no length" grep -q 'p2d5:4: --op dot takes lengths of vectors, as 1000' "$err"
run 2 tulle-lab bench --on cpu:1 --op batch_dot "${quick[@]}" 3y70
check "says what is no batch" grep -q '3y70: --op batch_dot takes lengths of vectors, as 128x1000' "$err"
for op in batch_dot batch_axpy qr; do
    bad "^tulle: bench: --vectors: --op $op takes up to 32, not 33" \
        tulle-lab bench --on cpu:1 --op $op --vectors 1,33 --json none.jsonl 100
    check "nothing was measured" [ ! -e none.jsonl ]
done
bad '--part is not for --op spmv' tulle-lab bench --on cpu:1 --part upper p2d5:4
bad '--trans is not for --op factor' tulle-lab bench --on cpu:1 --op factor --trans t p2d5:4
bad '--op trisolve takes csr and bsr:block=N, not ell' \
    tulle-lab bench --on cpu:1 --op trisolve --format ell p2d5:4
bad '--op trisolve takes csr and bsr:block=N, not all' \
    tulle-lab bench --on cpu:1 --op trisolve --format all p2d5:4
bad "no kernel 'trisolve_row' on this place; did you mean trisolve_rows" \
    tulle-lab bench --on cpu:1 --op trisolve -k trisolve_row p2d5:4
run 2 tulle-lab bench --on cpu:1 --op trisolve "${quick[@]}" --type f64 random:9,7,2
check "says what is not square" grep -q 'random:9,7,2: 9 x 7 is not square' "$err"
finish
