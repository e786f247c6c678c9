/* SPDX-License-Identifier: Apache-2.0 */
/* The arrays of a sparse matrix as a file stores them, and the way from those to entries. A line is
 * a row, a column where the file compresses columns, or a row of blocks. */
#ifndef TULLE_IO_FILE_STORED_H
#define TULLE_IO_FILE_STORED_H

#include "io/file/mtx.h"
#include "io/file/raw.h"

typedef struct tulle__stored {
    int64_t rows, cols;
    int64_t block_rows, block_cols; /* shape of a block; 1 x 1 where there are none */
    bool by_columns;                /* true when the lines are columns */
    bool first_fastest;             /* true when values[k, a, b] lie in Fortran's order */
    tulle__raw offsets; /* each line's first index, and the end; no bytes of coordinates */
    tulle__raw lines;   /* index of each entry's line, where entries are coordinates */
    tulle__raw indices; /* index of each entry or block in its line */
    tulle__raw values;  /* numbers of the entries, or of the blocks one after the other */
} tulle__stored;

void tulle__stored_free(tulle_ctx *cpu, tulle__stored *stored);

/* Checks the arrays and makes entries of them, in host memory, in the type that *head names; fills
 * in the rest of *head, and in *info the numbers that vanished or were rounded. Each line has an
 * offset, and there are as many values as indices call for. */
tulle_status tulle__stored_expand(tulle_ctx *cpu, const char *name, const tulle__stored *stored,
                                  tulle__mtx_head *head, tulle__entries *entries,
                                  tulle_file_info *info);

#endif
