# SPDX-License-Identifier: Apache-2.0
"""Operations that make a matrix."""
import pandas as pd

from .tables import latest, read_rows

SAME = ["machine", "backend", "op", "matrix", "second", "type", "index", "pooled", "threads",
        "choice", "request"]
DEFAULT = "spgemm_auto"  # what the rule takes, and a kernel by name
CASE = ["op", "pooled", "type", "matrix", "second", "block"]
TITLES = {"spgemm": "C = A A",
          "update": "C = A A, values alone",
          "blocks": "C = A A in blocks",
          "blocks_update": "C = A A in blocks, values alone",
          "galerkin": "C = PᵀAP",
          "add": "C = A + B",
          "add_values": "C = A + A, values alone",
          "masked": "C = (L L) on L",
          "transpose": "C = Aᵀ",
          "entrywise": "C = A .* B",
          "part": "C = lower part of A"}


def read_made(*folders):
    """All measurements of these operations in some folders, without a cap on memory, the default
    kernel as the rule; none where nothing was measured."""
    rows = [rows for rows in (read_rows(folder, SAME) for folder in folders) if len(rows)]
    if not rows:
        return pd.DataFrame()
    rows = pd.concat(rows, ignore_index=True)
    made = rows.op.isin(TITLES) & (rows.choice != "refused") & ~(rows.cap > 0)
    rows = rows[made].assign(second=rows.second.fillna(""), block=rows.block.fillna(1))
    by_name = (rows.kernel == DEFAULT) & (rows.choice == "forced")
    request = rows.request.str.replace(f"forced {DEFAULT}", "rule")
    return latest(rows.assign(choice=rows.choice.mask(by_name, "rule"),
                              request=request.where(by_name, rows.request)), SAME).sort_index()
