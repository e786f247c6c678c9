#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/performance.md, docs/performance-tables.md and their plots from bench/results/*.jsonl.

performance.py [--check] [--results DIR] [--docs DIR]

Every measured number on the pages comes from a result file. Of measurements that were repeated, the
latest counts. --check writes nothing and exits with 1 if the pages are not what the results give.
Plots (docs/plots/*.svg) need matplotlib; without it the pages have tables alone, and --check
compares the pages alone.
"""
import pathlib

from pages import bars, each, output, spmm, spmv, tuner, versus
from pages import plots as drawing
from pages.cases import CLASSES, SAME, cases_of
from pages.tables import group, is_right, read_rows, span, spec

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLASS_TEXT = {
    "memory": "at least four times the last-level cache: the memory's bandwidth decides",
    "cache": "less than that, yet more than a launch",
    "launch": "a floor under 5 µs: the latency of the call decides",
}
HEAD = "<!-- Made by scripts/performance.py from bench/results/; do not edit. -->"


def machine_lines(rows):
    versions = sorted({row["peer_version"] for row in rows if row["peer_version"]})
    threads = max(row["threads"] for row in rows)
    commits = sorted({row["commit"] for row in rows})
    yield ("- copy bandwidth, measured in each run: "
           f"{span(rows, 'copy_gbs', '{:.0f}')} GB/s, reads plus writes")
    if threads:
        yield f"- threads: {threads}"
    yield f"- peers: {', '.join(versions) if versions else 'none in these runs'}"
    yield f"- {len(rows)} measurements, {span(rows, 'date', '{:.10}')}, commit {', '.join(commits)}"
    checked = [row for row in rows if row["err"] is not None]
    ours = [row["err"] for row in checked if row["choice"] != "peer"]
    if ours:
        yield f"- largest error of tulle: {max(ours):.2g} of its bound"
    if len(checked) < len(rows):
        yield f"- not checked, and left out below: {len(rows) - len(checked)} measurements"
    for row in checked:
        if not is_right(row):
            yield (f"- WRONG: {spec(row)} on `{row['matrix']}` {row['type']} {row['trans']}: "
                   f"{row['err']:.3g} times the bound")
    yield ""


def title_of(row):
    transposed, block = row["trans"] == "t", row["op"] == "spmm"
    product = ("SpMM " if block else "SpMV ") + ("transposed, Aᵀ" if transposed else "A")
    offsets, columns = row["index"].split("/")
    return f"{product}{'X' if block else 'x'}, {offsets}-bit offsets, {columns}-bit columns"


def parts_of(cases, *names):
    """Lists of cases whose rows have the same values of some keys; those of one vector first."""
    rows = [{**{name: case.any[name] for name in names}, "case": case} for case in cases]
    parts = [[row["case"] for row in of_part] for of_part in group(rows, *names).values()]
    return sorted(parts, key=lambda of_part: of_part[0].any["op"] == "spmm")


def machine_summary(rows, cases, paths, plots):
    backend = rows[0]["backend"]
    yield from machine_lines(rows)
    yield from bars.lines(backend, cases, paths)
    for of_part in parts_of(cases, "op", "trans", "index"):
        title = title_of(of_part[0].any)
        if of_part[0].any["op"] == "spmm":
            yield from spmm.lines(of_part, title)
        else:
            yield from spmv.lines(of_part, title, plots)
            yield from versus.lines(of_part)
    yield from tuner.lines(paths, plots)


def machine_tables(cases, paths, plots):
    for of_part in parts_of(cases, "op", "trans", "index", "type"):
        title = title_of(of_part[0].any)
        if of_part[0].any["op"] == "spmm":
            yield from each.spmm_lines(of_part, title)
        else:
            yield from each.spmv_lines(of_part, title, plots)
    yield from tuner.detail_lines(paths)


def summary_head():
    yield from (
        HEAD, "", "# Performance", "",
        "Every matrix: [performance-tables.md](performance-tables.md). What the words mean:", "",
        "- time: the median of calls back to back; cold: after the caches were filled with other "
        "data",
        "- floor: the time in which the machine's own copy, measured in the same run, would move "
        "the fewest bytes that the product needs from CSR (each input read once, each output "
        "written once); the columns have the floor over the time",
        "- `rule`: what `tulle_spmv` or `tulle_spmm` picks by itself",
        "- `optimise`: after `tulle_mat_optimize`, which may change the format",
        "- best kernel: the fastest of the rule and each kernel by name, on CSR and without a plan; "
        "best plan: of the plans of all kernels",
        "- CSR peer: the fastest of the peers on CSR, after its preprocessing where that is "
        "faster; best peer: in any format",
        "- a ratio, A / B: the speed of A over that of B; above 1, A is faster; means are "
        "geometric",
        "- slower than the peer: in the classes cache and launch, by more than 3 % and 0.3 µs", "",
        "Classes, never mixed in a mean:", "")
    yield from (f"- {name}: {CLASS_TEXT[name]}" for name in CLASSES)
    yield ""


def tables_head():
    yield from (
        HEAD, "", "# Performance, every matrix", "",
        "What the columns mean: [performance.md](performance.md). Best: the fastest of the rule, "
        "each kernel by name, each plan, and optimise. Faster times are bold.", "")


def make(results):
    """The pages by their file names, and the plots."""
    summary, each_matrix, plots = list(summary_head()), list(tables_head()), []
    rows = [row for row in read_rows(results.glob("*.jsonl"), SAME) if "err" in row]
    if not rows:
        summary += ["There are no measurements in bench/results/ yet.", ""]
    for (machine, backend), of_machine in group(rows, "machine", "backend").items():
        cases, paths = cases_of(of_machine), tuner.paths_of(of_machine)
        heading = [f"## {machine} ({backend})", ""]
        summary += [*heading, *machine_summary(of_machine, cases, paths, plots)]
        each_matrix += [*heading, *machine_tables(cases, paths, plots)]
    pages = {"performance.md": summary, "performance-tables.md": each_matrix}
    return {name: output.text_of(lines) for name, lines in pages.items()}, plots


def main():
    options = output.parse_options(__doc__, ROOT / "bench" / "results", ROOT / "docs")
    pages, plots = make(options.results)
    for name, text in pages.items():
        if options.check:
            output.check(options.docs / name, text, "performance.py")
        else:
            output.write(options.docs / name, text)
    if not options.check:
        drawing.write(plots, options.docs / "plots", lambda name: not name.startswith("papers-"),
                      "performance.py")


if __name__ == "__main__":
    main()
