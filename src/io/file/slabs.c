/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "io/file/slabs.h"

#include <sys/mman.h>

enum { ALIGNMENT = 64, HUGE_PAGE = 1 << 21 };

void tulle__want_huge_pages(void *memory, size_t bytes) {
    const uintptr_t first = ((uintptr_t)memory + HUGE_PAGE - 1) / HUGE_PAGE * HUGE_PAGE;
    const uintptr_t end = ((uintptr_t)memory + bytes) / HUGE_PAGE * HUGE_PAGE;
    if (end > first) madvise((void *)first, end - first, MADV_HUGEPAGE);
}

static tulle_status add_slab(tulle_ctx *cpu, tulle__slab **slabs, size_t bytes) {
    tulle__slab *slab = tulle__host_alloc(cpu, sizeof *slab);
    if (!slab) return TULLE_OUT_OF_MEMORY;
    void *memory;
    const tulle_status status = tulle__alloc(cpu, bytes, &memory);
    if (status != TULLE_OK) {
        tulle__host_free(cpu, slab);
        return status;
    }
    tulle__want_huge_pages(memory, bytes);
    *slab = (tulle__slab){.next = *slabs, .memory = memory, .bytes = bytes};
    *slabs = slab;
    return TULLE_OK;
}

tulle_status tulle__slab_take(tulle_ctx *cpu, tulle__slab **slabs, size_t slab, size_t bytes,
                              void **memory) {
    *memory = NULL;
    if (bytes == 0) return TULLE_OK;
    bytes = (bytes + ALIGNMENT - 1) / ALIGNMENT * ALIGNMENT;
    if (!*slabs || (*slabs)->bytes - (*slabs)->used < bytes)
        TULLE__TRY(add_slab(cpu, slabs, bytes > slab ? bytes : slab));
    *memory = (*slabs)->memory + (*slabs)->used;
    (*slabs)->used += bytes;
    return TULLE_OK;
}

void tulle__slabs_free(tulle_ctx *cpu, tulle__slab **slabs) {
    while (*slabs) {
        tulle__slab *next = (*slabs)->next;
        tulle__free(cpu, (*slabs)->memory);
        tulle__host_free(cpu, *slabs);
        *slabs = next;
    }
}
