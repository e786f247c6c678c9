# SPDX-License-Identifier: Apache-2.0
"""Work in several threads at once."""
import threading


def in_threads(work, count=4):
    """Runs work() in so many threads, and waits for all of them."""
    threads = [threading.Thread(target=work) for _ in range(count)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
