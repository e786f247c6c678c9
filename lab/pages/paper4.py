# SPDX-License-Identifier: Apache-2.0
"""Paper 4, Nagasaka et al.: products of sparse matrices by hash tables."""
import pandas as pd

from . import plots
from .constants import constant
from .paper4_claims import claims
from .paper4_head import head_claims  # the head of the page, which lab/papers.py asks for here
from .paper4_rows import (ALG1, BHSPARSE, CAPPED, ESC, GROUPS, LEAN, NO_GROUPS, ONE_PHASE, OURS, PAPERS, PUBLISHED, VENDOR,
                          data_of, fates, mark_of, told_once, own_series, pivot, ratios, shares,
                          with_names)
from .papers import THE_PAPER, legend, measured, nothing, verdict
from .tables import (TYPES, geometric_mean, human_bytes, like, loosely, mark, marks_of, named, span, table, texts)

POOLS = {False: "without", True: "with"}
PUBLISHED_KERNELS = "src/spgemm/published/gpu"
SLOTS_A_THREAD, MOST_THREADS = 4, 1024  # of a block whose rows are computed in tables (hash.cu, threads_for)
SLICED = ["esc", "bhsparse"]  # ours by slices of rows, which are not as published
MEDIAN, WORST = 1.3, 2  # of memory predicted over held: what tulle claims of itself


def grid(rows, value, form, best=False):
    """A table of a value: a row for each matrix, a column for each who made it."""
    values, behind = pivot(rows, value), pivot(rows, "mark")
    cells = pd.DataFrame({
        f"c{i}": texts(values[name], form, values[name] == values.max(axis=1) if best else ())
        for i, name in enumerate(values)}, values.index)
    cells += behind.reindex_like(values).where(values.notna(), "").to_numpy()
    yield from table(cells.reset_index(), "matrix | >" + " | >".join(values),
                     "`{matrix}` | " + " | ".join(f"{{{name}}}" for name in cells))


# What the slides print of each matrix: the quantity, its column here, and what it is called.
SIZES = (("rows", "rows", "rows"), ("nnz", "nnz", "nonzeros"), ("mean_row", "a_row", "nonzeros a row"),
         ("max_row", "max_row", "longest row"), ("products", "products", "products"), ("nnz_c", "nnz_c", "nonzeros of C"))
NEAR = 0.01  # of the paper's size


def sizes_of(results, rows):
    """Each matrix once, with the paper's sizes beside its own."""
    cells = rows.sort_values(["place", "matrix", "unchecked"]).drop_duplicates("matrix").copy()
    cells["mark"] = marks_of(cells)
    for key, _, _ in SIZES:
        cells[f"paper_{key}"] = [results.figure(key, where="Matrix Data", matrix=name) for name in cells.name]
    return cells


def nearness(away):
    """On which matrices a size is near the paper's; away: how far it is on each, as a share of it."""
    if (away <= NEAR).all():
        return f"on all {len(away)}"
    near, far = (", ".join(f"`{name}`" for name in away.index[flags]) for flags in (away <= NEAR, away > NEAR))
    which = f"not on {far}" if len(far) <= len(near) or not near else f"{near}"
    return f"on {(away <= NEAR).sum()} of {len(away)} ({which}; at worst {100 * away.max():.0f} % away, on `{away.idxmax()}`)"


def words_of_sizes(cells):
    """On which matrices each size is the paper's."""
    ends = {}
    for key, column, name in SIZES:
        paper = pd.to_numeric(cells[f"paper_{key}"].str.replace(",", ""), errors="coerce")
        away = (cells[column] / paper - 1).abs().set_axis(cells.matrix).dropna()
        if len(away):
            ends.setdefault(nearness(away), []).append(name)
    if ends:
        parts = [f"{', '.join(names)} {end}" for end, names in ends.items()]
        yield from (f"Within {100 * NEAR:.0f} % of what the paper prints are {'; '.join(parts)}.", "")


