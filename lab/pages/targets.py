# SPDX-License-Identifier: Apache-2.0
"""The project's targets for finite elements, iterative methods and, on a CPU, factors and triangular systems, each
beside what the cases come to."""
import pandas as pd

from .bars import bar, least, mean, most, targets
from .tables import like

ASSEMBLED = ["csr", "ell", "hyb", "optimised"]
MILLIONS = "4096000"  # hexahedra
METHODS = ["cg_whole", "bicgstab_whole", "gmres_whole"]
# Ways to add up the products of whole element matrices; atomics first, whose sums are not repeatable.
WHOLE = ["atomic", "full", "colours", "patches"]


def by_matrix(cases, column, **wanted):
    return like(cases, **wanted).set_index("matrix")[column]


def over_assembled(cases, shape, bent):
    """How many times as fast matrix-free products are as the best one of an assembled matrix."""
    ms = like(cases, op="matrix_free", overall=True).pivot(index="matrix", columns="what", values="rule_ms")
    ms = ms[ms.index.str.startswith(f"{shape}:") & (ms.index.str.contains("perturb") == bent)]
    return ms.reindex(columns=ASSEMBLED).min(axis=1) / ms.get("matrix_free")


def of_elements(type_, cases):
    cases = like(cases, type=type_)
    over = "matrix-free over the best assembled product, hexahedra"
    for name, shape, bent, wanted in ((", affine", "box-hex", False, {"f32": 1.2, "f64": 1.5}[type_]),
                                      (" of order 2, affine", "box-hex27", False, 2),
                                      (" of order 2, general", "box-hex27", True, 1.3)):
        yield bar(f"{over}{name}: least", least, wanted, over_assembled(cases, shape, bent))
    for name, ways, wanted in (("whole", WHOLE, 0.75), ("whole, repeatable", WHOLE[1:], 0.75),
                               ("packed", ["packed"], {"f32": 0.6}.get(type_)),
                               ("packed in f32 under f64", ["narrow"], {"f64": 0.6}.get(type_))):
        floor = by_matrix(cases[cases.what.isin(ways)], "rule_floor", op="local")
        yield bar(f"element matrices, {name}, fraction of their floor, the best scatter: least", least,
                  wanted, floor.groupby(level=0).max())
    for name, what, wanted in (("general", "general", 4), ("affine", "boxes", 3)):
        yield bar(f"values of 4 million {name} hexahedra assembled, ms", most, {"f64": wanted}.get(type_),
                  by_matrix(cases, "rule_ms", op="diffusion", what=what, matrix=MILLIONS))


def of_elements_on_cpu(type_, cases):
    yield bar("assembly of a mesh over scikit-fem: least", least, 1,
              by_matrix(cases, "ratio", op="diffusion", type=type_, overall=True))


def of_methods(type_, cases):
    cases = like(cases, type=type_, overall=True)
    memory, launch = ({"op": "cg", "what": "none", "class": name} for name in ("memory", "launch"))
    yield bar("CG, of its parts, class memory: least", least, 0.88, by_matrix(cases, "rule_of_parts", **memory))
    yield bar("CG over that of cuSPARSE and cuBLAS in a graph, class memory: geometric mean", mean, 1.2,
              by_matrix(cases, "ratio", **memory))
    yield bar("the same: least", least, 1, by_matrix(cases, "ratio", **memory))
    yield bar("the same, class launch: geometric mean", mean, 2, by_matrix(cases, "ratio", **launch))
    whole = pd.concat([by_matrix(cases, "ratio", op=op) for op in METHODS])
    yield bar("with ILU(0), setup and solution, over cuSPARSE: geometric mean", mean, 1.8, whole)
    yield bar("the same: least", least, 1, whole)
    yield bar("GMRES(30), fraction of its floor, class memory: least", least, 0.75,
              by_matrix(cases, "rule_floor", **{**memory, "op": "gmres"}))


def of_methods_on_cpu(type_, cases):
    yield bar("CG with Jacobi over PETSc: least", least, 1,
              by_matrix(cases, "ratio", op="cg", type=type_, what="jacobi", rival="PETSc"))


def of_triangles_on_cpu(type_, cases):
    for name, op, what in (("ILU(0)", "factor", "lu"), ("solve, lower triangle", "trisolve", "lower"),
                           ("solve, upper triangle", "trisolve", "upper")):
        ratios = by_matrix(cases, "ratio", op=op, type=type_, what=what, rival="MKL")
        yield bar(f"{name}, 2 threads, over MKL's: geometric mean", mean, 1, ratios)
        yield bar("the same: least", least, 1, ratios)


def lines(backend, cases):
    on_cpu = backend == "cpu"
    for title, bars in (("finite elements", of_elements_on_cpu if on_cpu else of_elements),
                        ("iterative methods", of_methods_on_cpu if on_cpu else of_methods),
                        ("factors and triangular systems", of_triangles_on_cpu if on_cpu else None)):
        yield from targets(f"### Targets for {title}", bars, cases, cases) if bars else ()
