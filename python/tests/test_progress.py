# SPDX-License-Identifier: Apache-2.0
"""Long calls show their progress: on a terminal, in a notebook's kernel, and nowhere else."""
import os
import pty
import re
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from together import in_threads
from tulle import _progress
from tulle._library import ffi

# A system that takes CG as many iterations as it has rows.
PROGRAM = """
import numpy as np, scipy.sparse as sp, tulle
from tulle import _progress
A = sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(3000, 3000), format="csr")
x, report = tulle.solve(A, np.ones(3000), method="cg", precond="none", maxiter=4000)
"""
AT_ONCE = "_progress.PATIENCE = _progress.BETWEEN = 0"
LINE = r"solving: [\d,]+, 0 s"


def program(before):
    return PROGRAM.replace("A =", f"{before}\nA =", 1)


def system():
    return sp.diags([-1.0, 2.0, -1.0], [-1, 0, 1], shape=(500, 500), format="csr"), np.ones(500)


def shown_on_terminal(source):
    """The characters that a program writes on a terminal that is its standard error."""
    ours, its = pty.openpty()
    with subprocess.Popen([sys.executable, "-c", source], stderr=its) as child:
        os.close(its)
        written = b""
        while True:
            try:
                part = os.read(ours, 4096)
            except OSError:  # the other end is closed
                break
            if not part:
                break
            written += part
    os.close(ours)
    assert child.returncode == 0, written
    return written.decode()


def test_on_a_terminal():
    lines = shown_on_terminal(program(AT_ONCE)).split("\r")
    assert lines[0] == "" and lines[-1] == "\033[K"
    assert any(re.fullmatch(LINE + r"\033\[K", line) for line in lines)


@pytest.mark.parametrize("before", ["", AT_ONCE + "\ntulle.set_progress(False)"])
def test_nothing_on_a_terminal(before):
    assert shown_on_terminal(program(before)) == ""


def test_nothing_in_a_file():
    child = subprocess.run([sys.executable, "-c", program(AT_ONCE)], capture_output=True, check=True, text=True)
    assert child.stdout == child.stderr == ""


def test_in_a_notebook(tmp_path, monkeypatch):
    """The messages that a kernel sends to the notebook: one output, whose text changes and is empty at the end."""
    pytest.importorskip("ipykernel")
    manager = pytest.importorskip("jupyter_client.manager")
    for name in ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_RUNTIME_DIR"):
        monkeypatch.setenv(name, str(tmp_path))
    kernel, client = manager.start_new_kernel(kernel_name="python3")
    messages = []
    try:
        reply = client.execute_interactive(program(AT_ONCE), output_hook=messages.append, timeout=60)
    finally:
        client.stop_channels()
        kernel.shutdown_kernel(now=True)
    assert reply["content"]["status"] == "ok", reply
    messages = [message for message in messages if message["msg_type"] not in ("status", "execute_input")]
    kinds = [message["msg_type"] for message in messages]
    assert kinds[0] == "display_data" and len(kinds) > 2 and set(kinds[1:]) == {"update_display_data"}
    assert len({message["content"]["transient"]["display_id"] for message in messages}) == 1
    texts = [message["content"]["data"]["text/plain"] for message in messages]
    assert texts[-1] == "" and any(re.fullmatch(LINE, text) for text in texts)


def test_lines(monkeypatch):
    shown = []
    monkeypatch.setattr(_progress, "place", lambda: shown.append)
    progress = _progress.Progress()
    what = ffi.new("char[]", b"sorting entries")
    progress.tell(what, 1, 2)
    progress.end()
    assert not shown  # it is not due
    progress.due = 0
    progress.tell(what, 1_000_000, 4_000_000)
    progress.tell(what, 2_000_000, 4_000_000)  # too soon after the first
    progress.end()
    assert shown == ["sorting entries: 1,000,000 of 4,000,000 (25 %), 0 s", ""]


def test_other_threads_show_nothing(monkeypatch):
    shown = []
    monkeypatch.setattr(_progress, "PATIENCE", 0)
    monkeypatch.setattr(_progress, "place", lambda: shown.append)
    in_threads(lambda: tulle.solve(*system()), 1)
    assert not shown
    tulle.solve(*system())
    assert shown[-1] == ""


def test_a_place_that_is_gone(monkeypatch):
    def gone(_line):
        raise OSError("no terminal")
    monkeypatch.setattr(_progress, "PATIENCE", 0)
    monkeypatch.setattr(_progress, "place", lambda: gone)
    assert tulle.solve(*system())[1].converged


def test_ctrl_c_while_a_line_is_shown(monkeypatch):
    def pressed(_line):
        raise KeyboardInterrupt
    monkeypatch.setattr(_progress, "PATIENCE", 0)
    monkeypatch.setattr(_progress, "place", lambda: pressed)
    with pytest.raises(KeyboardInterrupt):
        tulle.solve(*system())
