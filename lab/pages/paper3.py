# SPDX-License-Identifier: Apache-2.0
"""Paper 3, Afanasyev et al.: many small tasks side by side."""
import pandas as pd

from . import plots
from .constants import constant, occurrences
from .papers import Claim, legend, measured, nothing, verdict
from .tables import beside, fastest, geometric_mean, human_ms, like, loosely, mark, marks_of, span, table

NAMES = {"batch_dot": "DOT", "batch_axpy": "DAXPY", "batch_spmm": "MVM",
         "batch_spmm_transposed": "MVMT", "batch_lu": "LU", "batch_solve": "SLE"}
# As published: by streams, DAXPY also by shuffles, and the same kernels with a block a task in one launch.
PUBLISHED, GRID = ("tasks", "shuffles", "grid"), "grid"
# The figures that compare with a library: experiment, its name in the paper, and the library here.
COMPARED = (("dot", "Figure 3: DOT", "cuBLAS"), ("axpy", "Figure 4: DAXPY", "cuBLAS"),
            ("mvm", "Figure 5: MVM", "cuSPARSE"))
SIZES = ["type", "number", "k"]  # number: of tasks, beside the way of that name
PRINTED = (15, 30)  # tasks of the paper's own claim
# Threads that a multiprocessor holds (section 2, and since), and those of a task and of one that makes factors.
GROUPS, DOT = "src/batch/published/groups.cuh", "src/batch/published/dot.cuh"
RESIDENT_THREADS, TASK_THREADS, LU_THREADS = 2048, constant(GROUPS, "published_threads"), constant(GROUPS, "published_lu_threads")
BUSY = 80  # percent of its peak at which a pipe limits a kernel


def data_of(results):
    """What is not wrong, with the paper's names: of many more tasks than its own nothing is checked."""
    rows = loosely(results.rows)
    who = rows.kernel.where(rows.choice == "peer", rows.detail)
    who = who.where(rows.streams.isna(), who + rows.streams.map(" on {:.0f} streams".format))
    return rows.assign(name=rows.op.map(NAMES), who=who, number=rows.tasks)


def is_published(who):
    return who.split(" ")[0] in PUBLISHED


def count_of(results):
    """Multiprocessors, or threads of a CPU: four tasks each are the most."""
    tasks = results.of("tasks").tasks
    return int(tasks.max()) // 4 if len(tasks) else 0


def times(rows, many, few):
    """The time of `many` tasks over that of `few`, by operation, type and way."""
    cells = rows.pivot_table(index=["name", "type", "who"], columns="tasks", values="ms")
    if many not in cells or few not in cells:
        return pd.Series(dtype=float, index=cells.index[:0])
    return (cells[many] / cells[few]).dropna()


def side_by_side(rows):
    """As published, where all the paper's tasks run at the same time: in one grid, or each on a stream of its own."""
    return rows[rows.who.map(is_published).astype(bool) & ~(rows.streams < max(PRINTED))]


def by_streams(who):
    """What sorts "tasks on 8 streams" before "tasks on 15 streams"."""
    return [int(word) if word.isdigit() else word for word in who.split()]


def words_of_tasks(results, rows):
    rows, each = like(rows, experiment="tasks"), count_of(results)
    printed = results.figure("times the time", subject="30 tasks over 15")
    for name, of in rows.groupby("name"):
        found = times(of, *PRINTED[::-1])
        if found.empty:
            continue
        behind = mark(of[of.tasks.isin(PRINTED)])
        ways = ", ".join(f"{span(ratio, '{:.2f}')} {who}" for who, ratio in
                         sorted(found.groupby(level=2), key=lambda way: by_streams(way[0])))
        published = times(side_by_side(of), *PRINTED[::-1])
        alone_there = each >= max(PRINTED)
        holds = "no two of ours share a multiprocessor, so nothing is decided" if alone_there else verdict((published < 2).all())
        yield (f"{name}: 30 tasks take so many times the time of 15: {ways}{behind} (the paper, of tasks that run "
               f"side by side: {printed}; {holds}).")
        yield from words_of_grid(of, name, each)
    yield from words_of_resident(results)


