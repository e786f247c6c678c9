# SPDX-License-Identifier: Apache-2.0
"""What the page of performance says of the run-time tuner: rows of tulle tune --json."""
import pandas as pd

from . import plots
from .tables import geometric_mean, mean_and_least, name_of, summary, table

# After so many calls the search is looked at: paper 1, "Dynamic run-time tuning".
FEW = 7
PATH = ["trans", "index", "type", "matrix", "threads"]


def calls_of(rows):
    """The calls of all online searches among rows of one machine, those of the latest run."""
    calls = rows[(rows.choice == "tune") & (rows.search == "online")].sort_values([*PATH, "call"])
    first = calls.groupby(PATH)[["call", "date"]].transform("first")
    calls = calls[(first.call == 1) & (calls.date >= first.date)]
    return calls.assign(f1=name_of(calls) == "F1")  # of which paper 1 shows the path


def path_of(calls):
    """One search; speeds are those of the best that is known, of the exhaustive search's: what the
    rule picks, which the first call runs, then after each call."""
    first, last = calls.iloc[0], calls.iloc[-1]
    start = first.of_exhaustive * first.best_ms / first.ms
    return {"class": first["class"], "machine": first.machine, "backend": first.backend,
            "f1": first.f1, "spec": first.spec, "found": last.best, "start": start,
            "few": calls.of_exhaustive.iloc[:FEW].iloc[-1], "end": last.of_exhaustive,
            "settle": len(calls), "speeds": [start, *calls.of_exhaustive],
            # The slowest that was tried, by its own time, over the rule's choice.
            "worst": calls.ms.max() / first.ms}


def paths_of(calls):
    paths = summary(calls, PATH, path_of)
    if paths.empty:
        return pd.DataFrame(columns=[*PATH, "class", "start", "few", "worst"])
    return paths.astype({"class": calls["class"].dtype})


def judged(paths):
    """Those whose yardstick, an exhaustive search, there is."""
    return paths[paths.start.notna()]


def plot_of(paths):
    """All by class, and those on F1; a search that is over stays where it is."""
    made = []
    for type_, of_type in paths.groupby("type"):
        for name, of in of_type.groupby("class", observed=True):
            along = pd.concat(map(pd.Series, of.speeds), axis=1).ffill()
            means = along.apply(geometric_mean, axis=1)
            made += [plots.points(type_, f"{name}, geometric mean", along.index, means),
                     plots.points(type_, f"{name}, least", along.index, along.min(axis=1))]
        made += [plots.points(type_, path.matrix, range(len(path.speeds)), path.speeds)
                 for path in of_type[of_type.f1].itertuples()]
    row = paths.iloc[0]
    return plots.Lines("tuner",
                       f"The tuner's paths, {len(paths)} searches\n{row.machine}", pd.concat(made),
                       ("calls", "speed of the best, of exhaustive search"), log_x=False, level=1)


def mean_row(paths):
    return {"searches": len(paths), **mean_and_least("start", paths.start),
            **mean_and_least("few", paths.few), **mean_and_least("end", paths.end),
            "settle": paths.settle.median(), "worst": paths.worst.max()}


def lines(paths, made):
    paths = judged(paths)
    if paths.empty:
        return
    yield from table(
        summary(paths, ["class", "type"], mean_row),
        f"class | type | >searches | >the rule, of exhaustive | >least | >after {FEW} calls | >least "
        "| >in the end | >least | >calls to settle | >worst trial / rule",
        "{class} | {type} | {searches} | {start:.3f} | {start_least:.3f} | {few:.3f} | "
        "{few_least:.3f} | {end:.3f} | {end_least:.3f} | {settle:g} | {worst}")
    plot = plot_of(paths)
    made.append(plot)
    yield from (f"![The tuner's paths](plots/{plot.name}.svg)", "")


def detail_lines(paths):
    """Every search."""
    if paths.empty:
        return
    name = "`" + paths.matrix + "`" + paths.trans.map({"n": "", "t": ", transposed"})
    speeds = [" ".join(f"{speed:.2f}" for speed in of if pd.notna(speed)) or "-"
              for of in paths.speeds]
    yield from ("## Searches of the run-time tuner", "")
    yield from table(
        paths.assign(name=name, speeds=speeds), "matrix | type | the rule | found | "
        ">worst trial / rule | speed of the best: the rule's, then after each call",
        "{name} | {type} | {spec} | `{found}` | {worst} | {speeds}")
