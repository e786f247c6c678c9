# SPDX-License-Identifier: Apache-2.0
"""Paper 1, Reguly and Giles: coop, repeat and block, the fixed rule, the vendor, the tuner, and
finite elements."""
import numpy as np
import pandas as pd

from . import paper1_carve, paper1_tuner, plots
from .papers import Claim, measured, nothing, of_each_type, verdict
from .tables import (TYPES, beside, fastest, geometric_mean, human_calls, human_ms, like, name_of,
                     of_types, param, span, summary, table, texts)

PAIR = ["matrix", "type"]
FAR = 1.1  # times as long, where one thing is measured twice
TIED = 1.02  # times as long, below which times differ from run to run
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
    if more is None:
        yield from measured(rows)
    yield from results.add_plot(
        plots.Lines, name, f"Nonzeros a second against {name}",
        plots.points(rows.type, name_of(rows), rows.value, rows.gflops / 2),
        (name, "billion nonzeros a second"), log_y=True)


# What the slides print of the three matrices that they show.
SHOWN = {"crankseg_2": "structural problem", "webbase-1M": "web connectivity",
         "atmosmodd": "atmospheric modeling"}
PRINTED_OF = ("nnz", "mean_row", "sd_row")


def slides_section(results):
    """The three matrices of the slides beside ours."""
    yield from ("#### The matrices that the slides show", "")
    rows = results.rows[results.rows.err.notna() & name_of(results.rows).isin(list(SHOWN))]
    deviations = rows.groupby(["matrix", "nnz"]).sd_row.max()  # which rows of the first version lack
    # A tuner's rows are of a system, for which some matrices were changed.
    rows = fastest(rows[~rows.choice.isin(["tune", "solution"])], "matrix").reset_index()
    if rows.empty:
        yield from nothing(1)
        return
    rows["sd_row"] = [deviations.get((of.matrix, of.nnz)) for of in rows.itertuples()]
    rows["what"] = name_of(rows).map(SHOWN)
    for key in PRINTED_OF:
        rows[f"paper_{key}"] = [results.figure(key, where="Matrix structure matters", matrix=name)
                                for name in name_of(rows)]
    yield from table(
        rows, "matrix | is | >nonzeros, paper | >ours | >a row, paper | >ours | >deviation, paper | >ours",
        "`{matrix}` | {what} | {paper_nnz} | {nnz:,} | {paper_mean_row} | {a_row:.1f} | {paper_sd_row} | "
        "{sd_row}")


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
    yield from measured(pd.concat([results.of("coop"), profiles]))
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


def bandwidth_plot(results, type_, cases):
    """Bandwidth of the fixed rule, a matrix."""
    bars = cases.set_index("name")[["rule_gbs", "rule_gbs_effective"]].dropna(how="all")
    yield from results.add_plot(
        plots.Bars, f"bandwidth-{type_}", f"Bandwidth of the fixed rule, {type_}; the line: a copy",
        bars.set_axis(["minimal bytes", "effective bytes"], axis=1), "GB/s", cases.rule_copy_gbs.max())


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
        yield from measured(like(pd.concat([results.of("rule"), results.of("exhaustive"), results.vendor()]), type=type_))
        bars = of_type.set_index("name")[["rule_gflops", "tuned_gflops", "vendor_gflops"]] / 2
        yield from results.add_plot(
            plots.Bars, f"rule-{type_}", f"Nonzeros a second, {type_}",
            bars.set_axis(["fixed rule", "exhaustive", "vendor"], axis=1).dropna(how="all", axis=1),
            "billion nonzeros a second")
        yield from bandwidth_plot(results, type_, of_type)
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


def formats_section(results, cases):
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
    yield from measured(pd.concat([results.of("formats"), results.of("exhaustive")]))


# The ways to have the matrix of a mesh, as they stand in results.
ASSEMBLED = {"csr": "CSR", "ell": "ELL", "hyb": "HYB", "optimised": "`tulle_mat_optimize`"}
KEPT = ["local", "packed", "narrow"]  # element matrices that are kept
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
    wanted = results.figure("rows", subject="FEM")
    yield from (f"-div(grad u) = f with u given on the boundary, of order 1 or, of 27 nodes, 2, on meshes of {span(rows.rows, '{:,}')} "
                f"rows (the paper: {wanted}). Bytes a row are the fewest "
                "of what is kept for a product, x and y; an iteration has ten numbers a row more. The "
                "last column is the lead on the fastest assembled matrix, in iterations "
                f"(the paper: {twice} times, by local matrices).", "")
    if (rows.detail == "optimised").any():
        yield from ("The bytes of `tulle_mat_optimize` are those of its whole plan, x and y: a plan may hold more than a product "
                    "reads, so these are an upper bound and no figure of what a product moves, and its part of the floor is "
                    "too large by as much.", "")
    yield from table(
        rows, "mesh | type | >rows | operator | >bytes a row | >product | >iteration | >of its floor | "
        ">to make | >lead",
        "`{matrix}` | {type} | {rows:,} | {what} | {bytes:.0f} | {product_ms:ms} | {ms:ms} | "
        "{floor} | {prep_ms:ms} | {lead}")
    yield from measured(rows)
    if (rows.floor > 1).any():
        yield from ("Above 1 of its floor an iteration takes less time than a copy of its bytes would, so not all of these are "
                    "read: the bytes of ELL and HYB are those of all slots, but a row ends at its first padding. A floor above 1 "
                    "is no sign of data from a cache: the matrices are many times as large as it.", "")


