# SPDX-License-Identifier: Apache-2.0
"""Results that are read, the cases made of them, the command, and the page in a browser."""
import json
import os
import pathlib
import re
import subprocess
import sys

import pytest

import tulle
import tulle.report
from browser import needed, see

ROOT = pathlib.Path(__file__).resolve().parents[2]
KEPT = sorted((ROOT / "lab/results").glob("*.jsonl"))
PICTURES = ("speed", "floor", "roof", "size")
HOSTILE = "</script><img src=x onerror=fail()>"


def row(**fields):
    """A row of tulle bench, as far as the page needs one."""
    made = dict(op="spmv", matrix="p2d5:900", source="generated", rows=810000, cols=810000, nnz=4046400, type="f64",
                index="32/32", trans="n", k=1, layout="column", block=1, tasks=1, kernel="spmv_csr", backend="cpu",
                choice="rule", params="", threads=2, machine="A Computer", copy_gbs=20.0, date="2026-11-30T02:48:24Z",
                commit="96a46abceb99", ms=4.0, gbs=15.0, gflops=2.0, err=0.25, prep_ms=0, extra_bytes=0)
    made["class"] = "memory"
    made.update(fields)
    return {**made, "floor": made["gbs"] / made["copy_gbs"]}


def peer(**fields):
    return row(**{"kernel": "eigen_csr", "choice": "peer", "peer_version": "Eigen 3.4.0", **fields})


