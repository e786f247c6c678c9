# SPDX-License-Identifier: Apache-2.0
"""Paper 4, Nagasaka et al.: products of sparse matrices by hash tables."""
import pandas as pd

from . import plots
from .papers import legend, nothing
from .tables import (TYPES, geometric_mean, human_bytes, latest, like, loosely, mark, marks, name_of,
                     named, table, texts)

# The slides do not say where the groups part; of their table's order, high throughput is what has
# more than 20 entries a row.
GROUPS = {
    "high": ["pdb1HYS", "consph", "cant", "shipsec1", "pwtk", "rma10", "conf5_4-8x8-05", "cop20k_A"],
    "low": ["mac_econ_fwd500", "scircuit", "mc2depi", "webbase-1M"],
    "large": ["cage15", "wb-edu", "cit-Patents"]}
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}
# The paper's names, and what they are here.
PUBLISHED = "hash, P100's limits"
ONE_PHASE = "hash, P100's limits, one phase"
OURS = "auto"
VENDOR, ALG1 = "cuSPARSE", "cusparse_spgemm_alg1"
PAPERS = {"CUSP": "esc", "cuSPARSE": VENDOR, "BHSPARSE": "bhsparse", "PROPOSAL": PUBLISHED}
PHASES = ["analysis", "count", "allocate", "compute", "finish"]
POOLS = {False: "without", True: "with"}
LATE = "it took longer than"  # what bench/limit.c says of calls that were given up
LITTLE, BOTTLENECK = 10, 50  # percent of the time: what the slides' words are taken to mean
MEDIAN, WORST = 1.3, 2  # of memory predicted over held: what tulle claims of itself


def label_of(rows):
    """Who made it: an algorithm of tulle's with its parameters, or a peer."""
    params = rows.params.fillna("")
    name = rows.kernel.str.removeprefix("spgemm_")
    hashed = rows.kernel == "spgemm_hash"
    name = name.mask(hashed & params.str.contains("p100=1"), PUBLISHED)
    return name.mask(hashed & params.str.contains("phases=1"), name + ", one phase")


def with_names(rows):
    """Everything that ran or was refused, in the paper's order."""
    rows = rows.assign(name=name_of(rows), label=label_of(rows))
    rows["group"] = rows.name.map(GROUP_OF).fillna("other")
    order = [name for names in GROUPS.values() for name in names]
    rows["place"] = rows.name.map({name: i for i, name in enumerate(order)}).fillna(len(order))
    rows["mark"] = marks(rows.unchecked)
    return rows.sort_values(["type", "place", "matrix", "pooled", "label"], kind="stable",
                            ignore_index=True)


def data_of(results):
    """The measurements without a cap that are not wrong, the best cuSPARSE algorithm beside the
    others."""
    rows = with_names(results.rows)
    rows = loosely(rows[rows.experiment != "memory"])
    rows = latest(rows, ["type", "matrix", "pooled", "label"]).sort_index()
    vendor = rows[(rows.choice == "peer") & rows.kernel.str.startswith("cusparse")]
    vendor = vendor.sort_values("ms", kind="stable").drop_duplicates(["type", "matrix", "pooled"])
    return pd.concat([rows, vendor.assign(label=VENDOR)])


def pivot(rows, value):
    """A row for each matrix in the paper's order, a column for each who made it."""
    cells = rows.pivot_table(index=["place", "matrix"], columns="label", values=value,
                             aggfunc="first", sort=False)
    return cells.sort_index().droplevel("place")


def ratios(rows, value, above, below):
    """For each matrix, the value of `above` over that of `below`."""
    cells = pivot(rows, value)
    if above not in cells or below not in cells:
        return pd.Series(dtype=float)
    return (cells[above] / cells[below]).dropna()


def grid(rows, value, form, best=False):
    """A table of a value: a row for each matrix, a column for each who made it."""
    values, behind = pivot(rows, value), pivot(rows, "mark")
    cells = pd.DataFrame({
        f"c{i}": texts(values[name], form, values[name] == values.max(axis=1) if best else ())
        for i, name in enumerate(values)}, values.index)
    cells += behind.reindex_like(values).where(values.notna(), "").to_numpy()
    yield from table(cells.reset_index(), "matrix | >" + " | >".join(values),
                     "`{matrix}` | " + " | ".join(f"{{{name}}}" for name in cells))


