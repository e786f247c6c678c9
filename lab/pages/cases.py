# SPDX-License-Identifier: Apache-2.0
"""Every measured case of every operation: what tulle takes by itself beside the fastest peer and the floor.

An operation is of a section of the page; `how` is what its row in a table says."""
import collections
import re

import pandas as pd

from . import actors, makers, products, solvers
from .tables import TYPES, contest, geometric_mean, like, loosely, named, summary, table

Section = collections.namedtuple("Section", "name title about ops")
POOL, WHOLE_SOLUTION, OPTIMISED, PLANNED, TRANSPOSED = "_pool", "_whole", "_optimised", "_planned", "_transposed"
DETAILS_ALONE = (POOL, PLANNED, TRANSPOSED + OPTIMISED)  # operations of which the page says nothing end so
LARGE = "memory"  # the class of operands at least four times as large as the last-level cache
TOO_FEW = 3
OF_ROWS = ["choice", "right", "unchecked", "date", "ms", "ms_cold", "gbs", "floor", "prep_ms", "peak_bytes", "spec",
           "kernel", "iterations", "of_parts", "convert_ms"]
# What stands for a peer where tulle is compared with another way of its own.
OWN_RIVALS = {"galerkin": "two products by tulle", "uniform": "tulle, a system at a time",
              "blocks": "tulle, in CSR", "blocks_update": "tulle, in CSR"}
ONE_BY_ONE, ASSEMBLED = "tulle, a launch a task", "tulle, assembled matrix"
METHODS = {"none": "plain", "jacobi": "Jacobi", solvers.WHOLE: "ILU(0), whole solution"}
DETAILS = {"spmv": "A x", "bicgstab": "BiCGStab", "gmres": "GMRES"}
WHOLE_MATRICES = ["atomic", "full", "colours", "patches"]  # ways to add up products of element matrices
SECTIONS = (
    Section("vector", "Sparse matrix times vector",
            "A is a matrix in CSR. An optimised product is one after `tulle_mat_optimize`, which may put A into "
            "another format. The peer's time is that of its fastest algorithm and format.",
            [f"spmv{trans}{form}" for trans in ("", TRANSPOSED) for form in ("", OPTIMISED, PLANNED)]),
    Section("vectors", "Sparse matrix times several vectors",
            "X is a dense matrix of a few columns, stored by rows.", ["spmm"]),
    Section("sparse", "Sparse results: products, sums, transposes",
            "The result's pattern is not known before the call, and the time includes the allocation of its memory by "
            "the driver. \"Values alone\" repeats a product with other values on the same pattern.",
            [f"{op}{pool}" for op in makers.TITLES for pool in ("", POOL)]),
    Section("triangles", "Triangular systems",
            "The matrix is the lower or upper triangle of A, in CSR or in small dense blocks (BSR). The analysis of "
            "the pattern is done once and not counted.", ["trisolve"]),
    Section("factors", "Factors",
            "New values are factorised on a pattern that has been analysed. Complete LU has no peer here: cuDSS, "
            "which has it, is no part of the CUDA toolkit.", ["factor"]),
    Section("methods", "Iterative solvers",
            "The time is that of an iteration; with ILU(0) it is that of the whole solution with the factorisation. "
            "The GPU's peers are the same methods built from cuSPARSE and cuBLAS, in a captured graph.",
            [f"{op}{whole}" for op in solvers.TITLES for whole in ("", WHOLE_SOLUTION)]),
    Section("columns", "Vectors and tall dense matrices",
            "The vectors are short and long, and so are the matrices X, Y and Z of a few columns. Scalars are results on "
            "the host, on the device, or in a captured graph.",
            [op for op in actors.TITLES if not op.startswith(("batch", "uniform"))
             and op not in ("trisolve", "factor", "assemble", "diffusion", "local", "matrix_free")]),
    Section("batches", "Many small operations at once",
            "One call runs all tasks of a batch. It stands beside a launch a task on several streams, and beside libraries "
            "that have such calls. The systems of one pattern are solved together by BiCGStab, beside one after another.",
            [op for op in actors.TITLES if op.startswith(("batch", "uniform"))]),
    Section("elements", "Finite elements",
            "Products with a mesh's matrix that is never assembled, and the assembly of matrices and loads from "
            "coordinates.", ["matrix_free", "local", "assemble", "diffusion"]),
)


