# SPDX-License-Identifier: Apache-2.0
"""Paper 1's cooperating threads and the L1: how often loads hit it, and the published kernel under each
split of L1 and shared memory."""
import pandas as pd

from .papers import Claim, measured, nothing, of_each_type, verdict
from .tables import TYPES, geometric_mean, like, of_types, param, span, table

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


def ends(hits):
    """The L1's hit rates with the fewest and with the most threads a row, by coop; none of fewer than two."""
    hits = hits.dropna().sort_index()
    return hits.iloc[[0, -1]] if len(hits) > 1 else hits[:0]


def hits_of_published(results):
    """The same for each split of L1 and shared memory, of the published kernel."""
    found = {carve: ends(of.l1_hit.droplevel("carve"))
             for carve, of in counters_of(results, "carve", ["carve", "coop"]).groupby(level="carve")}
    return {carve: hits for carve, hits in found.items() if len(hits)}


def rises(hits):
    return bool(hits.iloc[-1] > hits.iloc[0])


def costs_of_splits(rows):
    """The time with each split's best value of the parameter, over the fastest of each matrix; one split has none."""
    best = rows.groupby(["carve", "matrix"]).ms.min().unstack("carve").dropna()
    return best.div(best.min(axis=1), axis=0).agg(geometric_mean) if len(best) and len(best.columns) > 1 else None


def costs_of_types(results, experiment):
    rows = swept(results, experiment)
    costs = {type_: costs_of_splits(like(rows, type=type_)) for type_ in TYPES}
    return {type_: cost for type_, cost in costs.items() if cost is not None}


def cost_of_less(results):
    """The time of the published kernel with the smallest L1 over that with the largest, by type and coop."""
    rows = swept(results, "carve")
    cells = rows.groupby(["type", "value", "carve"]).over.agg(geometric_mean).unstack("carve")
    return cells.iloc[:, -1] / cells.iloc[:, 0] if len(cells.columns) > 1 else pd.Series(dtype=float)


def claim_of_thrashing(results):
    cost = cost_of_less(results)
    if len(cost):
        most, where = cost.groupby(level="type").max(), cost.groupby(level="type").idxmax()
        least = cost.groupby(level="type").min()
        yield Claim("thrashing the L1 is expensive",
                    f"with the smallest L1 the published kernel takes {of_each_type(most, '{:.2f}')} times as long as with the "
                    f"largest at coop {', '.join(sorted({str(int(at[1])) for at in where}))}, and at another coop "
                    f"{of_each_type(least, '{:.2f}')} times", min(most) >= EXPENSIVE)


def claims_of_counters(results):
    """The L1's hit rate and the divergence against coop."""
    counters, hits = counters_of(results, "coop", ["coop"]), printed(results, "l1_hit")
    ours, published, found = ends(counters.l1_hit), hits_of_published(results), []
    if len(ours):
        found.append("from {:.0f} to {:.0f} % in `spmv_csr_vector`".format(*ours))
    if published:
        found.append(f"in the published kernel it rises with {sum(map(rises, published.values()))} of {len(published)} "
                     "splits of L1 and shared memory")
    if found:
        yield Claim(f"with {hits.index[0]} to {hits.index[-1]} threads a row the L1 hit rate rises from {hits.iloc[0]:g} to "
                    f"{hits.iloc[-1]:g} %", "; ".join(found), all(map(rises, published.values() or [ours])))
    idle, theirs = counters.divergence.dropna(), printed(results, "divergence")
    if len(idle):
        yield Claim(f"divergence is {theirs.min():g} to {theirs.max():g} %, most with {theirs.idxmax()} threads a row",
                    f"{span(idle, '{:.0f}')} % of lanes idle, most with {idle.idxmax():.0f}", idle.max() <= theirs.max())