def mark_of(rows, *labels):
    """What stands behind a figure that is made from the matrices that all of these have."""
    rows = rows[rows.label.isin(labels)]
    return mark(rows[rows.groupby("matrix").label.transform("nunique") == len(labels)])


def own_series(rows):
    """The series that is the paper's own: without a pool."""
    return rows[~rows.pooled]


def matrix_section(results, rows):
    cells = rows.sort_values(["place", "matrix", "unchecked"]).drop_duplicates("matrix").copy()
    for key in ("nnz", "products", "nnz_c"):
        cells[f"paper_{key}"] = [results.figure(key, where="Matrix Data", matrix=name)
                                 for name in cells.name]
    yield from ("#### The squares of the matrices", "")
    yield from table(
        cells, "matrix | group | >nonzeros, paper | >ours | >products, paper | >ours | "
        ">nonzeros of C, paper | >ours",
        "`{matrix}` | {group} | {paper_nnz} | {nnz:,} | {paper_products} | {products:,.0f} | "
        "{paper_nnz_c} | {nnz_c:,.0f}{mark}")
    yield from ("The slides do not mark where the groups of high and low throughput part; here, at "
                "20 entries a row.", "")


def gflops_section(results, rows):
    yield from ("#### GFLOP/s", "")
    for (type_, pooled), of in rows.groupby(["type", "pooled"]):
        yield from (f"{type_}, {POOLS[pooled]} a pool:", "")
        yield from grid(of[of.label != VENDOR], "gflops", ".2f", best=True)
    for type_, of in own_series(rows).groupby("type"):
        most = of[of.label.isin([OURS, *PAPERS.values()]) & ~of.unchecked]  # bars have no marks
        yield from results.add_plot(
            plots.Bars, f"gflops-{type_}", f"GFLOP/s of A A without a pool, {type_}",
            pivot(most.assign(matrix=most.name), "gflops"), "GFLOP/s")


def speedup_rows(results, rows):
    for group in ("high", "low", "large"):
        for type_ in TYPES:
            of = like(own_series(rows), type=type_, group=group)
            published = ratios(of, "gflops", PUBLISHED, VENDOR)
            ours = ratios(of, "gflops", OURS, VENDOR)
            if len(published) or len(ours):
                yield {"group": group, "type": type_,
                       "paper": results.figure("speedup", where="Performance", subject=group,
                                               type=type_),
                       "published": published.max(), "over_bh": ratios(
                           of, "gflops", PUBLISHED, "bhsparse").max(),
                       "mean": geometric_mean(ours) if len(ours) else None,
                       "least": ours.min(), "most": ours.max(),
                       "published_mark": mark_of(of, PUBLISHED, VENDOR),
                       "bh_mark": mark_of(of, PUBLISHED, "bhsparse"),
                       "auto_mark": mark_of(of, OURS, VENDOR)}


def speedup_section(results, rows):
    yield from ("#### Speed-ups over the best cuSPARSE algorithm", "")
    found = pd.DataFrame(speedup_rows(results, rows))
    if found.empty:
        yield from nothing(4, "--experiment vendor")
        return
    yield from table(
        found, "group | type | >paper's algorithm, paper: up to | >today: up to | "
        ">over bhsparse: up to | >auto: geometric mean | >least | >most",
        "{group} | {type} | {paper} | {published}{published_mark} | {over_bh}{bh_mark} | "
        "{mean}{auto_mark} | {least}{auto_mark} | {most}{auto_mark}")


def large_section(results, rows):
    cells = []
    for type_ in TYPES:
        for name in GROUPS["large"]:
            of = like(own_series(rows), type=type_, name=name).drop_duplicates("label").set_index(
                "label")
            for theirs, label in {**PAPERS, "-": OURS}.items():
                if label in of.index or theirs != "-":
                    cells.append({"type": type_, "matrix": name, "theirs": theirs, "label": label,
                                  "paper": results.figure(
                                      "gflops", where="Large-size Graph Data", matrix=name,
                                      subject=theirs, type=type_),
                                  "gflops": of.gflops.get(label), "mark": of.mark.get(label)})
    yield from ("#### Large graphs, GFLOP/s", "")
    yield from table(
        pd.DataFrame(cells), "matrix | type | algorithm, paper | >GFLOP/s | ours | >GFLOP/s",
        "`{matrix}` | {type} | {theirs} | {paper} | {label} | {gflops:.3f}{mark}")


