/* SPDX-License-Identifier: Apache-2.0 */
/* Ascending lists of numbers of rows or columns of a whole matrix, in host memory. */
#ifndef TULLE_DIST_NUMBERS_H
#define TULLE_DIST_NUMBERS_H

#include "core/context.h"

/* Sorts numbers and drops those that repeat; *count becomes the number of those that are left. */
tulle_status tulle__numbers_sort(tulle_ctx *ctx, int64_t *numbers, int64_t *count);

/* Returns the place of the first number that is not below `number` in an ascending list; near: a
 * place to begin the search at, which becomes that place. */
int64_t tulle__numbers_place(const int64_t *numbers, int64_t count, int64_t number, int64_t *near);

/* Returns true where that place has the number itself. */
static inline bool tulle__numbers_have(const int64_t *numbers, int64_t count, int64_t number,
                                       int64_t *near) {
    const int64_t at = tulle__numbers_place(numbers, count, number, near);
    return at < count && numbers[at] == number;
}

#endif
