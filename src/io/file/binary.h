/* SPDX-License-Identifier: Apache-2.0 */
/* tulle's binary form: a header, then the arrays of a CSR, DCSR or BSR matrix as they lie in
 * memory, little-endian. Each array begins at a multiple of 64 bytes and has a checksum. No number
 * needs to be converted on loading. */
#ifndef TULLE_IO_FILE_BINARY_H
#define TULLE_IO_FILE_BINARY_H

#include <string.h>

#include "io/file/source.h"
#include "tulle/io.h"

/* First bytes of a file. The first byte occurs in no text, so that nobody takes the file for text;
 * the line ends of both kinds reveal a copy that converted line ends. */
#define TULLE__BINARY_MAGIC "\x89TULLE\r\n"

enum {
    /* this value and the next two are versions; version 1 was a CSR with other checksums */
    TULLE__BINARY_CSR = 2,
    TULLE__BINARY_DCSR = 3,
    TULLE__BINARY_BSR = 4,
    TULLE__BINARY_ALIGNMENT = 64,
    /* number of arrays: offsets, columns, values; for DCSR also the order of the rows, for BSR with
     * padding the mask */
    TULLE__SECTIONS = 4
};

/* The first 128 bytes of a file. */
typedef struct tulle__binary_header {
    char magic[8];
    uint32_t version;
    uint32_t index;   /* a tulle_index */
    uint32_t type;    /* a tulle__type_index */
    uint32_t pattern; /* 1: the values are not stored, because all of them are 1; else 0 */
    int64_t rows, cols, nnz;
    /* checksum of each array; 0 for an array that the file lacks */
    uint64_t checksum[TULLE__SECTIONS];
    int64_t heads;                   /* DCSR: number of rows that have entries; else 0 */
    int64_t blocks;                  /* BSR: number of blocks; else 0 */
    uint32_t block_rows, block_cols; /* BSR: rows and columns of a block, 1 to 16; else 0 */
    uint64_t reserved[2];            /* zeros */
    uint64_t header_checksum;        /* checksum of all bytes of the header before this field */
} tulle__binary_header;

_Static_assert(sizeof(tulle__binary_header) == 128, "the header is 128 bytes on every machine");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are stored as they lie");

/* Returns the numbers of the layout of a file of blocks. The mask is left out of a file in which
 * every cell of the blocks is an entry; blocks that reach over the edge have cells that are none.
 * The caller has checked that the number of cells fits in 64 bits. */
static inline tulle_storage tulle__binary_storage(const tulle__binary_header *header) {
    const int64_t rows = header->block_rows, cols = header->block_cols;
    const int64_t cells = header->blocks * rows * cols;
    const bool is_whole = header->rows % rows == 0 && header->cols % cols == 0;
    return (tulle_storage){.stored = cells,
                           .block = rows,
                           .block_cols = cols,
                           .full = cells == header->nnz && (cells == 0 || is_whole)};
}

/* Returns the number of values of a file that stores them. */
static inline int64_t tulle__binary_slots(const tulle__binary_header *header) {
    return header->version == TULLE__BINARY_BSR ? tulle__binary_storage(header).stored
                                                : header->nnz;
}

/* Sizes of the arrays and their positions in the file, all in bytes. tulle__binary_layout_of
 * returns false when a size does not fit in 64 bits. */
typedef struct tulle__binary_layout {
    int64_t at[TULLE__SECTIONS], bytes[TULLE__SECTIONS];
    int64_t end;
} tulle__binary_layout;

bool tulle__binary_layout_of(const tulle__binary_header *header, tulle__binary_layout *layout);

/* Returns the number of arrays that a file with this header has. */
static inline int tulle__binary_sections(const tulle__binary_header *header) {
    const bool has_mask =
        header->version == TULLE__BINARY_BSR && !tulle__binary_storage(header).full;
    return header->version == TULLE__BINARY_DCSR || has_mask ? TULLE__SECTIONS
                                                             : TULLE__SECTIONS - 1;
}

/* checksum.c: tulle__checksum returns the checksum of any bytes. The checksum of an array is the
 * checksum of the checksums of its pieces, which can be computed in any order. */
enum { TULLE__CHECKSUM_PIECE = 1 << 20 };
uint64_t tulle__checksum(const void *bytes, size_t size);
static inline int64_t tulle__checksum_pieces(int64_t bytes) {
    return (bytes + TULLE__CHECKSUM_PIECE - 1) / TULLE__CHECKSUM_PIECE;
}

/* Computes the checksums of all pieces of an array; the array's own checksum is the checksum of
 * these. */
void tulle__checksum_array(const void *array, int64_t bytes, int threads, uint64_t *sums);

static inline bool tulle__is_binary(const tulle__source *source) {
    const int64_t length = (int64_t)sizeof TULLE__BINARY_MAGIC - 1;
    return source->head_size >= length &&
           !memcmp(source->head, TULLE__BINARY_MAGIC, (size_t)length);
}

/* Reads the matrix of a binary source, with the value type that the file has. */
tulle_status tulle__binary_load(tulle_ctx *cpu, tulle__source *source, tulle_mat **A,
                                tulle_file_info *info);

#endif
