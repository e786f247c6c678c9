# SPDX-License-Identifier: Apache-2.0
# Systems and products whose rows are shared by threads, or by processes of a launcher of MPI.
source "$(dirname "$0")/common.sh"

find_places cpu

# apart A B: the largest difference of two arrays, of the largest number.
cat >"$folder/apart.py" <<'PYTHON'
import sys
a, b = ([float(line) for line in open(path).read().split("\n")[2:] if line] for path in sys.argv[1:3])
assert len(a) == len(b) > 0
assert max(abs(x - y) for x, y in zip(a, b)) <= float(sys.argv[3]) * max(abs(x) for x in a), "apart"
PYTHON

for place in "${places[@]}"; do
    run 0 tulle solve p2d5:9,7 --on "$place" -b random -o alone.mtx --json -p jacobi
    for more in '' '-p jacobi' '-m gmres -p ilu' '-m bicgstab -p none --type f32' '-p chebyshev:3' '-m minres -p block-jacobi:3' '-p amg'; do
        # shellcheck disable=SC2086
        run 0 tulle solve p2d5:9,7 --on "$place" --ranks 3 --json $more
        json_where "d['processes'] == 3 and d['converged'] and d['right'] is True"
        json_where "d['residual'] <= d['limit'] * (1 + 1e-12) and d['solved']['rows'] == 63"
        json_where "len(d['history']) == d['iterations'] + 1 and d['a']['matrix'] == 'p2d5:9,7'"
    done
    for ranks in 2 3; do
        # What one process finds; the same bits in each run.
        run 0 tulle solve p2d5:9,7 --on "$place" --ranks $ranks -b random -p jacobi -o shared.mtx
        check "the solution of one process" python3 "$folder/apart.py" alone.mtx shared.mtx 1e-6
        run 0 tulle solve p2d5:9,7 --on "$place" --ranks $ranks -b random -p jacobi -o again.mtx
        check "the same bits" cmp shared.mtx again.mtx
    done
    # More members than rows, several right-hand sides, a matrix and b of files, a guess.
    run 0 tulle solve p2d5:1 --on "$place" --ranks 3 --json -p ilu
    json_where "d['right'] and d['processes'] == 3"
    run 0 tulle solve p2d5:6 --on "$place" --ranks 2 --json -K 3 -b random
    json_where "d['right'] and d['vectors'] == 3"
    run 0 tulle gen random:40,40,3 a.mtx
    run 0 tulle solve tile:p2d5:4:2 --on "$place" --ranks 3 -o x.mtx
    run 0 tulle solve tile:p2d5:4:2 x.mtx --guess x.mtx --on "$place" --ranks 2 --json
    json_where "d['right'] and d['guess'] == 'x.mtx' and d['b'] == 'x.mtx'"
    run 0 tulle gen p2d5:8 grid.mtx
    run 0 tulle solve grid.mtx --on "$place" --ranks 3 --json
    json_where "d['right'] and d['a']['source'] == 'real'"
    # Products and solutions, measured.
    rm -f rows.jsonl
    run 0 tulle bench p2d5:9 --on "$place" --ranks 2 --seconds 0.001 --repeat 2 --json=rows.jsonl
    check "two types" test "$(wc -l <rows.jsonl)" = 2
    run 0 tulle bench p2d5:5 --op solve --on "$place" --ranks 2 --type f64 --seconds 0.001 --repeat 1 --json=rows.jsonl
    check "eight ways more" test "$(wc -l <rows.jsonl)" = 10
    check "rows of the schema" python3 "$here/../../bench/schema.py" rows.jsonl
    check "all by two" test "$(grep -c '"processes":2' rows.jsonl)" = 10
done

# Multigrid follows the diagonal where that is too weak.
run 0 tulle solve p2d5:260 --on cpu --ranks 2 --json
json_where "d['attempts'][0]['outcome'] == 'MOST_ITERATIONS' and d['right']"
json_where "d['precond'] == 'amg:2' and d['iterations'] < 50 and 'as long as multigrid' in d['why']['precond']"

