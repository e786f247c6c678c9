/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/lines.h"

#include <string.h>

tulle_status tulle__lines_open(tulle_ctx *cpu, tulle__source *source, tulle__lines *lines) {
    *lines = (tulle__lines){.cpu = cpu};
    lines->blocks.source = source;
    lines->blocks.room = tulle__block_room(source, cpu->place.threads);
    void *text;
    TULLE__TRY(tulle__alloc(cpu, tulle__block_bytes(&lines->blocks), &text));
    lines->block.text = text;
    lines->blocks.carry = tulle__host_alloc(cpu, TULLE__LINE_LIMIT);
    return lines->blocks.carry ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

void tulle__lines_close(tulle__lines *lines) {
    tulle__host_free(lines->cpu, lines->blocks.carry);
    tulle__free(lines->cpu, lines->block.text);
    *lines = (tulle__lines){0};
}

static bool next_block(tulle__lines *lines, tulle__trouble *trouble) {
    const tulle__source *source = lines->blocks.source;
    if (!tulle__block_claim(&lines->blocks, &lines->block, trouble)) return false;
    if (lines->block.bytes == 0) return false;
    lines->bytes += lines->block.bytes;
    if (!tulle__block_fill(&lines->blocks, &lines->block, trouble)) return false;
    lines->next = lines->block.text;
    const int64_t done = source->seekable ? lines->blocks.at : tulle__source_consumed(source);
    if (tulle__progress(lines->cpu, "reading", done, source->file_bytes) == TULLE_OK) return true;
    return tulle__note(trouble, TULLE_CANCELLED, 0, "reading was cancelled");
}

bool tulle__lines_next(tulle__lines *lines, tulle__trouble *trouble) {
    const char *end = lines->block.text + lines->block.bytes;
    if (!lines->next || lines->next == end) {
        if (!next_block(lines, trouble)) return false;
        end = lines->block.text + lines->block.bytes;
    }
    lines->number++;
    lines->text = lines->next;
    lines->end = memchr(lines->text, '\n', (size_t)(end - lines->text));
    lines->next = lines->end + 1;
    return lines->end - lines->text < TULLE__LINE_LIMIT ||
           tulle__note(trouble, TULLE_PARSE_ERROR, lines->number,
                       "the line is longer than %d bytes", TULLE__LINE_LIMIT);
}
