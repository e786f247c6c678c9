# SPDX-License-Identifier: Apache-2.0
# tulle-lab paper: rows that fit the schema on the CPU and on the emulated GPU, real matrices instead of
# stand-ins, the profiler's counters, and bad input.
source "$(dirname "$0")/common.sh"
root=$(cd "$here/../.." && pwd)
export TULLE_BENCH=$root/bench TULLE_PEERS=$root/lab/peers

schema() { check "the schema holds" python3 "$root/bench/schema.py" "$1"; }

# On the CPU: what it has, and no failure for what it has not.
for paper in 1 2 3 4 5; do
    run 0 tulle-lab paper $paper --quick --no-peers --on cpu:2 --out cpu.jsonl
    check "a table of paper $paper" grep -q "^Paper $paper, " "$out"
    check "an end" grep -q 'measurements' "$err"
done
schema cpu.jsonl
rows_where cpu.jsonl 'all(row["stand_in"] is False for row in rows)' \
    '{row["paper"] for row in rows} == {1, 2, 3, 4, 5}' \
    '{row["type"] for row in rows} == {"f32", "f64"}' \
    'any(row["paper"] == 5 and row["kernel"] == "spmv_csr_seq" for row in rows)' \
    'all(row["kernel"] != "spmv_csr_vector" and row["choice"] != "peer" for row in rows)' \
    'all(row["err"] <= 1 for row in rows if row["choice"] not in ("refused", "timeline"))'

# Paper 1: the search during a solution ends beside the exhaustive one; in Newton's method nothing is tried
# after the first step.
newton_holds() {
    rows_where "$1" '[row["call"] for row in rows if row["experiment"] == "newton"] == [1, 2, 3, 4, 5] * '"$2" \
        'all((row["trials"] > 0) == (row["call"] == 1) and row["settled"] and row["method"] == "bicgstab"
             and row["applications"] > 15 for row in rows if row["experiment"] == "newton")' \
        'all(row["left"] < 1e-4 for row in rows if row["experiment"] == "newton" and row["call"] == 5)'
}
newton_holds cpu.jsonl 1

# The paper's tuner: it starts at the fixed rule and stays in the domain; through Newton's method its products
# are noted until it has settled, which is in the first step.
printed_tuner_holds() {
    rows_where "$1" \
        '{(row["matrix"], row["search"]) for row in rows if row["experiment"] == "printed-tuner"} ==
         {("p2d:6", "online"), ("p2d:6", "exhaustive")}' \
        'all(row["kernel"] == "spmv_csr_vector" and row["best"].startswith("spmv_csr_vector:coop=")
             and 0 < row["of_exhaustive"] <= 1 for row in rows if row["choice"] == "tune")' \
        '{row["params"] for row in rows if row["choice"] == "tune" and row["call"] == 1} ==
         {"coop=4,repeat=1,block=128"}' \
        '{row["call"] for row in rows if row.get("search") == "exhaustive"} == {120}' \
        '[row["call"] for row in rows if row["experiment"] == "printed-newton" and row["choice"] == "solution"]
         == [1, 2, 3, 4, 5]' \
        '[row["call"] for row in rows if row["experiment"] == "printed-newton" and row.get("search") == "online"]
         == list(range(1, 1 + sum(row["trials"] for row in rows if row["experiment"] == "printed-newton"
                                  and row["choice"] == "solution")))' \
        '{row["type"] for row in rows if row["experiment"] == "printed-newton"} == {"f64"}'
}

# Finite elements: every operator solves the same systems.
fem_holds() {
    rows_where "$1" '{row["matrix"] for row in rows if row["experiment"] == "fem"} ==
         {"box-quad:10", "box-tet:4", "box-hex27:3"}' \
        '{row["detail"] for row in rows if row["experiment"] == "fem" and row["type"] == "f64"} ==
         {"matrix_free", "local", "packed", "narrow", "csr", "ell", "hyb", "optimised"}' \
        'all(row["type"] == "f64" for row in rows if row.get("detail") == "narrow")' \
        'all(row["iterations"] == 40 and row["op"] == "mesh_cg" and row["err"] <= 1
             and row["product_ms"] > 0 for row in rows if row["experiment"] == "fem")'
}
fem_holds cpu.jsonl
rows_where cpu.jsonl \
    '{(row["matrix"], row["search"]) for row in rows if row["experiment"] == "tuner"} ==
     {(matrix, search) for matrix in ("p2d:6", "fem:40") for search in ("online", "exhaustive")}' \
    'all(row["of_exhaustive"] == 1 for row in rows if row.get("search") == "exhaustive")'

