# SPDX-License-Identifier: Apache-2.0
"""The project's targets for products, each beside what the measurements come to.

A bar of which nothing was measured has no row.
"""
import collections
import statistics

from .cases import CLASSES, TYPES, pairs_of, where
from .spmv import prepared
from .tables import geometric_mean, human_calls, table
from .tuner import FEW
from .versus import of_library, packed_ratio

REGULAR = ("p2d", "p3d7", "p3d27", "fem3")
FEM_AND_STENCILS = (*REGULAR, "fem:1000000")
STENCILS = ("p2d", "p3d7", "p3d27")

# What a measured figure is, and in words of what.
Found = collections.namedtuple("Found", "value text")


class Bar:
    """wanted: the figure, or one for each type; measure: gives Found or None for a type; most: the
    figure is an upper bound."""

    def __init__(self, what, wanted, measure, most=False):
        self.what, self.measure, self.most = what, measure, most
        self.wanted = wanted if isinstance(wanted, dict) else dict.fromkeys(TYPES, wanted)

    def cell(self, type_):
        found = self.measure(type_) if type_ in self.wanted else None
        if not found:
            return "-"
        met = (found.value <= self.wanted[type_] if self.most else
               found.value >= self.wanted[type_])
        return f"{found.text}, {'met' if met else '**missed**'}"

    def wanted_text(self):
        sign = "≤" if self.most else "≥"
        if len(self.wanted) == len(TYPES) and len(set(self.wanted.values())) == 1:
            return f"{sign} {next(iter(self.wanted.values())):g}"
        return ", ".join(f"{type_} {sign} {figure:g}" for type_, figure in self.wanted.items())

    def row(self):
        return [self.what, self.wanted_text(), *(self.cell(type_) for type_ in TYPES)]

    def is_measured(self):
        return any(cell != "-" for cell in self.row()[2:])


def mean_of(pairs):
    numbers = [number for _, number in pairs]
    if not numbers:
        return None
    mean = geometric_mean(numbers)
    return Found(mean, f"{mean:.2f} of {len(numbers)}")


def least_of(pairs):
    if not pairs:
        return None
    case, least = min(pairs, key=lambda pair: pair[1])
    return Found(least, f"{least:.2f} (`{case.matrix}`)")


def slower_of(cases, kind):
    cases = [case for case in cases if case.peer and case.tulle[kind]]
    if not cases:
        return None
    slower = [case for case in cases if case.is_slower(kind)]
    worst = min(cases, key=lambda case: case.ratio(kind, case.peer))
    ratio = worst.ratio(kind, worst.peer)
    return Found(len(slower), f"{len(slower)} of {len(cases)}, least {ratio:.2f} (`{worst.matrix}`)")


def mean_and_least(what, mean, least, pairs):
    """Two bars on the same ratios, which pairs gives for a type."""
    yield Bar(f"{what}: geometric mean", mean, lambda type_: mean_of(pairs(type_)))
    yield Bar(f"{what}: least", least, lambda type_: least_of(pairs(type_)))


def floors(cases, names):
    """The rule's fraction of the floor on some matrices, of any size: "p2d:300" is a p2d."""
    return [(case, case.tulle["rule"]["floor"]) for case in cases
            if case.tulle["rule"] and not {case.matrix, case.matrix.split(":")[0]}.isdisjoint(names)]


def floor_bar(what, cases, names, wanted):
    return Bar(f"{what}, fraction of the floor on {', '.join(names)}: least", wanted,
               lambda type_: least_of(floors(where(cases, type=type_), names)))


def no_plan(forward):
    yield from mean_and_least(
        "rule / best cuSPARSE CSR algorithm", 1.3, 0.95,
        lambda type_: pairs_of(where(forward, type=type_),
                               lambda case: case.ratio("rule", case.csr_peer)))


def optimised(forward):
    def packed(type_):
        return [(case, case.of_floor(case.packed)) for case in where(forward, type=type_)
                if case.matrix == "p3d27" and case.packed]

    yield from mean_and_least(
        "optimise / best cuSPARSE in any format", {"f32": 1.6, "f64": 1.3}, 1.0,
        lambda type_: pairs_of(where(forward, type=type_),
                               lambda case: case.ratio("optimise", case.peer)))
    yield Bar("packed, fraction of CSR's floor on p3d27", {"f64": 1.1},
              lambda type_: least_of(packed(type_)))


def pays(forward):
    def median(type_, among):
        cases = [case for case in prepared(where(forward, type=type_)) if among(case)]
        if not cases:
            return None
        calls = statistics.median(case.calls_to_pay("optimise") for case in cases)
        return Found(calls, f"{human_calls(calls)} of {len(cases)}")

    def has_changed(case):
        return case.tulle["optimise"]["kernel"] != case.tulle["rule"]["kernel"]

    yield Bar("calls after which optimise pays: median", 50,
              lambda type_: median(type_, lambda case: True), most=True)
    yield Bar("the same where it took another kernel or format", 50,
              lambda type_: median(type_, has_changed), most=True)


