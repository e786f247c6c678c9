# SPDX-License-Identifier: Apache-2.0
"""Cases: what tulle takes by itself for an operation on a matrix, beside the fastest other library on the same
machine."""

from __future__ import annotations

# Fields that tell cases apart. Kernels, formats and threads are not among them: each side has its best.
SAME = ("machine", "backend", "paper", "experiment", "op", "matrix", "second", "type", "index", "trans", "detail",
        "fill", "block", "k", "layout", "tasks", "pooled", "cap", "arranged", "streams")
# Fields that tulle's own row lends to its case.
LENT = ("source", "class", "rows", "cols", "nnz", "nnz_c", "copy_gbs", "gbs", "floor", "gflops", "kernel", "params",
        "threads", "prep_ms", "extra_bytes", "peak_bytes", "iterations", "date", "commit")
# Peers that find order and pattern anew in each call, which tulle does once, before the calls that are timed.
UNLIKE = ("scipy_spilu", "scipy_splu")
# The kernel of sparse products that tulle takes by itself, of which older rows have the name alone.
OWN_PRODUCT = "spgemm_auto"
# Ways of running a batch that are measured for comparison: one launch for each task.
ONE_BY_ONE = ("streams", "tasks")
# Kinds of rows that time no single call of an operation.
UNTIMED = ("refused", "profile", "timeline", "tune", "solution")


def is_wrong(row):
    """True where the result was checked and is wrong."""
    return bool(row.get("broken")) or row.get("err", 0) > 1


def is_timed(row):
    """True of a row that has the time of a call, with a result that is not known to be wrong."""
    return row["choice"] not in UNTIMED and row.get("ms", 0) > 0 and time_of(row) > 0 and not is_wrong(row)


def time_of(row):
    """Milliseconds that count: of multigrid, and of solutions with factors made for them, preparing is a part."""
    whole = row["op"] in ("amg", "amg_nodes") or row.get("detail") == "ilu"
    return row.get("whole_ms", row["ms"]) if whole else row["ms"]


def _fastest(rows):
    """The fastest of the latest rows of each kernel and request, of those whose result was checked where there are
    any."""
    latest = {}
    for row in sorted(rows, key=lambda row: row["date"]):
        latest[row["kernel"], row.get("request"), row.get("threads"), row.get("format")] = row
    return min(latest.values(), key=lambda row: ("err" not in row, time_of(row)), default=None)


def _is_own_choice(row):
    if row["op"].startswith("batch_") and row.get("detail") in ONE_BY_ONE:
        return False
    return row["choice"] == "rule" or row["choice"] == "forced" and row["kernel"] == OWN_PRODUCT


def _is_rival(row):
    """True of another library's row; some rows of peers are another way of tulle's own to the same result."""
    own = row.get("peer_version", "").startswith("tulle")
    return row["choice"] == "peer" and row["kernel"] not in UNLIKE and not own


def _case(rows):
    own = list(filter(_is_own_choice, rows))
    if not own:
        return None
    threads = max(row.get("threads", 0) for row in own)
    alike = [row for row in rows if row["choice"] != "peer" and row.get("threads", 0) == threads]
    rule, best = _fastest(list(filter(_is_own_choice, alike))), _fastest(alike)
    peer = _fastest(list(filter(_is_rival, rows)))
    case = {key: rule[key] for key in SAME + LENT if key in rule}
    case.update(ms=time_of(rule), best=best["kernel"], best_ms=time_of(best))
    if "gbs" in rule:
        case["bytes"] = 1e6 * rule["gbs"] * rule["ms"]
    if peer:
        case.update(peer=peer["kernel"], peer_version=peer.get("peer_version", ""), peer_ms=time_of(peer),
                    faster=time_of(peer) / time_of(rule))
        if "gbs" in peer:
            case["peer_gbs"] = peer["gbs"]
    case["unchecked"] = "err" not in rule or bool(peer) and "err" not in peer
    return case


def cases(rows: list[dict]) -> list[dict]:
    """The cases of rows that tulle.report.read gives, each a dict. ms: time by tulle's own choice, of multigrid that of
    the fastest family that was measured; peer_ms: time of the fastest other library; faster: peer_ms over ms; best:
    tulle's fastest kernel; bytes: fewest bytes that the operation moves; unchecked: true where a result was not
    checked. Wrong results count nowhere.

    >>> row = dict(op="spmv", matrix="p2d5:9", type="f64", backend="cpu", machine="a", date="2026-01-01", err=0.1)
    >>> found, = cases([dict(row, choice="rule", kernel="spmv_csr", ms=1.0),
    ...                 dict(row, choice="peer", kernel="eigen_csr", ms=3.0)])
    >>> found["peer"], found["faster"]
    ('eigen_csr', 3.0)
    """
    groups = {}
    for row in filter(is_timed, rows):
        groups.setdefault(tuple(row.get(key) for key in SAME), []).append(row)
    return [case for case in map(_case, groups.values()) if case]
