#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# tulle-lab bench: rows for programs and people, resuming, shards, sets, limits and bad input.
set -u
export COLUMNS=1000
root=$(cd "$(dirname "$0")/../.." && pwd)
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
quick=(--repeat 1 --seconds 0.001 --peers none --on cpu:2)
failures=0

fail() {
    echo "FAIL: $*"
    failures=$((failures + 1))
}

# expect CODE COMMAND...: runs it, output in $work/out and $work/err.
expect() {
    local want=$1 got=0
    shift
    "$@" >"$work/out" 2>"$work/err" || got=$?
    [ "$got" -eq "$want" ] || fail "exit code $got instead of $want: $*: $(cat "$work/err")"
}

says() { grep -q -e "$1" "$work/$2" || fail "no '$1' in $2: $(cat "$work/$2")"; }

lines() { wc -l <"$work/$1"; }

# Rows of all choices fit the schema, on the CPU and through the emulated GPU.
all=(p2d:12 fem:60 --type f32 --trans both --json "$work/cpu.jsonl")
expect 0 "$TULLE_LAB" bench "${quick[@]}" "${all[@]}"
says '\*' out
says 'spmv_csr_seq' out
expect 0 python3 "$root/bench/schema.py" "$work/cpu.jsonl"
says_choice() { grep -q "\"choice\":\"$1\"" "$work/cpu.jsonl" || fail "no row with choice $1"; }
for choice in rule forced plan; do says_choice $choice; done
for field in mean_row sd_row max_row model_ms; do
    grep -v "\"$field\":[0-9]" "$work/cpu.jsonl" && fail "rows without $field"
done

# Formats by name, all that take the matrix, and those of the kernels asked for.
expect 0 "$TULLE_LAB" bench "${quick[@]}" --type f64 p2d:12 --format ell --format sell:slice=4,window=8 \
    --json "$work/formats.jsonl"
expect 0 python3 "$root/bench/schema.py" "$work/formats.jsonl"
grep -q '"request":"forced spmv_sell in sell:slice=4,window=8"' "$work/formats.jsonl" ||
    fail "no row in sell:slice=4,window=8"
expect 0 "$TULLE_LAB" bench "${quick[@]}" --type f64 p2d:12 --format all
says 'as jds_ell' out
expect 0 "$TULLE_LAB" bench "${quick[@]}" --type f64 p2d:12 --kernel ellr
says 'as ellr' out
expect 0 "$TULLE_LAB" bench "${quick[@]}" --type f64 random:30000,30000,3 --format dia
says 'left out: as dia' err
expect 2 "$TULLE_LAB" bench "${quick[@]}" p2d:12 --format ells
says "no format 'ells'; did you mean ell" err

if "$TULLE_LAB" bench --on emulated --repeat 1 --seconds 0.001 --type f64 p2d:4 \
    --json "$work/emu.jsonl" >"$work/out" 2>"$work/err"; then
    expect 0 python3 "$root/bench/schema.py" "$work/emu.jsonl"
else
    says 'libtulle-emu' err
    echo "skipped: the benchmark of the emulated GPU: built without the emulator"
fi

# Nothing is measured twice, and a row that was cut off is made again.
before=$(lines cpu.jsonl)
sed -i '$d' "$work/cpu.jsonl"
printf '{"op":"spmv","matr' >>"$work/cpu.jsonl"
expect 0 "$TULLE_LAB" bench "${quick[@]}" "${all[@]}" --resume "$work/cpu.jsonl"
[ "$(lines cpu.jsonl)" -eq $((before + 1)) ] || fail "--resume: $(lines cpu.jsonl) lines of $before"
expect 1 python3 "$root/bench/schema.py" "$work/cpu.jsonl"

# Sets, by file and by name; shards are disjoint and complete; each combination of parameters once.
printf '# a comment\n\n  p2d:5  # another\np2d:6\n\tp2d:7\n' >"$work/set"
for i in 1 2; do
    expect 0 "$TULLE_LAB" bench "${quick[@]}" --type f64 -k csr_seq --sweep --shard $i/2 --json \
        --set "$work/set"
    cp "$work/out" "$work/shard$i"
