/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a sparse matrix as a file stores them, and their conversion to entries. A line is a
 * row; a column where the file compresses columns; or a row of blocks. */
#ifndef TULLE_IO_FILE_STORED_H
#define TULLE_IO_FILE_STORED_H

#include "io/file/mtx.h"
#include "io/file/raw.h"

typedef struct tulle__stored {
    int64_t rows, cols;
    int64_t block_rows, block_cols; /* shape of a block; 1 x 1 in files without blocks */
    bool by_columns;                /* true when the lines are columns */
    bool first_fastest;             /* true when values[k, a, b] are in Fortran's order */
    /* index of each line's first entry, and the number of entries; NULL bytes for coordinates */
    tulle__raw offsets;
    tulle__raw lines;   /* index of each entry's line, for coordinates only */
    tulle__raw indices; /* index of each entry or block within its line */
    tulle__raw values;  /* values of the entries, or of the blocks one after the other */
} tulle__stored;

void tulle__stored_free(tulle_ctx *cpu, tulle__stored *stored);

/* Checks the arrays, and makes entries of them in host memory, in the type that *head names. Sets
 * the other fields of *head, and in *info the counts of numbers that vanished or were rounded. The
 * caller has checked that each line has an offset, and that there are as many values as the indices
 * call for. */
tulle_status tulle__stored_expand(tulle_ctx *cpu, const char *name, const tulle__stored *stored,
                                  tulle__mtx_head *head, tulle__entries *entries,
                                  tulle_file_info *info);

#endif
