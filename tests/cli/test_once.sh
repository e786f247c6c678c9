# SPDX-License-Identifier: Apache-2.0
# A command computes once and says so in a line; --check, --repeat, --json and -o - mean the same for all of them.
source "$(dirname "$0")/common.sh"

run 0 tulle gen p2d5:6 a.mtx
# Each command, and the line that it says, which ends with the time, the kernel where it is known, and the place.
commands=('spgemm a.mtx' 'add a.mtx a.mtx' 'transpose a.mtx' 'factor a.mtx' 'trisolve a.mtx' 'spmv a.mtx'
    'spmm a.mtx -K 2')
lines=("^C = 1 A A: 36 x 36, [0-9]* entries" "^C = 1 A \+ 1 B: 36 x 36, 156 entries" "^B = A': 36 x 36, 156 entries"
    "^L U of A: 36 rows, 156 entries, 1 times A's, in 11 levels"
    "^T X = 1 B, T the lower triangle of A: 36 rows in 11 levels, 1 vector" "^y = 1 A x \+ 0 y: 36 x 36, 156 entries"
    "^Y = 1 A X \+ 0 Y, 2 vectors by row: 36 x 36, 156 entries")
kernels=(' by spgemm_auto' '' '' '' '' ' by spmv_csr_seq' ' by spmm_csr')
for i in "${!commands[@]}"; do
    read -ra command <<<"${commands[i]}"
    run 0 tulle "${command[@]}" --on cpu:1
    check "one line: ${command[*]}" test "$(wc -l <"$out")" = 1
    check "what it says: $(cat "$out")" grep -Eq "${lines[i]}; [0-9.]+ [mun]?s${kernels[i]} on cpu, 1 thread$" "$out"
    run 0 tulle "${command[@]}" --on cpu:1 --quiet
    check "nothing is said: ${command[*]}" test ! -s "$out"
    run 0 tulle "${command[@]}" --on cpu:1 --json
    json_where "'err' not in d and 'ms' not in d and 'update' not in d and 'growth' not in d and d['first_ms'] > 0"
    run 0 tulle "${command[@]}" --on cpu:1 --check
    check "a verdict: ${command[*]}" grep -Eq '^  error     .*: right$' "$out"
    check "no times of calls: ${command[*]}" sh -c "! grep -q median '$out'"
    run 0 tulle "${command[@]}" --on cpu:1 --repeat 3 --json
    json_where "'err' not in d and (d.get('ms') or d['update']['ms']) > 0"
    run 0 tulle "${command[@]}" --on cpu:1 --repeat 3
    check "times: ${command[*]}" grep -q 'median of 3' "$out"
    check "no verdict: ${command[*]}" grep -q 'error     not checked$' "$out"
done

# JSON into a file, beside the report; a file of another kind stays.
for file in --json=d.json '--json d.json'; do
    rm -f d.json
    # shellcheck disable=SC2086 # two words
    run 0 tulle spmv a.mtx --on cpu $file
    check "the line, too" grep -q '^y = ' "$out"
    cp d.json "$out"
    json_where "d['op'] == 'spmv'"
done
run 0 tulle doctor --json=doctor.json
cp doctor.json "$out"
json_where "d['places'][0]['works']"
bad '^tulle: a.mtx: is no JSON file, and stays as it is' tulle info p2d5:3 --json=a.mtx
bad "'p2d5:3' is too much" tulle info --json p2d5:3 p2d5:3
bad '^tulle: info: --json=: name a file' tulle info p2d5:3 --json=
bad '^tulle: none/d.json: cannot be created' tulle info p2d5:3 --json=none/d.json

# The result on standard output, what is said of it on standard error.
outputs=('spgemm a.mtx -o -' 'add a.mtx a.mtx -o -' 'transpose a.mtx -o -' 'factor a.mtx --output-l -'
    'trisolve a.mtx -o -' 'spmv a.mtx -o -' 'spmm a.mtx -o -' 'solve a.mtx -o -' 'gen p2d5:4 -' 'convert a.mtx -')
for output in "${outputs[@]}"; do
    read -ra command <<<"$output"
    run 0 tulle "${command[@]}"
    check "the result: $output" grep -q '^%%MatrixMarket matrix' "$out"
    check "nothing else: $output" sh -c "! grep -Eq 'written|[0-9] on cpu' '$out'"
    check "what is said: $output" grep -Eq 'standard output' "$err"
    mv "$out" result.mtx
    run 0 tulle convert result.mtx again.mtx
    bad 'both standard output: name a file, as --json=FILE' tulle "${command[@]}" --json
done
run 0 tulle mesh make box-tet:2 -o -
mv "$out" box.msh
run 0 tulle mesh info box.msh
run 0 tulle info a.mtx --svg -
check "a picture" grep -q '^<svg\|^<?xml' <(head -n 1 "$out")
check "what is said of the matrix" grep -q '^  shape  ' "$err"
bad '^tulle: convert: FILE and --permutation are both standard output' tulle convert a.mtx - --order rcm --permutation -
bad '^tulle: factor: --output-l and --output-u are both standard output' tulle factor a.mtx --output-l - --output-u -
tulle gen p2d5:4 - 2>"$err" | tulle spgemm - -o - 2>"$err" | tulle transpose - -o there.mtx >"$out" 2>"$err"
check "a chain of commands" grep -q '^%%MatrixMarket' there.mtx
tulle spgemm a.mtx -o - --json=d.json >"$out" 2>"$err"
cp d.json "$out"
json_where "d['op'] == 'spgemm'"

# The transpose is --trans everywhere, and --op is the benchmark's operation.
for command in spmv spmm trisolve solve; do
    run 0 tulle $command a.mtx --trans t --json
    json_where "d['trans']"
done
run 0 tulle tune a.mtx --trans T --on cpu:1 --mode online --calls 2
run 0 tulle bench a.mtx --op spmv --trans T --on cpu:1 --repeat 1 --seconds 0.001 --json
bad 'unknown option --op' tulle spmv a.mtx --op T

finish
