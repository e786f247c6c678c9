# SPDX-License-Identifier: Apache-2.0
"""Iterative methods: an iteration, and whole solutions with ILU(0)."""
from .actors import SAME
from .tables import read_rows

CASE = ["op", "detail", "type", "matrix"]
TITLES = {"cg": "CG", "bicgstab": "BiCGStab", "gmres": "GMRES(30)"}
WHOLE = "ilu"


def read_solved(folder):
    """All measurements of these methods; of whole solutions, ms is the time of all of it."""
    rows = read_rows(folder, SAME)
    solved = rows[rows.op.isin(TITLES)] if len(rows) else rows
    if solved.empty:
        return solved
    whole = solved.detail == WHOLE
    return solved.assign(iteration_ms=solved.ms, ms=solved.ms.mask(whole, solved.whole_ms))
