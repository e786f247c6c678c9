# SPDX-License-Identifier: Apache-2.0
# A matrix of 2e9 x 2e9 with one entry, in memory that no table of its rows would fit.
source "$(dirname "$0")/common.sh"

# 1.5 GB of addresses, of which the program's libraries and threads take most; the offsets of a CSR
# take 8 GB. A program under AddressSanitizer needs more than any limit.
kilobytes=1500000
(ulimit -v $kilobytes && tulle --version >/dev/null 2>&1) || kilobytes=unlimited
limited() { # COMMAND...
    (ulimit -v $kilobytes && exec "$@")
}

printf '%%%%MatrixMarket matrix coordinate real general\n2000000000 2000000000 1\n1234567890 77 2.5\n' >big.mtx
run 0 limited tulle info big.mtx --on cpu --json
json_where 'd["rows"] == 2000000000 and d["nnz"] == 1 and d["row_lengths"]["empty"] == 1999999999'
json_where '[m["f64_bytes"] for m in d["memory"] if m["format"] == "dcsr"] == [2 * 4 + 4 + 4 + 8]'
json_where '[m["f64_bytes"] for m in d["memory"] if m["format"] == "csc"] == [2000000001 * 4 + 4 + 8]'
json_where '"dcsr" in [c["format"] for c in d["advice"]["candidates"]]'
run 0 limited tulle info big.mtx --on cpu --svg big.svg
check "the picture has an entry" grep -q 'rect' big.svg

for ending in tulle tulle.gz mtx; do
    run 0 limited tulle convert big.mtx "through.$ending" --format dcsr
    check "through.$ending is small" test "$(wc -c <"through.$ending")" -lt 1000
    run 0 limited tulle convert "through.$ending" back.mtx
    check "back from through.$ending" cmp big.mtx back.mtx
done
# The arrays of rows that have entries are checked as others are.
python3 - <<'END'
data = bytearray(open("through.tulle", "rb").read())
data[320] ^= 1
open("bad.tulle", "wb").write(data)
END
bad 'the binary file is damaged: the checksum of its row order is wrong' tulle info bad.tulle

# Matrices without entries, of few rows and of many.
for rows in 5 2000000000; do
    printf '%%%%MatrixMarket matrix coordinate real general\n%d %d 0\n' $rows $rows >none.mtx
    for ending in tulle mtx; do
        run 0 limited tulle convert none.mtx "none-through.$ending" --format dcsr
        check "none-through.$ending is small" test "$(wc -c <"none-through.$ending")" -lt 1000
        run 0 limited tulle convert "none-through.$ending" back.mtx
        check "back from none-through.$ending" cmp none.mtx back.mtx
    done
done

# CSR and back, of a matrix that has both.
run 0 tulle convert random:60,40,1 small.tulle --format dcsr
run 0 tulle convert small.tulle small.mtx
run 0 tulle convert random:60,40,1 direct.mtx
check "the same through dcsr" cmp small.mtx direct.mtx
run 0 tulle spmv --check small.tulle --on cpu --json
json_where 'd["format"] == "dcsr" and d["err"] <= 1'
run 0 tulle spmv --check small.tulle --on cpu --json --beta 2 --transpose
json_where 'd["format"] == "dcsr" and d["err"] <= 1'
bad 'files hold csr, dcsr and bsr' tulle convert small.tulle no.tulle --format ell

# A product asks for x and y, of which the program has two more on the host and y from before; no
# table of rows is added to these.
bad 'of a 2000000000 x 2000000000 matrix take 80.0 GB' limited tulle spmv big.mtx --on cpu

finish
