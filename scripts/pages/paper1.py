# SPDX-License-Identifier: Apache-2.0
"""Paper 1, Reguly and Giles: coop, repeat and block, the fixed rule, the vendor."""
from . import plots
from .papers import TYPES, best_by, name_of, nothing, param
from .tables import fastest, geometric_mean, group, human_ms, is_right, mean, spec, table


def sweep_values(results, experiment, type_, name):
    """{value: [time over the best of the sweep, one for each matrix]}, and how often it is best."""
    over, best = {}, {}
    for rows in group(results.of(experiment, type=type_), "matrix").values():
        rows = [row for row in rows if is_right(row)]
        least = min((row["ms"] for row in rows), default=None)
        for row in rows:
            value = param(row, name)
            over.setdefault(value, []).append(row["ms"] / least)
            best[value] = best.get(value, 0) + (row["ms"] == least)
    return over, best


def sweep(results, experiment, name, extra_headings=(), extra=lambda value: ()):
    """A table and a plot of one parameter."""
    of = {type_: sweep_values(results, experiment, type_, name) for type_ in TYPES}
    values = sorted({value for over, _ in of.values() for value in over})
    if not values:
        yield from nothing(1, f"--experiment {experiment}")
        return
    rows = []
    for value in values:
        cells = [str(value)]
        for over, best in of.values():
            ratios = over.get(value)
            cells += [f"{geometric_mean(ratios):.2f}" if ratios else "-",
                      f"{best.get(value, 0)} of {len(ratios)}" if ratios else "-"]
        rows.append(cells + list(extra(value)))
    yield from table((f">{name}", ">f32: time over the best", ">f32: is the best",
                      ">f64: time over the best", ">f64: is the best", *extra_headings), rows)
    panels = {}
    for type_ in TYPES:
        series = {}
        for row in results.of(experiment, type=type_):
            if is_right(row):
                point = (param(row, name), row["gflops"] / 2)
                series.setdefault(name_of(row), []).append(point)
        if series:
            panels[type_] = series
    yield from results.add_plot(plots.Lines, experiment, f"Nonzeros a second against {name}", panels,
                           (name, "billion nonzeros a second"), log_y=True)


def counter(rows, coop, key):
    values = [row[key] for row in rows if param(row, "coop") == coop and row[key] is not None]
    return mean(values) if values else None


def coop_plot(results, profiles):
    """The paper's table of coop beside ours."""
    counters = {"L1 hit rate %": ("l1_hit", lambda value: value),
                "divergence %": ("warp_efficiency", lambda value: 100 - value)}
    printed = {"L1 hit rate %": "l1_hit", "divergence %": "divergence"}
    coops = sorted({param(row, "coop") for row in profiles})
    panels = {}
    for heading, (key, ours) in counters.items():
        found = [(coop, counter(profiles, coop, key)) for coop in coops]
        paper = [(coop, results.figures.get(1, printed[heading], subject=f"coop={coop}"))
                 for coop in coops]
        panels[heading] = {
            "paper (C2070)": [(coop, float(value)) for coop, value in paper if value != "-"],
            "ours": [(coop, ours(value)) for coop, value in found if value is not None]}
    yield from results.add_plot(plots.Lines, "l1", "L1 hit rate and divergence against coop",
                                panels if profiles else {}, ("coop", "%"))


def coop_section(results):
    profiles = results.profiles("coop")
    figures = results.figures

    def extra(coop):
        hit = counter(profiles, coop, "l1_hit")
        full = counter(profiles, coop, "warp_efficiency")
        subject = f"coop={coop}"
        return (figures.get(1, "l1_hit", subject=subject),
                f"{hit:.1f}" if hit is not None else "-",
                figures.get(1, "divergence", subject=subject),
                f"{100 - full:.1f}" if full is not None else "-")

    yield from ("#### Cooperating threads (block 128, repeat 1)", "")
    yield from sweep(results, "coop", "coop",
                     (">L1 hit %, paper", ">L1 hit %, ours", ">divergence %, paper",
                      ">divergence %, ours"), extra)
    yield from coop_plot(results, profiles)
    if not profiles:
        yield from ("The profiler was not run here (`tulle paper 1 --profile`).", "")
    else:
        yield from ("Ours: means over the matrices, f32. The paper does not say of which matrix its "
                    "numbers are. Divergence: lanes that an instruction leaves idle.", "")


class Case:
    """One matrix in one type: the rule's row, the best of the exhaustive search, the vendor's."""

    def __init__(self, results, matrix, type_, vendor):
        rules = results.of("rule", matrix=matrix, type=type_)
        self.rule = fastest([row for row in rules if row["request"] == "rule reguly_giles"])
        self.ours = fastest([row for row in rules if row["request"] == "rule tulle"])
        self.tuned = fastest(results.of("exhaustive", matrix=matrix, type=type_))
        # The rule's own parameters may be outside the grid of the search.
        if self.tuned and self.rule and self.rule["ms"] < self.tuned["ms"]:
            self.tuned = self.rule
        self.vendor = vendor.get(matrix)
        self.any = self.rule or self.tuned or self.ours
        formats = results.of("formats", matrix=matrix, type=type_)
        self.formats = {key[0]: row for key, row in best_by(formats, "format").items()}

    def share(self):
        return self.tuned["ms"] / self.rule["ms"] if self.rule and self.tuned else None

    def ratio(self, row):
        return self.vendor["ms"] / row["ms"] if self.vendor and row else None


