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
    run 0 tulle bench p2d5:20 --op cg --precond all --on "$place" --ranks 2 --type f64 --seconds 0.001 --repeat 1 --json=rows.jsonl
    check "three preconditioners more" test "$(wc -l <rows.jsonl)" = 13
    run 0 tulle bench p2d5:20 --op gmres --on "$place" --ranks 3 --type f32 --seconds 0.001 --repeat 1 --json=rows.jsonl
    run 0 tulle bench p2d5:20 --op bicgstab --precond jacobi --on "$place" --ranks 2 --type f64 --seconds 0.001 --repeat 1 --json=rows.jsonl
    run 0 tulle bench p2d5:20 --op amg --hierarchy family=classical --on "$place" --ranks 2 --type f64 --seconds 0.001 --repeat 1 --json=rows.jsonl
    check "rows of the schema" python3 "$here/../../bench/schema.py" rows.jsonl
    check "all shared" test "$(grep -c '"processes":[23]' rows.jsonl)" = 16
done
run 0 tulle bench p2d5:30 --op amg --on cpu:1 --ranks 2 --type f64 --seconds 0.001 --repeat 1 --json
check "multigrid by two" python3 -c 'import json, sys
d = json.loads(open(sys.argv[1]).read())
assert 2 <= d["iterations"] <= 20 and d["err"] <= 1 and d["cycle_ms"] > 0 and d["whole_ms"] > d["ms"], d
assert d["update_ms"] is None and d["hierarchy"][0][0] == 900, d' "$out"
# A is taken as it is, so a method may not be for it.
bad 'cg: ' tulle bench random:300,300,2 --op cg --on cpu:1 --ranks 2 --type f64 --seconds 0.001

# Rows that stand badly, those of a grid that is shuffled, are shared by METIS; x comes back to them.
run 0 tulle gen p2d5:40 plain.mtx
python3 - <<'PYTHON'
import random
lines = open("plain.mtx").read().split("\n")
head = next(i for i, line in enumerate(lines) if not line.startswith("%"))
n = int(lines[head].split()[0])
places = random.Random(3).sample(range(1, n + 1), n)
with open("shuffled.mtx", "w") as out:
    out.write("%%MatrixMarket matrix coordinate real general\n")
    entries = [line.split() for line in lines[head + 1:] if line]
    pairs = {(int(i), int(j)): v for i, j, v in entries}
    if "symmetric" in lines[0]:
        pairs.update({(j, i): v for (i, j), v in list(pairs.items())})
    out.write(f"{n} {n} {len(pairs)}\n")
    out.writelines(f"{places[i - 1]} {places[j - 1]} {v}\n" for (i, j), v in pairs.items())
PYTHON
run_metis() {
    run 0 tulle solve shuffled.mtx --on cpu:1 -b random -p jacobi -o alone.mtx
    run 0 tulle solve shuffled.mtx --on cpu:1 --ranks 4 -b random -p jacobi --json
    json_where "d['partition'] == 'rows' and d['halo'] > 2000"
    for more in '-p jacobi' '-p amg' '-p ilu -K 2'; do
        # shellcheck disable=SC2086
        run 0 tulle solve shuffled.mtx --on cpu:1 --ranks 4 --partition metis -b random -o shared.mtx --json $more
        json_where "d['right'] and d['partition'] == 'metis' and 0 < d['halo'] < 400"
        [[ $more == *-K* ]] || check "the solution of one process" python3 "$folder/apart.py" alone.mtx shared.mtx 1e-6
    done
    run 0 tulle solve shuffled.mtx shared.mtx -K 2 --guess shared.mtx --on cpu:1 --ranks 3 --partition metis
    check "the report says so" grep -q 'by 3 threads, each with rows of its own by METIS; a' "$out"
    run 0 tulle bench shuffled.mtx --ranks 2 --on cpu --partition metis --type f64 --seconds 0.001 --repeat 2 --json=parts.jsonl
    check "rows of the schema" python3 "$here/../../bench/schema.py" parts.jsonl
    check "the row says so" grep -q '"request":"shared by 2, parts of METIS"' parts.jsonl
}
if tulle solve p2d5:9 --on cpu:1 --ranks 2 --partition metis >said 2>&1; then
    run_metis
else
    check "no METIS is said" grep -q 'without METIS' said
    skipped "partitions: the build has no METIS"
fi
bad 'is not square' tulle bench random:40,30,3 --ranks 2 --on cpu --partition metis
bad 'one process has all rows' tulle solve p2d5:9 --partition metis
bad '--partition: ' tulle solve p2d5:9 --ranks 2 --partition parmetis

# Multigrid follows the diagonal where that is too weak.
run 0 tulle solve p2d5:260 --on cpu --ranks 2 --json
json_where "d['attempts'][0]['outcome'] == 'MOST_ITERATIONS' and d['right']"
json_where "d['precond'] == 'amg:2' and d['iterations'] < 50 and 'as long as multigrid' in d['why']['precond']"

# What does not converge, and what is refused.
run 1 tulle solve p2d5:20 --on cpu --ranks 2 --max-iterations 3 --json
json_where "not d['converged'] and d['outcome'] == 'MOST_ITERATIONS' and d['right'] is None"
printf '%s\n' '%%MatrixMarket matrix coordinate real general' '4 4 6' '1 1 1' '2 2 1' '3 3 1' '3 4 1' '4 3 1' \
    '4 4 1' >pivot.mtx
