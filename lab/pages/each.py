# SPDX-License-Identifier: Apache-2.0
"""The tables of every matrix, on a page of their own."""
import pandas as pd

from . import plots
from .means import plot_name
from .products import calls_to_pay, forms_of, prepared, ratio
from .tables import table, texts


def case_lines(cases):
    behind = cases.best_ms > cases.peer_ms
    yield from table(
        cases.assign(best=texts(cases.best_ms, "ms", ~behind),
                     peer=texts(cases.peer_ms, "ms", behind), rule=ratio(cases, "rule").array,
                     rule_csr=ratio(cases, "rule", "csr_peer").array,
                     ratio=ratio(cases, "best").array),
        "matrix | >entries | >a row | >rule | >cold | >best | >cold | kernel | >GFLOP/s | >GB/s | "
        ">floor | >best peer | >cold | peer | >rule / CSR peer | >rule / peer | >best / peer",
        "`{matrix}` | {nnz:,} | {a_row:.1f} | {rule_ms:ms} | {rule_ms_cold:ms} | {best} | "
        "{best_ms_cold:ms} | {best_spec} ({best_choice}) | {best_gflops:.4g} | {best_gbs:.4g} | "
        "{best_floor} | {peer} | {peer_ms_cold:ms} | {peer_spec} | {rule_csr} | {rule} | {ratio}")


def prepared_lines(cases, kind, heading):
    cases = prepared(cases, kind)
    if cases.empty:
        return
    yield from (heading, "")
    yield from table(
        cases.assign(pays=calls_to_pay(cases, kind), ratio=ratio(cases, kind).array),
        "matrix | kernel | >rule | >cold | >prepared | >cold | >floor | >preparation | "
        ">calls to pay it | >extra memory | >/ best peer",
        "`{matrix}` | {K_spec} | {rule_ms:ms} | {rule_ms_cold:ms} | {K_ms:ms} | {K_ms_cold:ms} | "
        "{K_floor} | {K_prep_ms:ms} | {pays:calls} | {K_extra_bytes:bytes} | {ratio}".replace(
            "K", kind))


def format_lines(rows, cases):
    """The fastest kernel in each format in which the matrix itself was measured."""
    forms = forms_of(rows, cases).pivot(index="matrix", columns="format", values="ms")
    if forms.empty:
        return
    forms.insert(0, "csr", cases.set_index("matrix").kernel_ms)
    least = forms.min(axis=1)
    yield from ("Matrices in other formats, the fastest kernel and layout of each:", "")
    yield from table(forms.apply(lambda ms: texts(ms, "ms", ms == least)).reset_index(),
                     "matrix | >" + " | >".join(forms),
                     "`{matrix}` | {" + "} | {".join(forms) + "}")


def floors_plot(cases, title):
    """A bar for each matrix: how near its floor tulle's best is, and the best peer."""
    row = cases.iloc[0]
    cases = cases.sort_values(["class", "best_floor"], ascending=[True, False], kind="stable")
    bars = pd.DataFrame({"tulle, best": cases.best_floor, "best peer": cases.peer_floor})
    return plots.Bars(plot_name(row, f"{row.type}-{row['index']}-{row.trans}"),
                      f"{title}, {row.type}, on {row.machine}",
                      bars.set_axis(cases.matrix + " (" + cases["class"].astype(str) + ")"),
                      "fraction of the floor (copy of the fewest bytes = 1)", level=1)


def spmv_lines(rows, cases, title, made):
    """One kind of product in one type."""
    plot = floors_plot(cases, title)
    made.append(plot)
    yield from (f"### {title}, {cases.type.iloc[0]}", "")
    yield from (f"![{plot.title}](plots/{plot.name}.svg)", "")
    for name, of_class in cases.groupby("class", observed=True):
        yield from (f"Class {name}:", "")
        yield from case_lines(of_class)
    yield from prepared_lines(cases, "optimise", "What optimise chooses, gains and costs:")
    yield from prepared_lines(cases, "plan", "What a plan costs and gains:")
    yield from format_lines(rows, cases)


def spmm_lines(cases, title):
    """One kind of product in one type: a table for each number of vectors and layout, folded."""
    yield from (f"### {title}, {cases.type.iloc[0]}", "")
    cases = cases.assign(ratio=ratio(cases, "rule").array, **{
        name: cases[f"rule_{name}"].fillna(cases[f"best_{name}"])
        for name in ("ms", "ms_cold", "spec", "gflops", "gbs", "floor")})
    for (k, layout), of_size in cases.groupby(["k", "layout"]):
        yield from ("<details>", f"<summary>{k} vectors by {layout}, {len(of_size)} "
                    "matrices</summary>", "")
        yield from table(
            of_size, "matrix | class | >rule | >cold | kernel | >best | >GFLOP/s | >GB/s | >floor | "
            ">best peer | >cold | peer | >rule / peer",
            "`{matrix}` | {class} | {ms:ms} | {ms_cold:ms} | {spec} | {best_ms:ms} | {gflops:.4g} | "
            "{gbs:.4g} | {floor} | {peer_ms:ms} | {peer_ms_cold:ms} | {peer_spec} | {ratio}")
        yield from ("</details>", "")
