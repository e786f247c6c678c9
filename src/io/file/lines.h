/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a source, one after the other, for readers with one thread. */
#ifndef TULLE_IO_FILE_LINES_H
#define TULLE_IO_FILE_LINES_H

#include "io/file/blocks.h"

typedef struct tulle__lines {
    tulle_ctx *cpu; /* context from whose memory the block is taken */
    tulle__blocks blocks;
    tulle__block block;
    const char *next;       /* first character behind the current line */
    const char *text, *end; /* start and end of the current line, without its newline */
    int64_t number;         /* number of the current line in the file, from 1 on */
    int64_t bytes;          /* bytes of all blocks that have been read so far */
} tulle__lines;

/* Begins with the lines of a source. The lines must be closed, also after a failure. */
tulle_status tulle__lines_open(tulle_ctx *cpu, tulle__source *source, tulle__lines *lines);
void tulle__lines_close(tulle__lines *lines);

/* Goes to the next line. Returns false after a failure, which is noted, and at the end of the
 * source, where nothing is noted. */
bool tulle__lines_next(tulle__lines *lines, tulle__trouble *trouble);

#endif
