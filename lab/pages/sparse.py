# SPDX-License-Identifier: Apache-2.0
"""The project's targets for operations that make a matrix (products, values alone, triple products,
sums, transposes), each beside what the measurements come to: what must be reached without a pool, and
what is aimed at with one."""
from .bars import bar, least, mean, most, targets_of_rows
from .tables import latest, like

MUST, AIM = 0, 1
# Milliseconds of spgemm_auto, f64.
TIMES = {"p2d": (1.8, 0.9), "p3d7": (9, 4), "fem3": (12, 6.5), "web": (2.2, 1.0),
         "rmat17": (40, 20), "cnr-2000": (3.8, 2.0)}
SHORT = "p2d5:32"
LOW_MEMORY = ["cusparse_spgemm_alg2", "cusparse_spgemm_alg3"]
REUSE = ["cusparse_reuse_update"]
LOCAL = ["p2d", "p3d7", "fem3"]  # transposes of these stay near the diagonal; others are scattered
OPEN = ["mkl_spgemm", "graphblas_spgemm"]
# 10^8 products, of one row and of a thousand: A, with B.
GIANT, SPREAD, WITH = "random:1,100000,100000", "random:1000,100000,100", "random:100000,1000000,1000"
REPEATABLE = 1.3, 1.0  # times as long as the fastest kernel
WITHIN_A_SET = "`like:` and `tile:`"


def median(numbers):
    return numbers.median(), f"{numbers.median():.2f} of {len(numbers)}"


def last(rows, key):
    """A column by matrix; of measurements that were repeated the last."""
    rows = like(rows, second="").dropna(subset=[key])
    return latest(rows, ["matrix"]).set_index("matrix")[key].sort_index()


def quickest(rows, key="ms"):
    """The least of a column, by matrix."""
    return like(rows, second="").groupby("matrix")[key].min()


def peers(rows, op, kernels=None):
    rows = like(rows, op=op, choice="peer")
    return rows if kernels is None else rows[rows.kernel.isin(kernels)]


def from_scratch(rows):
    return like(rows, op="spgemm", kernel="spgemm_auto")


def within(numbers, *sources):
    """Of the matrices of some sources: "like" of "like:F1"."""
    return numbers[numbers.index.str.split(":").str[0].isin(sources)]


def of_times(level, type_, ms, speed):
    for name, wanted in TIMES.items():
        yield bar(f"C = A A of {name}, ms", most, {"f64": wanted[level]}.get(type_),
                  ms[ms.index == name])
    if level == MUST:
        return
    short = ms[ms.index == SHORT]
    yield bar(f"C = A A of {SHORT} / best cuSPARSE", least, 2, speed[speed.index == SHORT])
    yield bar(f"C = A A of {SHORT}, ms", most, 0.04, short)


def of_speed(level, rows, speed):
    real = speed[speed.index.isin(rows.matrix[rows.source == "real"])]
    for name, ratios, wanted in ((f"paper 4's set and real ones repeated ({WITHIN_A_SET})",
                                  within(speed, "like", "tile"), (2, 4)),
                                 ("real matrices", real, (2, 3))):
        yield bar(f"C = A A / best cuSPARSE, {name}: geometric mean", mean, wanted[level], ratios)
        if level == MUST:
            yield bar("the same: least", least, 1, ratios)
    yield from of_giant_row(rows)


def of_memory(level, rows):
    own = from_scratch(rows)
    extra = last(own, "extra_bytes")
    whole = last(own, "matrix_bytes") + last(own, "peak_bytes") - extra
    if level == MUST:
        low = quickest(peers(rows, "spgemm", LOW_MEMORY), "extra_bytes")
        yield bar("memory beside A and C, over that of ALG2 and ALG3 (0.2)", most, 1, extra / low)
        yield bar("memory beside A and C, of A and C", most, 0.7, extra / whole)
        told = last(own, "predicted_bytes") / last(own, "peak_bytes")
        yield bar("memory predicted when C was counted, over what was held: median", median, 1.3, told)
        yield bar("the same: most", most, 2, told)
    else:
        yield bar("memory beside A and C less 64 MB, of A and C", most, 0.15,
                  (extra - 64e6).clip(lower=0) / whole)


