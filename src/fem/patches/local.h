/* SPDX-License-Identifier: Apache-2.0 */
/* The jobs of operators that are made of element matrices. Numbers, unknowns and products are
 * interleaved: item k of element e at k * stride + e, or, of patches, side by side in 32s. All
 * arrays are in the place's memory. */
#ifndef TULLE_FEM_PATCHES_LOCAL_H
#define TULLE_FEM_PATCHES_LOCAL_H

#include "fem/assembly/jobs.h"
#include "fem/patches/patches.h"

/* A block of elements as the operator keeps it. */
typedef struct tulle__local_block {
    int64_t count, stride; /* stride: whole warps; 0: of patches */
    int rows;              /* of an element matrix */
    int32_t *unknowns;     /* of each row, or -1: left out */
    void *numbers;         /* tulle__local_cells of each element */
    void *products;        /* one of each row; NULL where nothing comes between */
} tulle__local_block;

/* Numbers of an element matrix that are kept: all, or the upper triangle by rows. */
TULLE_INLINE int64_t tulle__local_cells(int64_t rows, bool packed) {
    return packed ? rows * (rows + 1) / 2 : rows * rows;
}

/* Which of them entry (i, j) is; of a packed matrix, i <= j. */
TULLE_INLINE int64_t tulle__local_cell(int64_t rows, bool packed, int64_t i, int64_t j) {
    return packed ? i * (2 * rows - i - 1) / 2 + j : i * rows + j;
}

/* The numbers of the caller's element matrices, and the unknowns of their rows, as the operator
 * keeps them. */
typedef struct tulle__pack_job {
    tulle__local_block block;
    const int32_t *order;  /* the element at each place; NULL: itself */
    const int32_t *points; /* rows of each element, -1 for those left out; of pack_numbers only
                              where some are masked */
    const uint8_t *masked; /* of pack_numbers, as is what follows; NULL: none is */
    tulle_type given, stored;
    const void *values;
    int64_t e_step, i_step, j_step;
    bool packed;
} tulle__pack_job;

/* Points that are masked count as left out from here on. */
typedef struct tulle__leave_job {
    int64_t count;
    int32_t *points;
    const uint8_t *masked;
} tulle__leave_job;

/* The elements from begin to before end times x, each by itself: alpha times these are added to y,
 * or they are stored as products. */
typedef struct tulle__local_job {
    tulle_type type, stored; /* of x and y; of the numbers */
    bool packed, transposed;
    tulle_local_scatter scatter;
    tulle__local_block block;
    int64_t begin, end;
    tulle__vectors vectors;
} tulle__local_job;

/* The same for elements in patches, which add up their products. Numbers of 32 elements, in the
 * order of patches, are together, as metrics are (fem/patches/cells.h): so the next number of
 * an element is at a distance that is known when this is compiled. */
typedef struct tulle__local_patches_job {
    tulle_type type, stored;
    bool packed, transposed;
    tulle__patches patches;
    tulle__vectors vectors;
    const void *numbers;
    void *room; /* on a CPU: patch_room numbers for each thread */
} tulle__local_patches_job;

enum { TULLE__LOCAL_LANES = 32 };

/* Returns the index of number `cell` of element e, of `cells` that elements have. */
TULLE_INLINE int64_t tulle__local_number_at(int64_t cells, int64_t e, int64_t cell) {
    const int64_t lane = e % TULLE__LOCAL_LANES;
    return (e - lane) * cells + cell * TULLE__LOCAL_LANES + lane;
}

/* y := alpha (the sum of each unknown's products) + beta y, and alpha scale x + beta y for masked
 * unknowns; of a diagonal, 1 for x. */
typedef struct tulle__combine_job {
    tulle_type type;
    int64_t count;
    const int32_t *rows; /* which rows of x, y and masked they are; NULL: the first ones */
    tulle__vectors vectors;
    bool wide; /* as in tulle__entries_job, as are the next two; ends NULL: no sums */
    const void *ends, *from;
    const void *products;
    const uint8_t *masked; /* NULL: none is */
    const void *scales;    /* of each of the count that is masked, its diagonal entry */
} tulle__combine_job;

/* Row i of the element at place k. */
TULLE_INLINE void tulle__pack_unknown(const tulle__pack_job *job, int64_t k, int i) {
    const tulle__local_block *b = &job->block;
    const int64_t e = job->order ? job->order[k] : k;
    b->unknowns[i * b->stride + k] = job->points[e * b->rows + i];
}

/* A mask makes entry (i, j) of element e 0: of rows and columns of masked unknowns the diagonal
 * alone stays. */
TULLE_INLINE bool tulle__is_cut(const tulle__pack_job *job, int64_t e, int i, int j) {
    if (!job->masked) return false;
    const int32_t row = job->points[e * job->block.rows + i];
    const int32_t col = job->points[e * job->block.rows + j];
    return row != col && ((row >= 0 && job->masked[row]) || (col >= 0 && job->masked[col]));
}

/* Entry (i, j) of the element at place k, where it is kept. */
TULLE_INLINE void tulle__pack_number(const tulle__pack_job *job, int64_t k, int i, int j) {
    const tulle__local_block *b = &job->block;
    if (job->packed && j < i) return;
    const int64_t e = job->order ? job->order[k] : k;
    const int64_t from = e * job->e_step + i * job->i_step + j * job->j_step;
    const int64_t cell = tulle__local_cell(b->rows, job->packed, i, j);
    const int64_t cells = tulle__local_cells(b->rows, job->packed);
    const int64_t to =
        b->stride > 0 ? cell * b->stride + k : tulle__local_number_at(cells, k, cell);
    if (tulle__is_cut(job, e, i, j)) {
        tulle__put_number(job->stored, b->numbers, to, 0);
    } else if (job->stored == job->given) {
        tulle__move_value(job->given, b->numbers, to, job->values, from);
    } else {
        ((float *)b->numbers)[to] = (float)((const double *)job->values)[from];
    }
}

#endif
