#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/performance.md and its plots from the measurements in bench/results/*.jsonl.

performance.py [--check] [--results DIR] [--docs DIR]

Every number on the page comes from a result file. Of measurements that were repeated, the latest
counts. --check writes nothing and exits with 1 if the page is not what the results give. Plots
(docs/plots/*.svg) need matplotlib; without it the page has tables alone, and --check compares the
tables alone.
"""
import argparse
import math
import pathlib
import sys

from pages import plots as drawing
from pages.tables import (fastest, geometric_mean, group, human_bytes, human_ms, is_right, read_rows,
                          slug, span, spec, table)

ROOT = pathlib.Path(__file__).resolve().parent.parent
CLASSES = ("memory", "cache", "launch")
CLASS_TEXT = {
    "memory": "at least four times the last-level cache: the memory's bandwidth decides",
    "cache": "less than that, yet more than a launch",
    "launch": "a floor under 5 µs: the latency of the call decides",
}
SAME = ("machine", "backend", "matrix", "type", "index", "trans", "request", "kernel", "params")
# Tulle's rows on the page: the key of a choice, its heading.
KINDS = (("rule", "rule"), ("best", "best kernel"), ("plan", "best plan"))


class Case:
    """All rows of one matrix in one type and one transposition on one machine."""

    def __init__(self, rows):
        self.any = rows[0]
        by = group(rows, "choice")
        forced, plans = by.get(("forced",), []), by.get(("plan",), [])
        self.peer = fastest(by.get(("peer",), []))
        self.tulle = {
            "rule": fastest(by.get(("rule",), [])),
            "best": fastest(forced + by.get(("rule",), [])),
            "plan": fastest(plans),
        }

    def winner(self):
        return fastest([row for row in self.tulle.values() if row])

    def ratio(self, kind):
        """How many times faster than the best peer, or None."""
        row = self.tulle[kind]
        return self.peer["ms"] / row["ms"] if row and self.peer else None


def is_slower(row, peer):
    """Beyond what the classes where calls are short allow: 3 %, or 0.3 microseconds."""
    if row["class"] == "memory":
        return row["ms"] > peer["ms"]
    return row["ms"] > 1.03 * peer["ms"] and row["ms"] > peer["ms"] + 3e-4


def cell(text, bold):
    return f"**{text}**" if bold else text


def ratio_cell(ratio):
    return f"{ratio:.2f}" if ratio else "-"


def case_row(case):
    best, peer = case.winner(), case.peer
    leads = peer is None or best["ms"] <= peer["ms"]
    rule = case.tulle["rule"]
    return [
        f"`{case.any['matrix']}`", f"{case.any['nnz']:,}",
        human_ms(rule["ms"]) if rule else "-",
        cell(human_ms(best["ms"]), leads), f"{spec(best)} ({best['choice']})",
        human_ms(best["ms_cold"]), f"{best['gflops']:.4g}", f"{best['gbs']:.4g}",
        f"{best['floor']:.2f}",
        cell(human_ms(peer["ms"]), not leads) if peer else "-", spec(peer) if peer else "-",
        ratio_cell(case.ratio("rule")),
        ratio_cell(peer["ms"] / best["ms"] if peer else None),
    ]


CASE_HEADINGS = ("matrix", ">entries", ">rule", ">best", "kernel", ">cold", ">GFLOP/s", ">GB/s",
                 ">floor", ">best peer", "peer", ">rule / peer", ">best / peer")


def machine_lines(rows):
    versions = sorted({row["peer_version"] for row in rows if row["peer_version"]})
    threads = max(row["threads"] for row in rows)
    commits = sorted({row["commit"] for row in rows})
    yield f"- copy bandwidth, measured in each run: {span(rows, 'copy_gbs', '{:.0f}')} GB/s, reads plus writes"
    if threads:
        yield f"- threads: {threads}"
    yield f"- peers: {', '.join(versions) if versions else 'none in these runs'}"
    yield f"- {len(rows)} measurements, {span(rows, 'date', '{:.10}')}, commit {', '.join(commits)}"
    wrong = [row for row in rows if not is_right(row)]
    ours = [row for row in rows if row["choice"] != "peer"]
    if ours:
        yield f"- largest error of tulle: {max(row['err'] for row in ours):.2g} of its bound"
    for row in wrong:
        yield (f"- WRONG: {spec(row)} on `{row['matrix']}` {row['type']} {row['trans']}: "
               f"{row['err']:.3g} times the bound")
    yield ""


def mean_rows(cases):
    """Per class and kind of tulle's rows: how it compares with the best peer and the floor."""
    for name in CLASSES:
        of_class = [case for case in cases if case.any["class"] == name]
        for kind, heading in KINDS:
            rows = [case.tulle[kind] for case in of_class if case.tulle[kind]]
            if not rows:
                continue
            ratios = [case.ratio(kind) for case in of_class if case.ratio(kind)]
            yield [
                name, heading, str(len(rows)),
                f"{geometric_mean([row['floor'] for row in rows]):.2f}",
                str(len(ratios)) if ratios else "-",
                f"{geometric_mean(ratios):.2f}" if ratios else "-",
                f"{min(ratios):.2f}" if ratios else "-",
                f"{max(ratios):.2f}" if ratios else "-",
                str(sum(is_slower(case.tulle[kind], case.peer) for case in of_class
                        if case.ratio(kind))) if ratios else "-",
            ]


MEAN_HEADINGS = ("class", "tulle's", ">matrices", ">floor", ">with a peer", ">ratio", ">least",
                 ">most", ">slower than the peer")


def plan_rows(cases):
    for case in cases:
        plan, rule = case.tulle["plan"], case.tulle["rule"]
        if not plan or not rule:
            continue
        gain = rule["ms"] - plan["ms"]
        calls = f"{math.ceil(plan['prep_ms'] / gain):,}" if gain > 0 else "never"
        yield [f"`{case.any['matrix']}`", spec(plan), human_ms(rule["ms"]), human_ms(plan["ms"]),
               human_ms(plan["prep_ms"]), calls, human_bytes(plan["extra_bytes"])]


PLAN_HEADINGS = ("matrix", "plan", ">rule", ">with the plan", ">preparation", ">calls to pay it",
                 ">extra memory")


def part_title(row):
    product = "transposed, Aᵀx" if row["trans"] == "t" else "Ax"
    index = row["index"].split("/")
    return f"SpMV {product}, {row['type']}, {index[0]}-bit offsets, {index[1]}-bit columns"


class Plot:
    def __init__(self, cases, title, name):
        self.cases, self.title, self.name = cases, title, name

    def draw(self, pyplot, path):
        cases = sorted(self.cases, key=lambda case: (CLASSES.index(case.any["class"]),
                                                     -case.winner()["floor"]))
        places = range(len(cases))
        figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.24 * len(cases)))
        axes.barh([p - 0.2 for p in places], [case.winner()["floor"] for case in cases], 0.38,
                  label="tulle, best")
        peers = [case.peer["floor"] if case.peer else 0 for case in cases]
        axes.barh([p + 0.2 for p in places], peers, 0.38, label="best peer")
        axes.set_yticks(list(places), [f"{case.any['matrix']} ({case.any['class']})"
                                       for case in cases], fontsize=7)
        axes.invert_yaxis()
        axes.axvline(1, color="grey", linewidth=0.8)
        axes.set_xlabel("fraction of the floor (copy of the fewest bytes = 1)")
        axes.set_title(self.title, fontsize=9)
        axes.legend(fontsize=7)
        drawing.save(pyplot, figure, path)


def part(cases, plots):
    title = part_title(cases[0].any)
    row = cases[0].any
    plot = Plot(cases, f"{title} on {row['machine']}",
                slug(f"{row['backend']}-{row['machine']}-{row['type']}-{row['index']}-{row['trans']}"))
    plots.append(plot)
    yield from (f"### {title}", "")
    yield from table(MEAN_HEADINGS, mean_rows(cases))
    yield from (f"![{plot.title}](plots/{plot.name}.svg)", "")
    for name in CLASSES:
        of_class = [case for case in cases if case.any["class"] == name]
        if of_class:
            yield from (f"Class {name}:", "")
            yield from table(CASE_HEADINGS, [case_row(case) for case in of_class])
    plans = list(plan_rows(cases))
    if plans:
        yield from ("What a plan costs and gains:", "")
        yield from table(PLAN_HEADINGS, plans)


def page(rows, plots):
    yield from (
        "<!-- Made by scripts/performance.py from bench/results/; do not edit. -->", "",
        "# Performance", "",
        "Times are medians of calls back to back; cold: after the caches were filled with other "
        "data. The floor is the time in which the machine's own copy, measured in the same run, "
        "would move the fewest bytes that the product needs (each input read once, each output "
        "written once); the column has the floor over the time. A ratio is the best peer's time "
        "over tulle's: above 1, tulle is faster. Means are geometric. `rule`: what `tulle_spmv` "
        "picks by itself. Best: the fastest of the rule, each kernel by name, and each plan; best "
        "kernel: without plans. Faster times are bold. In the classes cache and launch, slower than the "
        "peer means by more than 3 % and 0.3 µs.", "", "Classes, never mixed in a mean:", "")
    yield from (f"- {name}: {CLASS_TEXT[name]}" for name in CLASSES)
    yield ""
    if not rows:
        yield from ("There are no measurements in bench/results/ yet.", "")
    for (machine, backend), of_machine in group(rows, "machine", "backend").items():
        yield from (f"## {machine} ({backend})", "")
        yield from machine_lines(of_machine)
        for of_part in group(of_machine, "op", "trans", "type", "index").values():
            cases = [Case(of_case) for of_case in group(of_part, "matrix").values()]
            cases = [case for case in cases if case.winner()]
            if cases:
                yield from part(cases, plots)


def main():
    parser = argparse.ArgumentParser(description=__doc__.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true",
                        help="only say whether the page is up to date")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / "bench" / "results")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    arguments = parser.parse_args()
    plots = []
    text = "\n".join(page(read_rows(arguments.results.glob("*.jsonl"), SAME), plots)).rstrip("\n") + "\n"
    target = arguments.docs / "performance.md"
    if arguments.check:
        if not target.exists() or target.read_text(encoding="utf-8") != text:
            sys.exit(f"{target} is not up to date: run scripts/performance.py")
        return
    arguments.docs.mkdir(parents=True, exist_ok=True)
    target.write_text(text, encoding="utf-8")
    drawing.write(plots, arguments.docs / "plots", lambda name: not name.startswith("papers-"),
                  "performance.py")


if __name__ == "__main__":
    main()