def of_products(rows):
    """Frames of products with vectors; narrow indices alone."""
    cases = like(products.cases_of(rows), index="32/32")
    cases = cases.assign(overall=True, peer_time=cases.peer_ms, rival=named(without_version(cases.peer_peer_version)))
    peers = products.peers_of(rows, cases)
    if peers.library.nunique() > 1:
        peers = peers.assign(overall=False, peer_time=peers.library_ms, rival=without_version(peers.library_peer_version))
        cases = pd.concat([cases, peers])
    several = cases.k.astype(str) + " vectors"
    for kind, form in (("rule", ""), ("optimise", OPTIMISED), ("plan", PLANNED)):
        of = cases[cases[f"{kind}_ms"].notna() & ((kind == "rule") | (cases.k == 1))]
        how = of.trans.map({"n": "A x", "t": "Aᵀ x"}) + form.replace("_", ", ")
        yield of.assign(op=of.op.astype(str) + of.trans.map({"n": "", "t": TRANSPOSED}) + form,
                        how=how.where(of.k == 1, several), what=how.where(of.k == 1, several + " by " + of.layout),
                        ratio=of.peer_time / of[f"{kind}_ms"],
                        pays=products.calls_to_pay(of, kind) if form else None,
                        kernel_spec=of[f"{kind}_spec"] if form else of.kernel_spec,
                        **dict.fromkeys(("rule_mark", "kernel_mark", "peer_mark", "ratio_mark"), ""),
                        **{f"rule_{name}": of[f"{kind}_{name}"] for name in
                           ("ms", "ms_cold", "floor", "prep_ms", "extra_bytes", "gbs", "date")})


def without_version(versions):
    """"cuSPARSE" of "cuSPARSE 12.6.3"."""
    return versions.map(lambda version: re.sub(r" \d[\d.]*", "", version), na_action="ignore")


def contests(rows, by, first):
    """The contests of one machine's rows with all peers of an operation, and with each of several."""
    library = without_version(rows.peer_version)
    rival = rows.op.map(OWN_RIVALS).fillna(rows.get("rival", library)).fillna(library).where(rows.choice == "peer")
    names = rival.groupby(rows.op).agg(lambda of: sorted(of.dropna().unique()))
    # The rows are wide: no more columns are put together than a table of every case reads.
    rows = rows[[*{*by, *first, *OF_ROWS}]].assign(rival=rival)
    cases = contest(rows, by, first)
    yield cases.assign(rival=cases.op.map(names.map(", ".join)), overall=True)
    for op, several in names[names.map(len) > 1].items():
        for name in several:
            own = rows[(rows.op == op) & (rows.rival.isna() | (rows.rival == name))]
            yield contest(own, by, first).assign(rival=name, overall=False)


def of_made(rows):
    for cases in contests(rows, makers.CASE, ["class", "nnz", "nnz_c"]):
        pool = cases.pooled.map({False: "", True: POOL})
        yield cases.assign(how=cases.op.map(makers.TITLES) + pool.map({"": "", POOL: ", from a pool"}),
                           what=cases.second.map(lambda second: f"with {second}" if second else "")
                           + cases.block.map(lambda block: f"blocks of {block:.0f} " if block > 1 else "") + pool.str[1:],
                           op=cases.op + pool)


def how_of(row):
    """What a row of the page's table is called."""
    title = actors.TITLES[row.op]
    if row.op == "trisolve":
        parts = [title, "blocks" if row.block > 1 else "", "transposed" if row.trans == "t" else "",
                 f"{row.k} right-hand sides" if row.k > 1 else ""]
    elif row.op == "factor":
        parts = [{"lu": "ILU(0)", "cholesky": "IC(0)"}.get(row.detail, "complete LU"), "blocks" if row.block > 1 else ""]
    elif row.op.startswith("uniform") or row.op == "local":
        parts = [title, DETAILS.get(row.detail, row.detail)]
    else:
        parts = [title]
    return ", ".join(filter(None, parts))


