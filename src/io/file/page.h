/* SPDX-License-Identifier: Apache-2.0 */
/* What is written of a mesh, gathered before it goes to the file; after the first trouble nothing
 * more is written. */
#ifndef TULLE_IO_FILE_PAGE_H
#define TULLE_IO_FILE_PAGE_H

#include "io/file/sink.h"

typedef struct tulle__page {
    tulle__sink *sink;
    tulle__trouble *trouble;
    char *text;
    size_t used;
    bool base64;            /* bytes are written as such text */
    unsigned char group[3]; /* of it, those that make no whole group yet */
    int grouped;
    const char *what; /* is being written, and how much of it is done: for reports */
    int64_t done, total;
} tulle__page;

enum { TULLE__PAGE = 1 << 18, TULLE__PAGE_LINE = 512 };

/* Memory comes from the sink's context; false: none, which is noted. */
bool tulle__page_open(tulle__page *page, tulle__sink *sink, tulle__trouble *trouble);

/* Writes what is gathered, or forgets it where the file is not to be kept. */
void tulle__page_close(tulle__page *page, bool keep);

/* Says what is being written, and how much of it is done. Each time that a page is full this is
 * told, and asked whether to go on; if not, that is the page's trouble. False: there is trouble,
 * and nothing more is written. */
static inline bool tulle__page_tell(tulle__page *page, const char *what, int64_t done,
                                    int64_t total) {
    page->what = what;
    page->done = done;
    page->total = total;
    return page->trouble->status == TULLE_OK;
}

/* Text of at most TULLE__PAGE_LINE characters; or any, as XML wants it between quotes. */
void tulle__page_print(tulle__page *page, const char *format, ...)
    __attribute__((format(printf, 2, 3)));
void tulle__page_quote(tulle__page *page, const char *text);

/* A number and what stands behind it. */
void tulle__page_integer(tulle__page *page, int64_t number, char behind);
void tulle__page_real(tulle__page *page, double number, char behind);
void tulle__page_single(tulle__page *page, float number, char behind);

/* Bytes as they are, or as base64 (RFC 4648), which ends with its padding. */
void tulle__page_bytes(tulle__page *page, const void *bytes, size_t size);
void tulle__page_word(tulle__page *page, int32_t number);
void tulle__page_long(tulle__page *page, int64_t number);
void tulle__page_double(tulle__page *page, double number);
void tulle__page_end_base64(tulle__page *page);

#endif
