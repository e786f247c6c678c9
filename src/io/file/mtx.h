/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market files: the head, chunks of entries, and the way from those to a CSR matrix.
 * Format: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats: initial
 * design, NISTIR 5935, 1996. */
#ifndef TULLE_IO_FILE_MTX_H
#define TULLE_IO_FILE_MTX_H

#include "io/file/blocks.h"
#include "io/file/slabs.h"
#include "tulle/io.h"

enum {
    TULLE__SKIP_LIMIT = 1 << 26 /* bytes of comments and blank lines in a file */
};

typedef enum tulle__field { TULLE__REAL, TULLE__INTEGER, TULLE__PATTERN } tulle__field;
typedef enum tulle__symmetry { TULLE__GENERAL, TULLE__SYMMETRIC, TULLE__SKEW } tulle__symmetry;

/* What stands above the entries. */
typedef struct tulle__mtx_head {
    int64_t rows, cols;
    int64_t stored; /* entries that the file promises */
    bool array;     /* all values, column by column, without indices */
    tulle__field field;
    bool is_unsigned; /* integers, none of them below 0 */
    tulle__symmetry symmetry;
    tulle_type type; /* that the values are wanted in */
    bool wide;       /* indices need 64 bits */
    int64_t lines;   /* of the head */
    int64_t skipped; /* bytes of comments and blank lines in it */
    bool has_banner, done;
} tulle__mtx_head;

/* How many numbers of a text something holds of, and the entry that has the first of them. */
typedef struct tulle__counted {
    int64_t count, first;
} tulle__counted;

/* Entries of one block of text, in its order. */
typedef struct tulle__chunk {
    tulle_ctx *ctx;          /* whose memory it has */
    void *rows_of, *cols_of; /* base 0; array files: NULL */
    void *values;            /* patterns: NULL */
    int32_t *line_of;        /* the line of each entry in the block, base 0; NULL: its number */
    int64_t room, count;     /* entries */
    int64_t mirrored;        /* entries off the diagonal of a symmetric matrix */
    int64_t expanded;        /* entries that it becomes; then how many come before those */
    int64_t first;           /* how many entries stand in earlier blocks */
    int64_t first_line;      /* of the block in the file, base 0 */
    int64_t lines;           /* of the block, or up to the trouble */
    int64_t skipped;         /* bytes of comments and blank lines */
    tulle__counted vanished; /* numbers that became 0 and were written as others */
    tulle__counted rounded;  /* integers that are no numbers of the type */
    tulle__trouble trouble;  /* its line counts from the block's first line, base 1 */
} tulle__chunk;

/* Entries as the conversion to CSR takes them, in memory of the context. */
typedef struct tulle__entries {
    int64_t count;
    void *rows_of, *cols_of, *values;
} tulle__entries;

/* mtx_head.c: reads head lines from a text that ends with a newline; returns where it stopped: at
 * its end, or (done) behind the size line. NULL: trouble, with its line in the file. */
const char *tulle__mtx_read_head(tulle__mtx_head *head, const char *text, const char *end,
                                 tulle__trouble *trouble);

/* How many values an array of this shape has; false when that is past 64 bits. */
bool tulle__mtx_array_size(const tulle__mtx_head *head, int64_t *count);

/* mtx_chunk.c: reads entries from whole lines into a chunk with room for them. */
void tulle__mtx_read_chunk(const tulle__mtx_head *head, const char *text, const char *end,
                           tulle__chunk *chunk);

/* Bytes that a chunk of so many entries at most needs, and the places of its arrays therein. */
tulle_status tulle__chunk_bytes(const tulle__mtx_head *head, int64_t room, size_t *bytes);
void tulle__chunk_place(const tulle__mtx_head *head, int64_t room, void *memory,
                        tulle__chunk *chunk);

/* mtx_read.c: reads a whole source. The chunks come in the file's
 * order and hold exactly the promised number of entries. */
typedef struct tulle__chunks {
    tulle__chunk **chunk;
    int64_t count, room;
    int64_t text_bytes;
    int64_t vanished, vanished_line; /* of all; the line in the file of the first, or 0 */
    int64_t rounded, rounded_line;
    tulle__slab *slabs; /* where the chunks' arrays lie */
} tulle__chunks;

/* Adds a chunk without room; NULL: trouble. */
tulle__chunk *tulle__chunk_add(tulle_ctx *cpu, tulle__chunks *chunks, tulle__trouble *trouble);

tulle_status tulle__mtx_read(tulle_ctx *cpu, tulle__source *source, tulle__mtx_head *head,
                             tulle__chunks *chunks);
void tulle__chunks_free(tulle_ctx *cpu, tulle__chunks *chunks);

/* mtx_expand.c: all entries, with the symmetry expanded and an array's zeros left out; uses up the
 * chunks. */
tulle_status tulle__mtx_expand(tulle_ctx *cpu, const tulle__mtx_head *head, tulle__chunks *chunks,
                               tulle__entries *entries);
/* Allocates the arrays of entries whose count is set. On failure they must still be freed. */
tulle_status tulle__entries_alloc(tulle_ctx *cpu, const tulle__mtx_head *head,
                                  tulle__entries *entries);
void tulle__entries_free(tulle_ctx *cpu, tulle__entries *entries);

/* mtx_build.c: the CSR matrix of the entries, duplicates summed; uses them up. */
tulle_status tulle__mtx_build(tulle_ctx *cpu, const char *name, const tulle__mtx_head *head,
                              tulle__entries *entries, tulle_mat **A);

#endif
