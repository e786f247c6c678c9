# SPDX-License-Identifier: Apache-2.0
# Matrices in the reverse Cuthill-McKee order, when asked for.
source "$(dirname "$0")/common.sh"

# A grid of 30 x 20 whose points were numbered at random.
python3 -c '
import random
random.seed(4)
wide, high = 30, 20
place = list(range(wide * high))
random.shuffle(place)
entries = []
for y in range(high):
    for x in range(wide):
        for i, j in (x, y), (x - 1, y), (x + 1, y), (x, y - 1), (x, y + 1):
            if 0 <= i < wide and 0 <= j < high:
                entries.append((place[y * wide + x] + 1, place[j * wide + i] + 1, x + 7 * i))
print("%%MatrixMarket matrix coordinate real general")
print(wide * high, wide * high, len(entries))
for entry in entries: print(*entry)' >grid.mtx

run 0 tulle convert grid.mtx near.mtx --order rcm --permutation order.mtx --json
json_where '20 <= d["bandwidth"] <= 21 and d["bandwidth_before"] > 300 and d["nnz"] == 600 * 5 - 100'
run 0 tulle convert grid.mtx near.mtx --order rcm
check "the bandwidth is said" grep -Eq '; bandwidth 2[01], was [0-9]+$' "$out"
check "B is P A P^T" python3 -c '
def entries(name):
    rows = [line.split() for line in open(name) if not line.startswith("%")][1:]
    return {(int(i), int(j)): float(v) for i, j, v in rows}
order = [int(line) for line in open("order.mtx").read().split("\n")[2:] if line]
assert sorted(order) == list(range(1, 601))
A, B = entries("grid.mtx"), entries("near.mtx")
assert len(A) == len(B)
assert all(A[order[i - 1], order[j - 1]] == v for (i, j), v in B.items())'

# Nothing is reordered unasked; the same is done to every kind of file.
run 0 tulle convert grid.mtx same.mtx
run 0 tulle convert same.mtx near2.tulle --order rcm
run 0 tulle convert near2.tulle near2.mtx
check "the order does not depend on the file" cmp near.mtx near2.mtx
run 0 tulle info same.mtx --json --on cpu
json_where 'd["bandwidth"] > 300 and "rcm" not in d["advice"]'

# tulle info says what it would do, when asked.
run 0 tulle info grid.mtx --rcm --json --on cpu
json_where '20 <= d["advice"]["rcm"]["bandwidth"] <= 21 and 0 < d["advice"]["rcm"]["ratio"] < 1'
run 0 tulle info grid.mtx --rcm --on cpu --no-picture
check "it is said" grep -Eq '^  order         rcm .*: bandwidth 2[01] instead of [0-9]+,$' "$out"
run 0 tulle info grid.mtx --on cpu --no-picture
check "and not unasked" sh -c "! grep -q rcm '$out'"

bad 'there is none without --order rcm' tulle convert grid.mtx x.mtx --permutation p.mtx
bad 'order' tulle convert grid.mtx x.mtx --order amd
bad 'only a square matrix' tulle convert random:30,40,3 x.mtx --order rcm
bad 'only a square matrix' tulle info random:30,40,3 --rcm --on cpu
bad 'p.mtx' tulle convert grid.mtx x.mtx --order rcm --permutation missing/p.mtx
check "no file after a failure" test ! -e x.mtx
finish
