# SPDX-License-Identifier: Apache-2.0
"""Paper 1, Reguly and Giles: coop, repeat and block, the fixed rule, the vendor, the tuner, and
finite elements."""
import pandas as pd

from . import plots, tuner
from .papers import nothing
from .tables import (TYPES, beside, geometric_mean, human_calls, human_ms, like, name_of, of_types,
                     param, summary, table, texts)

PAIR = ["matrix", "type"]
# What is compared with the vendor: a part of the cases, which is the paper's subject too.
LEADS = {"rule": "the fixed rule", "tuned": "tuned (paper: at run time; ours: exhaustive)",
         "ours": "tulle's rule, any kernel"}


def swept(results, name):
    """The rows of the sweep of a parameter: its value, the time over the best of the matrix."""
    rows = results.of(name, right=True)
    return rows.assign(value=param(rows, name),
                       over=rows.ms / rows.groupby(PAIR).ms.transform("min"))


def sweep_row(rows):
    cells = {}
    for type_ in TYPES:
        over = rows.over[rows.type == type_]
        cells[f"{type_}_over"] = geometric_mean(over)
        cells[f"{type_}_best"] = f"{(over == 1).sum()} of {len(over)}" if len(over) else None
    return cells


def sweep(results, name, more=None, headings="", cells=""):
    """A table and a plot of one parameter; more: further columns for each value."""
    rows = swept(results, name).sort_values("type", kind="stable")
    if rows.empty:
        yield from nothing(1, f"--experiment {name}")
        return
    values = summary(rows, "value", sweep_row)
    yield from table(
        values if more is None else values.join(more, on="value"),
        f">{name} | {of_types('>@: time over the best | >@: is the best')}{headings}",
        f"{{value:.0f}} | {of_types('{@_over} | {@_best}')}{cells}")
    yield from results.add_plot(
        plots.Lines, name, f"Nonzeros a second against {name}",
        plots.points(rows.type, name_of(rows), rows.value, rows.gflops / 2),
        (name, "billion nonzeros a second"), log_y=True)


def coop_section(results):
    """The sweep of coop beside the profiler's counters, the paper's and ours."""
    yield from ("#### Cooperating threads (block 128, repeat 1)", "")
    profiles = results.profiles("coop")
    coops = sorted({*param(profiles, "coop"), *swept(results, "coop").value})
    ours = profiles.assign(divergence=100 - profiles.warp_efficiency).groupby(
        param(profiles, "coop"))[["l1_hit", "divergence"]].mean().reindex(coops)
    paper = pd.DataFrame({key: [results.figure(key, subject=f"coop={coop:.0f}") for coop in coops]
                          for key in ours}, ours.index)
    yield from sweep(
        results, "coop", ours.join(paper, rsuffix="_paper"),
        " | >L1 hit %, paper | >L1 hit %, ours | >divergence %, paper | >divergence %, ours",
        " | {l1_hit_paper} | {l1_hit:.1f} | {divergence_paper} | {divergence:.1f}")
    if profiles.empty:
        yield from ("The profiler was not run here (`tulle-lab paper 1 --profile`).", "")
        return
    numbers = paper.apply(pd.to_numeric, errors="coerce")
    points = [plots.points(panel, label, coops, of[key])
              for panel, key in (("L1 hit rate %", "l1_hit"), ("divergence %", "divergence"))
              for label, of in (("paper (C2070)", numbers), ("ours", ours))]
    yield from results.add_plot(plots.Lines, "l1", "L1 hit rate and divergence against coop",
                                pd.concat(points), ("coop", "%"))
    yield from ("Ours: means over the matrices, f32. The paper does not say of which matrix its "
                "numbers are. Divergence: lanes that an instruction leaves idle.", "")


def data_of(results):
    """A row for each matrix and type: the rule's time, the best of the exhaustive search, the
    vendor's, and of other formats, as in beside()."""
    rule = results.of("rule", request="rule reguly_giles")
    tuned = results.of("exhaustive")
    # The rule's own parameters may be outside the grid of the search.
    searched = rule.set_index(PAIR).index.isin(tuned[tuned.right].set_index(PAIR).index)
    parts = {"rule": rule, "tuned": pd.concat([tuned, rule[searched]]),
             "ours": results.of("rule", request="rule tulle"), "vendor": results.vendor(),
             **{form: results.of("formats", format=form) for form in ("ell", "hyb")}}
    cases = beside(parts, PAIR, ["class", "a_row"])
    cases = cases[cases[["rule_ms", "tuned_ms", "ours_ms"]].notna().any(axis=1)].reset_index()
    for part in LEADS:
        cases[f"{part}_lead"] = cases.vendor_ms / cases[f"{part}_ms"]
        cases[f"{part}_params"] = [", ".join(numbers) if isinstance(numbers, list) else None for
                                   numbers in cases[f"{part}_params"].str.findall(r"=(\d+)")]
    cases = cases.assign(name=name_of(cases), percent=100 * cases.tuned_ms / cases.rule_ms)
    return cases.sort_values(["type", "a_row", "matrix"], ignore_index=True)


