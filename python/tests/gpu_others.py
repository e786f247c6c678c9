# SPDX-License-Identifier: Apache-2.0
"""PyTorch's and CuPy's own tests of sparse matrices, with tulle's products and iterative methods in the place of
theirs: which pass, and which are left out and why. README.md has the counts.

    TULLE_PYTORCH_TESTS=pytorch/test TULLE_CUPY_TESTS=cupy/tests/cupyx_tests/scipy_tests/sparse_tests \\
        python -m pytest -s python/tests/gpu_others.py

The folders are of checkouts of these libraries, since their packages have no tests; without one its test is skipped.
PyTorch's run on the CPU where there is no GPU. TULLE_OTHERS_TO names a file of JSON, in which the counts are put, and

    python python/tests/gpu_others.py FILE

puts those of such a file into gpu_others.json and into README.md's table.
"""
import importlib.util
import json
import os
import pathlib
import sys

import pytest

from gpu_arrays import cupy, torch
from test_others import HERE, of_tulle, row_of, run_instead, short

# Beginnings of the names of tests that tulle does not pass, each with the reason.
LEFT_OUT = {
    "test_sparse_csr.py::TestSparseCSRCUDA::test_addmm_sizes_all_sparse_csr":
        "instead_torch.py adds c by PyTorch's own sum of CSR tensors, which fails on a GPU where the result has no entry",
}

# Words in the names of the tests of what tulle has: products, powers and sums along an axis, which are products in
# CuPy, and iterative methods. Products of blocks and of batches it has not.
PRODUCTS_OF_PYTORCH = "(mm or mv or matvec or autograd_dense_output or coo_to_csr) and not (block or bmm or sampled)"
PRODUCTS_OF_CUPY = "(dot or mul or pow or sum or cg or bicgstab or gmres or LinearOperator or minres) and not lobpcg"
FILES_OF_CUPY = ["test_base.py", "test_coo.py", "test_csc.py", "test_csr.py", "test_dia.py", "test_linalg.py",
                 "test_sparray.py", "test_sparse_int64_indices.py"]


def folder_of(variable):
    """The folder of tests that a variable of the environment names."""
    if variable not in os.environ:
        pytest.skip(f"{variable} names no folder of tests")
    return pathlib.Path(os.environ[variable]).resolve()


def add_to(file, runs):
    """Puts counts into a file that may have those of other runs."""
    every = json.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    file.write_text(json.dumps({**every, **runs}, indent=1, sort_keys=True) + "\n", encoding="utf-8")


def with_rows(page, rows):
    """A page whose last table has these rows, each in the place of one for the same tests, or at the end."""
    lines = page.split("\n")
    for row in rows:
        same = [i for i, line in enumerate(lines) if line.split("|")[1:3] == row.split("|")[1:3]]
        last = max(i for i, line in enumerate(lines) if line.startswith("|"))
        lines[same[0] if same else last + 1:same[0] + 1 if same else last + 1] = [row]
    return "\n".join(lines)


def unexplained(names):
    """Those names of tests for which LEFT_OUT has no reason."""
    return [name for name in names if not name.startswith(tuple(LEFT_OUT))]


def compare(what, named, files, selected, device, folder):
    """Runs tests with tulle, and those that fail without it, too: these say nothing of tulle, and do not count. `what`
    is the word of instead.py; `named`: the tests, and what tulle is in the place of, as README.md's table has them."""
    workers = ["-n", "8"] if importlib.util.find_spec("xdist") else []
    results = run_instead(what, files, folder, "-k", selected, *workers)
    mine = of_tulle(results)
    failed = {name: test["why"] for name, test in mine.items() if test["outcome"] == "failed"}
    again = run_instead("nothing", list(failed), folder, *workers) if failed else {}
    alike = {name for name, test in again.items() if test["outcome"] == "failed"}
    mine = {name: test for name, test in mine.items() if name not in alike}
    left_out = {short(name): why for name, why in failed.items() if name not in alike}
    passed = [test for test in mine.values() if test["outcome"] == "passed"]
    counts = {"row": row_of(named, mine, len(left_out)), "run": len(mine), "pass": len(passed),
              "in the library": sum(test["computed"] > 0 for test in passed), "left out": left_out,
              "calls of the library": sum(test["computed"] for test in results.values()),
              "fail without tulle, too": sorted(map(short, alike)), "selected": len(results),
              "skipped": sum(test["outcome"] == "skipped" for test in results.values())}
    if "TULLE_OTHERS_TO" in os.environ:
        add_to(pathlib.Path(os.environ["TULLE_OTHERS_TO"]), {f"{what}, {device}": counts})
    print(f"\n{counts['row']}", *(f"{key}: {len(count) if isinstance(count, (dict, list)) else count}"
                                  for key, count in counts.items() if key != "row"), sep="\n")
    for name, why in left_out.items():
        print(f"{name}: {why}")
    assert counts["in the library"] > 0, "no test reached the library"
    assert not unexplained(left_out), unexplained(left_out)


def test_pytorch(tmp_path, monkeypatch):
    version = pytest.importorskip("torch").__version__.split("+")[0]
    folder = folder_of("TULLE_PYTORCH_TESTS")
    of = next(parent / "version.txt" for parent in (folder, folder.parent) if (parent / "version.txt").exists())
    tests = f"PyTorch {of.read_text(encoding='utf-8').strip().split('a')[0]}'s `test_sparse_csr.py` on {version}"
    paths = [str(folder), os.environ.get("PYTHONPATH")]  # the tests import others beside them
    monkeypatch.setenv("PYTHONPATH", os.pathsep.join(filter(None, paths)))
    device, suffix = ("GPU", "CUDA") if torch else ("CPU", "CPU")
    compare("torch", f"{tests}, {device} | `matmul`, `mm`, `mv`, `addmm`, `addmv`",
            [str(folder / "test_sparse_csr.py")], f"TestSparseCSR{suffix} and {PRODUCTS_OF_PYTORCH}", device, tmp_path)


@pytest.mark.skipif(cupy is None, reason="no CuPy with a GPU")
def test_cupy(tmp_path):
    folder = folder_of("TULLE_CUPY_TESTS")
    compare("cupy", f"CuPy {cupy.__version__}, `sparse_tests`, GPU | products, `cg`, `bicgstab`, `gmres`",
            [str(folder / name) for name in FILES_OF_CUPY], PRODUCTS_OF_CUPY, "GPU", tmp_path)


if __name__ == "__main__":
    found = json.loads(pathlib.Path(sys.argv[1]).read_text(encoding="utf-8"))
    add_to(HERE / "gpu_others.json", found)
    readme = HERE.parent / "README.md"
    page = with_rows(readme.read_text(encoding="utf-8"), [run["row"] for run in found.values()])
    readme.write_text(page, encoding="utf-8")
