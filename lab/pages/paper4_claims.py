# SPDX-License-Identifier: Apache-2.0
"""What paper 4 says, each beside what is found here: so here, or not so."""
from .paper4_rows import (ALG1, BHSPARSE, ESC, GROUPS, LEAN, NO_GROUPS, PAPERS, PHASES, PUBLISHED, VENDOR, data_of,
                          fates, in_pieces, mark_of, own_series, pivot, ratios, shares)
from .papers import verdict
from .tables import TYPES, geometric_mean, human_bytes, like, mark

LITTLE, BOTTLENECK = 10, 50  # percent of the time: what the slides' words are taken to mean
ORDERED = {"Proposal": PUBLISHED, "cuSPARSE": VENDOR, "BHSPARSE": BHSPARSE}
SPARSE = "of low throughput, which are the sparser ones"
# The phases as the table of times names them.
NAMES = dict(zip(PHASES, ["group rows", "count", "allocate", "compute", "finish"]))


def of_type(rows, type_, **where):
    return like(own_series(rows), type=type_, **where)


def on_orders(results, rows):
    """Proposal > cuSPARSE > BHSPARSE, and so on; of f64 the slides say that its trend is the same."""
    for group in ("high", "low"):
        printed = results.figure("order", where="Performance", subject=group, type="f32")
        labels = [ORDERED[name] for name in printed.split(" > ")]
        for type_ in TYPES:
            of = of_type(rows, type_, group=group)
            cells = pivot(of, "gflops").reindex(columns=labels).dropna()
            if cells.empty:
                continue
            alike = ((cells.iloc[:, 0] > cells.iloc[:, 1]) & (cells.iloc[:, 1] > cells.iloc[:, 2])).sum()
            means = geometric_mean(cells).sort_values(ascending=False)
            found = " > ".join(f"{name} ({value:.1f})" for name, value in means.items())
            said = printed if type_ == "f32" else f"{printed}, as in f32"
            yield (f"The paper on matrices of {group} throughput, {type_}: {said}. The order is this on "
                   f"{alike} of {len(cells)}{mark_of(of, *labels)}, and by the geometric mean of GFLOP/s "
                   f"{found}: {verdict(list(means.index) == labels)}.")


def on_speedups(results, rows):
    """Over the faster of cuSPARSE and BHSPARSE, where both were measured."""
    for group in ("high", "low"):
        for type_ in TYPES:
            of = of_type(rows, type_, group=group)
            cells = pivot(of, "gflops").reindex(columns=[PUBLISHED, VENDOR, BHSPARSE]).dropna()
            if cells.empty:
                continue
            gains = cells[PUBLISHED] / cells[[VENDOR, BHSPARSE]].max(axis=1)
            printed = results.figure("speedup", where="Performance", subject=group, type=type_)
            yield (f"The paper on matrices of {group} throughput, {type_}: PROPOSAL is up to {printed} times as "
                   f"fast. Over the faster of cuSPARSE and BHSPARSE the published algorithm is up to "
                   f"{gains.max():.2f}{mark_of(of, PUBLISHED, VENDOR, BHSPARSE)} times as fast "
                   f"(`{gains.idxmax()}`): {verdict(gains.max() >= float(printed))}.")


def on_memory(results, rows):
    for type_ in TYPES:
        of = of_type(rows, type_)
        means = [(name, 100 * (1 - ratios(of, "peak_bytes", PUBLISHED, label)), mark_of(of, PUBLISHED, label))
                 for name, label in (("the leanest of cuSPARSE's algorithms", LEAN), ("its ALG1", ALG1))]
        if means[0][1].empty:
            continue
        printed = results.figure("percent less than cuSPARSE", matrix="mean of all", type=type_)
        found = " and ".join(f"{less.mean():.1f} %{behind} less than {name}"
                             for name, less, behind in means if len(less))
        yield (f"The paper: PROPOSAL holds {printed} % less than cuSPARSE in the mean, {type_}. The published "
               f"algorithm holds {found}, in the mean of {len(means[0][1])}: "
               f"{verdict(means[0][1].mean() >= float(printed))}.")


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


def on_webbase(results, rows):
    """Less memory and better performance."""
    printed = results.figure("percent less than cuSPARSE", matrix="webbase-1M")
    for type_ in TYPES:
        of = of_type(rows, type_, name="webbase-1M")
        less = 100 * (1 - ratios(of, "peak_bytes", PUBLISHED, LEAN))
        faster = ratios(of, "gflops", PUBLISHED, VENDOR)
        if less.empty or faster.empty:
            continue
        less, faster, behind = less.iloc[0], faster.iloc[0], mark_of(of, PUBLISHED, LEAN)
        more = f"{less:.1f} % less" if less >= 0 else f"{-less:.1f} % more"
        yield (f"The paper on webbase: PROPOSAL holds {printed} % less than cuSPARSE, and is faster. The published "
               f"algorithm holds {more}{behind} than the leanest of cuSPARSE's algorithms and is "
               f"{faster:.2f}{mark_of(of, PUBLISHED, VENDOR)} times as fast as the fastest, {type_}: "
               f"{verdict(less >= float(printed) and faster > 1)}.")


