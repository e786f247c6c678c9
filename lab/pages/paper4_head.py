# SPDX-License-Identifier: Apache-2.0
"""The head of paper 4's page: its main claims, a line each for both types."""
from .paper4_claims import (BOTTLENECK, ORDERED, allocations_of, evens_out, gains_over, groups_of, lacked, of_type, order_of,
                            percent_less, printed_less, printed_speedup, shortages_of, webbase_of)
from .paper4_rows import BHSPARSE, GROUPS, LEAN, PUBLISHED, VENDOR, mark_of, ratios
from .papers import Claim, all_hold, by_type
from .tables import TYPES, geometric_mean, mark

GROUP_NAMES = {"high": "matrices of high throughput", "low": "matrices of low throughput"}
FEWER = "not all that the paper has were measured"  # why a claim is undecided
NAMES = {label: name for name, label in ORDERED.items()}


def decided(holds, count, matrices):
    """A verdict that some of the paper's matrices cannot give."""
    return holds if count == matrices else None


def covered(counts, matrices):
    """What the head says of matrices that were not measured."""
    if set(counts.values()) == {matrices}:
        return ""
    said = str(max(counts.values())) if len(set(counts.values())) == 1 else by_type(counts)
    return f"; measured: {said} of {matrices} matrices"


def claims_of_speedups(results, rows):
    """The slides do not say over what: here over the faster of the two that they order, or over cuSPARSE alone,
    which is no less."""
    for group, name in GROUP_NAMES.items():
        said, found, counts, holds, alone = {}, {}, {}, [], False
        for type_ in TYPES:
            of, rivals = of_type(rows, type_, group=group), [VENDOR, BHSPARSE]
            gains = gains_over(of, rivals)
            if gains.empty:
                rivals = [VENDOR]
                gains = gains_over(of, rivals)
            if gains.empty:
                continue
            alone = alone or BHSPARSE not in rivals
            said[type_], counts[type_] = printed_speedup(results, group, type_), len(gains)
            found[type_] = f"{gains.max():.2f}{mark_of(of, PUBLISHED, *rivals)}"
            if gains.max() < float(said[type_]):
                holds.append(decided(False, len(gains), len(GROUPS[group])))
            else:
                holds.append(True if BHSPARSE in rivals else None)
        over = "cuSPARSE (BHSPARSE as published is not measured)" if alone else "the faster of cuSPARSE and BHSPARSE"
        if said:
            yield Claim(f"{name}: PROPOSAL is up to {by_type(said)} times as fast",
                        f"up to {by_type(found)} times as fast as {over}{covered(counts, len(GROUPS[group]))}", all_hold(holds), FEWER)


def claims_of_orders(results, rows):
    for group, name in GROUP_NAMES.items():
        orders = {type_: order_of(results, rows, group, type_) for type_ in TYPES}
        orders = {type_: order for type_, order in orders.items() if order}
        if not orders:
            continue
        found, alike, counts, holds = {}, {}, {}, []
        for type_, (printed, labels, means, same, count, behind) in orders.items():
            found[type_] = " > ".join(NAMES[label] for label in means.index) + behind
            alike[type_], counts[type_] = f"{same} of {count}", count
            holds.append(decided(list(means.index) == labels, count, len(GROUPS[group])))
        yield Claim(f"{name}: {printed[TYPES[0]]}",
                    f"in the mean {by_type(found)}; this order on {by_type(alike)}{covered(counts, len(GROUPS[group]))}",
                    all_hold(holds), FEWER)


def claims_of_large(results, rows):
    names = GROUPS["large"]
    said, found, gained = {}, {}, []
    for type_ in TYPES:
        of = of_type(rows, type_, group="large")
        gains = ratios(of, "gflops", PUBLISHED, VENDOR).rename(lambda name: name.removeprefix("like:"))
        if gains.empty:
            continue
        said[type_] = ", ".join(results.figure("speedup", where="Large-size Graph Data", matrix=name, subject="cuSPARSE",
                                               type=type_) for name in names)
        found[type_] = ", ".join(f"{gains[name]:.2f}" if name in gains else "not measured" for name in names)
        found[type_] += mark_of(of, PUBLISHED, VENDOR)
        gained += [gains[name] > 1 if name in gains else None for name in names]
    if said:
        yield Claim(f"large graphs {', '.join(names)}: PROPOSAL is {by_type(said)} times as fast as cuSPARSE",
                    f"{by_type(found)} times as fast as its fastest algorithm", all_hold(gained))


