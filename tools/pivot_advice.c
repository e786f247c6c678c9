/* SPDX-License-Identifier: Apache-2.0 */
#include "pivot_advice.h"

#include <float.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>

#include "not_finite.h"
#include "tools/common/csr.h"
#include "tools/common/error.h"

/* Holds what stands on the diagonal of the row. */
typedef struct found {
    bool there;
    double value;
} found;

static found find_diagonal(const tool_csr *A, int64_t row) {
    found f = {.there = false};
    for (int64_t p = 0; p < A->heads; p++) {
        if (tool_csr_row(A, p) != row) continue;
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            if (tool_csr_column(A, e) == row) f = (found){true, tool_csr_value(A, e)};
        }
    }
    return f;
}

/* In f32 nothing is left of the largest number, or Inf. */
static double beyond_f32(const tool_csr *A) {
    double largest = 0;
    for (int64_t e = 0; e < A->nnz; e++) largest = fmax(largest, fabs(tool_csr_value(A, e)));
    const bool outside = largest > (double)FLT_MAX || largest < (double)FLT_MIN;
    return outside ? largest : 0;
}

#define BOOST "boost it (--tiny 1e-6 --boost)"

/* --shift multiplies, which changes no zero, and no sign. */
static tulle_status advise_without_shift(const char *name, int64_t row, bool lu, found diagonal) {
    char entry[64] = "no entry on its diagonal there";
    if (diagonal.there) {
        snprintf(entry, sizeof entry, "%g on its diagonal there", diagonal.value);
    }
    if (lu) {
        return tool_record(
            TULLE_ZERO_PIVOT,
            "%s: the pivot of row %" PRId64
            " (from 0) is zero, Inf or NaN, and the matrix has %s, which --shift leaves: "
            "permute its rows so that another entry stands there, " BOOST ", or %s",
            name, row, entry, diagonal.there ? "change it" : "add one");
    }
    return tool_record(TULLE_ZERO_PIVOT,
                       "%s: the pivot of row %" PRId64
                       " (from 0) is not above zero, and the matrix has %s, so that it is not "
                       "positive definite, whatever --shift: take --kind lu, or " BOOST,
                       name, row, entry);
}

static tulle_status advise(const char *name, int64_t row, bool lu) {
    return tool_record(
        TULLE_ZERO_PIVOT,
        "%s: the pivot of row %" PRId64
        " (from 0) is %s: enlarge the diagonal (--shift 0.1: it counts 1.1 times), " BOOST
        ", or try more --fill%s",
        name, row,
        lu ? "zero, Inf or NaN"
           : "not above zero, or Inf, so the matrix or what is kept of it is not positive definite",
        lu ? " or another --order" : ", another --order or --kind lu");
}

tulle_status tool_pivot_advice(tulle_ctx *ctx, const char *name, const tulle_mat *A,
                               const tulle_factor_options *options) {
    const int64_t row = tulle_last_error()->row;
    const bool lu = options->kind == TULLE_LU;
    tool_csr csr = {0};
    const tulle_status status = tool_csr_open(ctx, A, &csr);
    if (status != TULLE_OK) return status;
    const found diagonal = find_diagonal(&csr, row);
    const tool_not_finite fault = tool_not_finite_in_matrix(&csr);
    const double beyond = options->single ? beyond_f32(&csr) : 0;
    tool_csr_close(&csr);
    if (fault.found) return tool_not_finite_record(name, &fault);
    if (beyond > 0) {
        return tool_record(TULLE_ZERO_PIVOT,
                           "%s: its largest number is %g, and --single takes numbers of f32, from "
                           "%g to %g: leave it out, or scale the matrix",
                           name, beyond, (double)FLT_MIN, (double)FLT_MAX);
    }
    if (options->boost) {
        return tool_record(TULLE_ZERO_PIVOT,
                           "%s: the pivot of row %" PRId64
                           " (from 0) is Inf or NaN, which --boost leaves: the matrix has numbers "
                           "so large that differences of them are none",
                           name, row);
    }
    const bool stuck = !diagonal.there || (lu ? diagonal.value == 0 : diagonal.value <= 0);
    return stuck ? advise_without_shift(name, row, lu, diagonal) : advise(name, row, lu);
}