def retold(rows):
    """The rows as the page compares them: of batches one launch with a launch a task, of matrices of meshes the
    matrix-free product with that of an assembled matrix; of products of element matrices the fastest sum."""
    batches = rows.op.str.startswith("batch_")
    free = rows.op == "matrix_free"
    own = rows.choice == "rule"
    streams = rows[own & batches & (rows.detail == "streams")].assign(choice="peer", rival=ONE_BY_ONE, detail="grouped")
    assembled = rows[own & free & rows.detail.isin(["csr", "ell", "hyb", "optimised"])]
    assembled = assembled.assign(choice="peer", rival=ASSEMBLED, detail="matrix_free")
    kept = rows[(~batches | (rows.detail == "grouped")) & (~free | (rows.detail == "matrix_free"))]
    kept = kept[(kept.op != "local") | kept.detail.isin([*WHOLE_MATRICES, "packed"])]
    kept = kept[(kept.op != "batch_shared") & ((kept.op != "uniform") | (kept.detail == "bicgstab"))]
    whole = (kept.op == "local") & (kept.detail != "packed")
    told = pd.concat([kept.assign(detail=kept.detail.mask(whole, "whole")), streams, assembled])
    return told.assign(what=[actors.what_of(row) for row in told.itertuples()])


def of_acted(rows):
    rows = rows[~rows.kernel.isin(actors.UNLIKE)]
    for cases in contests(rows, actors.CASE, ["class", "levels", "detail", "block", "k", "trans"]):
        yield cases.assign(how=[how_of(row) for row in cases.itertuples()])


def of_solved(rows):
    for cases in contests(rows, solvers.CASE, ["class"]):
        title = cases.op.map(solvers.TITLES)
        whole = (cases.detail == solvers.WHOLE).map({True: WHOLE_SOLUTION, False: ""})
        yield cases.assign(how=title + ", " + cases.detail.map(METHODS), what=cases.detail, op=cases.op + whole)


# What a table of every case says.
EACH = (("of", "`{matrix}`", "matrix"), ("how", "{what}", "what"), ("type", "{type}", "type"),
        ("class", "{class}", "class"), (">entries", "{nnz:,.0f}", "nnz"), (">levels", "{levels:,.0f}", "levels"),
        (">iterations", "{rule_iterations:,.0f}", "rule_iterations"), (">rule", "{rule_ms:ms}{rule_mark}", "rule_ms"),
        (">cold", "{rule_ms_cold:ms}", "rule_ms_cold"), (">GB/s", "{rule_gbs:.4g}", "rule_gbs"),
        (">floor", "{rule_floor}", "rule_floor"), (">of its parts", "{rule_of_parts}", "rule_of_parts"),
        (">setup", "{rule_prep_ms:ms}", "rule_prep_ms"), (">calls to pay", "{pays:calls}", "pays"),
        (">extra memory", "{rule_extra_bytes:bytes}", "rule_extra_bytes"), (">held", "{rule_peak_bytes:bytes}", "rule_peak_bytes"),
        ("fastest kernel", "{kernel_spec}", "kernel_spec"), (">time", "{kernel_ms:ms}{kernel_mark}", "kernel_ms"),
        (">converting", "{kernel_convert_ms:ms}", "kernel_convert_ms"), ("peer", "{peer_kernel}", "peer_kernel"), (">time", "{peer_ms:ms}{peer_mark}", "peer_ms"),
        (">iterations", "{peer_iterations:,.0f}", "peer_iterations"), (">setup", "{peer_prep_ms:ms}", "peer_prep_ms"),
        (">rule / peer", "{ratio}{ratio_mark}", "ratio"))
WANTED = {"op", "how", "overall", "rival", "machine", "backend", "rule_mark", "kernel_mark", "peer_mark", "ratio_mark",
          "rule_date", *(column for *_, column in EACH)}
SOURCES = ((products.read_products, of_products, False), (lambda folder: makers.read_made(folder, folder / "papers"), of_made, True),
           (actors.read_acted, of_acted, True), (solvers.read_solved, of_solved, True))


def measured(folder, loose=False, tell=retold):
    """A frame of all cases; loose: those that nobody checked, too; tell: None leaves the rows as they were measured."""
    frames = []
    for read, cases_of, is_marked in SOURCES:
        rows = read(folder)
        if rows.empty:
            continue
        rows = tell(rows) if tell and cases_of is of_acted else rows
        for (machine, backend), of in rows.groupby(["machine", "backend"]):
            of = loosely(of) if loose and is_marked else of
            frames += [cases.assign(machine=machine, backend=backend, op=cases.op.astype(str))
                       for cases in cases_of(of)]
    if not frames:
        return pd.DataFrame()
    cases = pd.concat([frame[frame.columns[frame.columns.isin(WANTED)]] for frame in frames], ignore_index=True)
    return cases.assign(what=cases.what.fillna(""))


