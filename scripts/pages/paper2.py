# SPDX-License-Identifier: Apache-2.0
"""Paper 2, Hiranandani: five CSR algorithms on fifteen matrices."""
from . import plots
from .papers import TYPES, best_by, name_of, nothing, param
from .tables import fastest, geometric_mean, group, is_right, mean, spec, table

# The paper's names, in its order, then the variants that it describes beside them.
FIVE = ("scalar", "vector", "adaptive", "pcsr", "light")
MORE = ("adaptive, a warp a long row", "light, vector level")


def algorithm(row):
    """Which of the algorithms a row is, or None."""
    kernel = row["kernel"].removeprefix("spmv_csr_")
    if kernel == "adaptive" and param(row, "long") == 0:
        return MORE[0]
    if kernel == "light" and param(row, "level") == 0:
        return MORE[1]
    return kernel if kernel in FIVE else None


def of_algorithms(results, type_):
    """{algorithm: {matrix: row}} of what is right."""
    found = {}
    for row in results.of("algorithms", type=type_):
        if is_right(row) and algorithm(row):
            found.setdefault(algorithm(row), {})[row["matrix"]] = row
    return {name: found[name] for name in FIVE + MORE if name in found}


def per_row(row):
    return row["nnz"] / max(row["rows"], 1)


def order(row):
    return per_row(row), row["matrix"]


def matrices_of(found):
    """The matrices that any algorithm has, by their mean row length; as rows."""
    rows = {matrix: row for of in found.values() for matrix, row in of.items()}
    return sorted(rows.values(), key=order)


def table_one(results):
    yield from ("#### Table I: the matrices", "")
    seen = best_by([row for row in results.rows if "ms" in row and "err" in row], "matrix")
    rows = []
    for row in sorted(seen.values(), key=order):
        get = lambda quantity: results.figures.get(2, quantity, where="Table I",
                                                   matrix=name_of(row))
        rows.append([f"`{row['matrix']}`", get("rows"), f"{row['rows']:,}", get("nnz"),
                     f"{row['nnz']:,}", get("mean_row"), f"{per_row(row):.1f}"])
    yield from table(("matrix", ">rows, paper", ">ours", ">nonzeros, paper", ">ours",
                      ">a row, paper", ">ours"), rows)
    real = [row for row in seen.values() if row["source"] == "real"]
    if real:
        yield from ("The paper counts the entries of the files; of the real symmetric matrices "
                    "ours are whole.", "")


def table_two(results, found):
    yield from ("#### Table II: the launches", "")
    rows = []
    for name, of in found.items():
        row = next(iter(of.values()))
        get = lambda quantity: results.figures.get(2, quantity, where="Table II", subject=name)
        rows.append([name, get("block"), get("grid"), get("shared"), spec(row)])
    yield from table(("algorithm", "block, paper", "grid, paper", "shared memory, paper", "ours"),
                     rows)


def long_rows(found):
    """The rows of both adaptive variants on the matrix of Table III."""
    return {variant: next((row for row in found.get(name, {}).values()
                           if name_of(row) == "rail4284"), None)
            for variant, name in (("long=0", MORE[0]), ("long=1", "adaptive"))}


def table_three(results, all_found):
    yield from ("#### Table III: CSR-Adaptive on Italian Railways (rail4284), GFLOP/s", "")
    headings = {"long=0": "one warp for a long row", "long=1": "the whole block for a long row"}
    rows = []
    for variant, heading in headings.items():
        cells = [heading]
        for type_, found in all_found.items():
            row = long_rows(found)[variant]
            cells += [results.figures.get(2, "gflops", where="Table III", subject=variant,
                                          type=type_), f"{row['gflops']:.4g}" if row else "-"]
        rows.append(cells)
    yield from table(("variant", ">f32, paper", ">f32, ours", ">f64, paper", ">f64, ours"), rows)


def bandwidth_of_titan(figures):
    """GB/s that the paper's memory bus can carry: two transfers a clock."""
    bits = float(figures.get(2, "memory bus width"))
    kilohertz = float(figures.get(2, "memory clock rate (KHz)"))
    return 2 * kilohertz * 1e3 * bits / 8 * 1e-9


def wins(found):
    """{algorithm: on how many matrices it is the fastest of the five}."""
    count = dict.fromkeys(FIVE, 0)
    for row in matrices_of(found):
        of = {name: found[name][row["matrix"]] for name in FIVE
              if row["matrix"] in found.get(name, {})}
        if of:
            count[min(of, key=lambda name: of[name]["ms"])] += 1
    return count


