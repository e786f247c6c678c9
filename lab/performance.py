#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/performance.md, its plots and the README's table from lab/results/*.jsonl, or one page per machine with every case.

Every measured number comes from a result file. Of measurements that were repeated, the latest that was checked
counts. --all FOLDER writes the pages of all cases there, and nothing else. --check writes nothing and exits with 1
if the page or the table is not what the results give; it leaves the plots alone.
"""
import pandas as pd

from pages import actors, bars, batches, cases, details, makers, multigrid, output, plots, sparse, targets, tuner
from pages.products import read_products
from pages.tables import geometric_mean, like, rows_of, slug, span, summary, table

HEAD = """<!-- Made by lab/performance.py from lab/results/; do not edit. -->

# Performance

This page says how fast tulle is beside the fastest other library on the same machine in the same run, and beside \
what the machine's memory allows. Each operation has one table and one picture. Everything runs with its defaults.

How to read a table:

- **faster** is the time of the fastest peer over that of tulle: above 1, tulle is faster. It is the geometric mean \
over the cases; **from, to** are the least and the greatest. **Beside** names the peer.
- **floor** is the time in which a plain copy, measured in the same run, would move the fewest bytes that the \
operation must read and write, over the time of tulle; it is the median. At 1 an operation is as fast as the memory \
allows. Operations whose steps wait for one another, and tiny ones, stay far below; operands that fit into a cache \
can pass 1.
- **cases** are matrices, sizes and ways to call. A star says that all of them have large operands, of at least four \
times the last-level cache. Where three or more have, the smaller ones do not count.
- **on** names the machine. A GPU's row is from the card on which most cases were measured.
- A time is the median of calls back to back. A result whose error exceeds its bound counts nowhere.

`make pages` writes every case, with kernels, times and the project's targets, into `build/pages/`, one page per machine. \
[CONTRIBUTING.md](../CONTRIBUTING.md#on-a-real-gpu) says how to measure on your own GPU.
"""
TUNER = """A tuner tries kernels and parameters during the calls of a solver. The yardstick is an exhaustive search over \
all of them, whose result has the speed 1. The rule is what runs without a tuner. Products of the class memory are at \
least four times as large as the last-level cache, those of the class launch need less than 5 µs by their floor, and \
those of the class cache lie between."""

FIRST, LAST = "<!-- made by lab/performance.py -->", "<!-- end of what lab/performance.py made -->"
IN_README = (("spmv", "y = A x"), ("spmm", "Y = A X"), ("spgemm", "C = A A, sparse"), ("add", "C = A + B, sparse"),
             ("transpose", "C = Aᵀ"), ("trisolve", "triangular systems"), ("factor", "ILU(0), IC(0), values"),
             ("dot", "inner products"), ("cg", "CG, an iteration"), ("gmres", "GMRES(30), an iteration"))


def machines(rows):
    """Where things were measured, and beside what."""
    def row(of):
        versions = {name for text in of.peer_version.dropna() for name in text.split(", ") if "tulle" not in name}
        return {"card": cases.card_of(of.machine.iloc[0]), "gbs": span(of.copy_gbs, "{:.0f}"),
                "threads": of.threads.max() or None, "peers": ", ".join(sorted(versions))}

    yield from table(summary(rows, ["machine", "backend"], row),
                     "on | machine | >threads | >copy, GB/s | peers",
                     "{card} | {machine} | {threads:.0f} | {gbs} | {peers}")


def dates_of(dates):
    return span(dates.str[:10], "{}")


def picture(section, shown):
    """The section's picture: a strip for each row of its table and type."""
    several = shown.groupby(["op", "how", "type", "machine"]).rival.transform("nunique") > 1
    label = shown.how + ", " + shown.type + ", " + shown.machine.map(cases.card_of)
    shown = shown.assign(label=label + (", beside " + shown.rival).where(several, ""),
                         place=shown.op.map(section.ops.index))
    strips = [cases.judged(of) for _, of in shown.sort_values(["place", "how"], kind="stable").groupby(
        "label", sort=False)]
    return plots.Strips(section.name, section.title, pd.concat(strips))


