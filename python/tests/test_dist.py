# SPDX-License-Identifier: Apache-2.0
"""Matrices whose rows are shared by processes, each a Python under mpirun."""
import importlib.util
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

TESTS = pathlib.Path(__file__).resolve().parent
LAUNCHER = {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1", "OMPI_MCA_rmaps_base_oversubscribe": "1",
            "OMPI_MCA_btl_vader_single_copy_mechanism": "none", "OMP_NUM_THREADS": "1"}

pytestmark = pytest.mark.skipif(importlib.util.find_spec("mpi4py") is None or not shutil.which("mpirun"),
                                reason="mpi4py or mpirun is not installed")


def printed(processes, program, *arguments):
    environment = {**os.environ, **LAUNCHER, "PYTHONPATH": os.pathsep.join(sys.path)}
    run = subprocess.run(["mpirun", "-n", str(processes), sys.executable, program, *map(str, arguments)],
                         capture_output=True, text=True, check=False, env=environment)
    assert run.returncode == 0, run.stdout + run.stderr
    return run.stdout


@pytest.mark.parametrize("processes", [1, 2, 3])
def test_shared(processes):
    assert printed(processes, TESTS / "shared.py") == f"right by {processes}\n"


def test_example():
    words = printed(2, TESTS.parent / "examples/shared.py", 31)
    assert "by 2 processes" in words and abs(float(words.split()[-1]) - 0.0737) < 1e-3
