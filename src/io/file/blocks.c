/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "io/file/blocks.h"

#include <string.h>

int64_t tulle__block_room(const tulle__source *source, int threads) {
    if (!source->seekable) return TULLE__BLOCK_MAX;
    const int64_t share = source->size / (8 * (int64_t)threads);
    return share < TULLE__BLOCK_MIN   ? TULLE__BLOCK_MIN
           : share > TULLE__BLOCK_MAX ? TULLE__BLOCK_MAX
                                      : share;
}

/* Finds the end of the block by looking for the last newline in the block's last bytes. If there is
 * none, the block ends inside a line that is too long, and the reader of the line reports it. */
static bool claim_seekable(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble) {
    tulle__source *source = blocks->source;
    block->at = blocks->at;
    block->filled = false;
    const int64_t left = source->size - blocks->at;
    if (left <= blocks->room) {
        block->bytes = left;
        blocks->at = source->size;
        return true;
    }
    const int64_t window = blocks->at + blocks->room - TULLE__LINE_LIMIT;
    if (tulle__source_read(source, window, block->text, TULLE__LINE_LIMIT, trouble) < 0)
        return false;
    const char *newline = memrchr(block->text, '\n', TULLE__LINE_LIMIT);
    blocks->at = newline ? window + (newline + 1 - block->text) : blocks->at + blocks->room;
    block->bytes = blocks->at - block->at;
    return true;
}

static bool claim_stream(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble) {
    memcpy(block->text, blocks->carry, (size_t)blocks->carry_bytes);
    const int64_t wanted = blocks->room - blocks->carry_bytes;
    const int64_t got =
        tulle__source_read(blocks->source, 0, block->text + blocks->carry_bytes, wanted, trouble);
    if (got < 0) return false;
    block->at = blocks->at;
    block->bytes = blocks->carry_bytes + got;
    block->filled = true;
    blocks->carry_bytes = 0;
    if (got == wanted) {
        const char *newline = memrchr(block->text, '\n', (size_t)block->bytes);
        const int64_t whole = newline ? newline + 1 - block->text : 0;
        if (block->bytes - whole <= TULLE__LINE_LIMIT) {
            blocks->carry_bytes = block->bytes - whole;
            block->bytes = whole;
        }
        memcpy(blocks->carry, block->text + whole, (size_t)blocks->carry_bytes);
    }
    blocks->at += block->bytes;
    return true;
}

bool tulle__block_claim(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble) {
    return blocks->source->seekable ? claim_seekable(blocks, block, trouble)
                                    : claim_stream(blocks, block, trouble);
}

bool tulle__block_fill(tulle__blocks *blocks, tulle__block *block, tulle__trouble *trouble) {
    if (block->bytes == 0) return true;
    if (!block->filled) {
        const int64_t got =
            tulle__source_read(blocks->source, block->at, block->text, block->bytes, trouble);
        if (got < 0) return false;
    }
    /* only the last line of a source can lack its newline */
    if (block->text[block->bytes - 1] != '\n') block->text[block->bytes++] = '\n';
    block->filled = true;
    return true;
}
