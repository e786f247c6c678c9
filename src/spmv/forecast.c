/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spmv_forecast: the rule's answer for a matrix that there need not be. */
#include <inttypes.h>
#include <string.h>

#include "matrix/build.h"
#include "spmv/bytes.h"
#include "spmv/rule/rule.h"
#include "spmv/select.h"
#include "tulle/statistics.h"

static tulle__stats stats_of(const tulle_mat_info *like) {
    tulle__stats stats = {.bad_row = -1,
                          .sorted = like->sorted,
                          .min_row = like->min_row,
                          .max_row = like->max_row,
                          .empty_rows = like->empty_rows,
                          .bandwidth = like->bandwidth,
                          .mean_row = like->mean_row,
                          .sd_row = like->sd_row};
    memcpy(stats.row_histogram, like->row_histogram, sizeof stats.row_histogram);
    return stats;
}

/* Picks the kernel as a call would: one that repeats, or else any, unless the context insists. */
static tulle__spec pick(const tulle_ctx *ctx, const tulle__spmv_shape *shape) {
    tulle__spec spec = {0};
    tulle__spmv_call call = tulle__one_vector(TULLE_N);
    unsigned need = tulle__spmv_need(&call, ctx->repeatable);
    tulle__rule_of(ctx)->pick(ctx->backend, shape, need, &spec);
    if (spec.kernel || ctx->repeatable) return spec;
    tulle__rule_of(ctx)->pick(ctx->backend, shape, TULLE__FORWARD, &spec);
    return spec;
}

static tulle_status check(const char *function, const tulle_mat_info *like) {
    TULLE__TRY(tulle__check_type(function, like->type));
    TULLE__TRY(tulle__check_index(function, like->index));
    int64_t stored = like->storage.stored;
    if (!tulle_format_name(like->format) || like->rows < 0 || like->cols < 0 || stored < 0) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "like", -1,
                           "like: %" PRId64 " x %" PRId64 " and %" PRId64
                           " slots in format %d are no matrix",
                           like->rows, like->cols, stored, (int)like->format);
    }
    return tulle__check_bytes_fit(function, "like", like->rows, like->cols, stored);
}

tulle_status tulle_spmv_forecast(tulle_ctx *ctx, const tulle_mat_info *like, bool beta_zero,
                                 tulle_forecast *forecast) {
    TULLE__NEED(ctx);
    TULLE__NEED(like);
    TULLE__NEED(forecast);
    TULLE__TRY(check(__func__, like));
    tulle__stats stats = stats_of(like);
    tulle__spmv_shape shape = {.rows = like->rows,
                               .cols = like->cols,
                               .nnz = like->nnz,
                               .format = like->format,
                               .values = tulle__values_of(like->type),
                               .type = like->type,
                               .index = like->index,
                               .trans = TULLE_N,
                               .vectors = 1,
                               .stats = &stats,
                               .storage = &like->storage,
                               .device = &ctx->info,
                               .repeatable = ctx->repeatable};
    tulle__spec spec = pick(ctx, &shape);
    if (!spec.kernel) {
        return tulle__fail(TULLE_UNSUPPORTED, __func__, "like", -1,
                           "the rule has no kernel for A x with this format and these types; "
                           "\"tulle kernels\" lists what there is");
    }
    *forecast = (tulle_forecast){.kernel = spec.kernel->name,
                                 .minimal_bytes = tulle__spmv_minimal_bytes(&shape, beta_zero),
                                 .kernel_bytes = tulle__spmv_bytes(&spec, &shape, beta_zero),
                                 .cost_bytes = tulle__spmv_cost(&spec, &shape)};
    tulle__params_text(&spec, forecast->params, sizeof forecast->params);
    return TULLE_OK;
}
