#!/usr/bin/python3
# SPDX-License-Identifier: Apache-2.0
"""Makes docs/performance.md, docs/performance-tables.md and their plots from lab/results/*.jsonl.

Every measured number on the pages comes from a result file. Of measurements that were repeated, the
latest that was checked counts. --check writes nothing and exits with 1 if the pages are not what the results give;
it leaves the plots alone.
"""
from pages import (actors, bars, batches, each, makers, means, output, solvers, sparse, targets,
                   tuner)
from pages.products import cases_of, read_products
from pages.tables import named, span

HEAD = "<!-- Made by lab/performance.py from lab/results/; do not edit. -->"
SUMMARY = f"""{HEAD}

# Performance

Every matrix: [performance-tables.md](performance-tables.md). What the words mean:

- time: the median of calls back to back; cold: after the caches were filled with other data
- floor: the time in which the machine's own copy, measured in the same run, would move the fewest \
bytes that the product needs from CSR (each input read once, each output written once); the columns \
have the floor over the time
- `rule`: what `tulle_spmv` or `tulle_spmm` picks by itself
- `optimise`: after `tulle_mat_optimize`, which may change the format
- best kernel: the fastest of the rule and each kernel by name, on CSR and without a plan; best \
plan: of the plans of all kernels
- CSR peer: the fastest of the peers on CSR, after its preprocessing where that is faster; best \
peer: in any format
- a ratio, A / B: the speed of A over that of B; above 1, A is faster; means are geometric
- slower than the peer: in the classes cache and launch, by more than 3 % and 0.3 µs

Classes, never mixed in a mean:

- memory: at least four times the last-level cache: the memory's bandwidth decides
- cache: less than that, yet more than a launch
- launch: a floor under 5 µs: the latency of the call decides
"""
TABLES = f"""{HEAD}

# Performance, every matrix

What the columns mean: [performance.md](performance.md). Best: the fastest of the rule, each kernel \
by name, each plan, and optimise. Faster times are bold.
"""


def machine_lines(rows):
    yield ("- copy bandwidth, measured in each run: "
           f"{span(rows.copy_gbs, '{:.0f}')} GB/s, reads plus writes")
    if rows.threads.any():
        yield f"- threads: {rows.threads.max()}"
    yield f"- peers: {named(rows.peer_version) or 'none in these runs'}"
    yield f"- {len(rows)} measurements, {span(rows.date, '{:.10}')}, commit {named(rows.commit)}"
    ours = rows.err[rows.choice != "peer"].dropna()
    if len(ours):
        yield f"- largest error of tulle: {ours.max():.2g} of its bound"
    if rows.unchecked.any():
        yield f"- not checked, and left out below: {rows.unchecked.sum()} measurements"
    for row in rows[rows.err > 1].itertuples():
        yield (f"- WRONG: {row.spec} on `{row.matrix}` {row.type} {row.trans}: "
               f"{row.err:.3g} times the bound")
    yield ""


def parts_of(cases, *more):
    """Each kind of product, of one vector first: its title, whether it has several, its cases."""
    for (op, trans, index, *_), part in cases.groupby(["op", "trans", "index", *more],
                                                      observed=True):
        offsets, columns = index.split("/")
        title = (("SpMM " if op == "spmm" else "SpMV ") +
                 ("transposed, Aᵀ" if trans == "t" else "A") + ("X" if op == "spmm" else "x"))
        yield (f"{title}, {offsets}-bit offsets, {columns}-bit columns", op == "spmm",
               part.reset_index(drop=True))


def of_machine(backend, rows, plots):
    """The lines of both pages."""
    cases, calls = cases_of(rows), tuner.calls_of(rows)
    paths = tuner.paths_of(calls)
    first = [*machine_lines(rows), *bars.lines(backend, cases, paths)]
    for title, several, part in parts_of(cases):
        first += means.spmm_lines(part, title) if several else means.spmv_lines(rows, part, title,
                                                                              plots)
    second = []
    for title, several, part in parts_of(cases, "type"):
        second += each.spmm_lines(part, title) if several else each.spmv_lines(rows, part, title,
                                                                             plots)
    return ([*first, *tuner.lines(paths, plots)], [*second, *tuner.detail_lines(calls, paths)])


def by_machine(rows):
    """Frames of each machine and backend."""
    return dict(list(rows.groupby(["machine", "backend"]))) if len(rows) else {}


def main():
    options = output.parser_of(__doc__, "lab/results").parse_args()
    first, second, plots = [SUMMARY], [TABLES], []
    products, made, acted, solved = (
        by_machine(read(options.results))
        for read in (read_products, makers.read_made, actors.read_acted, solvers.read_solved))
    batched = by_machine(batches.read_batches(options.results))
    of_papers_too = by_machine(makers.read_made(options.results, options.results / "papers"))
    if not products and not made and not acted and not solved:
        first += ["There are no measurements in lab/results/ yet."]
    for machine, backend in sorted({*products, *made, *acted, *solved}):
        heading = [f"## {machine} ({backend})", ""]
        first += heading
        if (machine, backend) in products:
            summary, every = of_machine(backend, products[machine, backend], plots)
            first += summary
            second += [*heading, *every]
        if (machine, backend) in made:
            first += sparse.made(backend, of_papers_too[machine, backend])
            first += makers.lines(made[machine, backend])
        if (machine, backend) in acted:
            first += targets.elements(backend, acted[machine, backend])
            if backend == "cuda":
                first += bars.factor_lines(acted[machine, backend])
                if (machine, backend) in batched:
                    first += batches.lines(batched[machine, backend])
            else:
                first += targets.triangles_on_cpu(acted[machine, backend])
            first += actors.lines(acted[machine, backend])
        if (machine, backend) in solved:
            first += targets.methods(backend, solved[machine, backend])
            first += solvers.lines(solved[machine, backend])
    output.publish(options, {"performance.md": first, "performance-tables.md": second}, plots,
                   lambda name: not name.startswith("papers-"))


if __name__ == "__main__":
    main()
