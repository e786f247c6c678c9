# SPDX-License-Identifier: Apache-2.0
"""Numbers that kernels and rules have in their sources, which pages compare with what papers print."""
import re
import sys

from .output import ROOT


def text_of(source):
    return (ROOT / source).read_text(encoding="utf-8")


def occurrences(source, pattern):
    """How often a regular expression matches in a source file."""
    return len(re.findall(pattern, text_of(source)))


def constant(source, name):
    """The number of "NAME = NUMBER" in a source file."""
    found = re.search(rf"\b{name} = (\d+)\b", text_of(source))
    if not found:
        sys.exit(f"{source}: {name} has no number any more: correct lab/pages")
    return int(found[1])
