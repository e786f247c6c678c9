# SPDX-License-Identifier: Apache-2.0
"""threadpoolctl, which limits the threads of native libraries, is told of tulle where it is installed."""
from ._context import get_threads, set_threads
from ._library import lib, text


def register():
    """Makes threadpoolctl.threadpool_limits hold for tulle, too, as one more user of "openmp" threads: tulle has
    threads of its own, which follow the settings of OpenMP."""
    try:
        import threadpoolctl
        add = threadpoolctl.register
    except (ImportError, AttributeError):  # it is not installed, or older than its version 3.2
        return

    class Controller(threadpoolctl.LibController):
        """The calling Python thread's number of threads."""

        user_api, internal_api = "openmp", "tulle"
        filename_prefixes = ("libtulle.",)  # libtulle-io and libtulle-cuda have none
        check_symbols = ("tulle_ctx_create_sized",)

        def get_num_threads(self):
            return get_threads()

        def set_num_threads(self, num_threads):
            set_threads(num_threads)

        def get_version(self):
            return text(lib.tulle_version())

    add(Controller)
