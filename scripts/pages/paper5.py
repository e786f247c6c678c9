# SPDX-License-Identifier: Apache-2.0
"""Paper 5, the GPU Teaching Kit: formats side by side."""
from . import plots
from .papers import TYPES, best_by, nothing
from .tables import fastest, group, human_bytes, human_ms, spec, table


def of_case(results, matrix, type_):
    """The best row of each format."""
    best = best_by(results.of("formats", matrix=matrix, type=type_), "format")
    return {key[0]: row for key, row in best.items()}


def plain(results, matrix, type_):
    """The kernel that the slides begin with: a thread a row, or on a CPU one thread."""
    rows = results.of("formats", matrix=matrix, type=type_, format="csr")
    of = [row for row in rows if row["kernel"] in ("spmv_csr_scalar", "spmv_csr_seq")]
    return fastest(of)


def format_rows(results, matrix, type_):
    csr = of_case(results, matrix, type_).get("csr")
    first = plain(results, matrix, type_)
    rows = sorted(results.of("formats", matrix=matrix, type=type_), key=lambda row: row["ms"])
    for row in rows:
        yield [row["format"], spec(row), human_ms(row["ms"]), f"{row['gflops']:.4g}",
               f"{row['floor']:.2f}",
               human_bytes(row["matrix_bytes"]),
               f"{row['matrix_bytes'] / csr['matrix_bytes']:.2f}" if csr else "-",
               human_ms(row["prep_ms"]) if row["prep_ms"] > 0 else "-",
               f"{first['ms'] / row['ms']:.2f}" if first else "-",
               f"{csr['ms'] / row['ms']:.2f}" if csr else "-"]


HEADINGS = ("format", "kernel", ">time", ">GFLOP/s", ">of its own floor", ">matrix",
            ">matrix / CSR", ">preparation", ">times a thread a row", ">times the best CSR")


def case_section(results, matrix):
    for type_ in TYPES:
        rows = list(format_rows(results, matrix, type_))
        if not rows:
            continue
        yield from (f"`{matrix}`, {type_}:", "")
        yield from table(HEADINGS, rows)
        reasons = {}
        for row in results.refusals(matrix=matrix, type=type_):
            what = row["format"] if row["request"].startswith("convert") else row["kernel"]
            reasons.setdefault(row["reason"], []).append(what)
        for reason, what in sorted(reasons.items()):
            yield from (f"- not here: {', '.join(dict.fromkeys(what))}: {reason}", "")


def row_spread(matrix):
    """Which of the slides' cases a matrix is for."""
    if matrix.startswith(("p2d", "p3d", "fem")):
        return "alike"
    return "uneven" if matrix.startswith(("web", "rmat", "powerlaw")) else "other"


def pairs(results, form, spread):
    """(matrix, type, plain CSR's row, the format's row) where both are."""
    for matrix in sorted({row["matrix"] for row in results.rows}):
        for type_ in TYPES:
            first, other = plain(results, matrix, type_), of_case(results, matrix, type_).get(form)
            if row_spread(matrix) == spread and first and other:
                yield matrix, type_, first, other


def claim(results, text, form, spread):
    found = list(pairs(results, form, spread))
    if not found:
        return None
    won = sum(other["ms"] < first["ms"] for _, _, first, other in found)
    gains = [first["ms"] / other["ms"] for _, _, first, other in found]
    return (f"{text}: {form} is faster than a thread a row in CSR on {won} of {len(found)}, "
            f"{min(gains):.2f} to {max(gains):.2f} times.")


def words(results):
    yield from filter(None, (
        claim(results, "Padding and transposition coalesce the loads of rows that are alike", "ell",
              "alike"),
        claim(results, "Padding hurts where a few rows are long", "ell", "uneven"),
        claim(results, "A hybrid bounds the padding", "hyb", "uneven"),
        claim(results, "Sorted rows need no padding", "jds", "uneven"),
        claim(results, "Sections of sorted rows need little", "jds_ell", "uneven")))
    refused = [row for row in results.refusals(format="ell") if row_spread(row["matrix"]) == "uneven"]
    if refused:
        yield f"ELL is refused where a few rows are long: {refused[0]['reason']}."
    for type_ in TYPES:
        for matrix in sorted({row["matrix"] for row in results.rows}):
            best = of_case(results, matrix, type_)
            winner = fastest(list(best.values()))
            if winner and "csr" in best:
                yield (f"`{matrix}`, {type_}: the best format is {winner['format']} "
                       f"({spec(winner)}), {best['csr']['ms'] / winner['ms']:.2f} times the best CSR "
                       f"kernel.")


def sections(results):
    yield from ("#### Formats side by side", "")
    if not results.of("formats"):
        yield from nothing(5)
        return
    for (matrix,) in group(results.of("formats"), "matrix"):
        yield from case_section(results, matrix)
    for type_ in TYPES:
        bars = {}
        for (matrix,) in group(results.of("formats", type=type_), "matrix"):
            bars[matrix] = {form: row["gflops"]
                            for form, row in of_case(results, matrix, type_).items()}
        if bars:
            yield from results.add_plot(plots.Bars, f"formats-{type_}", f"The best kernel of each format, "
                                   f"{type_}", bars, "GFLOP/s")


def page(results):
    """The lines of the page, and what the numbers come to."""
    return list(sections(results)), list(words(results))
