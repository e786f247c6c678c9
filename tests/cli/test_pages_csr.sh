# SPDX-License-Identifier: Apache-2.0
# What the pages of papers 1 and 2 say, from rows whose times and counters are known: of the paper's tuner,
# the split of the L1, and what paper 2's text says of its figures. Each claim holds on some rows and not on others.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
export TULLE_BENCH=$root/bench TULLE_PEERS=$root/lab/peers

page() { # rows, the page's name
    mkdir -p "$1"
    python3 known.py "$1" >"$1/rows.jsonl"
    run 0 "${TULLE_PYTHON:-/usr/bin/python3}" "$root/lab/papers.py" --results "$1" --docs "$1-docs"
    page=$1.md
    cat "$1-docs"/papers/[12].md >"$page"
}
shows() { check "the page has: $1" grep -qF -- "$1" "$page"; }

run 0 tulle-lab bench p2d:8 --on cpu:1 --type f64 --format csr --seconds 0.001 --peers none --quiet --json template.jsonl
cat >known.py <<'PYTHON'
import json, sys
rows = [json.loads(line) for line in open("template.jsonl")]
like = next(row for row in rows if row["choice"] == "rule")
so = sys.argv[1].endswith("-so")


def put(paper, experiment, matrix, ms, kernel, params, choice="forced", **more):
    row = {**like, **dict.fromkeys(("ms", "ms_q10", "ms_q90", "ms_cold"), ms), "paper": paper,
           "experiment": experiment, "matrix": matrix, "source": "like", "backend": "cuda", "machine": "GPU",
           "copy_gbs": 100, "class": "cache", "choice": choice, "kernel": kernel, "params": params, "type": "f32",
           "request": f"forced {kernel}:{params}", "peer_version": None, **more}
    print(json.dumps(row))


def search(experiment, matrix, speeds, **more):
    """A search whose first point is the rule's; speeds: of the exhaustive search's, after each call."""
    for call, speed in enumerate(speeds, 1):
        params = "coop=8,repeat=1,block=128" if speed == speeds[0] else f"coop=4,repeat={2 ** call},block=128"
        best = f"spmv_csr_vector:{params}"
        put(1, experiment, matrix, 1 / speed, "spmv_csr_vector", params, "tune", search="online", call=call,
            call_ms=2 / speed, counts=call > 1, best=best, best_ms=1 / speed, of_exhaustive=speed, **more)


def paper_1():
    vector, published = "spmv_csr_vector", "spmv_csr_vector_published"
    search("printed-tuner", "like:F1", [0.8, 0.8, 0.8, 0.9, 0.9, 0.9, 1, 1])
    search("printed-tuner", "like:cant", [0.88] * 7 if not so else [0.88] * 6 + [0.96], nnz=1002)
    search("printed-newton", "newton:4", [0.5, 0.5, 0.75, 0.75], type="f64")
    for step in range(5):
        put(1, "printed-newton", "newton:4", 1, vector, "coop=4,repeat=8,block=128", "solution", type="f64",
            call=step + 1, method="bicgstab", iterations=2, applications=3, trials=4 * (step == 0) + so * step,
            settled=True, left=0.1, solution_ms=9)
    for coop, ours, theirs in ((1, 30, 60), (8, 50, 40), (32, 70, 20)):
        put(1, "coop", "like:cant", coop, vector, f"coop={coop},repeat=1,block=128")
        put(1, "coop", "like:cant", 1, vector, f"coop={coop},repeat=1,block=128", "profile",
            l1_hit=ours if so else theirs, warp_efficiency=90 if so else 80, occupancy=50, load_efficiency=50)
        for carve in (0, 50, 100):
            params = f"coop={coop},repeat=1,block=128,carve={carve}"
            put(1, "carve", "like:cant", coop * (1 + (0.01 if so else 0.004) * carve), published, params)
            put(1, "carve", "like:cant", 1, published, params, "profile", l1_hit=theirs - carve / 10,
                warp_efficiency=90, occupancy=50, load_efficiency=50)
    for type_, vendor in (("f32", 2.4), ("f64", 1.5 if so else 1.2)):
        put(1, "rule", "like:cant", 1.25 if so else 2, vector, "coop=8,repeat=1,block=128", "rule", type=type_,
            request="rule reguly_giles")
        put(1, "exhaustive", "like:cant", 1, vector, "coop=4,repeat=1,block=128", type=type_)
        put(1, "vendor", "like:cant", vendor, "cusparse_csr_alg1", "", "peer", type=type_)
    put(1, "formats", "like:cant", 1.5, "spmv_ell", "block=64", format="ell")
    put(1, "formats", "like:cant", 1.5 if so else 0.5, "spmv_hyb", "block=64", format="hyb")
    for detail, ms in (("csr", 5), ("local", 2 if so else 4), ("matrix_free", 1)):
        put(1, "fem", "box-hex:4", ms, "tulle_linop_apply", "", "rule", request=f"rule of {detail}", detail=detail,
            gbs=1, parts_ms=ms, product_ms=ms / 2, prep_ms=1)
    for repeat in (1, 2):
        for carve in (0, 100):
            put(1, "carve-repeat", "like:cant", repeat + carve / 100, published,
                f"coop=8,repeat={repeat},block=128,carve={carve}")


