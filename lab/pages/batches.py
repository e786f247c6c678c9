# SPDX-License-Identifier: Apache-2.0
"""The project's targets for blocks and batches, each beside what the measurements come to."""
import pandas as pd

from .bars import bar, least, most, own_and_peer, targets_of_rows
from .tables import latest, like, rows_of

SAME = ["machine", "backend", "op", "detail", "matrix", "type", "index", "trans", "format", "k", "layout",
        "threads", "choice", "request"]
OPERATIONS = ["spmm", "batch_dot", "batch_axpy", "batch_spmm", "batch_mixed", "batch_factor", "qr",
              "uniform"]
# Of products with blocks of these sizes: the fraction of the floor that is wanted.
OF_FLOOR = {(3, 5): 0.6, (4, 8): 0.72, (16,): 0.65}
FACTORED = (4, 5, 8)
TINY = 200  # tasks of 27 block rows
# What is allowed beside 1 / 0.75 of the floor, and for tiny tasks: a batch, and each task.
START_MS, TASK_MS = 8e-3, 3e-5


def case_of(row):
    """"128x100000, 4 by row"; the columns of systems and of copies say how many there are."""
    many = row.op in ("uniform", "batch_factor")
    return row.matrix if many else f"{row.matrix}, {row.k} by {row.layout}"


def read_batches(folder):
    """The latest rows of blocks and batches, those of the papers' experiments too."""
    rows = pd.concat([rows_of(place) for place in (folder, folder / "papers")], ignore_index=True)
    rows = latest(rows[rows.op.isin(OPERATIONS) & rows.choice.isin(["rule", "peer"])], SAME)
    stored = rows.request.str.extract(r"\bbsr:block=(\d+)")[0].astype(float)
    return rows.assign(case=[case_of(row) for row in rows.itertuples()], stored=stored,
                       floor_ms=rows.floor * rows.ms)


def best(rows):
    """Of each case the row of tulle's fastest way."""
    rows = like(rows, choice="rule").sort_values("ms", kind="stable")
    return rows.drop_duplicates("case").set_index("case")


def over_peer(rows):
    """The fastest peer's time over that of tulle's fastest way, by case."""
    cases = own_and_peer(rows, "case")
    return cases.peer_ms / cases.own_ms


def over(rows, detail, others):
    """The fastest of the other ways' time over that of one, by case."""
    return best(rows[rows.detail.isin(others)]).ms / best(like(rows, detail=detail)).ms


def sums(type_, rows):
    for tasks, op, columns, wanted in (
            (128, "dot", (4, 8, 16), 0.9), (128, "axpy", (4, 8), 0.85),
            (128, "axpy", (16,), {"f32": 0.8, "f64": 0.85}[type_]),
            (30, "dot", (4, 8, 16), 0.75), (30, "axpy", (4, 8, 16), 0.75)):
        of = like(rows, op=f"batch_{op}", matrix=f"{tasks}x100000")
        of = of[of.k.isin(columns)]
        yield bar(f"{op}, {tasks} tasks of 100,000 rows, {', '.join(map(str, columns))} columns, "
                  "fraction of the floor: least", least, wanted, best(of).floor)


def products(rows):
    rows = rows[(rows.op == "spmm") & (rows["class"] == "memory") & (rows.stored == rows.k)]
    forward, backward = like(rows, trans="n"), like(rows, trans="t")
    for sizes, wanted in OF_FLOOR.items():
        yield bar(f"A X, k = b = {', '.join(map(str, sizes))}, class memory, fraction of the floor: least",
                  least, wanted, best(forward[forward.k.isin(sizes)]).floor)
    yield bar("A X, k = b, class memory, over cuSPARSE: least", least, 1.5, over_peer(forward))
    yield bar("speed of Aᵀ X over that of A X, the same: least", least, 0.7,
              best(forward).ms / best(backward).ms)


def many_products(rows):
    whole = best(rows[(rows.op == "batch_spmm") & (rows.matrix == "32x1728")])
    mixed = like(rows, op="batch_mixed", matrix="1000x5000")
    yield bar("32 products of 1728 block rows, time over floor / 0.75 + 8 µs", most, 1,
              whole.ms / (whole.floor_ms / 0.75 + START_MS))
    yield bar("1000 products of mixed sizes, speed over that of one matrix: least", least, 0.8,
              best(like(mixed, detail="joined")).ms / best(mixed[mixed.detail != "joined"]).ms)


def tiny_tasks(rows):
    tiny = rows[rows.op.str.startswith("batch_") & (rows.tasks == TINY)]
    tiny = tiny.assign(case=tiny.op.str.removeprefix("batch_") + " " + tiny.case)
    yield bar("200 tiny tasks, grouped over streams: least", least, 8,
              over(tiny, "grouped", ["streams"]))
    yield bar("the same over a captured graph: least", least, 3, over(tiny, "grouped", ["graph"]))
    yield bar("the same, time over 8 µs a batch and 0.03 µs a task", most, 1,
              best(like(tiny, detail="grouped")).ms / (START_MS + TINY * TASK_MS))


def whole(rows):
    factors = rows[(rows.op == "batch_factor") & (rows.k == 1000)]
    for block in FACTORED:
        yield bar(f"1000 ILU(0) of 1728 block rows, b = {block}, fraction of the floor: least", least, 0.4,
                  best(like(factors, matrix=f"blocks:{block},12")).floor)
    yield bar("QR of 10^6 rows, 4, 8, 16 columns, over cuSOLVER: least", least, 3,
              over_peer(like(rows, op="qr", matrix="1000000")))
    small = like(rows, op="uniform", detail="bicgstab", k=10000)
    small = small[small.rows.between(50, 200)]
    yield bar("10,000 uniform systems, BiCGStab with Jacobi, over one at a time: least", least, 50,
              over_peer(small))


def bars(type_, rows):
    rows = like(rows, type=type_)
    yield from sums(type_, rows)
    yield from products(rows)
    yield from many_products(rows)
    yield from tiny_tasks(rows)
    yield from whole(rows)


def lines(rows):
    return targets_of_rows("blocks and batches", bars, rows)
