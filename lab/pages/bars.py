# SPDX-License-Identifier: Apache-2.0
"""The project's targets for products, factors and triangular systems, each beside what the measurements
come to."""
import collections

import numpy as np
import pandas as pd

from .products import calls_to_pay, is_slower, ratio
from .tables import CLASSES, TYPES, beside, geometric_mean, human_calls, like, loosely, table
from .tuner import FEW, judged

REGULAR = ("p2d", "p3d7", "p3d27", "fem3")
FEM_AND_STENCILS = (*REGULAR, "fem:1000000")
STENCILS = ("p2d", "p3d7", "p3d27")
# One target of one type: what, the figure that is wanted, and what the measurements come to, None
# where there are none.
Bar = collections.namedtuple("Bar", "what sign wanted figure met")
NOTHING, NOT_MEASURED = "-", "not measured"


def mean(numbers):
    value = geometric_mean(numbers)
    return value, f"{value:.2f} of {len(numbers)}"


def least(numbers):
    return numbers.min(), f"{numbers.min():.2f} (`{numbers.idxmin()}`)"


def most(numbers):
    return numbers.max(), f"{numbers.max():.2f} (`{numbers.idxmax()}`)"


def median_calls(numbers):
    return numbers.median(), f"{human_calls(numbers.median())} of {len(numbers)}"


def slower(cases):
    value, text = cases.slower.sum(), least(cases.ratio)[1]
    return value, f"{value} of {len(cases)}, least {text}"


def bar(what, how, wanted, numbers):
    """A target held against the measurements by matrix; wanted is None where it is not of this type."""
    sign, numbers = "≥" if how in (mean, least) else "≤", numbers.dropna()
    if numbers.empty or wanted is None:
        return Bar(what, sign, wanted, None, None)
    value, text = how(numbers)
    return Bar(what, sign, wanted, text, value >= wanted if sign == "≥" else value <= wanted)


def cell(checked, loose):
    if checked.figure:
        return f"{checked.figure}, {'met' if checked.met else '**missed**'}"
    return f"{loose.figure}, not checked" if loose.figure else NOTHING


def row(bars, loose):
    """A row of the table from the same bar of each type; loose: where what was not checked counts, too."""
    what, sign, *_ = bars[0]
    wanted = {type_: one.wanted for type_, one in zip(TYPES, bars) if one.wanted is not None}
    cells = {type_: cell(*both) for type_, *both in zip(TYPES, bars, loose)}
    if set(cells.values()) == {NOTHING}:
        cells.update(dict.fromkeys(wanted, NOT_MEASURED))
    if len(wanted) == len(TYPES) and len(set(wanted.values())) == 1:
        text = f"{sign} {wanted[TYPES[0]]:g}"
    else:
        text = ", ".join(f"{type_} {sign} {figure:g}" for type_, figure in wanted.items())
    return {"what": what, "wanted": text, **cells}


def is_measured(rows):
    """Whether any target of a table was."""
    return not rows[TYPES].isin([NOTHING, NOT_MEASURED]).all(axis=None)


def rows_of(rows):
    return table(rows, f"target | wanted | {' | '.join(TYPES)}",
                 "{what} | {wanted} | {" + "} | {".join(TYPES) + "}")


def targets(heading, bars, checked, every, about=""):
    """A table of bars(type, rows), if any of it was measured, of what was checked and of everything."""
    found = pd.DataFrame([row(*both) for both in zip(*(list(zip(*(bars(type_, of) for type_ in TYPES)))
                                                       for of in (checked, every)))])
    if is_measured(found):
        yield from (heading, "", *([about, ""] if about else []))
        yield from rows_of(found)


def targets_of_rows(title, bars, rows):
    return targets(f"### Targets for {title}", bars, rows[rows.right], loosely(rows))


def floor(what, wanted, cases, names):
    """The rule's fraction of the floor on some matrices, of any size: "p2d:300" is a p2d."""
    cases = cases[cases.matrix.isin(names) | cases.matrix.str.split(":").str[0].isin(names)]
    return bar(f"{what}, fraction of the floor on {', '.join(names)}: least", least, wanted,
               cases.set_index("matrix").rule_floor)


