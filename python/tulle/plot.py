# SPDX-License-Identifier: Apache-2.0
"""Pictures by matplotlib: of matrices, of convergence, of hierarchies of multigrid, and of results of the benchmark.
Each function draws into the axes `ax`, or into new ones, and returns the axes."""
from __future__ import annotations

import collections.abc
import itertools
import os
from typing import TYPE_CHECKING, Iterable, Mapping, Union

import numpy as np
import scipy.sparse as sp

from ._errors import InvalidArgument
from ._operators import Hierarchy
from ._sparse import with_entries

if TYPE_CHECKING:
    import numpy.typing as npt
    from matplotlib.axes import Axes

    from ._solve import Report

    Run = Union[Report, "Residuals", npt.ArrayLike]

PIXELS = 400  # number of pixels along the longer side of a picture of a matrix
MOST_AT_ONCE = 1 << 20  # number of entries whose pixels are computed at once
CLASSES = {"memory": "tab:blue", "cache": "tab:orange", "launch": "tab:purple"}
FEW = 12  # number of cases up to which dots of a roofline have the names of their matrices


def _axes(ax, **options):
    """The axes, or those of a new figure."""
    try:
        from matplotlib import pyplot
    except ImportError as error:
        raise ImportError("tulle.plot draws with matplotlib, which is missing: pip install tulle[plot]") from error
    return pyplot.subplots(layout="constrained", **options)[1] if ax is None else ax


def _of_rows_or_columns(A):
    """A as a sparse array in CSR or CSC."""
    A = with_entries(A)
    A = A if sp.issparse(A) and A.format in ("csr", "csc") else sp.csr_array(A)
    if A.ndim != 2:
        raise InvalidArgument(f"A has the shape {A.shape}: a matrix has two axes")
    return A