def cases_of(results, type_):
    vendor = results.vendor(type_)
    found = [Case(results, matrix, type_, vendor)
             for (matrix,) in group([row for row in results.rows if row["type"] == type_], "matrix")]
    found = [case for case in found if case.any]
    return sorted(found, key=lambda case: case.any["nnz"] / max(case.any["rows"], 1))


def number(value, form="{:.2f}"):
    return form.format(value) if value is not None else "-"


def rule_table(cases):
    def params(row):
        return f"{param(row, 'coop')}, {param(row, 'repeat')}, {param(row, 'block')}"

    for case in cases:
        share = case.share()
        yield [f"`{case.any['matrix']}`", case.any["class"],
               human_ms(case.rule["ms"]) if case.rule else "-",
               params(case.rule) if case.rule else "-",
               human_ms(case.tuned["ms"]) if case.tuned else "-",
               params(case.tuned) if case.tuned else "-",
               number(100 * share if share else None, "{:.0f} %"),
               number(case.rule["gbs"] if case.rule else None, "{:.0f}"),
               number(case.rule.get("gbs_effective") if case.rule else None, "{:.0f}"),
               human_ms(case.vendor["ms"]) if case.vendor else "-",
               number(case.ratio(case.rule)), number(case.ratio(case.tuned)),
               number(case.ratio(case.ours))]


RULE_HEADINGS = ("matrix", "class", ">rule", "coop, repeat, block", ">exhaustive",
                 "coop, repeat, block", ">rule of exhaustive", ">GB/s of the rule, minimal", ">effective", ">vendor",
                 ">vendor / rule", ">vendor / exhaustive", ">vendor / tulle's rule")


def ratios(cases, get):
    return [case.ratio(get(case)) for case in cases if case.ratio(get(case))]


def summary(results, all_cases):
    kinds = (("rule", "the fixed rule", lambda case: case.rule),
             ("tuned", "tuned (paper: at run time; ours: exhaustive)", lambda case: case.tuned),
             ("ours", "tulle's rule, any kernel", lambda case: case.ours))
    for subject, heading, get in kinds:
        for type_, cases in all_cases.items():
            found = ratios(cases, get)
            memory = ratios([case for case in cases if case.any["class"] == "memory"], get)
            yield [heading, type_,
                   results.figures.get(1, "times the vendor", subject=subject, type=type_),
                   number(mean(found) if found else None),
                   number(geometric_mean(found) if found else None), str(len(found)),
                   number(mean(memory) if memory else None), str(len(memory))]


def rule_section(results, all_cases):
    yield from ("#### The fixed rule, exhaustive search, and the vendor", "")
    if not any(case.rule for cases in all_cases.values() for case in cases):
        yield from nothing(1, "--experiment rule --experiment exhaustive --experiment vendor")
        return
    for type_, cases in all_cases.items():
        yield from (f"{type_}:", "")
        yield from table(RULE_HEADINGS, rule_table(cases))
        series = {"fixed rule": "rule", "exhaustive": "tuned", "vendor": "vendor"}
        bars = {label: {name_of(case.any): getattr(case, part)["gflops"] / 2 for case in cases
                        if getattr(case, part)} for label, part in series.items()}
        yield from results.add_plot(plots.Bars, f"rule-{type_}", f"Nonzeros a second, {type_}",
                               {label: bar for label, bar in bars.items() if bar},
                               "billion nonzeros a second")
    yield from ("Effective: the paper's estimate, the distinct lines of 128 bytes that each block "
                "touches, without sharing between blocks.", "")
    yield from ("Times as fast as the vendor's best algorithm, means as in the paper (arithmetic) and "
                "geometric:", "")
    yield from table(("what", "type", ">paper", ">ours", ">geometric", ">matrices",
                      ">class memory alone", ">matrices"), summary(results, all_cases))
    yield from speedup_plot(results, all_cases)


def speedup_plot(results, all_cases):
    """Means over the matrices, the paper's beside ours."""
    bars = {"paper (C2070, cuSPARSE 4.0)": {}, "ours": {}}
    for subject, heading, get in (("rule", "fixed rule", lambda case: case.rule),
                                  ("tuned", "tuned", lambda case: case.tuned)):
        for type_, cases in all_cases.items():
            found = ratios(cases, get)
            if found:
                paper = results.figures.get(1, "times the vendor", subject=subject, type=type_)
                bars["paper (C2070, cuSPARSE 4.0)"][f"{heading}, {type_}"] = float(paper)
                bars["ours"][f"{heading}, {type_}"] = mean(found)
    yield from results.add_plot(plots.Bars, "speedup", "Times as fast as the vendor",
                                bars if bars["ours"] else {}, "mean over the matrices")


