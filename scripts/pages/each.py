# SPDX-License-Identifier: Apache-2.0
"""The tables of every matrix, on a page of their own."""
from . import plots as drawing
from .cases import CLASSES, where
from .spmv import named, prepared
from .tables import fastest, group, human_bytes, human_calls, human_ms, spec, table


def bold(text, yes):
    return f"**{text}**" if yes else text


def ratio_cell(ratio):
    return f"{ratio:.2f}" if ratio else "-"


def times(row, leads=False):
    """Warm and cold, of a row that may be missing."""
    if not row:
        return ["-", "-"]
    return [bold(human_ms(row["ms"]), leads), human_ms(row["ms_cold"])]


CASE_HEADINGS = ("matrix", ">entries", ">a row", ">rule", ">cold", ">best", ">cold", "kernel",
                 ">GFLOP/s", ">GB/s", ">floor", ">best peer", ">cold", "peer", ">rule / CSR peer",
                 ">rule / peer", ">best / peer")


def case_row(case):
    best, peer = case.best, case.peer
    leads = peer is None or best["ms"] <= peer["ms"]
    return [
        f"`{case.matrix}`", f"{case.any['nnz']:,}",
        f"{case.any['nnz'] / max(case.any['rows'], 1):.1f}", *times(case.tulle["rule"]),
        *times(best, leads), f"{spec(best)} ({best['choice']})",
        f"{best['gflops']:.4g}", f"{best['gbs']:.4g}", f"{best['floor']:.2f}",
        *times(peer, not leads), spec(peer) if peer else "-",
        ratio_cell(case.ratio("rule", case.csr_peer)), ratio_cell(case.ratio("rule", peer)),
        ratio_cell(peer["ms"] / best["ms"] if peer else None),
    ]


PREPARED_HEADINGS = ("matrix", "kernel", ">rule", ">cold", ">prepared", ">cold", ">floor",
                     ">preparation", ">calls to pay it", ">extra memory", ">/ best peer")


def prepared_rows(cases, kind):
    for case in cases:
        row, rule = case.tulle[kind], case.tulle["rule"]
        if row and rule:
            yield [f"`{case.matrix}`", spec(row), *times(rule), *times(row), f"{row['floor']:.2f}",
                   human_ms(row["prep_ms"]), human_calls(case.calls_to_pay(kind)),
                   human_bytes(row["extra_bytes"]), ratio_cell(case.ratio(kind, case.peer))]


def format_lines(cases):
    """The fastest kernel in each format in which the matrix itself was measured."""
    cases = [case for case in cases if case.others]
    if not cases:
        return
    formats = sorted({row["format"] for case in cases for row in case.others})
    yield from ("Matrices in other formats, the fastest kernel and layout of each:", "")
    rows = []
    for case in cases:
        found = {format_: fastest(rows_of) for (format_,), rows_of in
                 group(case.others, "format").items()}
        least = min(row["ms"] for row in [case.tulle["kernel"], *found.values()] if row)
        rows.append([f"`{case.matrix}`", *(
            bold(human_ms(row["ms"]), row["ms"] == least) if row else "-"
            for row in [case.tulle["kernel"], *(found.get(format_) for format_ in formats)])])
    yield from table(("matrix", ">csr", *(f">{format_}" for format_ in formats)), rows)


class Floors:
    """A bar for each matrix: how near its floor tulle's best is, and the best peer."""

    def __init__(self, cases, title):
        row = cases[0].any
        self.cases, self.title = cases, f"{title}, {row['type']}, on {row['machine']}"
        self.name = named(f"{row['type']}-{row['index']}-{row['trans']}", row)

    def draw(self, pyplot, path):
        cases = sorted(self.cases, key=lambda case: (CLASSES.index(case.of_class),
                                                     -case.best["floor"]))
        series = {"tulle, best": [case.best["floor"] for case in cases],
                  "best peer": [case.peer["floor"] if case.peer else 0 for case in cases]}
        figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.24 * len(cases)))
        for shift, (label, floors) in zip((-0.2, 0.2), series.items()):
            axes.barh([place + shift for place in range(len(cases))], floors, 0.38, label=label)
        axes.set_yticks(range(len(cases)), [f"{case.matrix} ({case.of_class})" for case in cases],
                        fontsize=7)
        axes.invert_yaxis()
        axes.axvline(1, color="grey", linewidth=0.8)
        axes.set_xlabel("fraction of the floor (copy of the fewest bytes = 1)")
        axes.set_title(self.title, fontsize=9)
        axes.legend(fontsize=7)
        drawing.save(pyplot, figure, path)


def spmv_lines(cases, title, made):
    """One kind of product in one type."""
    plot = Floors(cases, title)
    made.append(plot)
    yield from (f"### {title}, {cases[0].type}", "")
    yield from (f"![{plot.title}](plots/{plot.name}.svg)", "")
    for name in CLASSES:
        found = where(cases, of_class=name)
        if found:
            yield from (f"Class {name}:", "")
            yield from table(CASE_HEADINGS, [case_row(case) for case in found])
    if prepared(cases):
        yield from ("What optimise chooses, gains and costs:", "")
        yield from table(PREPARED_HEADINGS, prepared_rows(cases, "optimise"))
    plans = list(prepared_rows(cases, "plan"))
    if plans:
        yield from ("What a plan costs and gains:", "")
        yield from table(PREPARED_HEADINGS, plans)
    yield from format_lines(cases)


BLOCK_HEADINGS = ("matrix", "class", ">rule", ">cold", "kernel", ">best", ">GFLOP/s", ">GB/s",
                  ">floor", ">best peer", ">cold", "peer", ">rule / peer")


def block_row(case):
    rule, peer = case.tulle["rule"] or case.best, case.peer
    return [f"`{case.matrix}`", case.of_class, *times(rule), spec(rule),
            human_ms(case.best["ms"]), f"{rule['gflops']:.4g}", f"{rule['gbs']:.4g}",
            f"{rule['floor']:.2f}", *times(peer), spec(peer) if peer else "-",
            ratio_cell(case.ratio("rule", peer))]


def spmm_lines(cases, title):
    """One kind of product in one type: a table for each number of vectors and layout, folded."""
    yield from (f"### {title}, {cases[0].type}", "")
    for (k, layout), rows in sorted(group([{"k": case.any["k"], "layout": case.any["layout"],
                                            "case": case} for case in cases],
                                          "k", "layout").items()):
        yield from ("<details>", f"<summary>{k} vectors by {layout}, {len(rows)} "
                    "matrices</summary>", "")
        yield from table(BLOCK_HEADINGS, [block_row(row["case"]) for row in rows])
        yield from ("</details>", "")
