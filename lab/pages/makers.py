# SPDX-License-Identifier: Apache-2.0
"""Operations that make a matrix, on one machine: tulle against the best peer of each matrix."""
import pandas as pd

from .tables import CLASSES, contest, latest, legend, loosely, read_rows, stand, summary, table

SAME = ["machine", "backend", "op", "matrix", "second", "type", "index", "pooled", "threads",
        "choice", "request"]
DEFAULT = "spgemm_auto"  # what the rule takes, and a kernel by name
CASE = ["op", "pooled", "type", "matrix", "second"]
TITLES = {"spgemm": "SpGEMM, C = A A or A B",
          "update": "Values alone, on the pattern of C = A A or A B",
          "galerkin": "Triple products, C = PᵀAP, against two products",
          "add": "Sums, C = A + B",
          "add_values": "Sums of values alone, C = A + A on A's pattern",
          "transpose": "The transpose, C = Aᵀ"}


def read_made(*folders):
    """All measurements of these operations in some folders, without a cap on memory, the default
    kernel as the rule; none where nothing was measured."""
    rows = [rows for rows in (read_rows(folder, SAME) for folder in folders) if len(rows)]
    if not rows:
        return pd.DataFrame()
    rows = pd.concat(rows, ignore_index=True)
    made = rows.op.isin(TITLES) & (rows.choice != "refused") & ~(rows.cap > 0)
    rows = rows[made].assign(second=rows.second.fillna(""))
    by_name = (rows.kernel == DEFAULT) & (rows.choice == "forced")
    request = rows.request.str.replace(f"forced {DEFAULT}", "rule")
    return latest(rows.assign(choice=rows.choice.mask(by_name, "rule"),
                              request=request.where(by_name, rows.request)), SAME).sort_index()


def cases_of(rows):
    """A row for each matrix, type and series."""
    cases = contest(rows, CASE, ["class", "nnz", "nnz_c"])
    return cases.assign(pool=cases.pooled.map({False: "without", True: "with"}))


def against_peers(cases):
    compared = cases[cases.ratio.notna()]
    if compared.empty:
        return
    yield from table(
        summary(compared, ["pool", "type", "class"], stand),
        "pool | type | class | >matrices | >rule / best peer | >least | matrix | >floor, median",
        "{pool} | {type} | {class} | {matrices} | {mean} | {least} | `{where}` | {floor}")


def each(cases):
    cases = cases.assign(class_=pd.Categorical(cases["class"], CLASSES, ordered=True))
    yield from table(
        cases.sort_values(["pooled", "type", "class_", "matrix"]),
        "matrix | type | pool | class | >rule | >floor | >held | best kernel | >time | best peer | "
        ">time | >rule / peer",
        "`{matrix}` | {type} | {pool} | {class} | {rule_ms:ms}{rule_mark} | {rule_floor} | "
        "{rule_peak_bytes:bytes} | {kernel_spec} | {kernel_ms:ms}{kernel_mark} | {peer_kernel} | "
        "{peer_ms:ms}{peer_mark} | {ratio}{ratio_mark}")


def lines(rows):
    """The lines of a machine's page: what each operation comes to, then every matrix."""
    for op, of in rows.groupby("op"):
        yield from (f"### {TITLES[op]}", "", "From the call until C can be used, allocation inside; "
                    "without a pool: nothing that earlier calls took serves a call. Held: the most at "
                    "a time beside the operands, C included.", "")
        for row in of[of.wrong].itertuples():
            yield from (f"- WRONG: {row.spec} on `{row.matrix}` {row.type}", "")
        yield from legend(of)
        yield from against_peers(cases_of(of))
        yield from each(cases_of(loosely(of)))
