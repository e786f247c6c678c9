# SPDX-License-Identifier: Apache-2.0
# What tulle info says of bytes, formats and kernels, and the pattern as SVG.
source "$(dirname "$0")/common.sh"

layout='lambda f, b=0: [m for m in d["memory"] if m["format"] == f and m.get("block", 0) == b][0]'
with_layout() { # as json_where, with layout(format, block)
    json_where "(lambda layout: $1)($layout)"
}

# p2d5:6,4 is 24 x 24 with 5 diagonals, 100 entries, rows of 3 to 5.
run 0 tulle info p2d5:6,4 --json --on cpu
with_layout 'layout("ell")["slots"] == layout("dia")["slots"] == 32 * 5'
with_layout 'layout("ell")["f64_bytes"] == 32 * 5 * 12'
with_layout 'layout("ellr")["f64_bytes"] == 32 * 5 * 12 + 24 * 4'
with_layout 'layout("dia")["f32_bytes"] == 32 * 5 * 4 + 5 * 4 + 5 * 4'
with_layout 'layout("sell")["slots"] == 32 * 5'
with_layout 'layout("csc")["f64_bytes"] == layout("csr")["f64_bytes"] == 25 * 4 + 100 * 12'
with_layout 'layout("jds")["f64_bytes"] == 100 * 12 + 24 * 4 + 6 * 4'
with_layout 'layout("bsr", 8)["slots"] == 7 * 64'
json_where 'd["traffic"]["minimal_bytes"] == 25 * 4 + 100 * 12 + 48 * 8'
json_where 'd["traffic"]["rows_per_block"] == 32 and d["traffic"]["blocks"] == 1'
json_where 'd["traffic"]["matrix_bytes"] == 128 * (1 + 4 + 7) and d["traffic"]["x_bytes"] == 256'
json_where 'd["traffic"]["effective_bytes"] == 128 * (12 + 2 + 2)'

# A stand-in, which the library does not know, and copies of it.
run 0 tulle-lab gen --list --json
json_where '[g["usage"] for g in d["generators"] if g["name"] == "like"] == ["like:NAME[,stored]"]'
run 0 tulle-lab convert tile:tile:like:torso2:2:2 tiled.tulle --json
run 0 tulle info tiled.tulle --json --on cpu --no-picture
json_where 'd["rows"] == 4 * 115967 and d["nnz"] == 4 * 1033473'

# Blocks, whole: no padding, and no mask.
run 0 tulle info blocks:3,5 --json --on cpu
with_layout 'layout("bsr", 3)["slots"] == d["nnz"] < layout("bsr", 2)["slots"]'
with_layout 'layout("bsr", 3)["f64_bytes"] == d["nnz"] * 8 + d["nnz"] // 9 * 4 + (d["rows"] // 3 + 1) * 4'

# No layout of 2^61 diagonals is thought of, and no table either.
printf '%%%%MatrixMarket matrix coordinate real general\n2 4000000000 2\n1 1 1\n2 4000000000 1\n' >wide.mtx
run 0 tulle info wide.mtx --json --on cpu --no-picture
json_where '"dia" not in [m["format"] for m in d["memory"]]'
json_where 'd["traffic"]["x_bytes"] == 2 * 128 and d["advice"]["index"] == "64/64"'
json_where '[m["fits"] for m in d["memory"] if m["format"] == "csr"] == [False, False, True]'
json_where '[m["f64_bytes"] is None for m in d["memory"] if m["format"] == "csr"] == [True, True, False]'

# Nor of 10^18 rows, whose products no model has bytes for.
printf '%%%%MatrixMarket matrix coordinate real general\n%s %s 1\n1 1 1\n' 1000000000000000000 1000000000000000000 >far.mtx
run 0 tulle info far.mtx --json --on cpu
json_where 'd["rows"] == 10**18 and "pass 64 bits" in d["no_advice"] and "advice" not in d'
run 0 tulle info far.mtx --on cpu --no-picture
check "no advice" grep -q '^  none  .*pass 64 bits' "$out"