def short(forward):
    for kind in ("rule", "optimise"):
        yield Bar(f"{kind}, real matrices slower than the best cuSPARSE", 0,
                  lambda type_, kind=kind: slower_of(where(forward, type=type_, source="real"),
                                                     kind), most=True)


def transposed(forward, backward):
    def ratios(kind, type_):
        ahead = {case.matrix: case.tulle[kind] for case in where(forward, type=type_)}
        for case in where(backward, type=type_):
            if case.tulle[kind] and ahead.get(case.matrix):
                yield case, ahead[case.matrix]["ms"] / case.tulle[kind]["ms"]

    yield Bar("speed of Aᵀx over that of Ax, rule: least", 0.5,
              lambda type_: least_of(list(ratios("rule", type_))))
    yield Bar("speed of Aᵀx over that of Ax, both after optimise: geometric mean", 1,
              lambda type_: mean_of(list(ratios("optimise", type_))))


def blocks(cases):
    for k in (8, 32):
        of_size = where(cases, k=k, trans="n")
        yield Bar(f"{k} vectors, rule / best cuSPARSE: geometric mean", 1.3,
                  lambda type_, of_size=of_size: mean_of(
                      pairs_of(where(of_size, type=type_),
                               lambda case: case.ratio("rule", case.peer))))
        yield floor_bar(f"{k} vectors, rule", of_size, FEM_AND_STENCILS, 0.8)


def searches(paths):
    def of(type_):
        return [path for path in paths if path.type == type_]

    def worst(type_):
        if not of(type_):
            return None
        path = max(of(type_), key=lambda path: path.worst())
        return Found(path.worst(), f"{path.worst():.2f} (`{path.matrix}`)")

    yield Bar("rule / exhaustive search: geometric mean", 0.90,
              lambda type_: mean_of([(path, path.start()) for path in of(type_)]))
    yield Bar(f"online / exhaustive search after {FEW} calls: geometric mean", 0.98,
              lambda type_: mean_of([(path, path.after(FEW)) for path in of(type_)]))
    yield Bar("slowest trial / rule", 2, worst, most=True)


def on_cpu(forward):
    def ratios(type_, *libraries):
        return pairs_of(where(forward, type=type_),
                        lambda case: case.ratio("rule", of_library(case, *libraries)))

    yield Bar("rule / MKL: geometric mean", 1.0, lambda type_: mean_of(ratios(type_, "mkl")))
    yield Bar("rule / best of Eigen and librsb: geometric mean", 1.2,
              lambda type_: mean_of(ratios(type_, "eigen", "librsb")))
    yield Bar("packed / MKL: geometric mean", 1.2,
              lambda type_: mean_of(pairs_of(
                  where(forward, type=type_),
                  lambda case: packed_ratio(case, of_library(case, "mkl")))))
    yield floor_bar("rule", forward, STENCILS, 0.9)


def narrowest(cases):
    """Of each product the one with the narrowest indices that was measured."""
    found = {}
    for case in sorted(cases, key=lambda case: case.any["index"]):
        key = tuple(case.any[name] for name in ("op", "trans", "type", "k", "layout", "matrix"))
        found.setdefault(key, case)
    return list(found.values())


def bars_of(backend, of_class, cases, paths):
    """The bars of one class; cases and paths: those of the class."""
    forward = where(cases, op="spmv", trans="n")
    memory = of_class == "memory"
    if backend == "cpu":
        yield from on_cpu(forward)
        return
    yield from no_plan(forward) if memory else short(forward)
    yield floor_bar("rule", forward, REGULAR, 0.92)
    yield from optimised(forward) if memory else ()
    yield from pays(forward)
    yield from searches(paths)
    yield from transposed(forward, where(cases, op="spmv", trans="t")) if memory else ()
    yield from blocks(where(cases, op="spmm"))


HEADINGS = ("target", "wanted", *TYPES)


def lines(backend, cases, paths):
    cases = narrowest(cases)
    heading = ["### Targets", "",
               "Behind \"of\": how many matrices, or matrices in a layout, the figure is of; in "
               "brackets: where the least was. What was not measured is left out.", ""]
    for name in CLASSES:
        judged = [path for path in paths if path.is_judged() and path.first["class"] == name]
        bars = [bar for bar in bars_of(backend, name, where(cases, of_class=name), judged)
                if bar.is_measured()]
        if bars:
            yield from (*heading, f"Class {name}:", "")
            yield from table(HEADINGS, [bar.row() for bar in bars])
            heading = []
