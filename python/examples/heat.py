# SPDX-License-Identifier: Apache-2.0
"""Heat in a bracket of steel, on a mesh that Gmsh made: it holds a pipe at 90 degrees, is bolted to a wall at 15, and
stands in air at 20. Lengths are in centimetres, power in watts. The picture shows the bracket's surface.

Usage: python heat.py [MESH.msh [PICTURE.png]]
"""
import pathlib
import sys

import numpy as np
from matplotlib import cm, pyplot
from mpl_toolkits.mplot3d.art3d import Poly3DCollection

import tulle
from tulle.fem import Diffusion, Dirichlet, Robin

BRACKET = pathlib.Path(__file__).resolve().parents[2] / "examples/bracket.msh"
STEEL, TO_WALL, TO_AIR = 0.5, 0.1, 0.001  # W/(cm K), and W/(cm^2 K) through a surface


def temperatures(mesh):
    """The temperature at each node."""
    heat = Diffusion(mesh, k=STEEL, conditions=[
        Dirichlet("pipe", 90.0),
        Robin("wall", value=TO_WALL * 15, factor=TO_WALL),
        Robin("air", value=TO_AIR * 20, factor=TO_AIR)])
    T, report = tulle.solve(heat.matrix(), heat.load(), rtol=1e-10)
    print(report)
    return heat.on_nodes(T)


def draw(mesh, T, path):
    """A picture of the surface, each triangle in the colour of its mean temperature."""
    corners = mesh.boundary().cells["triangle"]
    scale = cm.ScalarMappable(pyplot.Normalize(T.min(), T.max()), "plasma")
    figure, ax = pyplot.subplots(subplot_kw={"projection": "3d"}, figsize=(7, 6))
    colours = scale.to_rgba(T[corners].mean(axis=1))
    ax.add_collection3d(Poly3DCollection(mesh.points[corners], facecolors=colours, edgecolors="k", linewidths=0.2))
    low, high = mesh.points.min(axis=0), mesh.points.max(axis=0)
    ax.set(xlim=(low[0], high[0]), ylim=(low[1], high[1]), zlim=(low[2], high[2]), box_aspect=high - low)
    ax.view_init(30, -50)
    ax.locator_params(nbins=4)
    figure.colorbar(scale, ax=ax, label="°C", shrink=0.7, pad=0.1)
    figure.savefig(path, dpi=150, bbox_inches="tight")


def main(path=BRACKET, picture="heat.png"):
    mesh = tulle.fem.load(path)
    T = temperatures(mesh)
    print(f"{mesh}\ntemperatures from {T.min():.2f} to {T.max():.2f}, in the mean {np.mean(T):.2f}")
    draw(mesh, T, picture)


if __name__ == "__main__":
    main(*sys.argv[1:])
