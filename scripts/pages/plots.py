# SPDX-License-Identifier: Apache-2.0
"""Plots of pages, as SVG that is the same for the same numbers. They need matplotlib."""
import sys


def load_pyplot():
    try:
        import matplotlib
    except ImportError:
        return None
    matplotlib.use("svg")
    matplotlib.rcParams["svg.hashsalt"] = "tulle"
    matplotlib.rcParams["svg.fonttype"] = "none"
    from matplotlib import pyplot
    return pyplot


def save(pyplot, figure, path):
    figure.tight_layout()
    figure.savefig(path, metadata={"Date": None})
    pyplot.close(figure)


def write(plots, folder, mine, script):
    """Draws all plots and removes those of earlier runs; mine: whether a name is the script's."""
    pyplot = load_pyplot()
    if not pyplot:
        print(f"{script}: no plots: matplotlib is not there", file=sys.stderr)
        return
    folder.mkdir(parents=True, exist_ok=True)
    for old in folder.glob("*.svg"):
        if mine(old.stem) and old.stem not in {plot.name for plot in plots}:
            old.unlink()
    for plot in plots:
        plot.draw(pyplot, folder / f"{plot.name}.svg")


class Lines:
    """Series of (x, y) points, joined or not, in one panel or several: {panel: {label: points}};
    level: where there is a horizontal line."""

    def __init__(self, name, title, panels, axes, log_x=True, log_y=False, joined=True, level=None):
        self.name, self.title, self.panels = name, title, panels
        self.x_label, self.y_label = axes
        self.log_x, self.log_y = log_x, log_y
        self.joined, self.level = joined, level

    def draw(self, pyplot, path):
        count = len(self.panels)
        figure, all_axes = pyplot.subplots(1, count, figsize=(2 + 4.2 * count, 4.2), squeeze=False)
        for axes, (panel, series) in zip(all_axes[0], self.panels.items()):
            for number, (label, points) in enumerate(series.items()):
                points = sorted(points)
                axes.plot([x for x, _ in points], [y for _, y in points], label=label,
                          marker="osv^Dxp*+"[number % 9], markersize=4 if self.joined else 3,
                          linewidth=1 if self.joined else 0)
            if self.log_x:
                axes.set_xscale("log")
            if self.log_y:
                axes.set_yscale("log")
            if self.level is not None:
                axes.axhline(self.level, color="grey", linewidth=0.8)
                for formatter in (axes.yaxis.set_major_formatter, axes.yaxis.set_minor_formatter):
                    formatter("{x:g}")
            axes.set_xlabel(self.x_label)
            axes.set_ylabel(self.y_label)
            axes.set_title(panel, fontsize=8)
            axes.grid(linewidth=0.3)
        all_axes[0][-1].legend(fontsize=6, loc="center left", bbox_to_anchor=(1, 0.5))
        figure.suptitle(self.title, fontsize=9)
        save(pyplot, figure, path)


class Bars:
    """A group of bars for each name: {label: {name: value}}."""

    def __init__(self, name, title, series, x_label):
        self.name, self.title, self.series, self.x_label = name, title, series, x_label

    def draw(self, pyplot, path):
        names = list(dict.fromkeys(name for values in self.series.values() for name in values))
        height = 0.8 / len(self.series)
        figure, axes = pyplot.subplots(
            figsize=(8, 1.2 + 0.13 * len(names) * (len(self.series) + 1)))
        for number, (label, values) in enumerate(self.series.items()):
            places = [place + (number + 0.5) * height - 0.4 for place in range(len(names))]
            axes.barh(places, [values.get(name, 0) for name in names], 0.95 * height, label=label)
        axes.set_yticks(range(len(names)), names, fontsize=7)
        axes.invert_yaxis()
        axes.set_xlabel(self.x_label)
        axes.set_title(self.title, fontsize=9)
        axes.legend(fontsize=7)
        save(pyplot, figure, path)
