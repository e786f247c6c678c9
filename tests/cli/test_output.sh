# SPDX-License-Identifier: Apache-2.0
# Output for people, for programs, and into pipes and full disks.
source "$(dirname "$0")/common.sh"

# Golden: what info says, but for the times, and the advice, which is for this machine.
run 0 tulle info p2d5:6,4 --ascii --on cpu
sed -e 's/, in .*/, in TIME/' -e '/^Advice/,/^Pattern/{/^Pattern/!d}' "$out" >"$folder/info"
check "info is what it was" diff "$here/golden/info.txt" "$folder/info"
run 0 tulle info p2d5:6,4
check "Braille in a UTF-8 locale" grep -q '⠻' "$out"
run 0 env LC_ALL=C tulle info p2d5:6,4
check "ASCII in the C locale" test -z "$(tr -d '\000-\177' <"$out")"
run 0 env COLUMNS=30 tulle info p2d5:50 --ascii
check "no picture wider than the terminal" test "$(sed -n '/^Pattern/,$p' "$out" | awk 'length > 30' | wc -l)" = 0
check "no colour in a pipe" sh -c "! grep -q '$(printf '\033')' '$out'"
check "no line ends in a space" sh -c "! grep -q ' \$' '$out'"

run 0 tulle info p2d5:6,4 --json
json_where 'd["rows"] == 24 and d["nnz"] == 24 * 5 - 2 * (6 + 4)'
json_where 'd["symmetry"]["pattern"] == "symmetric" and d["symmetry"]["values"] == "symmetric"'
json_where 'sum(b["rows"] for b in d["row_lengths"]["histogram"]) == 24'
json_where 'd["bandwidth"] == 6 and d["values"]["diagonal"] == 24'
json_where '{(m["format"], m["index"]): m["f64_bytes"] for m in d["memory"]}[("csr", "32/32")] == 25 * 4 + 100 * 12'
run 0 tulle info random:40,30,3 --json
json_where 'd["symmetry"]["pattern"] == "rectangular" and d["nnz"] == 120'

# A file name that is no UTF-8 is still JSON, and still one line in a message.
odd=$(printf 'odd\377\303\244.mtx')
run 0 tulle gen p2d5:3 "$odd" --json
json_where 'd["file"] == "odd?ä.mtx"'
bad 'no such file' tulle info "$(printf 'two\nlines')"

run 0 tulle kernels --json
json_where 'len(d["kernels"]) >= 2 and all(k["summary"] and k["source"] for k in d["kernels"])'
json_where '"spmv_csr_seq" in [k["name"] for k in d["kernels"]]'
run 0 tulle kernels spmv_csr --json
json_where 'len(d) == 1 and d[0]["backend"] == "cpu" and len(d[0]["types"]) == 6'
run 0 tulle gen --list --json
json_where '"p3d7" in [g["name"] for g in d["generators"]]'
run 0 tulle doctor --json
json_where 'd["places"][0]["works"] and d["places"][0]["copy_gbs"] > 0 and d["places"][0]["err"] <= 1'
json_where 'all(f["works"] for f in d["files"]) and d["machine"]["memory_bytes"] > 0'
json_where 'all(m["what"] and m["how"] for m in d["missing"])'
json_where 'all("make gpu" in m["how"] for m in d["missing"] if "libtulle-cuda" in m["what"])'

# A reader that goes away ends the program quietly; so does a closed standard output.
first=$(tulle info p2d5:300 2>"$err" | head -n 1)
check "the first line arrives" test "$first" = p2d5:300
check "a broken pipe says nothing" test ! -s "$err"
tulle gen --list 2>"$err" | true
check "a pipe that nobody reads says nothing" test ! -s "$err"

# What cannot be written is a failure.
tulle info p2d5:6 >/dev/full 2>"$err"
check "a full disk is exit code 1" test $? = 1
check "a full disk is said" grep -q '^tulle: standard output: ' "$err"
finish
