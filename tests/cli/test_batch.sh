# SPDX-License-Identifier: Apache-2.0
# Many small products at once, at every place that is there.
source "$(dirname "$0")/common.sh"

find_places cpu cpu:2

for place in "${places[@]}"; do
    for how in "" "--format bsr:block=3 --layout column" "--type f32 --vectors 7"; do
        read -ra words <<<"$how"
        run 0 tulle batch --check p2d5:7 --tasks 5 "${words[@]}" --on "$place" --json --repeat 0
        json_where "d['op'] == 'batch' and d['tasks'] == 5 and d['error'] <= 1"
        json_where "d['backend'] == '${place%%:*}' and 'grouped_ms' not in d and d['bytes'] > 0"
    done
done
run 0 tulle batch --check random:50,70,4 --tasks 9 --on cpu --json --repeat 2
json_where "d['one_by_one_ms'] > 0 and d['grouped_ms'] > 0 and 'streams_ms' not in d and 'tasks_ms' not in d"
json_where "d['A']['rows'] == 50 and d['vectors'] == 4"

# The matrix that is multiplied, not the one that was given.
run 0 tulle batch --check p2d5:7 --tasks 2 --on cpu --json --repeat 0
json_where "d['A']['format'] == 'csr'"
run 0 tulle batch --check blocks:4,3 --tasks 2 --on cpu --json --repeat 0 --format bsr:block=4
json_where "d['A']['format'] == 'bsr' and d['A']['rows'] == 108 and d['A']['bytes'] < 12 * d['A']['nnz']"

# Ways that a GPU has, and who did what.
for place in "${places[@]}"; do
    [[ $place == cpu* ]] && continue
    run 0 tulle batch --check blocks:4,3 --tasks 3 --on "$place" --json --repeat 1 --format bsr:block=4
    json_where "all(d[way + '_ms'] > 0 for way in ('grouped', 'streams', 'tasks', 'shared'))"
    json_where "'tasks_lacks' not in d"
    run 0 tulle batch --check p2d5:7 --tasks 3 --on "$place" --json --repeat 1
    json_where "'tasks_ms' not in d and 'its matrix has blocks of 1' in d['tasks_lacks']"
    json_where "0 <= d['by_cpu'] <= 6"
    run 0 tulle batch --check p2d5:7 --tasks 3 --on "$place" --repeat 1
    check "says what published kernels lack" \
        grep -q '^  tasks      left out: .*no published kernel takes task 0 (spmm): ' "$out"
    check "tells who did what" grep -Eq '^  shared     .* times as fast, [0-6] of 6 by the CPU$' "$out"
done

# What people are told.
run 0 tulle batch --check p3d7:6 --tasks 3 --on cpu --repeat 2
for line in 'place     cpu, ' "tasks     3 times Y = A X, then R = Y'Y, 4 vectors by row: " \
    'error     .* of the bound: right$' 'one_by_one .* a task, .* GB/s$' \
    'grouped    .* GB/s, .* times as fast$'; do
    check "line: $line" grep -Eq "^  $line" "$out"
done
run 0 tulle batch p3d7:6 --tasks 3 --on cpu --repeat 0
check "says what was not checked" grep -q '^  error     not checked$' "$out"

bad "batch: --vectors: '33' is not a whole number from 1 to 32" \
    tulle batch --check p3d7:6 --vectors 33
bad "batch: --format: block must be from 1 to 16, in 'block=17'" \
    tulle batch --check blocks:2,2 --format bsr:block=17 --on cpu
bad 'batch: --format: a task takes csr or bsr:block=N, not ell' tulle batch p3d7:6 --format ell --on cpu
run 2 tulle batch --check /nonexistent.mtx
finish