def optimised(type_, forward):
    ratios = ratio(forward, "optimise")
    yield bar("optimise / best cuSPARSE in any format: geometric mean", mean,
              {"f32": 1.6, "f64": 1.3}[type_], ratios)
    yield bar("optimise / best cuSPARSE in any format: least", least, 1, ratios)
    cases = like(forward, matrix="p3d27").set_index("matrix")
    yield bar("packed, fraction of CSR's floor on p3d27", least, {"f64": 1.1}.get(type_),
              1e-6 * cases.minimal / cases.packed_copy_gbs / cases.packed_ms)


def pays(forward):
    cases = forward[forward.optimise_ms.notna() & forward.rule_ms.notna()]
    changed = cases[cases.optimise_kernel != cases.rule_kernel]
    yield bar("calls after which optimise pays: median", median_calls, 50,
              calls_to_pay(cases, "optimise"))
    yield bar("the same where it took another kernel or format", median_calls, 50,
              calls_to_pay(changed, "optimise"))


def transposed(forward, backward):
    both = backward.merge(forward, on="matrix", suffixes=("", "_ahead")).set_index("matrix")
    yield bar("speed of Aᵀx over that of Ax, rule: least", least, 0.5,
              both.rule_ms_ahead / both.rule_ms)
    yield bar("speed of Aᵀx over that of Ax, both after optimise: geometric mean", mean, 1,
              both.optimise_ms_ahead / both.optimise_ms)


def blocks(cases):
    for k in (8, 32):
        of_size = like(cases, k=k, trans="n")
        yield bar(f"{k} vectors, rule / best cuSPARSE: geometric mean", mean, 1.3,
                  ratio(of_size, "rule"))
        yield floor(f"{k} vectors, rule", 0.8, of_size, FEM_AND_STENCILS)


def searches(paths):
    paths = paths.set_index("matrix")
    yield bar("rule / exhaustive search: geometric mean", mean, 0.90, paths.start)
    yield bar(f"online / exhaustive search after {FEW} calls: geometric mean", mean, 0.98, paths.few)
    yield bar("slowest trial / rule", most, 2, paths.worst)


def on_cpu(forward):
    yield bar("rule / MKL: geometric mean", mean, 1.0, ratio(forward, "rule", "mkl"))
    yield bar("rule / best of Eigen and librsb: geometric mean", mean, 1.2,
              ratio(forward, "rule", "open"))
    yield bar("packed / MKL: geometric mean", mean, 1.2, ratio(forward, "packed", "mkl"))
    yield floor("rule", 0.9, forward, STENCILS)


def on_gpu(type_, memory, cases, paths):
    forward = like(cases, op="spmv", trans="n")
    if memory:
        ratios = ratio(forward, "rule", "csr_peer")
        yield bar("rule / best cuSPARSE CSR algorithm: geometric mean", mean, 1.3, ratios)
        yield bar("rule / best cuSPARSE CSR algorithm: least", least, 0.95, ratios)
    else:
        real = like(forward, source="real")
        for kind in ("rule", "optimise"):
            yield bar(f"{kind}, real matrices slower than the best cuSPARSE", slower, 0,
                      pd.DataFrame({"ratio": ratio(real, kind),
                                    "slower": is_slower(real, kind).array}))
    yield floor("rule", 0.92, forward, REGULAR)
    if memory:
        yield from optimised(type_, forward)
    yield from pays(forward)
    yield from searches(paths)
    if memory:
        yield from transposed(forward, like(cases, op="spmv", trans="t"))
    yield from blocks(like(cases, op="spmm"))


def lines(backend, cases, paths):
    # Of each product the one with the narrowest indices that was measured.
    cases = cases.sort_values("index", kind="stable").drop_duplicates(
        ["op", "trans", "type", "k", "layout", "matrix"])
    heading = ["### Targets", "",
               "Behind \"of\": how many matrices, or matrices in a layout, the figure is of; in "
               "brackets: where the least was.", ""]
    for name in CLASSES:
        bars = []
        for type_ in TYPES:
            same = {"type": type_, "class": name}
            of = like(cases, **same)
            bars.append(on_cpu(of) if backend == "cpu" else on_gpu(
                type_, name == "memory", of, like(judged(paths), **same)))
        rows = pd.DataFrame([row(of_types, of_types) for of_types in zip(*bars)])
        if is_measured(rows):
            yield from (*heading, f"Class {name}:", "")
            yield from rows_of(rows)
            heading = []


# Paper 3's complete LU: what it printed by the size of blocks, GFLOP/s in single precision.
PRINTED_LU = {4: 135.7, 8: 221.9, 16: 229.5}