def words_of_grid(rows, name, each):
    """The paper's claim on a device of which tasks have to share multiprocessors."""
    rows = like(rows, who=GRID)
    two, four = (times(rows, more * each, fewer * each) for more, fewer in ((2, 1), (4, 2)))
    if len(two) and len(four):
        yield (f"{name} in one grid: two tasks a multiprocessor take {span(two, '{:.2f}')} times the time of one, and "
               f"four {span(four, '{:.2f}')} times that of two{mark(rows)} (the paper: two share a multiprocessor best, "
               f"which hides latency; {verdict((two < 2).all() and (four > two.max()).all())}).")


def words_of_resident(results):
    found = results.profiles("tasks")
    if found.empty and len(results.of("tasks")):
        yield (f"The profiler was not run on these tasks, as it did not end in the time there was. Two of them at once on a "
               f"multiprocessor follow from {RESIDENT_THREADS:,} threads that it holds and {TASK_THREADS:,} of a task, and from the "
               "times; residents were not counted.")
    found = found.assign(name=found.op.map(NAMES),
                         blocks=found.occupancy / 100 * RESIDENT_THREADS / TASK_THREADS)
    for name, of in found.dropna(subset="blocks").groupby("name"):
        counts = ", ".join(f"{row.blocks:.2f} of {row.tasks:.0f} tasks" for row in
                           of.sort_values("tasks").drop_duplicates("tasks").itertuples())
        yield (f"{name} in one grid: the profiler finds so many tasks on a multiprocessor in the mean: {counts} (the "
               f"paper: two at the same time; {verdict(abs(of.blocks.max() - 2) < 0.25)}).")


def compared(rows, experiment):
    """For each size: the fastest of ours, as published and of all, and each way of the library."""
    rows = like(rows, experiment=experiment)
    found = fastest(rows, [*SIZES, "who"]).reset_index()
    if found.empty:
        return found
    cells = found.pivot(index=SIZES, columns="who", values="gflops")
    peers = sorted(found.who[found.choice == "peer"].unique())
    own = [who for who in cells if who not in peers]
    cells["best"] = cells[[who for who in own if not is_published(who)]].max(axis=1)
    cells["published"] = cells[[who for who in own if is_published(who)]].max(axis=1)
    cells["floor"] = fastest(rows[rows.choice != "peer"], SIZES).floor
    cells["unchecked"] = found.groupby(SIZES).unchecked.any()
    cells["sampled"] = found.groupby(SIZES).sampled.any() & ~cells.unchecked
    if peers:
        for name in ("best", "published"):
            cells[f"{name} over best"] = cells[name] / cells[peers].max(axis=1)
            cells[f"{name} over worst"] = cells[name] / cells[peers].min(axis=1)
    return cells.reset_index()