# Integers that the type cannot hold are told, of matrices and of vectors; and a file may be a vector from a pipe.
printf '%%%%MatrixMarket matrix array integer general\n3 1\n16777217\n9007199254740993\n-9007199254740995\n' >integers.mtx
run 0 tulle info integers.mtx --json --on cpu
json_where 'd["file"]["rounded"] == 2 and d["file"]["vanished"] == 0'
check "rounded" grep -qx 'tulle: integers.mtx:4: warning: the number is an integer beyond 2^53 and was rounded to the nearest f64, the first of 2' "$err"
run 0 tulle info integers.mtx --json --on cpu --type f32
check "rounded in f32" grep -q '^tulle: integers.mtx:3: warning: .*2^24 .*f32, the first of 3$' "$err"
run 0 sh -c 'tulle solve p2d5:1,3 -b - --on cpu <integers.mtx'
check "rounded, from a pipe" grep -q '^tulle: standard input:4: warning: ' "$err"

# What info foresees is what a conversion makes: y = A x reads the matrix, x, and writes y.
foresees() { # MATRIX FORMAT[:block=B], without a forced kernel
    run 0 tulle spmv --check "$1" --on cpu --format "$2" --json
    cp "$out" spmv.json
    run 0 tulle info "$1" --on cpu --json
    check "what info foresees of $1 in $2" python3 -c '
import json, sys
spmv, info = (json.load(open(name)) for name in sys.argv[1:3])
name, _, block = sys.argv[3].partition(":block=")
bytes = [m["f64_bytes"] for m in info["memory"]
         if m["format"] == name and str(m.get("block", "")) == block]
sys.exit(spmv["minimal_bytes"] != bytes[0] + 8 * (info["rows"] + info["cols"]))' \
        spmv.json "$out" "$2"
}
for format in ell ellr sell packed hyb csr_coo jds jds_ell; do foresees powerlaw:300,4.2,90 "$format"; done

# The advice: from what there is a kernel for, the cheapest first, and csr unless 15 % are saved.
cat >advice.py <<'END'
import json, sys
d = json.load(open(sys.argv[1]))
advice, candidates = d["advice"], d["advice"]["candidates"]
key = lambda m: (m["format"], m.get("block"))
memory = {key(m): m["f64_bytes"] for m in reversed(d["memory"])} # the narrowest comes first
csr = [c for c in candidates if c["format"] == "csr"]
assert advice["backend"] == sys.argv[2] and len(csr) == 1
assert candidates == sorted(candidates, key=lambda c: c["cost_bytes"])
best = candidates[0] if candidates[0]["cost_bytes"] <= 0.85 * csr[0]["cost_bytes"] else csr[0]
assert all(advice[k] == best[k] for k in best), advice
assert advice["format_why"] and advice["kernel_why"] and advice["kernel_summary"]
assert csr[0]["minimal_bytes"] == d["traffic"]["minimal_bytes"]
for c in candidates:
    if c["format"] != "csr":
        assert c["minimal_bytes"] == memory[key(c)] + 8 * (d["rows"] + d["cols"]), c
END
find_places cpu
advise() { # PLACE MATRIX
    run 0 tulle info "$2" --json --on "$1"
    check "the advice for $2 on $1" python3 advice.py "$out" "$1"
}
for matrix in p2d5:40 rmat:9,8 blocks:3,5 random:1,50,50 random:30,30,0 powerlaw:3000,4.2,1500; do
    for place in "${places[@]}"; do advise "$place" "$matrix"; done
done
run 0 tulle info p2d5:40 --on cpu --no-picture
check "the advice is said" grep -q '^Advice for cpu, ' "$out"
check "the kernel is named" grep -Eq '^  kernel        spmv_[a-z_]+' "$out"
check "the unit of modelled times" grep -qx 'Modelled time of y = A x, as the bytes that a plain copy moves meanwhile' "$out"
check "modelled times with a unit, and csr's own as 1" grep -Eq '^  csr  +spmv_csr  +[0-9.]+ KB  +[0-9.]+ KB  +1$' "$out"
check "no line ends in a space" sh -c "! grep -q ' \$' '$out'"
check "no line is longer than 120 characters" sh -c "! grep -q '.\{121\}' '$out'"

