# SPDX-License-Identifier: Apache-2.0
# What has no room is refused from its size alone, within a second of the processor's time, and what is
# no file long before it ends.
source "$(dirname "$0")/common.sh"
memory=$(awk '/^MemTotal:/ { printf "%.0f\n", $2 * 1024 }' /proc/meminfo)

within_a_second() {
    (ulimit -t 1 && exec "$@")
}

# refused SPEC ENTRIES COMMAND...: an entry takes a number and an index at least.
refused() {
    local spec=$1 entries=$2
    shift 2
    if ((entries * (8 + 4) < memory)); then
        skipped "$spec: this machine has room for it"
        return
    fi
    bad "\"$spec\" takes .*B, and this machine has .*B of memory available" within_a_second "$@"
}

# of_7 N and of_27 N: the entries of p3d7:N and of p3d27:N.
of_7() { echo $((7 * $1 ** 3 - 6 * $1 ** 2)); }
of_27() { echo $(((3 * $1 - 2) ** 3)); }

for size in 700 900; do
    for command in spmv spmm spgemm trisolve factor transpose info tune; do
        refused "p3d7:$size" "$(of_7 $size)" tulle "$command" "p3d7:$size" --on cpu:1
    done
    refused "p3d7:$size" "$(of_7 $size)" tulle add --check "p3d7:$size" p2d5:4 --on cpu:1
    refused "p3d7:$size" "$(of_7 $size)" tulle gen "p3d7:$size" out.mtx
done
refused p3d27:1000 "$(of_27 1000)" tulle gen p3d27:1000 out.mtx
refused p3d27:1000 "$(of_27 1000)" tulle convert p3d27:1000 out.tulle
check "nothing is written" test ! -e out.mtx -a ! -e out.tulle

# A product whose C has no room says so when its entries are counted: here all of n x n.
room=$(awk '/^(MemTotal|SwapTotal):/ { n += $2 * 1024 } END { printf "%.0f\n", n }' /proc/meminfo)
n=$(awk -v room="$room" 'BEGIN { printf "%d\n", sqrt(room / 12) + 1 }')
{
    printf '%%%%MatrixMarket matrix coordinate pattern general\n1 %d %d\n' "$n" "$n"
    seq -f '1 %.0f' "$n"
} >row.mtx
run 3 tulle spgemm row.mtx row.mtx --transpose-a --on cpu:1 --json
one_line_with "C has $((n * n)) entries, which take .*B, and this machine has .*B of memory available"

# Fill has a least size, which is counted before it is made: here all of n x n.
{
    printf '%%%%MatrixMarket matrix coordinate real general\n%d %d %d\n' "$n" "$n" $((3 * n - 2))
    seq "$n" | awk -v n="$n" '{ print $1, $1, n } $1 > 1 { print 1, $1, 1; print $1, 1, 1 }'
} >arrow.mtx
for fill in 1 all; do
    run 3 tulle factor --check arrow.mtx --fill $fill --on cpu:1 --json
    one_line_with "the factors have at least $((n * n)) entries with their fill, which take .*B, and this machine has .*B"
done

# Tables of rows that are nearly as many as would make a matrix hypersparse are compared with the
# memory before they are filled: of the transpose, of C, and what counts C's entries.
rows=$(((1 << 30) - 1))
printf '%%%%MatrixMarket matrix coordinate real general\n3 %d 3\n1 1 1\n2 5 1\n3 %d 1\n' $rows $rows >wide.mtx
if ((rows * 16 < room)); then
    skipped "tables of $rows rows: this machine has room for them"
else
    bad "tables of all rows, of operands and of C \\($rows rows\\), take .*B, and this machine has .*B" \
        within_a_second tulle spgemm wide.mtx --transpose-a --on cpu:1
fi

# Blank lines of 1 GiB, from a pipe and packed; of the pipe not all is read.
blank_lines() {
    printf '%%%%MatrixMarket matrix coordinate real general\n9 9 1\n'
    head -c 1G /dev/zero | tr '\0' '\n'
}
(set -o pipefail; blank_lines 2>"$folder/told"; echo $? >"$folder/code") | tulle info - >"$out" 2>"$err"
one_line_with 'more than 64 MiB of comments and blank lines'
check "the rest is not read" test "$(cat "$folder/code")" != 0
blank_lines | gzip -1 >blank.mtx.gz
bad 'more than 64 MiB of comments and blank lines' tulle info blank.mtx.gz
finish
