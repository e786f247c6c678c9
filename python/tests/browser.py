# SPDX-License-Identifier: Apache-2.0
"""A page of HTML as a real browser, Chromium without a window, leaves it after its script has run."""
import html.parser
import shutil
import subprocess

import pytest

CHROMIUM = next(filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None)
needed = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium is installed: the page is not looked at")
VOID = {"meta", "link", "input", "br", "img", "hr"}


class Seen(html.parser.HTMLParser):
    """The elements of a page: dicts of tag, attributes, text, and the identifiers of the elements around them."""

    def __init__(self, text):
        super().__init__()
        self.elements, self._open = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        inside = [element for element in self._open if "id" in element["attrs"]]
        element = {"tag": tag, "attrs": dict(attrs), "text": "", "in": [one["attrs"]["id"] for one in inside]}
        self.elements.append(element)
        if tag not in VOID:
            self._open.append(element)

    def handle_endtag(self, tag):
        while self._open and self._open.pop()["tag"] != tag:
            pass

    def handle_data(self, data):
        for element in self._open:
            element["text"] += data

    def of(self, tag, inside=None):
        """The elements with this tag, or those of them inside of the element with this identifier."""
        return [one for one in self.elements if one["tag"] == tag and (inside is None or inside in one["in"])]

    def by_id(self, name):
        found, = (one for one in self.elements if one["attrs"].get("id") == name)
        return found

    def column(self, table, name):
        """The texts of a column of one of the page's tables."""
        names = [one["attrs"]["data-name"] for one in self.of("th", table)]
        cells = [one["text"] for one in self.of("td", table)]
        return cells[names.index(name)::len(names)]

    def fault(self):
        """The failure that the page tells of; None where there is none."""
        told = self.by_id("fault")
        return None if "hidden" in told["attrs"] else told["text"]


def see(page, folder, address="", script="", options=()):
    """Opens a page, runs a script at its end, and returns what is there afterwards. address: what stands after #."""
    file = folder / "seen.html"
    file.write_text(page.replace("</body>", f"<script>{{{script}}}</script></body>"), encoding="utf-8")
    command = [CHROMIUM, "--headless", "--no-sandbox", "--disable-gpu", f"--user-data-dir={folder}/profile",
               "--virtual-time-budget=5000", *options, "--dump-dom", f"{file.as_uri()}#{address}"]
    run = subprocess.run(command, capture_output=True, text=True, timeout=120, check=False)
    assert run.returncode == 0 and "<html" in run.stdout, run.stderr
    return Seen(run.stdout)
