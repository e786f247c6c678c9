# SPDX-License-Identifier: Apache-2.0
# The benchmark of iterative methods: rows that fit the schema on the CPU and the emulated GPU, what
# is counted, which matrix a method gets, how long it goes on, resuming, and bad input.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
export TULLE_BENCH=$root/bench TULLE_PEERS=$root/lab/peers
quick=(--repeat 2 --seconds 0.001 --peers none)
find_all_places cpu:1

# A grid of 5 x 4 points is positive definite as it comes: 20 rows, 82 entries.
for place in "${places[@]}"; do
    for op in cg bicgstab gmres; do
        run 0 tulle-lab bench --on "$place" --op $op "${quick[@]}" --precond all --json solves.jsonl \
            p2d5:5,4
    done
    check "the heading of $place" \
        grep -q 'p2d5:5,4  A x = b by GMRES(30), jacobi f64 32/32  20 x 20, 82 entries' "$out"
    check "the levels of $place" \
        grep -q 'p2d5:5,4  A x = b by GMRES(30), ilu f64 32/32  20 x 20, 82 entries, 8 levels' \
        "$out"
    check "the parts of $place" grep -q 'of an iteration, .* products alone .*, vectors as copies' \
        "$out"
done
check "the schema holds" python3 "$root/bench/schema.py" solves.jsonl
rows_where solves.jsonl '{row["op"] for row in rows} == {"cg", "bicgstab", "gmres"}' \
    '{row["detail"] for row in rows} == {"none", "jacobi", "ilu"}' \
    'all(row["nnz"] == 82 and row["err"] <= 1 and row["extra_bytes"] > 0 for row in rows)' \
    'all(row["iterations"] % (30 if row["op"] == "gmres" else 10) == 0 for row in rows
        if row["detail"] != "ilu")' \
    'all(0 < row["iterations"] < 20 for row in rows if row["detail"] == "ilu")' \
    'all(row["prep_ms"] > 0 for row in rows if row["detail"] == "ilu")' \
    'all(row["iterations"] < 200 for row in rows if row["op"] == "cg" and row["type"] == "f32")'
# Whole solutions: the choice beside the ways that solve the system.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op solve "${quick[@]}" --json whole.jsonl p2d5:5,4
done
check "the schema holds for whole solutions" python3 "$root/bench/schema.py" whole.jsonl
rows_where whole.jsonl \
    '{row["detail"] for row in rows} == {"chosen", "cg-jacobi", "cg-ic", "cg-amg", "bicgstab-jacobi", "bicgstab-ilu",
                                         "gmres-jacobi", "gmres-ilu"}' \
    'all(row["err"] <= 1 and row["extra_bytes"] > 0 and row["op"] == "solve" for row in rows)'
# Multigrid: setup by phases, update, cycle and solution, and the hierarchy, the same on every place; a matrix of nine rows
# at most is solved by its inverse.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op amg "${quick[@]}" --type f64 --hierarchy coarsest=9 --json amg.jsonl p2d5:7,6
    check "the figures of $place" grep -Eq '^ +tulle_amg_create .*  3  +[12]\.[0-9][0-9]  ' "$out"
done
check "the schema holds for multigrid" python3 "$root/bench/schema.py" amg.jsonl
rows_where amg.jsonl 'len(rows) == len({row["backend"] for row in rows})' \
    'all(row["request"] == "rule for amg with coarsest=9" and row["params"] == "coarsest=9" for row in rows)' \
    'all(0 < row["err"] <= 1 and row["amg_levels"] == len(row["hierarchy"]) == 3 for row in rows)' \
    'len({json.dumps([level[:3] for level in row["hierarchy"]]) for row in rows}) == 1' \
    'all(row["hierarchy"][0][:3] == [42, 184, 0] and row["hierarchy"][-1][0] <= 9 for row in rows)' \
    'all(abs(row["grid_complexity"] - sum(level[0] for level in row["hierarchy"]) / 42) < 1e-12 for row in rows)' \
    'all(abs(row["operator_complexity"] -
         sum(nnz for _, nnz, passed, *_ in row["hierarchy"] if not passed) / 184) < 1e-12 for row in rows)' \
    'all(abs(sum(row[of + "_ms"] for of in ("split", "interpolation", "galerkin", "rest")) - row["prep_ms"])
         <= 1e-9 * row["prep_ms"] and row["rest_ms"] > 0 for row in rows)' \
    'all(abs(sum(level[3 + k] for level in row["hierarchy"]) - row[of + "_ms"]) <= 1e-9 * row["prep_ms"]
         for row in rows for k, of in enumerate(("split", "interpolation", "galerkin")))' \
    'all(abs(row["whole_ms"] - row["prep_ms"] - row["ms"]) <= 1e-9 * row["whole_ms"] for row in rows)' \
    'all(row["update_ms"] > 0 and 0 < row["cycle_ms"] and 1 < row["iterations"] < 20 for row in rows)' \
    'all(row["convergence_factor"] ** row["iterations"] <= 1e-8 for row in rows)' \
    'all(0 < row["held_of_matrix"] <= row["peak_of_matrix"] and row["extra_bytes"] > 0 for row in rows)'