def means(results, all_found):
    yield from ("#### Means and wins", "")
    get = results.figures.get
    rows = []
    won = {type_: wins(found) for type_, found in all_found.items()}
    for name in FIVE + MORE:
        cells = [name]
        for type_, found in all_found.items():
            of = list(found.get(name, {}).values())
            if not of:
                cells += ["-"] * 6
                continue
            ours = mean([row["gflops"] for row in of])
            paper = get(2, "gflops", where="VI.B", matrix="mean of 15", subject=name, type=type_)
            cells += [paper, f"{ours:.1f}",
                      f"{ours / float(paper):.1f}" if paper != "-" else "-",
                      get(2, "wins", subject=name, type=type_), str(won[type_].get(name, "-")),
                      f"{mean([row['gbs_kernel'] for row in of]):.0f} / "
                      f"{mean([row['gbs'] for row in of]):.0f}"]
        rows.append(cells)
    of_type = (">{}: GFLOP/s, paper", ">{}: ours", ">{}: ours / paper", ">{}: wins, paper",
               ">{}: ours", ">{}: GB/s, loaded / minimal")
    yield from table(("algorithm", *(heading.format(type_) for type_ in all_found
                                     for heading in of_type)), rows)
    copy = max(row["copy_gbs"] for row in results.rows)
    yield from (f"Wins are among the five. The memory of the paper's GPU carries "
                f"{bandwidth_of_titan(results.figures):.0f} GB/s (its bus and clock), a copy here "
                f"{copy:.0f} GB/s: {copy / bandwidth_of_titan(results.figures):.1f} times as much.",
                "")
    yield from means_plot(results, all_found)


def means_plot(results, all_found):
    """Mean GFLOP/s of the five for what the memory carries, the paper's beside ours."""
    titan = bandwidth_of_titan(results.figures)
    bars = {"paper (of the bus)": {}, "ours (of a copy)": {}}
    for type_, found in all_found.items():
        for name in (name for name in FIVE if name in found):
            paper = float(results.figures.get(2, "gflops", where="VI.B", matrix="mean of 15",
                                              subject=name, type=type_))
            ours = mean([row["gflops"] / row["copy_gbs"] for row in found[name].values()])
            bars["paper (of the bus)"][f"{name}, {type_}"] = 100 * paper / titan
            bars["ours (of a copy)"][f"{name}, {type_}"] = 100 * ours
    yield from results.add_plot(plots.Bars, "means", "Mean GFLOP/s for 100 GB/s of memory bandwidth",
                                bars, "GFLOP/s for 100 GB/s")


def gflops_table(results, found, type_):
    vendor = results.vendor(type_)
    today = best_by(results.of("today", type=type_), "matrix")
    names = [name for name in FIVE + MORE if name in found]
    rows = []
    for row in matrices_of(found):
        matrix = row["matrix"]
        of = {name: found[name][matrix] for name in names if matrix in found[name]}
        most = max(each["gflops"] for each in of.values())
        cells = [f"`{matrix}`", f"{per_row(row):.1f}"]
        for name in names:
            value = of[name]["gflops"] if name in of else None
            text = f"{value:.1f}" if value else "-"
            cells.append(f"**{text}**" if value == most else text)
        best, peer = today.get((matrix,)), vendor.get(matrix)
        cells += [f"{best['gflops']:.1f}" if best else "-", spec(best) if best else "-",
                  f"{peer['gflops']:.1f}" if peer else "-"]
        rows.append(cells)
    yield from (f"GFLOP/s, {type_}; today: the best of tulle's CSR kernels with their own "
                "parameters:", "")
    yield from table(("matrix", ">a row", *(f">{name}" for name in names), ">today", "kernel",
                      ">vendor"), rows)


def series(found, x, y, names=FIVE):
    return {name: [(x(row), y(row)) for row in found[name].values() if x(row) > 0]
            for name in names if name in found}


def plot_section(results, all_found):
    yield from ("#### Figures", "")
    single = all_found.get("f32") or next(iter(all_found.values()))
    gflops = lambda row: row["gflops"]
    against = {"rows (Fig. 1)": lambda row: row["rows"], "nonzeros (Fig. 2)": lambda row: row["nnz"],
               "nonzeros a row (Figs. 3, 9)": per_row}
    yield from results.add_plot(plots.Lines, "gflops", "GFLOP/s of the five, f32",
                           {panel: series(single, x, gflops) for panel, x in against.items()},
                           ("", "GFLOP/s"))
    panels = {name: {type_: [(per_row(row), row["gflops"]) for row in found[name].values()]
                     for type_, found in all_found.items() if name in found}
              for name in FIVE if any(name in found for found in all_found.values())}
    yield from results.add_plot(plots.Lines, "each", "GFLOP/s of each against nonzeros a row (Figs. 4-8)",
                           panels, ("nonzeros a row", "GFLOP/s"))
    yield from results.add_plot(
        plots.Lines, "bandwidth", "Bandwidth of the five against nonzeros a row, f32 (Fig. 12)",
        {"bytes that the kernel loads and stores": series(single, per_row,
                                                          lambda row: row["gbs_kernel"]),
         "fewest bytes": series(single, per_row, lambda row: row["gbs"])},
        ("nonzeros a row", "GB/s"))