SPECS = {"scalar": ("scalar", "block=1024"), "vector": ("vector", "coop=32,repeat=1,block=1024"),
         "adaptive": ("adaptive_published", "block=1024,long=1"), "pcsr": ("pcsr", "add=64"),
         "light": ("light", "lanes=8,level=1,block=1024")}
# Entries a row, then GFLOP/s of the five.
SPEEDS = {"webbase-1M": (3, 40, 5, 30, 10, 10), "mc2depi": (4, 38, 8, 31, 12, 11), "torso2": (9, 36, 10, 30, 40, 12),
          "cant": (30, 8, 40, 29, 40, 45), "consph": (36, 7, 42, 30, 41, 50), "F1": (40, 6, 44, 31, 13, 48),
          "pdb1HYS": (60, 5, 46, 30, 11, 47)}


def paper_2():
    for matrix, (a_row, *speeds) in SPEEDS.items():
        speeds = speeds if so else [speeds[2], speeds[0], speeds[1], speeds[4], speeds[0]]
        for (name, (kernel, params)), speed in zip(SPECS.items(), speeds):
            for type_, part in (("f32", 1), ("f64", 0.4 if so and name == "pcsr" else 0.6)):
                put(2, "algorithms", f"like:{matrix}", 1 / (speed * part), f"spmv_csr_{kernel}", params, type=type_,
                    rows=100, nnz=100 * a_row, gflops=speed * part, gbs_kernel=speed if so else 1.5 * speed + 40,
                    matrix_bytes=2 ** (20 if matrix == "mc2depi" else 30))
            long = a_row >= 18
            worse = long == (so and name in ("scalar", "adaptive"))
            put(2, "algorithms", f"like:{matrix}", 1, f"spmv_csr_{kernel}", params, "profile", rows=100, nnz=100 * a_row,
                occupancy=95 if name == "vector" and so else 40 if worse else 60,
                warp_efficiency=(30 if name == "light" else 40 if worse else 70) if so else 90 if name == "light" else 80,
                load_efficiency={"scalar": 10, "pcsr": 90 if so else 5}.get(name, 50), l1_hit=50)


paper_1()
paper_2()
PYTHON

