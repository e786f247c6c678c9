# SPDX-License-Identifier: Apache-2.0
"""The arguments of paper 5 one by one: the order of COO, sorting by length, ELL's padding, a system."""
import pandas as pd

from . import plots
from .papers import measured, nothing
from .tables import beside, human_bytes, human_calls, human_ms, like, span, table

PAIR = ["matrix", "type"]
BY_ROWS, BY_COLUMNS, SHUFFLED = "entries by rows", "entries by columns", "entries shuffled"
ORDERS = {BY_ROWS: "by rows", BY_COLUMNS: "by columns", SHUFFLED: "shuffled"}
AS_IS, BY_LENGTH = "as they are", "rows by length"
# The slides' kernels with CSR: a thread a row, or on a CPU one thread.
PLAIN = ["spmv_csr_scalar", "spmv_csr_seq"]


def spread_of(rows):
    """Which of the slides' cases a matrix is for."""
    return rows.matrix.str.extract("^(?:(p2d|p3d|fem)|(web|rmat|powerlaw))").notna().set_axis(
        ["alike", "uneven"], axis=1)


def verdict(holds):
    """What the slides say beside what was found in some cases, a flag each."""
    if holds.all():
        return "as the slides say"
    return f"as the slides say on {holds.sum()} of {len(holds)}" if holds.any() else "not as the slides say"


def by_arrangement(rows, keys, values):
    """A row for each group of keys, with columns (value, arrangement)."""
    rows = rows.assign(arranged=rows.arranged.fillna(AS_IS))
    return rows.drop_duplicates([*keys, "arranged"], keep="last").pivot(
        index=keys, columns="arranged", values=values)


def refusals(results, experiment):
    """What could not be measured, and why."""
    rows = like(results.rows, experiment=experiment, choice="refused")
    what = rows.kernel.where(rows.kernel != "", rows.format)
    for (matrix, type_, reason), names in what.groupby([rows.matrix, rows.type, rows.reason]):
        yield f"- not on `{matrix}`, {type_}: {', '.join(names.unique())}: {reason}"
    if len(rows):
        yield ""


def orders_of(results):
    """For each kernel that takes any order: its times, and what sorting takes and brings, by the
    fastest kernel for sorted entries."""
    rows = results.of("order", right=True)
    if rows.empty:
        return rows
    keys = [*PAIR, "kernel"]
    times = by_arrangement(rows, keys, "ms").reindex(columns=list(ORDERS)).set_axis(
        ["rows_ms", "columns_ms", "shuffled_ms"], axis=1)
    sort = like(rows, arranged=BY_ROWS).set_index(keys).prep_ms.rename("sort_ms")
    times = times.join(sort[~sort.index.duplicated()]).reset_index()
    times["best_ms"] = times.groupby(PAIR).rows_ms.transform("min")
    times = times.dropna().reset_index(drop=True)
    saved = times.shuffled_ms - times.best_ms
    return times.assign(columns_over=times.columns_ms / times.rows_ms,
                        shuffled_over=times.shuffled_ms / times.rows_ms,
                        pays=(times.sort_ms / saved).where(saved > 0, float("inf")))


def order_section(results):
    yield from ("#### COO in any order", "")
    times = orders_of(results)
    if times.empty:
        yield from nothing(5, "--experiment order")
    else:
        yield from table(
            times, "matrix | type | kernel | >by rows | >by columns | >times by rows | >shuffled | "
            ">times by rows | >sorting the shuffled | >products that pay for it",
            "`{matrix}` | {type} | `{kernel}` | {rows_ms:ms} | {columns_ms:ms} | {columns_over} | "
            "{shuffled_ms:ms} | {shuffled_over} | {sort_ms:ms} | {pays:calls}")
        yield from measured(results.of("order"))
    profiles = results.profiles("order")
    yield from ("What the profiler counts of it, f32:", "")
    if profiles.empty:
        yield from nothing(5, "--experiment order --profile")
        return
    yield from table(
        profiles.assign(order=profiles.arranged.map(ORDERS)).sort_values(
            ["matrix", "kernel", "order"]),
        "matrix | kernel | entries | >load efficiency % | >warp efficiency % | >L1 hit % | >time",
        "`{matrix}` | `{kernel}` | {order} | {load_efficiency:.0f} | {warp_efficiency:.0f} | "
        "{l1_hit:.0f} | {ms:ms}")
    yield from measured(profiles)


def sorting_pays(pays):
    """After how many products the time of sorting has come back."""
    paid = sorted(pays[pays < float("inf")])
    if not paid:
        return "Sorting never pays."
    never = f", and never on {len(pays) - len(paid)} of {len(pays)}" if len(paid) < len(pays) else ""
    calls = list(dict.fromkeys(human_calls(of) for of in (paid[0], paid[-1])))
    return f"Sorting pays after {' to '.join(calls)} products by the fastest kernel of sorted entries{never}."