def memory_section(results, rows):
    yield from ("#### Memory", "", "The most held at a time beside A, C included:", "")
    for type_, of in own_series(rows).groupby("type"):
        yield from (f"{type_}:", "")
        yield from grid(of[of.label != VENDOR], "peak_bytes", "bytes")
    for type_, of in own_series(rows).groupby("type"):
        less = 100 * (1 - ratios(of, "peak_bytes", PUBLISHED, ALG1))
        if len(less):
            printed = results.figure("percent less than cuSPARSE", matrix="mean of all", type=type_)
            yield (f"- the paper's algorithm holds {less.mean():.1f} %{mark_of(of, PUBLISHED, ALG1)} less "
                   f"than cuSPARSE's ALG1 in the mean, {type_} (the paper: {printed} %)")
    yield ""


def phase_counts_section(rows):
    yield from ("#### One phase against two", "")
    found = []
    for type_, of in own_series(rows).groupby("type"):
        for one, two in ((ONE_PHASE, PUBLISHED), ("hash, one phase", "hash")):
            time, memory = ratios(of, "ms", one, two), ratios(of, "peak_bytes", one, two)
            if len(time):
                found.append({"type": type_, "label": two + mark_of(of, one, two),
                              "time": geometric_mean(time), "faster": (time < 1).sum(), "of": len(time),
                              "memory": geometric_mean(memory), "most": memory.max()})
    if not found:
        yield from nothing(4, "--experiment one-phase")
        return
    yield from table(
        pd.DataFrame(found), "algorithm | type | >time of one phase / two | >one is faster on | "
        ">memory of one phase / two | >at most",
        "{label} | {type} | {time} | {faster} of {of} | {memory} | {most}")


def shares(rows):
    """The published algorithm's phases in percent of the call, for each matrix."""
    of = like(rows, label=PUBLISHED)
    return of.assign(**{name: 100 * of[f"{name}_ms"] / of.phases_ms for name in PHASES})


def phase_section(rows):
    of = shares(rows)
    yield from ("#### Time by phase", "")
    if of.empty:
        yield from nothing(4, "--experiment algorithms")
        return
    for type_, one in of.groupby("type"):
        yield from (f"The paper's algorithm, {type_}, percent of a call that waits after each "
                    "phase; allocate: memory for C alone:", "")
        yield from table(
            one.assign(pool=one.pooled.map(POOLS)).sort_values(["place", "matrix", "pooled"]),
            "matrix | pool | >call | >group rows | >count | >allocate | >compute | >finish",
            "`{matrix}`{mark} | {pool} | {phases_ms:ms} | {analysis:.0f} | {count:.0f} | {allocate:.0f} | "
            "{compute:.0f} | {finish:.0f}")


def fates(results):
    """What came of each algorithm on each large matrix under the cap: one row of text each."""
    rows = with_names(results.rows)
    rows = latest(like(rows, experiment="memory"), ["type", "matrix", "label"]).sort_index()
    rows["end"] = "worked"
    rows.loc[rows.unchecked, "end"] = "worked, not checked"
    rows.loc[rows.wrong, "end"] = "wrong"
    refused = rows.choice == "refused"
    late = rows.reason.str.startswith(LATE, na=False)
    rows.loc[refused, "end"] = late.map({True: "given up", False: "failed"})
    rows["fate"] = [f"{row.end}: {row.reason}" if row.choice == "refused" else
                    row.end if row.wrong or pd.isna(row.peak_bytes) else
                    human_bytes(row.peak_bytes) + row.end.removeprefix("worked")
                    for row in rows.itertuples()]
    return rows


def cap_section(results):
    rows = fates(results)
    yield from ("#### Under 16 GB", "")
    if rows.empty:
        yield from nothing(4, "--experiment memory")
        return
    cap = human_bytes(rows.cap.max())
    yield from (f"Each algorithm with at most 16 GB for A, C and scratch ({cap} beside the smallest "
                "A): the most it held, or why it failed or was given up. The paper's: BHSPARSE has not the "
                "memory for `cage15` and `wb-edu`, and its table has no CUSP for both.", "")
    yield from table(rows, "matrix | type | algorithm | memory",
                     "`{matrix}` | {type} | {label} | {fate}")


