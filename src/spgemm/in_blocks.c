/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm/in_blocks.h"

#include "core/stopwatch.h"
#include "matrix/build.h"
#include "matrix/result.h"
#include "matrix/turn_blocks.h"
#include "matrix/whole_blocks.h"
#include "spgemm/budget.h"
#include "spgemm/renumbered.h"

bool tulle__spgemm_has_blocks(const tulle__spgemm_call *c, const tulle_spgemm_options *options) {
    if (options && (options->D || options->mask)) return false;
    if (!tulle__is_whole_blocks(c->A) || !tulle__is_whole_blocks(c->B)) return false;
    const int64_t inner = tulle__op_block_cols(c->op_A, c->A);
    return inner == tulle__op_block_rows(c->op_B, c->B) &&
           inner * tulle__op_block_rows(c->op_A, c->A) * tulle__op_block_cols(c->op_B, c->B) > 1;
}

bool tulle__spgemm_has_triple_blocks(const tulle__spgemm_call *c,
                                     const tulle_spgemm_options *options) {
    return tulle__spgemm_has_blocks(c, options) && tulle__square_blocks(&c->A->pattern->storage) &&
           (!c->R || tulle__is_whole_blocks(c->R));
}

/* A product of blocks in the making. */
typedef struct making {
    tulle_ctx *ctx;
    const char *function;
    tulle__asked asked;
    tulle_scalar alpha;
    tulle_mat *a, *b;               /* op(A) and op(B); owned */
    tulle_mat *a_blocks, *b_blocks; /* their patterns of blocks, in CSR; owned */
    double held, high; /* bytes that the operands hold, and the most that they have held */
    double bound;      /* bound of the bytes of the product */
    tulle__spec spec;  /* kernel of the values */
} making;

static tulle_status bring(tulle_ctx *ctx, tulle_trans op, const tulle_mat *M, tulle_mat **brought) {
    if (op == TULLE_T) return tulle__turn_bsr(ctx, M, brought, NULL);
    *brought = tulle_mat_retain((tulle_mat *)M);
    return TULLE_OK;
}

/* Makes the pattern of M's blocks, around M's arrays. Its values, which the product of patterns
 * multiplies in vain, are zeros. */
static tulle_status pattern_of(tulle_ctx *ctx, const tulle_mat *M, tulle_mat **blocks) {
    static const tulle__array lent = {.ownership = TULLE_BORROW};
    const tulle__pattern_view view = tulle__blocks_view(M->pattern);
    tulle__array zeros = {.ownership = TULLE_COPY};
    tulle__stats stats;
    size_t bytes = 0;
    TULLE__TRY(ctx->backend->matrix->rising_stats(&ctx->place, &view, &stats));
    TULLE__TRY(tulle__size(view.nnz, sizeof(float), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &zeros.data));
    tulle_status status = TULLE_OK;
    if (bytes > 0) status = ctx->backend->set_bytes(&ctx->place, zeros.data, 0, bytes);
    if (status == TULLE_OK) {
        status = tulle__mat_make(ctx, &view, TULLE_F32, &lent, &zeros, &stats, blocks);
    }
    if (status != TULLE_OK) tulle__free(ctx, zeros.data);
    return status;
}

static tulle_status open_operands(making *m, const tulle__spgemm_call *c) {
    TULLE__TRY(bring(m->ctx, c->op_A, c->A, &m->a));
    if (c->A == c->B && c->op_A == c->op_B) {
        m->b = tulle_mat_retain(m->a);
    } else {
        TULLE__TRY(bring(m->ctx, c->op_B, c->B, &m->b));
    }
    TULLE__TRY(pattern_of(m->ctx, m->a, &m->a_blocks));
    if (m->a == m->b) {
        m->b_blocks = tulle_mat_retain(m->a_blocks);
        return TULLE_OK;
    }
    return pattern_of(m->ctx, m->b, &m->b_blocks);
}

static void close_operands(making *m) {
    tulle_mat_destroy(m->a_blocks);
    tulle_mat_destroy(m->b_blocks);
    tulle_mat_destroy(m->a);
    tulle_mat_destroy(m->b);
}