for family in plain smoothed; do
    run 0 tulle-lab bench --on cpu:1 --op amg "${quick[@]}" --type f64 --hierarchy family=$family,coarsest=9 --json $family.jsonl p2d5:9
    rows_where $family.jsonl 'all(row["params"] == "family='$family',coarsest=9" and row["err"] <= 1 for row in rows)' \
        'all(row["hierarchy"][1][0] < 81 / 5 and row["iterations"] < 20 for row in rows)'
done
# Multigrid of nodes: a beam in space, and in a plane, on every place; peers of it stand in test_bench_peers.sh.
for place in "${places[@]}"; do
    run 0 tulle-lab bench --on "$place" --op amg_nodes "${quick[@]}" --type f64 --hierarchy coarsest=20 --json nodes.jsonl \
        box-hex:12x2x2,size=6x1x1 box-quad:16x4,size=4x1
done
check "the schema holds for multigrid of nodes" python3 "$root/bench/schema.py" nodes.jsonl
rows_where nodes.jsonl 'len(rows) == 2 * len({row["backend"] for row in rows})' \
    'all(row["format"] == "bsr" and row["params"] == "coarsest=20" and row["err"] <= 1 for row in rows)' \
    '{(row["matrix"][:8], row["block"], row["rows"]) for row in rows} == {("box-hex:", 3, 351), ("box-quad", 2, 170)}' \
    'all(row["hierarchy"][1][0] % (6 if row["block"] == 3 else 3) == 0 for row in rows)' \
    'all(1 < row["iterations"] < 30 and row["update_ms"] > 0 and row["cycle_ms"] > 0 for row in rows)' \
    'all(0 < row["held_of_matrix"] <= row["peak_of_matrix"] for row in rows)'
