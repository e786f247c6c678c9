#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/papers.md, docs/papers/ and their plots from the measurements in lab/results/papers/*.jsonl.

Our numbers come from result files of tulle-lab paper, the papers' from lab/papers/figures.tsv, and what
the pages say of them is worked out from both. Of measurements that were repeated, the latest that was
checked counts.
--all FOLDER writes the pages there, without plots, with the tables that are too long for docs/papers/.
--check writes nothing and exits with 1 if a page is not what the results give; it leaves the plots
alone.
"""
import sys

import pandas as pd

from pages import output, paper1, paper2, paper3, paper4, paper5
from pages.papers import (TASKS, Figures, Results, count_real, matrices, nothing, small_ones,
                          table_of_claims, without_tags)
from pages.tables import named, read_rows, span, table

FIGURES, LEFT = (output.ROOT / "lab/papers" / name for name in ("figures.tsv", "uncompared.tsv"))
MOST_LEFT = 10  # printed figures that no page compares with
SAME = ["paper", "experiment", "machine", "backend", "matrix", "type", "request", "choice", "format",
        "kernel", "search", "call", "arranged", "k", "layout", "streams"]
MOST_ROWS = 70  # lines of tables of a section
MADE = "<!-- Made by lab/papers.py from lab/results/papers/; do not edit. -->"
HEAD = """# The papers' experiments

`tulle-lab paper 1` to `5` repeat the experiments of five papers. A matrix is the real one where \
a folder with it was given; else it is a stand-in, `like:NAME`, made from what the papers say of it: \
the same size, row lengths and kind of structure, other entries. A stand-in's numbers are no \
measurement of the real matrix. Times are medians of calls back to back, so what fits in the \
last-level cache stays there. Products of the class memory are at least four times as large as that cache, those of \
the class launch need less than 5 µs by their floor, and those of the class cache lie between; the floor is the time in \
which a copy would move the fewest bytes that the product needs.

