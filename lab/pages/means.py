# SPDX-License-Identifier: Apache-2.0
"""What the page of performance says of products in the mean: of one vector and of several, of
preparing for them, and against each peer by itself."""
import pandas as pd

from . import plots
from .products import KINDS, calls_to_pay, is_slower, peers_of, prepared, ratio
from .tables import TYPES, geometric_mean, mean_and_least, named, of_types, slug, summary, table


def plot_name(row, what):
    """Unique to a machine."""
    return slug(f"{row.backend}-{row.machine}-{what}")


def mean_row(cases, kind):
    """How one of tulle's parts compares with the floor and the peers."""
    peer = ratio(cases, kind)
    return {"kind": KINDS[kind], "matrices": len(cases),
            "floor": geometric_mean(cases[f"{kind}_floor"]),
            **mean_and_least("csr", ratio(cases, kind, "csr_peer")), **mean_and_least("peer", peer),
            "cold": geometric_mean(ratio(cases, kind, key="ms_cold")),
            "slower": is_slower(cases, kind).sum() if peer.notna().any() else None}


def mean_lines(cases):
    rows = pd.concat([summary(cases[cases[f"{kind}_ms"].notna()], ["class", "type"],
                              lambda of, kind=kind: mean_row(of, kind)) for kind in KINDS])
    yield from table(
        rows.sort_values(["class", "type"], kind="stable"),
        "class | type | tulle's | >matrices | >floor | >/ CSR peer | >least | >/ best peer | >least | "
        ">cold / best peer, cold | >slower than the best peer",
        "{class} | {type} | {kind} | {matrices:.0f} | {floor} | {csr} | {csr_least} | {peer} | "
        "{peer_least} | {cold} | {slower:.0f}")


def plots_of(cases, title):
    """The three plots of a part, each with a panel for each type."""
    row = cases.iloc[0]

    def series(x, y):
        parts = {"rule": "rule", "optimise": "optimise", "best peer": "peer"}
        return [plots.points(cases.type, label, x, cases[f"{part}_{y}"])
                for label, part in parts.items()]

    def curve(label, ratios):
        ratios = pd.DataFrame({"type": cases.type, "ratio": ratios.array})
        ratios = ratios.dropna().sort_values(["type", "ratio"])
        return plots.points(ratios.type, label, ratios.groupby("type").cumcount() + 1, ratios.ratio)

    def plot(what, heading, parts, axes, **options):
        points = pd.concat(parts).sort_values("panel", kind="stable")
        if len(points):
            yield plots.Lines(plot_name(row, f"{row['index']}-{row.trans}-{what}"),
                              f"{title}: {heading}\n{row.machine}", points, axes, **options)

    yield from plot("gflops", "GFLOP/s against nonzeros a row",
                    series(cases.nnz.clip(lower=1) / cases.rows.clip(lower=1), "gflops"),
                    ("nonzeros a row", "GFLOP/s"), log_y=True, joined=False)
    yield from plot("floor", "fraction of the floor against the size of the product",
                    series(1e-6 * cases.minimal, "floor"),
                    ("MB that the product must move", "floor / time"), joined=False, level=1)
    yield from plot("ratio", "peer's time over tulle's, sorted",
                    [curve("rule / best CSR peer", ratio(cases, "rule", "csr_peer")),
                     curve("optimise / best peer", ratio(cases, "optimise"))],
                    ("matrices, each curve sorted by itself", "times faster than the peer"),
                    log_x=False, log_y=True, level=1)


def optimise_row(cases):
    formats = cases.optimise_kernel.str.split("_").str[1].value_counts().sort_index()
    formats = formats.sort_values(ascending=False, kind="stable")
    extra = cases.optimise_extra_bytes
    return {"matrices": len(cases),
            "formats": ", ".join(f"{name} {count}" for name, count in formats.items()),
            **mean_and_least("gain", cases.rule_ms / cases.optimise_ms),
            "calls": (cases.optimise_prep_ms / cases.rule_ms).median(),
            "pays": calls_to_pay(cases, "optimise").median(), "extra": extra.median(),
            "share": (extra / cases.optimise_matrix_bytes).median()}


def optimise_lines(cases):
    rows = summary(prepared(cases), ["class", "type"], optimise_row)
    if rows.empty:
        return
    yield from ("What optimise chooses, gains and costs; preparation, calls and memory are "
                "medians over the matrices:", "")
    yield from table(
        rows, "class | type | >matrices | formats chosen | >gain on the rule | >least | "
        ">preparation, in calls of the rule | >calls to pay it | >extra memory | >of the matrix",
        "{class} | {type} | {matrices} | {formats} | {gain} | {gain_least} | {calls:.1f} | "
        "{pays:calls} | {extra:bytes} | {share}")


def library_row(cases):
    return {"peer": named(cases.library_peer_version),
            "threads": named(cases.library_threads.astype(str)),
            "ours": named(cases.own_threads.astype(int).astype(str)), "matrices": len(cases),
            **mean_and_least("rule", ratio(cases, "rule", "library")),
            **mean_and_least("optimise", ratio(cases, "optimise", "library")),
            **mean_and_least("packed", ratio(cases, "packed", "library"))}


def library_lines(rows, cases):
    """A table of libraries, where there are several."""
    peers = peers_of(rows, cases)
    if peers.library.nunique() < 2:
        return
    yield from ("Against each library, the fastest of its ways:", "")
    yield from table(
        summary(peers, ["class", "type", "library"], library_row),
        "class | type | peer | >its threads | >tulle's | >matrices | >rule / peer | >least | "
        ">optimise / peer | >least | >packed / peer | >least",
        "{class} | {type} | {peer} | {threads} | {ours} | {matrices} | {rule} | {rule_least} | "
        "{optimise} | {optimise_least} | {packed} | {packed_least}")


def spmv_lines(rows, cases, title, made):
    """The section of one kind of product; its plots are added to made."""
    yield from (f"### {title}", "")
    yield from mean_lines(cases)
    for plot in plots_of(cases, title):
        made.append(plot)
        yield from (f"![{plot.title.splitlines()[0]}](plots/{plot.name}.svg)", "")
    yield from optimise_lines(cases)
    yield from library_lines(rows, cases)


def block_row(cases):
    row = {}
    for type_ in TYPES:
        of = cases[(cases.type == type_) & cases.rule_ms.notna()]
        row.update({f"{type_}_matrices": len(of) or None,
                    f"{type_}_gbs": geometric_mean(of.rule_gbs),
                    f"{type_}_floor": geometric_mean(of.rule_floor),
                    **mean_and_least(f"{type_}_peer", ratio(of, "rule"))})
    return row


def spmm_lines(cases, title):
    yield from (f"### {title}", "",
                "What the rule picks. GB/s: of the fewest bytes that the product needs.", "")
    yield from table(
        summary(cases, ["class", "layout", "k"], block_row), "class | layout | >vectors | " +
        of_types(">@: matrices | >@: GB/s | >@: floor | >@: / best peer | >@: least"),
        "{class} | {layout} | {k} | " +
        of_types("{@_matrices:.0f} | {@_gbs:.4g} | {@_floor} | {@_peer} | {@_peer_least}"))
