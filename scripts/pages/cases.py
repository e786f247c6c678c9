# SPDX-License-Identifier: Apache-2.0
"""The measurements of one product on one machine: tulle's, the peers', and how they compare."""
import math

from .tables import fastest, group, is_right

CLASSES = ("memory", "cache", "launch")
TYPES = ("f32", "f64")
# What tells measurements apart. The kernel is not part of it: what a rule picks changes with it.
SAME = ("machine", "backend", "op", "matrix", "type", "index", "trans", "k", "layout", "format",
        "threads", "choice", "request", "search", "call")
# The keys of one product.
PRODUCT = ("op", "trans", "index", "type", "k", "layout", "matrix")
# Tulle's rows: the key of a choice, its heading.
KINDS = (("rule", "rule"), ("kernel", "best kernel"), ("plan", "best plan"),
         ("optimise", "optimise"))


class Case:
    """All rows of one product."""

    def __init__(self, rows):
        ours = [row for row in rows if row["choice"] != "peer" and row["format"] == "csr"]
        threads = max((row["threads"] for row in ours), default=0)
        ours = [row for row in ours if row["threads"] == threads]
        by = {choice: of_choice for (choice,), of_choice in group(ours, "choice").items()}
        rule, forced = by.get("rule", []), by.get("forced", [])
        self.by_request = {row["request"]: row for row in ours if is_right(row)}
        self.peers = [row for row in rows if row["choice"] == "peer" and is_right(row)]
        self.peer = fastest(self.peers)
        self.csr_peer = fastest([row for row in self.peers if "_csr" in row["kernel"]])
        self.tulle = {"rule": fastest(rule), "kernel": fastest(forced + rule),
                      "plan": fastest(by.get("plan", [])),
                      "optimise": fastest(by.get("optimise", []))}
        self.packed = fastest([row for row in rows if row["kernel"] == "spmv_packed"])
        self.others = [row for row in rows if row["format"] != "csr" and is_right(row)]
        self.best = fastest([row for row in self.tulle.values() if row])
        self.any = self.tulle["rule"] or (ours or rows)[0]
        self.matrix, self.type, self.source = (self.any[key] for key in ("matrix", "type", "source"))
        self.of_class, self.threads = self.any["class"], threads

    def of_floor(self, row):
        """The floor of the CSR product over a row's time, whatever the row's format."""
        return 1e-6 * minimal_bytes(self.any) / row["copy_gbs"] / row["ms"]

    def ratio(self, kind, peer, key="ms"):
        """How many times faster than a peer's row, or None."""
        row = self.tulle[kind]
        return peer[key] / row[key] if row and peer else None

    def is_slower(self, kind):
        """Beyond what the classes where calls are short allow: 3 %, or 0.3 microseconds."""
        ms, peer = self.tulle[kind]["ms"], self.peer["ms"]
        if self.of_class == "memory":
            return ms > peer
        return ms > 1.03 * peer and ms > peer + 3e-4

    def calls_to_pay(self, kind):
        """Preparation over what each call gains on the rule; infinite where none gains."""
        row, rule = self.tulle[kind], self.tulle["rule"]
        gain = rule["ms"] - row["ms"]
        return row["prep_ms"] / gain if gain > 0 else math.inf


def minimal_bytes(row):
    """The fewest bytes that a row's product needs."""
    return 1e6 * row["gbs"] * row["ms"]


def format_of(row):
    """The format in which a row's kernel has the matrix: "sell" of "spmv_sell"."""
    return row["kernel"].split("_")[1]


def cases_of(rows):
    """The cases of tulle's products among rows of one machine, in the order of their keys."""
    rows = [row for row in rows if row["choice"] != "tune"]
    cases = [Case(of_case) for of_case in group(rows, *PRODUCT).values()]
    return [case for case in cases if case.best]


def where(cases, **wanted):
    """The cases whose rows have these values; of_class: whose class it is."""
    of_class = wanted.pop("of_class", None)
    return [case for case in cases if of_class in (None, case.of_class) and
            all(case.any[key] == value for key, value in wanted.items())]


def pairs_of(cases, value):
    """[(case, value)] of the cases that have a value."""
    found = [(case, value(case)) for case in cases]
    return [(case, number) for case, number in found if number is not None]
