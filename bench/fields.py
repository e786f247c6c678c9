# SPDX-License-Identifier: Apache-2.0
"""The fields of rows, read from trials/fields.def, where each is explained."""
import collections
import pathlib
import re

Field = collections.namedtuple("Field", "key unit kept rows label about")

PATH = pathlib.Path(__file__).resolve().parent.parent / "trials/fields.def"
LINE = re.compile(r'F\((\w+), (\w+), (\w+), ([A-Z ]+), "([^"]*)", "([^"]*)"\)')
# The types that json.loads() gives a field of a unit; bytes may be a mean of several.
TYPES = {"TEXT": (str,), "FLAG": (bool,), "LIST": (list,), "COUNT": (int,)}


def read():
    lines = [line for line in PATH.read_text(encoding="utf-8").splitlines() if line.startswith("F(")]
    found = [LINE.fullmatch(line) for line in lines]
    wrong = [line for line, match in zip(lines, found) if not match]
    if wrong:
        raise ValueError(f"{PATH}: not F(key, unit, kept, rows, label, about): {wrong[0]}")
    return [Field(*match.groups()) for match in found]


FIELDS = read()


def types(field):
    return TYPES.get(field.unit, (int, float))


def of_rows(*kinds):
    """Types by key of the fields that any of these kinds of rows has."""
    return {field.key: types(field) for field in FIELDS if set(field.rows.split()) & set(kinds)}


def kept(how, *units):
    """Keys that lab/keep.py keeps so, FACT or KEPT; units: of fields with these units alone."""
    return [field.key for field in FIELDS if field.kept == how and (not units or field.unit in units)]