def words_of_setup(results, rows):
    """What the paper says of tasks, beside the tasks of here."""
    timed = rows[rows.choice != "profile"]
    if timed.empty:
        return
    yield (f"Blocks have {results.figure('sizes of blocks')} rows (the paper): here "
           f"{', '.join(str(k) for k in sorted(timed[timed.experiment != 'timeline'].k.unique()))}.")
    for experiment, name in (("dot", "DOT"), ("axpy", "DAXPY")):
        of = like(timed, experiment=experiment)
        if len(of):
            length = results.figure("elements of a vector", subject=experiment)
            yield (f"{name} has {results.figure('tasks', subject=experiment)} tasks of {length} elements a vector in the paper: here "
                   f"{' and '.join(str(tasks) for tasks in sorted(of.tasks.unique()))} tasks of {span(size_of(of), '{:,.0f}')}.")
    if (timed.experiment == "dot").any():
        shared, kept = (occurrences(DOT, pattern) for pattern in (r"GPU_SHARED\(V, ", r"const V [xz] = |double sum = 0;"))
        yield (f"A group of threads of DOT has {results.figure('blocks in shared memory')} blocks in shared memory and "
               f"{results.figure('blocks on registers')} on registers (the paper): here as published {shared} and {kept}; "
               f"{verdict((shared, kept) == (2, 3))}.")
    if (timed.experiment == "mvm").any():
        threads = {k: k * k for k in sorted(like(timed, experiment="mvm").k.unique())}
        yield (f"A row of MVM has {results.figure('threads of a row', subject='mvm')} threads (the paper): here as published "
               f"{', '.join(map(str, threads.values()))} with b = {', '.join(map(str, threads))}; {verdict(occurrences(GROUPS, r'size = b [*] b;') == 1)}.")
    names = [name for name in NAMES.values() if name in set(timed.name)]
    yield f"There are {results.figure('operations')} operations (the paper): {len(names)} are measured here, {', '.join(names)}."
    each, resident = count_of(results), RESIDENT_THREADS // TASK_THREADS
    if each:
        yield (f"A multiprocessor holds {results.figure('threads', subject='a multiprocessor')} threads and a task has "
               f"{results.figure('threads', subject='a task')} (the paper), so that {results.figure('multiprocessors', subject='a GPU')} "
               f"multiprocessors hold {results.figure('in parallel on one GPU')} tasks: with tasks of {TASK_THREADS} threads "
               f"{each} multiprocessors hold {resident * each}.")
    if (timed.experiment == "lu").any():
        yield (f"LU is launched on {results.figure('threads', subject='lu')} threads (the paper): here as published on {LU_THREADS}; "
               f"{verdict(LU_THREADS == int(results.figure('threads', subject='lu')))}.")


def words_of_streams(results, rows):
    """Hyper-Q: more streams side by side than before it."""
    rows = like(rows, experiment="tasks", number=max(PRINTED))
    many, few = (results.figure(name) for name in ("in parallel on one GPU", "in parallel before Kepler"))
    times_of = {name: like(rows, who=f"tasks on {name} streams").set_index(["name", "type"]).ms for name in ("32", "8")}
    gain = (times_of["8"] / times_of["32"]).dropna()
    if len(gain):
        yield (f"Up to {many} tasks run side by side by streams, {few} before Kepler (the paper): here {max(PRINTED)} tasks on 32 streams "
               f"are {span(gain, '{:.2f}')} times as fast as on 8; that more run side by side is {verdict((gain > 1).all())}.")


def words_of_conclusion(results, rows):
    """Section 3.6: by how much all kernels are faster than the libraries' functions."""
    printed, found = results.figure("times the library", subject="all kernels"), []
    for experiment, _, _ in COMPARED:
        cells = compared(rows, experiment)
        if len(cells) and "published over best" in cells:
            found.append(cells[["published over best", "published over worst"]])
    if found:
        both = pd.concat(found)
        least, most = (float(number) for number in printed.split("-"))
        best, worst = both["published over best"], both["published over worst"]
        yield (f"In all, the published kernels are {span(best, '{:.2f}')} times as fast as the libraries' best way ({geometric_mean(best):.2f} "
               f"in the geometric mean) and {span(worst, '{:.2f}')} times as their worst (the paper's conclusion: {printed} times; that all are "
               f"{least:g} times and more as fast as the best is {verdict((best >= least).all())}, as the worst "
               f"{verdict((worst >= least).all())}).")


def words_of_library(results, rows):
    for experiment, title, library in COMPARED:
        cells = compared(rows, experiment)
        if cells.empty or "best over best" not in cells:
            continue
        for (type_, tasks), of in cells.groupby(["type", "number"]):
            printed = results.figure("times the library", subject=experiment, type=type_)
            published = (f"as published {span(of['published over best'], '{:.2f}')} times the best "
                         f"way of {library} and up to {of['published over worst'].max():.3g} times the worst; ")
            claim = f"the paper: {printed} times the library's"
            if printed == "-":
                claim = f"the paper has no {type_} here"
            yield (f"{title}, {type_}, {tasks:.0f} tasks{mark(of)}: {published}the best of ours "
                   f"{span(of['best over best'], '{:.2f}')} times its best ({claim}).")


