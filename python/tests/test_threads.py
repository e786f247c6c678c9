# SPDX-License-Identifier: Apache-2.0
"""Who says how many threads the library uses: OMP_NUM_THREADS, tulle.set_threads, and threadpoolctl."""
import os
import subprocess
import sys

import numpy as np
import pytest
import scipy.sparse as sp

import tulle
from together import in_threads

PROGRAM = "import tulle; print(tulle.get_threads(), tulle.Context('cpu').threads, tulle.Context('cpu:3').threads)"


@pytest.mark.parametrize("asked", ["1", "1,4", "1000", "nonsense", None])
def test_omp_num_threads(asked):
    environment = {name: value for name, value in os.environ.items() if name != "OMP_NUM_THREADS"}
    if asked:
        environment["OMP_NUM_THREADS"] = asked
    found = subprocess.run([sys.executable, "-c", PROGRAM], env=environment, check=True, capture_output=True, text=True)
    cores = len(os.sched_getaffinity(0))
    default, again, given = map(int, found.stdout.split())
    assert default == again and given == 3
    assert default == 1 if asked in ("1", "1,4") else 1 <= default <= cores


def test_a_number_is_one_threads_own():
    A = tulle.csr_array(sp.eye(50_000, format="csr"))
    found = []
    tulle.set_threads(3)
    try:
        in_threads(lambda: found.append(tulle.get_threads()), 1)
        assert tulle.get_threads() == 3
        for threads in (1, 2, 1, 2):
            tulle.set_threads(threads)
            assert tulle.get_threads() == threads
            np.testing.assert_array_equal(A @ np.ones(50_000), np.ones(50_000))
    finally:
        tulle.set_threads(None)
    in_threads(lambda: found.append(tulle.get_threads()), 1)
    assert found[0] == found[1] != 3  # this thread's default may be another one, as a program's OpenMP has it


def test_an_empty_cache():
    A = tulle.csr_array(sp.eye(1000, format="csr"))
    tulle.empty_cache()
    np.testing.assert_array_equal(A @ np.ones(1000), np.ones(1000))


def test_threadpoolctl():
    control = pytest.importorskip("threadpoolctl", minversion="3.2")
    before = tulle.get_threads()
    tulle.set_threads(2)
    found = [info for info in control.threadpool_info() if info["internal_api"] == "tulle"]
    told = [(info["num_threads"], info["user_api"], info["version"]) for info in found]
    assert told == [(2, "openmp", tulle.__version__)]
    with control.threadpool_limits(1):
        assert tulle.get_threads() == 1
        with control.threadpool_limits(2, user_api="blas"):
            assert tulle.get_threads() == 1
        with control.threadpool_limits({"libtulle.": 3}):
            assert tulle.get_threads() == 3
        assert tulle.get_threads() == 1
    assert tulle.get_threads() == 2
    tulle.set_threads(None)
    assert tulle.get_threads() == before
