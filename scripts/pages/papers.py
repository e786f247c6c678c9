# SPDX-License-Identifier: Apache-2.0
"""What the pages of the papers share: results of tulle paper, and the papers' own figures."""
from .tables import fastest, group, slug, table

SAME = ("paper", "experiment", "machine", "backend", "matrix", "type", "request", "choice", "format",
        "kernel")
TYPES = ("f32", "f64")


def name_of(row):
    """The matrix's own name: "F1" of "F1", "like:F1" and "like:F1,stored"."""
    return row["matrix"].removeprefix("like:").removesuffix(",stored")


def is_measured(row):
    return row["choice"] not in ("refused", "profile")


def param(row, name):
    """The number of a parameter in "coop=8,repeat=1,block=128", or None."""
    values = dict(item.split("=") for item in row["params"].split(",") if "=" in item)
    return int(values[name]) if name in values else None


class Figures:
    """bench/papers/figures.tsv."""

    def __init__(self, path):
        lines = [line for line in path.read_text(encoding="utf-8").splitlines()
                 if not line.startswith("#")]
        keys = lines[0].split("\t")
        self.rows = [dict(zip(keys, line.split("\t"))) for line in lines[1:]]

    def get(self, paper, quantity, **where):
        """The printed value, or "-"."""
        for row in self.rows:
            if row["paper"] == str(paper) and row["quantity"] == quantity and all(
                    row[key] == value for key, value in where.items()):
                return row["value"]
        return "-"


class Results:
    """The rows of one paper on one machine, and the plots that they give."""

    def __init__(self, rows, figures, plots):
        self.rows, self.figures, self.plots = rows, figures, plots
        self.machine, self.backend = rows[0]["machine"], rows[0]["backend"]
        self.paper = rows[0]["paper"]

    def of(self, experiment, **where):
        """The measurements of an experiment; where: keys that must have these values."""
        return [row for row in self.rows if row["experiment"] == experiment and is_measured(row) and
                all(row[key] == value for key, value in where.items())]

    def profiles(self, experiment):
        return [row for row in self.rows
                if row["experiment"] == experiment and row["choice"] == "profile"]

    def refusals(self, **where):
        return [row for row in self.rows if row["choice"] == "refused" and
                all(row[key] == value for key, value in where.items())]

    def add_plot(self, kind, name, title, data, *rest, **options):
        """Makes a plot of this paper and machine; yields the lines of the page that show it: none
        where there is nothing to draw."""
        if not data:
            return
        full = f"papers-{self.paper}-{name}-{slug(self.backend + '-' + self.machine)}"
        self.plots.append(kind(full, f"{title}\n{self.machine}", data, *rest, **options))
        yield from (f"![{title}](plots/{full}.svg)", "")

    def vendor(self, type_):
        """The fastest peer for each matrix, on CSR, as in the papers."""
        on_csr = [row for row in self.of("vendor", type=type_)
                  if not any(name in row["kernel"] for name in ("_coo", "_sell", "_bsr"))]
        peers = group(on_csr, "matrix")
        return {matrix: fastest(rows) for (matrix,), rows in peers.items() if fastest(rows)}


def best_by(rows, *names):
    """The fastest right row of each group."""
    found = {key: fastest(of_key) for key, of_key in group(rows, *names).items()}
    return {key: row for key, row in found.items() if row}


def nothing(paper, what=""):
    """What a section says that has no results."""
    option = f" {what}" if what else ""
    return (f"There are no results for this yet; `tulle paper {paper}{option} --out FILE` makes "
            "them.", "")


def matrices(results):
    """Which matrices were used, real or not, and how large they are."""
    seen = group([row for row in results.rows if row["type"] == "f64"] or results.rows, "matrix")
    kinds = {"real": "real", "like": "stand-in", "generated": "model problem", "tile": "tiled"}
    rows = [of_matrix[0] for of_matrix in seen.values()]
    rows.sort(key=lambda row: row["nnz"] / max(row["rows"], 1))
    yield from table(
        ("matrix", "is", ">rows", ">columns", ">nonzeros", ">a row", "class, f32", "class, f64"),
        [[f"`{row['matrix']}`", kinds[row["source"]], f"{row['rows']:,}", f"{row['cols']:,}",
          f"{row['nnz']:,}", f"{row['nnz'] / max(row['rows'], 1):.1f}",
          class_of(results, row["matrix"], "f32"), class_of(results, row["matrix"], "f64")]
         for row in rows])


def class_of(results, matrix, type_):
    # The class is the CSR matrix's: other formats of the same matrix may move other bytes.
    for row in results.rows:
        if row["matrix"] == matrix and row["type"] == type_ and row["format"] == "csr":
            return row["class"]
    return "-"


def count_real(results):
    """"3 real matrices, 12 stand-ins"."""
    kinds = {}
    for (matrix, source), _ in group(results.rows, "matrix", "source").items():
        kinds[source] = kinds.get(source, 0) + 1
    names = {"real": ("real matrix", "real matrices"), "like": ("stand-in", "stand-ins"),
             "generated": ("model problem", "model problems"), "tile": ("tiled", "tiled")}
    return ", ".join(f"{kinds[kind]} {names[kind][kinds[kind] != 1]}" for kind in names
                     if kind in kinds)


def small_ones(results):
    """How many of the (matrix, type) pairs the last-level cache decides today, as a sentence."""
    pairs = {(row["matrix"], row["type"]): row["class"] for row in results.rows
             if row["format"] == "csr"}
    memory = sum(kind == "memory" for kind in pairs.values())
    launch = sum(kind == "launch" for kind in pairs.values())
    return (f"Of {len(pairs)} pairs of matrix and type, {memory} are in class memory, "
            f"{len(pairs) - memory - launch} in class cache and {launch} in class launch, "
            "where the call itself is what is timed.")