static tulle_status start(making *m, const tulle__spgemm_call *c) {
    tulle__spgemm_measure measure;
    tulle__spgemm_measure_open(m->ctx, &measure);
    const tulle_status status = open_operands(m, c);
    m->held = (double)(tulle__pool_usage(&m->ctx->pool).in_use - measure.before);
    tulle__spgemm_measure_close(m->ctx, &measure);
    m->high = (double)measure.peak;
    return status;
}

static tulle__spgemm_call product_of_patterns(const making *m) {
    return (tulle__spgemm_call){.function = m->function,
                                .op_A = TULLE_N,
                                .op_B = TULLE_N,
                                .A = m->a_blocks,
                                .B = m->b_blocks};
}

static int64_t cells_of(const making *m) {
    return tulle__block_rows(&m->a->pattern->storage) * tulle__block_cols(&m->b->pattern->storage);
}

/* Returns the number of multiplications of numbers for so many of blocks. */
static int64_t numbers_of(const making *m, int64_t products) {
    return products * cells_of(m) * tulle__block_cols(&m->a->pattern->storage);
}

/* Sets the bound of the call: beside the operands are the product of patterns, of which that has a
 * bound, then C, with at most a block for each multiplication, and a table of a CPU's thread. */
static void set_bound(making *m, int64_t pattern_bound, int64_t products) {
    const double places = (double)m->a_blocks->pattern->rows * (double)m->b_blocks->pattern->cols;
    const double blocks = (double)products < places ? (double)products : places;
    const double block = (double)cells_of(m) * (double)tulle_type_size(m->a->type) + 8;
    const double tables = (double)m->ctx->info.threads * (double)m->b_blocks->pattern->cols * 8;
    const double c = blocks * block + ((double)m->a_blocks->pattern->rows + 1) * 8;
    const double all = m->held + (double)pattern_bound + c + tables;
    m->bound = all > m->high ? all : m->high;
}

static int64_t bytes_within(double bytes) {
    return bytes < 9e18 ? (int64_t)bytes : INT64_MAX;
}

/* Allocates C for the blocks of the pattern. */
static tulle_status open_c(const making *m, const tulle_mat *pattern, tulle__draft *d) {
    const tulle_index wider = tulle__wider(m->a->pattern->index, m->b->pattern->index);
    const tulle_index least = tulle__wider(wider, tulle__asked_least(m->asked));
    const int64_t blocks = pattern->pattern->nnz;
    int64_t numbers = 0;
    if (__builtin_mul_overflow(blocks, cells_of(m), &numbers)) {
        return tulle__fail(TULLE_TOO_LARGE, m->function, NULL, -1,
                           "C has %lld blocks, whose numbers 64 bits cannot count",
                           (long long)blocks);
    }
    TULLE__TRY(tulle__result_check_count(m->function, m->asked, numbers));
    *d = (tulle__draft){.ctx = m->ctx,
                        .rows = m->a->pattern->rows,
                        .cols = m->b->pattern->cols,
                        .nnz = numbers,
                        .format = TULLE_BSR,
                        .index = tulle__result_index(least, m->asked, numbers),
                        .type = m->a->type,
                        .storage = {.stored = numbers,
                                    .block = tulle__block_rows(&m->a->pattern->storage),
                                    .block_cols = tulle__block_cols(&m->b->pattern->storage),
                                    .full = true}};
    return tulle__draft_alloc(d);
}

static tulle_status copy_pattern(const making *m, const tulle_mat *pattern, const tulle__draft *d) {
    const tulle__pattern *p = pattern->pattern;
    const tulle__format_functions *format = m->ctx->backend->format;
    TULLE__TRY(format->convert_indices(&m->ctx->place, p->rows + 1, tulle_offset_size(p->index),
                                       p->offsets.data, tulle_offset_size(d->index),
                                       d->arrays.offsets, 0));
    return format->convert_indices(&m->ctx->place, p->nnz, tulle_index_size(p->index),
                                   p->cols_of.data, tulle_index_size(d->index), d->arrays.cols_of,
                                   0);
}

static tulle_status find_stats(tulle_ctx *ctx, const tulle__pattern_view *view, const void *known,
                               tulle__stats *stats) {
    (void)known;
    return ctx->backend->matrix->rising_stats(&ctx->place, view, stats);
}

