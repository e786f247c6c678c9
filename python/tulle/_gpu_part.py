# SPDX-License-Identifier: Apache-2.0
"""The library's part for GPUs, where the package tulle-cuda brings it."""
import functools
import importlib.metadata

from ._errors import NoDevice
from ._library import beside, ffi, lib, text


@functools.lru_cache(maxsize=None)
def load():
    """Loads the part out of the package tulle-cuda, if that is installed: libtulle then gets this one when it opens the
    part by its name. A part beside libtulle, which libtulle prefers, makes the package unnecessary."""
    if beside("tulle-cuda"):
        return None
    try:
        package = importlib.metadata.distribution("tulle-cuda")
    except importlib.metadata.PackageNotFoundError:
        return None
    own = text(lib.tulle_version())
    if package.version != own:
        raise NoDevice(f"the package tulle-cuda is of version {package.version}, and tulle of {own}: install the two "
                       f"of one version")
    folder = package.locate_file("tulle_cuda/lib")
    try:
        return ffi.dlopen(str(next(folder.glob("libtulle-cuda.so.*"), folder / "libtulle-cuda.so")))
    except OSError as error:
        raise NoDevice(f"the package tulle-cuda cannot be loaded: {error}; install it anew") from error
