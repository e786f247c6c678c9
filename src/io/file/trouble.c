/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/trouble.h"

#include <stdarg.h>
#include <stdio.h>

bool tulle__note(tulle__trouble *trouble, tulle_status status, int64_t line, const char *format,
                 ...) {
    if (trouble->status != TULLE_OK) return false;
    trouble->status = status;
    trouble->line = line;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(trouble->message, sizeof trouble->message, format, arguments);
    va_end(arguments);
    return false;
}

const char *tulle__word(const char *text, char word[TULLE__WORD_ROOM]) {
    enum { SHOWN = 24 };
    int length = 0;
    for (; length < SHOWN; length++) {
        const char c = text[length];
        if (c == ' ' || c == '\t' || c == '\r' || c == '\n') break;
        word[length] = c > ' ' && c < 127 ? c : '?';
    }
    if (length == SHOWN) {
        for (int i = 0; i < 3; i++) word[length++] = '.';
    }
    word[length] = 0;
    return word;
}
