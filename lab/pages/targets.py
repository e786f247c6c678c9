# SPDX-License-Identifier: Apache-2.0
"""The project's targets for finite elements and for iterative methods, each beside what the
measurements come to."""
import pandas as pd

from .bars import bar, least, mean, most, targets
from .tables import like

ASSEMBLED = ["csr", "ell", "hyb", "optimised"]
MILLIONS = "4096000"  # hexahedra
METHODS = ["cg", "bicgstab", "gmres"]


def own(rows, op, type_, **wanted):
    """What tulle measured of an operation, by matrix."""
    return like(rows, op=op, type=type_, choice="rule", **wanted).set_index("matrix")


# Ways to add up the products of whole element matrices; atomics first, whose sums are not repeatable.
WHOLE = ["atomic", "full", "colours", "patches"]


def over_assembled(rows, type_, shape, bent):
    """How many times as fast matrix-free products are as the best one of an assembled matrix."""
    rows = own(rows, "matrix_free", type_)
    rows = rows[rows.index.str.startswith(f"{shape}:") & (rows.index.str.contains("perturb") == bent)]
    best = rows[rows.detail.isin(ASSEMBLED)].ms.groupby(level=0).min()
    return best / rows[rows.detail == "matrix_free"].ms


def assembled(rows, type_, detail):
    rows = own(rows, "diffusion", type_, detail=detail)
    return rows.ms[rows.index == MILLIONS]


def over_peer(rows, op, type_, **wanted):
    """The best peer's time over tulle's, by matrix."""
    rows = like(rows, op=op, type=type_, **wanted)
    by = ["matrix", "detail"]
    peer = rows[rows.choice == "peer"].groupby(by).ms.min()
    ratio = peer / rows[rows.choice == "rule"].groupby(by).ms.min()
    return ratio.dropna().droplevel("detail")


def of_elements(type_, rows):
    over = "matrix-free over the best assembled product, hexahedra"
    yield bar(f"{over}, affine: least", least, {"f32": 1.2, "f64": 1.5}[type_],
              over_assembled(rows, type_, "box-hex", False))
    yield bar(f"{over} of order 2, affine: least", least, 2,
              over_assembled(rows, type_, "box-hex27", False))
    yield bar(f"{over} of order 2, general: least", least, 1.3,
              over_assembled(rows, type_, "box-hex27", True))
    for name, details, wanted in (("whole", WHOLE, 0.75), ("whole, repeatable", WHOLE[1:], 0.75),
                                  ("packed", ["packed"], {"f32": 0.6}.get(type_)),
                                  ("packed in f32 under f64", ["narrow"], {"f64": 0.6}.get(type_))):
        ways = own(rows, "local", type_)
        ways = ways[ways.detail.isin(details)]
        yield bar(f"element matrices, {name}, fraction of their floor, the best scatter: least", least,
                  wanted, ways.floor.groupby(level=0).max())
    for name, detail, wanted in (("general", "general", 4), ("affine", "boxes", 3)):
        yield bar(f"values of 4 million {name} hexahedra assembled, ms", most,
                  {"f64": wanted}.get(type_), assembled(rows, type_, detail))


def of_elements_on_cpu(type_, rows):
    yield bar("assembly of a mesh over scikit-fem: least", least, 1,
              over_peer(rows, "diffusion", type_))


def of_methods(type_, rows):
    plain = own(rows, "cg", type_, detail="none")
    yield bar("CG, of its parts, class memory: least", least, 0.88,
              plain.of_parts[plain["class"] == "memory"])
    memory, launch = (over_peer(rows, "cg", type_, detail="none", **{"class": name})
                      for name in ("memory", "launch"))
    yield bar("CG over that of cuSPARSE and cuBLAS in a graph, class memory: geometric mean", mean,
              1.2, memory)
    yield bar("the same: least", least, 1, memory)
    yield bar("the same, class launch: geometric mean", mean, 2, launch)
    whole = pd.concat([over_peer(rows, op, type_, detail="ilu") for op in METHODS])
    yield bar("with ILU(0), setup and solution, over cuSPARSE: geometric mean", mean, 1.8, whole)
    yield bar("the same: least", least, 1, whole)
    gmres = own(rows, "gmres", type_, detail="none")
    yield bar("GMRES(30), fraction of its floor, class memory: least", least, 0.75,
              gmres.floor[gmres["class"] == "memory"])


def of_methods_on_cpu(type_, rows):
    rows = rows[rows.choice.eq("rule") | rows.kernel.str.startswith("petsc")]
    yield bar("CG with Jacobi over PETSc: least", least, 1,
              over_peer(rows, "cg", type_, detail="jacobi"))


def of_triangles_on_cpu(type_, rows):
    known = rows[(rows.threads == 2) & (rows.choice.eq("rule") | rows.kernel.str.startswith("mkl"))]
    for name, op, detail in (("ILU(0)", "factor", "lu"),
                             ("solve, lower triangle", "trisolve", "lower"),
                             ("solve, upper triangle", "trisolve", "upper")):
        ratios = over_peer(known, op, type_, detail=detail, k=1, block=1, trans="n")
        yield bar(f"{name}, 2 threads, over MKL's: geometric mean", mean, 1, ratios)
        yield bar("the same: least", least, 1, ratios)


def lines(title, bars, rows):
    return targets(f"### Targets for {title}", bars, rows)


def elements(backend, rows):
    return lines("finite elements", of_elements_on_cpu if backend == "cpu" else of_elements, rows)


def triangles_on_cpu(rows):
    return lines("factors and triangular systems", of_triangles_on_cpu, rows)


def methods(backend, rows):
    return lines("iterative methods", of_methods_on_cpu if backend == "cpu" else of_methods, rows)