def many(count):
    """So many rows: of each case tulle's own choice, a kernel by name, and two peers."""
    rows = []
    for number in range(count // 4):
        size = 10.0 ** (number % 6)
        of = dict(matrix=f"grid:{number}", nnz=int(100 * size), type=("f32", "f64")[number % 2],
                  op=("spmv", "spgemm", "trisolve")[number % 3])
        of["class"] = ("launch", "cache", "memory")[number % 6 // 2]
        ms = 0.001 * size * (1 + number % 7)
        bandwidth = {"gbs": 1e-6 * 1200 * size / ms}
        rows += [row(**of, **bandwidth, ms=ms), row(**of, ms=1.1 * ms, choice="forced", kernel="spmv_csr_seq"),
                 peer(**of, **bandwidth, ms=ms * (0.8 + number % 5)),
                 peer(**of, ms=9 * ms, kernel="mkl_csr", peer_version="MKL 2026.2")]
    return rows


def lines(rows):
    return "".join(json.dumps(one) + "\n" for one in rows)


def command(*arguments, folder=None):
    return subprocess.run([sys.executable, "-m", "tulle.report", *map(str, arguments)], capture_output=True, text=True,
                          check=False, cwd=folder, env={**os.environ, "PYTHONPATH": os.pathsep.join(sys.path)})


# --- Reading ---

def test_kept_files_are_read_as_rows(tmp_path):
    rows = [row(), peer(ms=8.0, second=None)]
    names = ["choice", "kernel", "ms", "peer_version"]
    shared = {key: value for key, value in rows[0].items() if key not in [*names, "floor"]}
    plain, kept = tmp_path / "plain.jsonl", tmp_path / "kept.jsonl"
    plain.write_text(lines(rows))
    kept.write_text(lines([{"shared": shared, "names": names}, *([one.get(name) for name in names] for one in rows)]))
    assert tulle.report.read(kept) == tulle.report.read(plain)
    assert len(tulle.report.read(kept, plain)) == 4
    assert tulle.report.read(str(kept))[0]["floor"] == 0.75


@pytest.mark.skipif(not KEPT, reason="the committed results are not beside the tests")
def test_committed_results_are_read():
    rows = tulle.report.read(*KEPT)
    plain = sum(not line.startswith('{"shared"') for path in KEPT for line in path.read_text().splitlines())
    assert len(rows) == plain
    found = tulle.report.cases(rows)
    compared = [case for case in found if "faster" in case]
    assert len(compared) > 1000
    assert not any(case["peer_version"].startswith("tulle") for case in compared)
    assert all(case["faster"] == case["peer_ms"] / case["ms"] for case in compared)


def test_units_are_those_of_the_benchmark():
    fields = ROOT / "trials/fields.def"
    if not fields.exists():
        pytest.skip("the benchmark's fields are not beside the tests")
    units = {"MS": "ms", "BYTES": "bytes", "GBS": "GB/s", "GFLOPS": "GFLOP/s"}
    found = re.findall(r'^F\((\w+), (\w+),', fields.read_text(), re.MULTILINE)
    assert len(found) > 50
    for name, unit in found:
        assert tulle.report._rows.unit(name) == units.get(unit, ""), name
        assert (unit == "TEXT") == (name in tulle.report._rows.TEXTS), name
        assert unit != "LIST" or name not in tulle.report._rows.NUMBERS


BROKEN = {
    "": "no rows",
    "\n \n": "no rows",
    "{\"op\": \n": ":1: not JSON: ",
    lines([row()]) + "{'op': 1}\n": ":2: not JSON: Expecting property name enclosed in double quotes at column 2",
    lines([row(ms=float("nan"))]): ":1: not JSON: NaN is no number of JSON",
    lines([row()]).replace("4.0", "1e999"): ":1: not JSON: 1e999 is beyond the range of f64",
    lines([row()]).replace("4.0", "9" * 400): ":1: not JSON: 99999999999999999999 is beyond the range of f64",
    lines([row(ms="fast")]): ":1: ms is 'fast': 0 or a number from 1e-100 to 1e100 is wanted",
    lines([row(ms=-1)]): ":1: ms is -1: 0 or a number",
    lines([row(threads=[2])]): ":1: threads is [2]: 0 or a number",
    lines([row(matrix=3)]): ":1: matrix is 3: a text is wanted",
    "{\"op\": \"spmv\"}\n": ":1: not a row of tulle bench: it has no field 'matrix'",
    "[1, 2]\n": ":1: a list without a line before it that names its columns",
    "{\"shared\": {}, \"names\": [\"a\"]}\n[1, 2]\n": ":2: 2 values for 1 columns",
    "{\"shared\": 3, \"names\": 4}\n": ":1: \"shared\" and \"names\" are not an object and a list of texts",
    "{\"shared\": {}, \"names\": []}\n": "no rows",
    "3\n": ":1: neither an object nor a list: no result of tulle bench",
    "[" * 100000: ":1: not JSON: ",
    lines([row(matrix="\ud800")]): ":1: a text has half of a character",
    lines([{**row(), "\udfff": 1}]): ":1: a text has half of a character",
    "matrix,ms\np3d7,1.5\n": ":1: not JSON: ",
}


@pytest.mark.parametrize("text", BROKEN)
def test_faults_are_told_with_their_line(tmp_path, text):
    path = tmp_path / "results.jsonl"
    path.write_text(text)
    with pytest.raises(tulle.report.Fault) as fault:
        tulle.report.read(path)
    assert str(fault.value).startswith(str(path)) and BROKEN[text] in str(fault.value)
    assert "\n" not in str(fault.value) and len(str(fault.value)) < len(str(path)) + 120


# --- Cases ---

def test_cases():
    rows = [row(ms=9.0, date="2026-11-01", err=0.1), row(ms=4.0), row(ms=2.0, choice="forced", kernel="spmv_seq"),
            peer(ms=8.0), peer(ms=1.0, err=7.0), peer(ms=0.5, kernel="scipy_csr", broken=True),
            peer(ms=0.1, choice="refused"), peer(ms=3.0, peer_version="tulle 0.1.0"), row(ms=1.0, threads=1),
            peer(ms=1.0, kernel="scipy_splu"), row(type="f32"), row(type="f32", choice="peer", kernel="a", err=None)]
    first, second = tulle.report.cases([{k: v for k, v in one.items() if v is not None} for one in rows])
    assert (first["ms"], first["best"], first["peer"], first["faster"]) == (4.0, "spmv_seq", "eigen_csr", 2.0)
    assert first["bytes"] == 6e7 and not first["unchecked"] and second["unchecked"]
    assert not tulle.report.cases([row(choice="forced"), row(op="batch_dot", detail="streams")])
    for op in ("amg", "amg_nodes"):
        multigrid, = tulle.report.cases([row(op=op, ms=1.0, whole_ms=5.0), peer(op=op, ms=1.0, whole_ms=10.0)])
        assert multigrid["faster"] == 2.0
    assert not tulle.report.cases([row(op="amg", whole_ms=0), peer(op="amg", whole_ms=0)])


def test_whole_characters_are_read(tmp_path):
    path = tmp_path / "results.jsonl"
    path.write_text(lines([row(matrix="\U0001f600 \\ud800")]))
    assert tulle.report.read(path)[0]["matrix"] == "\U0001f600 \\ud800"


def test_the_module_is_there_without_its_import():
    program = "import sys, tulle; sys.exit('tulle.report' in sys.modules or not tulle.report.read)"
    assert subprocess.run([sys.executable, "-c", program], check=False).returncode == 0


# --- The command ---

def test_command(tmp_path):
    (tmp_path / "results.jsonl").write_text(lines(many(40)))
    done = command("results.jsonl", "-o", "page.html", folder=tmp_path)
    assert (done.returncode, done.stderr) == (0, "") and done.stdout.startswith("page.html: 40 rows, 10 cases, ")
    text = (tmp_path / "page.html").read_text()
    assert "A Computer" in text and "96a46abceb99" in text and "2026-11-30" in text and "Eigen 3.4.0" in text
    assert command("results.jsonl", folder=tmp_path).returncode == 0 and (tmp_path / "report.html").read_text() == text


def test_command_says_no_in_one_line(tmp_path):
    (tmp_path / "results.jsonl").write_text(lines([row()]))
    (tmp_path / "broken.jsonl").write_text(lines([row()]) + "{")
    (tmp_path / "binary.jsonl").write_bytes(b"\xff\xfe\x00")
    for arguments, code, words in ((["none.jsonl"], 2, "none.jsonl: No such file"), (["."], 2, ".: Is a directory"),
                                   (["broken.jsonl"], 2, "broken.jsonl:2: not JSON"),
                                   (["results.jsonl", "binary.jsonl"], 2, "binary.jsonl: not a text in UTF-8"),
                                   (["results.jsonl", "-o", "no/page.html"], 1, "no/page.html: No such file"),
                                   (["results.jsonl", "-o", "./results.jsonl"], 2, "results.jsonl holds the results")):
        done = command(*arguments, folder=tmp_path)
        assert done.returncode == code and done.stdout == ""
        assert done.stderr.startswith(f"tulle.report: {words}") and done.stderr.count("\n") == 1
    assert not (tmp_path / "report.html").exists() and (tmp_path / "results.jsonl").read_text() == lines([row()])
    assert command(folder=tmp_path).returncode == 2
    helped = command("--help", folder=tmp_path)
    assert helped.returncode == 0 and "python -m tulle.report results.jsonl -o report.html" in helped.stdout


# --- The page ---

@pytest.fixture(scope="module")
def large():
    return tulle.report.page(many(5000))


def test_the_page_loads_nothing():
    text = tulle.report.page(many(8))
    assert set(re.findall(r"""(?:src|href)\s*=\s*["']?([^"'\s>]*)""", text)) == {"data:,"} and "@import" not in text
    assert {"http://www.w3.org/2000/svg"} == set(re.findall(r"https?://[^\s\"'<]*", text))
    assert "default-src 'none'" in text


@needed
def test_pictures_and_tables(large, tmp_path):
    seen = see(large, tmp_path)
    assert seen.fault() is None
    for picture in PICTURES:
        assert len(seen.of("circle", picture)) >= 1250, picture
        assert len(seen.of("text", picture)) >= 6, picture
        assert all(0 <= float(dot["attrs"]["cx"]) <= 640 for dot in seen.of("circle", picture))
    assert len(seen.of("tr", "rows")) == 201 and "200 of 5,000 shown" in seen.by_id("rows")["text"]
    assert "200 of 1,250 shown" in seen.by_id("cases")["text"] and len(seen.of("tr", "operations")) == 7
    assert "In all of them: machine A Computer" in seen.by_id("cases")["text"]
    assert "NaN" not in seen.by_id("figures")["text"] and "undefined" not in seen.by_id("figures")["text"]


@needed
def test_the_address_filters_and_sorts(large, tmp_path):
    seen = see(large, tmp_path, "op=spgemm&type=f64&find=grid:1&cases=-ms&rows=matrix")
    assert seen.fault() is None
    for table in ("cases", "rows"):
        assert set(seen.column(table, "op")) == {"spgemm"} and set(seen.column(table, "type")) == {"f64"}
        assert all("grid:1" in name for name in seen.column(table, "matrix"))
    names = seen.column("rows", "matrix")
    assert names == sorted(names) and len(set(names)) > 20
    units = {"ns": 1, "µs": 1e3, "ms": 1e6, "s": 1e9}
    texts = map(str.split, seen.column("cases", "ms"))
    times = [float(number.replace(",", "")) * units[unit] for number, unit in texts]
    assert times == sorted(times, reverse=True) and times[0] > times[-1]
    cases = len(times)
    assert all(len(seen.of("circle", picture)) == cases for picture in ("speed", "floor", "size"))
    assert len(seen.of("circle", "roof")) == 2 * cases
    nothing = see(large, tmp_path, "find=nosuchmatrix")
    assert nothing.fault() is None and not nothing.of("circle") and "No case" in nothing.by_id("speed")["text"]


@needed
def test_what_a_reader_does(large, tmp_path):
    seen = see(large, tmp_path, "", """
        const act = (selector, does) => does(document.querySelector(selector));
        const changed = (box, value, name) => { box.value = value; box.dispatchEvent(new Event(name)); };
        act("#rows .below button", (button) => button.click());
        document.title = document.querySelectorAll("#rows tbody tr").length;
        act("select[name=type]", (box) => changed(box, "f32", "change"));
        act("input[name=find]", (box) => changed(box, "grid:4 launch", "input"));
        setTimeout(() => {
            act("#cases th[data-name=faster] button", (button) => button.click());
            act("#cases th[data-name=faster] button", (button) => button.click());
            act("#rows tbody tr", (line) => line.click());
            act("#speed circle", (dot) => dot.dispatchEvent(new PointerEvent("pointermove", { bubbles: true })));
            act("#figures", (figures) => { figures.dataset.address = location.hash; });
        }, 400);""")
    assert seen.fault() is None and seen.of("title")[0]["text"] == "1200"
    assert set(seen.column("cases", "type")) == {"f32"} and set(seen.column("cases", "class")) == {"launch"}
    assert all("grid:4" in name for name in seen.column("cases", "matrix"))
    faster = [float(text.split()[0]) for text in seen.column("cases", "faster")]
    assert faster == sorted(faster) and faster[0] < 1 < faster[-1]
    assert "96a46abceb99" in seen.of("dl", "rows")[0]["text"]
    assert "grid:4" in seen.by_id("tip")["text"] and "hidden" not in seen.by_id("tip")["attrs"]
    assert seen.by_id("figures")["attrs"]["data-address"] == "#type=f32&find=grid%3A4+launch&operations=op&cases=faster"


@needed
@pytest.mark.skipif(not KEPT, reason="the committed results are not beside the tests")
def test_the_page_of_the_committed_results(tmp_path):
    seen = see(tulle.report.page(tulle.report.read(*KEPT)), tmp_path)
    assert seen.fault() is None
    assert all(len(seen.of("circle", picture)) > 1000 for picture in PICTURES)
    assert not re.search("NaN|undefined|Infinity", "".join(one["text"] for one in seen.of("main")))


@needed
def test_few_rows_and_strange_names(tmp_path):
    seen = see(tulle.report.page([row(matrix=HOSTILE, machine=HOSTILE)]), tmp_path)
    assert seen.fault() is None and not seen.of("img") and HOSTILE in seen.by_id("cases")["text"]
    assert len(seen.of("circle", "floor")) == 1 and not seen.of("circle", "speed")
    only_refused = see(tulle.report.page([{key: value for key, value in row(choice="refused").items() if key != "ms"}]),
                       tmp_path)
    assert only_refused.fault() is None and not only_refused.of("circle")


@needed
def test_dark_and_light(tmp_path):
    script = "document.title = getComputedStyle(document.body).backgroundColor"
    text, option = tulle.report.page([row()]), "--blink-settings=preferredColorScheme="
    colours = [see(text, tmp_path, "", script, [option + scheme]).of("title")[0]["text"] for scheme in "01"]
    assert colours == ["rgb(20, 24, 29)", "rgb(255, 255, 255)"]


@needed
def test_failures_of_the_script_are_told(tmp_path):
    text = tulle.report.page([row()])
    assert "nosuch" in see(text, tmp_path, "", "nosuch()").fault()
    assert see(text.replace('"counts":{', '"count":{'), tmp_path).fault()


def test_roofline(tmp_path):
    pytest.importorskip("matplotlib").use("Agg")
    path = tmp_path / "results.jsonl"
    path.write_text(lines([row(), peer(ms=8.0, gbs=7.5), row(type="f32", machine="B", copy_gbs=30.0)]))
    for results in (path, str(path), [path], tulle.report.read(path)):
        ax = tulle.plot.roofline(results)
        dots = [tuple(dot) for part in ax.collections for dot in part.get_offsets()]
        assert sorted(dots) == [(6e7, 7.5), (6e7, 15), (6e7, 15)]
        assert sorted(line.get_ydata()[0] for line in ax.lines) == [20, 30]
    with pytest.raises(ValueError, match="no cases"):
        tulle.plot.roofline([peer()])