def published_of(results):
    """Of each matrix and type the fastest of the published kernel: with the parameters that a column `rule` of a frame
    names, "coop, repeat, block", and of all its sweeps; each with its best split."""
    rows = pd.concat([results.of(experiment, right=True) for experiment in SWEEPS])
    numbers = pd.DataFrame({name: param(rows, name) for name in ("coop", "repeat", "block")}, rows.index)
    return rows.assign(spec=[", ".join(f"{number:.0f}" for number in of) for of in numbers.itertuples(index=False)])


def leads_of_published(results, cases, part):
    """By type the mean of the vendor's time over that of the published kernel: with the fixed rule's parameters, or with the
    best of its sweeps."""
    rows = published_of(results)
    if rows.empty or cases.vendor_ms.isna().all():
        return pd.Series(dtype=float)
    both = rows.merge(cases[[*PAIR, "vendor_ms", "rule_params"]], on=PAIR)
    if part == "rule":
        both = both[both.spec == both.rule_params]
    best = both.sort_values("ms").drop_duplicates(PAIR)
    return (best.vendor_ms / best.ms).groupby(best.type).mean()


def words_of_lines(results):
    """The L1 that one thread a row thrashes: the largest and the smallest that there is here."""
    found = {carve: hits.iloc[0] for carve, hits in hits_of_published(results).items() if hits.index[0] == 1}
    if len(found) > 1:
        large, small = found[min(found)], found[max(found)]
        lines, line = results.figure("lines of L1"), results.figure("cache line (bytes)")
        yield (f"One thread a row hits the paper's L1, of at most {lines} lines of {line} bytes, in "
               f"{results.figure('l1_hit', subject='coop=1')} % of its loads: it thrashes it. Here the published kernel hits the "
               f"largest L1 in {large:.0f} % and the smallest in {small:.0f} %; that a small L1 is thrashed is "
               f"{verdict(small < large / 2)}.")


def words(results):
    yield from words_of_lines(results)
    for carve, hits in hits_of_published(results).items():
        yield (f"With {carve:.0f} % of the L1 as shared memory the L1 hit rate of the published kernel goes from "
               f"{hits.iloc[0]:.0f} % with coop {hits.index[0]:.0f} to {hits.iloc[-1]:.0f} % with "
               f"{hits.index[-1]:.0f}; that it rises is {verdict(rises(hits))}.")
    for experiment, name in SWEEPS.items():
        said = (f"{cost.idxmin():.0f} % shared is fastest and {cost.idxmax():.0f} % takes "
                f"{cost.max() / cost.min():.2f} times as long, {type_}"
                for type_, cost in costs_of_types(results, experiment).items())
        if said := "; ".join(said):
            yield f"With each split's best {name}, {said}."


def sections(results):
    yield from ("#### The split of L1 and shared memory (the published kernel)", "")
    yield from ("`spmv_csr_vector_published`, which sums in shared memory, asks for 0, 50 or 100 % of a "
                "multiprocessor's L1 as shared memory; the paper's GPU had "
                f"{results.figure('L1', subject='Tesla C2070')} bytes of L1. Times over the best of each matrix "
                "in the same sweep, geometric means. The paper prints hit rates by coop alone, so that sweep alone is "
                "profiled.", "")
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
        heading, cell = "", ""
        if experiment == "carve":
            hits = counters_of(results, experiment, ["carve", "coop"]).l1_hit.rename_axis(["carve", "value"])
            cells = cells.join(hits, on=["carve", "value"])
            cells["paper"] = cells.value.map(printed(results, "l1_hit"))
            heading, cell = " | >L1 hit %, paper | >L1 hit %, here", " | {paper} | {l1_hit:.1f}"
        yield from table(
            cells, f">shared % | >{name} | {of_types('>@: time over the best')}{heading}",
            "{carve:.0f} | {value:.0f} | " + of_types("{@}") + cell)
    yield from measured(pd.concat([*(results.of(experiment) for experiment in SWEEPS), results.profiles("carve")]))
    if results.profiles("carve").empty:
        yield from ("The profiler was not run on these (`tulle-lab paper 1 --experiment carve --profile`).", "")
