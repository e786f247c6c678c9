# SPDX-License-Identifier: Apache-2.0
"""Operations on given arrays."""
from .tables import read_rows

SAME = ["machine", "backend", "op", "detail", "matrix", "type", "index", "block", "k", "layout",
        "trans", "threads", "choice", "request"]
CASE = ["op", "what", "type", "matrix"]
TITLES = {"row_sums": "sums of rows",
          "mat_scale": "rows and columns scaled",
          "trisolve": "triangle",
          "factor": "factors",
          "dot": "inner products of columns",
          "axpy": "Y + a X",
          "axpby": "a X + a Y",
          "scale": "a Y",
          "copy": "copies",
          "multiply": "products, number by number",
          "divide": "quotients, number by number",
          "norm2": "2-norms of columns",
          "norm_max": "maximum norms of columns",
          "multivector_dot": "Xᵀ Z, small result",
          "multivector_axpy": "Y + X A, small A",
          "qr": "X = Q R",
          "batch_dot": "Xᵀ Z of each task",
          "batch_axpy": "Y + X A of each task",
          "batch_shared": "Y + X A, small A on the host",
          "batch_spmm": "A X of each task, blocks",
          "batch_spmm_transposed": "Aᵀ X of each task, blocks",
          "batch_mixed": "A X of each task, mixed sizes",
          "batch_factor": "ILU(0) of each task, blocks",
          "batch_lu": "complete LU of each task, blocks",
          "batch_solve": "solution with the LU of each task",
          "assemble": "element matrices added up",
          "diffusion": "diffusion from coordinates",
          "local": "products of element matrices",
          "matrix_free": "A x without a matrix",
          "uniform": "small systems of one pattern",
          "uniform_lu": "LU of small dense matrices",
          "uniform_cholesky": "Cholesky of small dense matrices"}
# They find order and pattern anew each time (bench/standing.c).
UNLIKE = ["scipy_spilu", "scipy_splu"]


def what_of(row):
    """How it was asked for: "lower, transposed, blocks of 4, 8 by row"."""
    parts = [row.detail, f"fill {row.fill:.0f}" if row.fill > 0 else "",
             "transposed" if row.trans == "t" else "",
             f"blocks of {row.block}" if row.block > 1 else "",
             f"{row.k} by {row.layout}" if row.k > 1 else ""]
    return ", ".join(part for part in parts if part)


def read_acted(folder):
    """All measurements of these operations; none where nothing was measured."""
    rows = read_rows(folder, SAME)
    acted = rows[rows.op.isin(TITLES)] if len(rows) else rows
    if acted.empty:
        return acted
    return acted.assign(what=[what_of(row) for row in acted.itertuples()])
