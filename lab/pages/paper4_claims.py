# SPDX-License-Identifier: Apache-2.0
"""What paper 4 says, each beside what is found here: so here, or not so."""
import pandas as pd

from .paper4_rows import (ALG1, BHSPARSE, ESC, GROUPS, LEAN, NO_GROUPS, PAPERS, PHASES, PUBLISHED, VENDOR, data_of,
                          fates, in_pieces, mark_of, own_series, pivot, ratios, shares)
from .papers import verdict
from .tables import TYPES, geometric_mean, like, mark

# What the slides' words are taken to mean: percent of the time, and times as fast.
LITTLE, BOTTLENECK, MUCH = 10, 50, 1.5
ORDERED = {"Proposal": PUBLISHED, "cuSPARSE": VENDOR, "BHSPARSE": BHSPARSE}
# The phases as the table of times names them.
NAMES = dict(zip(PHASES, ["group rows", "count", "allocate", "compute", "finish"]))


def of_type(rows, type_, **where):
    return like(own_series(rows), type=type_, **where)


def order_of(results, rows, group, type_):
    """The order that the slides print, what it names here, the geometric means of GFLOP/s, the fastest first,
    on how many matrices each is faster than the next, of how many, and their mark; None where not all three
    were measured. Of f64 the slides say that its trend is that of f32."""
    of = of_type(rows, type_, group=group)
    cells = pivot(of, "gflops").reindex(columns=list(ORDERED.values())).dropna()
    if cells.empty:
        return None
    printed = {name: results.figure("order", where="Performance", subject=group, type=name) for name in TYPES[:1] + [type_]}
    labels = [ORDERED[name] for name in printed[TYPES[0]].split(" > ")]
    alike = (cells[labels[0]] > cells[labels[1]]) & (cells[labels[1]] > cells[labels[2]])
    return (printed, labels, geometric_mean(cells).sort_values(ascending=False), alike.sum(), len(cells),
            mark_of(of, *labels))


def on_orders(results, rows):
    """Proposal > cuSPARSE > BHSPARSE, and so on."""
    for group in ("high", "low"):
        for type_ in TYPES:
            order = order_of(results, rows, group, type_)
            if order is None:
                continue
            printed, _, means, alike, count, behind = order
            found = " > ".join(f"{name} ({value:.1f})" for name, value in means.items())
            yield (f"By the geometric mean of GFLOP/s, {group} group, {type_}: {found}; the order is the paper's "
                   f"({', '.join(map(str, printed.values()))}) on {alike} of {count}{behind}.")


def gains_over(of, rivals):
    """How many times as fast as the fastest of these the published algorithm is, on each matrix that all have."""
    cells = pivot(of, "gflops").reindex(columns=[PUBLISHED, *rivals]).dropna()
    return cells[PUBLISHED] / cells[rivals].max(axis=1)


def printed_speedup(results, group, type_):
    return results.figure("speedup", where="Performance", subject=group, type=type_)


def percent_less(of, label):
    """How much less than another the published algorithm holds on each matrix, and the mark of it."""
    return 100 * (1 - ratios(of, "peak_bytes", PUBLISHED, label)), mark_of(of, PUBLISHED, label)


def printed_less(results, type_):
    return results.figure("percent less than cuSPARSE", matrix="mean of all", type=type_)


def on_memory(rows):
    for type_ in TYPES:
        of = of_type(rows, type_)
        means = [(name, *percent_less(of, label))
                 for name, label in (("the leanest of cuSPARSE's algorithms", LEAN), ("its ALG1", ALG1))]
        if means[0][1].empty:
            continue
        found = " and ".join(f"{less.mean():.1f} %{behind} less than {name}"
                             for name, less, behind in means if len(less))
        yield f"The published algorithm holds {found}, {type_}, in the mean of {len(means[0][1])}."


def on_least_memory(rows):
    """Lower memory usage than the other libraries on all matrices."""
    rivals = [LEAN, ESC, BHSPARSE]
    for type_ in TYPES:
        of = of_type(rows, type_)
        cells = pivot(of, "peak_bytes").reindex(columns=[PUBLISHED, *rivals]).dropna()
        if cells.empty:
            continue
        least = cells[PUBLISHED] <= cells[rivals].min(axis=1)
        yield (f"The paper: PROPOSAL holds less than the other libraries on all matrices, {type_}. It is so on "
               f"{least.sum()} of {len(cells)}{mark_of(of, PUBLISHED, *rivals)} "
               f"(CUSP and BHSPARSE: ours as published): {verdict(least.all())}.")


def webbase_of(of):
    """How much less memory than the leanest of cuSPARSE's algorithms, and how many times as fast as the fastest, the
    published algorithm is on webbase, with their marks; None where they were not measured."""
    of = like(of, name="webbase-1M")
    (less, behind), faster = percent_less(of, LEAN), ratios(of, "gflops", PUBLISHED, VENDOR)
    if less.empty or faster.empty:
        return None
    return less.iloc[0], behind, faster.iloc[0], mark_of(of, PUBLISHED, VENDOR)


def groups_of(of):
    """How many times as fast the published algorithm is with groups of rows: on webbase, on the others; the mark."""
    gains = ratios(of, "gflops", PUBLISHED, NO_GROUPS)
    is_webbase = pd.Series([name.endswith("webbase-1M") for name in gains.index], gains.index, dtype=bool)
    return gains[is_webbase], gains[~is_webbase], mark_of(of, PUBLISHED, NO_GROUPS)


