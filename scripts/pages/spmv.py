# SPDX-License-Identifier: Apache-2.0
"""What the page of performance says of products with one vector, and of preparing for them."""
import statistics

from . import plots
from .cases import CLASSES, KINDS, TYPES, format_of, minimal_bytes, pairs_of, where
from .tables import geometric_mean, group, human_bytes, human_calls, slug, table


def named(text, rows):
    """The name of a plot: unique to a machine."""
    return slug(f"{rows['backend']}-{rows['machine']}-{text}")


def mean_and_least(pairs):
    numbers = [number for _, number in pairs]
    if not numbers:
        return ["-", "-"]
    return [f"{geometric_mean(numbers):.2f}", f"{min(numbers):.2f}"]


MEAN_HEADINGS = ("class", "type", "tulle's", ">matrices", ">floor", ">/ CSR peer", ">least",
                 ">/ best peer", ">least", ">cold / best peer, cold", ">slower than the best peer")


def mean_row(cases, kind):
    """How one kind of tulle's rows compares with the floor and the peers."""
    csr = pairs_of(cases, lambda case: case.ratio(kind, case.csr_peer))
    best = pairs_of(cases, lambda case: case.ratio(kind, case.peer))
    cold = pairs_of(cases, lambda case: case.ratio(kind, case.peer, "ms_cold"))
    slower = sum(case.is_slower(kind) for case, _ in best)
    return [str(len(cases)), f"{geometric_mean([case.tulle[kind]['floor'] for case in cases]):.2f}",
            *mean_and_least(csr), *mean_and_least(best), mean_and_least(cold)[0],
            str(slower) if best else "-"]


def mean_rows(cases):
    for name in CLASSES:
        for type_ in TYPES:
            for kind, heading in KINDS:
                found = [case for case in where(cases, of_class=name, type=type_)
                         if case.tulle[kind]]
                if found:
                    yield [name, type_, heading, *mean_row(found, kind)]


def series(cases, x, value):
    """{label: points}, of what tulle picks, of what it picks after optimise, and of the best peer;
    value: of a row."""
    rows = {"rule": lambda case: case.tulle["rule"],
            "optimise": lambda case: case.tulle["optimise"],
            "best peer": lambda case: case.peer}
    found = {label: [(x(case), value(row(case))) for case in cases if row(case)]
             for label, row in rows.items()}
    return {label: points for label, points in found.items() if points}


def panels(cases, make):
    found = {type_: make(where(cases, type=type_)) for type_ in TYPES}
    return {type_: of_type for type_, of_type in found.items() if of_type}


def sorted_ratios(cases):
    curves = {"rule / best CSR peer": pairs_of(cases, lambda c: c.ratio("rule", c.csr_peer)),
              "optimise / best peer": pairs_of(cases, lambda c: c.ratio("optimise", c.peer))}
    return {label: list(enumerate(sorted(number for _, number in pairs), 1))
            for label, pairs in curves.items() if pairs}


def plots_of(cases, title):
    """The three plots of a part, each with a panel for each type."""
    row = cases[0].any

    def plot(what, heading, data, axes, **options):
        name = named(f"{row['index']}-{row['trans']}-{what}", row)
        return plots.Lines(name, f"{title}: {heading}\n{row['machine']}", data, axes, **options)

    def a_row(case):
        return max(case.any["nnz"], 1) / max(case.any["rows"], 1)

    def megabytes(case):
        return 1e-6 * minimal_bytes(case.any)

    made = [
        plot("gflops", "GFLOP/s against nonzeros a row",
             panels(cases, lambda of: series(of, a_row, lambda row: row["gflops"])),
             ("nonzeros a row", "GFLOP/s"), log_y=True, joined=False),
        plot("floor", "fraction of the floor against the size of the product",
             panels(cases, lambda of: series(of, megabytes, lambda row: row["floor"])),
             ("MB that the product must move", "floor / time"), joined=False, level=1),
        plot("ratio", "peer's time over tulle's, sorted",
             panels(cases, sorted_ratios), ("matrices, each curve sorted by itself",
                                            "times faster than the peer"),
             log_x=False, log_y=True, level=1),
    ]
    return [plot for plot in made if plot.panels]


def count_formats(cases):
    """"packed 12, csr 3": how often each format was chosen."""
    chosen = group([{"format": format_of(case.tulle["optimise"])} for case in cases], "format")
    by_count = sorted(chosen.items(), key=lambda item: (-len(item[1]), item[0]))
    return ", ".join(f"{format_} {len(rows)}" for (format_,), rows in by_count)


OPTIMISE_HEADINGS = ("class", "type", ">matrices", "formats chosen", ">gain on the rule", ">least",
                     ">preparation, in calls of the rule", ">calls to pay it", ">extra memory",
                     ">of the matrix")


def prepared(cases):
    """Those that were measured after optimise, and before."""
    return [case for case in cases if case.tulle["optimise"] and case.tulle["rule"]]


def optimise_rows(cases):
    for name in CLASSES:
        for type_ in TYPES:
            found = where(prepared(cases), of_class=name, type=type_)
            if not found:
                continue
            rows = [case.tulle["optimise"] for case in found]
            gains = pairs_of(found, lambda case: case.ratio("optimise", case.tulle["rule"]))
            calls = statistics.median(case.tulle["optimise"]["prep_ms"] / case.tulle["rule"]["ms"]
                                      for case in found)
            pays = statistics.median(case.calls_to_pay("optimise") for case in found)
            extra = statistics.median(row["extra_bytes"] for row in rows)
            share = statistics.median(row["extra_bytes"] / row["matrix_bytes"] for row in rows)
            yield [name, type_, str(len(found)), count_formats(found), *mean_and_least(gains),
                   f"{calls:.1f}", human_calls(pays), human_bytes(extra), f"{share:.2f}"]


def optimise_lines(cases):
    rows = list(optimise_rows(cases))
    if rows:
        yield from ("What optimise chooses, gains and costs; preparation, calls and memory are "
                    "medians over the matrices:", "")
        yield from table(OPTIMISE_HEADINGS, rows)


def lines(cases, title, made):
    """The section of one kind of product; its plots are added to made."""
    yield from (f"### {title}", "")
    yield from table(MEAN_HEADINGS, mean_rows(cases))
    for plot in plots_of(cases, title):
        made.append(plot)
        yield from (f"![{plot.title.splitlines()[0]}](plots/{plot.name}.svg)", "")
    yield from optimise_lines(cases)
