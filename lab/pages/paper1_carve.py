# SPDX-License-Identifier: Apache-2.0
"""Paper 1's cooperating threads and the L1: how often loads hit it, and the published kernel under each
split of L1 and shared memory."""
import pandas as pd

from .papers import nothing, verdict
from .tables import TYPES, geometric_mean, like, of_types, param, table

PAIR = ["matrix", "type"]
COOPS = [1, 2, 4, 8, 16, 32]
EXPENSIVE = 1.1  # times as long
SWEEPS = {"carve": "coop", "carve-repeat": "repeat", "carve-block": "block"}


def counters_of(results, experiment, by):
    """Means over the matrices of what the profiler counted, f32."""
    profiles = results.profiles(experiment)
    keys = [param(profiles, name).rename(name) for name in by]
    return profiles.assign(divergence=100 - profiles.warp_efficiency).groupby(keys)[
        ["l1_hit", "divergence"]].mean()


def printed(results, key):
    """By coop."""
    return pd.Series({coop: float(results.figure(key, subject=f"coop={coop}")) for coop in COOPS})


def swept(results, experiment):
    """Rows of a sweep under each split: the parameter's value, the split, and the time over the best
    of the matrix in the sweep."""
    rows = results.of(experiment, right=True)
    return rows.assign(value=param(rows, SWEEPS[experiment]), carve=param(rows, "carve"),
                       over=rows.ms / rows.groupby(PAIR).ms.transform("min"))


def trend_words(results, who, hits):
    """Whether the L1's hit rate rises with coop, as in the paper; hits: by coop."""
    hits, theirs = hits.dropna().sort_index(), printed(results, "l1_hit")
    if len(hits) < 2:
        return
    first, last = hits.index[0], hits.index[-1]
    rises = hits.iloc[-1] > hits.iloc[0]
    yield (f"The L1 hit rate of {who} goes from {hits.iloc[0]:.0f} % with coop {first:.0f} to {hits.iloc[-1]:.0f} % "
           f"with {last:.0f} (the paper: from {theirs[first]:g} to {theirs[last]:g} %; that it rises is "
           f"{verdict(rises)}).")


def words(results):
    ours = counters_of(results, "coop", ["coop"])
    yield from trend_words(results, "`spmv_csr_vector`", ours.l1_hit)
    if len(ours) and ours.l1_hit.iloc[-1] < ours.l1_hit.iloc[0]:
        yield ("It falls there by intent: with 8 lanes a row and more the kernel's loads of entries, each line of "
               "which is read once, keep out of the L1, so of what is counted only x and offsets can hit.")
    if ours.divergence.notna().any():
        theirs, of = printed(results, "divergence"), ours.divergence.dropna()
        yield (f"Lanes that idle: {of.min():.0f} to {of.max():.0f} %, most with coop {of.idxmax():.0f} (the paper: "
               f"divergence of {theirs.min():g} to {theirs.max():g} %, most with {theirs.idxmax()}; that no coop has more "
               f"than {theirs.max():g} % is {verdict(of.max() <= theirs.max())}).")
    by_carve = counters_of(results, "carve", ["carve", "coop"])
    for carve, of in by_carve.groupby(level="carve"):
        yield from trend_words(results, f"the published kernel with {carve:.0f} % of the L1 as shared memory",
                               of.l1_hit.droplevel("carve"))
    for experiment, name in SWEEPS.items():
        yield from sweep_words(swept(results, experiment), name)


def sweep_words(rows, name):
    """A sentence for each split, and one on what the splits come to."""
    for type_ in TYPES:
        of_type = like(rows, type=type_)
        for carve, of in of_type.groupby("carve"):
            means = of.groupby("value").over.agg(geometric_mean)
            yield (f"With {carve:.0f} % of the L1 as shared memory the published kernel's best {name} for all matrices "
                   f"is {means.idxmin():.0f}, {means.min():.2f} times the best of each matrix; the worst, "
                   f"{means.idxmax():.0f}, takes {means.max():.2f} times, {type_}.")
        best = of_type.groupby(["carve", "matrix"]).ms.min().unstack("carve").dropna()
        if len(best) and len(best.columns) > 1:
            cost = best.div(best.min(axis=1), axis=0).agg(geometric_mean)
            claim = (f": that thrashing the L1 is expensive is {verdict(cost.max() >= EXPENSIVE * cost.min())}"
                     if name == "coop" else "")
            yield (f"With each split's best {name}, {cost.idxmin():.0f} % shared is fastest and {cost.idxmax():.0f} % takes "
                   f"{cost.max() / cost.min():.2f} times as long, {type_}{claim}.")


def sections(results):
    yield from ("#### The split of L1 and shared memory (the published kernel)", "")
    yield from ("`spmv_csr_vector_published`, which sums in shared memory, asks for 0, 50 or 100 % of a "
                "multiprocessor's L1 as shared memory; the paper's GPU had "
                f"{results.figure('L1', subject='Tesla C2070')} bytes of L1. Times over the best of each matrix "
                "in the same sweep, geometric means.", "")
    if swept(results, "carve").empty:
        yield from nothing(1, "--experiment carve --experiment carve-repeat --experiment carve-block")
        return
    for experiment, name in SWEEPS.items():
        rows = swept(results, experiment)
        if rows.empty:
            yield from nothing(1, f"--experiment {experiment}")
            continue
        cells = rows.groupby(["carve", "value", "type"]).over.agg(geometric_mean).unstack("type")
        cells = cells.reindex(columns=TYPES).reset_index()
        if experiment == "carve":
            hits = counters_of(results, experiment, ["carve", "coop"]).l1_hit.rename_axis(["carve", "value"])
            cells = cells.join(hits, on=["carve", "value"])
            cells["paper"] = cells.value.map(printed(results, "l1_hit"))
        else:
            cells = cells.assign(l1_hit=float("nan"), paper=float("nan"))
        yield from table(
            cells, f">shared % | >{name} | {of_types('>@: time over the best')} | >L1 hit %, paper | >L1 hit %, here",
            "{carve:.0f} | {value:.0f} | " + of_types("{@}") + " | {paper} | {l1_hit:.1f}")
    if results.profiles("carve").empty:
        yield from ("The profiler was not run on these (`tulle-lab paper 1 --experiment carve --profile`).", "")
