# SPDX-License-Identifier: Apache-2.0
"""The command `python -m tulle.report`."""
import argparse
import pathlib
import sys

from . import Fault, cases, page, read

ABOUT = "Makes one page of HTML, which needs nothing else, of results of tulle bench."
EPILOG = """Exit codes: 0 success, 1 the page cannot be written, 2 bad input or command line.

Example:
  tulle bench p3d7:60 web:100000 --json=results.jsonl
  python -m tulle.report results.jsonl -o report.html
"""


def options_of(arguments):
    parser = argparse.ArgumentParser("python -m tulle.report", description=ABOUT, epilog=EPILOG,
                                     formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("results", nargs="+", type=pathlib.Path, metavar="RESULTS.jsonl",
                        help="lines of JSON that tulle bench --json printed, or that lab/keep.py kept")
    parser.add_argument("-o", "--output", type=pathlib.Path, default=pathlib.Path("report.html"), metavar="REPORT.html",
                        help="the page (default report.html)")
    return parser.parse_args(arguments)


def said(error):
    """A failure in one line."""
    return f"{error.filename}: {error.strerror}" if isinstance(error, OSError) else str(error)


def main(arguments=None):
    """Runs the command and returns its exit code."""
    options = options_of(arguments)
    if options.output.exists() and any(map(options.output.samefile, filter(pathlib.Path.exists, options.results))):
        print(f"tulle.report: {options.output} holds the results: -o names a file for the page", file=sys.stderr)
        return 2
    try:
        rows = read(*options.results)
    except (OSError, Fault) as error:
        print(f"tulle.report: {said(error)}", file=sys.stderr)
        return 2
    try:
        options.output.write_text(page(rows), encoding="utf-8")
    except OSError as error:
        print(f"tulle.report: {said(error)}", file=sys.stderr)
        return 1
    size = options.output.stat().st_size / 1e6
    print(f"{options.output}: {len(rows):,} rows, {len(cases(rows)):,} cases, {size:.1f} MB")
    return 0


if __name__ == "__main__":
    sys.exit(main())
