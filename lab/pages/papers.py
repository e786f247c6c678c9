# SPDX-License-Identifier: Apache-2.0
"""What the pages of the papers share: results of tulle-lab paper, and the papers' own figures."""
import dataclasses
import re

import pandas as pd

from .tables import SAMPLED, TYPES, UNCHECKED, like, of_types, slug, table


# Operations on many tasks at once, which have no matrices of the paper's.
TASKS = ["batch_dot", "batch_axpy", "batch_spmm", "batch_spmm_transposed", "batch_lu", "batch_solve"]


# Characters that stand around a figure on a page that is being made, private ones of Unicode: before the
# number of its row, before its text, and behind it.
ROW, TEXT, END = "\ue000", "\ue001", "\ue002"
TAGGED = re.compile(f"{ROW}(\\d+){TEXT}(.*?){END}")
# Numbers that are names, and no findings: types, figures, tables, sizes of blocks and of caches.
NAMES_WITH_NUMBERS = re.compile(
    r"\bf(32|64)\b|\b[FfT](ig|igs|igure|igures|able)\.? [\dIVX]+((, | and | to |-)\d+)*|\bL[12]\b")
SPEC = re.compile("`[^`]*`")  # of a matrix or a kernel, whose numbers are no findings of a sentence
VERDICTS = ("so here", "as the slides say")


class Printed(str):
    """A figure that a paper prints, from a row of figures.tsv. Where it is formatted, the row's number stands
    beside it until the page is whole, so that it is known which figures stand where on it."""

    def __new__(cls, text, row):
        made = super().__new__(cls, text)
        made.row = row
        return made

    def __str__(self):
        return f"{ROW}{self.row}{TEXT}{super().__str__()}{END}"

    def __format__(self, form):
        return f"{ROW}{self.row}{TEXT}{format(super().__str__(), form)}{END}"


def as_printed(figure, text):
    """Another text for a figure, as a number of fewer places."""
    return Printed(text, figure.row) if isinstance(figure, Printed) else text


def without_tags(line):
    return TAGGED.sub(r"\2", line)


def has_finding(line):
    """Whether a line of a page has a verdict, or a number that no paper prints: in a table, in another cell than
    the first."""
    rest = TAGGED.sub("", line)
    if any(word in rest for word in VERDICTS):
        return True
    rest = rest.split("|", 2)[-1] if rest.startswith("|") else SPEC.sub("", rest)
    rest = NAMES_WITH_NUMBERS.sub("", rest)
    return any(letter.isdigit() for letter in rest)


THE_PAPER = "the paper"  # in a cell: the row has what the paper prints, and rows below it what was found


def cells_of(line):
    return [cell.strip() for cell in line.strip("|").split("|")] if line.startswith("|") else []


def compared_below(lines, place):
    """Of a row of what a paper prints the figures below which, in rows with the same first cell, something stands."""
    cells, found = cells_of(lines[place]), set()
    if THE_PAPER not in cells:
        return found
    for line in lines[place + 1:]:
        below = cells_of(line)
        if below[:1] != cells[:1] or THE_PAPER in below:
            break
        found.update(row for cell, own in zip(cells, below) if own for row, _ in TAGGED.findall(cell))
    return found


class Figures:
    """What the papers print."""

    def __init__(self, path):
        self.rows = pd.read_csv(path, sep="\t", comment="#", dtype=str, keep_default_na=False)

    def get(self, paper, quantity, **where):
        """The printed value, or "-"."""
        found = like(self.rows, paper=str(int(paper)), quantity=quantity, **where).value
        return Printed(found.iloc[0], found.index[0]) if len(found) else "-"

    def uncompared(self, lines, left):
        """The figures that no line has beside a finding, "paper, where, subject, quantity" of each, with its type
        and matrix; left: a frame of those that need none."""
        tagged = [place for place, line in enumerate(lines) if ROW in line]
        seen = {row for place in tagged if has_finding(lines[place]) for row, _ in TAGGED.findall(lines[place])}
        seen = set(map(int, seen.union(*(compared_below(lines, place) for place in tagged))))
        by = ["paper", "where", "subject", "quantity"]
        known = pd.MultiIndex.from_frame(self.rows[by]).isin(pd.MultiIndex.from_frame(left[by]))
        rows = self.rows[~self.rows.index.isin(seen) & ~known].replace("-", "")
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
    """What a paper says and what was found here, a few words each; holds: None where the rows do not decide, and
    why not."""
    said: str
    found: str
    holds: bool = None
    why: str = ""


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
                                        "holds": f"undecided{claim.why and ': '}{claim.why}" if claim.holds is None
                                                 else verdict(claim.holds)} for claim in claims]),
                         "the paper says | found here | verdict", "{said} | {found} | {holds}")


def legend(rows):
    """What the mark of unchecked figures means, where there are any."""
    if rows.unchecked.any():
        yield (f"{UNCHECKED}: not checked, since the reference in long double would take minutes for each, or made from figures of "
               "which some were not.")
    found = rows[rows.sampled]
    if len(found):
        by_size = found.groupby("checked_rows").size()
        sizes = ", ".join(f"{size:,.0f}" for size in by_size.index)
        yield (f"{SAMPLED}: checked on a sample of rows of the result, which a hash of the seed chooses ({sizes} rows), or made "
               "from figures of which some were checked so.")


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
