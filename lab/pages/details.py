# SPDX-License-Identifier: Apache-2.0
"""What the page of a machine says beside its targets: every case, and of products what preparing for them, other
formats, and searches of the tuner come to."""
from . import tuner
from .cases import each_lines, summary_lines
from .products import calls_to_pay, cases_of, forms_of, prepared, ratio
from .tables import UNCHECKED, mean_and_least, named, span, summary, table, texts

LEGEND = (f"{UNCHECKED}: not checked; stands only where nothing was that is, and counts in no mean. Cold: after the "
          "caches were filled with other data. Held: the most memory at a time beside the operands. Fastest kernel: "
          "of the rule and each kernel by name.")


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


def optimise_row(cases):
    formats = cases.optimise_kernel.str.split("_").str[1].value_counts().sort_index()
    formats = formats.sort_values(ascending=False, kind="stable")
    extra = cases.optimise_extra_bytes
    return {"matrices": len(cases),
            "formats": ", ".join(f"{name} {count}" for name, count in formats.items()),
            **mean_and_least("gain", cases.rule_ms / cases.optimise_ms),
            "calls": (cases.optimise_prep_ms / cases.rule_ms).median(),
            "pays": calls_to_pay(cases, "optimise").median(), "extra": extra.median(),
            "share": (extra / cases.optimise_matrix_bytes).median()}


def optimise_lines(cases):
    rows = summary(prepared(cases), ["class", "type"], optimise_row)
    if rows.empty:
        return
    yield from ("What optimise chooses, gains and costs; preparation, calls and memory are "
                "medians over the matrices:", "")
    yield from table(
        rows, "class | type | >matrices | formats chosen | >gain on the rule | >least | "
        ">preparation, in calls of the rule | >calls to pay it | >extra memory | >of the matrix",
        "{class} | {type} | {matrices} | {formats} | {gain} | {gain_least} | {calls:.1f} | "
        "{pays:calls} | {extra:bytes} | {share}")


def prepared_lines(cases, kind, heading):
    cases = prepared(cases, kind)
    if cases.empty:
        return
    yield from (heading, "")
    yield from table(
        cases.assign(pays=calls_to_pay(cases, kind), ratio=ratio(cases, kind).array),
        "matrix | type | kernel | >rule | >cold | >prepared | >cold | >floor | >preparation | "
        ">calls to pay it | >extra memory | >/ best peer",
        "`{matrix}` | {type} | {K_spec} | {rule_ms:ms} | {rule_ms_cold:ms} | {K_ms:ms} | {K_ms_cold:ms} | "
        "{K_floor} | {K_prep_ms:ms} | {pays:calls} | {K_extra_bytes:bytes} | {ratio}".replace("K", kind))


def format_lines(rows, cases):
    """The fastest kernel in each format in which the matrix itself was measured."""
    by = ["matrix", "type"]
    forms = forms_of(rows, cases).pivot(index=by, columns="format", values="ms")
    if forms.empty:
        return
    forms.insert(0, "csr", cases.set_index(by).kernel_ms)
    least = forms.min(axis=1)
    yield from ("Matrices in other formats, the fastest kernel and layout of each:", "")
    yield from table(forms.apply(lambda ms: texts(ms, "ms", ms == least)).reset_index(),
                     "matrix | type | >" + " | >".join(forms),
                     "`{matrix}` | {type} | {" + "} | {".join(forms) + "}")


def product_lines(rows):
    """Of products with one vector what preparation comes to, and other formats; then the tuner's searches."""
    cases = cases_of(rows)
    for (trans, index), of in cases[cases.op == "spmv"].groupby(["trans", "index"]):
        found = [*optimise_lines(of), *prepared_lines(of, "optimise", "Each matrix:"),
                 *prepared_lines(of, "plan", "What a plan costs and gains:"), *format_lines(rows, of)]
        if found:
            yield from (f"## Preparing for A{'ᵀ' if trans == 't' else ''}x, {index}-bit offsets and columns", "", *found)
    calls = tuner.calls_of(rows)
    yield from tuner.detail_lines(calls, tuner.paths_of(calls))


def conversions(rows):
    """Calls that bring what they are given into another form first, which their time includes."""
    found = rows[rows.right & (rows.convert_ms > 0)] if len(rows) else rows
    if found.empty:
        return
    yield from ("## Triangular systems that are converted first", "", "A call by these kernels begins with bringing T "
                "into another form, which its time includes; the rest is solving:", "")
    yield from table(
        found.assign(rest_ms=found.ms - found.convert_ms).sort_values(["what", "type", "matrix"]),
        "of | how | type | kernel | >time | >converting | >the rest",
        "`{matrix}` | {what} | {type} | {spec} | {ms:ms} | {convert_ms:ms} | {rest_ms:ms}")
