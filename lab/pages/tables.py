# SPDX-License-Identifier: Apache-2.0
"""Rows of result files as frames, what pages work out of them, numbers for people, and Markdown."""
import functools
import itertools
import json
import math
import pathlib
import string
import sys

import numpy as np
import pandas as pd

sys.path.insert(0, str(pathlib.Path(__file__).resolve().parents[2] / "bench"))
import fields  # pylint: disable=wrong-import-position

CLASSES = ["memory", "cache", "launch"]
TYPES = ["f32", "f64"]
# The fields that lab/keep.py keeps and pages read (trials/fields.def): FACTS as they are, the others also of rows that
# lack them.
FACTS = fields.kept("FACT")
TEXTS = fields.kept("KEPT", "TEXT")
FLAGS = fields.kept("KEPT", "FLAG")
NUMBERS = [key for key in fields.kept("KEPT") if key not in TEXTS + FLAGS]
UNCHECKED = "†"  # stands behind figures that nobody checked, and others that are made from these
SAMPLED = "§"  # the same of figures whose results were checked on a sample of rows


def plain_request(row):
    """The request of a kernel by its name alone, with its parameters."""
    return f"{row['choice']} {row['kernel']}" + (f":{row['params']}" if row.get("params") else "")


def plain_floor(row):
    """The time of a copy of the fewest bytes over that of the row."""
    return float(f"{row['gbs'] / row['copy_gbs']:.5g}")


def follows(row):
    """What follows from other fields of a row, which lab/keep.py leaves out of what it keeps."""
    found = {}
    if row.get("choice") in ("forced", "peer", "plan"):
        found["request"] = plain_request(row)
    if "gbs" in row and "copy_gbs" in row:
        found["floor"] = plain_floor(row)
    return found


def rows_in(path):
    """The rows of a file: objects, as programs print them, or as lab/keep.py keeps them: an object with
    the fields that the rows after it share and the names of their other fields, then a list a row."""
    shared, names = {}, []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        try:
            found = json.loads(line)
        except ValueError:
            sys.exit(f"{path}:{number}: no JSON (bench/schema.py checks result files)")
        if isinstance(found, list):
            row = {**shared, **{name: value for name, value in zip(names, found) if value is not None}}
            yield {**follows(row), **row}
        elif "shared" in found:
            shared, names = found["shared"], found["names"]
        else:
            yield found


@functools.lru_cache(None)
def rows_of(folder):
    """All rows of a folder with the columns that pages work out of them; none where there are no files."""
    rows = pd.DataFrame([row for path in sorted(folder.glob("*.jsonl")) for row in rows_in(path)])
    if rows.empty:
        return rows
    rows = rows.reindex(columns=sorted(FACTS + TEXTS + NUMBERS + FLAGS))
    rows[FLAGS] = rows[FLAGS].eq(True)
    rows[NUMBERS] = rows[NUMBERS].astype(float)
    rows["format"] = rows.format.fillna("csr")  # rows of the first version
    rows["class"] = pd.Categorical(rows["class"], CLASSES, ordered=True)
    rows["wrong"] = rows.broken | (rows.err > 1)
    rows["right"] = ~rows.wrong & (rows.err <= 1)
    measured = ~rows.choice.isin(["refused", "profile", "timeline"])
    rows["unchecked"] = measured & rows.err.isna() & ~rows.wrong
    rows["sampled"] = rows.checked_rows.notna() & ~rows.unchecked
    rows["a_row"] = rows.nnz / rows.rows.clip(lower=1)
    rows["spec"] = "`" + (rows.kernel + " " + rows.params).str.rstrip() + "`"
    return rows


def read_rows(folder, same):
    """One row of each measurement, told apart by the columns `same`, in their order: latest()."""
    rows = rows_of(folder)
    return rows if rows.empty else latest(rows, same).sort_values(same, kind="stable", ignore_index=True)


def latest(rows, by):
    """The last row of each group, of those that were checked where any was."""
    rows = rows.sort_values(["unchecked", "date"], ascending=[False, True], kind="stable")
    return rows.drop_duplicates(by, keep="last")


def loosely(rows):
    """What is right, and what was not checked as if it were."""
    return rows[rows.right | rows.unchecked].assign(right=True)


def mark(rows):
    """What stands behind a figure that is made from all of these rows."""
    return UNCHECKED if rows.unchecked.any() else SAMPLED if rows.sampled.any() else ""


def marks_of(rows):
    """What stands behind figures of these rows, one each."""
    return marks(rows.unchecked).mask(rows.sampled, SAMPLED)


def marks(flags):
    """The same for figures of one row each."""
    return flags.map({True: UNCHECKED, False: ""})


def fastest(rows, by):
    """The fastest right row of each group, of those that were checked where any was."""
    # The rows are wide: what tells them apart is sorted alone, by places in the frame.
    rows = rows[rows.right]
    keys = rows[[*([by] if isinstance(by, str) else by), "unchecked", "ms"]].reset_index(drop=True)
    keys = keys.sort_values(["unchecked", "ms"], kind="stable").drop_duplicates(by)
    return rows.iloc[keys.index].set_index(by)


