#!/usr/bin/env bash
# SPDX-License-Identifier: Apache-2.0
# Tests the Python package: the sources with Debian's Python, NumPy and SciPy and with a library that is built already;
# then the README's `pip install .` in a fresh virtual environment, with the newest NumPy and SciPy and SciPy's own tests;
# then the wheel without CUDA, installed in an environment of its own. PyTorch is Debian's: the package index has it for
# CUDA alone, which takes gigabytes.
# Usage: scripts/test-python.sh BUILD
set -euo pipefail
build=$(realpath "$1")
root=$(realpath "$(dirname "$0")/..")
tmp=$(mktemp -d)
trap 'rm -rf "$tmp"' EXIT
cd "$tmp"
export PYTHONDONTWRITEBYTECODE=1

quietly() {
    "$@" >log 2>&1 || { cat log; exit 1; }
}

tests() { # python package
    # _torch.py and dist.py import PyTorch and mpi4py, which need not be here; tests/test_torch.py and test_dist.py test
    # them where they are. -rs lists what is skipped, and why.
    if ! command -v mpirun >/dev/null || ! "$1" -c 'import mpi4py' 2>/dev/null; then
        echo "skipped: tulle.dist: mpi4py, or mpirun, is not there for $1"
    fi
    "$1" -m pytest -q -rs --no-header -p no:cacheprovider -W error::tulle.ConvergenceWarning --ignore="$2/_torch.py" \
        --ignore="$2/dist.py" --doctest-modules "$2" "$root/python/tests"
}

cp -r "$root/python/tulle" debian
mkdir with-debian && mv debian with-debian/tulle
quietly /usr/bin/python3 "$root/python/declarations.py" "$root/include" with-debian/tulle/_abi.py
echo "== Debian's Python"
TULLE_LIBRARY=$build/libtulle.so PYTHONPATH=$tmp/with-debian tests /usr/bin/python3 with-debian/tulle

echo "== pip install ."
quietly python3 -m venv new
# Warnings are errors as in the other builds here, so that ccache has the objects. PyAMG's tests run with
# tulle's arrays; matplotlib is the extra "plot" of pyproject.toml; ipykernel is what runs the cells of a notebook.
new/bin/pip install --disable-pip-version-check "$root" pytest threadpoolctl pyamg matplotlib ipykernel --config-settings=cmake.define.TULLE_WERROR=ON >log 2>&1 || {
    # Build requirements and NumPy come from the package index, which not every machine reaches.
    why=$(grep -m 1 -oE 'No matching distribution.*|NewConnectionError|ConnectTimeoutError|ProxyError' log) || { cat log; exit 1; }
    echo "skipped: pip install . in a fresh environment: $why"
    exit 0
}
tests new/bin/python "$(new/bin/python -c 'import pathlib, tulle; print(pathlib.Path(tulle.__file__).parent)')"

echo "== the wheel" # CMake has the objects already
most=8000000 # bytes
quietly "$root/scripts/wheel.sh" --cpu --config-settings=cmake.define.TULLE_WERROR=ON
wheel=$(sed -n 's/^wheel: //p' log)
bytes=$(stat -c %s "$wheel")
((bytes <= most)) || { echo "the wheel $wheel has $bytes bytes: at most $most are wanted" >&2; exit 1; }
quietly python3 -m venv wheel
quietly wheel/bin/pip install --disable-pip-version-check "$wheel"
wheel/bin/python - <<'PYTHON'
import pathlib

import numpy as np
import scipy.sparse as sp
import tulle
from tulle import _library

assert pathlib.Path(_library.find()).parent.parent == pathlib.Path(tulle.__file__).parent, _library.find()
A = tulle.csr_array(sp.diags([-1.0, 2.1, -1.0], [-1, 0, 1], shape=(500, 500)).tocsr())
x, report = tulle.solve(A, np.ones(500))
assert report.converged and np.abs(A @ x - 1).max() < 1e-6 and tulle.cg(A, x, M=tulle.amg(A))[1] == 0
PYTHON
echo "$(basename "$wheel"): $bytes bytes"

echo "== tulle-cuda is for this tulle" # nothing is compiled: pip asks what it would install
new/bin/pip install --disable-pip-version-check --quiet --dry-run --no-deps --report report "$root/python/cuda"
new/bin/python -c 'import json, tulle
about, = (package["metadata"] for package in json.load(open("report"))["install"])
found = about["name"], about["version"], about["requires_dist"]
assert found == ("tulle-cuda", tulle.__version__, [f"tulle=={tulle.__version__}"]), found'
echo "python: right"