def leads_of(results, cases):
    """Of each part and type the mean lead on the vendor."""
    def row(of, part, heading):
        leads = of[f"{part}_lead"]
        memory = leads[of["class"] == "memory"]
        paper = results.figure("times the vendor", subject=part, type=of.type.iloc[0])
        return {"part": part, "what": heading, "paper": paper, "mean": leads.mean(),
                "geometric": geometric_mean(leads), "count": leads.count(),
                "memory": memory.mean(), "memory_count": memory.count()}
    return pd.concat([summary(cases, "type", lambda of, lead=lead: row(of, *lead))
                      for lead in LEADS.items()])


def rule_section(results, cases):
    yield from ("#### The fixed rule, exhaustive search, and the vendor", "")
    if cases.rule_ms.isna().all():
        yield from nothing(1, "--experiment rule --experiment exhaustive --experiment vendor")
        return
    for type_, of_type in cases.groupby("type"):
        yield from (f"{type_}:", "")
        yield from table(
            of_type, "matrix | class | >rule | coop, repeat, block | >exhaustive | "
            "coop, repeat, block | >rule of exhaustive | >GB/s of the rule, minimal | >effective | "
            ">vendor | >vendor / rule | >vendor / exhaustive | >vendor / tulle's rule",
            "`{matrix}` | {class} | {rule_ms:ms} | {rule_params} | {tuned_ms:ms} | {tuned_params} | "
            "{percent:.0f} % | {rule_gbs:.0f} | {rule_gbs_effective:.0f} | {vendor_ms:ms} | "
            "{rule_lead} | {tuned_lead} | {ours_lead}")
        bars = of_type.set_index("name")[["rule_gflops", "tuned_gflops", "vendor_gflops"]] / 2
        yield from results.add_plot(
            plots.Bars, f"rule-{type_}", f"Nonzeros a second, {type_}",
            bars.set_axis(["fixed rule", "exhaustive", "vendor"], axis=1).dropna(how="all", axis=1),
            "billion nonzeros a second")
    yield from ("Effective: the paper's estimate, the distinct lines of 128 bytes that each block "
                "touches, without sharing between blocks.", "",
                "Times as fast as the vendor's best algorithm, means as in the paper (arithmetic) and "
                "geometric:", "")
    leads = leads_of(results, cases)
    yield from table(
        leads, "what | type | >paper | >ours | >geometric | >matrices | >class memory alone | "
        ">matrices",
        "{what} | {type} | {paper} | {mean} | {geometric} | {count} | {memory} | {memory_count}")
    leads = leads[leads.part.isin(["rule", "tuned"]) & (leads["count"] > 0)]
    names = leads.part.map({"rule": "fixed rule", "tuned": "tuned"}) + ", " + leads.type
    bars = pd.DataFrame({"paper (C2070, cuSPARSE 4.0)": leads.paper.astype(float),
                         "ours": leads["mean"]}).set_axis(names)
    yield from results.add_plot(plots.Bars, "speedup", "Times as fast as the vendor", bars,
                                "mean over the matrices")


def formats_section(cases):
    yield from ("#### Tuned CSR against ELL and HYB", "")
    cases = cases[cases.tuned_ms.notna() & (cases.ell_ms.notna() | cases.hyb_ms.notna())]
    if cases.empty:
        yield from nothing(1, "--experiment formats")
        return
    for form in ("ell", "hyb"):
        ms = cases[f"{form}_ms"]
        cases = cases.assign(**{f"{form}_over": ms / cases.tuned_ms, form: texts(ms, "ms")})
        cases[form] = cases[form].replace("-", "refused")
    yield from table(
        cases,
        "matrix | type | >tuned CSR | >ELL | kernel | >ELL / CSR | >HYB | kernel | >HYB / CSR",
        "`{matrix}` | {type} | {tuned_ms:ms} | {ell} | {ell_spec} | {ell_over} | {hyb} | "
        "{hyb_spec} | {hyb_over}")