# Of a tiny matrix models of other formats hold the start of their kernels and nothing else.
printf '%%%%MatrixMarket matrix coordinate real general\n3 3 3\n1 1 1\n2 2 1\n3 3 2\n' >tiny.mtx
for matrix in p2d:4 tiny.mtx; do
    run 0 tulle info $matrix --on cpu --no-picture
    check "why there is no advice for another format" grep -qx ' *so small a product is over before the kernels of other formats have begun' "$out"
    check "why there are no modelled times" grep -q '^  others  *have no modelled times here: ' "$out"
    check "no modelled times" sh -c "! grep -q '^Modelled time' '$out'"
done

# The lengths of rows and the table of them agree at both ends.
check "rows of one length" grep -qx '  rows          1 entry each, 0 empty' "$out"
run 0 tulle info p2d5:9 --on cpu --no-picture
check "rows of several lengths" grep -q '^  rows          3 to 5 entries, ' "$out"
check "the shortest rows" grep -Eq '^ +3 +4  ' "$out"
check "the longest rows" grep -Eq '^ +4 to 5 +77  ' "$out"
bad 'moon' tulle info p2d5:6 --on moon

# The pattern as SVG.
run 0 tulle info p2d5:6,4 --json --on cpu --svg small.svg
check "the SVG is what it was" diff "$here/golden/p2d5_6x4.svg" small.svg
cat >look.py <<'END'
import re, sys
import xml.etree.ElementTree as tree
svg = tree.parse(sys.argv[1]).getroot()
space = "{http://www.w3.org/2000/svg}"
cells = set()
for path in svg.iter(space + "path"):
    for x, y, wide, back in re.findall(r"M(\d+) (\d+)h(\d+)v1H(\d+)z", path.get("d")):
        assert x == back
        cells |= {(int(x) + i, int(y)) for i in range(int(wide))}
    assert re.fullmatch(r"(M\d+ \d+h\d+v1H\d+z)+", path.get("d"))
    assert 0 < float(path.get("fill-opacity")) <= 1
texts = [text.text for text in svg.iter(space + "text")]
print(eval(sys.argv[2], {"cells": cells, "texts": texts, "title": svg.find(space + "title").text,
                         "wide": float(svg.get("width")), "high": float(svg.get("height"))}))
END
svg_where() { # FILE EXPRESSION over cells, texts, title, wide, high
    check "SVG where $2" test "$(python3 look.py "$1" "$2" 2>"$err")" = True
}
svg_where small.svg 'len(cells) == 100 and (0, 0) in cells and (23, 23) in cells and (6, 0) in cells'
svg_where small.svg 'title == "p2d5:6,4" and "columns" in texts and "rows" in texts and texts.count("24") == 2'
run 0 tulle info random:3000,700,20 --json --on cpu --svg tall.svg
svg_where tall.svg 'max(y for x, y in cells) == 249 and max(x for x, y in cells) == 58'
svg_where tall.svg '14000 < len(cells) <= 250 * 59 and "3,000" in texts and "700" in texts'
run 0 tulle info random:300000,300000,0 --json --on cpu --svg empty.svg
svg_where empty.svg 'not cells and wide < 1000 and high < 1000'
odd=$(printf 'a<b>&"c\377.mtx')
run 0 tulle gen p2d5:3 "$odd"
run 0 tulle info "$odd" --json --on cpu --svg odd.svg
svg_where odd.svg 'title == "a<b>&\"c?.mtx"'
mkdir folder.svg
run 2 tulle info p2d5:3 --on cpu --svg folder.svg
one_line_with 'folder.svg: is a directory'
run 2 tulle info p2d5:3 --on cpu --svg missing/x.svg
one_line_with 'missing/x.svg: cannot be created'
# A mesh is no matrix; where to look at it is said.
run 0 tulle mesh make box-tri:2 -o a.msh
run 0 tulle mesh make box-tri:2 -o a.vtu.gz
for name in a.msh a.vtu.gz; do
    bad "^tulle: $name: is a mesh, not a matrix: tulle mesh info $name;" tulle info "$name"
    bad "$name: is a mesh" tulle spmv "$name"
done
finish
