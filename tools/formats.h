/* SPDX-License-Identifier: Apache-2.0 */
/* The formats and what a matrix needs in each; a new format is one row of the table. */
#ifndef TOOL_FORMATS_H
#define TOOL_FORMATS_H

#include "tulle/matrix.h"

typedef struct tool_format {
    const char *name;  /* "csr" */
    tulle_index index; /* of its arrays */
    const char *bits;  /* of offsets and columns */
    double (*pattern_bytes)(const tulle_mat_info *matrix, tulle_index index);
    bool (*fits)(const tulle_mat_info *matrix); /* the index type can hold it */
} tool_format;

extern const tool_format tool_formats[];
extern const int tool_format_count;

/* Pattern and values. */
double tool_format_bytes(const tool_format *format, const tulle_mat_info *matrix, tulle_type type);

#endif
