/* SPDX-License-Identifier: Apache-2.0 */
/* The functions of every back end for patterns and values; see core/place.h. */
#ifndef TULLE_MATRIX_FUNCTIONS_H
#define TULLE_MATRIX_FUNCTIONS_H

#include "core/place.h"
#include "format/view.h"
#include "matrix/facts.h"

TULLE_BEGIN

/* Entries with explicit rows that are put into CSR order, by a stable sort by (row, column). */
typedef struct tulle__coo_to_csr {
    int64_t rows, cols, nnz;
    int64_t in_index_size; /* bytes of a given row or column index: 4 or 8 */
    tulle_index index;     /* index type of the result */
    tulle_type type;
    const void *rows_of, *cols_of;
    const void *values; /* values given; NULL: no values (only with perm) */
    bool sum_duplicates;
    void *offsets;     /* out: offsets, rows + 1 */
    void *out_cols;    /* out: columns, nnz (fewer are used when duplicates are summed) */
    void *out_values;  /* out: values, nnz; NULL: not wanted */
    void *perm;        /* out: for each entry of the result, index of the given entry that became
                          it, nnz, of type int64_t; NULL: not wanted; never together with
                          sum_duplicates */
    int64_t *host_nnz; /* out: number of entries of the result */
} tulle__coo_to_csr;

/* Ways in which a GPU transposes. Where a way cannot take the case, another one is used. */
typedef enum tulle__turning_way {
    TULLE__TURN_BY_SIZE, /* the way that is fastest for the size */
    TULLE__TURN_SORTED,  /* columns of 32 bits sorted, and rows with them */
    TULLE__TURN_BUCKETS, /* two passes over buckets of columns */
    TULLE__TURN_PAIRS    /* rows and columns sorted as one list, of any size */
} tulle__turning_way;

/* Task of transposing a valid CSR pattern and its values. Output arrays that are NULL are not
 * computed. */
typedef struct tulle__turning {
    const tulle__pattern_view *csr;
    tulle_type type;
    const void *values;
    void *offsets, *out_cols; /* out: offsets and columns, of the index type of csr */
    void *out_values;         /* out: values; never together with perm, which goes without values */
    int64_t *perm;            /* out: for each entry of the transpose, its index in csr */
    bool rising;              /* true where the columns of csr's rows are known to rise */
    tulle__turning_way way;
} tulle__turning;

/* Task of transposing blocks: cell (r, c) of block perm[k] becomes cell (c, r) of block k. Either
 * values or masks are given. */
typedef struct tulle__block_turning {
    int64_t blocks;
    int tall, wide;      /* numbers of rows and of columns of a given block */
    const int64_t *perm; /* index of the given block that becomes each block */
    tulle_type type;
    const void *values;   /* values of all given blocks; NULL: masks are given */
    void *out_values;     /* out: values of all blocks */
    const uint32_t *mask; /* masks of all given blocks */
    uint32_t *out_mask;   /* out: masks of all blocks */
} tulle__block_turning;

/* F(name, (arguments)) */
#define TULLE__MATRIX_FUNCTIONS(F)                                                                 \
    /* check.* (waits), coo.* (waits) */                                                           \
    F(check_pattern,                                                                               \
      (const tulle__place *place, const tulle__pattern_view *pattern, tulle__stats *host_stats))   \
    /* check.*, for a CSR that is valid and whose columns rise, or a BSR without padding: from the \
     * ends of its rows. */                                                                        \
    F(rising_stats,                                                                                \
      (const tulle__place *place, const tulle__pattern_view *csr, tulle__stats *host_stats))       \
    /* check.*, where the largest distance from the diagonal is known: from offsets alone. */      \
    F(banded_stats, (const tulle__place *place, const tulle__pattern_view *csr, int64_t bandwidth, \
                     tulle__stats *host_stats))                                                    \
    F(coo_to_csr, (const tulle__place *place, const tulle__coo_to_csr *job))                       \
    /* marks.*: of the offset type, see matrix/marks.h */                                          \
    F(mark_rows, (const tulle__place *place, const tulle__pattern_view *csr, void *marks))         \
    F(tile_csr, (const tulle__place *place, const tulle__pattern_view *csr, tulle_type type,       \
                 const void *values, int64_t copies, tulle_index index, void *offsets,             \
                 void *cols_of, void *out_values))                                                 \
    /* turn.cu, turn_cpu.c: entries of a row stay in the order of csr's rows. */                   \
    F(turn_csr, (const tulle__place *place, const tulle__turning *job))                            \
    /* mirror.*: fills in the values, or perm, of the transpose of a square pattern whose columns  \
     * rise, if the pattern is its own transpose; else they are left undefined (waits). */         \
    F(mirror_csr, (const tulle__place *place, const tulle__turning *job, bool *host_mirrored))     \
    /* turn_blocks.*: moves the numbers, or the mask, of blocks to their transposed places. */     \
    F(turn_blocks, (const tulle__place *place, const tulle__block_turning *job))                   \
    /* facts_cpu.c, facts.cu: counts what tulle_mat_facts tells (waits). */                        \
    F(count_facts,                                                                                 \
      (const tulle__place *place, const tulle__fact_job *job, tulle__fact_counts *host_counts))

typedef struct tulle__matrix_functions {
    TULLE__MATRIX_FUNCTIONS(TULLE__MEMBER)
} tulle__matrix_functions;

TULLE__MATRIX_FUNCTIONS(TULLE__DECLARE)

TULLE_END
#endif
