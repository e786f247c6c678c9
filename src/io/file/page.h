/* SPDX-License-Identifier: Apache-2.0 */
/* A page gathers the text of a mesh before the text goes to the file. After the first trouble
 * nothing more is written. */
#ifndef TULLE_IO_FILE_PAGE_H
#define TULLE_IO_FILE_PAGE_H

#include "io/file/sink.h"

typedef struct tulle__page {
    tulle__sink *sink;
    tulle__trouble *trouble;
    char *text;
    size_t used;
    bool base64;            /* true while bytes are written as base64 */
    unsigned char group[3]; /* base64: bytes that do not fill a group of three yet */
    int grouped;
    const char *what; /* name of the part that is being written, for reports of progress */
    int64_t done, total;
} tulle__page;

enum { TULLE__PAGE = 1 << 18, TULLE__PAGE_LINE = 512 };

/* Begins a page with memory of the sink's context. Returns false without memory, which is noted. */
bool tulle__page_open(tulle__page *page, tulle__sink *sink, tulle__trouble *trouble);

/* Writes the gathered text if keep is true, and frees the page's memory. */
void tulle__page_close(tulle__page *page, bool keep);

/* Sets the name of the part that is being written, and how much of it is done. Each time that the
 * page is full, this is reported as progress; a report that asks to stop becomes the page's
 * trouble. Returns false if there is trouble, and then nothing more is written. */
static inline bool tulle__page_tell(tulle__page *page, const char *what, int64_t done,
                                    int64_t total) {
    page->what = what;
    page->done = done;
    page->total = total;
    return page->trouble->status == TULLE_OK;
}

/* tulle__page_print writes a text of at most TULLE__PAGE_LINE characters; tulle__page_quote
 * writes a text of any length with XML's replacements for the characters that cannot stand
 * between quotes. */
void tulle__page_print(tulle__page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tulle__page_quote(tulle__page *page, const char *text);

/* Each of these functions writes a number as text, then the character `behind`. */
void tulle__page_integer(tulle__page *page, int64_t number, char behind);
void tulle__page_real(tulle__page *page, double number, char behind);
void tulle__page_single(tulle__page *page, float number, char behind);

/* Each of these functions writes bytes, or the bytes of a number: as base64 (RFC 4648) while
 * page->base64 is true, else as they are. tulle__page_end_base64 writes the last group with its
 * padding. */
void tulle__page_bytes(tulle__page *page, const void *bytes, size_t size);
void tulle__page_word(tulle__page *page, int32_t number);
void tulle__page_long(tulle__page *page, int64_t number);
void tulle__page_double(tulle__page *page, double number);
void tulle__page_end_base64(tulle__page *page);

#endif
