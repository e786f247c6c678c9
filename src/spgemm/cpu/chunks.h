/* SPDX-License-Identifier: Apache-2.0 */
/* The rows of C on a CPU: chunks of about equal work, which threads take as they come. */
#ifndef TULLE_SPGEMM_CPU_CHUNKS_H
#define TULLE_SPGEMM_CPU_CHUNKS_H

#include "spgemm/spgemm.h"

typedef struct tulle__spgemm_chunks {
    int threads; /* number of threads that the product is worth, once it has been looked at */
    int count;
    int64_t *first;   /* first row of each chunk, count + 1 */
    int64_t *before;  /* number of multiplications of the rows before each chunk, count + 1 */
    int64_t *offsets; /* rows + 1 numbers for the kernel, which counts C's entries in them */
    int64_t multiplications; /* number of multiplications of all rows */
    int64_t longest;         /* largest number of multiplications of a row */
    int64_t widest; /* largest number of columns from a multiple of 64 to the last one that a
                       row of C has */
    int64_t twins;  /* number of multiplications of the rows that are twins of the row before */
} tulle__spgemm_chunks;

/* Prefetch distance: rows of B are prefetched for the entry of A this many positions ahead. */
enum { TULLE__SPGEMM_AHEAD = 16 };

/* One row of C, as A and the ends of B's rows foresee it. */
typedef struct tulle__spgemm_row {
    int64_t begin, end; /* entries of A's row */
    int64_t multiplications;
    int64_t base; /* a multiple of 64 at or below the first column of C's row */
    int64_t span; /* range of columns: base + span - 1 is the last one; 0: there is no entry */
} tulle__spgemm_row;

/* Work of the chunks before one: multiplications, and rows, which cost something even without any.
 */
static inline int64_t tulle__spgemm_work_before(const tulle__spgemm_chunks *chunks, int chunk) {
    return chunks->before[chunk] + chunks->first[chunk];
}

/* Makes the chunks in scratch of the context (tulle__alloc). kin: kind of each row (kin.h), or
 * NULL. */
tulle_status tulle__spgemm_chunks_make(const tulle__spgemm_task *task, const uint8_t *kin,
                                       tulle__spgemm_chunks *chunks);
void tulle__spgemm_chunks_free(const tulle__spgemm_task *task, tulle__spgemm_chunks *chunks);

/* Number of threads: the place's, or 1 where that many multiplications, rows and entries take one
 * thread no longer than others take to begin and end. */
int tulle__spgemm_threads(const tulle__spgemm_task *task, int64_t items);

/* Number of threads while only the operands' sizes are known. */
int tulle__spgemm_threads_early(const tulle__spgemm_task *task);

/* Bound of the bytes of a call, for tulle_spgemm_report: chunks, `scratch` bytes of other
 * scratch, and the largest C. */
int64_t tulle__spgemm_bound(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks,
                            int64_t scratch);

/* Sums up offsets, where offsets[i + 1] has the entries of row i, and offsets[0] is 0. Returns
 * the last. */
int64_t tulle__spgemm_sum_up(int64_t *offsets, int64_t rows);

/* Stores the offsets of C from those of the chunks. */
void tulle__spgemm_put_offsets(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks);

#endif
