/* SPDX-License-Identifier: Apache-2.0 */
/* Arrays that end where memory does: a read of one byte behind them ends the program. And arrays
 * that may only be read. */
#ifndef TESTS_GUARDED_H
#define TESTS_GUARDED_H

#include <stddef.h>

typedef struct {
    void *pages;
    size_t room; /* of the pages */
    void *array;
} guarded;

/* A copy of so many bytes; array is NULL where there are none. */
guarded guarded_copy(const void *bytes, size_t count);
void guarded_free(guarded *g);

/* From here on a write to the array ends the program. */
void guarded_seal(const guarded *g);

#endif