COUNTERS = (("occupancy", "Achieved occupancy % (Fig. 10)"),
            ("warp_efficiency", "Warp execution efficiency % (Fig. 11)"),
            ("load_efficiency", "Global load efficiency % (Fig. 13)"), ("l1_hit", "L1 hit rate %"))


def profile_section(results):
    yield from ("#### The profiler's counters (Figs. 10, 11, 13)", "")
    profiles = [row for row in results.profiles("algorithms") if algorithm(row)]
    if not profiles:
        yield from nothing(2, "--profile")
        return
    rows = []
    for name in FIVE + MORE:
        of = [row for row in profiles if algorithm(row) == name]
        if not of:
            continue
        cells = [name, str(len(of))]
        for key, _ in COUNTERS:
            values = [row[key] for row in of if row[key] is not None]
            cells.append(f"{mean(values):.0f}" if values else "-")
        rows.append(cells)
    yield from ("Means over the matrices, f32:", "")
    yield from table(("algorithm", ">matrices", ">occupancy %", ">warp efficiency %",
                      ">load efficiency %", ">L1 hit %"), rows)
    panels = {}
    for key, heading in COUNTERS:
        panel = {}
        for row in profiles:
            if row[key] is not None and algorithm(row) in FIVE:
                panel.setdefault(algorithm(row), []).append((per_row(row), row[key]))
        if panel:
            panels[heading] = panel
    if panels:
        yield from results.add_plot(plots.Lines, "profile", "Counters against nonzeros a row, f32", panels,
                               ("nonzeros a row", "%"))


def words_on_wins(results, all_found):
    for type_, found in all_found.items():
        won, count = wins(found), len(matrices_of(found))
        most = max(won, key=won.get)
        paper = results.figures.get(2, "wins", subject=most, type=type_)
        yield (f"{most} wins {won[most]} of {count}, {type_}"
               f"{f' (the paper: {paper} of 15)' if paper != '-' else ''}; light, the paper's "
               f"winner, {won['light']}.")
        averages = {name: mean([row["gflops"] for row in found[name].values()])
                    for name in FIVE if name in found}
        ours = sorted(averages, key=averages.get, reverse=True)
        paper = {name: float(results.figures.get(2, "gflops", where="VI.B", matrix="mean of 15",
                                                 subject=name, type=type_)) for name in averages}
        theirs = sorted(paper, key=paper.get, reverse=True)
        yield (f"By mean GFLOP/s, {type_}: {', '.join(ours)}; the paper: {', '.join(theirs)}"
               f"{'' if ours != theirs else ' (the same order)'}.")


def words_on_bytes(all_found):
    for type_, found in all_found.items():
        for key, heading in (("gbs_kernel", "bytes loaded and stored"), ("gbs", "fewest bytes")):
            of = {name: mean([row[key] for row in found[name].values()])
                  for name in FIVE if name in found}
            best = max(of, key=of.get)
            yield f"By {heading}, {type_}, {best} leads with {of[best]:.0f} GB/s on average."


def words(results, all_found):
    yield from words_on_wins(results, all_found)
    for type_, found in all_found.items():
        one, all_ = long_rows(found)["long=0"], long_rows(found)["long=1"]
        if one and all_:
            get = lambda subject: float(results.figures.get(
                2, "gflops", where="Table III", subject=subject, type=type_))
            yield (f"The whole block for a long row is worth {all_['gflops'] / one['gflops']:.1f} "
                   f"times, {type_}; it was {get('long=1') / get('long=0'):.1f}.")
    yield from words_on_bytes(all_found)
    for type_, found in all_found.items():
        today = best_by(results.of("today", type=type_), "matrix")
        ratios = []
        for row in matrices_of(found):
            old = fastest([found[name][row["matrix"]] for name in found
                           if row["matrix"] in found[name]])
            if old and today.get((row["matrix"],)):
                ratios.append(old["ms"] / today[(row["matrix"],)]["ms"])
        if ratios:
            yield (f"Today's kernels with their own parameters are {geometric_mean(ratios):.2f} times "
                   f"as fast as the best of the paper's with its launches, {type_} (geometric mean).")


def sections(results, all_found):
    yield from table_one(results)
    if not all_found:
        yield from nothing(2, "--experiment algorithms")
        return
    yield from table_two(results, next(iter(all_found.values())))
    yield from table_three(results, all_found)
    yield from means(results, all_found)
    for type_, found in all_found.items():
        yield from gflops_table(results, found, type_)
    yield from plot_section(results, all_found)
    yield from profile_section(results)


def page(results):
    """The lines of the page, and what the numbers come to."""
    all_found = {type_: of_algorithms(results, type_) for type_ in TYPES}
    all_found = {type_: found for type_, found in all_found.items() if found}
    return list(sections(results, all_found)), list(words(results, all_found))
