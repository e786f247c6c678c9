# SPDX-License-Identifier: Apache-2.0
"""What the page of performance says of products with blocks of vectors."""
from .cases import CLASSES, TYPES, pairs_of, where
from .spmv import mean_and_least
from .tables import geometric_mean, group, table

OF_TYPE = ("matrices", "GB/s", "floor", "/ best peer", "least")
HEADINGS = ("class", "layout", ">vectors",
            *(f">{type_}: {heading}" for type_ in TYPES for heading in OF_TYPE))


def cells(cases):
    cases = [case for case in cases if case.tulle["rule"]]
    if not cases:
        return ["-"] * len(OF_TYPE)
    rows = [case.tulle["rule"] for case in cases]
    return [str(len(cases)), f"{geometric_mean([row['gbs'] for row in rows]):.4g}",
            f"{geometric_mean([row['floor'] for row in rows]):.2f}",
            *mean_and_least(pairs_of(cases, lambda case: case.ratio("rule", case.peer)))]


def rows(cases):
    sizes = group([case.any for case in cases], "layout", "k")
    for name in CLASSES:
        for layout, k in sizes:
            of_size = where(cases, of_class=name, layout=layout, k=k)
            if of_size:
                yield [name, layout, str(k),
                       *(cell for type_ in TYPES for cell in cells(where(of_size, type=type_)))]


def lines(cases, title):
    yield from (f"### {title}", "",
                "What the rule picks. GB/s: of the fewest bytes that the product needs.", "")
    yield from table(HEADINGS, sorted(rows(cases), key=lambda row: (CLASSES.index(row[0]), row[1],
                                                                  int(row[2]))))
