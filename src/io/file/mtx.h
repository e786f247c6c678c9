/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix Market files: the head, chunks of entries, and the steps from chunks to a CSR matrix.
 * Format: R. F. Boisvert, R. Pozo, K. A. Remington, The Matrix Market exchange formats: initial
 * design, NISTIR 5935, 1996. */
#ifndef TULLE_IO_FILE_MTX_H
#define TULLE_IO_FILE_MTX_H

#include "io/file/blocks.h"
#include "io/file/slabs.h"
#include "tulle/io.h"

enum {
    TULLE__SKIP_LIMIT = 1 << 26 /* most bytes of comments and blank lines in a file */
};

typedef enum tulle__field { TULLE__REAL, TULLE__INTEGER, TULLE__PATTERN } tulle__field;
typedef enum tulle__symmetry { TULLE__GENERAL, TULLE__SYMMETRIC, TULLE__SKEW } tulle__symmetry;

/* The head of a file: the lines above the entries, and the type of values that the caller wants. */
typedef struct tulle__mtx_head {
    int64_t rows, cols;
    int64_t stored; /* number of entries that the file promises */
    bool array;     /* true when the file lists all values, column by column, without indices */
    tulle__field field;
    bool is_unsigned; /* true when the field is "unsigned-integer": no value is below 0 */
    tulle__symmetry symmetry;
    tulle_type type; /* type of values that the caller wants */
    bool wide;       /* true when indices need 64 bits */
    int64_t lines;   /* number of lines of the head */
    int64_t skipped; /* bytes of comments and blank lines in the head */
    bool has_banner, done;
} tulle__mtx_head;

/* A count of the numbers in a text that have some property, and the entry that has the first of
 * them. */
typedef struct tulle__counted {
    int64_t count, first;
} tulle__counted;

/* The entries of one block of text, in the order of the text. */
typedef struct tulle__chunk {
    tulle_ctx *ctx;          /* context from whose memory the chunk is taken */
    void *rows_of, *cols_of; /* row and column of each entry, from 0 on; NULL for array files */
    void *values;            /* value of each entry; NULL for patterns */
    /* line of each entry in the block, from 0 on; NULL: entry i is in line i */
    int32_t *line_of;
    int64_t room, count; /* number of entries that fit, and that are there */
    int64_t mirrored;    /* number of entries off the diagonal of a symmetric matrix */
    /* number of entries that the chunk expands to; later the number of expanded entries of all
     * earlier chunks */
    int64_t expanded;
    int64_t first;           /* number of entries in earlier blocks */
    int64_t first_line;      /* line of the file in which the block begins, from 0 on */
    int64_t lines;           /* number of lines of the block, or up to the trouble */
    int64_t skipped;         /* bytes of comments and blank lines */
    tulle__counted vanished; /* numbers that are not 0 in the text and became 0 */
    tulle__counted rounded;  /* integers that are no numbers of the type, and were rounded */
    /* first trouble of the block; its line counts from 1 at the block's first line */
    tulle__trouble trouble;
} tulle__chunk;

/* Entries as the conversion to CSR takes them: rows, columns and values, in memory of the
 * context. */
typedef struct tulle__entries {
    int64_t count;
    void *rows_of, *cols_of, *values;
} tulle__entries;

/* mtx_head.c: reads lines of the head from a text that ends with a newline. Returns the place
 * behind the lines that were read: the end of the text, or the end of the size line, and head->done
 * is true then. Returns NULL after a failure, which is noted with its line in the file. */
const char *tulle__mtx_read_head(tulle__mtx_head *head, const char *text, const char *end,
                                 tulle__trouble *trouble);

/* Computes the number of values of an array of this shape; returns false when the number does not
 * fit in 64 bits. */
bool tulle__mtx_array_size(const tulle__mtx_head *head, int64_t *count);

/* mtx_chunk.c: reads entries from whole lines into a chunk with room for them. */
void tulle__mtx_read_chunk(const tulle__mtx_head *head, const char *text, const char *end,
                           tulle__chunk *chunk);

/* tulle__chunk_bytes computes the memory that a chunk of at most `room` entries needs, in bytes;
 * tulle__chunk_place divides such memory into the chunk's arrays. */
tulle_status tulle__chunk_bytes(const tulle__mtx_head *head, int64_t room, size_t *bytes);
void tulle__chunk_place(const tulle__mtx_head *head, int64_t room, void *memory,
                        tulle__chunk *chunk);

/* The chunks of a file, in its order. After tulle__mtx_read (mtx_read.c), which reads a whole
 * source, they hold exactly the promised number of entries. */
typedef struct tulle__chunks {
    tulle__chunk **chunk;
    int64_t count, room;
    int64_t text_bytes;
    /* sum over all chunks; line of the file with the first such number, or 0 */
    int64_t vanished, vanished_line;
    int64_t rounded, rounded_line;
    tulle__slab *slabs; /* memory that holds the chunks' arrays */
} tulle__chunks;

/* Adds a chunk without memory for entries. Returns NULL after a failure, which is noted. */
tulle__chunk *tulle__chunk_add(tulle_ctx *cpu, tulle__chunks *chunks, tulle__trouble *trouble);

tulle_status tulle__mtx_read(tulle_ctx *cpu, tulle__source *source, tulle__mtx_head *head,
                             tulle__chunks *chunks);
void tulle__chunks_free(tulle_ctx *cpu, tulle__chunks *chunks);

/* mtx_expand.c: makes the entries of all chunks, adds the mirrored entries of a symmetric matrix,
 * leaves out the zeros of an array, and frees the chunks. */
tulle_status tulle__mtx_expand(tulle_ctx *cpu, const tulle__mtx_head *head, tulle__chunks *chunks,
                               tulle__entries *entries);
/* Allocates the arrays for entries->count entries. The entries must be freed, also after a
 * failure. */
tulle_status tulle__entries_alloc(tulle_ctx *cpu, const tulle__mtx_head *head,
                                  tulle__entries *entries);
void tulle__entries_free(tulle_ctx *cpu, tulle__entries *entries);

/* mtx_build.c: makes the CSR matrix of the entries, adds duplicates up, and frees the entries. */
tulle_status tulle__mtx_build(tulle_ctx *cpu, const char *name, const tulle__mtx_head *head,
                              tulle__entries *entries, tulle_mat **A);

#endif
