# SPDX-License-Identifier: Apache-2.0
"""The head of paper 5's page: what the slides argue, in their order, beside times and counters of here."""
import pandas as pd

from .papers import Claim, all_hold, by_type
from .slides import counters_of, kernel_of, orders_of, paddings_of, slower_from, sorted_gains
from .tables import fastest, like, span

PLAIN = "a thread a row in CSR"


def claims_of_csr(counters):
    """The two shortcomings of a thread a row, by the profiler's counters."""
    plain, ell = (kernel_of(counters, name) for name in ("spmv_csr_scalar", "spmv_ell"))
    both = plain[["load"]].join(ell[["load"]], rsuffix="_ell", how="inner")
    if len(both):
        yield Claim(f"{PLAIN} does not coalesce its loads; padded and transposed rows (ELL) do",
                    f"{span(both.load, '{:.0f}')} % of what is loaded is used; with ELL {span(both.load_ell, '{:.0f}')} %",
                    (both.load_ell > both.load).all())
    uneven, alike = (kernel_of(counters, "spmv_csr_scalar", spread) for spread in ("uneven", "alike"))
    if len(uneven) and len(alike):
        yield Claim(f"{PLAIN} diverges where rows vary in length",
                    f"there {span(uneven.warp, '{:.0f}')} % of a warp's threads are at work; where rows are alike "
                    f"{span(alike.warp, '{:.0f}')} %", (uneven.warp < alike.warp.min()).all())


def gains_of(best, form, spread):
    """How many times as fast as the slides' first kernel a format is on one of their cases."""
    return like(best, format=form, **{spread: True}).over_plain.dropna()


def claims_of_ell(best):
    gains = gains_of(best, "ell", "alike")
    if len(gains):
        yield Claim(f"ELL, padded and transposed, is better than {PLAIN}",
                    f"where rows are alike, {span(gains, '{:.2f}')} times as fast", (gains > 1).all())


def claims_of_less_padding(cases, best, form, said):
    """What a format's matrix takes beside ELL's, and how fast it is where ELL would pad too much."""
    taken = cases[cases.ell_ms.notna()].dropna(subset=f"{form}_ms") if len(cases) else cases
    if taken.empty:
        return
    own, gains = taken[f"{form}_matrix_bytes"] / taken.plain_matrix_bytes, gains_of(best, form, "uneven")
    found = f"{span(own, '{:.1f}')} times the bytes of CSR, where ELL has {span(taken.share, '{:.1f}')} times"
    if len(gains):
        found += f"; where a few rows are long, {span(gains, '{:.2f}')} times as fast as {PLAIN}"
    yield Claim(said, found, (own < taken.share).all())


def claims_of_padding(cases):
    found, holds = {}, []
    for type_, of in cases.groupby("type") if len(cases) else ():
        taken, refused = of[of.ell_ms.notna()], of[of.ell_ms.isna()]
        if taken.empty:
            continue
        slots = slower_from(taken, "over_plain")
        holds.append(pd.notna(slots))
        found[type_] = f"slower from {slots:.1f} on" if holds[-1] else f"not slower at {taken.slots.max():.1f}"
        if len(refused):
            found[type_] += f" and refused at {refused.slots.min():.1f}"
    if found:
        yield Claim("ELL pads too much, and slows, where a few rows are long",
                    f"beside {PLAIN}, by slots for each entry, ELL is {by_type(found)}", all_hold(holds))


def claims_of_order(results):
    measured, times = results.of("order"), orders_of(results)
    if len(measured):
        yield Claim("entries of COO can be in any order without loss",
                    f"{measured.right.sum()} of {len(measured)} products are right, by rows, by columns and shuffled",
                    measured.right.all())
    if len(times):
        found = {type_: span(of.shuffled_over, "{:.2f}") for type_, of in times.groupby("type")}
        yield Claim("another order disturbs the locality of COO",
                    f"shuffled entries take {by_type(found)} times as long as by rows", (times.shuffled_over > 1).all())


def claims_of_sorting(results, counters):
    uneven, gains = kernel_of(counters, "spmv_csr_scalar", "uneven"), sorted_gains(results)
    if uneven.empty:
        return
    found = {type_: span(of.gain, "{:.2f}") for type_, of in gains.groupby("type")}
    speed = f"; the kernel is {by_type(found)} times as fast as before" if found else ""
    yield Claim(f"sorting rows by length makes them regular for {PLAIN}",
                f"{span(uneven.sorted_warp, '{:.0f}')} % of a warp's threads are at work instead of "
                f"{span(uneven.warp, '{:.0f}')} %{speed}", (uneven.sorted_warp > uneven.warp).all())


def claims_of_system(results):
    """Nothing here inverts a matrix, which the slides compare with. The inverse of a connected matrix is full: a product
    with it takes at least the time of a copy of its n² numbers, and making it takes more."""
    rows = results.of("system", right=True)
    if len(rows):
        found = {type_: f"{of.left.max():.1e}" for type_, of in rows.groupby("type")}
        numbers = rows.rows.astype(float) ** 2 * rows.type.map({"f32": 4, "f64": 8})
        once = 1e-6 * numbers / rows.copy_gbs
        times = once / rows.solution_ms
        yield Claim("A x + y = 0 is better solved by iterating than by an inverse",
                    f"{rows.matrix.nunique()} systems are solved in {span(rows.iterations, '{:.0f}')} iterations; the norm of "
                    f"A x + y over y's is at most {by_type(found)}. No inverse was made: to read one that is full takes, "
                    f"as fast as a copy, {span(times, '{:.3g}')} times as long as a solution", bool((times > 1).all()))


def head_claims(results, rows):
    counters, cases = counters_of(results), paddings_of(results)
    best = fastest(rows, ["matrix", "type", "format"]).reset_index()
    yield from claims_of_csr(counters)
    yield from claims_of_ell(best)
    yield from claims_of_padding(cases)
    yield from claims_of_order(results)
    yield from claims_of_less_padding(cases, best, "hyb", "a hybrid of ELL and COO (HYB) regulates the padding")
    yield from claims_of_sorting(results, counters)
    yield from claims_of_less_padding(cases, best, "jds_ell", "sections of rows sorted by length (JDS-ELL) are padded less")
    yield from claims_of_system(results)
