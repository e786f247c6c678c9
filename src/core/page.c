/* SPDX-License-Identifier: Apache-2.0 */
#include "core/page.h"

#include <stdarg.h>

#include "core/context.h"
#include "core/print.h"

tulle_status tulle__page_begin(const char *function, char *text, size_t room, tulle__page *page) {
    *page = (tulle__page){.to = text, .room = room};
    if (room == 0) return TULLE_OK;
    if (!text) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "text", -1, "text is NULL");
    }
    text[0] = '\0';
    return TULLE_OK;
}

void tulle__page_say(tulle__page *page, const char *format, ...) {
    const size_t left = page->length < page->room ? page->room - page->length : 0;
    va_list arguments;
    va_start(arguments, format);
    const int more =
        tulle__print_v(left > 0 ? page->to + page->length : NULL, left, format, arguments);
    va_end(arguments);
    page->length += more > 0 ? (size_t)more : 0;
}
