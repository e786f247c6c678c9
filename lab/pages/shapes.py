# SPDX-License-Identifier: Apache-2.0
"""The set of shapes that the rule is judged on: the kind of each, and which half it is in."""
import functools
import hashlib
import pathlib

PATH = pathlib.Path(__file__).resolve().parents[2] / "bench/sets/shapes.txt"


@functools.lru_cache(None)
def kinds():
    """The kind of each shape of the set, which stands behind its specification as a comment."""
    lines = PATH.read_text(encoding="utf-8").splitlines()
    pairs = (line.split(" # ") for line in lines if line and not line.startswith("#"))
    return {spec.strip(): kind for spec, kind in pairs}


def is_held_out(spec):
    """True for the half of the set that nothing is fitted to, drawn by a hash of the specification,
    so that a shape stays in its half when others come or go."""
    return spec in kinds() and hashlib.sha256(spec.encode()).digest()[0] % 2 == 1