def gains_over_core(rows):
    """The times of one core in its own best layout, of the published kernels, and of the best other way."""
    rows = rows[rows.core_ms.notna()]
    rows = rows.assign(core_ms=rows.groupby(["name", *SIZES]).core_ms.transform("min"))
    published, ours = ways_of(rows)
    return beside({"published": rows[published], "best": rows[ours]}, ["name", *SIZES], ["core_ms"])


def words_of_core(rows):
    for name, of in gains_over_core(rows).groupby(level=0):
        yield (f"Over one core of the host, {name} as published is {span(of.core_ms / of.published_ms, '{:,.1f}')} "
               f"times as fast, and in the best of our ways {span(of.core_ms / of.best_ms, '{:,.1f}')} times.")


LINES = {"MVM": "regrouping rows", "MVMT": "turning the pattern into CSC and regrouping columns",
         "SLE": "turning the factors' pattern into CSC"}


def words_of_lines(rows):
    """What happens once a matrix, over the time of a call."""
    rows = rows[(rows.convert_ms > 0) & rows.who.map(is_published).astype(bool)]
    for (name, tasks), of in rows[rows.experiment != "tasks"].groupby(["name", "tasks"]):
        said = " (the paper: it hardly counts, as it happens once)" if name == "MVM" else ""
        yield (f"{name}, {tasks:.0f} tasks: {LINES[name]}, once a matrix, takes "
               f"{human_ms((of.convert_ms / of.tasks).median())} a task, as long as {span(of.convert_ms / of.ms, '{:.2g}')} "
               f"calls{said}.")


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
               f"took {human_ms(row.ms)} (the paper has {results.figure('threads that compute')} and "
               f"{results.figure('threads that drive')} such threads).")


def head_claims(results, rows):
    yield from claims_of_tasks(results, rows)
    for experiment, title, library in COMPARED:
        cells = compared(rows, experiment)
        if cells.empty or "published over best" not in cells:
            continue
        printed = results.figure("times the library", subject=experiment, type="f32")
        found = like(cells, type="f32")
        least = float(printed.split(" to ")[0])
        yield Claim(f"{title}: {printed} times {library}, f32",
                    f"as published {span(found['published over best'], '{:.2f}')} times its best way, "
                    f"ours {span(found['best over best'], '{:.2f}')}",
                    (found["published over best"] >= least).all())
    yield from claims_of_factors(results, rows)
    found = profile_rows(results).dropna(subset="shared_load")
    found = found[found.params.map(is_published).astype(bool)]
    if len(found):
        yield Claim(f"{results.figure('limited by', subject='all kernels')} is what limits all kernels",
                    f"its pipe is busy for {span(found.shared_load, '{:.0f}')} % of the time of "
                    f"{', '.join(sorted(found.name.unique()))}{alone(found)}{not_profiled(found)}",
                    limits_all(found), "not all were profiled with two tasks a multiprocessor")
    gains = gains_over_core(rows)
    if len(gains):
        yield Claim("Figure 6: over one core of the host (the plot is lost)",
                    f"as published {span(gains.core_ms / gains.published_ms, '{:,.0f}')} times as fast, ours "
                    f"{span(gains.core_ms / gains.best_ms, '{:,.0f}')}", None, "the paper's numbers are lost")


def claims_of_tasks(results, rows):
    rows, each = like(rows, experiment="tasks"), count_of(results)
    rows = rows[rows.who.map(is_published).astype(bool)]
    found = times(side_by_side(rows), *PRINTED[::-1])
    if len(found):
        yield Claim(f"Figure 1: 30 tasks take {results.figure('times the time', subject='30 tasks over 15')} times the "
                    f"time of 15, on {results.figure('multiprocessors')} multiprocessors",
                    f"{span(found, '{:.2f}')} times, on {each}" + (", where no two tasks share one" if each >= max(PRINTED) else ""),
                    None if each >= max(PRINTED) else (found < 2).all(), "no two of 30 tasks share a multiprocessor")
    two = times(like(rows, who=GRID), 2 * each, each)
    if len(two):
        counted = "" if len(results.profiles("tasks")) else "; residents were not counted"
        yield Claim("two tasks share a multiprocessor best",
                    f"two take {span(two, '{:.2f}')} times the time of one{counted}", (two < 2).all())


