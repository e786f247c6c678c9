#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on an include that points up or round: the layers stand in scripts/layers.txt. Nothing outside
the folders published/ includes a file from one of them, so that a build can leave them out.

layers.py [ROOT]
"""
import pathlib
import re
import sys

INCLUDE = re.compile(r'^[ \t]*#[ \t]*include[ \t]+["<]([^">]+)[">]', re.MULTILINE)
SOURCES = {".c", ".h", ".cu", ".cuh", ".cpp", ".hpp"}
TOPS = ("src", "emulator", "trials", "bench", "tools", "lab")
ROOT = pathlib.Path(sys.argv[1] if len(sys.argv) > 1 else pathlib.Path(__file__).parent.parent)


def layers():
    lines = (ROOT / "scripts/layers.txt").read_text().splitlines()
    rows = [line.split() for line in lines if line and not line.startswith("#")]
    return {folder: height for height, row in enumerate(rows) for folder in row}


def folder_of(path, heights):
    """The longest folder of the list that the path is in, or None; FOLDER/. has its own files only."""
    alone = f"{path.parent}/."
    inside = [folder for folder in heights if str(path).startswith(folder + "/")]
    return alone if alone in heights else max(inside, key=len, default=None)


def target(source, name):
    """The included file, as a path from the root: beside the source, in src/, or from the root."""
    for base in (source.parent, pathlib.Path("src"), pathlib.Path("tools/common"),
                 pathlib.Path("tools"), pathlib.Path()):
        if (ROOT / base / name).is_file():
            return base / name
    return None


def faults():
    heights = layers()
    files = sorted(path for top in TOPS for path in (ROOT / top).rglob("*"))
    for path in (path for path in files if path.suffix in SOURCES):
        source = path.relative_to(ROOT)
        own = folder_of(source, heights)
        if own is None:
            yield f"{source}: its folder is in no layer of scripts/layers.txt"
            continue
        for name in INCLUDE.findall(path.read_text()):
            found = target(source, name)
            other = folder_of(found, heights) if found else None
            if found and "published" in found.parts and "published" not in source.parts:
                yield f'{source}: includes "{name}", which only published kernels may'
            if other and other != own and heights[other] >= heights[own]:
                yield f'{source}: includes "{name}", but {other} does not stand below {own}'


found = list(faults())
print(*found, sep="\n", file=sys.stderr) if found else None
sys.exit(1 if found else 0)