page rows-so
shows "| run-time tuning comes from 84 to 98 % of the exhaustive search's speed in 7 iterations | on systems made from the matrices: Tulle's search in the paper's domain, from the fixed rule: from 84 to 98 % (f32) | so here |"
shows "| \`like:F1\` | f32 | \`spmv_csr_vector coop=8,repeat=1,block=128\` | 80.0 | 100.0 | 100.0 | \`spmv_csr_vector:coop=4,repeat=256,block=128\` |"
shows "ends where it began in 0 of 2 (f32) searches; in the mean it comes from 84.0 to 98.0 % (f32: a gain) of the exhaustive search's speed."
shows "- Tulle's search in the paper's domain tries 4 times in the first step of Newton's method and 10 times after it, f64: that the tuner's state is kept is not so here."
shows "- Tulle's search in the paper's domain is at 50 % of the exhaustive search in the first product of Newton's method and at 75 % after 7, f64 (the paper's means: 84 % and 98 %; 98 % after 7 is not so here)."
shows "| with 1 to 32 threads a row the L1 hit rate rises from 19.56 to 78.57 % | from 30 to 70 % in \`spmv_csr_vector\`; in the published kernel it rises with 0 of 3 splits of L1 and shared memory | not so here |"
shows '| divergence is 5.3 to 12.8 %, most with 2 threads a row | 10 % of lanes idle, most with 1 | so here |'
shows '- With 50 % of the L1 as shared memory the L1 hit rate of the published kernel goes from 55 % with coop 1 to 15 % with 32; that it rises is not so here.'
shows '| thrashing the L1 is expensive | with the smallest L1 the published kernel takes 2.00 (f32) times as long as with the largest at coop 8, and at another coop 2.00 (f32) times | so here |'
shows "- With each split's best coop, 0 % shared is fastest and 100 % takes 2.00 times as long, f32."
shows '| optimal parameters depend on the matrix | the best number of threads a row is 1; one number for all takes 1.00 (f32) times as long as the best of each matrix | not so here |'
shows "- With each split's best repeat, 0 % shared is fastest and 100 % takes 2.00 times as long, f32."
shows '| 100 | 32 | 64.00 | - | 78.57 | 10.0 |'
shows "| 100 | 2 | 3.00 | - |"
shows "| the fixed rule, where tuning starts, has 84 % of the exhaustive search's speed | 80 % (f32), 80 % (f64) in the mean of 1 matrices | not so here |"
shows "| the fixed rule is 1.9 (f32), 1.25 (f64) times as fast as cuSPARSE | \`spmv_csr_vector\` 1.92 (f32), 1.20 (f64) times in the mean of 1 matrices; \`spmv_csr_vector_published\`, with its best split of the L1, "
shows "| the tuned kernel is 2.1 (f32), 1.35 (f64) times as fast as cuSPARSE | \`spmv_csr_vector\` 2.40 (f32), 1.50 (f64) times, by exhaustive search, in the mean of 1 matrices; \`spmv_csr_vector_published\`, with its best split of the L1 and the best of its sweeps, "
shows '| knowledge of the problem in FEM, by local matrices: 2 times as fast | CG is 2.50 times as fast as with the best assembled matrix of a mesh; by matrix-free products 5.00 times | so here |'
shows '| the gap between CSR and ELLPACK or hybrid formats is closed | time over that of tuned CSR: ELL 1.50 times (faster on 0 of 1), HYB 1.50 times (faster on 0 of 1) | so here |'
shows '| scalar falls with the entries of a row (Fig. 4) | rank correlation of GFLOP/s with them: -1.00 (f32), -1.00 (f64); 0.446 and more is a trend | so here |'
shows '| adaptive is the steadiest of the five (Fig. 6) | its GFLOP/s deviate by 2 % (f32), 2 % (f64) of their mean, '
shows '- pcsr is steady but for very short and very long rows (Fig. 7): 11 (f32), 4 (f64) GFLOP/s on the 2 matrices with the shortest, 12 (f32), 5 (f64) on those with the longest, 40 (f32), 16 (f64) on the rest; so here.'
shows '| light excels from 18 entries a row on (Fig. 8) | 48 (f32), 28 (f64) GFLOP/s there, 11 (f32), 7 (f64) on shorter rows | so here |'
shows '| light is the fastest of the five on 9 of 15 matrices, f32 (Fig. 9) | on 4 of 7; scalar on 2, pcsr on 1 | so here |'
shows '| light has the highest mean GFLOP/s: 34.9 (f32), 25.8 (f64) | '
shows '- light is fastest on consph in the paper, with 50 GFLOP/s, f32; that is 14.9 GFLOP/s for 100 GB/s of memory. Here light is fastest on consph, with 50 GFLOP/s, 50.0 for 100 GB/s; so here.'
shows '| pcsr loses most in double precision, half of its GFLOP/s or more (Fig. 7) | it keeps 40 %; the least kept is 40 %, by pcsr | so here |'
shows '- scalar wins where light does not, on 2 matrices with short rows (Fig. 9): here on 2 at 3.0 to 4.0 entries a row, light on 4, f32; so here.'
shows '- adaptive is more efficient on short rows (Figs. 10, 11): an occupancy of 60 and 40 %, a warp efficiency of 70 and 40 %, on fewer than 18 entries a row and on longer rows, f32; so here.'
shows "- vector has an occupancy above 90 % on both (Fig. 10): 95 and 95 %; so here. vector's warp efficiency is lower (Fig. 11): 40 and 70 %; so here."
shows "- light's threads of a warp are unevenly loaded (Fig. 11): its warp efficiency is 30 %, the least of the five 30 % by light; so here."
shows "- pcsr is the most particular about coalescing (Fig. 13): its loads are 90 % efficient, the others' 50 % and less; so here. scalar's loads coalesce least: 10 %; so here."
shows "- scalar's bandwidth with more than 27 entries a row is 50 and below GB/s (Fig. 12), 15 % of the bus, f32: here 5 to 8 % of a copy, 4 matrices; so here."
shows "- vector's bandwidth with about 32 entries a row is 100 and more GB/s (Fig. 12), 30 % of the bus, f32: here 40 to 44 % of a copy, 3 matrices; so here."
shows "- vector's bandwidth with fewer than 6 entries a row is less than 30 GB/s (Fig. 12), 9 % of the bus, f32: here 5 to 8 % of a copy, 2 matrices; so here."
shows "- adaptive's bandwidth is at most 133 GB/s (Fig. 12), 40 % of the bus, f32: here 29 to 31 % of a copy, 7 matrices; so here."
shows "- Of 14 pairs of matrix and type, 2 would fit into the 3 MB of L2 of the paper's GPU; here the bytes of 14 are at most four times what the last-level cache holds, so that their bandwidth is not the memory's alone."

