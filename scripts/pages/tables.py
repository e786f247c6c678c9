# SPDX-License-Identifier: Apache-2.0
"""Markdown and numbers for pages made from result files."""
import collections
import json
import math
import sys


def read_rows(paths, same):
    """The latest row of each measurement, told apart by the keys `same`, in a fixed order."""
    latest = {}
    for path in sorted(paths):
        for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
            try:
                row = json.loads(line)
            except ValueError:
                sys.exit(f"{path}:{number}: no JSON (bench/schema.py checks result files)")
            row.setdefault("format", "csr")  # rows of the first version
            key = tuple(str(row.get(name)) for name in same)
            if key not in latest or latest[key]["date"] <= row["date"]:
                latest[key] = row
    return [latest[key] for key in sorted(latest)]


def group(rows, *names):
    groups = collections.defaultdict(list)
    for row in rows:
        groups[tuple(row[name] for name in names)].append(row)
    return dict(sorted(groups.items(), key=lambda item: tuple(str(part) for part in item[0])))


def is_right(row):
    return row["err"] is not None and row["err"] <= 1


def fastest(rows):
    rows = [row for row in rows if is_right(row)]
    return min(rows, key=lambda row: row["ms"]) if rows else None


def geometric_mean(numbers):
    return math.exp(sum(math.log(number) for number in numbers) / len(numbers))


def mean(numbers):
    return sum(numbers) / len(numbers)


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


def table(headings, rows):
    """Markdown; a heading that starts with '>' aligns its column right."""
    yield "| " + " | ".join(heading.lstrip(">") for heading in headings) + " |"
    yield "|" + "|".join("---:" if heading[0] == ">" else "---" for heading in headings) + "|"
    for row in rows:
        yield "| " + " | ".join(row) + " |"
    yield ""


def spec(row):
    return f"`{row['kernel']}{' ' + row['params'] if row['params'] else ''}`"


def span(rows, name, form):
    """The least and the largest of a column, as text."""
    numbers = sorted(row[name] for row in rows)
    low, high = form.format(numbers[0]), form.format(numbers[-1])
    return low if low == high else f"{low} to {high}"


def slug(text):
    return "".join(c if c.isalnum() else "-" for c in text.lower()).strip("-")
