/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/stdin.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

/* Returns the same bytes in twice the room. */
static char *grow(char *bytes, size_t used, size_t room) {
    char *larger = tool_alloc(room, 1);
    memcpy(larger, bytes, used);
    free(bytes);
    return larger;
}

/* Reading stops after so many blank bytes in a row, since blank lines without end are no file; the
 * parser of the bytes then complains. */
enum { MOST_BLANK = 1 << 26 };

/* Returns the number of blank bytes at the end. */
static size_t blank_end(const char *bytes, size_t count) {
    size_t rest = count;
    while (rest > 0 && (bytes[rest - 1] == '\n' || bytes[rest - 1] == ' ')) rest--;
    return count - rest;
}

void *tool_read_stdin(int64_t *size) {
    size_t room = 1 << 16, used = 0, blank = 0;
    char *bytes = tool_alloc(room, 1);
    size_t got;
    while (blank <= MOST_BLANK && (got = fread(bytes + used, 1, room - used, stdin)) > 0) {
        const size_t end = blank_end(bytes + used, got);
        blank = end == got ? blank + got : end;
        used += got;
        if (used < room) continue;
        room *= 2;
        bytes = grow(bytes, used, room);
    }
    if (ferror(stdin)) {
        tool_record(TULLE_IO_ERROR, "standard input: %s", strerror(errno));
        free(bytes);
        return NULL;
    }
    *size = (int64_t)used;
    return bytes;
}
