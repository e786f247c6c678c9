/* SPDX-License-Identifier: Apache-2.0 */
/* What went wrong with a file, noted by any thread; the caller's thread makes the record of it,
 * because records belong to threads. */
#ifndef TULLE_IO_FILE_TROUBLE_H
#define TULLE_IO_FILE_TROUBLE_H

#include <stdbool.h>
#include <stdint.h>

#include "core/error.h"

typedef struct tulle__trouble {
    tulle_status status;
    int64_t line; /* 0: none */
    char message[240];
} tulle__trouble;

/* Notes the first trouble, later ones are dropped; always returns false. */
bool tulle__note(tulle__trouble *trouble, tulle_status status, int64_t line, const char *format,
                 ...) __attribute__((format(printf, 4, 5)));

/* The word at text, for messages: cut after 24 characters, others than ASCII as '?'. */
enum { TULLE__WORD_ROOM = 28 };
const char *tulle__word(const char *text, char word[TULLE__WORD_ROOM]);

/* Makes the record of a trouble with the file of that name. */
static inline tulle_status tulle__fail_trouble(const char *name, const tulle__trouble *trouble) {
    return tulle__fail_file(trouble->status, name, trouble->line, "%s", trouble->message);
}

#endif
