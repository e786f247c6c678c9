/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/blocks.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"

static const char *const names[] = {"column", "row"}; /* names by tulle_layout */

const char *trial_layout_name(tulle_layout layout) {
    return names[layout];
}

const char *trial_block_text(const trial_block *block, char text[TRIAL_BLOCK_TEXT]) {
    text[0] = '\0';
    if (trial_is_block(block)) {
        snprintf(text, TRIAL_BLOCK_TEXT, "%" PRId64 " by %s", block->vectors, names[block->layout]);
    }
    return text;
}

static int parse_layouts(const char *text, bool wanted[2]) {
    for (const char *word = text;;) {
        size_t length = strcspn(word, ",");
        bool known = false;
        for (int i = 0; i < 2; i++) {
            if (strlen(names[i]) != length || strncmp(names[i], word, length) != 0) continue;
            wanted[i] = known = true;
        }
        if (!known) {
            return tool_misuse("bench", "--layout: '%s' is not row, column or both with a comma",
                               text);
        }
        if (word[length] == '\0') return TOOL_OK;
        word += length + 1;
    }
}

static int add(int64_t vectors, const bool wanted[2], trial_blocks *blocks) {
    for (int layout = 0; layout < 2; layout++) {
        trial_block block = {.vectors = vectors, .layout = (tulle_layout)layout};
        if (!trial_is_block(&block)) block = trial_one_vector;
        if (trial_is_block(&block) && !wanted[layout]) continue;
        if (!trial_is_block(&block) && layout > 0) continue;
        if (blocks->count == TRIAL_MOST_BLOCKS) {
            return tool_misuse("bench", "--vectors: more than %d blocks", TRIAL_MOST_BLOCKS);
        }
        blocks->item[blocks->count++] = block;
    }
    return TOOL_OK;
}

int trial_blocks_parse(const char *vectors, const char *layouts, trial_blocks *blocks) {
    bool wanted[2] = {false, false};
    *blocks = (trial_blocks){0};
    int code = parse_layouts(layouts, wanted);
    for (const char *word = vectors; code == TOOL_OK;) {
        const char *end = word + strcspn(word, ",");
        int64_t number = 0;
        if (!tool_parse_int_of(word, (size_t)(end - word), 1, INT32_MAX, &number)) {
            return tool_misuse("bench", "--vectors: '%s' is not positive numbers with commas",
                               vectors);
        }
        code = add(number, wanted, blocks);
        if (*end == '\0') return code;
        word = end + 1;
    }
    return code;
}
