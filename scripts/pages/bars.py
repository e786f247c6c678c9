# SPDX-License-Identifier: Apache-2.0
"""The project's targets for products, each beside what the measurements come to.

A bar of which nothing was measured has no row.
"""
import pandas as pd

from .products import calls_to_pay, is_slower, prepared, ratio
from .tables import CLASSES, TYPES, geometric_mean, human_calls, like, table
from .tuner import FEW, judged

REGULAR = ("p2d", "p3d7", "p3d27", "fem3")
FEM_AND_STENCILS = (*REGULAR, "fem:1000000")
STENCILS = ("p2d", "p3d7", "p3d27")


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
    """One target of one type: what, the figure that is wanted, and what the measurements, by matrix,
    come to. wanted is None where no figure is for the type."""
    sign, numbers = "≥" if how in (mean, least) else "≤", numbers.dropna()
    if numbers.empty or wanted is None:
        return what, sign, wanted, "-"
    value, text = how(numbers)
    met = value >= wanted if sign == "≥" else value <= wanted
    return what, sign, wanted, f"{text}, {'met' if met else '**missed**'}"


def row(bars):
    """A row of the table from the same bar of each type."""
    what, sign, *_ = bars[0]
    wanted = {type_: wanted for type_, (_, _, wanted, _) in zip(TYPES, bars) if wanted is not None}
    if len(wanted) == len(TYPES) and len(set(wanted.values())) == 1:
        text = f"{sign} {wanted[TYPES[0]]:g}"
    else:
        text = ", ".join(f"{type_} {sign} {figure:g}" for type_, figure in wanted.items())
    return {"what": what, "wanted": text, **dict(zip(TYPES, (cell for *_, cell in bars)))}


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
    cases = prepared(forward)
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
               "brackets: where the least was. What was not measured is left out.", ""]
    for name in CLASSES:
        bars = []
        for type_ in TYPES:
            same = {"type": type_, "class": name}
            of = like(cases, **same)
            bars.append(on_cpu(of) if backend == "cpu" else on_gpu(
                type_, name == "memory", of, like(judged(paths), **same)))
        rows = pd.DataFrame([row(of_types) for of_types in zip(*bars)])
        rows = rows[(rows[TYPES] != "-").any(axis=1)]
        if len(rows):
            yield from (*heading, f"Class {name}:", "")
            yield from table(rows, f"target | wanted | {' | '.join(TYPES)}",
                             "{what} | {wanted} | {" + "} | {".join(TYPES) + "}")
            heading = []
