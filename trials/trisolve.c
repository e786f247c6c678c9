/* SPDX-License-Identifier: Apache-2.0 */
/* op(T) X = B, T a triangle of A. Preparing is the analysis of its pattern. */
#include "trials/trisolve.h"

#include <math.h>
#include <stdlib.h>

#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/triangle.h"
#include "tools/common/vector_file.h"
#include "tools/common/verify_trisolve.h"
#include "trisolve/convert.h"

const trial_trisolve_options trial_trisolve_plain = {.alpha = 1, .b = "random"};

/* The trial's own: how it was asked, what is known of T, and the numbers that a check reads. */
typedef struct own {
    trial_trisolve_options options;
    tulle_trisolve_info analysis;
    bool alone, checked;
    tool_csr csr; /* A, where results are checked */
    void *b;      /* B on the host */
    tool_error_found worst;
} own;

static tulle_part part_of(const trial_problem *p) {
    return (tulle_part)p->detail;
}

static const own *own_of(const trial_problem *p) {
    return p->own;
}

static bool asked(const trial_wish *wish, int detail) {
    return wish->part == TRIAL_BOTH || wish->part == detail;
}

static void close_problem(trial_problem *p) {
    own *o = p->own;
    if (!o) return;
    tool_csr_close(&o->csr);
    free(o->b);
    free(o);
}

/* Counts a product and a sum for each entry beside the diagonal, and a division for each entry on
 * it; of blocks on the diagonal, all numbers count once: their triangle and their divisions. */
static double flops_of(const tulle_mat_info *info, const tulle_trisolve_info *T, int64_t columns) {
    const double block = info->format == TULLE_BSR ? (double)info->storage.block : 1;
    return block * block * (2 * (double)T->entries + (double)T->rows) * (double)columns;
}

static tulle_status open_vectors(trial_problem *p, uint64_t seed) {
    own *o = p->own;
    tulle_status status = TULLE_OK;
    tulle_vec **const both[] = {&p->x, &p->y};
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_vec_create_columns(p->ctx, p->info.type, p->info.rows, p->block.vectors,
                                          p->block.layout, 0, both[i]);
    }
    if (status != TULLE_OK) return status;
    o->b = tool_block_host(p->x);
    return tool_fill_block(p->ctx, o->options.b, seed, p->x, o->b);
}

static tulle_status open_problem(trial_problem *p, const trial_given *given) {
    own *o = tool_alloc(1, sizeof *o);
    *o = (own){.options = trial_trisolve_plain, .alone = given->alone, .checked = given->check};
    if (given->options) o->options = *(const trial_trisolve_options *)given->options;
    p->own = o;
    tulle_status status = tulle_trisolve_analyse(p->ctx, part_of(p), p->trans, p->A, &o->analysis);
    if (status != TULLE_OK) return status;
    p->levels = o->analysis.levels;
    p->minimal_bytes =
        tool_triangle_bytes(&p->info, &o->analysis, o->options.diag, p->block.vectors);
    p->flops = flops_of(&p->info, &o->analysis, p->block.vectors);
    status = open_vectors(p, given->seed);
    if (status == TULLE_OK && o->checked) status = tool_csr_open(p->ctx, given->csr, &o->csr);
    return status;
}

const tulle_trisolve_info *trial_trisolve_analysis(const trial_problem *problem) {
    return &own_of(problem)->analysis;
}

static int64_t count_not_finite(const trial_problem *p, const void *numbers) {
    const int64_t count = p->info.rows * p->block.vectors;
    int64_t found = 0;
    for (int64_t i = 0; i < count; i++) {
        const double number =
            p->info.type == TULLE_F32 ? ((const float *)numbers)[i] : ((const double *)numbers)[i];
        found += !isfinite(number);
    }
    return found;
}

int64_t trial_trisolve_not_finite(const trial_problem *problem, const void *x) {
    const bool given = count_not_finite(problem, own_of(problem)->b) > 0;
    return given ? 0 : count_not_finite(problem, x);
}

/* A matrix whose pattern has been analysed: a copy of A, or A itself. */
typedef struct own_task {
    const trial_problem *problem;
    tulle_mat *A;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    tulle_mat_destroy(t->A);
    free(t);
}

static tulle_status analyse(const own_task *t, trial_task *task) {
    const trial_problem *p = t->problem;
    tulle_trisolve_info T;
    tulle_status status = tulle_ctx_synchronize(p->ctx);
    const double start = tulle__seconds();
    if (status == TULLE_OK) {
        status = tulle_trisolve_analyse(p->ctx, part_of(p), p->trans, t->A, &T);
    }
    if (status == TULLE_OK) status = tulle_ctx_synchronize(p->ctx);
    task->prep_ms = 1e3 * (tulle__seconds() - start);
    if (status == TULLE_OK) task->extra_bytes = T.bytes;
    return status;
}

static tulle_status prepare(const trial_problem *p, trial_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    *t = (own_task){.problem = p};
    task->state = t;
    if (own_of(p)->alone) {
        t->A = tulle_mat_retain(p->A);
        return TULLE_OK;
    }
    tulle_status status = trial_problem_copy(p, &t->A);
    if (status == TULLE_OK) status = analyse(t, task);
    if (status != TULLE_OK) finish(t);
    return status;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const trial_problem *p = t->problem;
    const trial_trisolve_options *o = &own_of(p)->options;
    return tulle_trisolve(p->ctx, part_of(p), o->diag, p->trans, tulle_num(o->alpha), t->A, p->x,
                          p->y);
}

static tulle_status convert(void *state, bool *converts) {
    const own_task *t = state;
    const trial_problem *p = t->problem;
    return tulle__trisolve_convert(p->ctx, part_of(p), own_of(p)->options.diag, p->trans, t->A,
                                   p->x, p->y, converts);
}

static tulle_status verify(const trial_problem *p, const void *x, tool_error_found *found) {
    const own *o = own_of(p);
    const tool_trisolve_claim claim = {.A = &o->csr,
                                       .part = part_of(p),
                                       .diag = o->options.diag,
                                       .op = p->trans,
                                       .type = p->info.type,
                                       .vectors = p->block.vectors,
                                       .alpha = o->options.alpha,
                                       .b = o->b,
                                       .x = x};
    return tool_verify_trisolve(&claim, found);
}

static tulle_status error_of(const trial_problem *p, void *state, double *units) {
    (void)state;
    own *o = p->own;
    *units = (double)NAN;
    if (!o->checked) return TULLE_OK;
    void *x = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, x);
    if (status == TULLE_OK) status = verify(p, x, &o->worst);
    *units = o->worst.units;
    free(x);
    return status;
}

static const tool_error_found *worst(const trial_problem *p) {
    return &own_of(p)->worst;
}

const trial_operation trial_operation_trisolve = {
    .name = "trisolve",
    .kernels = "trisolve",
    .function = "tulle_trisolve",
    .formula = "T X = B",
    .transposed = "T' X = B",
    .blocks = true,
    .detail = {"lower", "upper"},
    .asked = asked,
    .open = open_problem,
    .close = close_problem,
    .prepare = prepare,
    .run = run,
    .convert = convert,
    .finish = finish,
    .reset = trial_problem_poison,
    .error = error_of,
    .worst = worst,
};