def order_words(results):
    times = orders_of(results)
    for (kernel, type_), of in times.groupby(["kernel", "type"]) if len(times) else ():
        yield (f"With shuffled entries `{kernel}` takes {span(of.shuffled_over, '{:.2f}')} times as long as by rows, by "
               f"columns {span(of.columns_over, '{:.2f}')} times, {type_}. {sorting_pays(of.pays)}")
    profiles = results.profiles("order")
    if profiles.empty:
        return
    counted = by_arrangement(profiles, ["matrix", "kernel"], "load_efficiency").reindex(
        columns=list(ORDERS)).dropna()
    for kernel, of in counted.groupby("kernel"):
        yield (f"Of what `{kernel}` loads by rows, {span(of[BY_ROWS], '{:.0f}')} % is used; shuffled, "
               f"{span(of[SHUFFLED], '{:.0f}')} %: {verdict(of[SHUFFLED] < 0.95 * of[BY_ROWS])}; by columns "
               f"{span(of[BY_COLUMNS], '{:.0f}')} %.")


def lengths_of(rows, values):
    """A row for each matrix, type and kernel, before and behind sorting by length."""
    return by_arrangement(rows, [*PAIR, "kernel"], values)


def lengths_section(results):
    yield from ("#### Before and after sorting by length", "")
    rows = results.of("lengths", right=True)
    if rows.empty:
        yield from nothing(5, "--experiment lengths")
    else:
        times = lengths_of(rows, "ms").reindex(columns=[AS_IS, BY_LENGTH]).set_axis(
            ["ms", "sorted_ms"], axis=1)
        yield from table(
            times.assign(gain=times.ms / times.sorted_ms).reset_index(),
            "matrix | type | kernel | >rows as they are | >by length | >times as fast",
            "`{matrix}` | {type} | `{kernel}` | {ms:ms} | {sorted_ms:ms} | {gain}")
        yield from measured(rows)
        yield from refusals(results, "lengths")
    yield from ("What the profiler counts of it, f32: how much of what is loaded is used, and how many of a "
                "warp's threads are at work:", "")
    counters = counters_of(results)
    if counters.empty:
        yield from nothing(5, "--experiment lengths --profile")
        return
    yield from table(
        counters.reset_index(),
        "matrix | kernel | >load efficiency % | >by length | >warp efficiency % | >by length",
        "`{matrix}` | `{kernel}` | {load:.0f} | {sorted_load:.0f} | {warp:.0f} | {sorted_warp:.0f}")
    yield from measured(results.profiles("lengths"))


def counters_of(results):
    """The profiler's counters of each matrix and kernel."""
    rows = results.profiles("lengths")
    parts = {"load": "load_efficiency", "warp": "warp_efficiency"}
    columns = [f"{prefix}{part}" for part in parts for prefix in ("", "sorted_")]
    if rows.empty:
        return pd.DataFrame(columns=columns, index=pd.MultiIndex.from_arrays([[], []], names=["matrix", "kernel"]))
    found = [by_arrangement(rows, ["matrix", "kernel"], counter).reindex(columns=[AS_IS, BY_LENGTH])
             for counter in parts.values()]
    return pd.concat(found, axis=1).set_axis(columns, axis=1)


def kernel_of(counters, kernel, spread=None):
    """The counters of a kernel by matrix, where all were counted; of one of the slides' cases alone."""
    rows = counters.reset_index()
    if spread:
        rows = rows[spread_of(rows)[spread]]
    return like(rows, kernel=kernel).set_index("matrix").drop(columns="kernel").dropna()


def sorted_gains(results):
    """How many times as fast sorting by length makes a thread a row where rows vary in length."""
    rows = results.of("lengths", right=True)
    rows = rows[rows.kernel.isin(PLAIN)]
    times = lengths_of(rows, "ms").reindex(columns=[AS_IS, BY_LENGTH]).dropna().reset_index()
    return times.assign(gain=times[AS_IS] / times[BY_LENGTH])[spread_of(times).uneven]


def lengths_words(results):
    counters = counters_of(results)
    if counters.empty:
        return
    uneven = kernel_of(counters, "spmv_csr_scalar", "uneven")
    for name in ("spmv_jds", "spmv_jds_ell", "spmv_hyb"):
        both = uneven[["load", "warp"]].join(kernel_of(counters, name)[["load", "warp"]],
                                             rsuffix="_own", how="inner")
        if len(both):
            yield (f"On rows of varying lengths `{name}` uses {span(both.load_own, '{:.0f}')} % of what it loads, "
                   f"with {span(both.warp_own, '{:.0f}')} % of a warp's threads at work: "
                   f"{verdict((both.load_own > both.load) & (both.warp_own > both.warp))} (more of both than a thread a row in CSR).")


