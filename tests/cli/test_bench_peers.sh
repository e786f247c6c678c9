#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tulle-lab bench: other libraries compute the same products, and one that is not there does no harm.
set -u
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export COLUMNS=1000 TULLE_BENCH="$root/bench" TULLE_PEERS="$root/lab/peers"

fail() {
    echo "FAIL: $*"
    exit 1
}

"$TULLE_LAB" bench --on cpu:2 --repeat 1 --seconds 0.001 --trans both -k csr_seq --json="$work/rows" \
    --type f32 random:40,70,3 >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
python3 "$root/bench/schema.py" "$work/rows" || fail "rows of peers do not fit the schema"
! grep -q WRONG "$work/out" || fail "a peer's result is wrong: $(cat "$work/out")"
for peer in eigen librsb scipy; do
    grep -q "\"kernel\":\"$peer" "$work/rows" || grep -q "peer.*$peer\|without $peer" "$work/err" ||
        "$TULLE_LAB" bench --on cpu:1 --peers $peer p2d:5 2>&1 | grep -q "no peer '$peer'" ||
        fail "nothing about $peer"
    grep -q "\"kernel\":\"$peer" "$work/rows" || echo "skipped: the peer $peer: it is not there"
done

# What makes a matrix, from one matrix and from two.
rm -f "$work/made"
"$TULLE_LAB" bench --on cpu:2 --op spgemm --repeat 2 --seconds 0.001 --json="$work/made" p2d:7 \
    >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
"$TULLE_LAB" bench --on cpu:2 --op spgemm --repeat 2 --seconds 0.001 --json="$work/made" --type f64 \
    random:40,70,3 --with random:70,30,4 >"$work/out" 2>>"$work/err" || fail "$(cat "$work/err")"
"$TULLE_LAB" bench --on cpu:2 --op add --repeat 2 --seconds 0.001 --json="$work/made" --type f64 \
    random:40,70,3 --with random:40,70,4 >>"$work/out" 2>>"$work/err" || fail "$(cat "$work/err")"
"$TULLE_LAB" bench --on cpu:2 --op transpose --repeat 2 --seconds 0.001 --json="$work/made" \
    random:40,70,3 >>"$work/out" 2>>"$work/err" || fail "$(cat "$work/err")"
python3 "$root/bench/schema.py" "$work/made" || fail "rows of peers do not fit the schema"
! grep -q WRONG "$work/out" "$work/err" || fail "a peer's C is wrong: $(cat "$work/out")"
for peer in graphblas mkl scipy; do
    grep -q "without $peer" "$work/err" && echo "skipped: the peer $peer makes no C: it is not there" && continue
    [ "$(grep -c "\"kernel\":\"${peer}_spgemm\".*\"sorted\":true" "$work/made")" = 3 ] ||
        fail "$peer made no sorted C"
    [ "$(grep -c "\"kernel\":\"${peer}_transpose\".*\"err\":0," "$work/made")" = 2 ] ||
        fail "$peer made no transpose"
    grep -q "\"kernel\":\"${peer}_add\".*\"err\":0" "$work/made" ||
        fail "$peer made no sum"
    grep -q '^tulle / best peer, f64, without a pool, class .*, of 1$' "$work/out" ||
        fail "no word on the best peer: $(cat "$work/out")"
done
# What acts on given arrays: triangles, also transposed, with one right-hand side and several in both layouts,
# factors, which MKL has of f64, and tall multivectors, which it has by column. Of the larger upper
# triangle its inspected solve multiplies by zero what stands in X.
rm -f "$work/acted"
for what in '--op trisolve --part both --trans both --vectors 1,3 --layout row,column random:40,40,3' \
    '--op trisolve --part upper random:300,300,5' '--op factor random:40,40,3' \
    '--op factor --fill all random:40,40,3' '--op assemble 500' \
    '--op qr --vectors 1,3 --layout row,column 50'; do
    # shellcheck disable=SC2086 # several words
    "$TULLE_LAB" bench --on cpu:2 $what --repeat 2 --seconds 0.001 --json="$work/acted" \
        >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
    ! grep -q WRONG "$work/out" "$work/err" || fail "a peer's result is wrong: $(cat "$work/out")"
done
python3 "$root/bench/schema.py" "$work/acted" || fail "rows of peers of actions do not fit the schema"
for peer in mkl:mkl_trisolve:26 mkl:mkl_trisolve_optimized:26 mkl:mkl_dcsrilu0:1 mkl:mkl_geqrf_orgqr:4 \
    scipy:scipy_trisolve:26 scipy:scipy_assemble:2 scipy:scipy_spilu:2 scipy:scipy_splu:2; do
    IFS=: read -r library name count <<<"$peer"
    grep -q "\"kernel\":\"${library}_" "$work/rows" "$work/made" || continue
    [ "$(grep -c "\"kernel\":\"$name\"" "$work/acted")" = "$count" ] || fail "$name has not $count rows"
done

# scikit-fem's matrices of meshes, in f64: of every shape, and not the right-hand side.
rm -f "$work/fem"
"$TULLE_LAB" bench --on cpu:2 --op diffusion --repeat 2 --seconds 0.001 --peers scikit-fem \
    --json="$work/fem" 300 >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
