/* SPDX-License-Identifier: Apache-2.0 */
#include "io/file/page.h"

#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "io/file/decimal.h"

bool tulle__page_open(tulle__page *page, tulle__sink *sink, tulle__trouble *trouble) {
    *page = (tulle__page){.sink = sink, .trouble = trouble};
    page->text = tulle__host_alloc(sink->cpu, TULLE__PAGE + TULLE__PAGE_LINE);
    return page->text ||
           tulle__note(trouble, TULLE_OUT_OF_MEMORY, 0, "%s", tulle_last_error()->message);
}

static void write_bytes(const tulle__page *page, const void *bytes, size_t size) {
    if (page->trouble->status != TULLE_OK || size == 0) return;
    if (page->what &&
        tulle__progress(page->sink->cpu, page->what, page->done, page->total) != TULLE_OK) {
        tulle__note(page->trouble, TULLE_CANCELLED, 0, "writing was cancelled");
        return;
    }
    tulle__sink_write(page->sink, bytes, size, page->trouble);
}

static void write_out(tulle__page *page) {
    write_bytes(page, page->text, page->used);
    page->used = 0;
}

void tulle__page_close(tulle__page *page, bool keep) {
    if (keep) write_out(page);
    tulle__host_free(page->sink->cpu, page->text);
}

/* Returns a place with room for a line; writes the page to the file first if too little room is
 * left. */
static char *room(tulle__page *page) {
    if (page->used >= TULLE__PAGE) write_out(page);
    return page->text + page->used;
}

static void put(tulle__page *page, char c) {
    *room(page) = c;
    page->used++;
}

void tulle__page_print(tulle__page *page, const char *format, ...) {
    va_list arguments;
    va_start(arguments, format);
    const int length = vsnprintf(room(page), TULLE__PAGE_LINE, format, arguments);
    va_end(arguments);
    page->used += (size_t)length;
}

void tulle__page_quote(tulle__page *page, const char *text) {
    for (; *text; text++) {
        switch (*text) {
            case '&':
                tulle__page_print(page, "&amp;");
                break;
            case '<':
                tulle__page_print(page, "&lt;");
                break;
            case '"':
                tulle__page_print(page, "&quot;");
                break;
            default:
                put(page, *text);
        }
    }
}

static void end_number(tulle__page *page, const char *end, char behind) {
    page->used = (size_t)(end - page->text);
    put(page, behind);
}

void tulle__page_integer(tulle__page *page, int64_t number, char behind) {
    char *at = room(page);
    if (number < 0) *at++ = '-';
    end_number(page, tulle__write_integer(at, number < 0 ? 0 - (uint64_t)number : (uint64_t)number),
               behind);
}

void tulle__page_real(tulle__page *page, double number, char behind) {
    end_number(page, tulle__write_f64(room(page), number), behind);
}

void tulle__page_single(tulle__page *page, float number, char behind) {
    end_number(page, tulle__write_f32(room(page), number), behind);
}

/* Writes three bytes as four characters of base64; the last `padding` characters become '='. */
static void put_group(tulle__page *page, int padding) {
    static const char digits[] = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";
    const uint32_t bits =
        (uint32_t)page->group[0] << 16 | (uint32_t)page->group[1] << 8 | (uint32_t)page->group[2];
    for (int i = 0; i < 4; i++) {
        put(page, i < 4 - padding ? digits[bits >> (18 - 6 * i) & 63] : '=');
    }
    page->grouped = 0;
}

static void put_base64(tulle__page *page, const unsigned char *byte, size_t size) {
    for (size_t i = 0; i < size; i++) {
        page->group[page->grouped++] = byte[i];
        if (page->grouped == 3) put_group(page, 0);
    }
}

void tulle__page_end_base64(tulle__page *page) {
    if (page->grouped == 0) return;
    const int padding = 3 - page->grouped;
    memset(page->group + page->grouped, 0, (size_t)padding);
    put_group(page, padding);
}

void tulle__page_bytes(tulle__page *page, const void *bytes, size_t size) {
    if (size == 0) return;
    if (page->base64) {
        put_base64(page, bytes, size);
    } else if (size <= TULLE__PAGE_LINE) {
        memcpy(room(page), bytes, size);
        page->used += size;
    } else {
        write_out(page);
        for (size_t done = 0; done < size; done += TULLE__PAGE) {
            const size_t left = size - done;
            write_bytes(page, (const char *)bytes + done, left < TULLE__PAGE ? left : TULLE__PAGE);
        }
    }
}

void tulle__page_word(tulle__page *page, int32_t number) {
    tulle__page_bytes(page, &number, sizeof number);
}

void tulle__page_long(tulle__page *page, int64_t number) {
    tulle__page_bytes(page, &number, sizeof number);
}

void tulle__page_double(tulle__page *page, double number) {
    tulle__page_bytes(page, &number, sizeof number);
}
