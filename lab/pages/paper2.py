# SPDX-License-Identifier: Apache-2.0
"""Paper 2, Hiranandani: five CSR algorithms on fifteen matrices."""
import pandas as pd

from . import plots
from .papers import nothing
from .tables import TYPES, fastest, geometric_mean, like, name_of, of_types, param, table, texts

# The paper's names, in its order, then the variants that it describes beside them.
FIVE = ["scalar", "vector", "adaptive", "pcsr", "light"]
MORE = ["adaptive, a warp a long row", "light, vector level"]
COUNTERS = {"occupancy": "Achieved occupancy % (Fig. 10)",
            "warp_efficiency": "Warp execution efficiency % (Fig. 11)",
            "load_efficiency": "Global load efficiency % (Fig. 13)", "l1_hit": "L1 hit rate %"}


def with_algorithm(rows):
    """The rows of one of the algorithms, in the order of these; of one, by their mean row length."""
    name = rows.kernel.str.removeprefix("spmv_csr_")
    name = name.mask((name == "adaptive") & (param(rows, "long") == 0), MORE[0])
    name = name.mask((name == "light") & (param(rows, "level") == 0), MORE[1])
    rows = rows.assign(algorithm=pd.Categorical(name, FIVE + MORE, ordered=True),
                       name=name_of(rows))
    return rows[rows.algorithm.notna()].sort_values(["type", "algorithm", "a_row", "matrix"])


def data_of(results):
    """What is right of the algorithms' rows."""
    rows = with_algorithm(results.of("algorithms", right=True))
    rows = rows.drop_duplicates(["type", "algorithm", "matrix"], keep="last")
    return rows.assign(of_copy=100 * rows.gflops / rows.copy_gbs)


def of_five(rows):
    return rows[rows.algorithm.isin(FIVE)]


def mean_of(rows, columns):
    """For each algorithm, in their order."""
    return rows.groupby("algorithm", observed=True)[columns].mean()


def table_one(results):
    rows = results.rows[results.rows.err.notna()]
    rows = fastest(rows, "matrix").reset_index().sort_values(["a_row", "matrix"])
    for key in ("rows", "nnz", "mean_row"):
        rows[f"paper_{key}"] = [results.figure(key, where="Table I", matrix=name)
                                for name in name_of(rows)]
    yield from ("#### Table I: the matrices", "")
    yield from table(
        rows, "matrix | >rows, paper | >ours | >nonzeros, paper | >ours | >a row, paper | >ours",
        "`{matrix}` | {paper_rows} | {rows:,} | {paper_nnz} | {nnz:,} | {paper_mean_row} | "
        "{a_row:.1f}")
    if (rows.source == "real").any():
        yield from ("The paper counts the entries of the files; of the real symmetric matrices "
                    "ours are whole.", "")


def table_two(results, rows):
    first = like(rows, type=rows.type.iloc[0]).sort_values(["algorithm", "matrix"])
    rows = first.drop_duplicates("algorithm").copy()
    for key in ("block", "grid", "shared"):
        rows[key] = [results.figure(key, where="Table II", subject=name) for name in rows.algorithm]
    yield from ("#### Table II: the launches", "")
    yield from table(
        rows, "algorithm | block, paper | grid, paper | shared memory, paper | ours",
        "{algorithm} | {block} | {grid} | {shared} | {spec}")


def long_rows(rows):
    """GFLOP/s of both adaptive variants in each type on the matrix of Table III."""
    found = like(rows, name="rail4284").drop_duplicates(["algorithm", "type"])
    found = found.pivot(index="algorithm", columns="type", values="gflops")
    return found.reindex([MORE[0], "adaptive"]).set_axis(["long=0", "long=1"])


def table_three(results, rows):
    cells = long_rows(rows).reindex(columns=TYPES)
    for type_ in TYPES:
        cells[f"{type_}_paper"] = [results.figure("gflops", where="Table III", subject=variant,
                                                  type=type_) for variant in cells.index]
    yield from ("#### Table III: CSR-Adaptive on Italian Railways (rail4284), GFLOP/s", "")
    yield from table(
        cells.assign(what=["one warp for a long row", "the whole block for a long row"]),
        "variant | " + of_types(">@, paper | >@, ours"),
        "{what} | " + of_types("{@_paper} | {@:.4g}"))


