# SPDX-License-Identifier: Apache-2.0
"""Rows of result files: lines of JSON as `tulle bench --json` prints them, or as lab/keep.py keeps them."""
from __future__ import annotations

import json
import os
import sys

# Fields without which a row is no measurement, all of them texts.
IDENTITY = ("op", "matrix", "type", "kernel", "choice", "backend", "machine", "date")
# Fields that are texts.
TEXTS = IDENTITY + ("source", "class", "index", "trans", "layout", "params", "commit", "request", "peer_version",
                    "second", "format", "search", "best", "reason", "detail", "method", "arranged", "experiment")

# Fields without a unit that are numbers or flags, by which cases are told apart or made.
NUMBERS = ("rows", "cols", "nnz", "nnz_c", "k", "block", "tasks", "fill", "streams", "paper", "pooled", "threads",
           "err", "floor", "broken", "iterations")


class Fault(ValueError):
    """A file holds no results, or a line of it is no row. The message is one line that begins with the file's name."""


def unit(key: str) -> str:
    """The unit of a field by its name, as trials/fields.def has it: "ms", "bytes", "GB/s", "GFLOP/s", or "".

    >>> [unit(key) for key in ("ms", "prep_ms", "ms_cold", "peak_bytes", "copy_gbs", "gflops", "nnz")]
    ['ms', 'ms', 'ms', 'bytes', 'GB/s', 'GFLOP/s', '']
    """
    words = key.split("_")
    for word, name in (("ms", "ms"), ("bytes", "bytes"), ("cap", "bytes"), ("gbs", "GB/s"), ("gflops", "GFLOP/s")):
        if word in words:
            return name
    return ""


def _reject(name):
    raise ValueError(f"{name} is no number of JSON")


def _within(kind):
    """A reader of numbers of this kind that refuses those beyond the range of f64, which a page cannot hold."""
    def read_number(text):
        number = kind(text)
        if abs(number) > sys.float_info.max:
            raise ValueError(f"{text[:20]} is beyond the range of f64")
        return number
    return read_number


_READERS = {"parse_constant": _reject, "parse_int": _within(int), "parse_float": _within(float)}


def _parsed(line, where):
    try:
        found = json.loads(line, **_READERS)
        if "\\ud" in line.lower():  # else no text has half of a pair of surrogates
            json.dumps(found, ensure_ascii=False).encode()
        return found
    except json.JSONDecodeError as error:
        raise Fault(f"{where}: not JSON: {error.msg} at column {error.colno}") from None
    except UnicodeEncodeError:
        raise Fault(f"{where}: a text has half of a character, a surrogate without its partner") from None
    except (ValueError, RecursionError) as error:
        raise Fault(f"{where}: not JSON: {error}") from None


def _is_measured(value):
    """True of a number that is no nonsense and whose quotients stay in the range of f64."""
    return isinstance(value, (int, float)) and (value == 0 or 1e-100 <= value <= 1e100)


def _checked(row, where):
    """The row, without fields that have no value."""
    row = {key: value for key, value in row.items() if value is not None}
    missing = [key for key in IDENTITY if key not in row]
    if missing:
        raise Fault(f"{where}: not a row of tulle bench: it has no field {missing[0]!r}")
    for key, value in row.items():
        if key in TEXTS and not isinstance(value, str):
            raise Fault(f"{where}: {key} is {value!r}: a text is wanted")
        if (unit(key) or key in NUMBERS) and not _is_measured(value):
            raise Fault(f"{where}: {key} is {value!r}: 0 or a number from 1e-100 to 1e100 is wanted")
    return row


def _completed(row):
    """The row with what follows from other fields, which kept files leave out."""
    if "gbs" in row and row.get("copy_gbs"):
        row.setdefault("floor", row["gbs"] / row["copy_gbs"])
    if row["choice"] in ("forced", "peer", "plan"):
        params = f":{row['params']}" if row.get("params") else ""
        row.setdefault("request", f"{row['choice']} {row['kernel']}{params}")
    return row


def _head(found, where):
    """The shared fields and the names of columns, which stand before the lists of a kept file."""
    shared, names = found["shared"], found.get("names")
    if not isinstance(shared, dict) or not isinstance(names, list) or not all(isinstance(name, str) for name in names):
        raise Fault(f"{where}: \"shared\" and \"names\" are not an object and a list of texts")
    return shared, names


def _rows_of(lines, path):
    shared, names = {}, None
    for number, line in enumerate(lines, 1):
        where = f"{path}:{number}"
        if not line.strip():
            continue
        found = _parsed(line, where)
        if isinstance(found, dict) and "shared" in found:
            shared, names = _head(found, where)
            continue
        if isinstance(found, list):
            if names is None:
                raise Fault(f"{where}: a list without a line before it that names its columns")
            if len(found) != len(names):
                raise Fault(f"{where}: {len(found)} values for {len(names)} columns")
            found = {**shared, **dict(zip(names, found))}
        if not isinstance(found, dict):
            raise Fault(f"{where}: neither an object nor a list: no result of tulle bench")
        yield _completed(_checked(found, where))


def read(*paths: str | os.PathLike[str]) -> list[dict]:
    """The rows of result files, each a dict by the names of fields (`tulle bench --fields` explains them). Raises Fault
    where a file has no rows or a line is none, and OSError where a file cannot be read.

    >>> import pathlib, tempfile
    >>> path = pathlib.Path(tempfile.mkdtemp(), "results.jsonl")
    >>> _ = path.write_text('{"op": "spmv"}')
    >>> read(path)  # doctest: +IGNORE_EXCEPTION_DETAIL
    Traceback (most recent call last):
    tulle.report.Fault: results.jsonl:1: not a row of tulle bench: it has no field 'matrix'
    """
    rows = []
    for path in paths:
        with open(path, encoding="utf-8") as file:
            try:
                found = list(_rows_of(file, path))
            except UnicodeDecodeError:
                raise Fault(f"{path}: not a text in UTF-8: no result of tulle bench") from None
        if not found:
            raise Fault(f"{path}: no rows")
        rows += found
    return rows
