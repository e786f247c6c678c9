# SPDX-License-Identifier: Apache-2.0
"""What paper 2's text says of its figures 4 to 13, each with our rows of the same algorithms beside it and
whether it holds. Bandwidths are compared by their share of what each GPU's memory carries."""
import pandas as pd

from .papers import Claim, as_printed, of_each_type, verdict
from .tables import human_bytes, like, param

FIVE = ["scalar", "vector", "adaptive", "pcsr", "light"]
MATRICES = 15
# A rank correlation of so many pairs that chance alone passes once in twenty times.
TREND = 0.446
# What the text calls long: where light excels; and what it says of one matrix of each kind is looked at
# in means over the matrices of either.
LONG = 18
# Mean rows that hover around a warp's 32 threads.
AROUND_A_WARP = (27, 41)
ENDS = 2  # of the matrices, on either side, that count as very short and very long rows


def of_five(rows):
    return rows[rows.algorithm.isin(FIVE)]


def rank_correlation(rows, key):
    return rows[key].rank().corr(rows.a_row.rank())


def halves(rows, key):
    """Means over short and over long rows."""
    return rows[key][rows.a_row < LONG].mean(), rows[key][rows.a_row >= LONG].mean()


def trend_claim(rows, algorithm, figure, rises):
    found = {type_: rank_correlation(of, "gflops") for type_, of in like(rows, algorithm=algorithm).groupby("type")
             if len(of) > 2}
    if found:
        holds = all(of >= TREND if rises else of <= -TREND for of in found.values())
        yield Claim(f"{algorithm} {'rises' if rises else 'falls'} with the entries of a row (Fig. {figure})",
                    f"rank correlation of GFLOP/s with them: {of_each_type(found, '{:+.2f}')}; {TREND:g} and more is a trend",
                    holds)


def steady_claim(rows):
    """Of adaptive, on all matrices."""
    spread = of_five(rows).groupby(["type", "algorithm"], observed=True).gflops.agg(
        lambda of: of.std() / of.mean()).unstack("algorithm")
    if "adaptive" in spread and len(spread.columns) > 1 and len(spread := spread.dropna()):
        own, others = 100 * spread.adaptive, 100 * spread.drop(columns="adaptive").min(axis=1)
        yield Claim("adaptive is the steadiest of the five (Fig. 6)",
                    f"its GFLOP/s deviate by {of_each_type(own, '{:.0f} %')} of their mean, the others' by "
                    f"{of_each_type(others, '{:.0f} %')} and more", bool((own < others).all()))


def double_claim(rows):
    """Of PCSR between single and double precision."""
    means = of_five(rows).groupby(["algorithm", "type"], observed=True).gflops.mean().unstack("type")
    if {"f32", "f64"} <= set(means):
        kept = (means.f64 / means.f32).dropna()
        if "pcsr" not in kept:
            return
        yield Claim("pcsr loses most in double precision, half of its GFLOP/s or more (Fig. 7)",
                    f"it keeps {100 * kept['pcsr']:.0f} %; the least kept is {100 * kept.min():.0f} %, by {kept.idxmin()}",
                    bool(kept.idxmin() == "pcsr" and kept["pcsr"] <= 0.5))


def sides(rows, key):
    """Of light the means over short and over long rows, each by type."""
    means = {type_: halves(of, key) for type_, of in like(rows, algorithm="light").groupby("type")}
    means = {type_: of for type_, of in means.items() if not any(map(pd.isna, of))}
    return ({type_: of[side] for type_, of in means.items()} for side in (0, 1))


def excels_claim(results, rows):
    """Of light on long rows."""
    short, long_ = sides(rows, "gflops")
    if long_:
        from_row = results.figure("mean_row", where="VI.B, Fig. 8", subject="light")
        yield Claim(f"light excels from {from_row} entries a row on (Fig. 8)",
                    f"{of_each_type(long_, '{:.0f}')} GFLOP/s there, {of_each_type(short, '{:.0f}')} on shorter rows",
                    all(long_[type_] > short[type_] for type_ in long_))


