/* SPDX-License-Identifier: Apache-2.0 */
/* A text of many lines, written into a caller's room as far as that goes. */
#ifndef TULLE_CORE_PAGE_H
#define TULLE_CORE_PAGE_H

#include <stddef.h>

#include "tulle/status.h"

typedef struct tulle__page {
    char *to;
    size_t room;
    size_t length; /* bytes of the text so far, also of those beyond the room */
} tulle__page;

/* Begins an empty text. Errors: TULLE_INVALID_ARGUMENT (text is NULL, and there is room). */
tulle_status tulle__page_begin(const char *function, char *text, size_t room, tulle__page *page);

/* Adds to the text, with a point in numbers whatever the locale is. */
void tulle__page_say(tulle__page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));

#endif