bad "--format is not for --op amg_nodes" tulle-lab bench --op amg_nodes --format csr box-hex:2
# Without symmetry by FGMRES; where that does not converge nothing is measured, and why is said.
{
    printf '%%%%MatrixMarket matrix coordinate real general\n40 40 118\n'
    for i in $(seq 1 40); do echo "$i $i 3"; done
    for i in $(seq 2 40); do printf '%d %d -2\n%d %d -0.5\n' "$i" "$((i - 1))" "$((i - 1))" "$i"; done
} >wind.mtx
run 0 tulle-lab bench --on cpu:1 --op amg "${quick[@]}" --json unsymmetric.jsonl wind.mtx random:2000,2000,5
check "says what does not converge" grep -q 'random:2000,2000,5: left out: multigrid with fgmres: not converged' "$err"
rows_where unsymmetric.jsonl '{row["type"] for row in rows} == {"f32", "f64"}' 'all(row["err"] <= 1 for row in rows)'
sed 's/"cycle_ms":[^,]*,/"cycle_ms":null,/' amg.jsonl >changed.jsonl
run 1 python3 "$root/bench/schema.py" changed.jsonl
bad "--hierarchy: there is no option 'degre'; did you mean degree" tulle-lab bench --op amg --hierarchy degre=2 p2d5:4
bad "--hierarchy: 'most' is no value of passing" tulle-lab bench --op amg --hierarchy passing=most p2d5:4
bad "--hierarchy: 'rough' is no value of family" tulle-lab bench --op amg --hierarchy family=rough p2d5:4
bad "--hierarchy: 'degree' is not NAME=VALUE" tulle-lab bench --op amg --hierarchy degree p2d5:4
bad '--hierarchy is not for --op cg' tulle-lab bench --op cg --hierarchy degree=2 p2d5:4
cat >count.py <<'PYTHON'
import json
for row in map(json.loads, open("solves.jsonl")):
    value = {"f32": 4, "f64": 8}[row["type"]]
    products, numbers, jacobi, ilu = {"cg": (1, 10, 2, 2), "bicgstab": (2, 18, 5, 1),
                                      "gmres": (1, 34, 2, 0)}[row["op"]]
    vectors = 20 * value * (numbers + {"none": 0, "jacobi": jacobi, "ilu": ilu}[row["detail"]])
    entries, passes = (82, 1) if row["detail"] != "ilu" else (82 + 31 + 51, 3)
    once = entries * (value + 4) + passes * (21 * 4 + 2 * 20 * value)
    least = products * once + vectors
    whole = row["prep_ms"] + row["iterations"] * row["ms"]
    assert abs(row["whole_ms"] - whole) < 1e-9 * whole, row
    parts = row["product_ms"] + 1e-6 * vectors / row["copy_gbs"]
    assert abs(row["gbs"] - 1e-6 * least / row["ms"]) < 1e-9 * row["gbs"], row
    assert abs(row["floor"] - row["gbs"] / row["copy_gbs"]) < 1e-9, row
    assert abs(row["parts_ms"] - parts) < 1e-9 * parts, row
    assert abs(row["of_parts"] - parts / row["ms"]) < 1e-9, row
PYTHON
check "what is worked out" python3 count.py
run 0 tulle-lab bench --on cpu:1 --op cg "${quick[@]}" --precond all --resume solves.jsonl p2d5:5,4
check "nothing is measured again" grep -q ' 0 new measurements' "$err"

# CG is for symmetric matrices; what is not dominant becomes so, with a diagonal where there was none.
cat >symmetric.mtx <<'EOM'
%%MatrixMarket matrix coordinate real symmetric
40 40 41
EOM
for i in $(seq 2 40); do echo "$i $((i - 1)) -3" >>symmetric.mtx; done
printf '1 1 1\n40 1 2\n' >>symmetric.mtx
run 0 tulle-lab bench --on cpu:1 --op cg "${quick[@]}" --type f64 --json made.jsonl symmetric.mtx
rows_where made.jsonl 'len(rows) == 1 and rows[0]["nnz"] == 40 + 80 and rows[0]["err"] <= 1'
run 0 tulle-lab bench --on cpu:1 --op cg "${quick[@]}" --type f64 random:40,40,3
check "says what is not symmetric" grep -q 'random:40,40,3: left out: A is not symmetric' "$err"
run 0 tulle-lab bench --on cpu:1 --op bicgstab "${quick[@]}" --type f64 --json any.jsonl random:40,40,3
rows_where any.jsonl 'len(rows) == 1 and rows[0]["err"] <= 1'

# A method that is done at once cannot be measured.
cat >ones.mtx <<'EOM'
%%MatrixMarket matrix coordinate real general
2 2 2
1 1 1
2 2 1
EOM
run 0 tulle-lab bench --on cpu:1 --op cg "${quick[@]}" --type f64 ones.mtx
check "says what is done too early" grep -q 'left out: cg is done before iteration 10' "$err"

# Faults that the schema must find.
for change in '"err":[^,]*,/"err":2,' '"iterations":/"iteration":' '"of_parts":/"of_parts":-'; do
    sed "1s/$change/" solves.jsonl >changed.jsonl
    run 1 python3 "$root/bench/schema.py" changed.jsonl
done

bad '--precond is not for --op trisolve' tulle-lab bench --op trisolve --precond jacobi p2d5:4
bad '--vectors is not for --op cg' tulle-lab bench --op cg --vectors 2 p2d5:4
bad '--kernel: --op cg has no kernels' tulle-lab bench --on cpu:1 --op cg -k csr p2d5:4
run 2 tulle-lab bench --on cpu:1 --op gmres "${quick[@]}" --type f64 random:9,7,2
check "says what is not square" grep -q 'random:9,7,2: 9 x 7 is not square' "$err"
finish
