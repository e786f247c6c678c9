/* SPDX-License-Identifier: Apache-2.0 */
/* Between the members of a struct there may be bytes of none, which a compiler leaves as they were:
 * set to zero, so that structs can be compared as memory, whatever members they may get. */
#ifndef TESTS_GAPS_H
#define TESTS_GAPS_H

#include <stddef.h>
#include <string.h>

#include "tulle/tulle.h"

static inline void storage_clear_gaps(tulle_storage *s) {
    memset(&s->full + 1, 0, offsetof(tulle_storage, sections) - offsetof(tulle_storage, full) - 1);
}

static inline void info_clear_gaps(tulle_mat_info *info) {
    memset(&info->sorted + 1, 0,
           offsetof(tulle_mat_info, min_row) - offsetof(tulle_mat_info, sorted) - 1);
    storage_clear_gaps(&info->storage);
}

#endif
