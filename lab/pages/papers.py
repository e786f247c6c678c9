# SPDX-License-Identifier: Apache-2.0
"""What the pages of the papers share: results of tulle-lab paper, and the papers' own figures."""
import dataclasses

import pandas as pd

from .tables import TYPES, UNCHECKED, like, of_types, slug, table


# Operations on many tasks at once, which have no matrices of the paper's.
TASKS = ["batch_dot", "batch_axpy", "batch_spmm", "batch_spmm_transposed", "batch_lu", "batch_solve"]


class Figures:
    """What the papers print."""

    def __init__(self, path):
        self.rows = pd.read_csv(path, sep="\t", comment="#", dtype=str, keep_default_na=False)
        self.read = set()  # numbers of rows that a page has asked for

    def get(self, paper, quantity, **where):
        """The printed value, or "-"."""
        found = like(self.rows, paper=str(paper), quantity=quantity, **where).value
        self.read.update(found.index[:1])
        return found.iloc[0] if len(found) else "-"

    def unread(self):
        """What no page compares with, "paper, where, subject, quantity" of each, with its type and matrix."""
        rows = self.rows[~self.rows.index.isin(self.read)].replace("-", "")
        return [", ".join(filter(None, row)) for row in
                rows[["paper", "where", "matrix", "subject", "type", "quantity"]].itertuples(index=False)]


class Results:
    """The rows of one paper on one machine, and the plots that they give."""

    def __init__(self, rows, figures, plots):
        self.rows, self.plots, self.first = rows, plots, rows.iloc[0]
        self.figure = lambda *what, **where: figures.get(self.first.paper, *what, **where)

    def of(self, experiment, **where):
        """The measurements of an experiment; where: columns that must have these values."""
        measured = ~self.rows.choice.isin(["refused", "profile", "timeline"])
        return like(self.rows[measured], experiment=experiment, **where)

    def profiles(self, experiment):
        return like(self.rows, experiment=experiment, choice="profile")

    def vendor(self):
        """The peers on CSR, as in the papers."""
        peers = self.of("vendor")
        return peers[~peers.kernel.str.contains("_coo|_sell|_bsr")]

    def add_plot(self, kind, name, title, data, *rest, **options):
        """Makes a plot of this paper and machine; yields the lines of the page that show it: none
        where there is nothing to draw."""
        if data.empty:
            return
        row = self.first
        full = f"papers-{row.paper}-{name}-{slug(row.backend + '-' + row.machine)}"
        self.plots.append(kind(full, f"{title}\n{row.machine}", data, *rest, **options))
        yield from (f"![{title}](../plots/{full}.svg)", "")


def verdict(holds):
    """What a page says of a paper's claim that it could check."""
    return "so here" if holds else "not so here"


@dataclasses.dataclass
class Claim:
    """What a paper says and what was found here, a few words each; holds: None where the rows do not decide."""
    said: str
    found: str
    holds: bool = None


def by_type(texts):
    """What was found in each type, in one line: 2.26 (f32), 2.1 (f64)."""
    return ", ".join(f"{text} ({type_})" for type_, text in texts.items())


def of_each_type(numbers, form):
    """The same of numbers in a form."""
    return by_type({type_: form.format(number) for type_, number in numbers.items()})


def all_hold(verdicts):
    """The verdict of several: one that does not hold decides, then one that is not decided."""
    verdicts = [None if holds is None else bool(holds) for holds in verdicts]
    return False if False in verdicts else None if None in verdicts else True


MOST_CLAIMS = 10  # of a paper, at the head of its page


def table_of_claims(claims):
    """The head of a paper's page."""
    if len(claims) > MOST_CLAIMS:
        raise ValueError(f"{len(claims)} claims of a paper, and the head of a page has {MOST_CLAIMS}")
    if claims:
        yield from table(pd.DataFrame([{"said": claim.said, "found": claim.found,
                                        "holds": "" if claim.holds is None else verdict(claim.holds)}
                                       for claim in claims]),
                         "the paper says | found here | verdict", "{said} | {found} | {holds}")


def legend(rows):
    """What the mark of unchecked figures means, where there are any."""
    if rows.unchecked.any():
        yield (f"{UNCHECKED}: not checked, since the reference in long double would take minutes for each, or made from figures of "
               "which some were not.")


def measured(rows):
    """When the rows of a table were measured, and of which commit they are."""
    if len(rows):
        for (date, commit), _ in rows.groupby([rows.date.str[:10], "commit"]):
            yield f"Measured on {date} at `{commit}`."
        yield ""


def nothing(paper, what=""):
    """What a section says that has no results."""
    return (f"There are no results for this yet; `tulle-lab paper {paper}{what and ' '}{what} --out "
            "FILE` makes them.", "")


def classes_of(rows):
    """The class of each matrix in each type. It is the CSR matrix's: other formats of the same
    matrix may move other bytes."""
    return like(rows, format="csr").drop_duplicates(["matrix", "type"]).pivot(
        index="matrix", columns="type", values="class").reindex(columns=TYPES)


def matrices(rows):
    """Which matrices were used, real or not, and how large they are."""
    kinds = {"real": "real", "like": "stand-in", "generated": "model problem", "tile": "tiled"}
    seen = rows.sort_values("type", ascending=False, kind="stable").drop_duplicates("matrix")
    seen = seen.sort_values(["a_row", "matrix"]).join(classes_of(rows), on="matrix")
    yield from table(
        seen.assign(kind=seen.source.map(kinds)),
        f"matrix | is | >rows | >columns | >nonzeros | >a row | {of_types('class, @')}",
        "`{matrix}` | {kind} | {rows:,} | {cols:,} | {nnz:,} | {a_row:.1f} | " + of_types("{@}"))


def count_real(rows):
    """"3 real matrices, 12 stand-ins"."""
    kinds = rows.drop_duplicates("matrix").source.value_counts()
    names = {"real": ("real matrix", "real matrices"), "like": ("stand-in", "stand-ins"),
             "generated": ("model problem", "model problems"), "tile": ("tiled", "tiled")}
    return ", ".join(f"{kinds[kind]} {name[int(kinds[kind] != 1)]}" for kind, name in names.items()
                     if kind in kinds)


def small_ones(rows):
    """How many of the (matrix, type) pairs the last-level cache decides today, as a sentence."""
    count = classes_of(rows).stack().value_counts()
    return (f"Of {count.sum()} pairs of matrix and type, {count.get('memory', 0)} are in class "
            f"memory, {count.get('cache', 0)} in class cache and {count.get('launch', 0)} in class "
            "launch, where the call itself is what is timed.")
