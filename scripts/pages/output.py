# SPDX-License-Identifier: Apache-2.0
"""Pages as files: written, or compared with what is there."""
import argparse
import sys


def text_of(lines):
    return "\n".join(lines).rstrip("\n") + "\n"


def write(path, text):
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(text, encoding="utf-8")


def check(path, text, script):
    """Ends the program if the file is not the text."""
    if not path.exists() or path.read_text(encoding="utf-8") != text:
        sys.exit(f"{path} is not up to date: run scripts/{script}")


def parse_options(about, results, docs):
    """--check, --results and --docs; about: the script's own description, of which the first line
    is shown."""
    parser = argparse.ArgumentParser(description=about.split("\n", maxsplit=1)[0])
    parser.add_argument("--check", action="store_true",
                        help="only say whether what this makes is up to date")
    parser.add_argument("--results", type=type(results), default=results)
    parser.add_argument("--docs", type=type(docs), default=docs)
    return parser.parse_args()
