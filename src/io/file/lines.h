/* SPDX-License-Identifier: Apache-2.0 */
/* The lines of a source, one after the other, for readers of one thread. */
#ifndef TULLE_IO_FILE_LINES_H
#define TULLE_IO_FILE_LINES_H

#include "io/file/blocks.h"

typedef struct tulle__lines {
    tulle_ctx *cpu; /* context whose memory the block is in */
    tulle__blocks blocks;
    tulle__block block;
    const char *next;       /* first character behind the line */
    const char *text, *end; /* the line, which ends before its newline */
    int64_t number;         /* number of the line in the file, from 1 */
    int64_t bytes;          /* bytes of all blocks so far */
} tulle__lines;

/* On failure, too, the lines must be closed. */
tulle_status tulle__lines_open(tulle_ctx *cpu, tulle__source *source, tulle__lines *lines);
void tulle__lines_close(tulle__lines *lines);

/* Goes to the next line. False: trouble, or no line is left, and nothing was noted. */
bool tulle__lines_next(tulle__lines *lines, tulle__trouble *trouble);

#endif