done
[ "$(lines shard1)-$(lines shard2)" = 2-1 ] || fail "shards: $(lines shard1) and $(lines shard2)"
grep -q '"matrix":"p2d:6"' "$work/shard2" || fail "the second shard has another matrix"
TULLE_BENCH="$root/bench" TULLE_PEERS="$root/lab/peers" expect 0 "$TULLE_LAB" bench "${quick[@]}" -q --type f64 -k csr_seq \
    --set smoke --shard 1/9 --json
says '"matrix":"p2d:40"' out

# Rows of some choices alone: of the rule beside kernels by name, which have none without it, and of nothing else.
choices() { sed 's/.*"choice":"\([a-z]*\)".*/\1/' "$work/out" | sort | uniq -c | tr -s ' \n' ' '; }
expect 0 "$TULLE_LAB" bench "${quick[@]}" -q --type f64 --peers none --json -k csr_seq -k csr_merge p2d:5
[ "$(choices)" = ' 2 forced ' ] || fail "kernels by name: $(choices)"
expect 0 "$TULLE_LAB" bench "${quick[@]}" -q --type f64 --peers none --json -k csr_seq -k csr_merge --choice rule --choice forced \
    p2d:5
[ "$(choices)" = ' 2 forced 1 rule ' ] || fail "the rule and kernels by name: $(choices)"
expect 0 "$TULLE_LAB" bench "${quick[@]}" -q --type f64 --peers none --json --choice optimise p2d:5
[ "$(choices)" = ' 1 optimise ' ] || fail "one choice: $(choices)"
expect 0 "$TULLE_LAB" bench "${quick[@]}" -q --type f64 --peers none --json --op transpose --choice rule p2d:5
[ "$(choices)" = ' 1 rule ' ] || fail "another operation: $(choices)"
expect 2 "$TULLE_LAB" bench --choice best p2d:5
says "'best' is not rule, plan, optimise, forced or peer" err

# A limit on time stops the run and says so.
expect 0 "$TULLE_LAB" bench "${quick[@]}" --minutes 0.0000001 p2d:12 fem:60
says 'stopped early' err

# Bad input.
expect 2 "$TULLE_LAB" bench
says 'nothing to measure' err
expect 2 "$TULLE_LAB" bench --shard 3/2 p2d:5
says 'shard' err
expect 2 "$TULLE_LAB" bench --on cpu:1 --peers spicy p2d:5
says 'scipy' err
expect 2 "$TULLE_LAB" bench "${quick[@]}" --kernel spmv_csr_sek p2d:5
says 'spmv_csr_seq' err
expect 2 "$TULLE_LAB" bench "${quick[@]}" --kernel spmv_csr:fast=1 p2d:5
says 'fast' err
expect 2 "$TULLE_LAB" bench "${quick[@]}" --set "$work/none" p2d:5
expect 2 "$TULLE_LAB" bench "${quick[@]}" p2d:5 --json="$work/none/x.jsonl"
expect 2 "$TULLE_LAB" bench "${quick[@]}" --resume "$work" p2d:5
expect 1 "$TULLE_LAB" bench "${quick[@]}" p2d:5 p2d:6 --json=/dev/full
says '/dev/full: No space left' err
says '1 of 2 matrices not begun' err

# All fields have a line with their meaning; a key that is no field is a fault.
expect 0 "$TULLE_LAB" bench --fields
fields=$(grep -c '^F(' "$root/trials/fields.def")
[ "$(lines out)" -eq $((fields + 1)) ] || fail "$(lines out) lines for $fields fields"
says '^ms  *ms  *median time of a call' out
says '^ms_cold  *ms  ' out
sed 's/^{/{"cold_ms":1,/' "$work/cpu.jsonl" >"$work/strange.jsonl"
expect 1 python3 "$root/bench/schema.py" "$work/strange.jsonl"
says 'cold_ms is no field of trials/fields.def' out

# One bad matrix does not end a run.
expect 2 "$TULLE_LAB" bench "${quick[@]}" --type f64 -k csr_seq --json "$work/none.mtx" p2d:5
says '^tulle: [^ ]*none.mtx: no such file' err
[ "$(lines out)" -eq 1 ] || fail "the run ended at a bad matrix"

exit $((failures > 0))
