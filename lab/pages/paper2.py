# SPDX-License-Identifier: Apache-2.0
"""Paper 2, Hiranandani: five CSR algorithms on fifteen matrices."""
import itertools

import pandas as pd

from . import paper2_claims, plots
from .paper2_claims import FIVE, MATRICES, of_five
from .papers import Claim, measured, nothing, of_each_type, verdict
from .tables import (TYPES, fastest, geometric_mean, like, name_of, of_types, param, span, table,
                     texts)

# The paper's names, in its order, as published; then the variants that it describes beside them, and
# what is ours, at the paper's launches.
MORE = ["adaptive, a warp a long row", "light, vector level"]
OURS = ["our adaptive", "our adaptive, a warp a long row"]
OUR_VECTOR = "our vector"
SHOWN = [*FIVE, OURS[0], OUR_VECTOR]
COUNTERS = {"occupancy": "Achieved occupancy % (Fig. 10)",
            "warp_efficiency": "Warp execution efficiency % (Fig. 11)",
            "load_efficiency": "Global load efficiency % (Fig. 13)", "l1_hit": "L1 hit rate %"}


def has_published_vector(rows):
    return bool((rows.kernel == "spmv_csr_vector_published").any())


def with_algorithm(rows):
    """The rows of one of the algorithms, in the order of these; of one, by their mean row length. Where vector as
    published was not measured, ours of the same form stands for it."""
    kernel = rows.kernel.str.removeprefix("spmv_csr_")
    if has_published_vector(rows):
        kernel = kernel.mask(kernel == "vector", OUR_VECTOR).mask(kernel == "vector_published", "vector")
    name = kernel.mask(kernel == "adaptive", OURS[0]).mask(kernel == "adaptive_published", "adaptive")
    name += ((param(rows, "long") == 0).map({True: ", a warp a long row", False: ""}) +
             (param(rows, "level") == 0).map({True: ", vector level", False: ""}))
    rows = rows.assign(algorithm=pd.Categorical(name, [*FIVE, *MORE, *OURS, OUR_VECTOR], ordered=True),
                       name=name_of(rows))
    return rows[rows.algorithm.notna()].sort_values(["type", "algorithm", "a_row", "matrix"])


def data_of(results, experiment="algorithms"):
    """What is right of the algorithms' rows."""
    rows = with_algorithm(results.of(experiment, right=True))
    rows = rows.drop_duplicates(["type", "algorithm", "matrix"], keep="last")
    return rows.assign(of_copy=100 * rows.gflops / rows.copy_gbs)


def own_data_of(results):
    """The same of tulle's own five, with its own parameters: the published one where it has no other."""
    rows = results.of("today", right=True)
    name = rows.kernel.str.removeprefix("spmv_csr_")
    rows = rows.assign(algorithm=pd.Categorical(name, FIVE, ordered=True))
    rows = rows[rows.algorithm.notna() & (rows.choice != "rule")]
    return rows.sort_values("date", kind="stable").drop_duplicates(["type", "algorithm", "matrix"],
                                                                   keep="last")


def shown(rows):
    """What plots have: the five, and of ours what stands beside them."""
    return rows[rows.algorithm.isin(SHOWN)]


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
    yield from measured(first)


def long_rows(rows, variants):
    """GFLOP/s of both variants of adaptive in each type on the matrix of Table III."""
    found = like(rows, name="rail4284").drop_duplicates(["algorithm", "type"])
    found = found.pivot(index="algorithm", columns="type", values="gflops")
    return found.reindex(variants).set_axis(["long=0", "long=1"])


def variants_of(name):
    """One warp for a long row, and the whole block."""
    return [f"{name}, a warp a long row", name]


def table_three(results, rows):
    cells = long_rows(rows, variants_of("adaptive")).reindex(columns=TYPES)
    cells = cells.join(long_rows(rows, variants_of(OURS[0])).reindex(columns=TYPES).add_suffix("_ours"))
    for type_ in TYPES:
        cells[f"{type_}_paper"] = [results.figure("gflops", where="Table III", subject=variant,
                                                  type=type_) for variant in cells.index]
    yield from ("#### Table III: CSR-Adaptive on Italian Railways (rail4284), GFLOP/s", "")
    yield from table(
        cells.assign(what=["one warp for a long row", "the whole block for a long row"]),
        "variant | " + of_types(">@, paper | >@, as published here | >@, ours"),
        "{what} | " + of_types("{@_paper} | {@:.4g} | {@_ours:.4g}"))
    yield from measured(like(rows, name="rail4284"))