def searches_of(results):
    """The tuner's calls while systems are solved, and a row for each search."""
    calls = tuner.calls_of(results.of("tuner"))
    return calls, tuner.judged(tuner.paths_of(calls))


def tuned_row(paths):
    """Means as in the paper, in percent of the exhaustive search's speed."""
    percents = {name: 100 * paths[name].mean() for name in ("start", "few", "end")}
    return {"searches": len(paths), **percents, "least": 100 * paths.few.min(),
            "settle": paths.settle.median(), "worst": paths.worst.max()}


def tuner_section(results):
    yield from ("#### The tuner while a system is solved", "")
    calls, paths = searches_of(results)
    if paths.empty:
        yield from nothing(1, "--experiment tuner")
        return
    first, few = (results.figure("percent of exhaustive", subject=subject)
                  for subject in ("first iteration", f"after {tuner.FEW} iterations"))
    yield from ("Each product of a solution is a call of the tuner: of CG, one an iteration; of "
                "BiCGStab, two, where a matrix is not symmetric. Speeds are those of the best that is "
                "known, measured alone, in percent of the exhaustive search's over all kernels and "
                f"parameters without a plan. The paper: {first} % in the first iteration, {few} % "
                f"after {tuner.FEW}.", "")
    yield from table(
        summary(paths, "type", tuned_row),
        f"type | >matrices | >at the start | >after {tuner.FEW} calls | >least | >in the end | "
        ">calls to settle | >worst trial / rule",
        "{type} | {searches} | {start:.1f} | {few:.1f} | {least:.1f} | {end:.1f} | {settle:g} | "
        "{worst}")
    along = {of.type: pd.concat(map(pd.Series, paths.speeds[paths.type == of.type]), axis=1).ffill()
             for of in paths.drop_duplicates("type").itertuples()}
    points = [plots.points(type_, "mean", speeds.index, 100 * speeds.mean(axis=1))
              for type_, speeds in along.items()]
    points += [plots.points(path.type, path.matrix, range(len(path.speeds)),
                            [100 * speed for speed in path.speeds])
               for path in paths[paths.f1].itertuples()]
    yield from results.add_plot(plots.Lines, "tuner", "The tuner while a system is solved",
                                pd.concat(points), ("calls", "% of exhaustive search"), log_x=False)
    for _, of_path in calls[calls.f1].groupby(tuner.PATH):
        row = of_path.iloc[0]
        yield from (f"Each iteration on `{row.matrix}`, {row.type}:", "")
        yield from table(
            of_path.assign(percent=100 * of_path.of_exhaustive,
                           call_ms=of_path.call_ms.where(of_path.call_ms > 0)),
            ">iteration | ran | >in it | best after it | >% of exhaustive",
            "{call:.0f} | {spec} | {call_ms:ms} | `{best}` | {percent:.1f}")


def newton_section(results):
    yield from ("#### The tuner in Newton's method", "")
    steps = results.of("newton")
    if steps.empty:
        yield from nothing(1, "--experiment newton")
        return
    yield from ("-div((1 + u²) grad u) = f on a grid, by finite differences: five linear systems with "
                "one pattern and one tuner, which keeps what it has found.", "")
    yield from table(
        steps.sort_values(["type", "call"]),
        "grid | type | >step | method | >products | >tried | >left of the equations | >time | kernel",
        "`{matrix}` | {type} | {call:.0f} | {method} | {applications:.0f} | {trials:.0f} | "
        "{left:.1e} | {solution_ms:ms} | {spec}")


# The ways to have the matrix of a mesh, as they stand in results.
ASSEMBLED = {"csr": "CSR", "ell": "ELL", "hyb": "HYB", "optimised": "`tulle_mat_optimize`"}
OPERATORS = {**ASSEMBLED, "local": "local matrices", "packed": "local matrices, packed",
             "narrow": "local matrices, packed in f32",
             "matrix_free": "matrix-free", "atomic": "matrix-free, atomic"}


