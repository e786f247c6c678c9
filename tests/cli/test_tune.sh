# SPDX-License-Identifier: Apache-2.0
# tulle tune: the path for people and for programs, both searches, the cache, and bad input.
source "$(dirname "$0")/common.sh"
schema=$here/../../bench/schema.py
export XDG_CACHE_HOME=$folder/cache

# rows_fit FILE EXPRESSION: the rows fit the schema, and the Python expression over them is true.
rows_fit() {
    check "rows fit the schema" python3 "$schema" "$1"
    rows_where "$@"
}

find_places cpu:1

for place in "${places[@]}"; do
    rm -f path.jsonl
    run 0 tulle tune p2d5:20 --on "$place" --mode online --json path.jsonl
    check "a table" grep -Eq '^ +call +ran +in the call +alone' "$out"
    check "it settled" grep -Eq 'settled after [0-9]+ calls' "$out"
    rows_fit path.jsonl "2 <= len(rows) <= 15"
    rows_fit path.jsonl "[r['call'] for r in rows] == list(range(1, len(rows) + 1))"
    rows_fit path.jsonl "not rows[0]['counts'] and all(r['counts'] for r in rows[1:])"
    rows_fit path.jsonl "all(r['search'] == 'online' and r['choice'] == 'tune' for r in rows)"
    rows_fit path.jsonl "all(r['call_ms'] > 0 and r['of_exhaustive'] is None for r in rows)"
    rows_fit path.jsonl "all(r['best_ms'] in [s['ms'] for s in rows] for r in rows)"
done

# What has no room is refused before anything is measured, from the size alone.
check_room() { # subcommand, options
    (ulimit -t 1 && $TULLE "$@" --on cpu:1 p3d27:1250 >"$out" 2>"$err")
    check "$1 is refused by size: $(cat "$err")" grep -q 'p3d27:1250" takes .*B, and' "$err"
}
check_room tune
check_room bench

# Against the exhaustive search.
run 0 tulle tune p2d5:40 --on cpu:2 --type f32 --json both.jsonl
check "the ratio" grep -Eq 'of exhaustive: [0-9.]+ at the start, [0-9.]+ after [0-9]+ calls' "$out"
check "the yardstick" grep -Eq 'exhaustive, [0-9]+ points: spmv_csr' "$out"
rows_fit both.jsonl "rows[-1]['search'] == 'exhaustive' and rows[-1]['of_exhaustive'] == 1"
rows_fit both.jsonl "all(0 < r['of_exhaustive'] <= 1 and r['type'] == 'f32' for r in rows)"
run 0 tulle tune p2d5:10 --on cpu:1 --mode exhaustive --json
check "one row" test "$(wc -l <"$out")" = 1
run 0 tulle tune random:40,60,5 --transpose --on cpu:1 --mode online --calls 3 --json
cp "$out" out.jsonl
rows_fit out.jsonl "len(rows) == 3 and all(r['trans'] == 't' for r in rows)"

# The cache: no search the second time; broken lines are told of.
check "no cache unless asked for" test ! -e "$XDG_CACHE_HOME"
run 0 tulle tune p2d5:20 --on cpu:1 --mode online --cache kept.txt
check "a search" grep -q 'settled after' "$out"
echo nonsense >>kept.txt
run 0 tulle tune p2d5:20 --on cpu:1 --mode online --cache kept.txt
check "no search" grep -q 'from the cache: spmv_csr' "$out"
check "it says so" grep -q 'kept.txt: broken lines, ignored: 1' "$out"
run 0 tulle tune p2d5:20 --on cpu:1 --mode online --cache user
check "the user's cache" test -s "$XDG_CACHE_HOME/tulle/tuning.txt"
run 2 tulle tune p2d5:20 --on cpu:1 --mode online --cache nowhere/kept.txt
check "it says which" grep -q 'tulle: nowhere/kept.txt.lock: the tuning cache cannot be locked' "$err"

run 2 tulle tune
run 2 tulle tune p2d5:3 p2d5:4
bad "is one of online, exhaustive, both|--mode" tulle tune p2d5:3 --mode some
bad 'no_such.mtx' tulle tune no_such.mtx --on cpu:1
bad 'no_such_folder' tulle tune p2d5:3 --on cpu:1 --json no_such_folder/x.jsonl
finish
