# SPDX-License-Identifier: Apache-2.0
"""What the page of a machine says beside its targets: every case, and of products other formats and searches of the
tuner."""
from . import tuner
from .cases import each_lines, summary_lines
from .products import PRODUCT, cases_of
from .tables import UNCHECKED, fastest, named, span, table, texts

LEGEND = (f"{UNCHECKED}: not checked; stands only where nothing was that is, and counts in no mean. Cold: after the "
          "caches were filled with other data. Held: the most memory at a time beside the operands. Fastest kernel: "
          "of the rule and each kernel by name; of a prepared product the one it takes. Converting: what of the "
          "fastest kernel's time brings the matrix into another form.")


def facts(rows):
    yield f"- copy bandwidth, measured in each run: {span(rows.copy_gbs, '{:.0f}')} GB/s, reads plus writes"
    yield f"- peers: {named(rows.peer_version) or 'none in these runs'}"
    yield f"- {len(rows)} measurements, {span(rows.date, '{:.10}')}, commit {named(rows.commit)}"
    ours = rows.err[rows.choice != "peer"].dropna()
    if len(ours):
        yield f"- largest error of tulle: {ours.max():.2g} of its bound"
    yield f"- {LEGEND}"
    for row in rows[rows.err > 1].itertuples():
        yield f"- WRONG: `{row.kernel}` on `{row.matrix}` {row.type}, {row.request}: {row.err:.3g} times the bound"
    yield ""


def section_lines(section, checked, every):
    """The operations of a section: by class what those that were checked come to, then every case."""
    ops = [op for op in section.ops if op in set(every.op)]
    yield from (f"## {section.title}", "") if ops else ()
    for op in ops:
        counted = checked[checked.op == op]
        yield from (f"### `{op}`", "")
        yield from summary_lines(counted, ops, "class") if len(counted) else ()
        yield from each_lines(every[every.op == op])


def format_lines(rows, cases):
    """The fastest kernel in each format in which the matrix itself was measured."""
    by = ["matrix", "type"]
    others = fastest(rows[(rows.format != "csr") & (rows.choice != "tune")], [*PRODUCT, "format"]).ms.reset_index()
    forms = cases[PRODUCT].merge(others, on=PRODUCT).pivot(index=by, columns="format", values="ms")
    if forms.empty:
        return
    forms.insert(0, "csr", cases.set_index(by).kernel_ms)
    least = forms.min(axis=1)
    yield from ("Matrices in other formats, the fastest kernel and layout of each:", "")
    yield from table(forms.apply(lambda ms: texts(ms, "ms", ms == least)).reset_index(),
                     "matrix | type | >" + " | >".join(forms),
                     "`{matrix}` | {type} | {" + "} | {".join(forms) + "}")


def product_lines(rows):
    """Of products with one vector other formats; then the tuner's searches."""
    cases = cases_of(rows)
    for trans, of in cases[(cases.op == "spmv") & (cases["index"] == "32/32")].groupby("trans"):
        found = list(format_lines(rows, of))
        yield from (f"## Formats for A{'ᵀ' if trans == 't' else ''} x", "", *found) if found else ()
    yield from tuner.detail_lines(tuner.paths_of(tuner.calls_of(rows)))