def _counts(indptr, indices, rows, cols, height, width):
    """Entries in each pixel of a picture of a CSR matrix."""
    counts, first = np.zeros(height * width, np.int64), 0
    while first < rows:
        last = max(first + 1, int(np.searchsorted(indptr, indptr[first] + MOST_AT_ONCE, "right")) - 1)
        row = np.repeat(np.arange(first, last, dtype=np.int64), np.diff(indptr[first:last + 1]))
        column = indices[indptr[first]:indptr[last]].astype(np.int64)
        counts += np.bincount(row * height // rows * width + column * width // cols, minlength=height * width)
        first = last
    return counts.reshape(height, width)


def density(A: object, pixels: int = PIXELS) -> np.ndarray:
    """The entries in each pixel of a picture of A whose longer side has at most so many pixels. Explicit zeros count.

    >>> density(np.eye(4), pixels=2)
    array([[2, 0],
           [0, 2]])
    """
    if pixels < 1:
        raise InvalidArgument(f"pixels is {pixels}: a number from 1 on is wanted")
    A = _of_rows_or_columns(A)
    rows, cols = A.shape
    side = min(1, pixels / max(rows, cols, 1))
    height, width = max(1, round(rows * side)), max(1, round(cols * side))
    if A.nnz == 0:
        return np.zeros((height, width), np.int64)
    if A.format == "csc":
        return _counts(A.indptr, A.indices, cols, rows, width, height).T
    return _counts(A.indptr, A.indices, rows, cols, height, width)


def spy(A: object, ax: Axes | None = None, pixels: int = PIXELS, cmap: str = "viridis_r") -> Axes:
    """Draws where the entries of A are: each pixel has the colour of the share of its positions that are entries, so
    that a matrix of any size can be seen. pixels: of the longer side, at most.

    >>> ax = spy(sp.eye(5000, format="csr"))
    >>> ax.get_title()
    '5,000 × 5,000, 5,000 entries'
    """
    A = _of_rows_or_columns(A)
    counts = density(A, pixels)
    ax, (rows, cols) = _axes(ax), A.shape
    share = counts * (counts.size / max(1, rows * cols))
    share = np.ma.masked_equal(share, 0)
    extent = (0, max(1, cols), max(1, rows), 0)
    if share.count() and share.max() > 1.01 * share.min():
        from matplotlib.colors import LogNorm
        norm = LogNorm(share.min(), share.max())
        image = ax.imshow(share, cmap=cmap, norm=norm, interpolation="nearest", extent=extent)
        ax.figure.colorbar(image, ax=ax, label="share of positions that are entries", shrink=0.8)
    else:
        ax.imshow(share, cmap="gray", vmin=0, vmax=10, interpolation="nearest", extent=extent)
    ax.set_title(f"{rows:,} × {cols:,}, {np.sum(counts):,} entries")
    ax.set(xlabel="column", ylabel="row")
    return ax


class Residuals(list):
    """A callback for iterative methods that keeps the norms |b - A x|, from the guess x0 on. With a callback the
    iteration is SciPy's; tulle.solve keeps its own norms in its report.

    >>> import tulle
    >>> A, b = np.array([[4.0, 1.0], [1.0, 3.0]]), np.ones(2)
    >>> residuals = Residuals(A, b)
    >>> x, info = tulle.cg(A, b, callback=residuals)
    >>> len(residuals)
    3
    """

    def __init__(self, A: object, b: npt.ArrayLike, x0: npt.ArrayLike | None = None):
        self._A, self._b = A, np.ravel(b)
        super().__init__([float(np.linalg.norm(self._b if x0 is None else self._b - A @ np.ravel(x0)))])

    def __call__(self, x: npt.ArrayLike) -> None:
        """Takes x, or as SciPy's gmres has it the norm of the residual over that of b."""
        norm = x * np.linalg.norm(self._b) if np.ndim(x) == 0 else np.linalg.norm(self._b - self._A @ np.ravel(x))
        self.append(float(norm))


def _norms(run):
    """The norms of one run: of a report of tulle.solve, or a sequence of numbers."""
    try:
        norms = np.asarray(getattr(run, "history", run), dtype=float)
    except (TypeError, ValueError):
        norms = np.empty(0)
    if norms.ndim != 1 or norms.size == 0:
        raise ValueError("a report of tulle.solve for one right-hand side, tulle.plot.Residuals or a sequence of norms "
                         "is wanted, with a norm at least; several of them are a dict, by name")
    return norms


def _name(run):
    return f"{run.method} with {run.precond}" if hasattr(run, "history") else ""


def convergence(runs: Run | Mapping[str, Run], ax: Axes | None = None, rtol: float | None = None) -> Axes:
    """Draws the norms of residuals, over the norm at the start, against iterations. runs: a report of tulle.solve,
    Residuals or a sequence of norms; or a dict of several, by name. rtol: a level to mark.

    >>> import tulle
    >>> A = tulle.csr_array(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(900, 900), format="csr"))
    >>> x, report = tulle.solve(A, np.ones(900), precond="amg")
    >>> ax = convergence({"amg": report, "guessed": [1, 0.1, 0.01]}, rtol=1e-8)
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['amg', 'guessed']
    """
    runs = runs if isinstance(runs, collections.abc.Mapping) else {_name(runs): runs}
    lines = {name: _norms(run) for name, run in runs.items()}
    ax = _axes(ax)
    for name, norms in lines.items():
        relative = norms / (norms[0] or 1)
        marker = "." if len(norms) < 60 else None
        ax.semilogy(np.where(relative > 0, relative, np.nan), marker=marker, label=name or None)
    if rtol:
        ax.axhline(rtol, color="gray", linestyle="--", linewidth=1)
    ax.set(xlabel="iteration", ylabel="residual over that at the start")
    ax.grid(alpha=0.3)
    if any(lines):
        ax.legend()
    return ax


def _human(number):
    """A count in at most four signs.

    >>> [_human(number) for number in (7, 9999, 49_998, 1_810_432)]
    ['7', '10k', '50k', '1.81M']
    """
    for power, letter in ((1e9, "G"), (1e6, "M"), (1e3, "k")):
        if number >= 0.9995 * power:
            return f"{float(f'{number / power:.3g}'):g}{letter}"
    return str(number)


def _insets(M, ax):
    """A picture of each level's matrix, side by side, the smaller the fewer rows it has."""
    levels = M.levels
    slot = 1 / len(levels)
    for number, (rows, entries) in enumerate(levels):
        A, size = M.matrix(number), 0.9 * max(0.35, (rows / levels[0][0]) ** 0.25)
        inset = ax.inset_axes([slot * (number + (1 - size) / 2), (0.85 - 0.85 * size) / 2, slot * size, 0.85 * size])
        if A is None:
            inset.set_box_aspect(1)
            inset.text(0.5, 0.5, "passed,\nnot kept", ha="center", va="center", fontsize=8)
        else:
            entries_of = np.ma.masked_equal(density(A, 150), 0)
            inset.imshow(entries_of > 0, cmap="gray", vmin=0, vmax=2, interpolation="nearest")
        inset.set(xticks=[], yticks=[])
        inset.set_title(f"{_human(rows)} rows\n{_human(entries)} entries", fontsize=8)
    ax.set_axis_off()


def hierarchy(M: Hierarchy, ax: Axes | None = None, spy: bool = False) -> Axes:
    """Draws the levels of a hierarchy that tulle.amg made: rows and entries of each as bars, or with spy=True a picture
    of each level's matrix.

    >>> import tulle
    >>> M = tulle.amg(sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(5000, 5000), format="csr"))
    >>> ax = hierarchy(M)
    >>> len(ax.patches) == 2 * len(M.levels)
    True
    """
    if not isinstance(M, Hierarchy):
        raise InvalidArgument(f"M is a {type(M).__name__}: a hierarchy is wanted, which tulle.amg makes of a matrix")
    levels = M.levels
    ax = _axes(ax, figsize=(2.2 * len(levels), 2.8) if spy else (6.4, 1.2 + 0.55 * len(levels)))
    ax.set_title(f"{len(levels)} levels, {M.operator_complexity:.2f} times the entries of A")
    if spy:
        _insets(M, ax)
        return ax
    places, (rows, entries) = np.arange(len(levels)), zip(*levels)
    for shift, name, values in ((-0.2, "rows", rows), (0.2, "entries", entries)):
        bars = ax.barh(places + shift, values, 0.38, label=name)
        ax.bar_label(bars, [_human(value) for value in values], padding=3, fontsize=8)
    ax.set(xscale="log", ylabel="level", yticks=places, xlim=(1, 4 * max(entries)))
    ax.invert_yaxis()
    ax.legend(loc="lower right")
    return ax


def _cases(results):
    """The cases of result files, of one file, or of rows."""
    from . import report
    results = [results] if isinstance(results, (str, bytes, os.PathLike, dict)) else list(results)
    kinds = {dict if isinstance(one, dict) else os.PathLike if isinstance(one, (str, bytes, os.PathLike)) else None
             for one in results}
    if len(kinds) > 1 or None in kinds:
        raise ValueError("results are names of files of tulle bench --json, or rows that tulle.report.read gives")
    rows = results if kinds == {dict} else report.read(*results)
    try:
        found = [case for case in report.cases(rows) if case.get("bytes", 0) > 0]
    except KeyError as error:
        raise ValueError(f"a row has no field {error}: tulle.report.read gives whole rows") from None
    if not found:
        raise ValueError("there are no cases of tulle's with a bandwidth in these results")
    return found


def _copies(cases):
    """The median bandwidth of a copy on each machine, by the machine's name."""
    found = {}
    for case in cases:
        if "copy_gbs" in case:
            found.setdefault(case["machine"], []).append(case["copy_gbs"])
    return {machine: float(np.median(values)) for machine, values in found.items()}


def roofline(results: str | os.PathLike[str] | Iterable, ax: Axes | None = None) -> Axes:
    """Draws the bandwidth of each case over the fewest bytes that it moves, with the bandwidth of a copy as a line for
    each machine; other libraries' as rings. results: files of `tulle bench --json`, or rows of tulle.report.read.

    >>> row = dict(op="spmv", matrix="p2d5:9", type="f64", backend="cpu", machine="a computer", date="2026-01-01")
    >>> row.update(kernel="spmv_csr", choice="rule", ms=1.0, gbs=10.0, copy_gbs=20.0, err=0.1)
    >>> row["class"] = "memory"
    >>> ax = roofline([row])
    >>> [text.get_text() for text in ax.get_legend().get_texts()]
    ['tulle, memory', 'copy, a computer: 20 GB/s']
    """
    cases = _cases(results)
    ax = _axes(ax, figsize=(8, 5))
    peers = [case for case in cases if case.get("peer_gbs", 0) > 0]
    ax.scatter([case["bytes"] for case in peers], [case["peer_gbs"] for case in peers], s=22, facecolors="none",
               edgecolors="gray", linewidths=0.8, label="fastest other library" if peers else None)
    for name in dict.fromkeys(case.get("class", "") for case in cases):
        of = [case for case in cases if case.get("class", "") == name]
        ax.scatter([case["bytes"] for case in of], [case["gbs"] for case in of], s=18, alpha=0.7,
                   color=CLASSES.get(name, "tab:green"), label=f"tulle, {name}" if name else "tulle")
    for style, (machine, bandwidth) in zip(itertools.cycle(("--", ":", "-.")), _copies(cases).items()):
        name = machine.split(" (")[0]  # A GPU's name has its host's processor in brackets.
        label = f"copy, {name}: {bandwidth:.4g} GB/s"
        ax.axhline(bandwidth, color="black", linestyle=style, linewidth=1.2, label=label)
    for case in cases if len(cases) <= FEW else ():
        ax.annotate(case["matrix"], (case["bytes"], case["gbs"]), xytext=(4, -9), textcoords="offset points",
                    fontsize=8)
    ax.set(xscale="log", yscale="log", xlabel="fewest bytes that the operation moves", ylabel="GB/s")
    ax.grid(alpha=0.3)
    ax.legend(fontsize=8)
    return ax
