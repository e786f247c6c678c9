/* SPDX-License-Identifier: Apache-2.0 */
#define _DEFAULT_SOURCE /* MAP_ANONYMOUS */
#include "guarded.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <cmocka.h>

guarded guarded_copy(const void *bytes, size_t count) {
    size_t page = (size_t)sysconf(_SC_PAGESIZE);
    guarded g = {.room = (count + page - 1) / page * page};
    g.pages = mmap(NULL, g.room + page, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
    assert_true(g.pages != MAP_FAILED);
    assert_int_equal(mprotect((char *)g.pages + g.room, page, PROT_NONE), 0);
    if (count == 0) return g;
    g.array = (char *)g.pages + g.room - count;
    memcpy(g.array, bytes, count);
    return g;
}

void guarded_free(guarded *g) {
    munmap(g->pages, g->room + (size_t)sysconf(_SC_PAGESIZE));
}

void guarded_seal(const guarded *g) {
    assert_int_equal(mprotect(g->pages, g->room, PROT_READ), 0);
}
