# SPDX-License-Identifier: Apache-2.0
"""Paper 1's run-time tuning: as tulle tunes, and in the paper's own domain, from its fixed rule; while
systems are solved, and through Newton's method."""
import pandas as pd

from . import plots, tuner
from .papers import Claim, measured, nothing, verdict
from .tables import summary, table

# The experiments of each of the two tuners; whose it is, where it starts, and what it may choose.
TIED = 1.02  # times as fast, below which times differ from run to run
OWN, PRINTED = ("tuner", "newton"), ("printed-tuner", "printed-newton")
WHO = {OWN: "Tulle's tuner", PRINTED: "Tulle's search in the paper's domain"}
RULES = {OWN: "tulle's rule", PRINTED: "the fixed rule"}
DOMAINS = {OWN: f"from {RULES[OWN]}, over all kernels and parameters without a plan",
           PRINTED: f"from {RULES[PRINTED]}, over coop, repeat and block of `spmv_csr_vector` alone"}


def searches_of(results, experiment):
    """The tuner's calls, a product each, and a row for each search."""
    calls = tuner.calls_of(results.of(experiment))
    return calls, tuner.judged(tuner.paths_of(calls))


def stays_of(paths):
    """How many of the searches end where they began."""
    return int((paths.found == paths.spec.str.strip("`").str.replace(" ", ":")).sum())


def tuned_row(paths):
    """Means as in the paper, in percent of the exhaustive search's speed."""
    percents = {name: 100 * paths[name].mean() for name in ("start", "few", "end")}
    return {"searches": len(paths), **percents, "least": 100 * paths.few.min(),
            "stays": stays_of(paths), "settle": paths.settle.median(), "worst": paths.worst.max()}


def printed_of(results):
    """Percent of the exhaustive search's speed in the paper: in the first iteration, and after seven."""
    return [results.figure("percent of exhaustive", subject=subject)
            for subject in ("first iteration", f"after {tuner.FEW} iterations")]


def matrix_table(paths):
    """Rule, tuner and exhaustive search on one domain, a matrix."""
    yield from table(
        paths.assign(**{name: 100 * paths[name] for name in ("start", "few", "end")}).sort_values(
            ["type", "matrix"]),
        f"matrix | type | the rule | >% of exhaustive | >after {tuner.FEW} calls | >in the end | found",
        "`{matrix}` | {type} | {spec} | {start:.1f} | {few:.1f} | {end:.1f} | `{found}`")


def path_tables(calls):
    """Every product of the searches on F1, whose path the paper shows."""
    for _, of_path in calls[calls.f1].groupby(tuner.PATH):
        row = of_path.iloc[0]
        yield from (f"Each iteration on `{row.matrix}`, {row.type}:", "")
        yield from table(
            of_path.assign(percent=100 * of_path.of_exhaustive,
                           call_ms=of_path.call_ms.where(of_path.call_ms > 0)),
            ">iteration | ran | >in it | best after it | >% of exhaustive",
            "{call:.0f} | {spec} | {call_ms:ms} | `{best}` | {percent:.1f}")


def plot_of(results, experiment, paths):
    along = {of.type: pd.concat(map(pd.Series, paths.speeds[paths.type == of.type]), axis=1).ffill()
             for of in paths.drop_duplicates("type").itertuples()}
    points = [plots.points(type_, "mean", speeds.index, 100 * speeds.mean(axis=1))
              for type_, speeds in along.items()]
    points += [plots.points(path.type, path.matrix, range(len(path.speeds)),
                            [100 * speed for speed in path.speeds])
               for path in paths[paths.f1].itertuples()]
    yield from results.add_plot(plots.Lines, experiment, "The tuner while a system is solved",
                                pd.concat(points), ("calls", "% of exhaustive search"), log_x=False)


