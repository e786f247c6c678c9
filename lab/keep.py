#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Keeps what pages read of measurements: keep.py KEPT RUN..., or keep.py --check [--results FOLDER].

A RUN has rows as tulle bench, tulle tune and tulle-lab paper print them with --json or --out. Their rows go
into the file KEPT beside the rows that are there: of each row the fields that pages read, but for those that
follow from others, numbers to five digits, one row a key. Of rows of one key the latest that was checked stays. --check says of each file in
lab/results/ and lab/results/papers/, or in FOLDER, whether this program made it, whether a key is there twice in the folder,
and whether the rows fit bench/schema.py, and exits with 1 if anything is wrong.
"""
import argparse
import collections
import json
import pathlib
import sys

from pages.output import ROOT
from pages.tables import FACTS, FLAGS, NUMBERS, TEXTS, follows, rows_in

sys.path.insert(0, str(ROOT / "bench"))
import schema  # pylint: disable=wrong-import-position

FIELDS = FACTS + TEXTS + NUMBERS + FLAGS
# What tells measurements apart, on any page.
KEY = ["machine", "backend", "paper", "experiment", "op", "matrix", "second", "type", "index", "trans", "format",
       "detail", "fill", "block", "k", "layout", "tasks", "pooled", "cap", "threads", "choice", "request",
       "search", "call", "arranged", "streams", "processes"]
# Rows that have these in common stand together. The kernel tells experiments of papers apart as well.
TOGETHER = ["machine", "backend", "paper", "experiment", "op", "choice", "search", "date", "commit"]
DIGITS = 5
NEAR = 1e-4  # part of a number that rounding to so many digits, and a quotient of such numbers, may change
MOST_BYTES = 4_000_000  # of all kept files together


def key_of(row):
    return tuple(row.get(name) for name in (KEY + ["kernel"] if "paper" in row else KEY))


def kept(row):
    """What pages read of a row; the day of its date is enough to tell which of two runs is the later."""
    def short(value):
        return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value

    row = {name: short(row[name]) for name in FIELDS if row.get(name) is not None}
    if "hierarchy" in row:
        row["hierarchy"] = [[short(number) for number in level] for level in row["hierarchy"]]
    followed = follows(row)
    if row.get("request") is not None and row["request"] == followed.get("request"):
        del row["request"]
    if "floor" in row and abs(row["floor"] - followed.get("floor", -1)) <= NEAR * row["floor"]:
        del row["floor"]
    return {**row, "date": row["date"][:10]}


def grouped(rows, names):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row.get(name) for name in names)].append(row)
    return groups.values()


def block(rows):
    """The lines of rows that share some fields."""
    names = [name for name in FIELDS if any(name in row for row in rows)]
    shared = [name for name in names if all(row.get(name) == rows[0].get(name) for row in rows)]
    others = [name for name in names if name not in shared]
    return [compact({"shared": {name: rows[0][name] for name in shared}, "names": others}),
            *(compact([row.get(name) for name in others]) for row in rows)]


def folded(rows):
    """The lines of a kept file, as rows_in() reads them: of two ways to put rows together the shorter one."""
    for group in grouped(rows, TOGETHER):
        ways = [block(group), [line for part in grouped(group, ["matrix"]) for line in block(part)]]
        yield from min(ways, key=lambda lines: sum(map(len, lines)))


def compact(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


def latest(rows):
    """One row a key, in the order of their dates."""
    best = {}
    for row in sorted(rows, key=lambda row: (row.get("err") is not None, row["date"])):
        best[key_of(row)] = row
    return sorted(best.values(), key=lambda row: row["date"])


def faults(folder):
    seen = {}
    for path in sorted(folder.glob("*.jsonl")):
        rows = list(rows_in(path))
        if path.read_text(encoding="utf-8").splitlines() != list(folded(map(kept, rows))):
            yield f"{path} is none of lab/keep.py's"
        for row in rows:
            yield from (f"{path}: {fault}: {row}" for fault in schema.faults_of_kept(row))
            if key_of(row) in seen:
                yield f"{path}: {seen[key_of(row)]} has this, too: {row}"
            seen[key_of(row)] = path


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true")
    parser.add_argument("--results", type=pathlib.Path, nargs="+", metavar="FOLDER",
                        default=[ROOT / "lab/results", ROOT / "lab/results/papers"])
    parser.add_argument("files", nargs="*", type=pathlib.Path)
    options = parser.parse_args()
    if options.check:
        found = [fault for folder in options.results for fault in faults(folder)]
        size = sum(path.stat().st_size for folder in options.results for path in folder.glob("*.jsonl"))
        if size > MOST_BYTES:
            found.append(f"the kept files have {size:,} bytes, and {MOST_BYTES:,} at most are kept")
        sys.exit("\n".join(found) or None)
    target, *runs = options.files
    rows = [row for path in ([target] if target.exists() else []) + runs for row in rows_in(path)]
    target.write_text("".join(f"{line}\n" for line in folded(map(kept, latest(rows)))), encoding="utf-8")


if __name__ == "__main__":
    main()
