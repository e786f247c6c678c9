# SPDX-License-Identifier: Apache-2.0
"""Plots of pages, as SVG that is the same for the same numbers."""
import dataclasses
import itertools

import pandas as pd

from .tables import geometric_mean


def write(plots, folder, mine):
    """Draws all plots and removes those of earlier runs; mine: whether a name is the script's."""
    import matplotlib  # pylint: disable=import-outside-toplevel # not for --check: it loads slowly
    matplotlib.use("svg")
    matplotlib.rcParams.update({"svg.hashsalt": "tulle", "svg.fonttype": "none"})
    from matplotlib import pyplot  # pylint: disable=import-outside-toplevel
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        if mine(old.stem):
            old.unlink()
    for plot in plots:
        figure = plot.draw(pyplot)
        figure.tight_layout()
        figure.savefig(folder / f"{plot.name}.svg", metadata={"Date": None})
        pyplot.close(figure)


def points(panel, label, x, y):
    """Points for Lines; what is missing is left out."""
    found = pd.DataFrame({"panel": panel, "label": label, "x": x, "y": y}).dropna()
    return found.astype({"panel": str, "label": str})


@dataclasses.dataclass
class Lines:
    """Series of points, joined or not, in one panel or several; level: where there is a horizontal
    line."""
    name: str
    title: str
    points: pd.DataFrame
    axes: tuple
    log_x: bool = True
    log_y: bool = False
    joined: bool = True
    level: float = None

    def draw(self, pyplot):
        panels = self.points.groupby("panel", sort=False)
        figure, all_axes = pyplot.subplots(1, len(panels), figsize=(2 + 4.2 * len(panels), 4.2),
                                           squeeze=False)
        for axes, (panel, series) in zip(all_axes[0], panels):
            for marker, (label, of) in zip(itertools.cycle("osv^Dxp*+"),
                                           series.groupby("label", sort=False)):
                of = of.sort_values(["x", "y"])
                axes.plot(of.x, of.y, label=label, marker=marker,
                          markersize=4 if self.joined else 3, linewidth=1 if self.joined else 0)
            axes.set(xlabel=self.axes[0], ylabel=self.axes[1],
                     xscale="log" if self.log_x else "linear",
                     yscale="log" if self.log_y else "linear")
            if self.level is not None:
                axes.axhline(self.level, color="grey", linewidth=0.8)
                axes.yaxis.set_major_formatter("{x:g}")
                axes.yaxis.set_minor_formatter("{x:g}")
            axes.set_title(panel, fontsize=8)
            axes.grid(linewidth=0.3)
        all_axes[0][-1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
        figure.suptitle(self.title, fontsize=9)
        return figure


@dataclasses.dataclass
class Bars:
    """A group of bars for each row of a frame, a bar for each column; level: where there is a line
    across them."""
    name: str
    title: str
    bars: pd.DataFrame
    x_label: str
    level: float = None

    def draw(self, pyplot):
        figure, axes = pyplot.subplots(figsize=(8, 1.2 + 0.12 * self.bars.size))
        self.bars.plot.barh(ax=axes, width=0.8)
        axes.tick_params(axis="y", labelsize=7)
        axes.invert_yaxis()
        if self.level is not None:
            axes.axvline(self.level, color="grey", linewidth=0.8)
        axes.set(xlabel=self.x_label, ylabel="")
        axes.set_title(self.title, fontsize=9)
        axes.legend(fontsize=7)
        return figure


@dataclasses.dataclass
class Strips:
    """A strip for each label of a frame: a dot a case, a bar for the mean; on the left the ratio, on the right the
    fraction of the floor."""
    name: str
    title: str
    cases: pd.DataFrame

    def draw(self, pyplot):
        groups = list(self.cases.groupby("label", sort=False))
        figure, both = pyplot.subplots(1, 2, figsize=(10, 1.3 + 0.24 * len(groups)), sharey=True,
                                       gridspec_kw={"width_ratios": [3, 2]})
        for axes, (column, mean) in zip(both, (("ratio", geometric_mean), ("rule_floor", pd.Series.median))):
            for place, (_, of) in enumerate(groups):
                numbers = of[column].dropna()
                axes.plot(numbers, [place] * len(numbers), "o", markersize=3, alpha=0.5, color="C0")
                axes.plot([mean(numbers)] if len(numbers) else [], [place] * min(len(numbers), 1), "|", markersize=11,
                          color="black")
            axes.grid(linewidth=0.3)
        both[0].set(xscale="log", xlabel="times as fast as the peer; bar: geometric mean")
        both[0].xaxis.get_major_locator().set_params(subs=(1, 2, 5))
        both[0].xaxis.set_major_formatter("{x:g}")
        both[0].xaxis.set_minor_formatter("")
        both[0].axvline(1, color="grey", linewidth=0.8)
        both[1].set(xlabel="fraction of the floor; bar: median")
        both[0].set_yticks(range(len(groups)), [label for label, _ in groups], fontsize=7)
        both[0].invert_yaxis()
        figure.suptitle(self.title, fontsize=9)
        return figure


@dataclasses.dataclass
class Levels:
    """A row of bars for each level of a hierarchy: on the left its sizes, on a logarithmic scale; on the right the
    times of its phases, one behind the other."""
    name: str
    title: str
    sizes: pd.DataFrame
    times: pd.DataFrame

    def draw(self, pyplot):
        figure, both = pyplot.subplots(1, 2, figsize=(10, 1.3 + 0.4 * len(self.sizes)), sharey=True)
        self.sizes.plot.barh(ax=both[0], width=0.7)
        self.times.plot.barh(ax=both[1], width=0.7, stacked=True)
        both[0].set(xscale="log", xlabel="rows and entries of the level's matrix", ylabel="")
        both[1].set(xlabel="milliseconds of setup")
        both[0].invert_yaxis()
        for axes in both:
            axes.grid(axis="x", linewidth=0.3)
            axes.legend(fontsize=7)
        figure.suptitle(self.title, fontsize=9)
        return figure


@dataclasses.dataclass
class Timeline:
    """Bars from one time to another in lanes; spans: lane, label, start, end."""
    name: str
    title: str
    spans: pd.DataFrame
    x_label: str

    def draw(self, pyplot):
        lanes = self.spans.lane.max() + 1
        figure, axes = pyplot.subplots(figsize=(10, 1.2 + 0.16 * lanes))
        for colour, (label, of) in enumerate(self.spans.groupby("label", sort=False)):
            axes.barh(of.lane, of.end - of.start, left=of.start, height=0.8, label=label,
                      color=f"C{colour}")
        axes.invert_yaxis()
        axes.tick_params(axis="y", labelsize=7)
        axes.set(xlabel=self.x_label, ylabel="thread")
        axes.set_title(self.title, fontsize=9)
        axes.legend(fontsize=7, loc="center left", bbox_to_anchor=(1, 0.5))
        return figure
