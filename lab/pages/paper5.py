# SPDX-License-Identifier: Apache-2.0
"""Paper 5, the GPU Teaching Kit: formats side by side, and an experiment for each argument."""
from . import plots, slides
from .papers import measured, nothing
from .slides_head import head_claims  # the head of the page, which lab/papers.py asks for here
from .tables import beside, fastest, like, table

PAIR = ["matrix", "type"]


def data_of(results):
    """The measurements, each beside the best of its format, the best CSR kernel, and the kernel that
    the slides begin with: a thread a row, or on a CPU one thread."""
    rows = results.of("formats")
    csr = like(rows, format="csr")
    parts = {"csr": csr, "plain": csr[csr.kernel.isin(["spmv_csr_scalar", "spmv_csr_seq"])]}
    found = rows.join(beside(parts, PAIR, ["nnz"]).drop(columns="nnz"), on=PAIR)
    return found.assign(share=found.matrix_bytes / found.csr_matrix_bytes,
                        over_plain=found.plain_ms / found.ms, over_csr=found.csr_ms / found.ms,
                        prep=found.prep_ms.where(found.prep_ms > 0), **slides.spread_of(found))


def case_section(refused, rows):
    matrix, type_ = rows[PAIR].iloc[0]
    yield from (f"`{matrix}`, {type_}:", "")
    yield from table(
        rows.sort_values("ms", kind="stable"),
        "format | kernel | >time | >GFLOP/s | >of its own floor | >matrix | >matrix / CSR | "
        ">preparation | >times a thread a row | >times the best CSR",
        "{format} | {spec} | {ms:ms} | {gflops:.4g} | {floor} | {matrix_bytes:bytes} | {share} | "
        "{prep:ms} | {over_plain} | {over_csr}")
    yield from measured(rows)
    refused = like(refused, matrix=matrix, type=type_)
    what = refused.format.where(refused.request.str.startswith("convert"), refused.kernel)
    for reason, names in what.groupby(refused.reason):
        yield from (f"- not here: {', '.join(names.unique())}: {reason}", "")


def words(results, rows):
    best = fastest(rows, [*PAIR, "format"]).reset_index()
    refused = like(results.rows, experiment="formats", choice="refused", format="ell")
    refused = refused[slides.spread_of(refused).uneven]
    if len(refused):
        yield f"ELL is refused where a few rows are long: {refused.reason.iloc[0]}."
    for row in fastest(best[best.csr_ms.notna()], PAIR).sort_index(level=[1, 0]).itertuples():
        over = "" if row.format == "csr" else f", {row.over_csr:.2f} times as fast as the best CSR kernel"
        yield f"`{row.Index[0]}`, {row.Index[1]}: the best format is {row.format} ({row.spec}){over}."
    yield from slides.words(results)


def sections(results, rows):
    yield from ("#### Formats side by side", "")
    if rows.empty:
        yield from nothing(5, "--experiment formats")
    refused = like(results.rows, experiment="formats", choice="refused")
    for _, of_case in rows.groupby(PAIR):
        yield from case_section(refused, of_case)
    for type_, of_type in fastest(rows, [*PAIR, "format"]).reset_index().groupby("type"):
        yield from results.add_plot(
            plots.Bars, f"formats-{type_}", f"The best kernel of each format, {type_}",
            of_type.pivot(index="format", columns="matrix", values="gflops"), "GFLOP/s")
    yield from slides.sections(results)
