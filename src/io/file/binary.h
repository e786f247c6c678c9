/* SPDX-License-Identifier: Apache-2.0 */
/* tulle's binary form: a header and the arrays of a CSR or DCSR matrix, little-endian, each from a
 * multiple of 64 bytes on, each with a checksum, so that loading is reading. */
#ifndef TULLE_IO_FILE_BINARY_H
#define TULLE_IO_FILE_BINARY_H

#include <string.h>

#include "io/file/source.h"
#include "tulle/io.h"

/* A byte that no text has, so that nobody takes the file for one, and a line's end of each kind, so
 * that a copy which changes them is noticed. */
#define TULLE__BINARY_MAGIC "\x89TULLE\r\n"

enum {
    TULLE__BINARY_CSR = 2, /* versions; 1 was a CSR with other checksums */
    TULLE__BINARY_DCSR = 3,
    TULLE__BINARY_ALIGNMENT = 64,
    TULLE__SECTIONS = 4 /* offsets, columns, values; DCSR: order */
};

/* The first 128 bytes of a file. */
typedef struct tulle__binary_header {
    char magic[8];
    uint32_t version;
    uint32_t index;   /* tulle_index */
    uint32_t type;    /* tulle__type_index */
    uint32_t pattern; /* 1: the values are left out, all are 1 */
    int64_t rows, cols, nnz;
    uint64_t checksum[TULLE__SECTIONS]; /* 0 of one that is not there */
    int64_t heads;                      /* DCSR: rows that have entries; CSR: 0 */
    uint64_t reserved[4];               /* 0 */
    uint64_t header_checksum;           /* of everything before it */
} tulle__binary_header;

_Static_assert(sizeof(tulle__binary_header) == 128, "the header is 128 bytes on every machine");
_Static_assert(__BYTE_ORDER__ == __ORDER_LITTLE_ENDIAN__, "arrays are stored as they lie");

/* Bytes and places of the arrays; false when a size is past what 64 bits can count. */
typedef struct tulle__binary_layout {
    int64_t at[TULLE__SECTIONS], bytes[TULLE__SECTIONS];
    int64_t end;
} tulle__binary_layout;

bool tulle__binary_layout_of(const tulle__binary_header *header, tulle__binary_layout *layout);

/* Sections that a file of the version has. */
static inline int tulle__binary_sections(const tulle__binary_header *header) {
    return header->version == TULLE__BINARY_DCSR ? TULLE__SECTIONS : TULLE__SECTIONS - 1;
}

/* checksum.c: of any bytes; and of an array, the checksum of the checksums of its pieces, which
 * can be computed in any order. */
enum { TULLE__CHECKSUM_PIECE = 1 << 20 };
uint64_t tulle__checksum(const void *bytes, size_t size);
static inline int64_t tulle__checksum_pieces(int64_t bytes) {
    return (bytes + TULLE__CHECKSUM_PIECE - 1) / TULLE__CHECKSUM_PIECE;
}

/* The checksums of all pieces of an array; the array's own is the one of these. */
void tulle__checksum_array(const void *array, int64_t bytes, int threads, uint64_t *sums);

static inline bool tulle__is_binary(const tulle__source *source) {
    const int64_t length = (int64_t)sizeof TULLE__BINARY_MAGIC - 1;
    return source->head_size >= length &&
           !memcmp(source->head, TULLE__BINARY_MAGIC, (size_t)length);
}

/* Reads the matrix of a binary source, with the type that it has there. */
tulle_status tulle__binary_load(tulle_ctx *cpu, tulle__source *source, tulle_mat **A,
                                tulle_file_info *info);

#endif