def bandwidth_of_titan(results):
    """GB/s that the paper's memory bus can carry: two transfers a clock."""
    bits, kilohertz = results.figure("memory bus width"), results.figure("memory clock rate (KHz)")
    return 2 * float(kilohertz) * 1e3 * float(bits) / 8 * 1e-9


def wins(rows):
    """On how many matrices each is the fastest of the five."""
    best = of_five(rows).sort_values(["ms", "algorithm"]).drop_duplicates("matrix")
    return best.algorithm.value_counts().reindex(FIVE).rename("wins")


def printed_mean(results, name, type_):
    return results.figure("gflops", where="VI.B", matrix="mean of 15", subject=name, type=type_)


def means(results, rows):
    """A table, and a plot of GFLOP/s for what the memory carries, the paper's beside ours."""
    titan, copy = bandwidth_of_titan(results), results.rows.copy_gbs.max()
    cells, bars = pd.DataFrame(index=FIVE + MORE), []
    for type_ in TYPES:
        of = like(rows, type=type_)
        one = mean_of(of, ["gflops", "of_copy", "gbs_kernel", "gbs"])
        one["paper"] = [printed_mean(results, name, type_) for name in one.index]
        one["times"] = one.gflops / pd.to_numeric(one.paper, errors="coerce")
        one["won"] = [results.figure("wins", subject=name, type=type_) for name in one.index]
        cells = cells.join(one.join(wins(of)).add_prefix(f"{type_}_"))
        five = one[one.index.isin(FIVE)]
        bars.append(pd.DataFrame({"paper (of the bus)": 100 * five.paper.astype(float) / titan,
                                  "ours (of a copy)": five.of_copy}).set_axis(
                                      five.index.astype(str) + f", {type_}"))
    yield from ("#### Means and wins", "")
    yield from table(
        cells.reset_index(), "algorithm | " + of_types(
            ">@: GFLOP/s, paper | >@: ours | >@: ours / paper | >@: wins, paper | >@: ours | "
            ">@: GB/s, loaded / minimal"),
        "{index} | " + of_types("{@_paper} | {@_gflops:.1f} | {@_times:.1f} | {@_won} | "
                                "{@_wins:.0f} | {@_gbs_kernel:.0f} / {@_gbs:.0f}"))
    yield from (f"Wins are among the five. The memory of the paper's GPU carries {titan:.0f} GB/s "
                f"(its bus and clock), a copy here {copy:.0f} GB/s: {copy / titan:.1f} times as "
                "much.", "")
    yield from results.add_plot(
        plots.Bars, "means", "Mean GFLOP/s for 100 GB/s of memory bandwidth", pd.concat(bars),
        "GFLOP/s for 100 GB/s")


def gflops_table(results, rows, type_):
    gflops = rows.pivot(index="matrix", columns="algorithm", values="gflops")
    cells = gflops.set_axis(list(gflops), axis=1).apply(
        lambda of: texts(of, ".1f", of == gflops.max(axis=1)))
    today, vendor = (fastest(like(of, type=type_), "matrix")[["gflops", "spec"]]
                     for of in (results.of("today"), results.vendor()))
    cells = cells.join([rows.groupby("matrix").a_row.first(), today, vendor.gflops.rename("peer")])
    yield from (f"GFLOP/s, {type_}; today: the best of tulle's CSR kernels with their own "
                "parameters:", "")
    yield from table(
        cells.reset_index().sort_values(["a_row", "matrix"]),
        f"matrix | >a row | >{' | >'.join(gflops)} | >today | kernel | >vendor",
        "`{matrix}` | {a_row:.1f} | {" + "} | {".join(gflops) +
        "} | {gflops:.1f} | {spec} | {peer:.1f}")


def against_row(rows, headings):
    """Points for each algorithm against nonzeros a row, a panel for each column."""
    return pd.concat([plots.points(heading, rows.algorithm, rows.a_row, rows[key])
                      for key, heading in headings.items()])


