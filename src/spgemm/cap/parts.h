/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of operands as operands of their own, in arrays that are the caller's, also on failure. */
#ifndef TULLE_SPGEMM_PARTS_H
#define TULLE_SPGEMM_PARTS_H

#include "spgemm/functions.h"
#include "spgemm/product.h"

/* The address of number `count` of an array. */
static inline void *tulle__spgemm_beyond(const void *array, int64_t count, int64_t size) {
    return (char *)(uintptr_t)array + count * size;
}

/* Reads the number of entries before a row of one of a run's operands. Waits. */
tulle_status tulle__spgemm_read_offset(tulle__spgemm_run *run, const void *offsets, int64_t row,
                                       int64_t *offset);

tulle_status tulle__spgemm_raise(tulle__spgemm_run *run, int64_t count, int64_t by, int64_t size,
                                 void *numbers);

/* Cuts some rows out of an operand: its entries from begin to end, and *offsets, which begin
 * with 0. Waits. */
tulle_status tulle__spgemm_cut_rows(tulle__spgemm_run *run, const tulle__spgemm_operand *whole,
                                    int64_t row, int64_t rows, int64_t *begin, int64_t *end,
                                    void **offsets, tulle__spgemm_operand *part);

/* Cuts some rows out of a mask, in place. Waits. */
tulle_status tulle__spgemm_cut_mask(tulle__spgemm_run *run, const tulle__spgemm_operand *whole,
                                    int64_t row, int64_t rows, tulle__spgemm_operand *part);

/* Make a strip's B: the rows of B that its entries of A meet, one for each, between its columns.
 * The first counts their entries, with offsets and numbers (waits), the second fills in the
 * rest. */
tulle_status tulle__spgemm_count_strip(tulle__spgemm_run *run, const tulle__spgemm_operand *a,
                                       const tulle__spgemm_operand *b, tulle__spgemm_strip *strip,
                                       int64_t *nnz);
tulle_status tulle__spgemm_fill_strip(tulle__spgemm_run *run, const tulle__spgemm_operand *a,
                                      const tulle__spgemm_operand *b, tulle__spgemm_strip *strip,
                                      int64_t nnz, tulle__spgemm_operand *part);
void tulle__spgemm_free_strip(tulle__spgemm_run *run, tulle__spgemm_strip *strip);

#endif
