# SPDX-License-Identifier: Apache-2.0
"""Multigrid: setup, update, cycle and solution beside other libraries', and a picture of a hierarchy."""
import pandas as pd

from . import plots
from .actors import SAME
from .tables import fastest, geometric_mean, read_rows, span, table

ABOUT = """A x = b is solved by CG, or by FGMRES(30) where A is unsymmetric (PyAMG and PETSc: GMRES), with a cycle of algebraic multigrid, to a \
relative residual of 1e-8 that is computed from x. Setup makes the hierarchy from A, and an update brings new values \
of A to it while the interpolation stays. Complexity is the entries of all levels' matrices over those of A. Held and \
peak are the bytes beside A after the setup, and at most during it, over the bytes of A. PETSc and hypre run in as many \
processes as tulle has threads, PyAMG in one thread. For PETSc and hypre the bytes are those by which the processes \
grow."""
ABOUT_NODES = """The same of systems: an elastic body of Poisson's ratio 0.3 on a mesh gives way under its weight, held at \
one side. tulle and PyAMG have A in blocks of the unknowns of a node (BSR), GAMG has it in CSR with the size of the blocks. All \
aggregate nodes and have the rigid motions as the near null space. Held and peak are over the bytes of A as a library \
has it."""
SECTIONS = [("amg", "## Multigrid", ABOUT), ("amg_nodes", "## Multigrid of nodes", ABOUT_NODES)]
OWN = "tulle_amg_create"
FAMILIES = {"": "tulle, classical", "family=plain": "tulle, plain aggregation",
            "family=smoothed": "tulle, smoothed aggregation"}
NAMES = {"petsc_gamg": "PETSc GAMG", "petsc_hypre": "hypre, PETSc's defaults",
         "petsc_hypre_hmis": "hypre, HMIS", "petsc_hypre_aggressive": "hypre, HMIS, one aggressive level",
         "pyamg_classical": "PyAMG, classical", "pyamg_aggregation": "PyAMG, aggregation",
         "petsc_gamg_nodes": "PETSc GAMG", "pyamg_nodes": "PyAMG, aggregation"}
CASE = ["machine", "backend", "type", "matrix"]
PICTURED = "p3d7:64"
PHASES = ["splitting", "interpolation", "next matrix"]


def read_multigrid(folder):
    """All measurements of a family with default options, ms the time of setup and solution together."""
    rows = read_rows(folder, SAME)
    if rows.empty:
        return rows
    rows = rows[rows.op.isin([op for op, *_ in SECTIONS])].assign(params=rows.params.fillna(""))
    rows = rows[rows.params.isin(FAMILIES) & ((rows.op == "amg") | (rows.params == ""))]
    family = rows.params.map(FAMILIES).where(rows.op == "amg", "tulle, smoothed aggregation of nodes")
    by = rows.kernel.map(NAMES).fillna(rows.kernel).where(rows.kernel != OWN, family)
    return rows.assign(solution_ms=rows.ms, ms=rows.whole_ms, by=by)


def beside_peers(rows):
    """Each row with how many times as long as tulle's fastest family it takes; and the fastest peer's times over
    that."""
    own = fastest(rows[rows.kernel == OWN], CASE).ms.rename("own_ms")
    peers = fastest(rows[rows.kernel != OWN], CASE).ms
    rows = rows[rows.right].join(own, on=CASE)
    return rows.assign(ratio=rows.ms / rows.own_ms), (peers / own).dropna()


def ratio_lines(ratios):
    if len(ratios):
        worst = ratios.idxmin()[CASE.index("matrix")]
        yield (f"Setup and solution of the fastest peer take {geometric_mean(ratios):.2f} times as long as those of "
               f"tulle's fastest family in the geometric mean, and at least {ratios.min():.2f} times, on `{worst}`.")
        yield ""


def one_a_library(rows):
    """The fastest of each library, whichever family or setting it has."""
    keys = [*CASE, "library"]
    return fastest(rows.assign(library=rows.by.str.split(",").str[0]), keys).reset_index()


def table_lines(rows, ratios, on):
    """on: what names a machine."""
    rows = rows.assign(on=[on(row.machine) for row in rows.itertuples()], own=rows.kernel != OWN)
    yield from ratio_lines(ratios)
    yield from table(
        rows.sort_values(["on", "type", "nnz", "matrix", "own", "ms"], kind="stable"),
        "matrix | type | on | by | >setup | >update | >cycle | >solution | >iterations | >setup and solution | "
        ">over tulle's | >complexity | >held | >peak",
        "`{matrix}` | {type} | {on} | {by} | {prep_ms:ms} | {update_ms:ms} | {cycle_ms:ms} | {solution_ms:ms} | "
        "{iterations:.0f} | {ms:ms} | {ratio} | {operator_complexity} | {held_of_matrix} | {peak_of_matrix}")


def load_lines(rows, on):
    """How busy machines were, tulle and its peers among their programs."""
    for machine, of in rows[rows.load.notna()].groupby("machine", sort=True):
        yield (f"Measured: {on(machine)} {span(of.date.str[:10], '{}')}. The machine's load was {span(of.load, '{:.1f}')} "
               f"on {of.processors.max():.0f} processors, the measured program's own threads or processes among it.")
        yield ""


def picture(rows):
    """The levels of the pictured matrix, or else of the largest."""
    own = rows[(rows.kernel == OWN) & (rows.params == "") & rows.right].sort_values(["nnz"], kind="stable")
    own = own[own.matrix == PICTURED] if (own.matrix == PICTURED).any() else own
    row = own.iloc[-1]
    levels = pd.DataFrame(row.hierarchy, columns=["rows", "entries", "passed", *PHASES])
    levels.index = [f"level {number}{', passed' if passed else ''}" for number, passed in enumerate(levels.passed)]
    return plots.Levels("hierarchy", f"The hierarchy of {row.matrix}, {row.type}, in {row.threads} threads",
                        levels[["rows", "entries"]], levels[PHASES])


def picture_lines(plot):
    first, last = plot.sizes.iloc[0], plot.sizes.iloc[-1]
    yield (f"The picture has the {len(plot.sizes)} levels of one hierarchy, from {first.rows:,.0f} rows to "
           f"{last.rows:,.0f}, and the time of each phase of the setup on each of them.")
    yield from ("", f"![{plot.title}](plots/{plot.name}.svg)", "")


def lines(rows, on, made=None):
    """The sections; made: the list that plots are added to, None: there is no picture."""
    for op, title, about in SECTIONS:
        of = rows[rows.op == op] if len(rows) else rows
        if len(of):
            yield from (title, "", about, "")
            yield from section_lines(of, on, made)


def section_lines(rows, on, made):
    rows_beside, ratios = beside_peers(rows)
    if made is not None:
        yield from ("Each library has its fastest family or setting; `make pages` writes all into `build/pages/`.", "")
        rows_beside = one_a_library(rows_beside)
    yield from table_lines(rows_beside, ratios, on)
    yield from load_lines(rows, on)
    if made is not None and ((rows.kernel == OWN) & (rows.params == "") & (rows.op == "amg")).any():
        made.append(picture(rows))
        yield from picture_lines(made[-1])