def on_groups(rows):
    """Dividing rows into groups improves the load balance of irregular matrices like webbase."""
    for type_ in TYPES:
        of = of_type(rows, type_)
        gains, behind = ratios(of, "gflops", PUBLISHED, NO_GROUPS), mark_of(of, PUBLISHED, NO_GROUPS)
        webbase = gains[[name.endswith("webbase-1M") for name in gains.index]]
        if webbase.empty:
            continue
        others = gains.drop(webbase.index)
        rest = (f"; on the {len(others)} others {geometric_mean(others):.2f} times in the geometric mean, "
                f"{others.max():.2f} at most (`{others.idxmax()}`)") if len(others) else ""
        yield (f"The paper: dividing rows into groups helps irregular matrices like webbase. With groups the "
               f"published algorithm is {webbase.iloc[0]:.2f}{behind} times as fast on "
               f"`{webbase.index[0]}` as without, {type_}{rest}: {verdict(webbase.iloc[0] > 1)}.")


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
               f"{verdict(geometric_mean(gains) > 1)}.")


def on_allocation(rows):
    of = like(rows, label=PUBLISHED)
    keys = ["type", "group", "matrix"]
    times = of.pivot_table(index=keys, columns="pooled", values="ms", aggfunc="first")
    if not {False, True} <= set(times.columns):
        return
    share, behind = (100 * (1 - times[True] / times[False])).dropna(), mark(of)
    for (type_, group), one in share.groupby(level=["type", "group"]):
        found = (f"getting memory takes {one.mean():.0f} %{behind} of the published algorithm's time without a "
                 f"pool in the mean, {group} group, {type_}")
        if group == "low":
            yield (f"The paper: on sparser matrices cudaMalloc is the bottleneck. On those {SPARSE}, {found}: "
                   f"{verdict(one.mean() > BOTTLENECK)} (more than {BOTTLENECK} %).")
        else:
            yield f"{found[0].upper()}{found[1:]}."


def on_large(results, rows):
    """Significant speed-ups on large graphs."""
    for type_ in TYPES:
        of = of_type(rows, type_, group="large")
        gains = ratios(of, "gflops", PUBLISHED, VENDOR)
        if gains.empty:
            continue
        names = [f"`{name}`" for name in gains.index]
        said = [results.figure("speedup", where="Large-size Graph Data", matrix=name.removeprefix("like:"),
                               subject="cuSPARSE", type=type_) for name in gains.index]
        yield (f"The paper on large graphs: PROPOSAL is {listed(said)} times as fast as cuSPARSE, {type_} "
               f"({listed(names)}). The published algorithm is {listed(f'{gain:.2f}' for gain in gains)}"
               f"{mark_of(of, PUBLISHED, VENDOR)} times as fast as the fastest of cuSPARSE's without a cap: "
               f"{verdict((gains > 1).all())}.")


def listed(words):
    return ", ".join(words)


def lacked(rows):
    """Whether the algorithm by itself did not have the memory."""
    return rows.end.eq("failed") | in_pieces(rows)


def memory_of(rows, lacks):
    names = [f"`{name}`" for name, lacking in zip(rows.name, lacks) if lacking]
    return f"has not the memory for {listed(names)}" if names else "has the memory for all"


def on_shortage(results):
    """Who has not the memory under 16 GB: BHSPARSE on two, CUSP on these, PROPOSAL nowhere."""
    rows = fates(results, "memory")
    rows = rows[rows.name.isin(GROUPS["large"]) & rows.end.ne("given up") & rows.end.ne("wrong")]
    for name in ("BHSPARSE", "CUSP", "PROPOSAL"):
        for type_ in TYPES:
            of = like(rows, type=type_, label=PAPERS[name])
            if of.empty:
                continue
            printed = [results.figure("gflops", where="Large-size Graph Data", matrix=matrix, subject=name,
                                      type=type_) == "-" for matrix in of.name]
            tried = f"of the {len(of)} large graphs that were tried" if len(of) > 1 else "where it was tried"
            yield (f"The paper under 16 GB: {name} {memory_of(of, printed)} {tried}, {type_}. Here {PAPERS[name]} "
                   f"{memory_of(of, lacked(of))}{mark(of)}: {verdict(list(lacked(of)) == printed)}.")


def claims(results):
    rows = data_of(results)
    yield from on_orders(results, rows)
    yield from on_speedups(results, rows)
    yield from on_large(results, rows)
    yield from on_shortage(results)
    yield from on_memory(results, rows)
    yield from on_least_memory(rows)
    yield from on_webbase(results, rows)
    yield from on_groups(rows)
    yield from on_grouping_time(rows)
    yield from on_breakdown(rows)
    yield from on_calculation(rows)
    yield from on_allocation(rows)
