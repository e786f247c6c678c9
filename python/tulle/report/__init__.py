# SPDX-License-Identifier: Apache-2.0
"""Results of `tulle bench --json` read, compared with other libraries, and shown on a page of HTML:
`python -m tulle.report results.jsonl -o report.html`."""
from ._cases import cases
from ._page import page
from ._rows import Fault, read

__all__ = ["Fault", "cases", "page", "read"]