def speed_of(row):
    """The speed of an iteration, of that of a copy of its fewest bytes."""
    beyond = " (above 1: a plan may hold more than a product reads)" if row.floor > 1 else ""
    return f"{row.floor:.2f}{beyond}"


def bytes_of(row):
    """The bytes a row of what is read; a plan may hold more."""
    return f"{row.bytes:.0f}{' in its whole plan' if row.detail == 'optimised' else ''}"


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
            why += (f": matrix-free products have {free.bytes:.0f} bytes a row to read where it has {bytes_of(best)}, but move "
                    f"them at {speed_of(free)} of a copy's speed, not {speed_of(best)}, so their fewest bytes do not explain their time")
        return why
    saved, more = best.ms - first.ms, first.prep_ms - best.prep_ms
    why = (f"{first.what} is fastest: it has {first.bytes:.0f} bytes a row to read where {best.what} has {bytes_of(best)}, and "
           f"moves them at {speed_of(first)} of a copy's speed, not {speed_of(best)}, so that an iteration of CG takes "
           f"{human_ms(first.ms)}, not {human_ms(best.ms)}")
    if more > 0:
        made = f". It takes {human_ms(first.prep_ms)} to make, not {human_ms(best.prep_ms)}, "
        if best.ms < TIED * first.ms:
            return f"{why}{made}and a lead of {best.ms / first.ms - 1:.1%} is too small to say when that has paid"
        why += f"{made}which is worth it for more than {human_calls(more / saved)} iterations of CG in all"
    return why


def fem_claim(results):
    """Of each mesh and type the lead of the best of what is kept, and of matrix-free products."""
    rows = solutions_of(results)
    kept = rows[rows.detail.isin(KEPT)].groupby(PAIR).lead.max().dropna()
    free = like(rows, detail="matrix_free").lead.dropna()
    if len(kept):
        twice = results.figure("times as fast", subject="knowledge of the problem in FEM")
        others = f"; by matrix-free products {span(free, '{:.2f}')} times" if len(free) else ""
        reached = kept >= float(twice)
        yield Claim(f"knowledge of the problem in FEM, by local matrices: {twice} times as fast",
                    f"CG is {span(kept, '{:.2f}')} times as fast as with the best assembled matrix of a mesh{others}",
                    bool(reached.all()) if reached.nunique() == 1 else None, "it is so on some of the meshes")


def fem_words(results):
    for (matrix, type_), of_mesh in solutions_of(results).groupby(PAIR):
        if why := fem_winner(of_mesh):
            yield f"In CG on `{matrix}`, {type_}, {why}."


def rule_claim(results, cases):
    percents = cases.groupby("type").percent.mean().dropna()
    if len(percents):
        first = results.figure("percent of exhaustive", subject="first iteration")
        count = cases.matrix[cases.percent.notna()].nunique()
        yield Claim(f"the fixed rule, where tuning starts, has {first} % of the exhaustive search's speed",
                    f"{of_each_type(percents, '{:.0f} %')} in the mean of {count} matrices",
                    bool((percents.round() >= float(first)).all()))


def outside_of(results):
    """The rule's choices that are outside the domain of the search."""
    rule, tuned = results.of("rule", request="rule reguly_giles"), results.of("exhaustive")
    tuned = tuned[tuned.matrix.isin(rule.matrix)]
    if tuned.empty:
        return rule[:0]
    return rule[~rule.set_index([*PAIR, "params"]).index.isin(tuned.set_index([*PAIR, "params"]).index)]


