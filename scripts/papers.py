#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/papers.md and its plots from the measurements in bench/results/papers/*.jsonl.

papers.py [--check] [--results DIR] [--docs DIR]

Our numbers come from result files of tulle paper, the papers' from bench/papers/figures.tsv, and what
the page says of them is worked out from both. Of measurements that were repeated, the latest counts.
--check writes nothing and exits with 1 if the page is not what the results give. Plots
(docs/plots/papers-*.svg) need matplotlib; without it the page has tables alone.
"""
import pathlib

from pages import output, paper1, paper2, paper5
from pages import plots as drawing
from pages.papers import SAME, Figures, Results, count_real, matrices, nothing, small_ones
from pages.tables import group, read_rows, span

ROOT = pathlib.Path(__file__).resolve().parent.parent
PAPERS = {
    1: ("Reguly and Giles: efficient sparse matrix-vector products on Fermi GPUs",
        "Slides; their plots are lost, but for the numbers in the text. Measured there on an NVIDIA "
        "Tesla C2070 against cuSPARSE 4.0. The slides identify four of their fifteen matrices; ours "
        "are these and eleven more of the same collection.", paper1.page),
    2: ("Hiranandani: five CSR algorithms",
        "Measured there on one NVIDIA GeForce GTX TITAN X, x all ones, the mean of three runs; ours: "
        "random x, medians. The plots are lost; tables and the text's numbers are not.",
        paper2.page),
    5: ("GPU Teaching Kit: sparse formats",
        "Slides without measurements: what each format is for, and a kernel for it. Ours are measured "
        "on model problems of the kinds that the slides argue about.", paper5.page),
}


def on_machine(results, make):
    """The part of one paper on one machine: first what it comes to, then the numbers."""
    lines, words = make(results)
    yield from (f"### {results.machine} ({results.backend})", "")
    versions = sorted({row["peer_version"] for row in results.rows if row["peer_version"]})
    commits = sorted({row["commit"] for row in results.rows})
    yield f"- {count_real(results)}; {len(results.rows)} rows"
    yield f"- copy bandwidth: {span(results.rows, 'copy_gbs', '{:.0f}')} GB/s"
    yield f"- vendor and other peers: {', '.join(versions) if versions else 'none in these runs'}"
    yield f"- {span(results.rows, 'date', '{:.10}')}, commit {', '.join(commits)}"
    yield from ("", "What the numbers say today:", "")
    yield f"- {small_ones(results)}"
    yield from (f"- {line}" for line in words)
    yield from ("", "#### Matrices", "")
    yield from matrices(results)
    yield from lines


def page(rows, figures, plots):
    yield from (
        "<!-- Made by scripts/papers.py from bench/results/papers/; do not edit. -->", "",
        "# The papers' experiments", "",
        "`tulle paper 1`, `2` and `5` repeat the experiments of three papers. A matrix is the real one "
        "where a folder with it was given; else it is a stand-in, `like:NAME`, made from what the "
        "papers say of it: the same size, row lengths and kind of structure, other entries. A "
        "stand-in's numbers are no measurement of the real matrix. Times are medians of calls back to "
        "back, so what fits in the last-level cache stays there. Classes: "
        "[performance.md](performance.md).", "")
    by_paper = group(rows, "paper")
    for number, (title, about, make) in PAPERS.items():
        yield from (f"## Paper {number}. {title}", "", about, "")
        of_paper = by_paper.get((number,), [])
        if not of_paper:
            yield from nothing(number)
        for of_machine in group(of_paper, "machine", "backend").values():
            yield from on_machine(Results(of_machine, figures, plots), make)


def main():
    options = output.parse_options(__doc__, ROOT / "bench/results/papers", ROOT / "docs")
    plots = []
    figures = Figures(ROOT / "bench/papers/figures.tsv")
    rows = read_rows(options.results.glob("*.jsonl"), SAME)
    text = output.text_of(page(rows, figures, plots))
    target = options.docs / "papers.md"
    if options.check:
        output.check(target, text, "papers.py")
        return
    output.write(target, text)
    drawing.write(plots, options.docs / "plots", lambda name: name.startswith("papers-"),
                  "papers.py")


if __name__ == "__main__":
    main()