/* Makes C on the product of the patterns of blocks. */
static tulle_status fill(making *m, const tulle_mat *pattern, tulle_mat **C) {
    tulle__draft d;
    TULLE__TRY(open_c(m, pattern, &d));
    const tulle__block_operand c = tulle__block_operand_of(pattern->pattern);
    const tulle__blocks_task task =
        tulle__blocks_task_of(m->ctx, m->a, m->b, &c, d.values, m->alpha);
    tulle_status status = copy_pattern(m, pattern, &d);
    if (status == TULLE_OK) status = tulle__blocks_run(m->function, &task, &m->spec);
    if (status == TULLE_OK) return tulle__draft_finish_by(&d, find_stats, NULL, C);
    tulle__draft_free(&d);
    return status;
}

static tulle_status make(making *m, tulle_spgemm_report *report, tulle_mat **C) {
    static const tulle_spgemm_options sorted = {.unsorted = false};
    const tulle__spgemm_call c = product_of_patterns(m);
    tulle_mat *pattern = NULL;
    TULLE__TRY(tulle__spgemm_ordinary(m->ctx, &c, tulle_num(1), &sorted, NULL, report, &pattern));
    const double begin = tulle__seconds();
    const tulle_status status = fill(m, pattern, C);
    tulle_mat_destroy(pattern);
    TULLE__TRY(status);
    if (!report) return TULLE_OK;
    set_bound(m, report->bound_bytes, report->products);
    report->kernel = m->spec.kernel->name;
    tulle__params_text(&m->spec, report->params, sizeof report->params);
    report->products = numbers_of(m, report->products);
    report->nnz = (*C)->pattern->nnz;
    report->compute_ms += (tulle__seconds() - begin) * 1e3;
    return TULLE_OK;
}

static making making_of(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                        const tulle_spgemm_options *options) {
    return (making){.ctx = ctx,
                    .function = c->function,
                    .asked = {options->index_given, options->index},
                    .alpha = alpha};
}

/* Makes a product; bound: the bytes that it may need, where a report is wanted. */
static tulle_status product(tulle_ctx *ctx, const tulle__spgemm_call *c, tulle_scalar alpha,
                            const tulle_spgemm_options *options, tulle_spgemm_report *report,
                            double *bound, tulle_mat **C) {
    making m = making_of(ctx, c, alpha, options);
    tulle_status status = start(&m, c);
    if (status == TULLE_OK) status = make(&m, report, C);
    close_operands(&m);
    *bound = m.bound;
    return status;
}

/* A call with its report: memory and time as a whole. */
typedef struct measured {
    tulle__spgemm_measure measure;
    double begin;
} measured;

static measured begin_report(tulle_ctx *ctx) {
    measured m = {.begin = tulle__seconds()};
    tulle__spgemm_measure_open(ctx, &m.measure);
    return m;
}

static void end_report(tulle_ctx *ctx, measured *m, double bound, tulle_spgemm_report *report) {
    const size_t cap = ctx->pool.cap;
    tulle__spgemm_measure_close(ctx, &m->measure);
    if (cap > 0 && bound > (double)(cap - m->measure.before)) {
        bound = (double)(cap - m->measure.before);
    }
    report->bound_bytes = bytes_within(bound);
    report->predicted_bytes = (int64_t)m->measure.peak;
    report->peak_bytes = (int64_t)m->measure.peak;
    report->total_ms = (tulle__seconds() - m->begin) * 1e3;
}

tulle_status tulle__spgemm_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                     tulle_scalar alpha, const tulle_spgemm_options *options,
                                     tulle_spgemm_report *report, tulle_mat **C) {
    tulle_spgemm_report own;
    double bound = 0;
    if (!report) return product(ctx, c, alpha, options, NULL, &bound, C);
    measured whole = begin_report(ctx);
    const tulle_status status = product(ctx, c, alpha, options, &own, &bound, C);
    end_report(ctx, &whole, bound, &own);
    if (status == TULLE_OK) *report = own;
    return status;
}

/* The product P^T (A P) of a triple product. */
static tulle__spgemm_call left_of(const tulle__spgemm_call *c, const tulle_mat *right) {
    return (tulle__spgemm_call){.function = c->function,
                                .op_A = c->R ? TULLE_N : TULLE_T,
                                .op_B = TULLE_N,
                                .A = c->R ? c->R : c->B,
                                .B = right};
}