def launch_words(results):
    """What the fixed rule picks, beside what the slides print of it."""
    def printed(quantity):
        return results.figure(quantity, where="The fixed rule", subject="rule")

    rows = results.of("rule", request="rule reguly_giles")
    if rows.empty:
        return
    coop, repeat, block = (param(rows, name) for name in ("coop", "repeat", "block"))
    blocks = np.ceil(rows.rows * coop / (block * repeat))
    least = float(printed("blocks").split()[-1])
    few = blocks < least
    below = f"; fewer on {few.sum()} of {len(rows)}, where each block has one group of rows" if few.any() else ""
    yield (f"The fixed rule's blocks have {span(block, '{:.0f}')} threads (the paper: {printed('block')}; "
           f"{verdict((block == float(printed('block'))).all())}), and there are {span(blocks, '{:,.0f}')} of them (the paper: "
           f"{printed('blocks')}{below if (repeat[few] == 1).all() else ''}; {verdict((repeat[few] == 1).all())}).")
    wanted = 2 ** np.ceil(np.log2(np.sqrt(rows.mean_row.fillna(rows.a_row)))).clip(0, 5)
    yield (f"Its coop is the {printed('coop')} (the paper) on {(coop == wanted).sum()} of {len(rows)}; "
           f"{verdict((coop == wanted).all())}.")


def rule_words(results, cases):
    both = cases[cases.percent.notna()]
    if len(both):
        worst = both.loc[both.percent.idxmin()]
        yield (f"At worst the fixed rule has {worst.percent:.0f} % of the exhaustive search's speed, on "
               f"`{worst['name']}`, {worst.type}.")
        ours, best = (both[f"{part}_params"].str.split(",").str[0].astype(int)
                      for part in ("rule", "tuned"))
        outside = outside_of(results)
        if len(outside):
            yield (f"On {len(outside)} of {len(both)} the fixed rule's parameters are not among those that the exhaustive search "
                   f"tries: {', '.join(f'`{row.matrix}` ({row.type})' for row in outside.itertuples())}.")
        yield (f"The rule's coop is that of the exhaustive search on {(ours == best).sum()} of {len(both)}; "
               f"the search wants more threads a row on {(ours < best).sum()} and fewer on "
               f"{(ours > best).sum()}.")
    found = cases[cases.rule_gbs_effective.notna()]
    if len(found):
        beyond = (found.rule_gbs_effective > found.rule_copy_gbs).sum()
        line = results.figure("cache line (bytes)")
        yield (f"By effective bytes, whole lines of {line} bytes as in the paper, the fixed rule moves "
               f"{found.rule_gbs_effective.mean():.0f} GB/s on average, by minimal bytes {found.rule_gbs.mean():.0f}"
               + (f"; on {beyond} of {len(found)} the effective figure is above what a copy reaches, so "
                  "the last-level cache serves part of the bytes there." if beyond else "."))


def coop_costs(results):
    """For each type that was swept the times with one coop for all matrices over the best of each."""
    rows = swept(results, "coop")
    return {type_: of.groupby("value").over.agg(geometric_mean) for type_, of in rows.groupby("type")}


def coop_claim(results):
    costs = coop_costs(results)
    if costs:
        least = {type_: of.min() for type_, of in costs.items()}
        coops = swept(results, "coop").sort_values("ms").drop_duplicates(PAIR).value
        yield Claim("optimal parameters depend on the matrix",
                    f"the best number of threads a row is {span(coops, '{:.0f}')}; one number for all takes "
                    f"{of_each_type(least, '{:.2f}')} times as long as the best of each matrix",
                    min(least.values()) >= paper1_carve.EXPENSIVE)


def sweep_words(results):
    one = {type_: of[1] for type_, of in coop_costs(results).items() if 1 in of}
    if one:
        yield f"One thread a row takes {of_each_type(one, '{:.2f}')} times as long as the best coop of each matrix."
    for name in ("repeat", "block"):
        rows = swept(results, name)
        worst = {type_: geometric_mean(of.groupby("matrix").over.max())
                 for type_, of in rows.groupby("type") if of.value.nunique() > 1}
        if worst:
            yield f"After fixing coop, the worst {name} takes {of_each_type(worst, '{:.2f}')} times as long as the best."


def repeat_words(results):
    """How far apart the times of one kernel are that several experiments measured."""
    rows = results.rows
    rows = rows[(rows.op == "spmv") & (rows.choice == "forced") & rows.right]
    of = rows.groupby([*PAIR, "kernel", "params"]).ms.agg(["count", "min", "max"])
    of = of[of["count"] > 1]
    far = int((of["max"] > FAR * of["min"]).sum())
    if far:
        yield (f"Of {len(of)} choices of kernel, parameters, matrix and type that more than one experiment measured, {far} "
               f"have times that are more than {100 * (FAR - 1):.0f} % apart, so that a percentage of the exhaustive search's "
               "speed is no more certain than that there.")


