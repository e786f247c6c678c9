/* SPDX-License-Identifier: Apache-2.0 */
/* The text of a source in blocks that end with a newline, for several threads. One thread at a time
 * claims a block, which is quick for a seekable source; any number of threads fill their blocks at
 * the same time. */
#ifndef TULLE_IO_FILE_BLOCKS_H
#define TULLE_IO_FILE_BLOCKS_H

#include "io/file/source.h"

enum {
    TULLE__LINE_LIMIT = 1 << 16, /* longest line, in bytes */
    TULLE__BLOCK_MAX = 1 << 22,
    TULLE__BLOCK_MIN = 1 << 18
};

typedef struct tulle__blocks {
    tulle__source *source;
    int64_t room; /* largest size of a block in bytes */
    int64_t at;   /* byte of the source at which the next block starts */
    char *carry;  /* streams: the text behind the last newline of the previous block */
    int64_t carry_bytes;
} tulle__blocks;

typedef struct tulle__block {
    char *text;    /* room for tulle__block_bytes bytes, which the user of the block gives */
    int64_t bytes; /* bytes of the text; 0 at the end of the source */
    int64_t at;    /* byte of the source at which the block starts */
    bool filled;
} tulle__block;

static inline bool tulle__is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *tulle__skip_blanks(const char *text) {
    while (tulle__is_blank(*text)) text++;
    return text;
}

/* Returns the size of blocks, in bytes, for so many threads. */
int64_t tulle__block_room(const tulle__source *source, int threads);

/* Returns the bytes that the text of a block needs: the block's size and one newline. */
static inline size_t tulle__block_bytes(const tulle__blocks *blocks) {
    return (size_t)blocks->room + 1;
}

/* Gives the caller the next block of the source; blocks are given in the source's order. Returns
 * false after a failure, which is noted. */
bool tulle__block_claim(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble);

/* Reads the text of a claimed block if it has not been read yet, and ends it with a newline. */
bool tulle__block_fill(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble);

#endif
