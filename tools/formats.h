/* SPDX-License-Identifier: Apache-2.0 */
/* The formats and what a matrix needs in each. */
#ifndef TOOL_FORMATS_H
#define TOOL_FORMATS_H

#include <stdbool.h>

#include "tulle/tulle.h"

/* A matrix in a format, with index arrays of a type. */
typedef struct tool_format {
    tulle_format format;
    tulle_index index;
    bool narrowest; /* true when no smaller index type holds the matrix */
    bool fits;      /* true when the index type holds the matrix */
    tulle_storage storage;
} tool_format;

/* Number of sizes of blocks of BSR that are looked at: 2, 3, 4 and 8. */
enum { TOOL_BLOCK_SIZES = 4 };

enum { TOOL_FORMATS = TULLE_FORMAT_COUNT + 2 + TOOL_BLOCK_SIZES };

typedef struct tool_formats {
    int count;
    tool_format item[TOOL_FORMATS];
} tool_formats;

/* Lists the formats of A, which is on the host, by the library's default options (tulle/formats.h),
 * without converting A. Formats of which too little can be known are left out. */
tulle_status tool_list_formats(tulle_ctx *ctx, const tulle_mat *A, const tulle_mat_info *matrix,
                               tool_formats *list);

enum { TOOL_FORMAT_LABEL = 24 };

/* Returns the name of a format with the size of its blocks: "sell", "bsr 3". */
const char *tool_format_label(const tool_format *format, char label[TOOL_FORMAT_LABEL]);

/* Returns the bits of a format's offsets and indices, "64/32", or of its indices alone, "32". */
const char *tool_format_bits(const tool_format *format);

/* Returns the bytes of pattern and values; NaN where the matrix does not fit the index type. */
double tool_format_bytes(const tool_format *format, const tulle_mat_info *matrix, tulle_type type);

/* Returns the bytes that a format's arrays of columns take for an entry; 0 where there are none. */
double tool_format_column_bytes(const tool_format *format, const tulle_mat_info *matrix);

/* Returns the number of slots per entry, padding included; 1 where there are no entries. */
double tool_format_fill(const tool_format *format, const tulle_mat_info *matrix);

#endif
