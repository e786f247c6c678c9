/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_CORE_AVAILABLE_H
#define TULLE_CORE_AVAILABLE_H

#include <stdbool.h>
#include <stdint.h>

#include "tulle/context.h"

/* Bytes of this machine's memory, and of its room to swap, that programs can still have, less those
 * that contexts were promised and have not touched; where the system does not say, all memory. */
TULLE_API int64_t tulle__cpu_available(void);

/* Notes that a context got so many bytes, or gave them back (below 0), of memory that the system
 * finds only when the memory is touched. */
void tulle__cpu_promise(int64_t bytes);

/* Says whether an allocator promises memory before it has any: the C library does, from which
 * contexts without an allocator of the caller's get theirs. */
bool tulle__is_promised(const tulle_allocator *source);

#endif
