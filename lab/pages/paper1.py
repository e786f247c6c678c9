# SPDX-License-Identifier: Apache-2.0
"""Paper 1, Reguly and Giles: coop, repeat and block, the fixed rule, the vendor, the tuner, and
finite elements."""
import pandas as pd

from . import paper1_carve, paper1_tuner, plots
from .papers import nothing, verdict
from .tables import (TYPES, beside, fastest, geometric_mean, human_calls, human_ms, like, name_of,
                     of_types, param, summary, table, texts)

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


def cache_words(results):
    """What the L2 of either GPU can hold."""
    of = results.of("rule").drop_duplicates(PAIR)
    printed = results.figure("L2", subject="Tesla C2070")
    if len(of):
        fit = int((of.matrix_bytes <= 1024 * float(printed.rstrip("k"))).sum())
        yield (f"Of {len(of)} pairs of matrix and type, {fit} would fit into the {printed} bytes of L2 of the paper's GPU; "
               f"here the last-level cache holds {int((of['class'] != 'memory').sum())}.")


def lead_words(results, cases):
    """The conclusions' span of speed-ups over the vendor."""
    leads = leads_of(results, cases) if len(cases) else cases
    leads = leads[leads.part.isin(["rule", "tuned"]) & (leads["count"] > 0)] if len(leads) else leads
    if len(leads):
        claim = results.figure("times the vendor", where="Conclusions")
        least = float(claim.split(" to ")[0])
        yield (f"In all, rule and tuned, f32 and f64, are {leads['mean'].min():.2f} to {leads['mean'].max():.2f} times "
               f"as fast as the vendor (the paper's conclusions: {claim}; that all are {least:g} times and more is "
               f"{verdict(leads['mean'].min() >= least)}).")


def head_claims(results, rows):
    yield from ()


def words(results, cases):
    """What the numbers say; only what they say."""
    yield from rule_words(results, cases)
    yield from sweep_words(results)
    yield from cache_words(results)
    yield from paper1_carve.words(results)
    for type_, of_type in cases.groupby("type"):
        for lead in leads_of(results, of_type).itertuples():
            if lead.count and lead.part != "ours":
                than = "more" if lead.mean > float(lead.paper) else "less"
                yield (f"The lead of the {'fixed rule' if lead.part == 'rule' else 'tuned kernel'} "
                       f"over the vendor is {lead.mean:.2f} times, {type_}: {than} than the "
                       f"paper's {lead.paper}.")
        slower = of_type[of_type.tuned_lead < 1]
        if len(slower):
            yield (f"However it is tuned, the kernel is slower than the vendor on {len(slower)} of "
                   f"{len(of_type)}, {type_}: {', '.join('`' + slower.name + '`')}.")
    yield from lead_words(results, cases)
    for form in ("ell", "hyb"):
        both = cases[cases.tuned_ms.notna() & cases[f"{form}_ms"].notna()]
        if len(both):
            lead = geometric_mean(both[f"{form}_ms"] / both.tuned_ms)
            yield (f"{form.upper()} is faster than tuned CSR on "
                   f"{(both[f'{form}_ms'] < both.tuned_ms).sum()} of {len(both)} and takes {lead:.2f} times as long "
                   f"in the geometric mean (the paper: the gap to it is closed; {verdict(lead >= 1)}).")
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
    yield from formats_section(cases)
    yield from paper1_tuner.sections(results)
    yield from fem_section(results)