# Paper 3: more and more tasks, sizes of blocks, one core beside, and who took which task when: each once.
tasks_hold() {
    rows_where "$1" \
        '{row["experiment"] for row in rows if row["paper"] == 3} ==
         {"tasks", "timeline", "dot", "axpy", "mvm", "lu", "sle", "core"}' \
        '{row["tasks"] for row in rows if row["experiment"] == "tasks"} == {1, 2, 3, 4, 15, 30}' \
        '{(row["detail"], row["layout"]) for row in rows if row["experiment"] == "dot"} ==
         {(way, layout) for way in ("grouped", "streams", "tasks", "grid") for layout in ("row", "column")}' \
        '{row.get("streams") for row in rows
          if row["experiment"] == "tasks" and row["detail"] == "tasks"} == {30}' \
        '{row["tasks"] for row in rows if row["experiment"] == "mvm"} == {2, 3}' \
        'all(("checked_rows" in row) == (row["tasks"] > 2) and row["err"] <= 1 for row in rows
             if row["paper"] == 3 and row["choice"] == "rule")' \
        '{row["checked_rows"] for row in rows if row["paper"] == 3 and row["op"] == "batch_lu" and row["tasks"] == 3}
         == {2 * 8 * 4}' \
        'all((row.get("core_ms", 0) > 0) == (row["experiment"] in ("core", "lu", "sle")) for row in rows
             if row["paper"] == 3)' \
        '{row["op"] for row in rows if row.get("core_ms")} ==
         {"batch_" + op for op in ("dot", "axpy", "spmm", "spmm_transposed", "lu", "solve")}' \
        'all(len(row["events"]) == row["tasks"] == 6 * row["lanes"] and row["own_lanes"] == 3
             for row in rows if row["choice"] == "timeline")'
}
tasks_hold cpu.jsonl

# Paper 4: every kernel but the default and what the library takes; under a cap, who fails and why,
# on large matrices alone.
rows_where cpu.jsonl \
    '{row["op"] == "spgemm" for row in rows if row["paper"] == 4} == {True}' \
    '{row["kernel"] for row in rows if row["experiment"] == "algorithms" and row["paper"] == 4} ==
     {"spgemm_hash", "spgemm_spa"}' \
    '{row["kernel"] for row in rows if row["experiment"] == "today" and row["paper"] == 4} ==
     {"spgemm_auto"}' \
    '{row["matrix"] for row in rows if row["experiment"] == "memory"} == {"fem:40"}' \
    'all(row["cap"] + row["matrix_bytes"] == 40000 for row in rows if row["experiment"] == "memory")' \
    'all(row["samples"] == 1 and row["peak_bytes"] <= row["cap"] for row in rows
         if row["experiment"] == "memory" and row["choice"] != "refused")' \
    'any("bytes) is too small, and " in row["reason"] and row["kernel"] == "spgemm_auto"
         for row in rows if row["choice"] == "refused" and row["paper"] == 4)' \
    'all(row["cap"] == 0 for row in rows if row["paper"] == 4 and row["experiment"] != "memory")' \
    '{(row["matrix"], row.get("checked_rows")) for row in rows if row["paper"] == 4 and row["choice"] != "refused"} ==
     {("p2d:6", None), ("fem:40", 10)}'

# Paper 5: every order of the entries and of the rows gives the same products; the padding of ELL is refused
# in the end; and every format solves the same systems, each on the matrices that it is for.
slides_hold() {
    rows_where "$1" \
        '{(row["experiment"], row.get("arranged")) for row in rows if row["paper"] == 5} ==
         {("formats", None), ("order", "entries by rows"), ("order", "entries by columns"),
          ("order", "entries shuffled"), ("lengths", None), ("lengths", "rows by length"), ("padding", None),
          ("system", None)}' \
        '{row["kernel"] for row in rows if row.get("arranged") == "entries by rows" and row["choice"] == "forced"}
         == set('"$2"')' \
        '{row["kernel"] for row in rows if row.get("arranged") == "entries shuffled" and row["choice"] == "forced"}
         == {"'"$3"'"}' \
        '{row["format"] for row in rows if row["experiment"] == "lengths"} ==
         {"csr", "ell", "coo", "hyb", "jds", "jds_ell"}' \
        '{row["matrix"] for row in rows if row["experiment"] == "padding"} ==
         {"powerlaw:1000,6,8,100,100,4", "powerlaw:1000,6,100,100,100,4"}' \
        'all((row["choice"] == "refused") == (row["format"] == "ell" and row["max_row"] == 100) for row in rows
             if row["experiment"] == "padding")' \
        '{(row["matrix"], row["method"]) for row in rows if row["experiment"] == "system"} ==
         {("p2d:6", "cg"), ("web:60,4,20,60,10", "bicgstab")}' \
        '{row["format"] for row in rows if row["experiment"] == "system"} ==
         {"csr", "ell", "coo", "hyb", "jds", "jds_ell"}' \
        'all(row["left"] < {"f32": 2e-5, "f64": 2e-8}[row["type"]] and row["iterations"] > 5
             and row["solution_ms"] > 0 for row in rows if row["experiment"] == "system")'
}
slides_hold cpu.jsonl '["spmv_coo"]' spmv_coo