def matrix_section(results, rows):
    cells = sizes_of(results, rows)
    yield from ("#### The matrices beside the paper's", "")
    yield from table(
        cells, "matrix | group | >rows, paper | >ours | >nonzeros, paper | >ours | >a row, paper | >ours | "
        ">longest row, paper | >ours",
        "`{matrix}` | {group} | {paper_rows} | {rows:,} | {paper_nnz} | {nnz:,} | {paper_mean_row} | {a_row:.1f} | "
        "{paper_max_row} | {max_row:.0f}")
    yield from ("The slides do not mark where the groups of high and low throughput part; here, at "
                "20 entries a row.", "")
    yield from ("#### The squares of the matrices", "")
    yield from table(
        cells, "matrix | >products, paper | >ours | >nonzeros of C, paper | >ours",
        "`{matrix}` | {paper_products} | {products:,.0f} | {paper_nnz_c} | {nnz_c:,.0f}{mark}")
    yield from measured(cells)
    yield from words_of_sizes(cells)


def gflops_section(results, rows):
    yield from ("#### GFLOP/s", "")
    for (type_, pooled), of in rows.groupby(["type", "pooled"]):
        yield from (f"{type_}, {POOLS[pooled]} a pool:", "")
        yield from grid(told_once(of), "gflops", ".2f", best=True)
        yield from measured(told_once(of))
    for type_, of in own_series(rows).groupby("type"):
        most = of[of.label.isin([OURS, *PAPERS.values(), *SLICED]) & ~of.unchecked]  # bars have no marks
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
                           of, "gflops", PUBLISHED, BHSPARSE).max(),
                       "mean": geometric_mean(ours) if len(ours) else None,
                       "least": ours.min(), "most": ours.max(),
                       "published_mark": mark_of(of, PUBLISHED, VENDOR),
                       "bh_mark": mark_of(of, PUBLISHED, BHSPARSE),
                       "auto_mark": mark_of(of, OURS, VENDOR)}


# A column of the speed-ups of each matrix: who is how many times as fast as whom.
GAINS = {"published / cuSPARSE": (PUBLISHED, VENDOR), "/ BHSPARSE": (PUBLISHED, BHSPARSE),
         "/ CUSP": (PUBLISHED, ESC), "auto / cuSPARSE": (OURS, VENDOR), "/ published": (OURS, PUBLISHED)}


def each_speedup(type_, rows):
    gains = {heading: ratios(rows, "gflops", *labels) for heading, labels in GAINS.items()}
    cells = pd.DataFrame({f"c{i}": gain for i, gain in enumerate(gains.values())})
    if cells.empty:
        return
    order = pivot(rows, "gflops").index
    cells = cells.reindex(order.intersection(cells.index)).rename_axis("matrix").reset_index()
    for i, labels in enumerate(GAINS.values()):
        cells[f"m{i}"] = [mark(rows[rows.label.isin(labels) & (rows.matrix == name)]) for name in cells.matrix]
    yield from (f"Each matrix, {type_}, without a pool, times as fast (CUSP and BHSPARSE: ours as published):",
                "")
    yield from table(cells, "matrix | >" + " | >".join(GAINS),
                     "`{matrix}` | " + " | ".join(f"{{c{i}}}{{m{i}}}" for i in range(len(GAINS))))


def speedup_section(results, rows):
    yield from ("#### Speed-ups over the best cuSPARSE algorithm", "")
    found = pd.DataFrame(speedup_rows(results, rows))
    if found.empty:
        yield from nothing(4, "--experiment vendor")
        return
    yield from table(
        found, "group | type | >paper's algorithm, paper: up to | >today: up to | "
        ">over BHSPARSE: up to | >auto: geometric mean | >least | >most",
        "{group} | {type} | {paper} | {published}{published_mark} | {over_bh}{bh_mark} | "
        "{mean}{auto_mark} | {least}{auto_mark} | {most}{auto_mark}")
    yield from measured(own_series(rows))
    for type_, of in own_series(rows).groupby("type"):
        yield from each_speedup(type_, of)


LACKING = "-"  # as the paper has it: the algorithm had not the memory