def bandwidth_claim(rows):
    """Of PCSR, Fig. 12, by bytes that kernels load and store."""
    means = of_five(rows).groupby(["type", "algorithm"], observed=True).gbs_kernel.mean().unstack("algorithm")
    if set(FIVE) <= set(means) and len(means := means.dropna()):
        own, others = means.pcsr, means.drop(columns="pcsr").max(axis=1)
        yield Claim("pcsr uses most memory bandwidth (Fig. 12)",
                    f"{of_each_type(own, '{:.0f}')} GB/s loaded and stored on average, the others' "
                    f"{of_each_type(others, '{:.0f}')} and less", bool((own > others).all()))


AGAINST = {"rows": "the number of rows (Fig. 1)", "nnz": "the number of nonzeros (Fig. 2)",
           "a_row": "nonzeros a row (Fig. 3)"}


def trends(rows):
    """Figs. 1 to 3, f32: which of the five have a trend against each."""
    rows = like(of_five(rows), type="f32")
    if rows.algorithm.nunique() < len(FIVE) or rows.groupby("algorithm", observed=True).size().min() < 3:
        return {}
    found = {key: {name: of.gflops.rank().corr(of[key].rank()) for name, of in rows.groupby("algorithm", observed=True)}
             for key in AGAINST}
    return {key: (of, [name for name, one in of.items() if abs(one) >= TREND]) for key, of in found.items()}


def trend_words(rows):
    """The paper: no trend against rows and nonzeros, one against nonzeros a row for every algorithm."""
    for key, (found, names) in trends(rows).items():
        wanted = FIVE if key == "a_row" else []
        said = "a trend for every algorithm" if wanted else "no trend"
        each = ", ".join(f"{name} {one:+.2f}" for name, one in found.items())
        yield (f"Against {AGAINST[key]}, GFLOP/s have {said} in the paper; rank correlations here, f32: {each}; a trend of "
               f"{', '.join(names) or 'none'}; {verdict(sorted(names) == sorted(wanted))}.")


def ends_words(rows):
    """PCSR on very short and very long rows."""
    pcsr = {type_: of.sort_values("a_row").gflops for type_, of in like(rows, algorithm="pcsr").groupby("type")
            if len(of) > 2 * ENDS}
    short, middle, long_ = ({type_: of[part].mean() for type_, of in pcsr.items()}
                            for part in (slice(ENDS), slice(ENDS, -ENDS), slice(-ENDS, None)))
    if pcsr:
        yield (f"pcsr is steady but for very short and very long rows (Fig. 7): {of_each_type(short, '{:.0f}')} GFLOP/s on the "
               f"{ENDS} matrices with the shortest, {of_each_type(long_, '{:.0f}')} on those with the longest, "
               f"{of_each_type(middle, '{:.0f}')} on the rest; "
               f"{verdict(all(max(short[type_], long_[type_]) < middle[type_] for type_ in pcsr))}.")


def top_words(results, type_, rows, titan):
    """Where light is fastest."""
    of = like(rows, algorithm="light")
    printed = results.figure("gflops", matrix="consph", subject="light", type=type_)
    if len(of) and printed != "-":
        top = of.loc[of.gflops.idxmax()]
        yield (f"light is fastest on consph in the paper, with {printed} GFLOP/s, {type_}; that is "
               f"{100 * float(printed) / titan:.1f} GFLOP/s for 100 GB/s of memory. Here light is fastest on {top['name']}, with "
               f"{top.gflops:.0f} GFLOP/s, {100 * top.gflops / top.copy_gbs:.1f} for 100 GB/s; {verdict(top['name'] == 'consph')}.")


def winner_words(results, rows):
    """Fig. 9, f32: who wins where."""
    five = of_five(rows)
    five = five[five.groupby("matrix").algorithm.transform("nunique") == len(FIVE)]
    best = five.sort_values(["ms", "algorithm"]).drop_duplicates("matrix")
    lights = best.a_row[best.algorithm == "light"]
    for name in ("scalar", "pcsr"):
        won = best.a_row[best.algorithm == name]
        printed = results.figure("wins", subject=name, type="f32")
        where = f" at {won.min():.1f} to {won.max():.1f} entries a row" if len(won) else ""
        holds = len(won) and len(lights) and won.max() < lights.min()
        if len(best):
            yield (f"{name} wins where light does not, on {printed} matrices with short rows (Fig. 9): here on {len(won)}"
                   f"{where}, light on {len(lights)}, f32; {verdict(bool(holds))}.")


