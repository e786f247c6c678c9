#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Runs examples of PETSc's own, by one process and by two, with PETSc's types and with tulle's, and prints a table of
# iterations; exits with 1 where these are others than they should be. With ROUNDS, times of a product follow.
# Usage: petsc/examples.sh LIBPETSCTULLE [FOLDER [ROUNDS]]
# FOLDER has the sources (src/ksp/ksp/tutorials/ex2.c, ...); where none is given, those of Debian's package
# libpetsc3.18-dev-examples are looked for. The times are the least of ROUNDS products with the example's matrix, by two
# processes, PETSc's and tulle's in turn (petsc/products.c).
set -euo pipefail
plugin=$(realpath "$1")
sources=${2:-$(compgen -G '/usr/share/petsc/*/share/petsc/examples/src' | tail -n 1 || true)}
rounds=${3:-0}
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
if [[ ! -e $sources/ksp/ksp/tutorials/ex2.c ]]; then
    echo "skipped: examples of PETSc's: their sources are not here (Debian: libpetsc3.18-dev-examples)"
    exit 0
fi
folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT

# An example, its arguments, and the option that names the type of its matrices.
cases=(
    "ksp/ksp/tutorials/ex2|-m 60 -n 60|-mat_type"
    "ksp/ksp/tutorials/ex10|-f0 $folder/system|-mat_type"
    "ksp/ksp/tutorials/ex45|-da_refine 2|-dm_mat_type"
    "snes/tutorials/ex5|-da_refine 3|-dm_mat_type"
    "snes/tutorials/ex19|-da_refine 2|-dm_mat_type"
)
read -ra flags <<<"$(pkg-config --cflags --libs PETSc) -lm"
for case in "${cases[@]}"; do
    name=${case%%|*}
    mpicc -O2 -w "$sources/$name.c" -o "$folder/${name//\//-}" "${flags[@]}"
done

# A and b of ex10, in PETSc's binary form: 9 points around each of a grid, and a flow.
python3 - "$folder/system" <<'PYTHON'
import struct
import sys
SIDE = 40
rows = []
for i in range(SIDE * SIDE):
    x, y = i % SIDE, i // SIDE
    near = [(x + dx, y + dy) for dy in (-1, 0, 1) for dx in (-1, 0, 1)]
    near = [(c, r) for c, r in near if 0 <= c < SIDE and 0 <= r < SIDE]
    rows.append([(r * SIDE + c, 8.0 if (c, r) == (x, y) else -1 + 0.2 * (c - x)) for c, r in near])
entries = [entry for row in rows for entry in row]
with open(sys.argv[1], "wb") as out:
    out.write(struct.pack(">4i", 1211216, len(rows), len(rows), len(entries)))
    out.write(struct.pack(f">{len(rows)}i", *map(len, rows)))
    out.write(struct.pack(f">{len(entries)}i", *(column for column, _ in entries)))
    out.write(struct.pack(f">{len(entries)}d", *(value for _, value in entries)))
    out.write(struct.pack(f">2i{len(rows)}d", 1211214, len(rows), *[1.0] * len(rows)))
PYTHON

# Prints the number of solutions, the number of iterations of all, and "yes" where all converge.
iterations() {
    mpirun -n "$1" "$folder/${2//\//-}" "${@:3}" -dll_append "$plugin" -ksp_converged_reason 2>&1 |
        awk '/Linear.* solve/ {n++; sum += $NF; bad += !/converged due to CONVERGED/}
             END {print n + 0, sum + 0, bad || !n ? "no" : "yes"}'
}

failures=0
expect() { # WHAT FOUND LEAST MOST
    (($2 >= $3 && $2 <= $4)) && return
    echo "FAILED: $1: $2 iterations, not $3 to $4" >&2
    failures=$((failures + 1))
}

echo "| example | processes | solutions | PETSc | \`aijtulle\` | \`tulle\`, ilu | \`tulle\`, amg |"
echo "|---|---|---|---|---|---|---|"
for case in "${cases[@]}"; do
    IFS='|' read -r name given type <<<"$case"
    read -ra arguments <<<"$given"
    alone=0
    for processes in 1 2; do
        read -r solutions stock fine < <(iterations "$processes" "$name" "${arguments[@]}")
        read -r _ own own_fine < <(iterations "$processes" "$name" "${arguments[@]}" "$type" aijtulle)
        read -r _ ilu ilu_fine < <(iterations "$processes" "$name" "${arguments[@]}" -pc_type tulle)
        read -r others amg amg_fine < <(iterations "$processes" "$name" "${arguments[@]}" -pc_type tulle -pc_tulle_kind amg)
        short=${name/\/tutorials/}
        echo "| ${short/ksp\/ksp/ksp} | $processes | $solutions | $stock | $own | $ilu | $amg |"
        [[ $fine$own_fine$ilu_fine$amg_fine == yesyesyesyes ]] || expect "$name: not all converge" 0 1 1
        expect "$name, aijtulle, $processes processes" "$own" $((stock - solutions)) $((stock + solutions))
        expect "$name, ilu, $processes processes" "$ilu" $((stock - solutions)) $((stock + solutions))
        [[ $processes == 1 ]] && alone=$amg
        expect "$name, amg, $processes processes" "$amg" 1 $((alone + 2 * others))
    done
done

if ((rounds > 0)); then
    mpicc -O2 "$(dirname "$(realpath "$0")")/products.c" -o "$folder/products" "${flags[@]}"
    echo
    echo "| a product, two processes | PETSc, us | \`aijtulle\`, us | PETSc / tulle |"
    echo "|---|---|---|---|"
    for case in "ksp/ksp/tutorials/ex2|-m 300 -n 300" "ksp/ksp/tutorials/ex2|-m 1000 -n 1000" \
        "ksp/ksp/tutorials/ex45|-da_grid_x 45 -da_grid_y 45 -da_grid_z 45" \
        "ksp/ksp/tutorials/ex45|-da_grid_x 100 -da_grid_y 100 -da_grid_z 100"; do
        IFS='|' read -r name given <<<"$case"
        read -ra arguments <<<"$given"
        "$folder/${name//\//-}" "${arguments[@]}" -ksp_type richardson -pc_type none -ksp_max_it 1 \
            -ksp_view_mat "binary:$folder/matrix" >"$folder/said" 2>&1
        read -r stock own < <(mpirun -n 2 "$folder/products" -f "$folder/matrix" -rounds "$rounds" -dll_append "$plugin")
        short=${name/ksp\/ksp\/tutorials/ksp}
        ratio=$(awk -v a="$stock" -v b="$own" 'BEGIN {printf "%.2f", a / b}')
        echo "| $short, \`${arguments[*]}\` | $stock | $own | $ratio |"
    done
fi
exit $((failures > 0))