def paddings_of(results):
    """ELL on matrices that get more and more uneven, beside other formats. Slots: formats.h."""
    rows = results.of("padding", right=True)
    if rows.empty:
        return rows
    parts = {name: like(rows, format=name) for name in ("ell", "hyb", "jds_ell")}
    parts["plain"] = rows[rows.kernel.isin(PLAIN)]
    cases = beside(parts, PAIR, ["nnz", "rows", "max_row", "sd_row"]).reset_index()
    stride = (cases.rows + 31) // 32 * 32
    return cases.assign(
        slots=stride * cases.max_row / cases.nnz,
        share=cases.ell_matrix_bytes / cases.plain_matrix_bytes,
        over_plain=cases.plain_ms / cases.ell_ms, over_hyb=cases.hyb_ms / cases.ell_ms,
        over_jds_ell=cases.jds_ell_ms / cases.ell_ms).sort_values(["type", "slots"])


def padding_section(results):
    yield from ("#### ELL's padding", "")
    cases = paddings_of(results)
    if cases.empty:
        yield from nothing(5, "--experiment padding")
        return
    yield from ("Rows of one mean length get more and more uneven. A dash: ELL was refused.", "")
    yield from table(
        cases, "matrix | type | >longest row | >standard deviation | >slots / entries | >bytes / CSR's | >ELL | "
        ">times a thread a row | >times the hybrid | >times JDS-ELL",
        "`{matrix}` | {type} | {max_row:.0f} | {sd_row:.1f} | {slots} | {share} | {ell_ms:ms} | {over_plain} | "
        "{over_hyb} | {over_jds_ell}")
    yield from measured(results.of("padding"))
    heads = {"over_plain": "a thread a row in CSR", "over_hyb": "the hybrid", "over_jds_ell": "JDS-ELL"}
    yield from results.add_plot(
        plots.Lines, "padding", "ELL, times as fast as others, against slots for each entry",
        pd.concat([plots.points(of.type, name, of.slots, of[key])
                   for of in [cases[cases.ell_ms.notna()]] for key, name in heads.items()]),
        ("slots / entries", "times"))


def slower_from(cases, key):
    """From how many slots on ELL is slower than something for good; missing where it is not."""
    slower = cases[key] < 1
    last = cases.slots[~slower].max()
    return cases.slots[slower & ~(cases.slots <= last)].min()


def cost_of_padding(cases, key, name):
    """What padding costs beside something, by slots."""
    slots = slower_from(cases, key)
    if pd.notna(slots):
        return f"it is slower than {name} from {slots:.1f} slots on"
    if (cases[key] < 1).any():
        return f"it is faster than {name} at {cases.slots.max():.1f} slots, if not everywhere"
    return f"it is faster than {name} wherever it is taken, up to {cases.slots.max():.1f} slots"


def padding_words(results):
    cases = paddings_of(results)
    for type_, of in cases.groupby("type") if len(cases) else ():
        taken, refused = of[of.ell_ms.notna()], of[of.ell_ms.isna()]
        if taken.empty:
            continue
        most = taken.loc[taken.slots.idxmax()]
        text = (f"Padding, {type_}: where ELL takes {most.slots:.1f} slots for each entry it has "
                f"{most.share:.1f} times the bytes of CSR ({human_bytes(most.ell_matrix_bytes)}); by slots for each "
                f"entry {cost_of_padding(taken, 'over_plain', 'a thread a row')}, and "
                f"{cost_of_padding(taken, 'over_hyb', 'the hybrid')}")
        if len(refused):
            text += f"; {refused.slots.min():.1f} slots are refused"
        yield f"{text}."


def system_section(results):
    yield from ("#### A x + y = 0", "")
    rows = results.of("system", right=True)
    refused = list(refusals(results, "system"))
    if rows.empty and not refused:
        yield from nothing(5, "--experiment system")
        return
    yield from ("x by an iterative method, whose products are those of a format, by the kernel that tulle takes by "
                "itself; what is left is the norm of A x + y over that of y, computed anew by CSR.", "")
    yield from table(
        rows.sort_values([*PAIR, "solution_ms"]),
        "matrix | type | method | format | kernel | >iterations | >time | >left | >product | >converting",
        "`{matrix}` | {type} | {method} | {format} | {spec} | {iterations:.0f} | {solution_ms:ms} | {left:.1e} | "
        "{ms:ms} | {prep_ms:ms}")
    yield from measured(rows)
    yield from refused


def system_words(results):
    rows = results.of("system", right=True)
    for (matrix, type_), of in rows.groupby(PAIR):
        best, csr = of.loc[of.solution_ms.idxmin()], like(of, format="csr").solution_ms
        against = ""
        if len(csr) and best.format != "csr":
            against = f", {csr.iloc[0] / best.solution_ms:.2f} times as fast as with CSR"
        yield (f"A x + y = 0 on `{matrix}`, {type_}, is solved by {best.method} with {len(of)} formats in "
               f"{span(of.iterations, '{:.0f}')} iterations, |A x + y| at most {of.left.max():.1e} of |y|; "
               f"fastest with {best.format}: {human_ms(best.solution_ms)}{against}.")


def words(results):
    for of in (order_words, lengths_words, padding_words, system_words):
        yield from of(results)


def sections(results):
    for of in (order_section, lengths_section, padding_section, system_section):
        yield from of(results)