def counter_words(results, profiles):
    """Figs. 10, 11 and 13, f32: the profiler's counters on short and on long rows."""
    means = {(name, key): halves(like(profiles, algorithm=name), key) for name in FIVE
             for key in ("occupancy", "warp_efficiency", "load_efficiency")}
    if profiles.empty or any(map(pd.isna, sum(means.values(), ()))):
        return
    kinds = f"fewer than {LONG} entries a row and on longer rows"

    def both(name, key):
        return "{:.0f} and {:.0f} %".format(*means[name, key])

    def falls(name):
        return all(means[name, key][1] < means[name, key][0] for key in ("occupancy", "warp_efficiency"))

    for name, claim in (("adaptive", "is more efficient on short rows"),
                        ("scalar", "is far less parallel on long rows")):
        yield (f"{name} {claim} (Figs. 10, 11): an occupancy of {both(name, 'occupancy')}, a warp efficiency of "
               f"{both(name, 'warp_efficiency')}, on {kinds}, f32; {verdict(falls(name))}.")
    wanted = results.figure("occupancy", where="VI.B, Fig. 10", subject="vector")
    occupancy, efficiency = means["vector", "occupancy"], means["vector", "warp_efficiency"]
    yield (f"vector has an occupancy {wanted} % on both (Fig. 10): {both('vector', 'occupancy')}; "
           f"{verdict(min(occupancy) > float(wanted.split()[-1]))}. vector's warp efficiency is lower (Fig. 11): "
           f"{both('vector', 'warp_efficiency')}; {verdict(max(efficiency) < min(occupancy))}.")
    by = profiles[profiles.algorithm.isin(FIVE)].groupby("algorithm", observed=True)
    warp, load = by.warp_efficiency.mean(), by.load_efficiency.mean()
    yield (f"light's threads of a warp are unevenly loaded (Fig. 11): its warp efficiency is {warp['light']:.0f} %, the least of "
           f"the five {warp.min():.0f} % by {warp.idxmin()}; {verdict(warp.idxmin() == 'light')}.")
    yield (f"pcsr is the most particular about coalescing (Fig. 13): its loads are {load['pcsr']:.0f} % efficient, the others' "
           f"{load.drop('pcsr').max():.0f} % and less; {verdict(load.idxmax() == 'pcsr')}. scalar's loads coalesce least: "
           f"{load['scalar']:.0f} %; {verdict(load.idxmin() == 'scalar')}.")


def share_words(results, type_, rows, titan, name, claim, which, least):
    """A printed bandwidth, as a share of the bus, against ours on these rows; least: whether it is a lower
    bound."""
    of = like(rows, algorithm=name)[which(like(rows, algorithm=name).a_row)]
    printed = results.figure("gbs_kernel", where="VI.B, Fig. 12", matrix=claim, subject=name, type=type_)
    if of.empty or printed == "-":
        return
    number = next(float(word) for word in printed.split() if word.isdigit())
    shares = 100 * of.gbs_kernel / of.copy_gbs
    found = shares.min() if least else shares.max()
    holds = found >= 100 * number / titan if least else found <= 100 * number / titan
    where = "is at most" if claim == "most" else f"with {claim} is"
    yield (f"{name}'s bandwidth {where} {printed} GB/s (Fig. 12), {100 * number / titan:.0f} % of the bus, {type_}: here "
           f"{shares.min():.0f} to {shares.max():.0f} % of a copy, {len(of)} matrices; {verdict(holds)}.")


def bandwidth_words(results, type_, rows, titan):
    """Fig. 12, by bytes that kernels load and store."""
    low, high = AROUND_A_WARP
    for name, claim, which, least in (
            ("scalar", "more than 27 entries a row", lambda a_row: a_row > 27, False),
            ("vector", "about 32 entries a row", lambda a_row: a_row.between(low, high), True),
            ("vector", "fewer than 6 entries a row", lambda a_row: a_row < 6, False),
            ("adaptive", "most", lambda a_row: a_row > 0, False)):
        yield from share_words(results, type_, rows, titan, name, claim, which, least)


