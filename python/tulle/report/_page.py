# SPDX-License-Identifier: Apache-2.0
"""The page: a head that Python writes, and the rows and cases in JSON, which the page's script shows."""
from __future__ import annotations

import html
import json
import pathlib
import statistics
import string

from ._cases import cases, is_timed, is_wrong
from ._rows import unit

FOLDER = pathlib.Path(__file__).parent
DIGITS = 5
HEADINGS = ("machine", "place", "threads", "copy", "rows", "measured", "commit of tulle", "other libraries")


def _part(name):
    return (FOLDER / f"page.{name}").read_text(encoding="utf-8")


def _short(value):
    return float(f"{value:.{DIGITS}g}") if isinstance(value, float) else value


def _columns(rows):
    """Rows as columns by name. A column of texts is a list of words and the place of each row's word in it, -1 where
    a row has none.

    >>> _columns([{"op": "spmv", "ms": 1.0}, {"op": "spmv"}])
    {'op': {'words': ['spmv'], 'at': [0, 0]}, 'ms': [1.0, None]}
    """
    found = {}
    for name in dict.fromkeys(name for row in rows for name in row):
        values = [_short(row.get(name)) for row in rows]
        if all(value is None or isinstance(value, str) for value in values):
            words = {word: place for place, word in enumerate(dict.fromkeys(v for v in values if v is not None))}
            found[name] = {"words": list(words), "at": [words.get(value, -1) for value in values]}
        else:
            found[name] = values
    return found


def _span(words):
    return min(words) if min(words) == max(words) else f"{min(words)} – {max(words)}"


def _commits(rows):
    """The latest commit, and the number of others."""
    found = {row["commit"]: row["date"] for row in sorted(rows, key=lambda row: row["date"]) if row.get("commit")}
    *others, last = list(found) or ["unknown"]
    return last + (f" and {len(others)} earlier" if others else "")


def _bandwidth(rows):
    """The median bandwidth of a copy in these rows, in GB/s; None where no row has it."""
    copies = [row["copy_gbs"] for row in rows if "copy_gbs" in row]
    return float(f"{statistics.median(copies):.3g}") if copies else None


def _libraries(rows):
    names = {name.strip() for row in rows for name in row.get("peer_version", "").split(",")} - {""}
    return ", ".join(sorted(name for name in names if not name.startswith("tulle")))


def _facts(rows):
    """The cells of a machine's line in the head, in the order of HEADINGS."""
    copy, threads = _bandwidth(rows), max(row.get("threads", 0) for row in rows)
    return (rows[0]["machine"], rows[0]["backend"], threads or "–", f"{copy:,g} GB/s" if copy else "–",
            f"{len(rows):,}", _span([row["date"][:10] for row in rows]), _commits(rows), _libraries(rows) or "none")


def _line(cells, tag="td"):
    return "<tr>" + "".join(f"<{tag}>{html.escape(str(cell))}</{tag}>" for cell in cells) + "</tr>"


def _by(rows, *names):
    """Rows in groups that have the same values of these fields."""
    groups = {}
    for row in rows:
        groups.setdefault(tuple(row[name] for name in names), []).append(row)
    return groups


def _machines(rows):
    groups = sorted(_by(rows, "machine", "backend").values(), key=len, reverse=True)
    return "\n".join([_line(HEADINGS, "th"), *(_line(_facts(group)) for group in groups)])


def _copies(rows):
    """The median bandwidth of a copy on each machine, in GB/s."""
    found = {machine: _bandwidth(group) for (machine,), group in _by(rows, "machine").items()}
    return {machine: copy for machine, copy in found.items() if copy}


def _data(rows):
    shown = [{**row, "timed": is_timed(row), "wrong": is_wrong(row)} for row in rows]
    found = cases(rows)
    names = dict.fromkeys(name for row in [*shown, *found] for name in row)
    data = {"rows": _columns(shown), "cases": _columns(found), "units": {name: unit(name) for name in names},
            "copies": _copies(rows), "counts": {"rows": len(rows), "cases": len(found)}}
    # No text of a row may end the element of the page that holds the data.
    return json.dumps(data, ensure_ascii=False, separators=(",", ":"), allow_nan=False).replace("<", "\\u003c")


def page(rows: list[dict]) -> str:
    """One page of HTML, as a text, that shows rows of tulle.report.read; it loads nothing from elsewhere."""
    machines = dict.fromkeys(row["machine"] for row in rows)
    title = f"tulle on {next(iter(machines))}" if len(machines) == 1 else f"tulle on {len(machines)} machines"
    return string.Template(_part("html")).substitute(
        title=html.escape(title), machines=_machines(rows), style=_part("css"), script=_part("js"), data=_data(rows))