def own(rows, by):
    """What tulle takes by itself, or where that was not measured, all of its ways: of each group, told
    apart by the columns `by`."""
    rows = rows[rows.choice != "peer"]
    rule = rows.choice == "rule"
    return rows[rule | ~rule.groupby([rows[name] for name in by]).transform("any")]


def own_and_peer(rows, by="matrix"):
    """By matrix: the fastest of tulle's own, and of the peers."""
    return beside({"own": own(rows, [by]), "peer": rows[rows.choice == "peer"]}, by, ["levels"])


def solves(rows):
    of = like(rows, op="trisolve", detail="lower", trans="n")
    one, eight = (own_and_peer(like(of, k=k, format="csr")) for k in (1, 8))
    speed, elsewhere = one.peer_ms / one.own_ms, one[one.index != "p2d"]
    yield bar("solve of p2d, ms", most, 3, one.own_ms[one.index == "p2d"])
    yield bar("solve of p3d7, ms", most, 0.8, one.own_ms[one.index == "p3d7"])
    yield bar("solve / best of SpSV and SpSM: geometric mean", mean, 2, speed)
    yield bar("solve / best of SpSV and SpSM: least", least, 1, speed)
    yield bar("analysis of p2d for a solve, ms", most, 12, one.own_prep_ms[one.index == "p2d"])
    yield bar("analysis for a solve elsewhere, over the peer's", most, 1,
              elsewhere.own_prep_ms / elsewhere.peer_prep_ms)
    yield bar("8 right-hand sides, over eight solves", most, 0.5, eight.own_ms / (8 * one.own_ms))
    for k in (1, 8):
        blocks_ = own_and_peer(like(of, k=k, format="bsr"))
        yield bar(f"solve of blocks, {k} right-hand side{'s' if k > 1 else ''} / best of bsrsv2 and "
                  "bsrsm2: geometric mean", mean, 2, blocks_.peer_ms / blocks_.own_ms)


def factors(type_, rows):
    of = like(rows, op="factor")
    scalars, blocks_ = (own_and_peer(like(of, detail="lu", format=name)) for name in ("csr", "bsr"))
    allowed = np.maximum(0.1 * scalars.peer_prep_ms, 1 + 2.2e-3 * scalars.levels)
    for how, wanted in ((mean, 1.8), (least, 1)):
        yield bar(f"ILU(0) / csrilu02: {'geometric mean' if how is mean else 'least'}", how, wanted,
                  scalars.peer_ms / scalars.own_ms)
    yield bar("analysis of ILU(0), over the larger of a tenth of the peer's and "
              "1 ms + 2.2 µs a level", most, 1, scalars.own_prep_ms / allowed)
    yield bar("block ILU(0) / bsrilu02: geometric mean", mean, 2, blocks_.peer_ms / blocks_.own_ms)
    yield bar("analysis of block ILU(0), times cheaper than the peer's: least", least, 10,
              blocks_.peer_prep_ms / blocks_.own_prep_ms)
    complete = own(of[of.detail.str.startswith("filled", na=False)], ["matrix", "detail", "block"])
    for block, printed in PRINTED_LU.items():
        rate = like(complete, block=block).groupby("matrix").gflops.max()
        yield bar(f"complete LU, blocks of {block}, GFLOP/s", least,
                  10 * printed if type_ == "f32" else None, rate)


def vectors(rows):
    for op in ("dot", "axpy"):
        long = like(rows, op=op, detail="device", matrix="10000000")
        best = long[long.choice == "rule"].groupby("k").floor.max()
        yield bar(f"{op} of 10^7 rows, fraction of the floor, by columns: least", least, 0.9, best)
    for detail, wanted in (("host", 12), ("captured", 4)):
        short = like(rows, op="dot", detail=detail, matrix="1000", k=1, choice="rule")
        yield bar(f"dot of 1000, {detail}, µs", most, wanted, 1e3 * short.set_index("matrix").ms)


def of_factors(type_, rows):
    rows = like(rows, type=type_)
    yield from solves(rows)
    yield from factors(type_, rows)
    yield from vectors(rows)


def factor_lines(rows):
    return targets("### Targets of vectors, factors and triangular systems", of_factors, rows[rows.right], loosely(rows),
                   "Of factors and triangular systems: what tulle takes by itself counts, or, where that "
                   "was not measured, the fastest of its kernels by name. cuDSS, which has complete LU, "
                   "is not part of the CUDA toolkit and was not measured.")
