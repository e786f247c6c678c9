# SPDX-License-Identifier: Apache-2.0
"""Paper 3, Afanasyev et al.: many small tasks side by side."""
import pandas as pd

from . import plots
from .papers import legend, nothing
from .tables import fastest, human_ms, like, loosely, mark, marks, span, table

NAMES = {"batch_dot": "DOT", "batch_axpy": "DAXPY", "batch_spmm": "MVM",
         "batch_spmm_transposed": "MVMT", "batch_lu": "LU", "batch_solve": "SLE"}
PUBLISHED = "tasks"
# The figures that compare with a library: experiment, its name in the paper, and the library here.
COMPARED = (("dot", "Figure 3: DOT", "cuBLAS"), ("axpy", "Figure 4: DAXPY", "cuBLAS"),
            ("mvm", "Figure 5: MVM", "cuSPARSE"))
SIZES = ["type", "k"]
PRINTED = (15, 30)  # tasks of the paper's own claim


def data_of(results):
    """What is not wrong, with the paper's names: of many more tasks than its own nothing is checked."""
    rows = loosely(results.rows)
    peer = rows.choice == "peer"
    who = rows.kernel.where(peer, rows.detail)
    return rows.assign(name=rows.op.map(NAMES), who=who)


def count_of(results):
    """Multiprocessors, or threads of a CPU: four tasks each are the most."""
    tasks = results.of("tasks").tasks
    tasks = tasks[~tasks.isin(PRINTED)]
    return int(tasks.max()) // 4 if len(tasks) else 0


def times(rows, many, few):
    """The time of `many` tasks over that of `few`, by operation, type and way."""
    cells = rows.pivot_table(index=["name", "type", "who"], columns="tasks", values="ms")
    if many not in cells or few not in cells:
        return cells.iloc[:0, 0]
    return (cells[many] / cells[few]).dropna()


def words_of_tasks(results, rows):
    rows, each = like(rows, experiment="tasks"), count_of(results)
    if rows.empty:
        return
    printed = results.figure("times the time", subject="30 tasks over 15")
    claimed = ((*PRINTED[::-1], "30 tasks take {} times the time of 15"),
               (2 * each, each, "two tasks a multiprocessor take {} times the time of one"))
    for many, few, what in (*claimed, (4 * each, 2 * each, "four take {} times the time of two")):
        found = times(rows, many, few)
        for (name, who), of in found.groupby(level=[0, 2]):
            holds = "so here" if (of < 2).all() else "not so here"
            behind = mark(like(rows[rows.tasks.isin([many, few])], name=name, who=who))
            claim = ""
            if who == PUBLISHED and many == PRINTED[-1]:
                claim = f" (the paper: {printed}; {holds})"
            elif who == PUBLISHED and many == 2 * each:
                claim = (" (there are fewer streams than multiprocessors, so that two tasks never share one: "
                         "this does not try the paper's claim)")
            yield f"{name} by {who}: {what.format(span(of, '{:.2f}') + behind)}{claim}."


def compared(rows, experiment):
    """For each size: the fastest of ours, as published and of all, and each way of the library."""
    rows = like(rows, experiment=experiment)
    found = fastest(rows, [*SIZES, "who"]).reset_index()
    if found.empty:
        return found
    cells = found.pivot(index=SIZES, columns="who", values="gflops")
    peers = sorted(found.who[found.choice == "peer"].unique())
    own = [who for who in cells if who not in peers]
    cells["best"] = cells[own].max(axis=1)
    cells["floor"] = fastest(rows[rows.choice != "peer"], SIZES).floor
    if peers:
        for name in ("best", PUBLISHED):
            if name in cells:
                cells[f"{name} over best"] = cells[name] / cells[peers].max(axis=1)
                cells[f"{name} over worst"] = cells[name] / cells[peers].min(axis=1)
    return cells.reset_index()


def words_of_library(results, rows):
    for experiment, title, library in COMPARED:
        cells = compared(rows, experiment)
        if cells.empty or "best over best" not in cells:
            continue
        for type_, of in cells.groupby("type"):
            printed = results.figure("times the library", subject=experiment, type=type_)
            published = (f"as published {span(of[f'{PUBLISHED} over best'], '{:.2f}')} times the best "
                         f"way of {library} and up to {of[f'{PUBLISHED} over worst'].max():.3g} "
                         "times the worst; " if PUBLISHED in of else "")
            claim = f"the paper: {printed} times the library's"
            if printed == "-":
                claim = f"the paper has no {type_} here"
            yield (f"{title}, {type_}: {published}the best of ours "
                   f"{span(of['best over best'], '{:.2f}')} times its best ({claim}).")


