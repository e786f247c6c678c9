# SPDX-License-Identifier: Apache-2.0
"""Matrix Market files as Python has them."""


def read(path, turned):
    """Rows, columns, and entries (i, j, value) in the order of the file, of the transpose if turned."""
    lines = [line.split() for line in open(path) if not line.startswith("%")]
    rows, cols = int(lines[0][0]), int(lines[0][1])
    entries = [(int(i), int(j), float(v)) for i, j, v in lines[1:]]
    if turned:
        return cols, rows, [(j, i, v) for i, j, v in entries]
    return rows, cols, entries


def assert_near(value, want, where):
    assert abs(value - want) <= 1e-12 * max(1, abs(want)), (*where, value, want)