def rate_of(rows, label):
    """GFLOP/s as a number, missing where there is none, and as text."""
    one = like(rows, label=label)
    if one.empty:
        return None, "not measured"
    row = one.iloc[0]
    if row.end in ("failed", "given up", "wrong"):
        return None, LACKING if row.end == "failed" else row.end
    behind = mark(one)
    if row.pieces > 1:
        return None, f"{LACKING} ({row.gflops:.3f}{behind} in {row.pieces:.0f} pieces)"
    return row.gflops, f"{row.gflops:.3f}{behind}"


def large_row(who, rows):
    """The paper's columns of one matrix, and auto."""
    rates = {name: rate_of(rows, label) for name, label in {**PAPERS, OURS: OURS}.items()}
    cells = {name: text for name, (_, text) in rates.items()}
    for name in ("cuSPARSE", "BHSPARSE"):
        both = rates["PROPOSAL"][0], rates[name][0]
        cells[f"from {name}"] = "-" if None in both else f"x{both[0] / both[1]:.1f}"
    return {"who": who, **cells}


def printed_row(results, name, type_):
    def printed(quantity, subject):
        return results.figure(quantity, where="Large-size Graph Data", matrix=name, subject=subject,
                              type=type_)

    gains = {f"from {subject}": printed("speedup", subject) for subject in ("cuSPARSE", "BHSPARSE")}
    return {"who": THE_PAPER, **{subject: printed("gflops", subject) for subject in PAPERS}, OURS: "",
            **{name: gain if gain == "-" else f"x{gain}" for name, gain in gains.items()}}


def capped_rows(results):
    """Those under the cap, of cuSPARSE's algorithms the fastest that worked."""
    rows = fates(results, "memory")
    vendor = rows[rows.kernel.str.startswith("cusparse")].sort_values("ms", kind="stable")
    vendor = vendor.assign(late=vendor.end.eq("failed")).sort_values("late", kind="stable")
    return pd.concat([rows, vendor.drop_duplicates(["type", "matrix"]).assign(label=VENDOR)])


def large_section(results, rows):
    capped, free, lines = capped_rows(results), fates(results), []
    best = own_series(like(rows, label=VENDOR))
    free = pd.concat([free, best.assign(end="worked")])
    for type_ in TYPES:
        for name in GROUPS["large"]:
            both = {"here, under 16 GB": like(capped, type=type_, name=name),
                    "here, without a cap": like(free, type=type_, name=name)}
            of_matrix = [printed_row(results, name, type_)]
            of_matrix += [large_row(who, of) for who, of in both.items() if len(of)]
            lines += [{"matrix": name, "type": type_, **line} for line in of_matrix]
    columns = ["CUSP", "cuSPARSE", "BHSPARSE", "PROPOSAL", "from cuSPARSE", "from BHSPARSE", OURS]
    yield from ("#### Large graphs, GFLOP/s", "", "The paper's table and the same here: CUSP is "
                f"{ESC}, cuSPARSE its fastest algorithm, BHSPARSE {BHSPARSE}, PROPOSAL {PUBLISHED}; "
                "speed-ups are PROPOSAL's. -: as in the paper, the memory did not suffice; where the "
                "library then made the product in pieces, how fast that was. Under 16 GB one call is timed.", "")
    lines = pd.DataFrame(lines).rename(columns={name: f"c{i}" for i, name in enumerate(columns)})
    yield from table(lines, "matrix | type | where | >" + " | >".join(columns),
                     "`{matrix}` | {type} | {who} | " + " | ".join(f"{{c{i}}}" for i in range(len(columns))))
    yield from measured(pd.concat([capped, free[free.name.isin(GROUPS["large"])]]))


def memory_section(rows):
    yield from ("#### Memory", "", "The most held at a time beside A, C included:", "")
    for type_, of in own_series(rows).groupby("type"):
        yield from (f"{type_}:", "")
        yield from grid(told_once(of), "peak_bytes", "bytes")
        yield from measured(told_once(of))
    lines = []
    for type_, of in own_series(rows).groupby("type"):
        for group in GROUPS:
            less = [100 * (1 - ratios(like(of, group=group), "peak_bytes", PUBLISHED, label))
                    for label in (LEAN, ALG1, BHSPARSE, ESC)]
            cells = {f"c{i}": values.mean() if len(values) else None for i, values in enumerate(less)}
            if len(less[0]):
                lines.append({"type": type_, "group": group, **cells})
    if lines:
        yield from ("How much less the published algorithm holds, percent, in the mean of each group:", "")
        yield from table(pd.DataFrame(lines), "group | type | >than the leanest of cuSPARSE | >than its ALG1 | "
                         ">than BHSPARSE | >than CUSP",
                         "{group} | {type} | {c0:.1f} | {c1:.1f} | {c2:.1f} | {c3:.1f}")
        yield from measured(own_series(rows))


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
    yield from measured(own_series(rows[rows.label.isin([ONE_PHASE, PUBLISHED, "hash, one phase", "hash"])]))