if grep -q 'without scikit-fem' "$work/err"; then
    echo "skipped: the peer skfem: it is not there"
else
    [ "$(grep -c '"kernel":"skfem"' "$work/fem")" = 4 ] || fail "skfem has not 4 rows"
    ! grep -q WRONG "$work/out" "$work/err" || fail "a peer's result is wrong: $(cat "$work/out")"
fi

# Iterative methods: Eigen's of both types, PETSc's of f64.
rm -f "$work/solved"
for op in cg bicgstab gmres; do
    "$TULLE_LAB" bench --on cpu:2 --op $op --precond jacobi --repeat 2 --seconds 0.001 \
        --json="$work/solved" p2d:12 >"$work/out" 2>>"$work/err" || fail "$(cat "$work/err")"
    ! grep -q WRONG "$work/out" "$work/err" || fail "a peer's solution is wrong: $(cat "$work/out")"
done
python3 "$root/bench/schema.py" "$work/solved" || fail "rows of peers of methods do not fit the schema"
for peer in eigen_cg:2 eigen_bicgstab:2 petsc_cg:1 petsc_bicgstab:1 petsc_gmres:1; do
    IFS=: read -r name count <<<"$peer"
    library=${name%%_*}
    grep -q "without $library" "$work/err" && echo "skipped: the peer $name: it is not there" && continue
    [ "$library" = petsc ] || grep -q "\"kernel\":\"${library}_" "$work/rows" || continue
    [ "$(grep -c "\"kernel\":\"$name\"" "$work/solved")" = "$count" ] || fail "$name has not $count rows"
done

# Other libraries' multigrid: one way of each script, and one whose printed statistics are read.
rm -f "$work/amg"
"$TULLE_LAB" bench --on cpu:2 --op amg --repeat 1 --seconds 0.001 --type f64 --json="$work/amg" \
    --peers petsc_gamg,petsc_hypre_hmis,pyamg_classical p2d:20 >"$work/out" 2>"$work/err" || fail "$(cat "$work/err")"
! grep -q WRONG "$work/out" "$work/err" || fail "a peer's solution is wrong: $(cat "$work/out")"
python3 "$root/bench/schema.py" "$work/amg" || fail "rows of peers of multigrid do not fit the schema"
# Of nodes, with an odd number of nodes for two processes, and the rigid motions: without these GAMG takes more than 40 iterations.
"$TULLE_LAB" bench --on cpu:2 --op amg_nodes --repeat 1 --seconds 0.001 --type f64 --json="$work/amg" \
    --peers petsc_gamg_nodes,pyamg_nodes box-hex:12x4x4,size=3x1x1 >"$work/out" 2>>"$work/err" || fail "$(cat "$work/err")"
! grep -q WRONG "$work/out" "$work/err" || fail "a peer's solution is wrong: $(cat "$work/out")"
python3 "$root/bench/schema.py" "$work/amg" || fail "rows of peers of multigrid do not fit the schema"
for name in petsc_gamg petsc_hypre_hmis pyamg_classical petsc_gamg_nodes pyamg_nodes; do
    grep -q "without ${name%%_*}" "$work/err" && echo "skipped: the peer $name: it is not there" && continue
    python3 -c '
import json, sys
row = next(row for row in map(json.loads, open(sys.argv[1])) if row["kernel"] == sys.argv[2])
assert row["op"] == "amg" or row["matrix"].startswith("box") and row["block"] == 3, row
assert row["amg_levels"] > 1 and 1 < row["operator_complexity"] < 9 and 1 < row["grid_complexity"] < 3, row
assert 0 < row["iterations"] < 40 and row["cycle_ms"] > 0 and row["prep_ms"] > 0, row' "$work/amg" $name ||
        fail "$name tells nothing of its hierarchy"
done

"$TULLE_LAB" bench --on cpu:1 --op spgemm --repeat 1 --seconds 0.001 --type f64 -k spa --peers graphblas \
    p2d:5 >"$work/out" 2>"$work/err" || fail "one peer by its library: $(cat "$work/err")"
TULLE_GRAPHBLAS=/nonexistent "$TULLE_LAB" bench --on cpu:1 --op spgemm --repeat 1 --seconds 0.001 \
    --type f64 -k spa --peers graphblas p2d:5 >"$work/out" 2>"$work/err" ||
    fail "a missing peer ends the run"
grep -q "without graphblas: .*TULLE_GRAPHBLAS" "$work/err" || fail "no word: $(cat "$work/err")"

PATH=/nonexistent "$TULLE_LAB" bench --on cpu:1 --op cg --precond jacobi --repeat 1 --seconds 0.001 --type f64 \
    --peers petsc p2d:5 >"$work/out" 2>"$work/err" || fail "a missing mpiexec ends the run"
grep -q "without petsc: mpiexec cannot be started (is it in PATH?)" "$work/err" ||
    fail "no word on mpiexec: $(cat "$work/err")"
TULLE_PYTHON=/nonexistent/python "$TULLE_LAB" bench --on cpu:1 --repeat 1 --seconds 0.001 --type f64 \
    -k csr_seq --peers scipy p2d:5 >"$work/out" 2>"$work/err" || fail "a missing peer ends the run"
grep -q "without scipy: .*TULLE_PYTHON" "$work/err" || fail "no word on scipy: $(cat "$work/err")"
