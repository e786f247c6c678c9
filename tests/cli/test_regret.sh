# SPDX-License-Identifier: Apache-2.0
# The shapes that the rule is judged on: the set is what lab/shapes.py draws, its smallest shapes can be measured, and
# lab/regret.py works out what is lost from rows whose times are known.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
export TULLE_BENCH=$root/bench TULLE_PEERS=$root/lab/peers
set=$root/bench/sets/shapes.txt

script() { "${TULLE_PYTHON:-/usr/bin/python3}" "$root/lab/$1.py" "${@:2}"; }
shows() { check "the report has: $1" grep -qE -- "$1" "$out"; }

run 0 script shapes --check
count=$(grep -vc '^#' "$set")
check "300 shapes or more, not $count" test "$count" -ge 300

# Each half has shapes of each kind, and is about a half.
cat >halves.py <<'PYTHON'
import collections, sys

sys.path.insert(0, sys.argv[1])
from pages.shapes import is_held_out, kinds

held = {spec for spec in kinds() if is_held_out(spec)}
every, out = collections.Counter(kinds().values()), collections.Counter(kinds()[spec] for spec in held)
assert all(0 < out[kind] < every[kind] for kind in every), out
assert 0.4 < len(held) / len(kinds()) < 0.6, len(held)
print(min(held), min(set(kinds()) - held))
PYTHON
run 0 "${TULLE_PYTHON:-/usr/bin/python3}" halves.py "$root/lab"
read -r held fitted <"$out"

# From what is measured: a few small shapes.
find_all_places cpu:1
grep -E '^(peaks:3..,|blocks:.,3 |powerlaw:2.,)' "$set" >few.txt
check "a few" test "$(wc -l <few.txt)" -ge 3
for place in "${places[@]}"; do
    run 0 tulle-lab bench --set few.txt --on "$place" --type f64 --choice rule --choice forced -k csr_merge --peers none \
        --quiet --seconds 0.001 --repeat 1 --json "$place.jsonl"
    run 0 script regret "$place.jsonl"
    check "all shapes" test "$(grep -cE ' f64 .*(peaks|blocks|powerlaw):' "$out")" = "$(wc -l <few.txt)"
done

# From times that are known: the rule is right on one shape of each half, and takes 1.25 of the best in f32 on one. Its own
# row is slower than the row of the same kernel by name, which is no regret. Wrong rows do not count.
cat >known.py <<'PYTHON'
import json, sys

like = json.loads(open("cpu:1.jsonl").readline())
held, fitted = sys.argv[1:]


def put(matrix, type_, choice, kernel, ms, **more):
    print(json.dumps({**like, "matrix": matrix, "type": type_, "choice": choice, "kernel": f"spmv_{kernel}", "params": "block=2",
                      "request": choice, "ms": ms, "class": "launch", "err": 0.1, "floor": 0.5, **more}))


put(held, "f32", "rule", "csr_merge", 0.011)
put(held, "f32", "forced", "csr_merge", 0.010)
put(held, "f32", "forced", "csr_vector", 0.008)
put(held, "f32", "forced", "csr_scalar", 0.001, err=7)
put(held, "f32", "forced", "csr_adaptive", 0.002, trans="t")
put(held, "f64", "rule", "csr_merge", 0.011)
put(held, "f64", "forced", "csr_merge", 0.010)
put(fitted, "f64", "rule", "csr_vector", 0.010)
put(fitted, "f64", "forced", "csr_merge", 0.020)
put(fitted, "f32", "rule", "csr_vector", 0.010)
PYTHON
python3 known.py "$held" "$fitted" >known.jsonl
run 0 script regret known.jsonl
shows '^Half fitted: 1 products$'
shows '^Half held out: 2 products$'
shows '^launch +f32 +1 +0\.800 +0\.800 +1\.00$'
shows '^launch +f64 +1 +1\.000 +1\.000 +0\.00$'
shows "^ *0\.200 +launch +f32 +10\.00 +csr_merge block=2 +8\.00 +csr_vector block=2 +0\.50 .* $held\$"
check "worst first" test "$(grep -c "^ *0\.200" "$out")-$(grep -n ' f32 .* 10.00 ' "$out" | cut -d: -f1)" \
    = "1-$(($(grep -n '^regret .*fastest' "$out" | tail -1 | cut -d: -f1) + 1))"
run 0 script regret known.jsonl --worst 1
check "one shape each" test "$(grep -c ' launch .*block=2' "$out")" = 2
printf 'no json\n' >bad.jsonl
run 1 script regret bad.jsonl
check "says where" grep -q 'bad.jsonl:1: no JSON line' "$err"
head -1 known.jsonl >one.jsonl
run 1 script regret one.jsonl
check "says what is missing" grep -q 'no product has a row of the rule and one of a kernel by name' "$err"

finish