def card_of(machine):
    """"H200" of "NVIDIA H200 (Intel(R) Xeon(R) Processor)"."""
    words = re.sub(r"\(R\)|NVIDIA", "", machine.split(" (")[0]).split()
    return words[0] if words[0].startswith("H") else " ".join(words[:2])


def most_measured(cases):
    """The cases of the GPU that has most, the newest of several: it stands for the operation."""
    machines = cases.groupby("machine").size().sort_values(kind="stable").index
    return cases[cases.machine == machines[-1]]


def judged(cases):
    """Those that have a peer, if any has, and of these the ones with large operands where there are enough."""
    cases = cases[cases.ratio.notna()] if cases.ratio.notna().any() else cases
    large = cases[cases["class"] == LARGE]
    return large if len(large) >= TOO_FEW else cases


def number(value):
    return f"{value:,.0f}" if value >= 100 else f"{value:.2f}"


def of_type(cases):
    """What a row says of its cases of one type, each thing as text."""
    cases = judged(cases)
    ratios = cases.ratio.dropna()
    star = r"\*" if (cases["class"] == LARGE).all() else ""
    compared = {"mean": number(geometric_mean(ratios)), "span": "–".join(dict.fromkeys(map(number, (ratios.min(), ratios.max()))))} if len(ratios) else {}
    return {"cases": f"{len(cases)}{star}", **compared,
            **({"floor": f"{cases.rule_floor.median():.2f}"} if cases.rule_floor.notna().any() else {})}


def counted(cases):
    """The cases that count for the rows of a table: of GPUs those of the one that stands for the row; each peer
    by itself where there are several."""
    by = ["op", "how", "type"]
    compared = cases.groupby([*by, "machine"]).ratio.transform("count") > 0
    anywhere = cases.groupby([*by, "backend"]).ratio.transform("count") > 0
    several = cases.groupby([*by, "machine"]).overall.transform("min").eq(False)
    cases = cases[(compared | ~anywhere) & ~(several & cases.overall) & cases.rule_ms.notna()]
    gpu = cases.backend == "cuda"
    chosen = [most_measured(of) for _, of in cases[gpu].groupby(by)]
    return pd.concat([*chosen, cases[~gpu]])


def summary_lines(cases, order, *more):
    """The table of an operation; order: its operations; more: what tells rows apart besides."""
    by = ["op", "how", "backend", "machine", "rival", *more]
    hows = sorted(cases.how.unique(), key=lambda how: (how.split()[0].rjust(2), how))
    rows = summary(cases.assign(op=pd.Categorical(cases.op, order, ordered=True),
                                how=pd.Categorical(cases.how, hows, ordered=True)), by, lambda of: {
        "card": card_of(of.machine.iloc[0]), "beside": of.rival.iloc[0] if of.ratio.notna().any() else None,
        **{f"{type_}_{name}": value for type_ in TYPES if (of.type == type_).any()
           for name, value in of_type(of[of.type == type_]).items()}})
    parts = ("cases", "mean", "span", "floor")
    rows = rows.reindex(columns=[*by, "card", "beside", *(f"{type_}_{part}" for type_ in TYPES for part in parts)])
    heading, cell = (" | class", " | {class}") if more else ("", "")
    yield from table(
        rows.sort_values(["op", "how", "backend"], ascending=[True, True, False], kind="stable"),
        f"operation | on | beside{heading}" + "".join(
            f" | >{type_}: cases | >faster | >from, to | >floor" for type_ in TYPES[::-1]),
        f"{{how}} | {{card}} | {{beside}}{cell}" + "".join(
            f" | {{{type_}_{part}}}" for type_ in TYPES[::-1] for part in parts).replace("} {", "} | {"))


def each_lines(cases):
    """Every case of an operation; a column that none has is left out."""
    cases = cases[cases.overall].assign(**{"class": pd.Categorical(cases[cases.overall]["class"],
                                                                   ["memory", "cache", "launch"], ordered=True)})
    columns = [column for column in EACH if column[2] in cases and cases[column[2]].notna().any()]
    yield from table(cases.sort_values(["what", "type", "class", "matrix"]),
                     " | ".join(heading for heading, *_ in columns), " | ".join(cell for _, cell, _ in columns))
