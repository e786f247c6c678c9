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
    int64_t count, stride; /* stride: a multiple of a warp; 0: in patches */
    int rows;              /* number of rows of an element matrix */
    int32_t *unknowns;     /* unknown of each row of each element; -1: left out */
    void *numbers;         /* tulle__local_cells numbers of each element */
    void *products;        /* a product for each row; NULL where none is stored */
} tulle__local_block;

/* Numbers of an element matrix that are kept: all, or the upper triangle by rows. */
TULLE_INLINE int64_t tulle__local_cells(int64_t rows, bool packed) {
    return packed ? rows * (rows + 1) / 2 : rows * rows;
}

/* Returns the index of entry (i, j) among the numbers that are kept of a matrix; for a packed
 * matrix, i <= j. */
TULLE_INLINE int64_t tulle__local_cell(int64_t rows, bool packed, int64_t i, int64_t j) {
    return packed ? i * (2 * rows - i - 1) / 2 + j : i * rows + j;
}

/* The numbers of the caller's element matrices, and the unknowns of their rows, as the operator
 * keeps them. */
typedef struct tulle__pack_job {
    tulle__local_block block;
    const int32_t *order;  /* element at each position; NULL: the elements in their own order */
    const int32_t *points; /* unknowns of the rows of each element, -1 for rows left out;
                              pack_numbers needs them only where some are masked */
    const uint8_t *masked; /* flag of each unknown; NULL: none is masked. This and the members below
                              are for pack_numbers. */
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

/* Multiplies each of the elements from begin to before end by x: alpha times the products are added
 * to y, or the products are stored. */
typedef struct tulle__local_job {
    tulle_type type, stored; /* type of x and y; type of the matrices' numbers */
    bool packed, transposed;
    tulle_local_scatter scatter;
    tulle__local_block block;
    int64_t begin, end;
    tulle__vectors vectors;
} tulle__local_job;

/* Multiplies elements in patches by x; a patch adds up its products. The numbers of 32 elements, in
 * the order of patches, are together, as metrics are (fem/patches/cells.h). So the next number of
 * an element is at a distance that the compiler knows. */
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
    const int32_t *rows; /* rows of x, y and masked that the job is for; NULL: the first `count` */
    tulle__vectors vectors;
    bool wide; /* true: ends and from have 64 bits; false: 32 (tulle__entries_job); ends NULL: there
                  are no sums */
    const void *ends, *from;
    const void *products;
    const uint8_t *masked; /* flag of each row; NULL: none is masked */
    const void *scales;    /* for each of the `count` rows that is masked, its diagonal entry */
} tulle__combine_job;

/* Row i of the element at place k. */
TULLE_INLINE void tulle__pack_unknown(const tulle__pack_job *job, int64_t k, int i) {
    const tulle__local_block *b = &job->block;
    const int64_t e = job->order ? job->order[k] : k;
    b->unknowns[i * b->stride + k] = job->points[e * b->rows + i];
}

/* Returns true when a mask makes entry (i, j) of element e 0: a masked unknown leaves only the
 * diagonal entry in its row and column. */
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
