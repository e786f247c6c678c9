/* SPDX-License-Identifier: Apache-2.0 */
/* Adds and multiplies counts that may pass 2^63: they stop at INT64_MAX. */
#ifndef TOOL_SUMS_H
#define TOOL_SUMS_H

#include <stdint.h>

/* Returns a * b, at most INT64_MAX. */
static inline int64_t tool_times(int64_t a, int64_t b) {
    int64_t product;
    return __builtin_mul_overflow(a, b, &product) ? INT64_MAX : product;
}

/* Returns a + b, at most INT64_MAX. */
static inline int64_t tool_plus(int64_t a, int64_t b) {
    int64_t sum;
    return __builtin_add_overflow(a, b, &sum) ? INT64_MAX : sum;
}

#endif