def solutions_of(results):
    """A row for each mesh, type and operator: bytes of its product, and its lead on the best that is
    assembled."""
    rows = results.of("fem", right=True)
    rows = rows[rows.detail.isin(list(OPERATORS))]
    kept = rows.gbs * rows.ms - (rows.parts_ms - rows.product_ms) * rows.copy_gbs
    best = rows.assign(ms=rows.ms.where(rows.detail.isin(list(ASSEMBLED)))).groupby(PAIR).ms
    order = rows.detail.map(list(OPERATORS).index)
    return rows.assign(bytes=1e6 * kept / rows.rows, lead=best.transform("min") / rows.ms,
                       what=rows.detail.map(OPERATORS), order=order).sort_values([*PAIR, "order"])


def fem_section(results):
    yield from ("#### Finite elements: CG by operators", "")
    rows = solutions_of(results)
    if rows.empty:
        yield from nothing(1, "--experiment fem")
        return
    twice = results.figure("times as fast", subject="knowledge of the problem in FEM")
    yield from ("-div(grad u) = f with u given on the boundary, of order 1 or, of 27 nodes, 2. Bytes a row are the fewest "
                "of what is kept for a product, x and y; an iteration has ten numbers a row more. The "
                "last column is the lead on the fastest assembled matrix, in iterations "
                f"(the paper: {twice} times, by local matrices).", "")
    yield from table(
        rows, "mesh | type | >rows | operator | >bytes a row | >product | >iteration | >of its floor | "
        ">to make | >lead",
        "`{matrix}` | {type} | {rows:,} | {what} | {bytes:.0f} | {product_ms:ms} | {ms:ms} | "
        "{floor} | {prep_ms:ms} | {lead}")


def fem_winner(rows):
    """What is fastest on a mesh in an iteration, what it reads beside the best assembled matrix, and
    when its preparation has paid."""
    assembled = rows[rows.detail.isin(list(ASSEMBLED))]
    if assembled.empty:
        return None
    best, first = assembled.loc[assembled.ms.idxmin()], rows.loc[rows.ms.idxmin()]
    free = rows[rows.detail == "matrix_free"]
    if first.detail == best.detail:
        why = f"{best.what} is fastest"
        if len(free) and free.iloc[0].bytes < best.bytes:
            free = free.iloc[0]
            why += (f": matrix-free products read {free.bytes:.0f} bytes a row where it reads "
                    f"{best.bytes:.0f}, but at {free.floor:.2f} of their floor, not {best.floor:.2f}, so "
                    "it is not memory that they wait for")
        return why
    saved, more = best.ms - first.ms, first.prep_ms - best.prep_ms
    why = (f"{first.what} is fastest: it reads {first.bytes:.0f} bytes a row where {best.what} reads "
           f"{best.bytes:.0f}, at {first.floor:.2f} of its floor, not {best.floor:.2f}, and saves "
           f"{human_ms(saved)} an iteration")
    if more > 0:
        why += (f". It takes {human_ms(first.prep_ms)} to make, not {human_ms(best.prep_ms)}, which "
                f"{human_calls(more / saved)} iterations pay for")
    return why


def fem_local(rows):
    """Why element matrices that are kept win or lose."""
    kept = rows[rows.detail.isin(["local", "packed", "narrow"])]
    assembled = rows[rows.detail.isin(list(ASSEMBLED))]
    if kept.empty or assembled.empty:
        return None
    best, local = assembled.loc[assembled.ms.idxmin()], kept.loc[kept.ms.idxmin()]
    return (f"the best of those that are kept, {local.what}, is {best.ms / local.ms:.2f} times as fast: "
            f"{local.bytes:.0f} bytes a row, {local.bytes / best.bytes:.1f} times those of {best.what}, at "
            f"{local.floor:.2f} of their floor")


def fem_words(results):
    twice = results.figure("times as fast", subject="knowledge of the problem in FEM")
    rows = solutions_of(results)
    for (matrix, type_), of_mesh in rows.groupby(PAIR):
        leads = of_mesh.set_index("detail").lead
        ours = [f"{leads[name]:.2f} by {OPERATORS[name]}" for name in
                ("local", "packed", "narrow", "matrix_free") if name in leads]
        yield (f"CG on `{matrix}`, {type_}, times as fast as with the best assembled matrix: "
               f"{'; '.join(ours)} (the paper: {twice} by local matrices).")
        reasons = [why for why in (fem_winner(of_mesh), fem_local(of_mesh)) if why]
        if reasons:
            yield f"On `{matrix}`, {type_}, {'. Of element matrices, '.join(reasons)}."


