# SPDX-License-Identifier: Apache-2.0
"""Operations on given arrays, on one machine: tulle against the best peer of each case."""
import pandas as pd

from .tables import CLASSES, contest, legend, loosely, read_rows, stand, summary, table

SAME = ["machine", "backend", "op", "detail", "matrix", "type", "index", "block", "k", "layout",
        "trans", "threads", "choice", "request"]
CASE = ["op", "what", "type", "matrix"]
TITLES = {"trisolve": "Triangular systems, T X = B",
          "factor": "Incomplete factors, values alone",
          "dot": "Inner products of columns, x\u1d40z",
          "axpy": "Sums of vectors, Y + a X",
          "axpby": "Sums of vectors, a X + a Y",
          "scale": "Multiples of vectors, a Y",
          "copy": "Copies of vectors",
          "multiply": "Products of vectors, number by number",
          "divide": "Quotients of vectors, number by number",
          "norm2": "2-norms of columns",
          "norm_max": "Maximum norms of columns",
          "multivector_dot": "Inner products of all columns, X\u1d40Z",
          "multivector_axpy": "Sums with a small matrix, Y + X A",
          "qr": "Tall multivectors, X = Q R",
          "batch_dot": "Inner products of all columns, for many multivectors at once",
          "batch_axpy": "Sums with small matrices, for many multivectors at once",
          "batch_shared": "Sums with small matrices in the host's memory, with threads of the CPU",
          "batch_spmm": "Products of many matrices in blocks, A X",
          "batch_spmm_transposed": "Products of many transposed matrices in blocks, A\u1d40X",
          "batch_mixed": "Products of many matrices of mixed sizes, and of one that holds them all",
          "batch_lu": "Complete factors of many matrices in blocks, values alone",
          "batch_solve": "Solutions with complete factors of many matrices in blocks",
          "assemble": "Assembly of element matrices, values alone",
          "diffusion": "Diffusion on meshes: values and loads from coordinates",
          "local": "Products by element matrices, A x",
          "matrix_free": "Products with the matrix of a mesh, A x, by ways to have it",
          "uniform": "Uniform batches of small systems",
          "uniform_lu": "Uniform batches of dense matrices, L U",
          "uniform_cholesky": "Uniform batches of dense matrices, L L\u1d40"}
# They find order and pattern anew each time (bench/standing.c).
UNLIKE = ["scipy_spilu", "scipy_splu"]


def what_of(row):
    """How it was asked for: "lower, transposed, blocks of 4, 8 by row"."""
    parts = [row.detail, f"fill {row.fill:.0f}" if row.fill > 0 else "",
             "transposed" if row.trans == "t" else "",
             f"blocks of {row.block}" if row.block > 1 else "",
             f"{row.k} by {row.layout}" if row.k > 1 else ""]
    return ", ".join(part for part in parts if part)


def read_acted(folder):
    """All measurements of these operations; none where nothing was measured."""
    rows = read_rows(folder, SAME)
    acted = rows[rows.op.isin(TITLES)] if len(rows) else rows
    if acted.empty:
        return acted
    return acted.assign(what=[what_of(row) for row in acted.itertuples()])


def against_peers(cases):
    compared = cases[cases.ratio.notna()]
    if compared.empty:
        return
    yield from table(
        summary(compared, ["what", "type", "class"], stand),
        "how | type | class | >cases | >rule / best peer | >least | where | >floor, median",
        "{what} | {type} | {class} | {matrices} | {mean} | {least} | `{where}` | {floor}")


def each(cases):
    cases = cases.assign(class_=pd.Categorical(cases["class"], CLASSES, ordered=True))
    yield from table(
        cases.sort_values(["what", "type", "class_", "matrix"]),
        "of | how | type | class | >levels | >rule | >cold | >floor | >prep | best kernel | >time | "
        "best peer | >time | >prep | >rule / peer",
        "`{matrix}` | {what} | {type} | {class} | {levels:,.0f} | {rule_ms:ms}{rule_mark} | "
        "{rule_ms_cold:ms} | {rule_floor} | {rule_prep_ms:ms} | {kernel_spec} | "
        "{kernel_ms:ms}{kernel_mark} | {peer_kernel} | {peer_ms:ms}{peer_mark} | "
        "{peer_prep_ms:ms} | {ratio}{ratio_mark}")


def conversions(rows):
    """Calls that bring what they are given into another form first, which their time includes."""
    found = rows[rows.right & (rows.convert_ms > 0)]
    if found.empty:
        return
    yield from ("A call by these kernels begins with bringing T into another form, which its time "
                "includes; the rest is solving:", "")
    yield from table(
        found.assign(rest_ms=found.ms - found.convert_ms).sort_values(["what", "type", "matrix"]),
        "of | how | type | kernel | >time | >converting | >the rest",
        "`{matrix}` | {what} | {type} | {spec} | {ms:ms} | {convert_ms:ms} | {rest_ms:ms}")


def lines(rows):
    """The lines of a machine's page: what each operation comes to, then every case."""
    for op, title in TITLES.items():
        of = rows[rows.op == op]
        if of.empty:
            continue
        known = of[~of.kernel.isin(UNLIKE)]
        yield from (f"### {title}", "")
        for row in of[of.wrong].itertuples():
            yield from (f"- WRONG: {row.spec} on `{row.matrix}` {row.type}, {row.what}", "")
        yield from legend(known)
        yield from against_peers(contest(known, CASE, ["class", "levels"]))
        yield from each(contest(loosely(known), CASE, ["class", "levels"]))
        yield from conversions(of)
