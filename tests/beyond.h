/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets that begin beyond 2^31 and 2^32 without the memory: columns and values are moved back by
 * as much, so that every address that is formed is real. */
#ifndef TESTS_BEYOND_H
#define TESTS_BEYOND_H

#include <stddef.h>
#include <stdint.h>

#include "tulle/context.h"

/* Odd and even ones, with entries on both sides of where numbers of 32 bits begin anew. */
enum { BEYOND = 4 };
extern const int64_t beyond[BEYOND];

/* An array of which element `base` is the first. */
const void *moved_back(const void *pointer, int64_t base, int64_t item_size);

/* 64-bit offsets of a context's matrix, each plus base, in the context's memory (tulle__alloc). */
void *moved_offsets(tulle_ctx *ctx, const void *offsets, int64_t rows, int64_t base);

/* Fails unless two arrays of a context hold the same. */
void arrays_compare(tulle_ctx *ctx, const void *got, const void *want, size_t bytes);

#endif