def section_lines(section, every, made):
    if every.empty:
        return
    shown = cases.counted(every[every.op.isin(section.ops) & ~every.op.str.endswith(cases.DETAILS_ALONE)])
    if shown.empty:
        return
    plot = picture(section, shown)
    made.append(plot)
    yield from (f"## {section.title}", "", section.about, "")
    yield from cases.summary_lines(shown, section.ops)
    when = (f"{cases.card_of(machine)} {dates_of(dates)}" for machine, dates in shown.groupby("machine").rule_date)
    yield from (f"Measured: {'; '.join(when)}.", "")
    yield from (f"![{section.title}](plots/{plot.name}.svg)", "")


def tuner_lines(products, made):
    for _, rows in products.groupby(["machine", "backend"]) if len(products) else ():
        paths = tuner.paths_of(tuner.calls_of(rows))
        if len(paths):
            yield from ("## The run-time tuner", "", TUNER, "")
            yield from tuner.lines(paths, made)
            yield from (f"Measured: {cases.card_of(rows.machine.iloc[0])} {dates_of(rows.date[rows.choice == 'tune'])}.",
                        "")


def readme(every):
    """The README with its table: of each operation in f64 what it comes to on the GPU that stands for it."""
    before, rest = (output.ROOT / "README.md").read_text(encoding="utf-8").split(FIRST)
    yield from (before + FIRST, "| operation, f64 | GPU | cases | faster, mean | at worst | where |",
                "|---|---|---:|---:|---:|---|")
    every = like(every[every.ratio.notna()], backend="cuda", type="f64", overall=True)
    for op, title in IN_README:
        of = cases.judged(cases.most_measured(every[every.op == op]))
        worst = of.loc[of.ratio.idxmin()]
        yield (f"| {title} | {cases.card_of(worst.machine)} | {len(of)} | {geometric_mean(of.ratio):.2f} | "
               f"{worst.ratio:.2f} | `{worst.matrix}` |")
    yield LAST + rest.split(LAST)[1]


def summary_page(folder, every, made):
    yield HEAD
    if rows_of(folder).empty:
        yield "There are no measurements in lab/results/ yet."
        return
    yield from machines(rows_of(folder))
    for section in cases.SECTIONS:
        yield from section_lines(section, every, made)
        if section.name == "methods":
            yield from multigrid.lines(multigrid.read_multigrid(folder), cases.card_of, made)
    yield from tuner_lines(read_products(folder), made)


def of_machine(folder, machine, backend, checked, every):
    """All there is of a machine: facts, targets, and every case."""
    def own(rows):
        return rows[(rows.machine == machine) & (rows.backend == backend)] if len(rows) else rows

    products, acted, checked = own(read_products(folder)), own(actors.read_acted(folder)), own(checked)
    yield from (f"# {machine} ({backend})", "")
    yield from details.facts(own(rows_of(folder)))
    if len(products):
        yield from bars.lines(backend, details.cases_of(products), tuner.paths_of(tuner.calls_of(products)))
    of_papers_too = own(makers.read_made(folder, folder / "papers"))
    if len(of_papers_too):
        yield from sparse.made(backend, of_papers_too)
    yield from targets.lines(backend, checked)
    batched = own(batches.read_batches(folder))
    if backend == "cuda":
        yield from bars.factor_lines(acted) if len(acted) else ()
        yield from batches.lines(batched) if len(batched) else ()
    for section in cases.SECTIONS:
        yield from details.section_lines(section, checked, own(every))
    yield from multigrid.lines(own(multigrid.read_multigrid(folder)), cases.card_of)
    if len(products):
        yield from details.product_lines(products)


def all_pages(folder):
    checked, every = (cases.measured(folder, loose, tell=None) for loose in (False, True))
    for (machine, backend), _ in every.groupby(["machine", "backend"]) if len(every) else ():
        yield f"{slug(backend + '-' + machine)}.md", list(of_machine(folder, machine, backend, checked, every))


def main():
    options, made = output.parser_of(__doc__, "lab/results").parse_args(), []
    if options.all:
        output.publish(options, dict(all_pages(options.results)))
    else:
        every = cases.measured(options.results)
        found = {"performance.md": list(summary_page(options.results, every, made))}
        if options.docs == output.ROOT / "docs":
            found["../README.md"] = list(readme(every))
        output.publish(options, found, made, lambda name: not name.startswith("papers-"))


if __name__ == "__main__":
    main()
