# SPDX-License-Identifier: Apache-2.0
"""Numbers that kernels and rules have in their sources, which pages compare with what papers print."""
import re
import sys

from .output import ROOT


def constant(source, name):
    """The number of "NAME = NUMBER" in a source file."""
    text = (ROOT / source).read_text(encoding="utf-8")
    found = re.search(rf"\b{name} = (\d+)\b", text)
    if not found:
        sys.exit(f"{source}: {name} has no number any more: correct lab/pages")
    return int(found[1])