def claims_of_shortage(results):
    said, found, holds = [], {}, []
    for name in ("BHSPARSE", "PROPOSAL"):
        for type_ in TYPES:
            of, printed = shortages_of(results, name, type_)
            if of.empty:
                continue
            said.append(f"{name} {lacking(of, printed)}")
            found.setdefault(f"{name} {lacking(of, lacked(of))}{mark(of)}", []).append(type_)
            holds.append(list(lacked(of)) == printed)
    if said:
        yield Claim(f"in 16 GB: {'; '.join(dict.fromkeys(said))}",
                    "; ".join(f"{text} ({', '.join(types)})" for text, types in found.items()), all_hold(holds), FEWER)


def lacking(rows, lacks):
    """For which of the matrices that were tried the memory does not suffice."""
    names = ", ".join(name for name, lacks_it in zip(rows.name, lacks) if lacks_it)
    return f"lacks memory for {names}" if names else f"has the memory for {', '.join(rows.name)}"


def claims_of_memory(results, rows):
    said, found, counts, holds, matrices = {}, {}, {}, [], sum(map(len, GROUPS.values()))
    for type_ in TYPES:
        less, behind = percent_less(of_type(rows, type_), LEAN)
        if less.empty:
            continue
        said[type_], counts[type_] = printed_less(results, type_), len(less)
        found[type_] = f"{less.mean():.1f} %{behind}"
        holds.append(decided(less.mean() >= float(said[type_]), len(less), matrices))
    if said:
        said = {type_: f"{percent} %" for type_, percent in said.items()}
        yield Claim(f"in the mean PROPOSAL holds {by_type(said)} less memory than cuSPARSE",
                    f"{by_type(found)} less than its leanest algorithm{covered(counts, matrices)}", all_hold(holds), FEWER)


def claims_of_webbase(results, rows):
    found = {type_: webbase_of(of_type(rows, type_)) for type_ in TYPES}
    found = {type_: one for type_, one in found.items() if one}
    if found:
        printed = results.figure("percent less than cuSPARSE", matrix="webbase-1M")
        texts = {type_: f"{abs(less):.1f} %{behind} {'less' if less >= 0 else 'more'}, {faster:.2f}{mark_} times as fast"
                 for type_, (less, behind, faster, mark_) in found.items()}
        yield Claim(f"webbase: PROPOSAL holds {printed} % less memory than cuSPARSE, and is faster", by_type(texts),
                    all_hold(less >= float(printed) and faster > 1 for less, _, faster, _ in found.values()))


def claims_of_groups(rows):
    found = {type_: groups_of(of_type(rows, type_)) for type_ in TYPES}
    found = {type_: of for type_, of in found.items() if len(of[0])}
    if found:
        texts = {type_: f"{webbase.iloc[0]:.2f}{behind}" for type_, (webbase, _, behind) in found.items()}
        rest = {type_: f"{geometric_mean(others):.2f}{behind}" for type_, (_, others, behind) in found.items() if len(others)}
        beside = f", the others {by_type(rest)} times in the geometric mean" if rest else ""
        yield Claim("dividing rows into groups improves the load balance of irregular matrices like webbase",
                    f"webbase is {by_type(texts)} times as fast as without{beside}",
                    all_hold(evens_out(webbase.iloc[0], others) for webbase, others, _ in found.values()),
                    "without groups short rows have a whole block, which costs time beside the load's balance")


def claims_of_allocation(rows):
    share, behind = allocations_of(rows)
    share = share[share.index.get_level_values("group") == "low"].groupby(level="type")
    if len(share):
        matrices = len(GROUPS["low"])
        counts = dict(share.size())
        texts = {type_: f"{mean:.0f} %{behind}" for type_, mean in share.mean().items()}
        yield Claim("on sparser matrices cudaMalloc is the bottleneck",
                    f"getting memory takes {by_type(texts)} of the time at low throughput (a bottleneck: more than "
                    f"{BOTTLENECK} %){covered(counts, matrices)}",
                    all_hold(decided(mean > BOTTLENECK, counts[type_], matrices) for type_, mean in share.mean().items()), FEWER)


def head_claims(results, rows):
    yield from claims_of_speedups(results, rows)
    yield from claims_of_orders(results, rows)
    yield from claims_of_large(results, rows)
    yield from claims_of_shortage(results)
    yield from claims_of_memory(results, rows)
    yield from claims_of_webbase(results, rows)
    yield from claims_of_groups(rows)
    yield from claims_of_allocation(rows)
