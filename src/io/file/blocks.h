/* SPDX-License-Identifier: Apache-2.0 */
/* A source's text in blocks that end with a newline, for several threads: claiming a block is done
 * by one thread at a time and is quick for seekable sources; filling it is done by any number of
 * threads at once. */
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
    int64_t room; /* bytes of a block */
    int64_t at;   /* where the next block starts */
    char *carry;  /* streams: what lay behind the last newline */
    int64_t carry_bytes;
} tulle__blocks;

typedef struct tulle__block {
    char *text;    /* tulle__block_bytes of them; given by the user of blocks */
    int64_t bytes; /* 0: the end of the source */
    int64_t at;    /* where it starts in the source */
    bool filled;
} tulle__block;

static inline bool tulle__is_blank(char c) {
    return c == ' ' || c == '\t' || c == '\r';
}

static inline const char *tulle__skip_blanks(const char *text) {
    while (tulle__is_blank(*text)) text++;
    return text;
}

/* How large blocks are, for so many threads. */
int64_t tulle__block_room(const tulle__source *source, int threads);

/* Bytes that the text of a block needs: the room and one newline. */
static inline size_t tulle__block_bytes(const tulle__blocks *blocks) {
    return (size_t)blocks->room + 1;
}

/* The next block of the source; blocks come in order. */
bool tulle__block_claim(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble);

/* Makes sure that the text is there and ends with a newline. */
bool tulle__block_fill(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble);

#endif
