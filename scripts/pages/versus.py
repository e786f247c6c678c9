# SPDX-License-Identifier: Apache-2.0
"""What the page of performance says of each peer by itself."""
from .cases import CLASSES, TYPES, pairs_of, where
from .spmv import mean_and_least
from .tables import fastest, table


def library_of(row):
    return row["kernel"].split("_")[0]


def libraries(cases):
    return sorted({library_of(row) for case in cases for row in case.peers})


def of_library(case, *names):
    """The fastest row of these libraries at tulle's own number of threads."""
    return fastest([row for row in case.peers if library_of(row) in names and
                    row["threads"] == case.threads])


def all_of_library(case, name):
    return fastest([row for row in case.peers if library_of(row) == name])


HEADINGS = ("class", "type", "peer", ">its threads", ">tulle's", ">matrices", ">rule / peer", ">least",
            ">optimise / peer", ">least", ">packed / peer", ">least")


def packed_ratio(case, peer):
    return peer["ms"] / case.packed["ms"] if case.packed and peer else None


def row(cases, name):
    peers = [all_of_library(case, name) for case in cases]
    versions = sorted({peer["peer_version"] for peer in peers})
    threads = sorted({str(peer["threads"]) for peer in peers})
    ours = sorted({str(case.threads) for case in cases})
    ratios = [pairs_of(cases, lambda case: case.ratio("rule", all_of_library(case, name))),
              pairs_of(cases, lambda case: case.ratio("optimise", all_of_library(case, name))),
              pairs_of(cases, lambda case: packed_ratio(case, all_of_library(case, name)))]
    return [", ".join(versions), ", ".join(threads), ", ".join(ours), str(len(cases)),
            *(cell for pairs in ratios for cell in mean_and_least(pairs))]


def lines(cases):
    """A table of libraries, where there are several."""
    names = libraries(cases)
    if len(names) < 2:
        return
    rows = []
    for of_class in CLASSES:
        for type_ in TYPES:
            for name in names:
                found = [case for case in where(cases, of_class=of_class, type=type_)
                         if all_of_library(case, name)]
                if found:
                    rows.append([of_class, type_, *row(found, name)])
    yield from ("Against each library, the fastest of its ways:", "")
    yield from table(HEADINGS, rows)
