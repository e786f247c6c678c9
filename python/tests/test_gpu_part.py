# SPDX-License-Identifier: Apache-2.0
"""The package tulle-cuda is found: stand-ins of it, whose library is a few lines of C, beside a libtulle that has no
part for GPUs in its folder."""
import contextlib
import importlib.metadata
import os
import pathlib
import shutil
import subprocess
import sys

import pytest

import tulle
from tulle import _library

PROGRAM = """
import sys, tulle
def is_loaded():
    return "libtulle-cuda" in open("/proc/self/maps", encoding="ascii").read()
try:
    tulle.Context("cpu")
    assert not is_loaded()
    print(tulle.Context(sys.argv[1]).backend, is_loaded())
except tulle.NoDevice as error:
    print(error)
"""
MAJOR, MINOR, _ = tulle.__version__.split(".")
FILE = "libtulle-cuda.so." + (MAJOR if MAJOR != "0" else f"0.{MINOR}")
# A part that libtulle opens and refuses, and one that is the emulator.
REFUSED = "const void *tulle__cuda_backend(const void *services) { (void)services; return 0; }"
EMULATOR = """
const void *tulle__emu_backend(const void *services);
const void *tulle__cuda_backend(const void *services) { return tulle__emu_backend(services); }
"""


@pytest.fixture(name="libtulle")
def _libtulle(tmp_path):
    """A copy of the library in a folder without other parts."""
    found = pathlib.Path(_library.find())
    if not found.is_file():
        pytest.skip("the library is the system's")
    (tmp_path / "alone").mkdir()
    return shutil.copy(found, tmp_path / "alone" / "libtulle.so")


def compiled(source, folder, links=()):
    folder.mkdir(parents=True, exist_ok=True)
    if not shutil.which("cc"):
        pytest.skip("there is no C compiler")
    subprocess.run(["cc", "-shared", "-fPIC", f"-Wl,-soname,{FILE}", "-xc", "-", "-o", folder / FILE, "-xnone", *links],
                   input=source, text=True, check=True)


def package(tmp_path, version=tulle.__version__):
    """The folder of the library in a package tulle-cuda that is as if pip had installed it."""
    info = tmp_path / "site" / f"tulle_cuda-{version}.dist-info"
    info.mkdir(parents=True)
    (info / "METADATA").write_text(f"Metadata-Version: 2.1\nName: tulle-cuda\nVersion: {version}\n")
    return tmp_path / "site" / "tulle_cuda" / "lib"


def says(tmp_path, libtulle, where="cuda"):
    """The line that the program says where that package is installed."""
    installed = pathlib.Path(tulle.__file__).parents[1]
    # The copy does not find libamd where auditwheel put it.
    libraries = os.pathsep.join([str(installed / "tulle.libs"), *os.environ.get("LD_LIBRARY_PATH", "").split()])
    environment = {**os.environ, "TULLE_LIBRARY": str(libtulle), "LD_LIBRARY_PATH": libraries,
                   "PYTHONPATH": f"{tmp_path / 'site'}{os.pathsep}{installed}"}
    return subprocess.run([sys.executable, "-c", PROGRAM, where], env=environment, check=True, capture_output=True,
                          text=True).stdout.strip()


def test_there_is_none(tmp_path, libtulle):
    with contextlib.suppress(importlib.metadata.PackageNotFoundError):
        importlib.metadata.distribution("tulle-cuda")
        pytest.skip("the package tulle-cuda is installed")
    said = says(tmp_path, libtulle)
    assert "\n" not in said and f"{FILE}: cannot open" in said and "the Python package tulle-cuda" in said


def test_it_is_found(tmp_path, libtulle):
    compiled(REFUSED, package(tmp_path))
    assert says(tmp_path, libtulle) == f"{FILE} is of another version than libtulle {tulle.__version__}"


@pytest.mark.parametrize("where", ["cuda", "auto"])
def test_it_computes(tmp_path, libtulle, where):
    emulator = _library.beside("tulle-emu")
    if not emulator:
        pytest.skip("this library has no emulator")
    compiled(EMULATOR, package(tmp_path), (emulator[0], f"-Wl,-rpath,{emulator[0].parent}"))
    assert says(tmp_path, libtulle, where) == "emulated True"


@pytest.mark.parametrize("where", ["cuda:0", "auto"])
def test_another_version(tmp_path, libtulle, where):
    compiled(REFUSED, package(tmp_path, "9.8.7"))
    said = says(tmp_path, libtulle, where)
    assert said == (f"the package tulle-cuda is of version 9.8.7, and tulle of {tulle.__version__}: install the two of "
                    f"one version")


def test_no_library(tmp_path, libtulle):
    folder = package(tmp_path)
    assert "tulle-cuda cannot be loaded" in says(tmp_path, libtulle)
    folder.mkdir(parents=True)
    (folder / FILE).write_text("no library")
    said = says(tmp_path, libtulle)
    assert "\n" not in said and "tulle-cuda cannot be loaded" in said and FILE in said


def test_a_part_beside_the_library_comes_first(tmp_path, libtulle):
    package(tmp_path, "9.8.7")
    compiled(REFUSED, pathlib.Path(libtulle).parent)
    assert says(tmp_path, libtulle) == f"{FILE} is of another version than libtulle {tulle.__version__}"