bad 'pivot.mtx: the pivot of row 3 is zero, Inf or NaN: try' tulle solve pivot.mtx --ranks 2 --on cpu -p ilu
bad 'nosuch: no such file' tulle solve nosuch --ranks 3 --on cpu
bad 'is 40 x 30, not square' tulle solve random:40,30,3 --ranks 2 --on cpu
bad 'only one process has standard input' tulle solve - --ranks 2 --on cpu
bad '--mixed: not where' tulle solve p2d5:9 --ranks 2 --mixed
bad 'a mesh: not where' tulle solve box-hex:3 --ranks 2
bad '--kernel: not where' tulle bench p2d5:9 --ranks 2 -k csr
bad 'share rows for spmv, solve, cg' tulle bench p2d5:9 --ranks 2 --op spgemm
bad 'share rows for spmv, solve, cg' tulle bench box-hex:2 --ranks 2 --op amg_nodes
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
    for n in 1 2; do
        run 1 env TERM=xterm mpirun -n $n tulle solve p2d5:20 --on cpu:1 --max-iterations 3
        check "no colours go into a file" test "$(grep -c $'\x1b' "$out" "$err" | grep -vc ':0$')" = 0
    done
    check "processes share" grep -q 'shared    by 2 processes, each' "$out"
    check "one process reports" test "$(grep -c MOST_ITERATIONS "$out")" = 1
    run 0 mpirun -n 1 tulle solve p2d5:9 --on cpu:1 --partition metis
    run 0 mpirun -n 2 tulle solve p2d5:9 --on cpu:1 -p ilu
    check "whose factors these are" grep -q 'rows of rank 0' "$out"
    run 2 mpirun -n 3 tulle solve nosuch
    check "one process complains" test "$(grep -c '^tulle: nosuch: no such file' "$err")" = 1
    run 2 mpirun -n 1 tulle solve grid.mtx : -n 1 tulle solve nosuch.mtx
    check "the one that failed complains" test "$(grep -c '^tulle: ' "$err")" = 1
    check "the one that failed says why" grep -q '^tulle: nosuch.mtx: no such file' "$err"
    run 2 mpirun -n 2 tulle solve --nothing
    check "one process misunderstands" test "$(grep -c '^tulle: ' "$err")" = 1
    # A mistake of the process that is silent by itself, and options that differ between processes.
    differs() { # words, then the command of a second process
        local words=$1
        shift
        run 2 mpirun -n 1 tulle solve grid.mtx --on cpu:1 : -n 1 tulle "$@"
        check "one process says: $words" test "$(grep -c "^tulle: .*$words" "$err")" = 1
        check "nobody else speaks" test "$(grep -c '^tulle: ' "$err")" = 1
    }
    differs "'nosuch' is none of" solve grid.mtx --on cpu:1 -m nosuch
    differs 'nowhere/x.mtx: cannot be created' solve grid.mtx --on cpu:1 -o nowhere/x.mtx
    differs 'command differs between rank 0 and rank 1' bench grid.mtx --on cpu:1
    differs '--partition differs' solve grid.mtx --on cpu:1 --partition metis
    differs 'b differs' solve grid.mtx --on cpu:1 -b random
    differs '--output differs' solve grid.mtx --on cpu:1 -o x.mtx
    run 2 mpirun -n 1 tulle bench grid.mtx --on cpu:1 --seconds 0.001 : -n 1 tulle bench grid.mtx --on cpu:1 --seconds 0.002
    check "the option is named" grep -q '^tulle: --seconds differs' "$err"
    # The launcher ends all processes at the first code that is not 0: only the one that speaks has one.
    # shellcheck disable=SC2016
    echo '"$@" 2>said.$OMPI_COMM_WORLD_RANK; echo $? >code.$OMPI_COMM_WORLD_RANK' >codes.sh
    run 0 mpirun -n 2 bash codes.sh tulle solve p2d5:20 --on cpu:1 --max-iterations 3
    check "rank 0 alone has a code" test "$(cat code.0 code.1 | tr '\n' ' ')" = '1 0 '
    run 0 mpirun -n 1 bash codes.sh tulle solve grid.mtx : -n 1 bash codes.sh tulle solve nosuch.mtx
    check "rank 1 alone has a code" test "$(cat code.0 code.1 | tr '\n' ' ')" = '0 2 '
    # A process that is killed ends the others.
    # shellcheck disable=SC2016
    echo '{ [ $OMPI_COMM_WORLD_RANK = 0 ] || { sleep 1; kill -9 $$; }; } & exec "$@"' >killed.sh
    run 137 timeout 100 mpirun -n 2 bash killed.sh tulle solve p2d5:400 --on cpu:1 -m gmres -p none --max-iterations 10000000
    run 0 mpirun -n 2 tulle bench p2d5:9 --on cpu:1 --type f64 --seconds 0.001 --repeat 2 --json=mpi.jsonl
    run 0 mpirun -n 2 tulle bench p2d5:20 --op cg --on cpu:1 --type f64 --seconds 0.001 --repeat 2 --json=mpi.jsonl
    check "one process writes rows" test "$(grep -c '"processes":2' mpi.jsonl)" = 2
    bad 'processes of the launcher share' env OMPI_COMM_WORLD_SIZE=2 OMPI_COMM_WORLD_RANK=0 tulle solve p2d5:9 --ranks 2
fi

finish
