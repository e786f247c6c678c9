/* SPDX-License-Identifier: Apache-2.0 */
/* A note of a failure with a file. Any thread may write the note; the caller's thread makes the
 * error record of it, because each thread has a record of its own. */
#ifndef TULLE_IO_FILE_TROUBLE_H
#define TULLE_IO_FILE_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

typedef struct tulle__trouble {
    tulle_status status;
    int64_t line; /* line of the file; 0: no line */
    char message[240];
} tulle__trouble;

/* Notes a failure unless an earlier one is noted; returns false always. */
bool tulle__note(tulle__trouble *trouble, tulle_status status, int64_t line, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* Copies the word at text for messages: at most 24 characters, and '?' for characters other than
 * ASCII. */
enum { TULLE__WORD_ROOM = 28 };
const char *tulle__word(const char *text, char word[TULLE__WORD_ROOM]);

/* Makes the error record of a failure with the file of that name. */
static inline tulle_status tulle__fail_trouble(const char *name, const tulle__trouble *trouble) {
    return tulle__fail_file(trouble->status, name, trouble->line, "%s", trouble->message);
}

#endif