def plot_section(results, rows):
    five = of_five(rows)
    single = like(five, type=rows.type.iloc[0])
    against = {"rows (Fig. 1)": "rows", "nonzeros (Fig. 2)": "nnz",
               "nonzeros a row (Figs. 3, 9)": "a_row"}
    yield from ("#### Figures", "")
    yield from results.add_plot(
        plots.Lines, "gflops", "GFLOP/s of the five, f32",
        pd.concat([plots.points(heading, single.algorithm, single[x], single.gflops)
                   for heading, x in against.items()]), ("", "GFLOP/s"))
    each = five.sort_values(["algorithm", "type"], kind="stable")
    yield from results.add_plot(
        plots.Lines, "each", "GFLOP/s of each against nonzeros a row (Figs. 4-8)",
        plots.points(each.algorithm, each.type, each.a_row, each.gflops),
        ("nonzeros a row", "GFLOP/s"))
    yield from results.add_plot(
        plots.Lines, "bandwidth", "Bandwidth of the five against nonzeros a row, f32 (Fig. 12)",
        against_row(single, {"gbs_kernel": "bytes that the kernel loads and stores",
                             "gbs": "fewest bytes"}), ("nonzeros a row", "GB/s"))


def profile_section(results):
    yield from ("#### The profiler's counters (Figs. 10, 11, 13)", "")
    profiles = with_algorithm(results.profiles("algorithms"))
    if profiles.empty:
        yield from nothing(2, "--profile")
        return
    by = profiles.groupby("algorithm", observed=True)
    yield from ("Means over the matrices, f32:", "")
    yield from table(
        by[list(COUNTERS)].mean().assign(matrices=by.size()).reset_index(),
        "algorithm | >matrices | >occupancy % | >warp efficiency % | >load efficiency % | >L1 hit %",
        "{algorithm} | {matrices} | {occupancy:.0f} | {warp_efficiency:.0f} | "
        "{load_efficiency:.0f} | {l1_hit:.0f}")
    yield from results.add_plot(
        plots.Lines, "profile", "Counters against nonzeros a row, f32",
        against_row(of_five(profiles), COUNTERS), ("nonzeros a row", "%"))


def words_on_wins(results, type_, rows):
    won, ours = wins(rows), mean_of(of_five(rows), "gflops")
    most = won.idxmax()
    paper = results.figure("wins", subject=most, type=type_)
    yield (f"{most} wins {won[most]} of {rows.matrix.nunique()}, {type_}"
           f"{f' (the paper: {paper} of 15)' if paper != '-' else ''}; light, the paper's "
           f"winner, {won['light']}.")
    theirs = pd.Series({name: float(printed_mean(results, name, type_)) for name in ours.index})
    ours, theirs = (", ".join(of.sort_values(ascending=False, kind="stable").index)
                    for of in (ours, theirs))
    yield (f"By mean GFLOP/s, {type_}: {ours}; the paper: {theirs}"
           f"{'' if ours != theirs else ' (the same order)'}.")


def words(results, rows):
    """What the numbers say; only what they say."""
    by_type = rows.groupby("type")
    for type_, of in by_type:
        yield from words_on_wins(results, type_, of)
    for type_, ours in long_rows(rows).dropna(axis=1).items():
        one, all_ = (float(results.figure("gflops", where="Table III", subject=variant, type=type_))
                     for variant in ours.index)
        yield (f"The whole block for a long row is worth {ours['long=1'] / ours['long=0']:.1f} "
               f"times, {type_}; it was {all_ / one:.1f}.")
    for type_, of in by_type:
        for key, heading in (("gbs_kernel", "bytes loaded and stored"), ("gbs", "fewest bytes")):
            best = mean_of(of_five(of), key)
            yield (f"By {heading}, {type_}, {best.idxmax()} leads with {best.max():.0f} GB/s on "
                   "average.")
    for type_, of in by_type:
        today = fastest(results.of("today", type=type_), "matrix").ms
        ratios = (of.groupby("matrix").ms.min() / today).dropna()
        if len(ratios):
            yield (f"Today's kernels with their own parameters are {geometric_mean(ratios):.2f} times "
                   f"as fast as the best of the paper's with its launches, {type_} (geometric mean).")


def sections(results, rows):
    yield from table_one(results)
    if rows.empty:
        yield from nothing(2, "--experiment algorithms")
        return
    yield from table_two(results, rows)
    yield from table_three(results, rows)
    yield from means(results, rows)
    for type_, of in rows.groupby("type"):
        yield from gflops_table(results, of, type_)
    yield from plot_section(results, rows)
    yield from profile_section(results)
