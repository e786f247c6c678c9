# SPDX-License-Identifier: Apache-2.0
"""The rows of paper 4: which of its algorithms each is of, and what came of it."""
import pandas as pd

from .tables import human_bytes, latest, like, loosely, mark, marks_of, name_of

# The slides do not say where the groups part; of their table's order, high throughput is what has
# more than 20 entries a row.
GROUPS = {
    "high": ["pdb1HYS", "consph", "cant", "shipsec1", "pwtk", "rma10", "conf5_4-8x8-05", "cop20k_A"],
    "low": ["mac_econ_fwd500", "scircuit", "mc2depi", "webbase-1M"],
    "large": ["cage15", "wb-edu", "cit-Patents"]}
GROUP_OF = {name: group for group, names in GROUPS.items() for name in names}
# The paper's names, and what they are here: all as published.
PUBLISHED = "hash, P100's limits"
ONE_PHASE = "hash, P100's limits, one phase"
NO_GROUPS = "hash, P100's limits, no groups"
ESC, BHSPARSE = "esc, all at once", "bhsparse, growing"
OURS = "auto"
# Of the algorithms of cuSPARSE, for each matrix, the fastest and the one with the least memory.
VENDOR, LEAN = "cuSPARSE", "cuSPARSE, least memory"
ALG1 = "cusparse_spgemm_alg1"
PAPERS = {"CUSP": ESC, "cuSPARSE": VENDOR, "BHSPARSE": BHSPARSE, "PROPOSAL": PUBLISHED}
PHASES = ["analysis", "count", "allocate", "compute", "finish"]
LATE = "it took longer than"  # what bench/limit.c says of calls that were given up


def label_of(rows):
    """Who made it: an algorithm of tulle's with its parameters, or a peer."""
    params = rows.params.fillna("")
    name = rows.kernel.str.removeprefix("spgemm_")
    hashed, at_once = rows.kernel == "spgemm_hash", params.str.contains("slice=0")
    name = name.mask(hashed & params.str.contains("p100=1"), PUBLISHED)
    name = name.mask(hashed & params.str.contains("grouped=0"), name + ", no groups")
    name = name.mask(at_once & (name == "esc"), ESC).mask(at_once & (name == "bhsparse"), BHSPARSE)
    return name.mask(hashed & params.str.contains("phases=1"), name + ", one phase")


def with_names(rows):
    """Everything that ran or was refused, in the paper's order."""
    rows = rows.assign(name=name_of(rows), label=label_of(rows))
    rows["group"] = rows.name.map(GROUP_OF).fillna("other")
    order = [name for names in GROUPS.values() for name in names]
    rows["place"] = rows.name.map({name: i for i, name in enumerate(order)}).fillna(len(order))
    rows["mark"] = marks_of(rows)
    return rows.sort_values(["type", "place", "matrix", "pooled", "label"], kind="stable",
                            ignore_index=True)


def in_pieces(rows):
    """Whether the library cut the product, as the algorithm by itself lacked the memory."""
    return rows.pieces > 1


def best_of(rows, by, label):
    """Of cuSPARSE's algorithms, for each matrix the one with the least of a value."""
    vendor = rows[(rows.choice == "peer") & rows.kernel.str.startswith("cusparse") & rows[by].notna()]
    best = vendor.sort_values(by, kind="stable").drop_duplicates(["type", "matrix", "pooled"])
    return best.assign(label=label)


CAPPED = "‡"  # stands behind figures of a call under the cap


def data_of(results):
    """The measurements that are not wrong, the best of cuSPARSE's algorithms beside the others: without a
    cap, but for the published algorithm where it was measured under the cap alone."""
    every = loosely(with_names(results.rows))
    rows = every[every.experiment != "memory"]
    capped = like(every, experiment="memory", label=PUBLISHED)
    by = ["type", "matrix", "pooled", "label"]
    known = pd.MultiIndex.from_frame(rows[by])
    capped = capped[~in_pieces(capped) & ~pd.MultiIndex.from_frame(capped[by]).isin(known)]
    rows = pd.concat([rows, capped.assign(mark=capped.mark + CAPPED)])
    rows = latest(rows, by).sort_index()
    return pd.concat([rows, best_of(rows, "ms", VENDOR), best_of(rows, "peak_bytes", LEAN)])


def told_once(rows):
    """Without those that stand there twice."""
    return rows[~rows.label.isin([VENDOR, LEAN])]


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


def mark_of(rows, *labels):
    """What stands behind a figure that is made from the matrices that all of these have."""
    rows = rows[rows.label.isin(labels)]
    return mark(rows[rows.groupby("matrix").label.transform("nunique") == len(labels)])


def own_series(rows):
    """The series that is the paper's own: without a pool."""
    return rows[~rows.pooled]


def shares(rows):
    """The published algorithm's phases in percent of the call, for each matrix."""
    of = like(rows, label=PUBLISHED)
    return of.assign(**{name: 100 * of[f"{name}_ms"] / of.phases_ms for name in PHASES})


def fates(results, experiment=None):
    """What came of each algorithm on each matrix in an experiment, or in all without a cap and without a
    pool: one row of text each."""
    rows = with_names(results.rows)
    asked = rows.experiment == experiment if experiment else (rows.experiment != "memory") & ~rows.pooled
    rows = latest(rows[asked], ["type", "matrix", "label"]).sort_index()
    rows["end"] = "worked"
    rows.loc[in_pieces(rows), "end"] = "worked in pieces"
    rows.loc[rows.unchecked, "end"] += ", not checked"
    rows.loc[rows.sampled, "end"] += ", checked on a sample"
    rows.loc[rows.wrong, "end"] = "wrong"
    refused = rows.choice == "refused"
    late = rows.reason.str.startswith(LATE, na=False)
    rows.loc[refused, "end"] = late.map({True: "given up", False: "failed"})
    rows["fate"] = [fate_of(row) for row in rows.itertuples()]
    return rows


def fate_of(row):
    if row.choice == "refused":
        return f"{row.end}: {row.reason}"
    if row.wrong or pd.isna(row.peak_bytes):
        return row.end
    pieces = f" in {row.pieces:.0f} pieces" if row.pieces > 1 else ""
    checked = ", not checked" if row.unchecked else f", {row.checked_rows:,.0f} rows checked" if row.sampled else ""
    return f"{human_bytes(row.peak_bytes)}{pieces}{checked}"
