# SPDX-License-Identifier: Apache-2.0
"""Iterative methods, on one machine: an iteration against its parts and the best peer of each case,
and whole solutions with ILU(0)."""
import pandas as pd

from .actors import SAME
from .tables import CLASSES, contest, geometric_mean, legend, loosely, read_rows, stand, summary, table

CASE = ["op", "detail", "type", "matrix"]
TITLES = {"cg": "CG", "bicgstab": "BiCGStab", "gmres": "GMRES(30)"}
WHOLE = "ilu"


def read_solved(folder):
    """All measurements of these methods; of whole solutions, ms is the time of all of it."""
    rows = read_rows(folder, SAME)
    solved = rows[rows.op.isin(TITLES)] if len(rows) else rows
    if solved.empty:
        return solved
    whole = solved.detail == WHOLE
    return solved.assign(iteration_ms=solved.ms, ms=solved.ms.mask(whole, solved.whole_ms))


def means_of(cases):
    parts = cases.rule_of_parts.dropna()
    compared = stand(cases) if cases.ratio.notna().any() else {}
    return {"matrices": len(cases), "parts": geometric_mean(parts), "least_parts": parts.min(),
            "floor": cases.rule_floor.median(),
            **{name: compared.get(name) for name in ("mean", "least", "where")}}


def means(cases):
    yield from table(
        summary(cases, ["detail", "type", "class"], means_of),
        "preconditioner | type | class | >cases | >of its parts | >least | >floor, median | "
        ">rule / best peer | >least | where",
        "{detail} | {type} | {class} | {matrices} | {parts} | {least_parts} | {floor} | {mean} | "
        "{least} | `{where}`")


def each(cases):
    cases = cases.assign(class_=pd.Categorical(cases["class"], CLASSES, ordered=True))
    yield from table(
        cases.sort_values(["detail", "type", "class_", "matrix"]),
        "of | preconditioner | type | class | >iterations | >an iteration | >of its parts | >floor | "
        ">setup | best peer | >its iterations | >an iteration | >setup | >rule / peer",
        "`{matrix}` | {detail} | {type} | {class} | {rule_iterations:,.0f} | "
        "{rule_iteration_ms:ms}{rule_mark} | {rule_of_parts} | {rule_floor} | {rule_prep_ms:ms} | "
        "{peer_kernel} | {peer_iterations:,.0f} | {peer_iteration_ms:ms}{peer_mark} | "
        "{peer_prep_ms:ms} | {ratio}{ratio_mark}")


def lines(rows):
    """The lines of a machine's page: what each method comes to, then every case."""
    for op, title in TITLES.items():
        of = rows[rows.op == op]
        if of.empty:
            continue
        yield from (f"### Iterative solution by {title}", "",
                    "Parts: the products alone, and what vectors take at the speed of a copy. With "
                    "`ilu` the ratio is that of whole solutions, setup and all iterations.", "")
        for row in of[of.wrong].itertuples():
            yield from (f"- WRONG: {row.spec} on `{row.matrix}` {row.type}, {row.detail}", "")
        yield from legend(of)
        yield from means(contest(of, CASE, ["class"]))
        yield from each(contest(loosely(of), CASE, ["class"]))