def claims_of_factors(results, rows):
    rows = like(rows, experiment="lu", type="f32")
    parts, sizes, reached = [], sorted(rows.k.unique()), {}
    printed = [results.figure("gflops", where="Table 1", subject=f"b={k}", type="f32") for k in sizes]
    for tasks, of in rows.groupby("tasks"):
        both = [fastest(of[own], "k").gflops for own in ways_of(of)]
        texts = [", ".join(f"{one:.4g}" for one in found) for found in both]
        parts.append(f"{tasks:.0f} tasks{mark(of)}: {texts[0]} as published, {texts[1]} ours")
        least = pd.Series(map(float, printed), sizes).reindex(both[0].index)
        reached[tasks] = bool((both[0] >= least).all())
    if parts:
        yield Claim(f"Table 1: LU at {', '.join(map(str, printed))} GFLOP/s, f32, b = {', '.join(map(str, sizes))}",
                    "; ".join(parts), all(reached.values()) if len(set(reached.values())) == 1 else None,
                    f"it is so with {' and '.join(f'{tasks:.0f}' for tasks, so in reached.items() if so)} tasks alone, and the paper "
                    "does not say how many it has")


def ways_of(rows):
    """Flags of the rows as published, and of all others."""
    published = rows.who.map(is_published).astype(bool)
    return published, ~published


def words(results, rows):
    yield from legend(rows)
    yield from words_of_setup(results, rows)
    yield from words_of_tasks(results, rows)
    yield from words_of_streams(results, rows)
    yield from words_of_timeline(results)
    yield from words_of_library(results, rows)
    yield from words_of_conclusion(results, rows)
    yield from words_of_factors(results, rows)
    yield from words_of_lines(rows)
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
        rows.assign(over=rows.ms / rows["first"], mark=marks_of(rows)).sort_values(
            ["name", "type", "who", "tasks"]),
        "operation | type | way | >tasks | >time | >times the first | >of the floor",
        "{name} | {type} | {who} | {tasks} | {ms:ms}{mark} | {over} | {floor}")
    yield from measured(rows)
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
            ("best", "published", "floor", "unchecked", "sampled")]
    cells["mark"] = marks_of(cells)
    plain = cells.rename(columns={name: f"w{i}" for i, name in enumerate(ways)}).rename(
        columns={"best over best": "over", "published over best": "published_over"})
    plain = plain.reindex(columns=plain.columns.union(["over", "published_over"]))
    yield from table(
        plain, "type | >how many | >b | >" + " | >".join(f"`{way}`" for way in ways) +
        " | >published / best peer | >best / best peer | >of the floor",
        "{type} | {number}{mark} | {k} | " + " | ".join(f"{{w{i}:.4g}}" for i in range(len(ways))) +
        " | {published_over} | {over} | {floor}")
    yield from measured(like(rows, experiment=experiment))
    for type_, of in cells.groupby("type"):
        yield from results.add_plot(
            plots.Bars, f"{experiment}-{type_}", f"{title}, {type_}",
            of.set_index(of.k.map("b = {}".format) + of.number.map(", {} tasks".format))[ways], "GFLOP/s")


def core_rates(found):
    """How fast one core factorises in both types, and why."""
    found = found[(found.name == "LU") & (found.number == found.number.min())]
    rates = found.assign(rate=found.published_gflops * found.published_ms / found.core_ms).pivot(
        index="k", columns="type", values="rate").reindex(columns=["f32", "f64"]).dropna()
    if len(rates):
        faster = ", ".join(f"b = {b}" for b in rates.index[rates.f64 > rates.f32])
        odd = (f" That f64 is the faster one with {faster} is found in single samples alone: a row "
               "of 4 numbers fills a vector of AVX2 in f64 and half of one in f32, so both types take as many instructions with "
               "b = 4, and on a host where they were measured in turns both factorised as fast (docs/lab-notes.md); no number of "
               "these factors is subnormal." if faster == "b = 4" else
               f" Why f64 is the faster one with {faster} was not found." if faster else "")
        yield from ("One core factorises at " + "; ".join(f"{row.f32:.3g} GFLOP/s in f32 and {row.f64:.3g} in f64, b = {b}" for
                                                         b, row in rates.iterrows()) +
                    ". The products of blocks are vectorised in both types; in f64 a vector holds half as many numbers, and the "
                    "blocks that a row is reduced by take twice the cache. With tasks small enough for the cache f64 takes about "
                    "twice as long for large blocks; what more it takes here, in one sample, is put down to the cache, and not "
                    f"measured apart.{odd}", "")