def of_giant_row(rows):
    ms = like(rows, op="spgemm", kernel="spgemm_auto", second=WITH)
    ms = ms.groupby("matrix").ms.min()
    both = ms.loc[[GIANT]] / ms[SPREAD] if {GIANT, SPREAD} <= set(ms.index) else ms.iloc[:0]
    yield bar("one row of 10⁸ products, of the time of these in a thousand rows", most, 3, both)


def of_relatives(level, rows, ms):
    update = last(like(rows, op="update", choice="rule"), "ms")
    for name, other, wanted in (("C from scratch", ms, (1.4, 2)),
                                ("cuSPARSE's reuse", quickest(peers(rows, "update", REUSE)),
                                 (1.5, 2.5))):
        for how, word in ((mean, "geometric mean"), (least, "least")):
            yield bar(f"values alone / {name}: {word}", how, wanted[level], other / update)
    kernels = rows[(rows.op == "spgemm") & rows.kernel.str.startswith("spgemm_")]
    several = kernels.groupby("matrix").kernel.transform("nunique") > 1
    fastest = quickest(kernels[several])
    yield bar("repeatable C = A A / fastest kernel: geometric mean", mean,
              round(1 / REPEATABLE[level], 2), fastest / ms)
    if level == MUST:
        yield bar("the same: least", least, 0.5, fastest / ms)
    for op, what in (("blocks", "BSR times BSR"), ("blocks_update", "values alone of BSR times BSR")):
        own, other = (quickest(like(rows, op=op, choice=choice)) for choice in ("rule", "peer"))
        yield bar(f"{what} / the same of CSR: least", least, (2, 4)[level], (other / own).dropna())
    triple, two = (like(rows, op="galerkin", choice=choice).groupby("matrix").ms.min()
                   for choice in ("rule", "peer"))
    yield bar("PᵀAP, of the time of two products", most, (0.9, 0.6)[level], triple / two)


def of_sums(level, rows):
    sums = like(rows, op="add")
    own = sums[sums.choice == "rule"].groupby("matrix")
    yield bar("A + B, fraction of the floor: least", least, (0.6, 0.75)[level], own.floor.max())
    peer = sums[sums.choice == "peer"].groupby("matrix").ms.min()
    yield bar("A + B / csrgeam2: least", least, (1.2, 2)[level], peer / own.ms.min())
    floor = last(like(rows, op="transpose", choice="rule"), "floor")
    is_local = floor.index.isin(LOCAL)
    for name, of, wanted in (("local patterns", floor[is_local], (0.45, 0.65)),
                             ("scattered ones", floor[~is_local], (0.25, 0.35))):
        yield bar(f"Aᵀ, fraction of the floor, {name}: least", least, wanted[level], of)


def on_gpu(level):
    def bars(type_, rows):
        rows = like(rows, type=type_, pooled=level == AIM)
        ms = last(from_scratch(rows), "ms")
        speed = (quickest(peers(rows, "spgemm")) / ms).dropna()
        yield from of_times(level, type_, ms, speed)
        yield from of_speed(level, rows, speed)
        yield from of_memory(level, rows)
        yield from of_relatives(level, rows, ms)
        yield from of_sums(level, rows)
    return bars


def on_cpu(type_, rows):
    rows = like(rows, op="spgemm", type=type_, threads=2)
    ratios = quickest(peers(rows, "spgemm", OPEN)) / last(from_scratch(rows), "ms")
    what = "C = A A, two threads / better of MKL (with its sort) and SuiteSparse:GraphBLAS"
    yield bar(f"{what}: geometric mean", mean, 1, ratios)
    yield bar("the same: least", least, 1, ratios)
    yield from of_giant_row(rows)


def made(backend, rows):
    """Tables for what was measured on a machine."""
    title = "products, sums and transposes of sparse matrices"
    if backend == "cpu":
        yield from targets_of_rows(title, on_cpu, rows)
        return
    yield from targets_of_rows(f"{title}, without a pool", on_gpu(MUST), rows)
    yield from targets_of_rows(f"{title}, with a pool (aims)", on_gpu(AIM), rows)
