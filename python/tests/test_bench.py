# SPDX-License-Identifier: Apache-2.0
"""The benchmark beside SciPy: rows of a small matrix, files that are read, and the page that is made of rows."""
import gzip
import importlib.util
import json
import pathlib
import subprocess
import sys

import numpy as np
import pytest
import scipy.io
import scipy.sparse as sp

FOLDER = pathlib.Path(__file__).resolve().parent.parent / "bench"


def program(name):
    found = importlib.util.spec_from_file_location(name, FOLDER / f"{name}.py")
    module = importlib.util.module_from_spec(found)
    found.loader.exec_module(module)
    return module


bench, page = program("against_scipy"), program("page")


@pytest.mark.parametrize("shape", [(60, 60), (60, 40)])
def test_each_operation_is_measured(shape):
    S = bench.plain(sp.random(*shape, 0.1, random_state=1))
    found = {op: (work, times) for op, work, times in bench.measured(S, 0.0, least_work=0)}
    assert found["`A @ x`"][0] == S.nnz and found["`A + A`"][0] == 2 * S.nnz
    is_square = shape[0] == shape[1]
    assert ("triangular solve" in found) == is_square and len(found) == (12 if is_square else 10)
    assert all(0 < time < 1 for _, times in found.values() for time in times)
    assert not list(bench.measured(S, 0.0))  # too little work


def test_wrong_results_end_the_benchmark(monkeypatch):
    S = bench.plain(sp.random(60, 60, 0.1, random_state=1))
    monkeypatch.setattr(bench.tulle, "spsolve_triangular", lambda T, b: b)
    with pytest.raises(SystemExit, match="triangular solve: tulle's result is not SciPy's"):
        list(bench.measured(S, 0.0, least_work=0))


def test_generated_matrices_are_large_enough():
    assert all(bench.plain(make()).nnz > bench.LEAST_WORK for make in bench.GENERATED.values())


def test_files(tmp_path):
    S = sp.random(9, 7, 0.5, random_state=1).tocsr()
    scipy.io.mmwrite(tmp_path / "a.mtx", S)
    (tmp_path / "b.mtx.gz").write_bytes(gzip.compress((tmp_path / "a.mtx").read_bytes()))
    scipy.io.mmwrite(tmp_path / "c.mtx", S != 0, field="pattern")
    (tmp_path / "notes.txt").write_text("no matrix")
    found = bench.matrices([tmp_path])
    assert [(name, source) for name, source, _ in found] == [("a", "real"), ("b", "real"), ("c", "real")]
    a, b, c = (make() for _, _, make in found)
    np.testing.assert_allclose(a.toarray(), S.toarray())
    assert (a != b).nnz == 0 and (c.toarray() > 0).tolist() == (S.toarray() > 0).tolist()


def rows():
    about = {"machine": "A Computer", "threads": 2, "type": "f64", "tulle": "1.0", "scipy": "2.0", "numpy": "3.0",
             "date": "2026-11-30"}
    measured = [("A", 1.0, 2.0), ("B", 4.0, 2.0), ("C", 1.0, 8.0)]
    made = [{"op": "`A @ x`", "matrix": name, "source": "real", "tulle_ms": ours, "scipy_ms": theirs}
            for name, ours, theirs in measured]
    made += [{"op": "import", "matrix": "", "tulle_ms": 0.25, "scipy_ms": 1234.0},
             {"op": "wheel", "matrix": "", "bytes": 2_900_000, "unpacked_bytes": 9_000_000}]
    return [{**row, **about} for row in made]


def test_page():
    text = "\n".join(page.cpu_lines(rows()))
    assert "Measured on A Computer with 2 threads, 2026-11-30: tulle 1.0, SciPy 2.0, NumPy 3.0, f64." in text
    assert "| `A @ x` | 3 real | 2.00 | 0.50–8.00 | 1 |" in text
    assert "| `import tulle`, `import scipy.sparse` | 250 µs | 1234 ms |" in text
    assert "| the wheel without CUDA; unpacked | 2.9 MB; 9.0 MB | |" in text


def test_page_of_a_gpu():
    about = {"machine": "A Card", "source": "generated", "tulle": "1.0", "cupy": "2.0", "date": "2026-11-30"}
    made = [{"op": "`A @ x`", "matrix": name, "type": "f32", "tulle_ms": 2.0, "optimised_ms": 1.0, "cupy_ms": theirs}
            for name, theirs in [("A", 1.0), ("B", 4.0)]]
    made += [{"op": "`A @ A`", "matrix": "A", "type": "f64", "tulle_ms": 1.0, "cupy_ms": 3.0}]
    text = "\n".join(page.gpu_lines([{**row, **about} for row in made]))
    assert "Measured on A Card, 2026-11-30: tulle 1.0, CuPy 2.0." in text
    assert "| `A @ x` | f32 | 2 generated | 1.00 | 0.50–2.00 | 1 | 2.00 |" in text
    assert "| `A @ A` | f64 | 1 generated | 3.00 | 3.00–3.00 | - | - |" in text


def test_a_key_stands_once(tmp_path):
    file = tmp_path / "twice.jsonl"
    file.write_text("".join(json.dumps(row) + "\n" for row in 2 * rows()))
    with pytest.raises(SystemExit, match="more than one row"):
        page.read(file)


def test_readme_is_what_the_results_give():
    subprocess.run([sys.executable, FOLDER / "page.py", "--check"], check=True)