def claim_on_grouping(rows):
    for type_, of in own_series(shares(rows)).groupby("type"):
        worst = of.loc[of.analysis.idxmax()]
        holds = "little, as the paper says" if of.analysis.mean() < LITTLE else "not little here"
        yield (f"Counting products and grouping rows takes {of.analysis.mean():.0f} %{mark(of)} of the "
               f"published algorithm's time in the mean, {worst.analysis:.0f} % at most "
               f"(`{worst.matrix}`), {type_}: {holds} (less than {LITTLE} %).")


def claim_on_allocation(rows):
    of = like(rows, label=PUBLISHED)
    keys = ["type", "group", "matrix"]
    times = of.pivot_table(index=keys, columns="pooled", values="ms", aggfunc="first")
    if not {False, True} <= set(times.columns):
        return
    share, behind = (100 * (1 - times[True] / times[False])).dropna(), mark(of)
    for (type_, group), one in share.groupby(level=["type", "group"]):
        holds = "the bottleneck" if one.mean() > BOTTLENECK else "not the bottleneck"
        said = {"low": "; the paper: it is", "high": "; the paper names it for sparser ones alone"}
        yield (f"Getting memory takes {one.mean():.0f} %{behind} of the published algorithm's time without a "
               f"pool, {group} group, {type_}: {holds} (more than {BOTTLENECK} %"
               f"{said.get(group, '')}).")


def claim_on_prediction(results):
    """Whether what was said of memory was kept, of all calls, those under the cap, too."""
    rows = loosely(with_names(results.rows))
    rows = rows[(rows.choice != "peer") & rows.predicted_bytes.notna()]
    for cap, of in rows.groupby(rows.experiment == "memory"):
        over = of.predicted_bytes / of.peak_bytes
        broken = ((of.peak_bytes > of.predicted_bytes) | (of.predicted_bytes > of.bound_bytes)).sum()
        held = "never passed" if broken == 0 else f"passed in {broken} calls"
        near = "as" if over.median() <= MEDIAN and over.max() <= WORST else "not as"
        worst = of.loc[over.idxmax()]
        if cap:
            yield (f"Under 16 GB what was predicted when C had been counted was {held}, in {len(of)} "
                   f"calls{mark(of)}.")
        else:
            yield (f"What was predicted when C had been counted was {held}, in {len(of)} calls{mark(of)}; "
                   f"predicted over held is {over.median():.2f} in the median, {over.max():.2f} at worst "
                   f"(`{worst.matrix}`, {worst.label}): {near} claimed (at most {MEDIAN:g} and {WORST:g}).")


def words_on_failures(results):
    rows = fates(results)
    for (type_, matrix), of in rows.groupby(["type", "matrix"], sort=False):
        ends = [f"{len(one)} {end}{'' if end.startswith('worked') else f' ({named(one.label)})'}"
                for end, one in of.groupby("end")]
        yield (f"Under 16 GB on `{matrix}`, {type_}, {len(of)} of {rows.label.nunique()} algorithms "
               f"{'was' if len(of) == 1 else 'were'} tried: {'; '.join(ends)}.")


def words(results, rows):
    yield from legend(with_names(results.rows))
    for type_, of in own_series(rows).groupby("type"):
        gains = ratios(of, "gflops", OURS, VENDOR)
        if len(gains):
            yield (f"auto is {geometric_mean(gains):.2f}{mark_of(of, OURS, VENDOR)} times as fast as the "
                   f"best cuSPARSE algorithm of each matrix, {type_}, without a pool (geometric mean of "
                   f"{len(gains)}; least {gains.min():.2f}, `{gains.idxmin()}`).")
        ours = of[of.choice != "peer"]
        best = ours.sort_values("ms", kind="stable").drop_duplicates("matrix").label.value_counts()
        if len(best):
            yield (f"The fastest of tulle's, {type_}, without a pool{mark(ours)}: "
                   f"{', '.join(f'{name} on {count}' for name, count in best.items())}.")
    yield from claim_on_grouping(rows)
    yield from claim_on_allocation(rows)
    yield from claim_on_prediction(results)
    yield from words_on_failures(results)


def sections(results, rows):
    if rows.empty:
        yield from nothing(4)
        return
    yield from matrix_section(results, rows)
    yield from gflops_section(results, rows)
    yield from speedup_section(results, rows)
    yield from large_section(results, rows)
    yield from memory_section(results, rows)
    yield from phase_counts_section(rows)
    yield from phase_section(rows)
    yield from cap_section(results)
