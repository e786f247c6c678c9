#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0
"""Fails on a comment that does not stand alone: one whose beginning needs another sentence, or that goes
on in the comment of the next field. The rule is in CONTRIBUTING.md, "Comments".

comments.py [--list] [ROOT]

--list prints every comment of the folders below, one a line with its place, and judges none.
"""
import pathlib
import re
import sys

# Folders that have been brought up to the rule, with all that is in them.
HELD = ("include/tulle", "src", "trials", "bench", "tools", "lab", "examples", "petsc")
SOURCES = {".c", ".h", ".cu", ".cuh", ".cpp", ".hpp"}

# Strings and characters are matched, too, so that a comment's signs in them are none.
TOKENS = re.compile(r'"(?:\\.|[^"\\\n])*"|\'(?:\\.|[^\'\\\n])+\'|/\*.*?\*/|//[^\n]*', re.DOTALL)
FRAGMENT = re.compile(r"(what|whether|that|how|of|those|where|which|whose|likewise|as above|the same)\b",
                      re.IGNORECASE)
GOES_ON = re.compile(r"(and|or|but|nor|then|with|without)\b")


def text_of(comment):
    """The words of a comment in one line, without its signs."""
    inside = comment[2:-2] if comment.startswith("/*") else comment[2:]
    lines = [re.sub(r"^\s*(?:\*+|//+)?\s?|\s*\\$", "", line) for line in inside.split("\n")]
    return " ".join(" ".join(lines).lstrip("*!/< ").removeprefix("@file").split())


def comments(source):
    """(line, text) of each comment. Comments with // on lines that follow each other are one."""
    found, end, end_line = [], None, 0
    for match in TOKENS.finditer(source):
        comment = match.group()
        if not comment.startswith(("//", "/*")):
            continue
        line = source.count("\n", 0, match.start()) + 1
        if comment.startswith("//") and end and end_line == line - 1 and not source[end:match.start()].strip():
            found[-1] = (found[-1][0], found[-1][1] + "\n" + comment)
        else:
            found.append((line, comment))
        end, end_line = (match.end(), line) if comment.startswith("//") else (None, 0)
    return [(line, text_of(comment)) for line, comment in found]


def fault(text):
    begin = FRAGMENT.match(text)
    if begin:
        return f'begins with "{begin.group()}": say what the thing is or does, in a sentence or a noun phrase'
    begin = GOES_ON.match(text)
    if begin:
        return f'begins with "{begin.group()}", as if it went on from another one: let each stand alone'
    return "ends with a comma, as if the next one went on: let each stand alone" if text.endswith(",") else None


arguments = [argument for argument in sys.argv[1:] if argument != "--list"]
root = pathlib.Path(arguments[0] if arguments else pathlib.Path(__file__).parent.parent)
listing, bad = "--list" in sys.argv[1:], False
for path in sorted(path for folder in HELD for path in (root / folder).rglob("*") if path.suffix in SOURCES):
    for number, text in comments(path.read_text()):
        place, wrong = f"{path.relative_to(root)}:{number}", fault(text)
        if listing:
            print(f"{place}: {text}")
        elif wrong:
            print(f"{place}: a comment {wrong}", file=sys.stderr)
            bad = True
sys.exit(1 if bad else 0)