def cache_words(results):
    """What the L2 of either GPU can hold."""
    of = results.of("rule").drop_duplicates(PAIR)
    printed = results.figure("L2", subject="Tesla C2070")
    if len(of):
        fit = int((of.matrix_bytes <= 1024 * float(printed.rstrip("k"))).sum())
        yield (f"Of {len(of)} pairs of matrix and type, {fit} would fit into the {printed} bytes of L2 of the paper's GPU; "
               f"here the bytes of {int((of['class'] != 'memory').sum())} are at most four times what the last-level cache "
               "holds.")


def lead_claims(results, cases):
    """A line for each part of the cases that the paper compares with the vendor."""
    leads = leads_of(results, cases) if len(cases) else None
    for part, name, by, best in (("rule", "the fixed rule", "", ""),
                                 ("tuned", "the tuned kernel", ", by exhaustive search,", " and the best of its sweeps")):
        of = like(leads, part=part).dropna(subset="mean").set_index("type") if leads is not None else ()
        if len(of):
            published = paper1_carve.leads_of_published(results, cases, part)
            beside_it = (f"; `spmv_csr_vector_published`, with its best split of the L1{best}, "
                         f"{of_each_type(published, '{:.2f}')} times") if len(published) else ""
            found = published if len(published) else of["mean"]
            yield Claim(f"{name} is {of_each_type(of.paper, '{}')} times as fast as cuSPARSE",
                        f"`spmv_csr_vector` {of_each_type(of['mean'], '{:.2f}')} times{by} in the mean of "
                        f"{span(of['count'], '{:.0f}')} matrices{beside_it}",
                        bool((found >= of.paper.astype(float).reindex(found.index)).all()))


def lead_words(results, cases):
    """The conclusions' span of speed-ups over the vendor."""
    leads = leads_of(results, cases) if len(cases) else cases
    leads = leads[leads.part.isin(["rule", "tuned"]) & (leads["count"] > 0)] if len(leads) else leads
    if len(leads):
        claim = results.figure("times the vendor", where="Conclusions")
        least = float(claim.split(" to ")[0])
        count = int(leads["count"].max())
        printed = results.figure("matrices", subject="experiments")
        yield (f"The means are over {count} matrices (the paper: {printed} of the same collection; {verdict(count == int(printed))}).")
        yield (f"In all, rule and tuned, f32 and f64, are {leads['mean'].min():.2f} to {leads['mean'].max():.2f} times "
               f"as fast as the vendor (the paper's conclusions: {claim}; that all are {least:g} times and more is "
               f"{verdict(leads['mean'].min() >= least)}).")
    slower = cases[cases.tuned_lead < 1]
    if len(slower):
        names = (f"`{name}` ({', '.join(of.type)})" for name, of in slower.groupby("name", sort=False))
        yield (f"However it is tuned, the kernel is slower than the vendor on {len(slower)} of "
               f"{cases.tuned_lead.count()}: {', '.join(names)}.")


def format_claim(cases):
    """ELL and HYB over tuned CSR, both types together."""
    over = {form: (cases[f"{form}_ms"] / cases.tuned_ms).dropna() for form in ("ell", "hyb")}
    means = {form: geometric_mean(of) for form, of in over.items() if len(of)}
    if means:
        found = (f"{form.upper()} {mean:.2f} times (faster on {(over[form] < 1).sum()} of {len(over[form])})"
                 for form, mean in means.items())
        yield Claim("the gap between CSR and ELLPACK or hybrid formats is closed",
                    f"time over that of tuned CSR: {', '.join(found)}", min(means.values()) >= 1)


def head_claims(results, rows):
    """In the order of the slides."""
    yield from paper1_carve.claim_of_thrashing(results)
    yield from paper1_carve.claims_of_counters(results)
    yield from coop_claim(results)
    yield from rule_claim(results, rows)
    yield from paper1_tuner.head_claims(results)
    yield from lead_claims(results, rows)
    yield from fem_claim(results)
    yield from format_claim(rows)


def words(results, cases):
    """What the numbers say; only what they say."""
    yield from launch_words(results)
    yield from rule_words(results, cases)
    yield from sweep_words(results)
    yield from repeat_words(results)
    yield from cache_words(results)
    yield from paper1_carve.words(results)
    yield from lead_words(results, cases)
    yield from paper1_tuner.words(results)
    yield from fem_words(results)


def sections(results, cases):
    yield from slides_section(results)
    yield from coop_section(results)
    yield from ("#### Row groups a block (coop as the fixed rule picks it, block 128)", "")
    yield from sweep(results, "repeat")
    yield from ("#### Threads of a block (coop as the fixed rule picks it, repeat 1)", "")
    yield from sweep(results, "block")
    yield from paper1_carve.sections(results)
    yield from rule_section(results, cases)
    yield from formats_section(results, cases)
    yield from paper1_tuner.sections(results)
    yield from fem_section(results)
