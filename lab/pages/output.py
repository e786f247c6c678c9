# SPDX-License-Identifier: Apache-2.0
"""Pages as files: written, or compared with what is there."""
import argparse
import pathlib
import sys

from . import plots as drawing

ROOT = pathlib.Path(__file__).resolve().parents[2]


def parser_of(about, results):
    """--check, --results, --all and --docs; about: the script's own description."""
    parser = argparse.ArgumentParser(description=about,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true",
                        help="only say whether what this makes is up to date")
    parser.add_argument("--results", type=pathlib.Path, default=ROOT / results)
    parser.add_argument("--all", type=pathlib.Path, metavar="FOLDER", help="write every case there instead")
    parser.add_argument("--docs", type=pathlib.Path, default=ROOT / "docs")
    return parser


def publish(options, pages, plots=(), mine=lambda name: False):
    """Writes the pages, {name: lines}, and draws the plots; or ends the program if a page is not
    what is there. mine: whether a plot of this name that is there is the script's own."""
    for name, lines in pages.items():
        path, text = (options.all or options.docs) / name, "\n".join(lines).rstrip("\n") + "\n"
        if options.check:
            if not path.exists() or path.read_text(encoding="utf-8") != text:
                sys.exit(f"{path} is not up to date: run lab/{pathlib.Path(sys.argv[0]).name}")
        else:
            path.parent.mkdir(parents=True, exist_ok=True)
            path.write_text(text, encoding="utf-8")
    if plots and not options.check and not options.all:
        drawing.write(plots, options.docs / "plots", mine)