def evens_out(webbase, others):
    """Whether groups even out the load of webbase, an irregular matrix: not where it is no faster with them, and not
    known where others gain as much, from threads and tables that fit short rows."""
    if webbase <= 1:
        return False
    return True if len(others) and webbase > geometric_mean(others) else None


def on_groups(rows):
    """Dividing rows into groups improves the load balance of irregular matrices like webbase."""
    for type_ in TYPES:
        webbase, others, behind = groups_of(of_type(rows, type_))
        if webbase.empty:
            continue
        rest, holds = "", evens_out(webbase.iloc[0], others)
        if len(others):
            rest = (f"; on the {len(others)} others {geometric_mean(others):.2f} times in the geometric mean, "
                    f"{others.max():.2f} at most (`{others.idxmax()}`)")
        said = verdict(holds) if holds is not None else (
            "undecided here, since without groups short rows have a whole block of threads and the largest table, too, and "
            "the time that this costs is no matter of load balance")
        yield (f"The paper: dividing rows into groups improves the load balance of irregular matrices like webbase. With "
               f"groups the published algorithm is {webbase.iloc[0]:.2f}{behind} times as fast on `{webbase.index[0]}` as "
               f"without, {type_}{rest}: {said}.")


def on_grouping_time(rows):
    for type_, of in own_series(shares(rows)).groupby("type"):
        worst = of.loc[of.analysis.idxmax()]
        yield (f"The paper: grouping affects the time little. Counting products and grouping rows takes "
               f"{of.analysis.mean():.0f} %{mark(of)} of the published algorithm's time in the mean, "
               f"{worst.analysis:.0f} % at most (`{worst.matrix}`), {type_}: "
               f"{verdict(of.analysis.mean() < LITTLE)} (less than {LITTLE} %).")


def on_breakdown(rows):
    for (type_, group), of in own_series(shares(rows)).groupby(["type", "group"]):
        parts = ", ".join(f"{said} {of[name].mean():.0f} %" for name, said in NAMES.items())
        yield (f"Where the published algorithm's time goes, {group} group, {type_}, in the mean of "
               f"{len(of)}{mark(of)}: {parts}.")


def on_calculation(rows):
    """With a pool no time is spent on getting memory."""
    for type_ in TYPES:
        of = like(rows[rows.pooled], type=type_)
        gains, behind = ratios(of, "ms", VENDOR, PUBLISHED), mark_of(of, PUBLISHED, VENDOR)
        if gains.empty:
            continue
        yield (f"The paper: the calculation takes much less time than cuSPARSE's. With a pool, so that there is "
               f"little else, the published algorithm is {geometric_mean(gains):.2f}{behind} times as fast as "
               f"cuSPARSE, {type_} (geometric mean of {len(gains)}; faster on {(gains > 1).sum()}): "
               f"{verdict(geometric_mean(gains) > MUCH)} (more than {MUCH:g} times).")


def allocations_of(rows):
    """What getting memory takes of the published algorithm's time without a pool, in percent: of each matrix, by type
    and group; and the mark of all."""
    of = like(rows, label=PUBLISHED)
    times = of.pivot_table(index=["type", "group", "matrix"], columns="pooled", values="ms", aggfunc="first")
    times = times.reindex(columns=[False, True])
    return (100 * (1 - times[True] / times[False])).dropna(), mark(of)


def on_allocation(rows):
    share, behind = allocations_of(rows)
    for (type_, group), one in share.groupby(level=["type", "group"]):
        yield (f"Getting memory takes {one.mean():.0f} %{behind} of the published algorithm's time without a pool in "
               f"the mean, {group} group, {type_}.")


def listed(words):
    return ", ".join(words)


def lacked(rows):
    """Whether the algorithm by itself did not have the memory."""
    return rows.end.eq("failed") | in_pieces(rows)


def memory_of(rows, lacks):
    names = [f"`{name}`" for name, lacking in zip(rows.name, lacks) if lacking]
    return f"has not the memory for {listed(names)}" if names else "has the memory for all"


def shortages_of(results, name, type_):
    """The large graphs that one of the paper's algorithms was tried on under 16 GB, and of each whether the paper
    says that the memory did not suffice."""
    rows = fates(results, "memory")
    of = like(rows[rows.name.isin(GROUPS["large"]) & ~rows.end.isin(["given up", "wrong"])], type=type_, label=PAPERS[name])
    return of, [results.figure("gflops", where="Large-size Graph Data", matrix=matrix, subject=name, type=type_) == "-"
                for matrix in of.name]


def on_shortage(results):
    """CUSP has not the memory under 16 GB for some; of the others the head of the page says it."""
    for type_ in TYPES:
        of, printed = shortages_of(results, "CUSP", type_)
        if of.empty:
            continue
        tried = f"of the {len(of)} large graphs that were tried" if len(of) > 1 else "where it was tried"
        yield (f"The paper under 16 GB: CUSP {memory_of(of, printed)} {tried}, {type_}. Here {PAPERS['CUSP']} "
               f"{memory_of(of, lacked(of))}{mark(of)}: {verdict(list(lacked(of)) == printed)}.")


def claims(results):
    rows = data_of(results)
    yield from on_orders(results, rows)
    yield from on_shortage(results)
    yield from on_memory(rows)
    yield from on_least_memory(rows)
    yield from on_groups(rows)
    yield from on_grouping_time(rows)
    yield from on_breakdown(rows)
    yield from on_calculation(rows)
    yield from on_allocation(rows)
