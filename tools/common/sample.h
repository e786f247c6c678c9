/* SPDX-License-Identifier: Apache-2.0 */
/* A sample of the rows of a large result, or of its tasks, which is checked where a check of all
 * would take minutes. All are divided into as many parts of nearly the same size as are chosen, and
 * of each part a hash of the seed chooses one, so that no regular fault can hide between them. */
#ifndef TOOL_SAMPLE_H
#define TOOL_SAMPLE_H

#include "tools/common/csr.h"

/* Holds the sample that is wanted. */
typedef struct tool_sample {
    int64_t most; /* largest number of rows or tasks that are checked; 0: all are */
    uint64_t seed;
} tool_sample;

/* Mixes all bits of a number: the finalizer of SplitMix64 (Steele, Lea and Flood 2014). */
static inline uint64_t tool_mix(uint64_t x) {
    x = (x ^ x >> 30) * 0xbf58476d1ce4e5b9;
    x = (x ^ x >> 27) * 0x94d049bb133111eb;
    return x ^ x >> 31;
}

/* Returns true when fewer than all are checked. */
static inline bool tool_sample_is_part(const tool_sample *sample, int64_t all) {
    return sample->most > 0 && sample->most < all;
}

/* Returns the number of rows or tasks that are checked. */
static inline int64_t tool_sample_count(const tool_sample *sample, int64_t all) {
    return tool_sample_is_part(sample, all) ? sample->most : all;
}

/* Returns the index of member i of the sample; indices rise with i. */
int64_t tool_sample_at(const tool_sample *sample, int64_t all, int64_t i);

/* Returns true when the offsets of a CSR matrix begin with 0, do not fall and end with the number
 * of entries, so that its rows can be read one by one. */
bool tool_sample_fits(const tool_csr *A);

/* Makes a CSR matrix of the chosen rows of A, which is CSR; tool_csr_close frees it. */
tool_csr tool_sample_rows(const tool_sample *sample, const tool_csr *A);

#endif
