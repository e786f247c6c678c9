/* SPDX-License-Identifier: Apache-2.0 */
/* One pass over a matrix and its transpose finds out these facts. */
#ifndef TOOL_ANALYSIS_H
#define TOOL_ANALYSIS_H

#include "tools/common/csr.h"

typedef struct tool_analysis {
    int64_t diagonal;         /* entries on the diagonal */
    int64_t off_diagonal;     /* all others */
    int64_t mirrored;         /* of those: (j, i) is stored too */
    int64_t equal;            /* and has the same value */
    int64_t alike;            /* or one that differs from it by rounding */
    int64_t opposite;         /* and has the negative value */
    int64_t diagonal_zero;    /* diagonal entries of value 0 */
    int64_t diagonal_above;   /* diagonal entries above 0 */
    int64_t not_dominant;     /* rows whose other entries outweigh that of the diagonal, by more
                                 than rounding adds to their sum */
    int64_t zeros;            /* stored entries of value 0 */
    int64_t not_finite;       /* Inf and NaN */
    double smallest, largest; /* of the |values| that are not 0 and finite; 0: there are none */
    const char *pattern;      /* "symmetric" or "unsymmetric"; "rectangular" */
    const char *values;       /* "symmetric", "skew-symmetric" or "unsymmetric"; "rectangular" */
    bool symmetric;           /* but for rounding */
} tool_analysis;

/* Analyses a matrix whose columns ascend in every row, as files and generators give it. */
tulle_status tool_analyse(tulle_ctx *ctx, const tulle_mat *A, tool_analysis *analysis);

#endif
