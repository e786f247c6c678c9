# SPDX-License-Identifier: Apache-2.0
"""The measurements of a product on a machine side by side: tulle's and the peers'."""
import numpy as np
import pandas as pd

from .tables import beside, fastest, read_rows

# What tells measurements apart. The kernel is not part of it: what a rule picks changes with it.
SAME = ["machine", "backend", "op", "matrix", "type", "index", "trans", "k", "layout", "format",
        "threads", "choice", "request", "search", "call"]
# The keys of one product; those of one vector first.
PRODUCT = ["machine", "backend", "op", "trans", "index", "type", "k", "layout", "matrix"]
# Of the matrix and the product, whatever ran.
COMMON = ["class", "source", "rows", "cols", "nnz", "a_row", "mean_row", "sd_row", "max_row", "minimal",
          "own_threads"]


def read_products(folder):
    """All rows of products that were computed, none where nothing was measured."""
    rows = read_rows(folder, SAME)
    if rows.empty:
        return rows
    of_vectors = rows.op.isin(["spmv", "spmm"])
    rows = rows[of_vectors & ~rows.choice.isin(["refused", "profile"])].copy()
    rows["op"] = pd.Categorical(rows.op, ["spmv", "spmm"], ordered=True)
    rows["minimal"] = 1e6 * rows.gbs * rows.ms  # the fewest bytes that the product needs
    rows["library"] = rows.kernel.str.split("_").str[0]
    rows["ours"] = ~rows.choice.isin(["peer", "tune"]) & (rows.format == "csr")
    of_product = [rows[name] for name in PRODUCT]
    rows["own_threads"] = rows.threads.where(rows.ours).groupby(of_product,
                                                                observed=True).transform("max")
    rows["alike"] = rows.threads == rows.own_threads
    return rows


def cases_of(rows):
    """A row for each product of tulle's: of the fastest row of each part its columns `PART_ms` and
    so on; kernel: of the rule and each kernel by name; best: of all of tulle's."""
    peers = rows[rows.choice == "peer"]
    ours = rows[rows.ours & rows.alike]
    by = {choice: ours[ours.choice == choice] for choice in ("rule", "forced", "plan", "optimise")}
    kernels = pd.concat([by["forced"], by["rule"]])
    parts = {"rule": by["rule"], "kernel": kernels, "plan": by["plan"], "optimise": by["optimise"],
             "best": pd.concat([by["rule"], kernels, by["plan"], by["optimise"]]),
             "packed": rows[(rows.kernel == "spmv_packed") & (rows.choice != "tune")],
             "peer": peers, "csr_peer": peers[peers.kernel.str.contains("_csr")],
             "mkl": peers[peers.alike & (peers.library == "mkl")],
             "open": peers[peers.alike & peers.library.isin(["eigen", "librsb"])]}
    cases = beside(parts, PRODUCT, COMMON)
    return cases[cases.best_ms.notna()].sort_index().reset_index()


def peers_of(rows, cases):
    """The cases again for each library that has one, with its fastest row as the part `library`."""
    peers = fastest(rows[rows.choice == "peer"], [*PRODUCT, "library"])[
        ["ms", "threads", "peer_version"]].add_prefix("library_").reset_index()
    return cases.merge(peers, on=PRODUCT)


def ratio(cases, kind, peer="peer", key="ms"):
    """How many times faster than a peer; by matrix."""
    return (cases[f"{peer}_{key}"] / cases[f"{kind}_{key}"]).set_axis(cases.matrix)


def is_slower(cases, kind):
    """Beyond what the classes where calls are short allow: 3 %, or 0.3 microseconds."""
    ms, peer = cases[f"{kind}_ms"], cases.peer_ms
    return (ms > peer) & ((cases["class"] == "memory") | (ms > 1.03 * peer) & (ms > peer + 3e-4))


def calls_to_pay(cases, kind):
    """Preparation over what each call gains on the rule; infinite where none gains."""
    gain = cases.rule_ms - cases[f"{kind}_ms"]
    return (cases[f"{kind}_prep_ms"] / gain).mask(gain <= 0, np.inf)
