/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the reason for which factors are refused. */
#include <float.h>
#include <math.h>

#include "factor/refuse.h"
#include "format/draft.h"
#include "tulle/vec.h"

/* The first row of A with Inf or NaN, or -1, and the number that the row has. */
typedef struct looks {
    int64_t row;
    double number;
} looks;

/* The arrays of A in host memory. */
typedef struct copy {
    void *values, *offsets;
    tulle_type type;
    int offset_size;
    int64_t stored, block, block_rows;
} copy;

static tulle_status copy_make(tulle_ctx *ctx, const tulle_mat *A, copy *c) {
    const tulle__pattern *p = A->pattern;
    const tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    *c = (copy){.type = A->type,
                .offset_size = (int)tulle_offset_size(p->index),
                .stored = p->storage.stored,
                .block = tulle__block_of(p),
                .block_rows = n.offsets - 1};
    c->values = tulle__host_alloc(ctx, tulle__bytes(c->stored + 1, tulle_type_size(A->type)));
    c->offsets = tulle__host_alloc(ctx, tulle__bytes(n.offsets, c->offset_size));
    if (!c->values || !c->offsets) return TULLE_OUT_OF_MEMORY;
    return tulle_mat_read_arrays(ctx, A,
                                 &(tulle_mat_buffers){.offsets = c->offsets, .values = c->values});
}

static double value_at(const copy *c, int64_t i) {
    return c->type == TULLE_F32 ? (double)((const float *)c->values)[i]
                                : ((const double *)c->values)[i];
}

static int64_t offset_at(const copy *c, int64_t row) {
    return c->offset_size == 4 ? ((const int32_t *)c->offsets)[row]
                               : ((const int64_t *)c->offsets)[row];
}

static looks look(const copy *c) {
    const int64_t cells = c->block * c->block;
    for (int64_t row = 0; row < c->block_rows; row++) {
        const int64_t end = offset_at(c, row + 1) * cells;
        for (int64_t i = offset_at(c, row) * cells; i < end; i++) {
            const double number = value_at(c, i);
            if (isfinite(number)) continue;
            return (looks){row * c->block + i % cells / c->block, number};
        }
    }
    return (looks){.row = -1};
}

/* Looks for Inf and NaN, if all stored numbers are A's: blocks with a mask store other numbers too,
 * and a pattern alone stores none. */
static tulle_status look_at(tulle_ctx *ctx, const tulle_mat *A, looks *found) {
    copy c;
    *found = (looks){.row = -1};
    if (A->pattern->mask.data || !A->values.data) return TULLE_OK;
    const tulle_status status = copy_make(ctx, A, &c);
    if (status == TULLE_OK) *found = look(&c);
    tulle__host_free(ctx, c.values);
    tulle__host_free(ctx, c.offsets);
    return status;
}

/* Fails if rounding A to f32 does not leave its largest number a normal one. With scales of the
 * caller nothing is refused, because they may bring A into range. */
static tulle_status check_range(const char *function, tulle_ctx *ctx, const tulle_factor *F,
                                const tulle_mat *A) {
    const bool narrows = F->LU->type == TULLE_F32 && F->a_type == TULLE_F64;
    const int64_t stored = A->pattern->storage.stored;
    const tulle_vec values = {.ctx = ctx,
                              .rows = stored,
                              .cols = 1,
                              .ld = stored,
                              .type = A->type,
                              .layout = TULLE_COLUMN_MAJOR,
                              .data = A->values.data};
    double largest;
    if (!narrows || F->row_scale || F->col_scale || stored == 0 || !values.data) return TULLE_OK;
    TULLE__TRY(tulle_vec_norm_max(ctx, &values, tulle_to_num(&largest)));
    const bool above = isfinite(largest) && largest > (double)FLT_MAX;
    if (!above && !(largest > 0 && largest < (double)FLT_MIN)) return TULLE_OK;
    return tulle__fail(TULLE_ZERO_PIVOT, function, "A", 0,
                       "the largest number of A is %g, and numbers of f32, which options.single "
                       "asks for, are from %g to %g: scale A by a power of 2 (options.row_scale), "
                       "or leave options.single out",
                       largest, (double)FLT_MIN, (double)FLT_MAX);
}

static tulle_status refuse_pivot(const char *function, const tulle_factor *F,
                                 const tulle_factor_report *report) {
    const char *others = report->bad > 1 ? ", as are others" : "";
    const long long row = (long long)report->bad_row;
    if (F->options.boost) {
        return tulle__fail(TULLE_ZERO_PIVOT, function, "A", report->bad_row,
                           "the pivot of row %lld is Inf or NaN%s, which boost leaves: A has "
                           "numbers so large that differences of them are none",
                           row, others);
    }
    return tulle__fail(TULLE_ZERO_PIVOT, function, "A", report->bad_row,
                       "the pivot of row %lld is %s%s: boost pivots (options.tiny and boost), "
                       "keep more fill, reorder A, or, where its diagonal entry is not zero, "
                       "enlarge that (options.shift)",
                       row,
                       F->symbolic->kind == TULLE_LU
                           ? "zero, Inf or NaN"
                           : "not above zero, or Inf, so A or what is kept of it is not "
                             "positive definite",
                       others);
}

tulle_status tulle__factor_refuse(const char *function, tulle_ctx *ctx, const tulle_factor *F,
                                  const tulle_mat *A) {
    tulle_factor_report report;
    looks found;
    TULLE__TRY(check_range(function, ctx, F, A));
    TULLE__TRY(tulle_factor_status(ctx, F, &report));
    if (report.bad == 0) return TULLE_OK;
    TULLE__TRY(look_at(ctx, A, &found));
    if (found.row >= 0) {
        return tulle__fail(TULLE_ZERO_PIVOT, function, "A", found.row,
                           "row %lld of A has %g, of which no pivot is a number: correct A",
                           (long long)found.row, found.number);
    }
    return refuse_pivot(function, F, &report);
}
