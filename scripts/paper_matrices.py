#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Writes src/io/paper_matrices.c from src/io/paper_matrices.tsv; with --check only says whether it
is up to date (exit code 1: it is not)."""
import csv
import pathlib
import sys

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "src" / "io"
SOURCE = FOLDER / "paper_matrices.tsv"
TARGET = FOLDER / "paper_matrices.c"

HEAD = """/* SPDX-License-Identifier: Apache-2.0 */
/* Written by scripts/paper_matrices.py from paper_matrices.tsv. */
#include "io/paper_matrices.h"

/* clang-format off */
const tulle__paper_matrix tulle__paper_matrices[] = {
"""
TAIL = """};
/* clang-format on */

const int tulle__paper_matrix_count =
    (int)(sizeof tulle__paper_matrices / sizeof *tulle__paper_matrices);
"""
TEXTS = ("name", "alias", "papers", "kind")
NUMBERS = ("rows", "cols", "nnz", "nnz_stored", "mean_row", "sd_row", "max_row", "products", "nnzC")


def row_of(entry):
    quoted = {key: '"' + entry[key].replace('"', '\\"') + '"' for key in TEXTS}
    numbers = ", ".join("-1" if entry[key] == "-" else entry[key] for key in NUMBERS)
    symmetric = {"yes": "true", "no": "false"}[entry["symmetric"]]
    return (f"    {{{quoted['name']}, {quoted['alias']}, {quoted['papers']},\n"
            f"     {numbers}, {symmetric},\n     {quoted['kind']}}},\n")


def table():
    lines = [line for line in SOURCE.read_text().splitlines() if not line.startswith("#")]
    return HEAD + "".join(map(row_of, csv.DictReader(lines, delimiter="\t"))) + TAIL


def main():
    if sys.argv[1:] == ["--check"]:
        if TARGET.exists() and TARGET.read_text() == table():
            return 0
        print(f"{TARGET} is not what {SOURCE.name} gives: run scripts/paper_matrices.py")
        return 1
    TARGET.write_text(table())
    return 0


sys.exit(main())
