# SPDX-License-Identifier: Apache-2.0
# Files of blocks: written where they are asked for, described, read by every command, refused by name.
source "$(dirname "$0")/common.sh"

run 0 tulle gen blocks:3,3 a.mtx
run 0 tulle convert a.mtx square.tulle --format bsr:block=3
run 0 tulle convert a.mtx cut.tulle --format bsr:block=2,block_cols=5
for name in square cut; do
    run 0 tulle convert $name.tulle back.mtx
    check "the same through $name.tulle" cmp a.mtx back.mtx
    run 0 tulle convert $name.tulle again.tulle
    check "$name.tulle keeps its blocks" cmp $name.tulle again.tulle
    run 0 tulle convert $name.tulle packed.tulle.zst
    run 0 tulle convert packed.tulle.zst again.tulle
    check "$name.tulle comes through a packed file" cmp $name.tulle again.tulle
done
run 0 tulle convert cut.tulle again.tulle --format bsr:block=3
check "other blocks" cmp square.tulle again.tulle
run 0 tulle convert cut.tulle rows.tulle --format csr
run 0 tulle convert a.mtx direct.tulle
check "rows again" cmp rows.tulle direct.tulle

run 0 tulle info square.tulle --on cpu --json
json_where 'd["blocks"] == {"rows": 3, "cols": 3, "count": d["nnz"] // 9, "slots": d["nnz"]}'
cp "$out" square.json
run 0 tulle info a.mtx --on cpu --json
check "rows are those of the text" python3 -c '
import json, sys
a, b = (json.load(open(name)) for name in sys.argv[1:])
assert "blocks" not in a
assert all(a[k] == b[k] for k in ("nnz", "bandwidth", "symmetry", "values", "row_lengths", "memory"))' "$out" square.json
run 0 tulle info cut.tulle --on cpu --no-picture
check "blocks of 2 x 5 are told" grep -q 'blocks .* of 2 x 5, .* slots for each entry' "$out"

# Commands take the blocks that they find, and right results come of them.
for name in square cut; do
    for command in spmv spgemm transpose factor trisolve; do
        run 0 tulle "$command" --check "$name.tulle" --on cpu:2 --json
        json_where 'd["err"] <= 1'
    done
    run 0 tulle spmm --vectors 3 --check "$name.tulle" --on cpu:2 --json
    json_where 'd["err"] <= 1'
    run 0 tulle add --check $name.tulle a.mtx --on cpu:2 --json
    json_where 'd["err"] <= 1'
    run 0 tulle solve $name.tulle --on cpu:2
    run 0 tulle-lab bench --op spgemm $name.tulle --on cpu:1 --type f64 --seconds 0.001 --repeat 2 --peers none --json=rows
    check "the benchmark takes rows" python3 -c '
import json
rows = [json.loads(line) for line in open("rows")]
assert rows and all(r["format"] == "csr" and r["err"] <= 1 for r in rows)'
    rm rows
done

bad 'files hold csr, dcsr and bsr' tulle convert a.mtx no.tulle --format ell
bad 'only .tulle files hold bsr, not no.mtx' tulle convert a.mtx no.mtx --format bsr:block=3
bad 'block must be from 1 to 16' tulle convert a.mtx no.tulle --format bsr:block=17

# A header whose own checksum is wrong says so before its blocks are looked at.
python3 - <<'END'
data = bytearray(open("square.tulle", "rb").read())
data[96] = 17
open("bad.tulle", "wb").write(data)
END
bad 'the header of the binary file is damaged' tulle info bad.tulle
finish
