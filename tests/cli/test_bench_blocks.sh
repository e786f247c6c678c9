# SPDX-License-Identifier: Apache-2.0
# The benchmark with multivectors: every number with every layout, one vector once; formats
# other than CSR and BSR by columns alone.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
one=(tulle-lab bench p2d5:9 --on cpu:1 --type f64 --trans both --seconds 0.001 --repeat 2 --peers none)

run 0 "${one[@]}" --vectors 1,3 --layout row,column --format csr --format sell --json=rows
check "rows are as the schema has it" python3 "$root/bench/schema.py" rows
check "what was measured" python3 -c '
import json
rows = [json.loads(line) for line in open("rows")]
kinds = {(r["op"], r["k"], r["layout"], r["format"]) for r in rows}
assert kinds == {("spmv", 1, "column", "csr"), ("spmv", 1, "column", "sell"),
                 ("spmm", 3, "column", "csr"), ("spmm", 3, "column", "sell"),
                 ("spmm", 3, "row", "csr")}, kinds
assert all(r["err"] <= 1 for r in rows)
assert any(r["request"] == "forced spmm_csr of 3 by row" for r in rows)'
check "the table names the blocks" grep -q "A' x, 3 by row f64" "$out"
run 0 "${one[@]}" --vectors 3,1 --layout column --format csr --format sell --resume rows
check "nothing is measured again" grep -q ' 0 new measurements' "$err"
two=(tulle-lab bench --op spmm blocks:2,3 --on cpu:1 --type f64 --trans both --seconds 0.001 --repeat 2)
run 0 "${two[@]}" --peers none --vectors 2 --layout row,column --format bsr:block=2 --json=bsr
check "BSR by row and by column, both ways" python3 -c '
import json
rows = [json.loads(line) for line in open("bsr")]
forced = {(r["trans"], r["layout"]) for r in rows if r["request"].startswith("forced spmm_bsr ")}
assert forced == {("n", "row"), ("n", "column"), ("t", "row"), ("t", "column")}, forced
assert all(r["op"] == "spmm" and r["format"] == "bsr" and r["err"] <= 1 for r in rows)'
# spmm_bsr: blocks of the size that fits, or those asked for, and as many vectors as they have rows.
three=(tulle-lab bench --op spmm_bsr --on cpu:1 --type f64 --seconds 0.001 --repeat 2 --peers none)
run 0 "${three[@]}" --layout row,column --json=own blocks:2,3 blocks:3,3
run 0 "${three[@]}" --format bsr:block=2 --format bsr:block=4 --json=own p2d5:9
check "as many vectors as a block has rows" python3 -c '
import json
rows = [json.loads(line) for line in open("own")]
kinds = {(r["matrix"], r["k"], r["layout"]) for r in rows}
assert kinds == {("blocks:2,3", 2, "row"), ("blocks:2,3", 2, "column"), ("blocks:3,3", 3, "row"),
                 ("blocks:3,3", 3, "column"), ("p2d5:9", 2, "row"), ("p2d5:9", 4, "row")}, kinds
assert all(r["op"] == "spmm" and r["format"] == "bsr" and r["err"] <= 1 for r in rows)'
run 0 "${three[@]}" --layout row,column --resume own blocks:2,3
check "nothing of it is measured again" grep -q ' 0 new measurements' "$err"
run 0 "${three[@]}" --vectors 5 --json=five blocks:2,3
check "or so many" python3 -c '
import json
assert {json.loads(line)["k"] for line in open("five")} == {5}'
run 0 "${three[@]}" p2d5:9
check "says where no blocks pay" grep -q 'p2d5:9: left out: no blocks of several rows pay' "$err"
bad '--op spmm_bsr takes bsr:block=N, not csr' "${three[@]}" --format csr blocks:2,3
bad 'say with how many vectors' "${two[@]}"
bad 'positive numbers with commas' "${one[@]}" --vectors 1,x
bad 'positive numbers with commas' "${one[@]}" --vectors 0
bad 'row, column or both' "${one[@]}" --layout diagonal
finish