def formats_section(results, all_cases):
    yield from ("#### Tuned CSR against ELL and HYB", "")
    rows = []
    for type_, cases in all_cases.items():
        for case in cases:
            if not case.tuned or not case.formats:
                continue
            cells = [f"`{case.any['matrix']}`", type_, human_ms(case.tuned["ms"])]
            for form in ("ell", "hyb"):
                row = case.formats.get(form)
                cells += [human_ms(row["ms"]) if row else "refused",
                          spec(row) if row else "-",
                          number(row["ms"] / case.tuned["ms"] if row else None)]
            rows.append(cells)
    if not rows:
        yield from nothing(1, "--experiment formats")
        return
    yield from table(("matrix", "type", ">tuned CSR", ">ELL", "kernel", ">ELL / CSR", ">HYB",
                      "kernel", ">HYB / CSR"), rows)


def rule_words(results, cases):
    shares = [case.share() for case in cases if case.share()]
    if shares:
        first = results.figures.get(1, "percent of exhaustive", subject="first iteration")
        yield (f"The fixed rule reaches {100 * mean(shares):.0f} % of the exhaustive search on "
               f"average and {100 * min(shares):.0f} % at worst (the paper's tuner starts at "
               f"{first} %).")
    both = [case for case in cases if case.rule and case.tuned]
    if both:
        same = sum(param(case.rule, "coop") == param(case.tuned, "coop") for case in both)
        more = sum(param(case.rule, "coop") < param(case.tuned, "coop") for case in both)
        yield (f"Its coop is that of the exhaustive search on {same} of {len(both)}; the search "
               f"wants more threads a row on {more} and fewer on {len(both) - same - more}.")


def bandwidth_words(cases):
    found = [case.rule for case in cases if case.rule and "gbs_effective" in case.rule]
    beyond = [row for row in found if row["gbs_effective"] > row["copy_gbs"]]
    if found:
        yield (f"By effective bytes the fixed rule moves {mean([r['gbs_effective'] for r in found]):.0f} "
               f"GB/s on average, by minimal bytes {mean([r['gbs'] for r in found]):.0f}; on "
               f"{len(beyond)} of {len(found)} the effective figure is above what a copy reaches, so "
               "blocks do share lines there: the last-level cache serves them.")


def words(results, all_cases):
    """What the numbers say; only what they say."""
    cases = [case for of_type in all_cases.values() for case in of_type]
    yield from rule_words(results, cases)
    yield from bandwidth_words(cases)
    for type_ in TYPES:
        over, _ = sweep_values(results, "coop", type_, "coop")
        if 1 in over:
            means = {coop: geometric_mean(values) for coop, values in over.items()}
            best = min(means, key=means.get)
            yield (f"One thread a row takes {means[1]:.2f} times as long as the best coop of each "
                   f"matrix, {type_}; one coop for all matrices is best at {best}, "
                   f"{means[best]:.2f} times.")
        for experiment, name in (("repeat", "repeat"), ("block", "block")):
            over, _ = sweep_values(results, experiment, type_, name)
            spread = [max(column) for column in zip(*over.values())] if len(over) > 1 else []
            if spread:
                yield (f"After fixing coop, the worst {name} costs {geometric_mean(spread):.2f} "
                       f"times the best one, {type_}.")
    for type_, of_type in all_cases.items():
        for subject, get in (("rule", lambda case: case.rule), ("tuned", lambda case: case.tuned)):
            found, paper = ratios(of_type, get), results.figures.get(
                1, "times the vendor", subject=subject, type=type_)
            if found:
                verdict = "more" if mean(found) > float(paper) else "less"
                yield (f"The lead of the {'fixed rule' if subject == 'rule' else 'tuned kernel'} over "
                       f"the vendor is {mean(found):.2f} times, {type_}: {verdict} than the paper's "
                       f"{paper}.")
        slower = [case for case in of_type if case.ratio(case.tuned) and case.ratio(case.tuned) < 1]
        if slower:
            names = ", ".join(f"`{name_of(case.any)}`" for case in slower)
            yield (f"However it is tuned, the kernel is slower than the vendor on {len(slower)} of "
                   f"{len(of_type)}, {type_}: {names}.")
    for form in ("ell", "hyb"):
        both = [case for case in cases if case.tuned and form in case.formats]
        if both:
            wins = sum(case.formats[form]["ms"] < case.tuned["ms"] for case in both)
            yield (f"{form.upper()} is faster than tuned CSR on {wins} of {len(both)} (the paper "
                   "closed the gap to it).")


def sections(results, all_cases):
    yield from coop_section(results)
    yield from ("#### Row groups a block (coop as the fixed rule picks it, block 128)", "")
    yield from sweep(results, "repeat", "repeat")
    yield from ("#### Threads of a block (coop as the fixed rule picks it, repeat 1)", "")
    yield from sweep(results, "block", "block")
    yield from rule_section(results, all_cases)
    yield from formats_section(results, all_cases)


def page(results):
    """The lines of the page, and what the numbers come to."""
    all_cases = {type_: cases_of(results, type_) for type_ in TYPES}
    all_cases = {type_: cases for type_, cases in all_cases.items() if cases}
    return list(sections(results, all_cases)), list(words(results, all_cases))
