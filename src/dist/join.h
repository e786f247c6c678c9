/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of a distributed matrix as one: a row's entries in both matrices, in the order of the whole
 * matrix's columns. The same lines on every device. */
#ifndef TULLE_DIST_JOIN_H
#define TULLE_DIST_JOIN_H

#include "core/access.h"
#include "core/search.h"
#include "format/view.h"

TULLE_BEGIN

/* Entries of the edge in columns that come before the block's, then those of the block, then the
 * other ones of the edge. Arrays are in the place's memory. */
typedef struct tulle__join_job {
    tulle__pattern_view block, edge; /* in CSR; edge.rows 0: there is no edge */
    const void *block_values, *edge_values;
    tulle_type type;
    const int64_t *edge_row; /* [edge.rows] rows that the edge has, ascending */
    int64_t lower;           /* number of the edge's columns that come before the block's */
    int64_t shift;           /* number that is added to a column of the block */
    const int64_t *names;    /* [edge.cols] new numbers of the edge's columns */
    const int64_t *rows;     /* rows that are joined; NULL: all, in their order */
    int64_t count;           /* number of these */
    int64_t before;          /* number of entries before the first row, where all are joined */
    int64_t elsewhere;       /* number of entries before these, which the arrays do not have but
                                offsets count */
    int64_t offset_size, index_size; /* bytes of the numbers in the result */
    void *offsets;                   /* [count + 1] read where rows are listed, else written */
    void *cols_of;                   /* NULL: only values are wanted */
    void *values;
} tulle__join_job;

/* A row's entries in both matrices. */
typedef struct tulle__joined {
    int64_t block, block_end, edge, edge_end;
} tulle__joined;

TULLE_INLINE tulle__joined tulle__joined_row(const tulle__join_job *j, int64_t row) {
    const int64_t block = tulle_offset_size(j->block.index);
    const int64_t edge = tulle_offset_size(j->edge.index);
    tulle__joined r = {tulle__get(j->block.offsets, block, row),
                       tulle__get(j->block.offsets, block, row + 1), 0, 0};
    int64_t e = 0;
    if (j->edge.rows == 0) return r;
    if (row > j->edge_row[j->edge.rows - 1]) { /* as most rows are, or before all of the edge's */
        e = j->edge.rows;
    } else if (row > j->edge_row[0]) {
        TULLE__LOWER_BOUND(e, j->edge.rows, k, j->edge_row[k] < row);
    }
    r.edge = r.edge_end = tulle__get(j->edge.offsets, edge, e);
    if (e < j->edge.rows && j->edge_row[e] == row) {
        r.edge_end = tulle__get(j->edge.offsets, edge, e + 1);
    }
    return r;
}

/* Returns the number of entries of row number k of those that are joined. */
TULLE_INLINE int64_t tulle__joined_length(const tulle__join_job *j, int64_t k) {
    const tulle__joined r = tulle__joined_row(j, j->rows ? j->rows[k] : k);
    return r.block_end - r.block + r.edge_end - r.edge;
}

TULLE_INLINE void tulle__put_joined(const tulle__join_job *j, int64_t at, int64_t column,
                                    const void *values, int64_t k) {
    if (j->cols_of) tulle__put(j->cols_of, j->index_size, at, column);
    tulle__move_value(j->type, j->values, at, values, k);
}

/* Returns the end of the edge's entries of a row that come before the block's. */
TULLE_INLINE int64_t tulle__joined_middle(const tulle__join_job *j, const tulle__joined *r) {
    const int64_t edge = tulle_index_size(j->edge.index);
    int64_t e = r->edge;
    while (e < r->edge_end && tulle__get(j->edge.cols_of, edge, e) < j->lower) e++;
    return e;
}

/* Writes the share of one of so many lanes of row number k of those that are joined; where all are,
 * its offset, and the end of the last one. */
TULLE_INLINE void tulle__join_row(const tulle__join_job *j, int64_t k, int64_t lane,
                                  int64_t lanes) {
    const tulle__joined r = tulle__joined_row(j, j->rows ? j->rows[k] : k);
    const int64_t block = tulle_index_size(j->block.index);
    const int64_t edge = tulle_index_size(j->edge.index);
    const int64_t middle = tulle__joined_middle(j, &r);
    const int64_t at =
        j->rows ? tulle__get(j->offsets, j->offset_size, k) : j->before + r.block + r.edge;
    const int64_t of_block = at + middle - r.edge - r.block, length = r.block_end - r.block;
    if (!j->rows && lane == 0) tulle__put(j->offsets, j->offset_size, k, at + j->elsewhere);
    for (int64_t b = r.block + lane; b < r.block_end; b += lanes) {
        const int64_t column = tulle__get(j->block.cols_of, block, b);
        tulle__put_joined(j, of_block + b, column + j->shift, j->block_values, b);
    }
    for (int64_t e = r.edge + lane; e < r.edge_end; e += lanes) {
        const int64_t column = tulle__get(j->edge.cols_of, edge, e);
        const int64_t to = at + e - r.edge + (e < middle ? 0 : length);
        tulle__put_joined(j, to, j->names[column], j->edge_values, e);
    }
    if (!j->rows && lane == 0 && k + 1 == j->count) {
        const int64_t end = at + length + r.edge_end - r.edge;
        tulle__put(j->offsets, j->offset_size, k + 1, end + j->elsewhere);
    }
}

TULLE_END
#endif
