# SPDX-License-Identifier: Apache-2.0
# Files written, read and written again are the same, byte by byte.
source "$(dirname "$0")/common.sh"

same() { check "$1 and $2 are the same" cmp "$1" "$2"; }

# Through every container and back.
round_trip() {
    for ending in tulle mtx.gz mtx.xz mtx.zst tulle.zst; do
        run 0 tulle convert "$1" "through.$ending"
        run 0 tulle convert "through.$ending" back.mtx
        same "$1" back.mtx
        rm "through.$ending" back.mtx
    done
}

run 0 tulle gen p2d5:3,2 small.mtx --quiet
check "quiet is quiet" test ! -s "$out"
check "a small matrix is what it was" diff "$here/golden/p2d5_3x2.mtx" small.mtx
round_trip small.mtx
run 0 tulle gen fem:700 fem.mtx --seed 5
check "a remark in one line" test "$(wc -l <"$out")" = 1
round_trip fem.mtx
run 0 tulle gen random:50,20,0 nothing.mtx
round_trip nothing.mtx

# The same bits from any number of threads; others from another seed.
for place in cpu cpu:1 cpu:3; do
    run 0 tulle gen fem:700 again.mtx --seed 5 --on "$place"
    same fem.mtx again.mtx
done
run 0 tulle gen fem:700 other.mtx --seed 6
check "the seed matters" sh -c '! cmp -s fem.mtx other.mtx'

# Symmetric and pattern files.
run 0 tulle convert fem.mtx lower.mtx --symmetric
check "the head says symmetric" grep -q '^%%MatrixMarket matrix coordinate real symmetric' lower.mtx
check "the lower triangle is smaller" test "$(wc -l <lower.mtx)" -lt "$(wc -l <fem.mtx)"
run 0 tulle convert lower.mtx full.mtx
same fem.mtx full.mtx
run 0 tulle convert fem.mtx pattern.mtx --pattern
check "the head says pattern" grep -q '^%%MatrixMarket matrix coordinate pattern' pattern.mtx
run 0 tulle info pattern.mtx --json
json_where 'd["file"]["field"] == "pattern" and d["values"]["smallest"] == d["values"]["largest"] == 1'
run 0 tulle gen random:50,50,4 random.mtx
bad 'symmetric' tulle convert random.mtx no.mtx --symmetric
check "no file after a failure" test ! -e no.mtx

# f32: rounded once, and then kept.
run 0 tulle convert fem.mtx f32.mtx --type f32
run 0 tulle convert f32.mtx f32_again.mtx --type f32
same f32.mtx f32_again.mtx

# What was there stays when the conversion fails, and is replaced when it works.
cp small.mtx keep.mtx
run 2 tulle convert no_such.mtx keep.mtx
same small.mtx keep.mtx
run 0 tulle convert fem.mtx keep.mtx
same fem.mtx keep.mtx
check "no temporary files are left" test -z "$(find . -name '*tmp*' -o -name '*.mtx.*' | grep -v '\.mtx$')"

# Places where no matrix can go.
bad 'must end in .mtx' tulle convert small.mtx small.txt
bad 'directory' tulle convert small.mtx .
bad 'no regular file' tulle convert small.mtx /dev/null
bad 'no_such_folder' tulle convert small.mtx no_such_folder/small.mtx

# Other ways to name a matrix.
tulle info - --json <small.mtx >"$out"
json_where 'd["nnz"] == 20 and d["source"] == "real"'
run 0 tulle info tile:small.mtx:3 --json
json_where 'd["rows"] == 18 and d["nnz"] == 60 and d["source"] == "tile"'
mkdir matrices
run 0 tulle convert small.mtx matrices/named.mtx.xz
run 0 env TULLE_MATRICES="$PWD/matrices" tulle info named --json
json_where 'd["nnz"] == 20 and d["file"]["container"] == "xz"'
run 0 env TULLE_MATRICES="$PWD/matrices" tulle info tile:named:2 --json
json_where 'd["nnz"] == 40'
tar czf small.tar.gz --transform 's,^,small/,' small.mtx
run 0 tulle convert small.tar.gz unpacked.mtx
same small.mtx unpacked.mtx
finish