def words_of_core(rows):
    for name, of in fastest(like(rows, experiment="core"), ["name", *SIZES]).groupby(level=0):
        gains = of.core_ms / of.ms
        yield f"Over one core of the host, {name} is {span(gains, '{:.0f}')} times as fast."


def lines_of_time(results):
    return like(results.rows, choice="timeline")


def spans_of(row):
    """What each thread did when: copies there and back, and computing."""
    for lane, start, copied, done, end in row.events:
        own = lane < row.own_lanes
        for label, begin, stop in (("copy to the GPU", start, copied),
                                   ("on a core" if own else "on the GPU", copied, done),
                                   ("copy back", done, end)):
            if not own or label == "on a core":
                yield {"lane": int(lane), "label": label, "start": begin, "end": stop}


def words_of_timeline(results):
    for row in lines_of_time(results).itertuples():
        own = sum(lane < row.own_lanes for lane, *_ in row.events)
        driving = [event for event in row.events if event[0] >= row.own_lanes]
        whole = sum(end - start for _, start, _, _, end in driving)
        copying = sum(copied - start + end - done for _, start, copied, done, end in driving)
        share = f", {100 * copying / whole:.0f} % of their time in copies" if whole else ""
        yield (f"Figure 2: of {row.tasks:.0f} tasks, {row.own_lanes:.0f} cores computed {own} and "
               f"{row.lanes - row.own_lanes:.0f} threads drove {len(driving)} on the GPU{share}; all "
               f"took {human_ms(row.ms)}.")


def words(results, rows):
    yield from legend(rows)
    yield from words_of_tasks(results, rows)
    yield from words_of_timeline(results)
    yield from words_of_library(results, rows)
    yield from words_of_factors(results, rows)
    yield from words_of_core(rows)
    yield from words_of_profile(results)


def tasks_section(results, rows):
    rows = like(rows, experiment="tasks")
    yield from ("#### Figure 1: time and number of tasks", "")
    if rows.empty:
        yield from nothing(3, "-e tasks")
        return
    first = rows.sort_values("tasks").drop_duplicates(["name", "type", "who"]).set_index(
        ["name", "type", "who"]).ms.rename("first")
    rows = rows.join(first, on=["name", "type", "who"])
    yield from table(
        rows.assign(over=rows.ms / rows["first"], mark=marks(rows.unchecked)).sort_values(
            ["name", "type", "who", "tasks"]),
        "operation | type | way | >tasks | >time | >times the first | >of the floor",
        "{name} | {type} | {who} | {tasks} | {ms:ms}{mark} | {over} | {floor}")
    points = pd.concat([plots.points(f"{name}, {type_}", who, of.tasks, of.ms) for (name, type_, who), of
                        in rows.groupby(["name", "type", "who"])])
    yield from results.add_plot(plots.Lines, "tasks", "Time of tasks side by side", points,
                                ("tasks", "ms"), log_x=False)


def timeline_section(results):
    yield from ("#### Figure 2: threads of the host", "")
    found = lines_of_time(results)
    if found.empty:
        yield from nothing(3, "-e timeline")
    for row in found.itertuples():
        yield from results.add_plot(
            plots.Timeline, "timeline",
            f"{row.own_lanes:.0f} threads that compute, "
            f"{row.lanes - row.own_lanes:.0f} that drive the GPU", pd.DataFrame(spans_of(row)), "ms")


def library_section(results, rows, experiment, title):
    yield from (f"#### {title}, GFLOP/s", "")
    cells = compared(rows, experiment)
    if cells.empty:
        yield from nothing(3, f"-e {experiment}")
        return
    ways = [name for name in cells if name not in SIZES and "over" not in name and name not in
            ("best", "floor")]
    plain = cells.rename(columns={name: f"w{i}" for i, name in enumerate(ways)}).rename(
        columns={"best over best": "over", f"{PUBLISHED} over best": "published"})
    plain = plain.reindex(columns=plain.columns.union(["over", "published"]))
    yield from table(
        plain, "type | >b | >" + " | >".join(f"`{way}`" for way in ways) +
        " | >published / best peer | >best / best peer | >of the floor",
        "{type} | {k} | " + " | ".join(f"{{w{i}:.4g}}" for i in range(len(ways))) +
        " | {published} | {over} | {floor}")
    for type_, of in cells.groupby("type"):
        yield from results.add_plot(
            plots.Bars, f"{experiment}-{type_}", f"{title}, {type_}",
            of.set_index(of.k.map("b = {}".format))[ways], "GFLOP/s")