def core_section(results, rows):
    yield from ("#### Figure 6: over one core", "")
    found = gains_over_core(rows).reset_index()
    if found.empty:
        yield from nothing(3, "-e core")
        return
    found = found.assign(published=found.core_ms / found.published_ms, best=found.core_ms / found.best_ms)
    yield from table(found, "operation | type | >tasks | >b | >one core | >as published | >times as fast | best of ours | >its time | "
                     ">times as fast",
                     "{name} | {type} | {number} | {k} | {core_ms:ms} | {published_ms:ms} | {published:.1f} | {best_who} | "
                     "{best_ms:ms} | {best:.1f}")
    yield from measured(rows[rows.core_ms.notna()])
    yield from ("One core takes tasks one after the other, in the layout of vectors that suits it best. Of LU and SLE one task "
                "was timed on it, and its time is multiplied by the number of tasks.", "")
    yield from core_rates(found)
    for type_, of in found.groupby("type"):
        yield from results.add_plot(
            plots.Bars, f"core-{type_}", f"Speed over one core of the host, {type_}, as published",
            of[of.number == of.number.min()].assign(size=of.k.map("b = {}".format)).pivot(
                index="name", columns="size", values="published"), "times")


def words_of_factors(results, rows):
    rows = like(rows, experiment="lu")
    published, ours = (fastest(rows[own], SIZES) for own in ways_of(rows))
    for (type_, tasks), of in ours.groupby(level=[0, 1]):
        sizes = of.index.get_level_values("k")
        printed = [results.figure("gflops", where="Table 1", subject=f"b={k}", type=type_) for k in sizes]
        beside_it = f" (paper: {', '.join(map(str, printed))})" if set(printed) != {"-"} else ""
        as_published = published.reindex(of.index).gflops
        yield (f"Table 1, {type_}, {tasks:.0f} tasks{mark(of)}: complete LU as published at "
               f"{', '.join(f'{one:.4g}' for one in as_published)} GFLOP/s for b = "
               f"{', '.join(str(k) for k in sizes)}{beside_it}, in our best way at "
               f"{', '.join(f'{one:.4g}' for one in of.gflops)}.")


def factors_section(results, rows):
    for experiment, title in (("lu", "Table 1: complete LU"), ("sle", "SLE, with complete factors")):
        yield from (f"#### {title}", "")
        found = fastest(like(rows, experiment=experiment), [*SIZES, "who"]).reset_index()
        if found.empty:
            yield from nothing(3, f"-e {experiment}")
            continue
        found["mark"] = marks_of(found)
        found["paper"] = [results.figure("gflops", where="Table 1", subject=f"b={row.k}", type=row.type)
                          if experiment == "lu" else "-" for row in found.itertuples()]
        yield from table(found, "type | >tasks | >b | way | >time | >GFLOP/s | >of the floor | >paper, GFLOP/s",
                         "{type} | {number}{mark} | {k} | {who} | {ms:ms} | {gflops:.4g} | {floor:.1g} | {paper}")
        yield from measured(like(rows, experiment=experiment))
    floors = rows[rows.experiment.isin(["lu", "sle"])].groupby("experiment").floor.max()
    limits = ", ".join(f"{floor:.1g} of the time of {experiment.upper()}" for experiment, floor in floors.items())
    limits = f"Bytes do not limit these kernels: a copy of the fewest bytes takes at most {limits}. " if limits else ""
    yield from (f"{limits}"
                "Operations are those that the factors' pattern asks for, multiplications and additions "
                "one by one; the paper does not say how it counts operations, nor how many tasks ran. Two tasks a "
                "multiprocessor with b = 16 are left out: their complete factors would fill most of the GPU's memory.", "")