def bandwidth_of_titan(results):
    """GB/s that the paper's memory bus can carry: two transfers a clock."""
    bits, kilohertz = results.figure("memory bus width"), results.figure("memory clock rate (KHz)")
    return 2 * float(kilohertz) * 1e3 * float(bits) / 8 * 1e-9


def complete(rows):
    """The rows of the five on matrices on which all of them were measured."""
    five = of_five(rows)
    return five[five.groupby("matrix").algorithm.transform("nunique") == len(FIVE)]


def wins(rows):
    """On how many matrices each is the fastest of the five; missing where they were not measured."""
    five = complete(rows)
    best = five.sort_values(["ms", "algorithm"]).drop_duplicates("matrix")
    won = best.algorithm.value_counts().reindex(FIVE).rename("wins").astype(float)
    return won if len(five) else won.mask(won == 0)


def printed_mean(results, name, type_):
    return results.figure("gflops", where="VI.B", matrix="mean of 15", subject=name, type=type_)


def means(results, rows):
    """A table, and a plot of GFLOP/s for what the memory carries, the paper's beside ours."""
    titan, copy = bandwidth_of_titan(results), results.rows.copy_gbs.max()
    cells, bars, own = pd.DataFrame(index=[*FIVE, *MORE, *OURS, OUR_VECTOR]), [], own_data_of(results)
    for type_ in TYPES:
        of = like(rows, type=type_)
        one = mean_of(of, ["gflops", "of_copy", "gbs_kernel", "gbs"])
        one["paper"] = [printed_mean(results, name, type_) for name in one.index]
        one["times"] = one.gflops / pd.to_numeric(one.paper, errors="coerce")
        one["won"] = [results.figure("wins", subject=name, type=type_) for name in one.index]
        one = one.reindex(cells.index).join(wins(of)).join(
            wins(like(own, type=type_)).rename("own_wins"))
        cells = cells.join(one.add_prefix(f"{type_}_"))
        five = one[one.index.isin(SHOWN) & one.of_copy.notna()]
        bars.append(pd.DataFrame({"paper (of the bus)": 100 * pd.to_numeric(five.paper, errors="coerce") / titan,
                                  "ours (of a copy)": five.of_copy}).set_axis(
                                      five.index.astype(str) + f", {type_}"))
    yield from ("#### Means and wins", "")
    yield from table(
        cells.dropna(how="all", subset=[f"{type_}_gflops" for type_ in TYPES]).reset_index(),
        "algorithm | " + of_types(
            ">@: GFLOP/s, paper | >@: here | >@: here / paper | >@: wins, paper | >@: as published | "
            ">@: ours | >@: GB/s, loaded / minimal"),
        "{index} | " + of_types("{@_paper} | {@_gflops:.1f} | {@_times:.1f} | {@_won} | "
                                "{@_wins:.0f} | {@_own_wins:.0f} | "
                                "{@_gbs_kernel:.0f} / {@_gbs:.0f}"))
    yield from measured(pd.concat([rows, own]))
    yield from ("Wins are among the five, on matrices on which all of them were measured: as published, "
                "with the paper's launches, and ours, with tulle's own parameters. The memory of the "
                f"paper's GPU carries {titan:.0f} GB/s "
                f"(a bus of {results.figure('memory bus width')} bits and a clock of {results.figure('memory clock rate (KHz)')} "
                f"KHz), a copy here {copy:.0f} GB/s: {copy / titan:.1f} times as "
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
    yield from measured(pd.concat([rows, *(like(of, type=type_) for of in (results.of("today"), results.vendor()))]))


def against_row(rows, headings):
    """Points for each algorithm against nonzeros a row, a panel for each column."""
    return pd.concat([plots.points(heading, rows.algorithm, rows.a_row, rows[key])
                      for key, heading in headings.items()])


def plot_section(results, rows):
    five = shown(rows)
    single = like(five, type=rows.type.iloc[0])
    against = {"rows (Fig. 1)": "rows", "nonzeros (Fig. 2)": "nnz",
               "nonzeros a row (Figs. 3, 9)": "a_row"}
    yield from ("#### Figures", "")
    yield from results.add_plot(
        plots.Lines, "gflops", "GFLOP/s of the five, and of ours, f32",
        pd.concat([plots.points(heading, single.algorithm, single[x], single.gflops)
                   for heading, x in against.items()]), ("", "GFLOP/s"))
    each = five.sort_values(["algorithm", "type"], kind="stable")
    yield from results.add_plot(
        plots.Lines, "each", "GFLOP/s of each against nonzeros a row (Figs. 4-8)",
        plots.points(each.algorithm, each.type, each.a_row, each.gflops),
        ("nonzeros a row", "GFLOP/s"))
    yield from results.add_plot(
        plots.Lines, "bandwidth", "Bandwidth of the five, and of ours, against nonzeros a row, f32 (Fig. 12)",
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
    yield from measured(profiles)
    yield from results.add_plot(
        plots.Lines, "profile", "Counters against nonzeros a row, f32",
        against_row(shown(profiles), COUNTERS), ("nonzeros a row", "%"))


def words_on_wins(results, type_, rows, who):
    """Of all, with who they are."""
    won = wins(rows)
    if won.isna().all():
        yield f"{who}, it is not measured which wins, {type_}."
        return
    most = won.idxmax()
    paper = results.figure("wins", subject=most, type=type_)
    yield (f"{who}, {most} wins {won[most]:.0f} of {complete(rows).matrix.nunique()}"
           f"{f' (the paper: {paper} of {MATRICES})' if paper != '-' else ''} and light {won['light']:.0f}, {type_}.")


def against(rows, first, second):
    """Two algorithms' mean GFLOP/s on the matrices that both were measured on, as the text of a cell."""
    gflops = rows[rows.algorithm.isin([first, second])].pivot(
        index="matrix", columns="algorithm", values="gflops").reindex(columns=[first, second]).dropna()
    if gflops.empty:
        return "-"
    mean, ahead = gflops.mean(), int((gflops[first] > gflops[second]).sum())
    return (f"{mean[first]:.1f} and {mean[second]:.1f}, faster on {ahead} of {len(gflops)}: "
            f"{verdict(mean[first] > mean[second])}")


def printed_order(results, type_):
    """Her means, the fastest first."""
    theirs = pd.Series({name: float(printed_mean(results, name, type_)) for name in FIVE})
    return theirs.sort_values(ascending=False, kind="stable")


def order_section(results, rows):
    """Her order by mean GFLOP/s, a row for each pair of the five."""
    own, pairs = own_data_of(results), []
    for type_, of in rows.groupby("type"):
        theirs = printed_order(results, type_)
        printed = {name: printed_mean(results, name, type_) for name in FIVE}
        pairs += [{"first": first, "second": second, "type": type_, "paper": f"{printed[first]} and {printed[second]}",
                   "published": against(of, first, second), "own": against(like(own, type=type_), first, second)}
                  for first, second in itertools.combinations(theirs.index, 2)]
    yield from ("#### The paper's order by mean GFLOP/s, pair by pair", "")
    yield from table(pd.DataFrame(pairs),
                     "the faster one in the paper | the other | type | >paper | as published here | ours",
                     "{first} | {second} | {type} | {paper} | {published} | {own}")
    yield from measured(pd.concat([rows, own]))
    yield from ("Means are over the matrices on which both were measured.", "")


def words_on_vector(results, rows):
    """Which kernel stands for vector; where both were measured, at the paper's launch ours against the published."""
    parts = {"algorithms": "Here", "printed": "With x of ones and the mean of three calls,"}
    lacking = [name for name in parts if len(of := results.of(name)) and not has_published_vector(of)]
    if lacking:
        yield (f"{parts[lacking[0]]} vector stands for `spmv_csr_vector`, our kernel of this form, which adds by shuffles: hers adds in "
               "shared memory, and the published kernel, `spmv_csr_vector_published`, is not measured at her launch.")
    ms = rows.pivot(index=["type", "matrix"], columns="algorithm", values="ms").reindex(
        columns=["vector", OUR_VECTOR]).dropna()
    times = (ms["vector"] / ms[OUR_VECTOR]).groupby(level="type")
    if len(ms):
        yield (f"At the paper's launch our vector is {of_each_type(times.agg(geometric_mean), '{:.2f}')} times as fast as the "
               f"published one, which adds in shared memory (geometric mean of {span(times.size(), '{}')}).")


def words_on_ours(rows):
    """Of adaptive, at the same launch, the published row blocks against ours."""
    ms = rows.pivot(index=["type", "matrix"], columns="algorithm", values="ms").reindex(
        columns=["adaptive", OURS[0]]).dropna()
    times = (ms["adaptive"] / ms[OURS[0]]).groupby(level="type")
    if len(ms):
        yield (f"At the paper's launch our adaptive is {of_each_type(times.agg(geometric_mean), '{:.2f}')} times as fast as the "
               f"published one (geometric mean of {span(times.size(), '{}')}).")
    else:
        yield "How fast our adaptive is beside the published one is not measured."


def percents_of_row_blocks(printed):
    """What the published row blocks take, of the time of making the CSR matrix from its triplets."""
    of = like(printed, algorithm="adaptive")
    return (100 * of.prep_ms / of.making_ms).dropna()


def row_blocks_claim(results, printed):
    percent = percents_of_row_blocks(printed)
    if len(percent):
        claim = results.figure("percent of making the matrix", subject="row blocks of adaptive")
        little = int((percent < float(claim.split()[-1])).sum())
        yield Claim(f"adaptive's row blocks generally take {claim} % of the time of making the CSR matrix",
                    f"{span(percent, '{:.4g}')} %, {claim} % on {little} of {len(percent)}", 2 * little > len(percent))


def words_on_row_blocks(rows):
    """What the published row blocks take, which is all that a plan of them does."""
    of = like(rows, algorithm="adaptive")
    calls = (of.prep_ms / of.ms).dropna()
    if len(calls):
        calls = calls.groupby(of.type).agg(lambda each: span(each, "{:.3g}"))
        yield (f"Making the published row blocks takes as long as {of_each_type(calls, '{}')} products, since offsets come to "
               "the host, which walks over them; the CSR matrix is made on the device here, on the host in the paper.")


def words_on_leaders(rows):
    """By fewest bytes; by what kernels load and store the paper's claim says who leads."""
    means = of_five(rows).groupby(["type", "algorithm"], observed=True).gbs.mean().unstack("algorithm")
    means = means.reindex(columns=FIVE).dropna()
    if len(means):
        best = {type_: f"{of.idxmax()}'s with {of.max():.0f} GB/s" for type_, of in means.iterrows()}
        yield f"By fewest bytes the highest bandwidth on average is {of_each_type(best, '{}')}."
    else:
        yield "Whose bandwidth is the highest by fewest bytes is not measured."


def words_on_today(results, rows):
    ratios = {}
    for type_, of in rows.groupby("type"):
        today = fastest(results.of("today", type=type_), "matrix").ms
        ratios[type_] = (complete(of).groupby("matrix").ms.min() / today).dropna()
    ratios = {type_: of for type_, of in ratios.items() if len(of)}
    if ratios:
        means, counts = ({type_: what(of) for type_, of in ratios.items()} for what in (geometric_mean, len))
        yield (f"Today's kernels with their own parameters are {of_each_type(means, '{:.2f}')} times as fast as the best of "
               "the five as published, with the paper's launches (geometric mean of "
               f"{span(pd.Series(counts), '{}')}).")
    else:
        yield "How fast today's kernels are beside the best of the five as published is not measured."


def words_on_check(type_, rows):
    """Where the paper's own check finds right results wrong."""
    theirs = {"f32": ["vector", "light"], "f64": []}[type_]
    of = of_five(rows)
    of = of[of.apart.notna()]
    claim = f"the paper: {' and '.join(theirs) or 'none'}"
    if of.algorithm.nunique() < len(FIVE):
        yield f"What a check like the paper's finds is not measured, {type_} ({claim})."
        return
    failed = of[of.apart > 0].groupby("algorithm", observed=False).size().reindex(FIVE)
    names = [name for name in FIVE if failed[name] > 0]
    said = ", ".join(f"{name} on {failed[name]} of {of.matrix.nunique()}" for name in names) or "none"
    holds = set(theirs) <= set(names) and bool(theirs or not names)
    more = ", and of others" if holds and set(names) > set(theirs) else ""
    yield (f"The paper's check, absolute near zero and relative elsewhere, with thresholds that it does not print "
           f"(here FLT_EPSILON), fails right results of {said}, {type_} ({claim}; {verdict(holds)}{more}).")


def words_on_printed(results, type_, printed):
    """Her runs to the letter: ones, and the mean of three calls."""
    if len(printed):
        yield (f"In the paper each element of x is {results.figure('each element of x')} and times are means of "
               f"{results.figure('runs of a mean')} runs: so they are in {len(printed)} measurements here, {type_}.")
    yield from words_on_wins(results, type_, printed, "With x of ones and the mean of three calls")
    five = complete(printed)
    if len(five):
        ours = mean_of(five, "gflops").sort_values(ascending=False, kind="stable")
        ours, theirs = (", ".join(of.index) for of in (ours, printed_order(results, type_)))
        yield (f"With x of ones and the mean of three calls the order by mean GFLOP/s is {ours}, {type_} (the paper: "
               f"{theirs}; {verdict(ours == theirs)}).")
    yield from words_on_check(type_, printed)


def long_rows_claim(results, rows):
    """Table III: the paper's change, as published and in ours."""
    found = {name: long_rows(rows, variants_of(name)).reindex(columns=TYPES) for name in ("adaptive", OURS[0])}
    worth = {name: (of.loc["long=1"] / of.loc["long=0"]).dropna() for name, of in found.items()}
    published, ours = worth.values()
    if published.empty:
        return
    theirs = {}
    for type_ in published.index:
        one, all_ = (float(results.figure("gflops", where="Table III", subject=variant, type=type_))
                     for variant in ("long=0", "long=1"))
        theirs[type_] = all_ / one
    yield Claim(f"a whole block for a long row makes adaptive {of_each_type(theirs, '{:.1f}')} times as fast on rail4284 "
                "(Table III)",
                f"as published {of_each_type(published, '{:.1f}')} times"
                + (f", ours {of_each_type(ours, '{:.1f}')}" if len(ours) else ""),
                all(published[type_] >= of for type_, of in theirs.items()))


def wins_claim(results, rows):
    """Fig. 9, f32."""
    won = wins(rows)
    if won.notna().all():
        others = ", ".join(f"{name} on {count:.0f}" for name, count in won.drop("light").items() if count)
        printed = results.figure("wins", subject="light", type="f32")
        yield Claim(f"light is the fastest of the five on {printed} of {MATRICES} matrices, f32 (Fig. 9)",
                    f"on {won['light']:.0f} of {complete(rows).matrix.nunique()}{f'; {others}' if others else ''}",
                    bool(won["light"] == won.max()))


def means_claim(results, rows):
    five = pd.concat([complete(of) for _, of in rows.groupby("type")])
    if len(five):
        means = five.groupby(["type", "algorithm"], observed=True).gflops.mean().unstack("algorithm")
        theirs = {type_: printed_mean(results, "light", type_) for type_ in means.index}
        best = {type_: f"{of.idxmax()} with {of.max():.1f}" for type_, of in means.iterrows()}
        yield Claim(f"light has the highest mean GFLOP/s: {of_each_type(theirs, '{}')}",
                    f"{of_each_type(means.light, '{:.1f}')}; the highest: {of_each_type(best, '{}')}",
                    bool((means.idxmax(axis=1) == "light").all()))


def head_claims(results, rows):
    """In the order of the paper."""
    if rows.empty:
        return
    yield from paper2_claims.trend_claim(rows, "scalar", 4, False)
    yield from paper2_claims.trend_claim(rows, "vector", 5, True)
    yield from paper2_claims.steady_claim(rows)
    yield from row_blocks_claim(results, data_of(results, "printed"))
    yield from long_rows_claim(results, rows)
    yield from paper2_claims.double_claim(rows)
    yield from paper2_claims.excels_claim(results, rows)
    yield from wins_claim(results, like(rows, type="f32"))
    yield from means_claim(results, rows)
    yield from paper2_claims.bandwidth_claim(rows)


def words(results, rows):
    """What the numbers say; only what they say."""
    by_type, own, printed = rows.groupby("type"), own_data_of(results), data_of(results, "printed")
    yield from words_on_vector(results, rows)
    for type_, _ in by_type:
        yield from words_on_wins(results, type_, like(own, type=type_), "Of ours, with tulle's own parameters")
    for type_, _ in by_type:
        yield from words_on_printed(results, type_, like(printed, type=type_))
    yield from words_on_ours(rows)
    yield from words_on_row_blocks(rows)
    yield from words_on_leaders(rows)
    yield from paper2_claims.words(results, rows, with_algorithm(results.profiles("algorithms")),
                                   bandwidth_of_titan(results))
    yield from words_on_today(results, rows)


def sections(results, rows):
    yield from table_one(results)
    if rows.empty:
        yield from nothing(2, "--experiment algorithms")
        return
    yield from table_two(results, rows)
    yield from table_three(results, rows)
    yield from means(results, rows)
    yield from order_section(results, rows)
    for type_, of in rows.groupby("type"):
        yield from gflops_table(results, of, type_)
    yield from plot_section(results, rows)
    yield from profile_section(results)