def groups_section(rows):
    yield from ("#### Rows in groups, and not", "")
    found = []
    for type_, of in own_series(rows).groupby("type"):
        cells = pivot(of, "gflops").reindex(columns=[PUBLISHED, NO_GROUPS]).dropna()
        gains = ratios(of, "gflops", PUBLISHED, NO_GROUPS)
        both = of[of.label.isin([PUBLISHED, NO_GROUPS])]
        found += [{"matrix": name, "type": type_, "grouped": cells[PUBLISHED][name], "alone": cells[NO_GROUPS][name],
                   "gain": gains[name], "mark": mark(both[both.matrix == name])} for name in cells.index]
    if not found:
        yield from nothing(4, "--experiment grouping")
        return
    yield from ("Without groups every row has a block of threads and the largest table.", "")
    yield from table(pd.DataFrame(found), "matrix | type | >GFLOP/s with groups | >without | >times as fast",
                     "`{matrix}`{mark} | {type} | {grouped} | {alone} | {gain}")
    yield from measured(own_series(rows[rows.label.isin([PUBLISHED, NO_GROUPS])]))


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
        yield from measured(one)


def cap_section(results):
    rows = fates(results, "memory")
    yield from ("#### Under 16 GB", "")
    if rows.empty:
        yield from nothing(4, "--experiment memory")
        return
    cap, memory = human_bytes(rows.cap.max()), results.figure("memory (GB)", where="Experimental Setup")
    yield from (f"Each algorithm with at most the {memory} GB of the paper's GPU for A, C and scratch ({cap} beside the smallest "
                "A): the most it held, or why it failed or was given up. The paper's: BHSPARSE has not the "
                "memory for `cage15` and `wb-edu`, and its table has no CUSP for both.", "")
    yield from table(rows, "matrix | type | algorithm | memory",
                     "`{matrix}` | {type} | {label} | {fate}")
    yield from measured(rows)


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
            yield (f"Under 16 GB the memory that was predicted once C had been counted was {held}, in {len(of)} "
                   f"calls{mark(of)}.")
        else:
            yield (f"The memory that was predicted once C had been counted was {held}, in {len(of)} calls{mark(of)}; "
                   f"predicted over held is {over.median():.2f} in the median, {over.max():.2f} at worst "
                   f"(`{worst.matrix}`, {worst.label}): {near} claimed (at most {MEDIAN:g} and {WORST:g}).")


def why_of(end, rows):
    """Why calls were given up, which the table of fates says of each that failed."""
    return f": {named(rows.reason)}" if end == "given up" else ""


def words_on_failures(results):
    rows = fates(results, "memory")
    for (type_, matrix), of in rows.groupby(["type", "matrix"], sort=False):
        ends = [f"{len(one)} {end}{'' if end.startswith('worked') else f' ({named(one.label)}{why_of(end, one)})'}"
                for end, one in of.groupby("end")]
        yield (f"Under 16 GB on `{matrix}`, {type_}, {len(of)} of {rows.label.nunique()} algorithms "
               f"{'was' if len(of) == 1 else 'were'} tried: {'; '.join(ends)}.")