def size_of(rows):
    """Rows of a task, of matrices block rows: 1728 of "30x1728"."""
    return rows.matrix.str.extract(r"x(\d+)$")[0].astype(float)


def profile_rows(results):
    """What the profiler counted, by operation and way, each size the mean of its layouts."""
    rows = results.rows[results.rows.choice == "profile"]
    rows = rows.assign(name=rows.op.map(NAMES), size=size_of(rows))
    return rows.groupby(["name", "params", "tasks", "size", "k"])[
        ["occupancy", "shared_load", "l1_hit", "load_efficiency"]].mean().reset_index()


def limits_all(found):
    """Whether shared memory limits all kernels; None unless all were profiled, with two tasks a multiprocessor."""
    busy = found[found.occupancy > 50].groupby("name").shared_load.max()
    return busy.min() > BUSY if len(busy) == len(NAMES) else None


def alone(found):
    """Says so where every task that was profiled had a multiprocessor to itself."""
    return ", with one task a multiprocessor" if (found.occupancy <= 50).all() else ""


def not_profiled(found):
    missing = [name for name in NAMES.values() if name not in set(found.name)]
    return f"; {', '.join(missing)} not profiled" if missing else ""


def words_of_profile(results):
    printed, found = results.figure("limited by", subject="all kernels"), profile_rows(results)
    for name, of in found[found.params.map(is_published).astype(bool)].dropna(subset="shared_load").groupby("name"):
        alone, beside_it = (part.shared_load for part in (of[of.occupancy <= 50], of[of.occupancy > 50]))
        where = [f"{span(part, '{:.0f}')} % of its peak {how}" for part, how in
                 ((alone, "where a task has a multiprocessor to itself"), (beside_it, "where two share one"))
                 if len(part)]
        so = verdict(of.shared_load.max() > BUSY) if len(beside_it) else "with two, as in the paper, it was not profiled"
        yield (f"As published, {name} keeps shared memory's pipe at {', '.join(where)} (the paper: {printed} is the main "
               f"limit of all its kernels; {so}).")


def profile_section(results):
    yield from ("#### The profiler's counters, f32", "")
    found = profile_rows(results)
    if found.empty:
        yield from nothing(3, "--profile")
        return
    yield from table(found, "operation | way | >tasks | >(block) rows a task | >b | >occupancy % | >shared memory % | "
                     ">L1 hit % | >load efficiency %",
                     "{name} | {params} | {tasks} | {size:,.0f} | {k} | {occupancy:.1f} | {shared_load:.1f} | {l1_hit:.1f} | "
                     "{load_efficiency:.1f}")
    yield from measured(results.rows[results.rows.choice == "profile"])
    yield from ("Means of both layouts of vectors.", "")
    yield from smaller(results, found)


def smaller(results, found):
    """Says of which operations the tasks were smaller under the profiler."""
    timed = results.rows[results.rows.choice != "profile"]
    timed = timed.assign(name=timed.op.map(NAMES), size=size_of(timed)).groupby("name")["size"].max()
    for size, of in found[found["size"] < found.name.map(timed)].groupby("size"):
        names = " and ".join(name for name in NAMES.values() if name in set(of.name))
        usual = span(timed[of.name.unique()], "{:.0f}")
        yield from (f"{names} were profiled on tasks of {size:.0f} block rows, but timed on {usual}: the profiler runs a "
                    "kernel many times, and these run long.", "")


def sections(results, rows):
    yield from tasks_section(results, rows)
    yield from timeline_section(results)
    for experiment, title, _ in COMPARED:
        yield from library_section(results, rows, experiment, title)
    yield from factors_section(results, rows)
    yield from core_section(results, rows)
    yield from profile_section(results)
