#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Draws the shapes that the rule is judged on, and writes them to bench/sets/shapes.txt.

Lengths of rows are those of real kinds of matrices: all alike, of two lengths, of a power law, few long rows among short
ones, few rows that are all long, many empty rows, blocks, bands and grids, graphs. Columns are near the diagonal or
scattered. Each kind has shapes of 10^4 to 10^8 entries, a number at random in each of equal parts of that range on a
scale of logarithms. The draw is always the same; --check writes nothing and exits with 1 if the file is not what is drawn.
"""
import argparse
import random
import sys

from pages.shapes import PATH

LEAST, MOST = 1e4, 1e8
SEED = 42
# The most entries of a row whose columns are drawn and sorted by one thread.
LONGEST = 20_000


class Draw:
    """Numbers at random, evenly on a scale of logarithms unless said otherwise."""

    def __init__(self):
        self._random = random.Random(SEED)

    def part(self):
        return self._random.random()

    def number(self, low, high):
        return low * (high / low) ** self.part() if high > low else low

    def count(self, low, high):
        return max(1, round(self.number(low, high)))

    def one_of(self, *choices):
        return choices[int(self.part() * len(choices))]

    def columns(self, longest):
        """LOCAL_PERCENT and WIDTH: half of the shapes are scattered, the others mostly near the diagonal."""
        if self.part() < 0.5:
            return "0,0"
        return f"{self.one_of(70, 90, 100)},{self.count(max(50, longest), max(50, longest) * 100)}"


def rows_for(entries, mean, longest):
    """Rows that have so many entries, but no fewer than the longest row needs columns."""
    return max(round(entries / mean), longest + 1, 2)


def alike(draw, entries):
    length = draw.count(1, 3000)
    rows = rows_for(entries, length, length)
    return f"peaks:{rows},{length},{length},1,0,{draw.columns(length)}"


def two_lengths(draw, entries):
    short = draw.count(1, 20)
    longest = min(draw.count(10 * short, 1000 * short), LONGEST)
    share = 0.05 + 0.9 * draw.part()  # of the entries that stand in long rows
    apart = 1 + max(1, round(longest * (1 - share) / (short * share)))
    rows = rows_for(entries, short + longest / apart, longest)
    return f"peaks:{rows},{short},{longest},{apart},0,{draw.columns(longest)},{draw.one_of(1, 1, 8, 64, 1000)}"


def power_law(draw, entries):
    mean = round(draw.number(1.5, 60), 1)
    longest = min(max(3 * int(mean), draw.count(4 * mean, 10_000 * mean)), LONGEST, max(8, int(entries / 20)))
    mean = min(mean, longest / 2)
    rows = rows_for(entries, mean, longest)
    return f"powerlaw:{rows},{mean:g},{longest},{draw.columns(50)}"


def few_long(draw, entries):
    short, count = draw.count(1, 8), draw.count(1, 50)
    longest = max(100, min(draw.count(1000, LONGEST), int(entries / 4)))
    rows = rows_for(max(entries - count * longest, entries / 10), short, longest)
    if draw.part() < 0.2 and rows < 2_000_000:
        return f"dense_rows:{rows},{short},{1 + count // 20}"
    return f"peaks:{rows},{short},{longest},{max(1, rows // count)},0,{draw.columns(longest)}"


def all_long(draw, entries):
    """Set covering: few rows, more columns."""
    rows = draw.count(20, max(20, min(4000, entries / 100)))
    mean = max(4, entries / rows)
    if mean > LONGEST / 8:
        per_column = min(draw.count(2, 12), rows)
        return f"rail:{rows},{max(1, round(entries / per_column))},{per_column}"
    longest = min(draw.count(2 * mean + 2, 30 * mean), LONGEST)
    cols = draw.count(2 * longest, 100 * longest)
    return f"powerlaw:{rows},{mean:.0f},{longest},0,0,{max(1, int(mean / 4))},{cols}"


def mostly_empty(draw, entries):
    length, percent = draw.count(1, 300), draw.one_of(30, 60, 80, 90, 97)
    rows = rows_for(entries, length * (1 - percent / 100), length)
    return f"peaks:{rows},{length},{length},{rows},{percent},{draw.columns(length)}"


def blocks(draw, entries):
    size = draw.one_of(2, 3, 4, 5, 6)
    side = max(3, round((entries / (27 * size * size)) ** (1 / 3)))
    return f"blocks:{size},{side}"


def bands(draw, entries):
    fill, width = draw.one_of(10, 30, 60, 100), draw.count(2, 400)
    rows = max(width + 1, round(entries / (1 + 2 * width * fill / 100)))
    return f"banded:{rows},{width},{fill}"


def grids(draw, entries):
    name, points, axes = draw.one_of(("p2d5", 5, 2), ("p2d9", 9, 2), ("p3d7", 7, 3), ("p3d27", 27, 3), ("fem", 7, 1))
    return f"{name}:{max(3, round((entries / points) ** (1 / axes)))}"


def graphs(draw, entries):
    """R-MAT graphs, which are drawn on the host: not the largest."""
    degree = draw.one_of(8, 16, 32)
    scale = min(17, max(8, round(entries / degree).bit_length()))
    return f"rmat:{scale},{degree},{draw.one_of('57,19,19', '45,22,22', '30,25,25')}"


# Numbers of shapes of each kind.
KINDS = {"alike": (alike, 44), "two lengths": (two_lengths, 64), "power law": (power_law, 76),
         "few long rows": (few_long, 48), "all rows long": (all_long, 32), "mostly empty": (mostly_empty, 36),
         "blocks": (blocks, 12), "bands": (bands, 20), "grids": (grids, 20), "graphs": (graphs, 8)}


def lines():
    draw, seen = Draw(), set()
    yield "# Shapes that are drawn to break the rule that picks kernels; made by lab/shapes.py, do not edit."
    for kind, (shape, count) in KINDS.items():
        for part in range(count):
            entries = LEAST * (MOST / LEAST) ** ((part + draw.part()) / count)
            spec = shape(draw, entries)
            if spec not in seen:
                yield f"{spec} # {kind}"
            seen.add(spec)


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="only say whether the file is what is drawn")
    text = "\n".join(lines()) + "\n"
    if not parser.parse_args().check:
        PATH.write_text(text, encoding="utf-8")
    elif not PATH.exists() or PATH.read_text(encoding="utf-8") != text:
        sys.exit(f"{PATH} is not up to date: run lab/shapes.py")


if __name__ == "__main__":
    main()