static void add_times(const tulle_spgemm_report *first, tulle_spgemm_report *all) {
    all->products += first->products;
    all->pieces += first->pieces;
    all->operands_ms += first->operands_ms;
    all->analysis_ms += first->analysis_ms;
    all->count_ms += first->count_ms;
    all->allocate_ms += first->allocate_ms;
    all->compute_ms += first->compute_ms;
    all->finish_ms += first->finish_ms;
}

tulle_status tulle__spgemm_triple_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                            tulle_scalar alpha, const tulle_spgemm_options *options,
                                            tulle_spgemm_report *report, tulle_mat **C) {
    static const tulle_spgemm_options narrowest = {.unsorted = false};
    tulle_spgemm_report first = {.kernel = NULL}, own = {.kernel = NULL};
    double right_bound = 0, left_bound = 0;
    tulle_mat *right = NULL;
    measured whole = begin_report(ctx);
    tulle_status status =
        product(ctx, c, tulle_num(1), &narrowest, report ? &first : NULL, &right_bound, &right);
    const double held = (double)(tulle__pool_usage(&ctx->pool).in_use - whole.measure.before);
    const tulle__spgemm_call left = left_of(c, right);
    if (status == TULLE_OK) {
        status = product(ctx, &left, alpha, options, report ? &own : NULL, &left_bound, C);
    }
    tulle_mat_destroy(right);
    left_bound += held;
    add_times(&first, &own);
    end_report(ctx, &whole, left_bound > right_bound ? left_bound : right_bound, &own);
    if (report && status == TULLE_OK) *report = own;
    return status;
}

/* Forecasts a product; held: bytes that its call holds beside it. */
static tulle_status forecast(tulle_ctx *ctx, const tulle__spgemm_call *c,
                             const tulle_spgemm_options *options, double held,
                             tulle_spgemm_bounds *bounds) {
    static const tulle_spgemm_options sorted = {.unsorted = false};
    making m = making_of(ctx, c, tulle_num(1), options);
    tulle_status status = start(&m, c);
    if (status == TULLE_OK) status = tulle__blocks_select(c->function, ctx, m.a->type, &m.spec);
    if (status == TULLE_OK) {
        status =
            tulle_spgemm_forecast(ctx, TULLE_N, TULLE_N, m.a_blocks, m.b_blocks, &sorted, bounds);
    }
    if (status == TULLE_OK) {
        set_bound(&m, bounds->bytes, bounds->products);
        bounds->kernel = m.spec.kernel->name;
        tulle__params_text(&m.spec, bounds->params, sizeof bounds->params);
        bounds->products = numbers_of(&m, bounds->products);
        bounds->nnz *= cells_of(&m);
        bounds->bytes = bytes_within(held + m.bound);
    }
    close_operands(&m);
    return status;
}

tulle_status tulle__spgemm_forecast_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                              const tulle_spgemm_options *options,
                                              tulle_spgemm_bounds *bounds) {
    return forecast(ctx, c, options, 0, bounds);
}

tulle_status tulle__spgemm_forecast_triple_in_blocks(tulle_ctx *ctx, const tulle__spgemm_call *c,
                                                     const tulle_spgemm_options *options,
                                                     tulle_spgemm_bounds *bounds) {
    static const tulle_spgemm_options narrowest = {.unsorted = false};
    tulle_spgemm_report first = {.kernel = NULL};
    double right_bound = 0;
    tulle_mat *right = NULL;
    const size_t before = tulle__pool_usage(&ctx->pool).in_use;
    TULLE__TRY(product(ctx, c, tulle_num(1), &narrowest, &first, &right_bound, &right));
    const double held = (double)(tulle__pool_usage(&ctx->pool).in_use - before);
    const tulle__spgemm_call left = left_of(c, right);
    const tulle_status status = forecast(ctx, &left, options, held, bounds);
    tulle_mat_destroy(right);
    TULLE__TRY(status);
    bounds->products += first.products;
    if (right_bound > (double)bounds->bytes) bounds->bytes = bytes_within(right_bound);
    return TULLE_OK;
}