def words_of_machine(results):
    def setup(quantity):
        return results.figure(quantity, where="Experimental Setup", subject="Tesla P100")

    yield (f"The memory of the paper's Tesla P100 carries {setup('bandwidth (GB/s)')} GB/s; a copy here runs at "
           f"{span(results.rows.copy_gbs, '{:.0f}')} GB/s.")
    pairs = results.rows.drop_duplicates(["matrix", "type"])
    fit = (pairs.matrix_bytes <= float(setup("L2 (MB)")) * 2 ** 20).sum()
    yield f"Of {len(pairs)} pairs of A and type, {fit} would fit into the {setup('L2 (MB)')} MB of L2 of the paper's GPU."
    largest, shared = group_limits()[-2], setup("shared memory (KB/SM)")
    yield (f"The published algorithm's largest table in shared memory takes {12 * largest['entries'] / 1024:.0f} KB in f64 "
           f"({largest['entries']:,} columns and sums), of {shared} KB that a multiprocessor of the paper's GPU has.")


def group_limits():
    """The groups of rows of the published algorithm with the P100's limits, the shortest rows first: the most products and
    entries of a row, and the threads of a block, by the numbers in the kernel's sources."""
    rows, partial = (f"{PUBLISHED_KERNELS}/{name}" for name in ("hash.cu", "partial_warps.cuh"))
    entries, most = constant(rows, "first_block_entries"), constant(rows, "p100_entries")
    groups = [{"entries": constant(partial, "partial_entries"), "products": constant(partial, "partial_multiplications"),
               "block": constant(partial, "partial_threads"), "assignment": "PWARP"}]
    while entries <= most:
        groups.append({"entries": entries, "products": 2 * entries, "block": entries // SLOTS_A_THREAD, "assignment": "TB"})
        entries *= 2
    return [*groups, {"entries": None, "products": None, "block": MOST_THREADS, "assignment": "TB"}]


def limits_of(text):
    """The least and the most of "17 - 256", "513~1024" and "4097 -"."""
    numbers = [int(number) for number in text.replace("~", "-").split("-") if number.strip()]
    return numbers[0], numbers[1] if len(numbers) > 1 else None


def parameter_section(results):
    """The table of parameters, beside those that the kernel has."""
    lines, least, holds = [], {"products": 0, "entries": 0}, []
    for number, group in enumerate(group_limits(), 1):
        printed = {key: results.figure(key, where="Parameter Setting for P100 GPU", subject=f"group {number}") for key in group}
        line = {f"paper_{key}": value for key, value in printed.items()}
        for key in least:
            holds.append(limits_of(printed[key]) == (least[key], group[key]))
            line[key] = f"{least[key]} - {group[key] or ''}".rstrip()
            least[key] = (group[key] or 0) + 1
        holds.append(int(printed["block"]) == group["block"] and printed["assignment"].startswith(group["assignment"]))
        lines.append({**line, "block": group["block"], "assignment": group["assignment"]})
    yield from ("#### The parameters for the P100", "")
    yield from table(
        pd.DataFrame(lines[::-1]), "products, paper | here | entries, paper | here | a row has, paper | here | >threads of a block, paper | >here",
        "{paper_products} | {products} | {paper_entries} | {entries} | {paper_assignment} | {assignment} | {paper_block} | {block}")
    lanes = constant(f"{PUBLISHED_KERNELS}/partial_warps.cuh", "partial_lanes")
    threads = results.figure("threads", subject="PWARP")
    yield from (f"Here: what `spgemm_hash` has with `p100=1`, from its sources. All are the paper's: {verdict(all(holds))}. Parts of a warp "
                f"(PWARP) have {threads} threads in the paper and {lanes} here: {verdict(lanes == int(threads))}.", "")


def words(results, rows):
    yield from legend(with_names(results.rows))
    if rows.mark.str.contains(CAPPED).any():
        yield f"{CAPPED}: one call under 16 GB, where the algorithm was not timed without a cap."
    yield from words_of_machine(results)
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
    yield from claims(results)
    yield from claim_on_prediction(results)
    yield from words_on_failures(results)


def sections(results, rows):
    if rows.empty:
        yield from nothing(4)
        return
    yield from matrix_section(results, rows)
    yield from parameter_section(results)
    yield from gflops_section(results, rows)
    yield from speedup_section(results, rows)
    yield from large_section(results, rows)
    yield from memory_section(rows)
    yield from phase_counts_section(rows)
    yield from groups_section(rows)
    yield from phase_section(rows)
    yield from cap_section(results)