def systems_of(results, calls):
    """Which matrices the systems have: others than products are measured on, where those would not do."""
    others = results.of("rule").drop_duplicates("matrix").set_index("matrix").nnz
    nnz = calls.drop_duplicates("matrix").set_index("matrix").nnz
    both = sorted(others.index.intersection(nnz.index))
    more = [f"`{name}` {nnz[name]:,.0f} instead of {others[name]:,.0f}" for name in both if nnz[name] != others[name]]
    grown = (f" With the diagonal entries that they lack, some have more entries: {', '.join(more)}; the fixed rule may "
             "pick other parameters for these.") if more else ""
    yield from ("Such a solution has to converge, which it need not do with the matrices of the other experiments. So "
                "each system has a matrix made from one of these, unless that is diagonally dominant: off the diagonal the "
                "same entries, on it 1 plus the sum of the magnitudes of the others in the row. The search, the rule and "
                f"the exhaustive search that they are compared with run on that matrix.{grown}", "")


def tuner_section(results, domain, heading):
    experiment = domain[0]
    yield from (f"#### {heading}", "")
    calls, paths = searches_of(results, experiment)
    if paths.empty:
        yield from nothing(1, f"--experiment {experiment}")
        return
    first, few = printed_of(results)
    yield from ("Each product of a solution is a call of the tuner: of CG, one an iteration; of "
                "BiCGStab, two, where a matrix is not symmetric. The tuner searches "
                f"{DOMAINS[domain]}. Speeds are those of the best that is "
                "known, measured alone, in percent of the exhaustive search's over the same domain. "
                f"The paper: {first} % in the first iteration, {few} % after {tuner.FEW}.", "")
    yield from systems_of(results, calls)
    yield from table(
        summary(paths, "type", tuned_row),
        f"type | >matrices | >at the start | >after {tuner.FEW} calls | >least after {tuner.FEW} | >in the end | "
        ">end where they began | >calls to settle | >worst trial / rule",
        "{type} | {searches} | {start:.1f} | {few:.1f} | {least:.1f} | {end:.1f} | {stays} | {settle:g} | "
        "{worst}")
    yield from measured(results.of(experiment))
    yield from plot_of(results, experiment, paths)
    if domain == PRINTED:
        yield from ("The paper's slides give the domain and the results, and no algorithm of its search.", "")
        yield from matrix_table(paths)
    yield from path_tables(calls)


def steps_of(results, experiment):
    """A row for each of Newton's steps; where products were noted, with the percent of the exhaustive
    search's speed that the best known after the step has."""
    rows = results.of(experiment)
    steps = rows[rows.choice == "solution"].sort_values(["type", "call"])
    calls, _ = searches_of(results, experiment)
    done, percents = steps.groupby("type").applications.cumsum(), []
    for type_, products in zip(steps.type, done):
        before = calls[(calls.type == type_) & (calls.call <= products)]
        percents.append(100 * before.of_exhaustive.iloc[-1] if len(before) else None)
    return steps.assign(percent=pd.Series(percents, steps.index, dtype=float))


def newton_section(results, domain, heading):
    experiment = domain[1]
    yield from (f"#### {heading}", "")
    steps = steps_of(results, experiment)
    if steps.empty:
        yield from nothing(1, f"--experiment {experiment}")
        return
    judged = steps.percent.notna().any()
    alone = "" if judged else (" No exhaustive search is there to compare it with: one over all kernels is made for the systems "
                               "above alone.")
    yield from ("-div((1 + u²) grad u) = f on a grid, by finite differences: five linear systems with "
                f"one pattern and one tuner, which keeps what it has found. It searches {DOMAINS[domain]}. In f64 "
                f"alone: in f32, on so fine a grid, rounding ends BiCGStab when a system is hardly begun.{alone}", "")
    yield from table(
        steps,
        "grid | type | >step | method | >products | >tried | >left of the equations | >time | kernel"
        + (" | >% of exhaustive after it" if judged else ""),
        "`{matrix}` | {type} | {call:.0f} | {method} | {applications:.0f} | {trials:.0f} | "
        "{left:.1e} | {solution_ms:ms} | {spec}" + (" | {percent:.1f}" if judged else ""))
    yield from measured(steps)


def means_of(results, domain):
    """A row of means for each type, with the column type."""
    return summary(searches_of(results, domain[0])[1], "type", tuned_row)


