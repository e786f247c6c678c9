/* SPDX-License-Identifier: Apache-2.0 */
/* A matrix of any format, read on the host as include/tulle/formats.h says and in no other way: the
 * second opinion on how entries are laid out. */
#ifndef TESTS_NAIVE_LAYOUT_H
#define TESTS_NAIVE_LAYOUT_H

#include "entries.h"

/* All arrays, widened. */
typedef struct {
    tulle_mat_info info;
    tulle_mat_lengths n;
    int64_t *offsets, *rows, *cols, *order, *lengths;
    uint32_t *mask;
    uint8_t *codes;
    double *values;
} naive_layout;

naive_layout naive_read(tulle_ctx *ctx, const tulle_mat *A);
void naive_free(naive_layout *l);

/* The entries, row by row, each row as it is stored (CSC: by columns, then sorted), and the slot of
 * each. Fails where arrays contradict each other. The caller frees the slots. */
entries naive_entries(const naive_layout *l, int64_t **slots);

/* Fails unless the arrays have the sizes, the padding and the order that the format promises. */
void naive_check(const naive_layout *l);

#endif