page rows
shows "Tulle's search in the paper's domain, from the fixed rule: from 84 to 94 % (f32) | not so here |"
shows 'ends where it began in 1 of 2 (f32) searches; '
shows "- Tulle's search in the paper's domain tries 4 times in the first step of Newton's method and nothing after it, f64: that the tuner's state is kept is so here."
shows "from 60 to 20 % in \`spmv_csr_vector\`; in the published kernel it rises with 0 of 3 splits"
shows '| 20 % of lanes idle, most with 1 | not so here |'
shows "\`spmv_csr_vector\` 2.40 (f32), 1.20 (f64) times, by exhaustive search, in the mean of 1 matrices; \`spmv_csr_vector_published\`"
shows '| CG is 1.25 times as fast as with the best assembled matrix of a mesh; by matrix-free products 5.00 times | not so here |'
shows 'HYB 0.50 times (faster on 1 of 1) | not so here |'
shows '| light is the fastest of the five on 9 of 15 matrices, f32 (Fig. 9) | on 0 of 7; '
check "few claims hold" test "$(grep -c 'f32; so here' "$page")" -lt 6
for claim in 'scalar falls' 'adaptive is the steadiest' 'light excels' 'pcsr loses most' 'light is the fastest' \
    'light has the highest'; do
    check "not so: $claim" grep -q "^| $claim.* | not so here |" "$page"
done
for claim in 'light is fastest on consph' 'scalar wins where' \
    'adaptive is more efficient' 'vector has an occupancy' "light's threads" 'pcsr is the most' "scalar's bandwidth" \
    "vector's bandwidth with fewer" "adaptive's bandwidth is at most"; do
    check "not so: $claim" grep -q "^- $claim.* not so here" "$page"
done

# Where nothing of these was measured, sections say what makes it, and no sentence stands.
mkdir none
grep -v '"paper": 2, \|printed-\|carve' rows/rows.jsonl >none/rows.jsonl
run 0 "${TULLE_PYTHON:-/usr/bin/python3}" "$root/lab/papers.py" --results none --docs none-docs
page=none.md
cat none-docs/papers/[12].md >$page
for what in printed-tuner printed-newton 'carve --experiment carve-repeat --experiment carve-block'; do
    shows "There are no results for this yet; \`tulle-lab paper 1 --experiment $what --out FILE\` makes them."
done
check "no sentence of the paper's tuner" test "$(grep -c "^- The paper's tuner" "$page")" = 0
check "nor a claim" test "$(grep -c '^| run-time tuning' "$page")" = 0
finish