# Products that are not to be checked are not, nor those of the rows in another order or of a system.
run 0 tulle-lab paper 5 --quick --no-peers --no-check --on cpu:1 --type f32 -e lengths -e system --quiet --out unchecked.jsonl
rows_where unchecked.jsonl 'rows and all(row["err"] is None for row in rows)'
rm unchecked.jsonl

# A real matrix goes before its stand-in, which says what it is.
mkdir matrices
run 0 tulle gen p2d5:9,7 matrices/webbase-1M.mtx
run 0 tulle-lab paper 2 --no-peers --on cpu:1 -e today --type f32 --repeat 1 --seconds 0.001 \
    --matrices matrices --matrix webbase-1M --matrix like:torso2 --out real.jsonl
rows_where real.jsonl \
    'rows[0]["matrix"] == "webbase-1M" and rows[0]["source"] == "real" and rows[0]["rows"] == 63' \
    'not rows[0]["stand_in"]' 'rows[-1]["matrix"] == "like:torso2" and rows[-1]["stand_in"]'

# The GPU's kernels, where the emulator is built.
find_places cpu
if [[ " ${places[*]} " == *" emulated "* ]]; then
    quick=(--quick --no-peers --on emulated --type f32 --quiet)
    run 0 tulle-lab paper 1 "${quick[@]}" -e coop -e repeat -e block -e carve -e carve-repeat -e carve-block \
        -e rule --out emu.jsonl
    run 0 tulle-lab paper 1 "${quick[@]}" -e printed-tuner --matrix p2d:6 --out emu.jsonl
    run 0 tulle-lab paper 1 --quick --no-peers --on emulated --type f64 --quiet -e newton -e printed-newton --out emu.jsonl
    newton_holds emu.jsonl 1
    printed_tuner_holds emu.jsonl
    run 0 tulle-lab paper 2 "${quick[@]}" --out emu.jsonl
    check "nothing is said in silence" test ! -s "$err"
    run 0 tulle-lab paper 3 "${quick[@]}" --out emu.jsonl
    run 0 tulle-lab paper 4 "${quick[@]}" --out emu.jsonl
    run 0 tulle-lab paper 5 "${quick[@]}" --out emu.jsonl
    schema emu.jsonl
    rows_where emu.jsonl \
        'sorted({row["params"] for row in rows if row["experiment"] == "coop"}) ==
         sorted(f"coop={c},repeat=1,block=128" for c in (1, 2, 4, 8, 16, 32))' \
        '{row["params"].split(",carve=")[0] for row in rows if row["experiment"] == "carve"} ==
         {row["params"] for row in rows if row["experiment"] == "coop"}' \
        '{(row["experiment"], row["params"].split("carve=")[1]) for row in rows
          if row["kernel"] == "spmv_csr_vector_published" and row["paper"] == 1} ==
         {(name, percent) for name in ("carve", "carve-repeat", "carve-block") for percent in ("0", "50", "100")}' \
        'all("coop=4," in row["params"] for row in rows
             if row["experiment"] in ("repeat", "block", "carve-repeat", "carve-block") and row["matrix"] == "p2d:6")' \
        '{row["request"] for row in rows if row["experiment"] == "rule"} ==
         {"rule reguly_giles", "rule tulle"}' \
        'len({row["params"] for row in rows if row["kernel"] == "spmv_csr_vector" and
              row["experiment"] == "algorithms"}) == 1' \
        '{(row["choice"], row["params"]) for row in rows if row["kernel"] == "spmv_csr_adaptive_published"} ==
         {("plan", "block=1024,long=0"), ("plan", "block=1024,long=1")}' \
        'all(row["prep_ms"] > 0 for row in rows if row["kernel"] == "spmv_csr_adaptive_published")' \
        '{row["params"] for row in rows if row["kernel"] == "spmv_csr_light" and row["paper"] == 2
          and row["matrix"].startswith("rail")} == {"lanes=8,level=0,block=1024", "lanes=8,level=1,block=1024"}' \
        'len([row for row in rows if row["experiment"] == "printed"]) == 2 * 5' \
        'all(row["samples"] == 1 and row["batch"] == 3 and row["making_ms"] > 0
             for row in rows if row["experiment"] == "printed")' \
        '{row["kernel"] for row in rows if row["experiment"] == "printed" and row["apart"] > 0} ==
         {"spmv_csr_vector_published", "spmv_csr_light"}' \
        '{row["params"] for row in rows if row["kernel"] == "spmv_csr_vector_published" and row["paper"] == 2} ==
         {"coop=32,repeat=1,block=1024,carve=50"}' \
        'len({row["format"] for row in rows if row["paper"] == 5}) >= 2' \
        'all(row["reason"] for row in rows if row["choice"] == "refused")' \
        '{row["params"] for row in rows if row["kernel"] == "spgemm_esc" and row["experiment"] == "algorithms"} ==
         {"slice=0", "slice=24"}' \
        '{row["params"] for row in rows if row["experiment"] == "grouping"} == {"p100=1,phases=2,grouped=0"}' \
        '[row["params"] for row in rows if row["choice"] == "refused" and row["kernel"] == "spgemm_esc" and
          "would pass the context" in row["reason"]] == ["slice=0"]' \
        '{row["pieces"] > 1 for row in rows if row["kernel"] == "spgemm_esc" and row["experiment"] == "memory"
          and row["choice"] == "forced"} == {True}' \
        '{row["pieces"] for row in rows if row["params"] in ("slice=0", "p100=1,phases=2,grouped=1")
          and row["choice"] == "forced"} == {1}' \
        'all(row["err"] <= 1 for row in rows
             if row["choice"] not in ("refused", "profile", "timeline"))'
    tasks_hold emu.jsonl
    slides_hold emu.jsonl '["spmv_coo", "spmv_coo_atomic"]' spmv_coo_atomic
    rows_where emu.jsonl \
        '{row["kernel"] for row in rows if row["experiment"] == "lengths"} ==
         {"spmv_csr_scalar", "spmv_ell", "spmv_coo", "spmv_coo_atomic", "spmv_hyb", "spmv_jds", "spmv_jds_ell"}'

    # A profiler that counts the same of every launch; what it runs leaves a row for each product.
    cat >ncu <<'FAKE'