def beside(parts, by, first):
    """A row for each group: the columns `first` of the first part that has it, then of each part's
    fastest row the columns `PART_ms`, `PART_kernel` and so on, missing where it has none."""
    parts = {name: fastest(rows, by) for name, rows in parts.items()}
    # The rows are wide: those of no more columns than `first` are put together.
    every = pd.concat([rows[first] for rows in parts.values()])
    return every[~every.index.duplicated()].join(
        [rows.drop(columns=first).add_prefix(f"{name}_") for name, rows in parts.items()]).copy()


def contest(rows, by, first):
    """A row for each group, as beside has it: what tulle takes by itself, the best of its kernels, the
    best peer, and how many times as fast as that the first is; and the mark of each."""
    peer = rows.choice == "peer"
    parts = {"rule": rows[rows.choice == "rule"], "kernel": rows[~peer], "peer": rows[peer]}
    cases = beside(parts, by, first).reset_index()
    loose = {name: cases[f"{name}_unchecked"].eq(True) for name in parts}
    return cases.assign(ratio=cases.peer_ms / cases.rule_ms,
                        ratio_mark=marks(loose["rule"] | loose["peer"]),
                        **{f"{name}_mark": marks(flags) for name, flags in loose.items()})


def like(rows, **wanted):
    """The rows with these values."""
    alike = np.ones(len(rows), bool)
    for name, value in wanted.items():
        alike &= (rows[name] == value).to_numpy()
    return rows[alike]


def name_of(rows):
    """The matrix's own name: "F1" of "F1", "like:F1" and "like:F1,stored"."""
    return rows.matrix.str.replace("^like:|,stored$", "", regex=True)


def param(rows, name):
    """The number of a parameter in "coop=8,repeat=1,block=128"."""
    return rows.params.str.extract(rf"\b{name}=(\d+)")[0].astype(float)


def summary(rows, by, what):
    """A row for each group: its key, and the columns of what(rows of the group)."""
    groups = rows.groupby(by, observed=True)
    return pd.DataFrame([what(group) for _, group in groups], groups.size().index).reset_index()


def geometric_mean(numbers):
    return np.exp(np.log(numbers).mean())


def mean_and_least(name, numbers):
    return {name: geometric_mean(numbers), f"{name}_least": numbers.min()}


def human_calls(calls):
    return f"{math.ceil(calls):,}" if math.isfinite(calls) else "never"


def human_ms(ms):
    return f"{ms * 1e3:.3g} µs" if ms < 1 else f"{ms:.4g} ms"


def human_bytes(number):
    for unit in ("B", "KB", "MB"):
        if number < 999.5:
            return f"{number:.3g} {unit}"
        number /= 1000
    return f"{number:.3g} GB"


class Cell(string.Formatter):
    """str.format with forms for people; without a form, numbers that are not whole have two places.
    A cell of which something is missing is "-"."""
    FORMS = {"ms": human_ms, "bytes": human_bytes, "calls": human_calls}

    def format_field(self, value, form):
        if form in self.FORMS:
            return self.FORMS[form](value)
        return format(value, form or (".2f" if isinstance(value, float) else ""))

    def of(self, cell, row):
        missing = any(name and pd.isna(row[name]) for _, name, _, _ in self.parse(cell))
        return "-" if missing else self.vformat(cell, (), row)


def texts(values, form, bold=()):
    """Values in a form, those that are bold so."""
    found = [Cell().of(f"{{value:{form}}}", {"value": value}) for value in values]
    return [f"**{text}**" if is_bold else text
            for text, is_bold in itertools.zip_longest(found, bold)]


def table(rows, headings, cells):
    """Markdown of a frame. headings: "a | >b", where '>' aligns a column right; cells: "{x} | {y}",
    where x and y are columns of the frame."""
    headings, cells = headings.split(" | "), cells.split(" | ")
    yield "| " + " | ".join(heading.lstrip(">") for heading in headings) + " |"
    yield "|" + "|".join("---:" if heading[0] == ">" else "---" for heading in headings) + "|"
    used = [name for name in rows if any(f"{{{name}" in cell for cell in cells)]
    for row in rows[used].to_dict("records"):
        yield "| " + " | ".join(Cell().of(cell, row) for cell in cells) + " |"
    yield ""


def of_types(columns):
    """Headings or cells for each type, which stands where the text says @."""
    return " | ".join(columns.replace("@", type_) for type_ in TYPES)


def span(numbers, form):
    """The least and the largest, as text."""
    low, high = form.format(numbers.min()), form.format(numbers.max())
    return low if low == high else f"{low} to {high}"


def named(words):
    """A list of those that there are, in order."""
    return ", ".join(sorted(words.dropna().unique()))


def slug(words):
    return "".join(c if c.isalnum() else "-" for c in words.lower()).strip("-")
