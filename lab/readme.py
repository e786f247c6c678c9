#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Puts the README's table of speed between its two marks, from the measurements in lab/results/.

A row is an operation in f64 on a GPU: how many times as fast tulle is as the fastest way of its peers, in
the geometric mean and at the worst, over all cases of the class `memory` (at least four times the last-level
cache) that were measured with both in one run; of all classes where that class has fewer than three.
--check writes nothing and exits with 1 if the README's table is not what the results give.
"""
import argparse
import sys

from pages import cases as cases_
from pages import output
from pages.tables import geometric_mean, like

FIRST, LAST = "<!-- made by lab/readme.py -->", "<!-- end of what lab/readme.py made -->"
ROWS = (("spmv", "y = A x"), ("spmm", "Y = A X"), ("spgemm", "C = A A, sparse"), ("add", "C = A + B, sparse"),
        ("transpose", "C = Aᵀ"), ("trisolve", "triangular systems"), ("factor", "ILU(0), IC(0), values"),
        ("dot", "inner products"), ("cg", "CG, an iteration"), ("gmres", "GMRES(30), an iteration"))


def lines(cases):
    yield "| operation, f64 | GPU | cases | faster, mean | at worst | where |"
    yield "|---|---|---:|---:|---:|---|"
    for op, title in ROWS:
        of_op = cases[(cases.op == op) & cases.ratio.notna()]
        if of_op.empty:
            continue
        of_op = cases_.judged(cases_.most_measured(of_op))
        worst = of_op.loc[of_op.ratio.idxmin()]
        yield (f"| {title} | {cases_.card_of(worst.machine)} | {len(of_op)} | {geometric_mean(of_op.ratio):.2f} | "
               f"{worst.ratio:.2f} | `{worst.matrix}` |")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    parser.add_argument("--check", action="store_true")
    options = parser.parse_args()
    path = output.ROOT / "README.md"
    text = path.read_text(encoding="utf-8")
    before, rest = text.split(FIRST)
    after = rest.split(LAST)[1]
    cases = like(cases_.measured(output.ROOT / "lab/results"), backend="cuda", type="f64", overall=True)
    table = "\n".join(lines(cases))
    made = f"{before}{FIRST}\n{table}\n{LAST}{after}"
    if options.check and made != text:
        sys.exit("README.md is not up to date: run lab/readme.py")
    if not options.check:
        path.write_text(made, encoding="utf-8")


if __name__ == "__main__":
    main()