Each page begins with what the paper says and what was found here, and whether that is so here, on this GPU and on these \
matrices; then come the numbers, tables and plots.
"""
PAPERS = {
    1: ("Reguly and Giles: efficient sparse matrix-vector products on Fermi GPUs",
        "Slides; their plots are lost, but for the numbers in the text. Measured there on an NVIDIA "
        "Tesla C2070 against cuSPARSE 4.0. Ours is `spmv_csr_vector`, their kernel as tulle has it, which loads several entries "
        "ahead and adds by shuffles; the published one, `spmv_csr_vector_published`, is named where it is meant. The slides identify four of their fifteen matrices: "
        "three that they show, and F1, on which they tune; ours are these and eleven more of the same collection.", paper1),
    2: ("Hiranandani: five CSR algorithms",
        "Measured there on one NVIDIA GeForce GTX TITAN X, x all ones, the mean of three runs; ours: "
        "random x, medians, but where it says otherwise. As published is what spmv/published/ has; scalar is tulle's own "
        "kernel of this form, as hers; of pcsr and light tulle has no others. The plots are lost; tables and the text's numbers are not.", paper2),
    3: ("Afanasyev, Potapov, Sobolev and Kharchenko: block kernels for block AMG",
        "Measured there on an NVIDIA Tesla K40 (15 multiprocessors) against cuBLAS and cuSPARSE of their "
        "time; the plots are lost, but for the numbers in the text and Table 1. Ours: tasks of a batch "
        "as published (tasks: a launch each on streams; shuffles: with the paper's other DAXPY; grid: one launch with a "
        "block of threads a task), by streams, and grouped, in one launch. Vectors have 100,000 rows a task, matrices 1728 "
        "block rows, a cube of 12 points a side; the paper gives the first of these sizes alone.", paper3),
    4: ("Nagasaka, Nukada and Matsuoka: sparse products by hash tables",
        "Slides; their plots are lost, but for the numbers in tables and text. Measured there on an "
        "NVIDIA Tesla P100 (16 GB) against cuSPARSE of CUDA 8.0, CUSP 0.5.1 and BHSPARSE; C = A A, "
        "memory by cudaMalloc; PROPOSAL is the algorithm that the slides propose. Ours: the algorithms as "
        "published, written anew, and what tulle takes by itself; times from the call until C can be used, allocation inside.", paper4),
    5: ("GPU Teaching Kit: sparse formats",
        "Slides without measurements: what each format is for, and a kernel for it. Ours are measured "
        "on model problems of the kinds that the slides argue about, and each argument has an "
        "experiment.", paper5),
}


def on_machine(rows, results, paper):
    """The part of one paper on one machine: first what it comes to, then the numbers."""
    data = paper.data_of(results)
    yield from (f"## {results.first.machine} ({results.first.backend})", "")
    yield from table_of_claims(list(paper.head_claims(results, data)))
    stored = rows[~rows.op.isin(TASKS)]
    yield f"- {count_real(stored) if len(stored) else 'no matrices'}; {len(rows)} rows"
    yield f"- copy bandwidth: {span(rows.copy_gbs, '{:.0f}')} GB/s"
    yield f"- vendor and other peers: {named(rows.peer_version) or 'none in these runs'}"
    yield f"- {span(rows.date, '{:.10}')}, commit {named(rows.commit)}"
    yield from ("", "What the numbers say today:", "")
    if len(stored):
        yield f"- {small_ones(stored)}"
    yield from (f"- {line}" for line in paper.words(results, data))
    yield ""
    if len(stored):
        yield from ("### Matrices", "")
        yield from matrices(stored)
    yield from (line.removeprefix("#") if line.startswith("#") else line for line in paper.sections(results, data))


def page(number, rows, figures, plots):
    title, about, paper = PAPERS[number]
    yield from (MADE, "", f"# Paper {number}. {title}", "", about, "")
    of_paper = rows if rows.empty else rows[rows.paper == number]
    if of_paper.empty:
        yield from nothing(number)
        return
    for _, of_machine in of_paper.groupby(["machine", "backend"]):
        yield from on_machine(of_machine, Results(of_machine, figures, plots), paper)


def shortened(number, lines):
    """The page, of whose sections those with too long tables have text and plots alone."""
    starts = [place for place, line in enumerate(lines) if line.startswith("### ")]
    for start, end in zip([0, *starts], [*starts, len(lines)]):
        section = lines[start:end]
        if sum(line.startswith("|") for line in section) > MOST_ROWS:
            text = [line for line in section[1:] if line and not line.startswith(("|", "- ")) and not line.endswith(":")]
            section = [section[0], "", f"`make pages` writes this section's tables into `build/pages/papers/{number}.md`.",
                       "", *(line for paragraph in text for line in (paragraph, ""))]
        yield from section


def index():
    yield from (MADE, "", HEAD)
    yield from (f"{number}. [{title}](papers/{number}.md)" for number, (title, _, _) in PAPERS.items())
    yield from ("", "Numbers that the papers print and no page compares with:", "")
    yield from table(read_left(), "paper | where | what | reason", "{paper} | {where} | {subject}: {quantity} | {reason}")


def pages(rows, figures, plots):
    """All papers' pages by their numbers."""
    return {number: list(page(number, rows, figures, plots)) for number in PAPERS}


def read_left():
    """The figures that no page compares with, and why not."""
    left, by = pd.read_csv(LEFT, sep="\t", comment="#", dtype=str, keep_default_na=False), ["paper", "where", "subject", "quantity"]
    known = pd.MultiIndex.from_frame(Figures(FIGURES).rows[by])
    if not pd.MultiIndex.from_frame(left[by]).isin(known).all():
        sys.exit(f"{LEFT}: not all lines are of figures of {FIGURES.name}")
    if len(left) > MOST_LEFT or (left.reason == "").any():
        sys.exit(f"{LEFT}: {len(left)} lines: at most {MOST_LEFT} are allowed, each with a reason")
    return left


def check_figures(figures, lines):
    """Ends the program where a paper's figure is compared with nothing; lines: of all pages, with tags."""
    found = [f"{FIGURES}: no page compares with {figure}: compare with it in lab/pages, correct its line, or say in "
             f"{LEFT.name} why not" for figure in sorted(figures.uncompared(lines, read_left()))]
    if found:
        sys.exit("\n".join(found))


def main():
    parser, plots, figures = output.parser_of(__doc__, "lab/results/papers"), [], Figures(FIGURES)
    parser.add_argument("--figures", action="store_true",
                        help="also say whether every figure that a paper prints is compared with")
    options = parser.parse_args()
    made = pages(read_rows(options.results, SAME), figures, plots)
    if options.figures:
        check_figures(figures, [line for lines in made.values() for line in lines])
    made = {number: [without_tags(line) for line in lines] for number, lines in made.items()}
    if not options.all:
        made = {number: list(shortened(number, lines)) for number, lines in made.items()}
    found = {f"papers/{number}.md": lines for number, lines in made.items()}
    output.publish(options, {"papers.md": list(index()), **found}, plots, lambda name: name.startswith("papers-"))


if __name__ == "__main__":
    main()
