# SPDX-License-Identifier: Apache-2.0
"""What the page of performance says of the run-time tuner: rows of tulle tune --json."""
import statistics

from . import plots
from .cases import CLASSES, TYPES
from .papers import name_of
from .spmv import named
from .tables import geometric_mean, group, human_ms, spec, table

# After so many calls the search is looked at: paper 1, "Dynamic run-time tuning".
FEW = 7


class Path:
    """One online search: its calls in order, those of the latest run."""

    def __init__(self, rows):
        rows = sorted(rows, key=lambda row: row["call"])
        self.calls = [row for row in rows if row["date"] >= rows[0]["date"]]
        self.first = self.calls[0]
        self.matrix, self.type = self.first["matrix"], self.first["type"]

    def is_judged(self):
        """Whether an exhaustive search gave the yardstick."""
        return self.first["of_exhaustive"] is not None

    def is_f1(self):
        """Whether it is on the matrix of which paper 1 shows the path."""
        return name_of(self.first) == "F1"

    def after(self, call):
        """The best's speed, of the exhaustive search's, after a call; past the last: in the end."""
        return self.calls[min(call, len(self.calls)) - 1]["of_exhaustive"]

    def start(self):
        """The same of what the rule picks, which the first call runs."""
        return self.first["of_exhaustive"] * self.first["best_ms"] / self.first["ms"]

    def worst(self):
        """The slowest that was tried, by its own time, over the rule's choice."""
        return max(row["ms"] for row in self.calls) / self.first["ms"]

    def speeds(self):
        return [self.start()] + [self.after(call) for call in range(1, len(self.calls) + 1)]


def paths_of(rows):
    """All online searches among rows of one machine."""
    online = [row for row in rows if row["choice"] == "tune" and row["search"] == "online"]
    groups = group(online, "trans", "index", "type", "matrix", "threads").values()
    return [Path(of_path) for of_path in groups if min(row["call"] for row in of_path) == 1]


def along(paths, summary):
    """[(call, summary of the speeds after it)]; a search that is over stays where it is."""
    calls = max(len(path.calls) for path in paths)
    return [(call, summary([path.speeds()[min(call, len(path.calls))] for path in paths]))
            for call in range(calls + 1)]


def series(paths):
    found = {}
    for name in CLASSES:
        of_class = [path for path in paths if path.first["class"] == name]
        if of_class:
            found[f"{name}, geometric mean"] = along(of_class, geometric_mean)
            found[f"{name}, least"] = along(of_class, min)
    found.update({path.matrix: list(enumerate(path.speeds())) for path in paths
                  if path.is_f1()})
    return found


def plot_of(paths):
    """All by class, and those on F1."""
    panels = {type_: series([path for path in paths if path.type == type_]) for type_ in TYPES}
    row = paths[0].first
    return plots.Lines(named("tuner", row),
                       f"The tuner's paths, {len(paths)} searches\n{row['machine']}",
                       {type_: of_type for type_, of_type in panels.items() if of_type},
                       ("calls", "speed of the best, of exhaustive search"), log_x=False, level=1)


HEADINGS = ("class", "type", ">searches", ">the rule, of exhaustive", ">least",
            f">after {FEW} calls", ">least", ">in the end", ">least", ">calls to settle",
            ">worst trial / rule")


def rows(paths):
    for name in CLASSES:
        for type_ in TYPES:
            found = [path for path in paths if path.type == type_ and path.first["class"] == name]
            if not found:
                continue
            columns = ([path.start() for path in found], [path.after(FEW) for path in found],
                       [path.after(len(path.calls)) for path in found])
            means = [f"{number:.3f}" for column in columns
                     for number in (geometric_mean(column), min(column))]
            settle = statistics.median(len(path.calls) for path in found)
            yield [name, type_, str(len(found)), *means, f"{settle:g}",
                   f"{max(path.worst() for path in found):.2f}"]


def lines(paths, made):
    paths = [path for path in paths if path.is_judged()]
    if not paths:
        return
    yield from ("### The run-time tuner", "",
                "Online searches against exhaustive ones over all kernels and parameters without a "
                "plan: the speed, measured alone, of the best that each search knows, of the "
                "fastest of all.", "")
    yield from table(HEADINGS, rows(paths))
    plot = plot_of(paths)
    made.append(plot)
    yield from (f"![The tuner's paths](plots/{plot.name}.svg)", "")


SEARCH_HEADINGS = ("matrix", "type", "the rule", "found", ">worst trial / rule",
                   "speed of the best: the rule's, then after each call")
CALL_HEADINGS = (">call", "ran", ">in the call", ">alone", "best after it", ">of exhaustive")


def of_exhaustive(number):
    return f"{number:.3f}" if number is not None else "-"


def search_row(path):
    first, end = path.first, path.calls[-1]
    speeds = [f"{speed:.2f}" for speed in path.speeds()] if path.is_judged() else ["-"]
    return [f"`{path.matrix}`{', transposed' if first['trans'] == 't' else ''}", path.type,
            spec(first), f"`{end['best']}`", f"{path.worst():.2f}", " ".join(speeds)]


def call_row(row):
    return [str(row["call"]), spec(row), human_ms(row["call_ms"]) if row["call_ms"] else "-",
            human_ms(row["ms"]), f"`{row['best']}`", of_exhaustive(row["of_exhaustive"])]


def detail_lines(paths):
    """Every search, and every call of those on F1."""
    if not paths:
        return
    yield from ("### Searches of the run-time tuner", "")
    yield from table(SEARCH_HEADINGS, [search_row(path) for path in paths])
    for path in paths:
        if path.is_f1():
            yield from (f"Each call on `{path.matrix}`, {path.type}:", "")
            yield from table(CALL_HEADINGS, [call_row(row) for row in path.calls])