def core_section(results, rows):
    yield from ("#### Figure 6: over one core", "")
    found = fastest(like(rows, experiment="core"), ["name", *SIZES])
    if found.empty:
        yield from nothing(3, "-e core")
        return
    found = found.assign(gain=found.core_ms / found.ms).reset_index()
    yield from table(found, "operation | type | >b | way | >time | >one core | >times as fast",
                     "{name} | {type} | {k} | {who} | {ms:ms} | {core_ms:ms} | {gain:.1f}")
    for type_, of in found.groupby("type"):
        yield from results.add_plot(
            plots.Bars, f"core-{type_}", f"Speed over one core of the host, {type_}",
            of.assign(size=of.k.map("b = {}".format)).pivot(index="name", columns="size",
                                                            values="gain"), "times")


def words_of_factors(results, rows):
    for type_, of in fastest(like(rows, experiment="lu"), SIZES).groupby(level=0):
        printed = [results.figure("gflops", where="Table 1", subject=f"b={k}", type=type_)
                   for _, k in of.index]
        beside = f" (paper: {', '.join(printed)})" if set(printed) != {"-"} else ""
        yield (f"Table 1, {type_}: complete LU at {', '.join(f'{one:.4g}' for one in of.gflops)} GFLOP/s "
               f"for b = {', '.join(str(k) for _, k in of.index)}{beside}.")


def factors_section(results, rows):
    for experiment, title in (("lu", "Table 1: complete LU"), ("sle", "SLE, with complete factors")):
        yield from (f"#### {title}", "")
        found = fastest(like(rows, experiment=experiment), [*SIZES, "who"]).reset_index()
        if found.empty:
            yield from nothing(3, f"-e {experiment}")
            continue
        found["paper"] = [results.figure("gflops", where="Table 1", subject=f"b={row.k}", type=row.type)
                          if experiment == "lu" else "-" for row in found.itertuples()]
        yield from table(found, "type | >b | way | >time | >GFLOP/s | >of the floor | >paper, GFLOP/s",
                         "{type} | {k} | {who} | {ms:ms} | {gflops:.4g} | {floor} | {paper}")
    yield from ("Operations are those that the factors' pattern asks for, multiplications and additions "
                "one by one; how the paper counts it does not say, nor how many tasks ran: here, 30.", "")


def profile_rows(results):
    """What the profiler counted, by operation and way, each size the mean of its layouts."""
    rows = results.rows[results.rows.choice == "profile"]
    rows = rows.assign(name=rows.op.map(NAMES))
    return rows.groupby(["name", "params", "k"])[
        ["occupancy", "shared_load", "l1_hit", "load_efficiency"]].mean().reset_index()


def words_of_profile(results):
    printed = results.figure("limited by", subject="all kernels")
    for name, of in like(profile_rows(results), params=PUBLISHED).groupby("name"):
        if of.shared_load.notna().any():
            yield (f"As published, {name} keeps shared memory's pipe at {span(of.shared_load, '{:.0f}')} % of its "
                   f"peak, where a task has a multiprocessor to itself; the paper has two tasks on one, and names "
                   f"{printed} as the main limit of all its kernels.")


def profile_section(results):
    yield from ("#### The profiler's counters, f32", "")
    found = profile_rows(results)
    if found.empty:
        yield from nothing(3, "--profile")
        return
    yield from table(found, "operation | way | >b | >occupancy % | >shared memory % | >L1 hit % | "
                     ">load efficiency %",
                     "{name} | {params} | {k} | {occupancy:.1f} | {shared_load:.1f} | {l1_hit:.1f} | "
                     "{load_efficiency:.1f}")


def sections(results, rows):
    yield from tasks_section(results, rows)
    yield from timeline_section(results)
    for experiment, title, _ in COMPARED:
        yield from library_section(results, rows, experiment, title)
    yield from factors_section(results, rows)
    yield from core_section(results, rows)
    yield from profile_section(results)