def even_words(rows):
    """Fig. 12: of adaptive, and of light."""
    spread = of_five(rows).groupby(["type", "algorithm"], observed=True).gbs_kernel.agg(
        lambda of: of.max() / of.min()).unstack("algorithm")
    if set(FIVE) <= set(spread) and len(spread := spread.dropna()):
        own, others = spread.adaptive, spread.drop(columns="adaptive").min(axis=1)
        yield (f"adaptive's bandwidth is the most even (Fig. 12): its largest is {of_each_type(own, '{:.1f}')} times its "
               f"least, the others' {of_each_type(others, '{:.1f}')} times and more; {verdict((own < others).all())}.")
    short, long_ = sides(rows, "gbs_kernel")
    if long_:
        yield (f"light's bandwidth is better on long rows (Fig. 12): {of_each_type(long_, '{:.0f}')} GB/s from {LONG} entries a "
               f"row on, {of_each_type(short, '{:.0f}')} below; "
               f"{verdict(all(long_[type_] > short[type_] for type_ in long_))}.")


def device_words(results, rows):
    """What the paper's GPU holds, beside the matrices and the launches of here."""
    def number(quantity):
        return results.figure(quantity, where="V.A", subject="GeForce GTX TITAN X")

    of = rows.drop_duplicates(["matrix", "type"])
    together = f"{number('multiprocessor count')} multiprocessors of {number('max threads per SM')} threads"
    threads = int(number("multiprocessor count")) * int(number("max threads per SM"))
    counts, warp = of.drop_duplicates("matrix").rows, int(number("warp size"))
    yield (f"Of {len(counts)} matrices (the paper: {results.figure('matrices', subject='experiments')}), a thread a row fills "
           f"{together} on {(counts >= threads).sum()}, and a warp of {number('warp size')} a row on "
           f"{(warp * counts >= threads).sum()}.")
    held, largest = 1024 * int(number("total global memory (KB)")), of.matrix_bytes.max()
    yield (f"The largest matrix takes {human_bytes(largest)} here; the paper's GPU has {number('total global memory (KB)')} KB of "
           f"memory: {100 * largest / held:.0f} % of it.")
    launched = like(rows, algorithm="vector")
    block, most = param(launched, "block").max(), number("max threads per block")
    if len(launched):
        yield (f"The launches of Table II have as many threads in a block as the paper's GPU takes, {most}: here "
               f"{block:.0f}; {verdict(block == int(most))}. For these, sums in shared memory take {8 * block:,.0f} bytes in f64 of the "
               f"{number('shared mem per block')} that a block has there.")


def cache_words(results, rows):
    """What the L2 of either GPU can hold."""
    of = rows.drop_duplicates(["matrix", "type"])
    printed = results.figure("L2 cache size (bytes)")
    held = float(printed)
    fit, here = int((of.matrix_bytes <= held).sum()), int((of["class"] != "memory").sum())
    yield (f"Of {len(of)} pairs of matrix and type, {fit} would fit into the {as_printed(printed, f'{held / 2 ** 20:.0f}')} MB of L2 of the paper's "
           f"GPU; here the bytes of {here} are at most four times what the last-level cache holds, so that their "
           "bandwidth is not the memory's alone.")


def words(results, rows, profiles, titan):
    """rows, profiles: with a column algorithm; titan: GB/s that the memory of the paper's GPU carries."""
    if rows.empty:
        return
    yield (f"Of {MATRICES} matrices a rank correlation of {TREND:g} and more counts as a trend: chance alone passes it once in "
           "twenty times.")
    yield from trend_words(rows)
    yield from ends_words(rows)
    for type_, of in rows.groupby("type"):
        yield from top_words(results, type_, of, titan)
    yield from winner_words(results, like(rows, type="f32"))
    yield from counter_words(results, profiles)
    for type_, of in rows.groupby("type"):
        yield from bandwidth_words(results, type_, of, titan)
    yield from even_words(rows)
    yield from cache_words(results, rows)
    yield from device_words(results, rows)