def reaches(results, percent):
    """Whether a percentage of the exhaustive search's speed, of after a few calls, is the paper's or more."""
    return round(percent) >= float(printed_of(results)[1])


def each(means, cell):
    """A cell for each type of means_of."""
    return ", ".join(cell.format(**row) for row in means.to_dict("records"))


def head_claims(results):
    """Of tulle's own tuner, which starts elsewhere and searches more, the figures without a verdict."""
    first, few = printed_of(results)
    means = {domain: means_of(results, domain) for domain in (PRINTED, OWN)}
    found = "; ".join(f"{WHO[domain]}, from {RULES[domain]}: {each(of, 'from {start:.0f} to {few:.0f} % ({type})')}"
                      for domain, of in means.items() if len(of))
    if found:
        theirs = means[PRINTED]
        holds = bool(theirs.few.map(lambda of: reaches(results, of)).all()) if len(theirs) else None
        yield Claim(f"run-time tuning comes from {first} to {few} % of the exhaustive search's speed in {tuner.FEW} "
                    "iterations", f"on systems made from the matrices: {found}", holds)


def change(row):
    gain = row["end"] - row["start"]
    return "a gain" if gain >= 0.5 else "no gain" if gain > -0.5 else "a loss"


def slower_words(results, domain):
    """Searches that end with a slower kernel than they began with, by the times that both have when measured alone."""
    _, paths = searches_of(results, domain[0])
    if paths.empty:
        return
    slower = paths[paths.end < paths.start / TIED].assign(share=lambda of: of.end / of.start).sort_values("share")
    if len(slower):
        names = ", ".join(f"`{row.matrix}` {row.type} from {100 * row.start:.0f} to {100 * row.end:.0f} %" for row in
                          slower.itertuples())
        yield (f"{WHO[domain]} ends slower than it began in {len(slower)} of {len(paths)} searches, though it measures both ends "
               f"in turns before it settles: {names}. In a solution other kernels run between two products, and the products of "
               "the exhaustive search follow each other.")


def words_of_search(results, domain):
    """Where the searches end."""
    means = means_of(results, domain)
    if len(means):
        means = means.assign(change=[change(row) for row in means.to_dict("records")])
        yield (f"{WHO[domain]}, {DOMAINS[domain]}, ends where it began in "
               f"{each(means, '{stays} of {searches} ({type})')} searches; in the mean it comes "
               f"{each(means, 'from {start:.1f} to {end:.1f} % ({type}: {change})')} of the exhaustive search's speed.")


def words_of_newton(results, domain):
    steps = steps_of(results, domain[1])
    for type_, of in steps.groupby("type"):
        first, later = of.trials[of.call == 1].sum(), of.trials[of.call > 1].sum()
        yield (f"{WHO[domain]} tries {first:.0f} times in the first step of Newton's method and "
               f"{f'{later:.0f} times' if later else 'nothing'} after it, {type_}: that the tuner's state is kept is "
               f"{verdict(later < first)}.")
    _, paths = searches_of(results, domain[1])
    first, few = printed_of(results)
    for path in paths.itertuples():
        yield (f"{WHO[domain]} is at {100 * path.start:.0f} % of the exhaustive search in the first product of Newton's "
               f"method and at {100 * path.few:.0f} % after {tuner.FEW}, {path.type} (the paper's means: {first} % and "
               f"{few} %; {few} % after {tuner.FEW} is {verdict(reaches(results, 100 * path.few))}).")


def words(results):
    """What the numbers say; of what was not measured, nothing."""
    for domain in (PRINTED, OWN):
        yield from words_of_search(results, domain)
        yield from slower_words(results, domain)
        yield from words_of_newton(results, domain)


def sections(results):
    yield from tuner_section(results, PRINTED, "The paper's tuner while a system is solved")
    yield from newton_section(results, PRINTED, "The paper's tuner in Newton's method")
    yield from tuner_section(results, OWN, "Tulle's tuner while a system is solved")
    yield from newton_section(results, OWN, "Tulle's tuner in Newton's method")