#!/usr/bin/env bash
while [[ $1 == --* ]]; do [[ $1 == --csv ]] && shift || shift 2; done
echo '==PROF== Connected'
"$@" || exit 1
while (($#)); do [[ $1 == --out ]] && rows=$2; shift; done
echo '"ID","Process Name","Kernel Name","Section Name","Metric Name","Metric Unit","Metric Value"'
id=0
launch() {
    local row='"%d","tulle","%s","Command line profiler metrics","%s","","%s"\n'
    printf "$row" $id "$1" gpu__time_duration.sum "$2"
    printf "$row" $id "$1" sm__warps_active.avg.pct_of_peak_sustained_active "$3"
    printf "$row" $id "$1" smsp__thread_inst_executed_per_inst_executed.ratio 16
    printf "$row" $id "$1" dram__bytes.sum 1,024
    printf "$row" $id "$1" l1tex__t_sector_hit_rate.pct n/a
    id=$((id + 1))
}
launch 'void fill<double>(T1 *)' 500 9
while read -r _; do
    launch 'void ""one"", of two<float>' 1,000 80
    launch 'void two of two<float>' 3,000 40
    launch 'void fill<double>(T1 *)' 500 9
done <"$rows"
FAKE
    chmod +x ncu
    TULLE_NCU=$PWD/ncu run 0 tulle-lab paper 1 --quick --profile --on emulated --out profile.jsonl
    schema profile.jsonl
    rows_where profile.jsonl 'len(rows) == 2 * (6 + 18)' \
        'all(row["choice"] == "profile" and row["launches"] == 2 for row in rows)' \
        'all(row["occupancy"] == 50 and row["warp_efficiency"] == 50 for row in rows)' \
        'all(row["dram_bytes"] == 2048 and abs(row["ms"] - 0.004) < 1e-9 for row in rows)' \
        'all(row["l1_hit"] is None and row["load_efficiency"] is None for row in rows)'
    TULLE_NCU=$PWD/ncu run 0 tulle-lab paper 3 --quick --profile --on emulated --out tasks.jsonl
    schema tasks.jsonl
    rows_where tasks.jsonl \
        '{(row["op"], row["detail"], row["layout"]) for row in rows} ==
         {(op, way, layout) for op in ("batch_dot", "batch_axpy", "batch_spmm", "batch_spmm_transposed")
          for way in ("grouped", "streams", "tasks", "grid") for layout in ("row", "column")} |
         {("batch_axpy", "shuffles", layout) for layout in ("row", "column")} |
         {(op, "grid", "row") for op in ("batch_lu", "batch_solve")}' \
        '{row["tasks"] for row in rows if row["experiment"] == "tasks"} == {1, 2, 4}' \
        'all(row["choice"] == "profile" and row["occupancy"] == 50 and row["shared_load"] is None
             for row in rows)'
    # What cannot take entries in such an order is not called.
    TULLE_NCU=$PWD/ncu run 0 tulle-lab paper 5 --quick --profile --on emulated --out slides.jsonl
    schema slides.jsonl
    rows_where slides.jsonl \
        'len(rows) == 2 * (4 + 14)' 'all(row["choice"] == "profile" for row in rows)' \
        '{(row["arranged"], row["kernel"]) for row in rows if row["experiment"] == "order"} ==
         {("entries by rows", "spmv_coo"), *((f"entries {order}", "spmv_coo_atomic")
          for order in ("by rows", "by columns", "shuffled"))}' \
        '{row["experiment"] for row in rows if "arranged" not in row} == {"lengths"}'
    # One that loses the last product must not give its counters to others.
    sed -i "s/^done <.*/done < <(sed '\$d' \"\$rows\")/" ncu
    TULLE_NCU=$PWD/ncu run 1 tulle-lab paper 1 --quick --profile --on emulated
    check "says what is missing" grep -q 'saw 47 products' "$err"
    TULLE_NCU=/bin/true run 0 tulle-lab paper 1 --quick --profile --on emulated
    one_line_with 'no profile: the profiler saw no kernel'
fi
TULLE_NCU=$PWD/none run 0 tulle-lab paper 2 --profile
one_line_with 'no profile: there is no ncu'

# The pages are made from whatever rows there are, the same every time, and from none.
page() { "${TULLE_PYTHON:-/usr/bin/python3}" "$root/lab/papers.py" --docs docs "$@"; }
run 0 page --results .
run 0 page --results . --check
run 0 page --results . --all whole
check "a table of formats" grep -q '^| format | kernel |' whole/papers/5.md
check "a time line" grep -q '!\[3 threads that compute, 2 that drive the GPU\]' docs/papers/3.md
check "a claim of paper 3" grep -qE 'DOT: 30 tasks take so many times the time of 15: .* tasks on 30 streams§? \(the paper, .*: less than 2; (not )?so here\)' docs/papers/3.md
check "what was checked on samples" grep -q '^- §: checked on a sample of rows of the result, .*(8, .* rows)' docs/papers/3.md
check "and of which paper 4" grep -q '^- §: checked on a sample of rows of the result, .*(10 rows)' docs/papers/4.md
check "with the size of the sample" grep -q '| hash | .*, 10 rows checked |' whole/papers/4.md
check "what was not run" grep -q 'tulle-lab paper 1 --experiment coop --out FILE' docs/papers/1.md
run 1 page --results none --check
run 0 page --results none
check "no results for paper 5" grep -q 'tulle-lab paper 5 --out FILE' docs/papers/5.md

# A limit on time stops the run and says so.
run 0 tulle-lab paper 2 --quick --no-peers --on cpu:1 --minutes 0.0000001
check "says that it stopped" grep -q 'stopped early: [12] of 2' "$err"

# A product of capped memory that takes too long is left out.
run 0 tulle-lab paper 4 --quick --no-peers --on cpu:1 --experiment memory --give-up 0.0000001 --out late.jsonl
rows_where late.jsonl 'rows and all("longer than 1e-07 s" in row["reason"] for row in rows)'

# Bad input.
bad '--give-up: paper 1 makes no sparse results' tulle-lab paper 1 --give-up 2
bad '--give-up: the time is not negative' tulle-lab paper 4 --give-up -2
bad 'no experiment for paper 6 in this version; there are 1, 2, 3, 4, 5' tulle-lab paper 6
bad 'no experiment for paper four' tulle-lab paper four
bad "paper 1 has no 'copo'; did you mean coop" tulle-lab paper 1 --experiment copo
bad "paper 1 has no matrix 'F2'" tulle-lab paper 1 --matrix F1 --matrix F2
bad 'missing: NUMBER' tulle-lab paper
bad 'seconds' tulle-lab paper 1 --seconds 0
bad 'minutes' tulle-lab paper 1 --minutes -1
bad 'paper 4 has nothing to profile' tulle-lab paper 4 --profile
bad '--calls: needs --out' tulle-lab paper 1 --calls
bad 'none/x.jsonl: No such file' tulle-lab paper 1 --quick --on cpu:1 --out none/x.jsonl
finish