def tuner_words(results):
    _, paths = searches_of(results)
    first, few = (results.figure("percent of exhaustive", subject=subject)
                  for subject in ("first iteration", f"after {tuner.FEW} iterations"))
    for type_, of_type in paths.groupby("type"):
        row = tuned_row(of_type)
        yield (f"While systems are solved, the tuner is at {row['start']:.0f} % of the exhaustive search "
               f"at the start and at {row['few']:.0f} % after {tuner.FEW} calls, the mean of "
               f"{len(of_type)}, {type_} (the paper: {first} % and {few} %).")
    for type_, steps in results.of("newton").groupby("type"):
        later = steps.trials[steps.call > 1].sum()
        yield (f"In Newton's method the tuner tries {steps.trials[steps.call == 1].sum():.0f} times in "
               f"the first step and {f'{later:.0f} times' if later else 'nothing'} after it, {type_}.")


def rule_words(results, cases):
    both = cases[cases.percent.notna()]
    if len(both):
        first = results.figure("percent of exhaustive", subject="first iteration")
        yield (f"The fixed rule reaches {both.percent.mean():.0f} % of the exhaustive search on "
               f"average and {both.percent.min():.0f} % at worst (the paper's tuner starts at "
               f"{first} %).")
        ours, best = (both[f"{part}_params"].str.split(",").str[0].astype(int)
                      for part in ("rule", "tuned"))
        yield (f"Its coop is that of the exhaustive search on {(ours == best).sum()} of {len(both)}; "
               f"the search wants more threads a row on {(ours < best).sum()} and fewer on "
               f"{(ours > best).sum()}.")
    found = cases[cases.rule_gbs_effective.notna()]
    if len(found):
        beyond = (found.rule_gbs_effective > found.rule_copy_gbs).sum()
        yield (f"By effective bytes the fixed rule moves {found.rule_gbs_effective.mean():.0f} "
               f"GB/s on average, by minimal bytes {found.rule_gbs.mean():.0f}; on "
               f"{beyond} of {len(found)} the effective figure is above what a copy reaches, so "
               "blocks do share lines there: the last-level cache serves them.")


def sweep_words(results):
    for type_ in TYPES:
        coops = like(swept(results, "coop"), type=type_).groupby("value").over.agg(geometric_mean)
        if 1 in coops:
            yield (f"One thread a row takes {coops[1]:.2f} times as long as the best coop of each "
                   f"matrix, {type_}; one coop for all matrices is best at {coops.idxmin():.0f}, "
                   f"{coops.min():.2f} times.")
        for name in ("repeat", "block"):
            rows = like(swept(results, name), type=type_)
            if rows.value.nunique() > 1:
                worst = geometric_mean(rows.groupby("matrix").over.max())
                yield (f"After fixing coop, the worst {name} costs {worst:.2f} times the best one, "
                       f"{type_}.")


def words(results, cases):
    """What the numbers say; only what they say."""
    yield from rule_words(results, cases)
    yield from sweep_words(results)
    for type_, of_type in cases.groupby("type"):
        for lead in leads_of(results, of_type).itertuples():
            if lead.count and lead.part != "ours":
                verdict = "more" if lead.mean > float(lead.paper) else "less"
                yield (f"The lead of the {'fixed rule' if lead.part == 'rule' else 'tuned kernel'} "
                       f"over the vendor is {lead.mean:.2f} times, {type_}: {verdict} than the "
                       f"paper's {lead.paper}.")
        slower = of_type[of_type.tuned_lead < 1]
        if len(slower):
            yield (f"However it is tuned, the kernel is slower than the vendor on {len(slower)} of "
                   f"{len(of_type)}, {type_}: {', '.join('`' + slower.name + '`')}.")
    for form in ("ell", "hyb"):
        both = cases[cases.tuned_ms.notna() & cases[f"{form}_ms"].notna()]
        if len(both):
            yield (f"{form.upper()} is faster than tuned CSR on "
                   f"{(both[f'{form}_ms'] < both.tuned_ms).sum()} of {len(both)} (the paper "
                   "closed the gap to it).")
    yield from tuner_words(results)
    yield from fem_words(results)


def sections(results, cases):
    yield from coop_section(results)
    yield from ("#### Row groups a block (coop as the fixed rule picks it, block 128)", "")
    yield from sweep(results, "repeat")
    yield from ("#### Threads of a block (coop as the fixed rule picks it, repeat 1)", "")
    yield from sweep(results, "block")
    yield from rule_section(results, cases)
    yield from formats_section(cases)
    yield from tuner_section(results)
    yield from newton_section(results)
    yield from fem_section(results)
