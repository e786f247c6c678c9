# SPDX-License-Identifier: Apache-2.0
"""The C library is compared with the declarations that the package was built with, and fails by name."""
import os
import subprocess
import sys
import types

import pytest

from tulle import _library


def with_sizes(changed):
    """A library in which a struct is larger."""
    def size(name):
        return _library.lib.tulle_struct_size(name) + 8 * (name.decode() == changed)
    return types.SimpleNamespace(tulle_struct_size=size)


@pytest.mark.parametrize("name", ["tulle_solve_options", "tulle_mat_info", "tulle_factor_report", "tulle_scalar"])
def test_a_struct_of_another_size(name):
    size = _library.ffi.sizeof(name)
    assert _library.lib.tulle_struct_size(name.encode()) == size
    _library.compare(with_sizes("none"), "this one")
    with pytest.raises(ImportError, match=f"{name} has {size} bytes here and {size + 8} in another.so"):
        _library.compare(with_sizes(name), "another.so")


def test_another_library():
    program = [sys.executable, "-c", "import tulle"]
    ended = subprocess.run(program, env={**os.environ, "TULLE_LIBRARY": "libm.so.6"}, capture_output=True, text=True,
                           check=False)
    last = ended.stderr.strip().splitlines()[-1]
    assert last.startswith("ImportError: tulle: libm.so.6 has no tulle_struct_size")
