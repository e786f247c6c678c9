# SPDX-License-Identifier: Apache-2.0
# --explain: what a product runs on and why, in words and as JSON.
source "$(dirname "$0")/common.sh"

# The lines that depend neither on the machine nor on the kernels that there are.
run 0 tulle spmv --check p2d5:6,4 --on cpu:2 --explain
sed -n '/^y = A x/,/^  bytes/p' "$out" | sed -E -e 's/ on .*, threads/ on DEVICE, threads/' \
    -e '/^  kernel/,/^  chosen/{/^  chosen/!d}' -e '/^  [a-z]+ +[0-9]+: /d' >said
cat >want <<'END'
y = A x on DEVICE, threads: 2
  matrix    24 x 24, 100 entries, csr, f64 values, 32/32-bit indices
  rows      4.167 entries on average, standard deviation 0.6872, the longest 5:
            the rows are much alike
  chosen    by the rule tulle: of the kernels that may run, the cheapest by their models
  bytes     at least 1.7 KB: each input read once, each output written once
END
check "the words are what they were" diff want said
check "the floor is measured" grep -q '^  floor .* this machine.s copy bandwidth$' "$out"
check "kernels of other formats are named" grep -q 'spmv_bsr, ' "$out"
check "no line ends in a space" sh -c "! grep -q ' \$' '$out'"
run 0 tulle spmv --check p2d5:6,4 --on cpu
check "nothing is explained unasked" sh -c "! grep -q '^  chosen' '$out'"

# As JSON: the choice first, then by cost, then those that may not, each with a reason.
cat >list.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
e = d["explanation"]
a = e["alternatives"]
assert e["text"].startswith("y = A")
assert a[0]["chosen"] and a[0]["kernel"] == d["kernel"] and a[0]["params"] == d["params"]
assert a[0]["ratio"] == 1 and not any(x["chosen"] for x in a[1:])
may = [x for x in a[1:] if x["why_not"] is None and not x["needs_plan"]]
assert may == a[1:1 + len(may)] and may == sorted(may, key=lambda x: x["cost_bytes"])
assert all(x["ratio"] is None and x["cost_bytes"] is None for x in a if x["why_not"])
assert d["choice"] != "rule" or all(x["ratio"] >= 1 for x in may)
END
listed() {
    run 0 tulle spmv --check "$@" --explain --json
    check "the list for $*" python3 list.py "$out"
}
find_places cpu
for place in "${places[@]}"; do
    listed rmat:6,4 --on "$place"
    listed rmat:6,4 --on "$place" --transpose
    listed rmat:6,4 --on "$place" --transpose --plan
    listed p2d5:6 --on "$place" --format ell --type f32
    listed p2d5:6 --on "$place" --kernel csr_merge
    json_where 'd["choice"] == "forced" and "forced" in d["explanation"]["text"]'
done

# tulle-lab bench says it before the rows, beside them where these go to standard output.
bench=(tulle-lab bench --on cpu:2 --repeat 1 --seconds 0.001 --peers none --type f64 --kernel csr_seq)
run 0 "${bench[@]}" p2d5:12 --explain
check "the explanation comes first" sh -c "sed -n '2p;3p' '$out' | tr '\n' ' ' | grep -q '^p2d5:12 y = A x'"
check "and then the rows" grep -q '^  floor .*; class' "$out"
run 0 "${bench[@]}" p2d5:12 --explain --json
check "rows alone on standard output" sh -c "! grep -vq '^{' '$out'"
check "the explanation on standard error" grep -q '^  chosen ' "$err"
finish
