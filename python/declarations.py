# SPDX-License-Identifier: Apache-2.0
"""Makes the module tulle/_abi.py, cffi's declarations of the C library, from the public headers.

declarations.py INCLUDE OUTPUT [COMPILER]

The C compiler's preprocessor expands the headers; the declarations that stand in tulle's own headers are kept, but for
inline functions, which a binding cannot call. Run when the package is built: nothing is compiled when it is installed
or imported.
"""
import pathlib
import re
import subprocess
import sys

import cffi

LINE = re.compile(r'^# \d+ "([^"]*)"')
HEADERS = ["tulle.h", "advanced.h", "mesh_io.h"]


def preprocessed(include, compiler):
    source = "".join(f'#include "tulle/{header}"\n' for header in HEADERS)
    command = [compiler, "-E", "-D__attribute__(x)=", "-D_Static_assert(...)=", f"-I{include}", "-xc", "-"]
    return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


def own_lines(text):
    """The lines that stand in tulle's headers."""
    inside = False
    for line in text.splitlines():
        marker = LINE.match(line)
        if marker:
            inside = "/tulle/" in marker.group(1) or marker.group(1).startswith("tulle/")
        elif inside and line.strip():
            yield line


def without_functions(text):
    """The text without the definitions of inline functions."""
    kept, at = [], 0
    for match in re.finditer(r"static inline\b", text):
        if match.start() < at:
            continue
        kept.append(text[at:match.start()])
        at, depth = text.index("{", match.end()) + 1, 1
        while depth:
            depth += {"{": 1, "}": -1}.get(text[at], 0)
            at += 1
    return "".join(kept) + text[at:]


def main(include, output, compiler="cc"):
    text = without_functions("\n".join(own_lines(preprocessed(include, compiler))))
    text = re.sub(r"\b_Bool\b", "bool", text).replace("extern \"C\" {", "")
    ffi = cffi.FFI()
    ffi.cdef(text)
    ffi.set_source("tulle._abi", None)
    pathlib.Path(output).parent.mkdir(parents=True, exist_ok=True)
    ffi.emit_python_code(str(output))


if __name__ == "__main__":
    main(*sys.argv[1:])
