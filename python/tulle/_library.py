# SPDX-License-Identifier: Apache-2.0
"""The C library: found, loaded, and compared with the declarations that this package was built with."""
import functools
import os
import pathlib

from ._abi import ffi


def _of_system(name):
    import ctypes.util  # imported here, since it takes a while, and a package has its own library
    return ctypes.util.find_library(name) or f"lib{name}.so"


def find():
    """The library's file: TULLE_LIBRARY's, the package's own, or else the system's."""
    named = os.environ.get("TULLE_LIBRARY")
    if named:
        return named
    own = sorted((pathlib.Path(__file__).parent / "lib").glob("libtulle.so*"))
    return str(own[0]) if own else _of_system("tulle")


def beside(part):
    """The files of a part of the library, such as "tulle-io", in the library's folder."""
    folder = os.path.dirname(find())  # none where the system finds the library by its name
    return sorted(pathlib.Path(folder).glob(f"lib{part}.so*")) if folder else []


@functools.lru_cache(maxsize=None)
def io():
    """The part of the library that reads and writes files, libtulle-io, which is loaded when it is first wanted."""
    own = beside("tulle-io")
    path = str(own[0]) if own else _of_system("tulle-io")
    try:
        return ffi.dlopen(path)
    except OSError as error:
        raise ImportError(f"tulle: files of meshes are read and written by libtulle-io, which cannot be loaded: "
                          f"{error}") from error


def load():
    path = find()
    try:
        library = ffi.dlopen(path)
    except OSError as error:
        raise ImportError(f"tulle: the C library cannot be loaded: {error}; TULLE_LIBRARY may name its file") from error
    compare(library, path)
    return library


def compare(library, path):
    """Fails where a struct has another size in the library: numbers would be read from the wrong places."""
    try:
        size_of = library.tulle_struct_size
    except (AttributeError, ffi.error) as error:
        raise ImportError(f"tulle: {path} has no tulle_struct_size: it is not the C library, or an older one than this "
                          f"package was built with") from error
    for name in sorted(set().union(*map(set, ffi.list_types()))):
        try:
            struct, here = ffi.typeof(name), ffi.sizeof(name)
        except (ffi.error, ValueError):
            continue  # a tag, whose typedef has the same name, or an object, whose parts only the library knows
        there = size_of(name.encode())
        if struct.kind == "struct" and there != here:
            raise ImportError(f"tulle: {name} has {here} bytes here and {there} in {path}: the package and the library "
                              f"are of different versions")


lib = load()


def text(chars):
    """A C string; None for NULL."""
    return ffi.string(chars).decode() if chars else None
