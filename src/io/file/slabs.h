/* SPDX-License-Identifier: Apache-2.0 */
/* Memory for the many arrays of one reading, which is taken piece by piece and given back all at
 * once. Large slabs can have huge pages. Page faults on fresh small pages would cost more than
 * reading numbers does; those of huge pages cost a fraction of that. */
#ifndef TULLE_IO_FILE_SLABS_H
#define TULLE_IO_FILE_SLABS_H

#include "core/context.h"

enum { TULLE__SLAB_MAX = 1 << 25 };

typedef struct tulle__slab {
    struct tulle__slab *next;
    char *memory;
    size_t bytes, used;
} tulle__slab;

/* Takes memory, aligned to 64 bytes, from the first slab, or from a new slab of at least `slab`
 * bytes. Two threads must not call this function at the same time. */
tulle_status tulle__slab_take(tulle_ctx *cpu, tulle__slab **slabs, size_t slab, size_t bytes,
                              void **memory);

void tulle__slabs_free(tulle_ctx *cpu, tulle__slab **slabs);

/* Asks the system for huge pages in fresh memory. A system without huge pages ignores the
 * request. */
void tulle__want_huge_pages(void *memory, size_t bytes);

#endif