# What does not converge, and what is refused.
run 1 tulle solve p2d5:20 --on cpu --ranks 2 --max-iterations 3 --json
json_where "not d['converged'] and d['outcome'] == 'MOST_ITERATIONS' and d['right'] is None"
bad 'nosuch: no such file' tulle solve nosuch --ranks 3 --on cpu
bad 'is 40 x 30, not square' tulle solve random:40,30,3 --ranks 2 --on cpu
bad 'only one process has standard input' tulle solve - --ranks 2 --on cpu
bad '--mixed: not where' tulle solve p2d5:9 --ranks 2 --mixed
bad 'a mesh: not where' tulle solve box-hex:3 --ranks 2
bad '--kernel: not where' tulle bench p2d5:9 --ranks 2 -k csr
bad 'share rows for spmv and solve' tulle bench p2d5:9 --ranks 2 --op spgemm
bad 'both say how many' tulle solve p2d5:9 --ranks 2 --gpus 2
bad 'neither all nor a number' tulle solve p2d5:9 --gpus some
run 3 tulle solve p2d5:9 --gpus 999
one_line_with '--gpus 999: '

# Processes: without a launcher MPI is not needed, and with one a process of the launcher's says what
# is wrong where libtulle-mpi is not there.
needs_no_mpi() { ! ldd "$(realpath "$(command -v tulle)")" | grep -qi mpi; }
check "the program needs no MPI" needs_no_mpi
library=$(dirname "$(realpath "$(command -v tulle)")")
export OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 OMPI_MCA_rmaps_base_oversubscribe=1
export OMPI_MCA_btl_vader_single_copy_mechanism=none
if ! command -v mpirun >/dev/null; then
    skipped "processes: there is no mpirun"
elif ! compgen -G "$library/libtulle-mpi.so.*" >/dev/null; then
    skipped "processes: there is no libtulle-mpi"
elif is_sanitized; then
    skipped "processes: with AddressSanitizer MPI does not free all memory"
else
    run 0 tulle solve p2d5:9,7 --on cpu:1 --ranks 2 -b random -p ilu -o threads.mtx
    run 0 mpirun -n 2 tulle solve p2d5:9,7 --on cpu:1 -b random -p ilu -o processes.mtx --json
    json_where "d['processes'] == 2 and d['right'] is True"
    check "the same bits as by threads" cmp threads.mtx processes.mtx
    run 0 mpirun -n 3 tulle solve p2d5:1 --on cpu:1 --json -p jacobi
    json_where "d['processes'] == 3 and d['right'] is True"
    run 1 mpirun -n 2 tulle solve p2d5:20 --on cpu:1 --max-iterations 3
    check "one process reports" test "$(grep -c MOST_ITERATIONS "$out")" = 1
    run 2 mpirun -n 3 tulle solve nosuch
    check "one process complains" test "$(grep -c '^tulle: nosuch: no such file' "$err")" = 1
    run 2 mpirun -n 1 tulle solve grid.mtx : -n 1 tulle solve nosuch.mtx
    check "the one that failed complains" test "$(grep -c '^tulle: ' "$err")" = 1
    check "the one that failed says why" grep -q '^tulle: nosuch.mtx: no such file' "$err"
    run 2 mpirun -n 2 tulle solve --nothing
    check "one process misunderstands" test "$(grep -c '^tulle: ' "$err")" = 1
    run 0 mpirun -n 2 tulle bench p2d5:9 --on cpu:1 --type f64 --seconds 0.001 --repeat 2 --json=mpi.jsonl
    check "one process writes rows" test "$(grep -c '"processes":2' mpi.jsonl)" = 1
    bad 'the launcher has said' env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 tulle solve p2d5:9 --ranks 2
fi

finish
