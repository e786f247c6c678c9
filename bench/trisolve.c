/* SPDX-License-Identifier: Apache-2.0 */
/* op(T) X = B, T a triangle of A. Preparing is the analysis of its pattern. */
#include <math.h>
#include <stdlib.h>

#include "bench/acting.h"
#include "core/stopwatch.h"
#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/triangle.h"
#include "tools/common/verify_trisolve.h"
#include "trisolve/convert.h"

/* For the check: A in CSR, and B. */
typedef struct reference {
    tool_csr csr;
    void *b;
} reference;

static tulle_part part_of(const bench_problem *p) {
    return (tulle_part)p->detail;
}

static bool asked(const bench_settings *settings, int detail) {
    return settings->part == BENCH_BOTH || settings->part == detail;
}

static tulle_status open_reference(bench_problem *p, const bench_given *given) {
    if (!given->check) return TULLE_OK;
    reference *r = tool_alloc(1, sizeof *r);
    p->own = r;
    r->b = tool_block_host(p->x);
    tulle_status status = tool_csr_open(p->ctx, given->csr, &r->csr);
    return status == TULLE_OK ? tool_block_read(p->ctx, p->x, r->b) : status;
}

static void close_problem(bench_problem *p) {
    reference *r = p->own;
    if (!r) return;
    tool_csr_close(&r->csr);
    free(r->b);
    free(r);
}

/* A product and a sum for each entry beside the diagonal, and a division for each that is on it; of
 * blocks on it, all numbers count once: their triangle and their divisions. */
static double flops_of(const tulle_mat_info *info, const tulle_trisolve_info *T, int64_t columns) {
    const double block = info->format == TULLE_BSR ? (double)info->storage.block : 1;
    return block * block * (2 * (double)T->entries + (double)T->rows) * (double)columns;
}

static tulle_status open_problem(bench_problem *p, const bench_given *given) {
    tulle_trisolve_info T;
    tulle_status status = tulle_trisolve_analyse(p->ctx, part_of(p), p->trans, p->A, &T);
    if (status != TULLE_OK) return status;
    p->levels = T.levels;
    p->minimal_bytes = tool_triangle_bytes(&p->info, &T, TULLE_NON_UNIT, p->block.vectors);
    p->flops = flops_of(&p->info, &T, p->block.vectors);
    tulle_dense **const both[] = {&p->x, &p->y};
    for (int i = 0; i < 2 && status == TULLE_OK; i++) {
        status = tulle_dense_create(p->ctx, p->info.type, p->info.rows, p->block.vectors,
                                    p->block.layout, 0, both[i]);
    }
    if (status == TULLE_OK) status = tulle_dense_random(p->ctx, p->x, given->seed);
    return status == TULLE_OK ? open_reference(p, given) : status;
}

/* A of its own, whose pattern is analysed. */
typedef struct own_task {
    const bench_problem *problem;
    tulle_mat *A;
} own_task;

static void finish(void *state) {
    own_task *t = state;
    tulle_mat_destroy(t->A);
    free(t);
}

static tulle_status analyse(const own_task *t, bench_task *task) {
    const bench_problem *p = t->problem;
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

static tulle_status prepare(const bench_problem *p, bench_task *task) {
    own_task *t = tool_alloc(1, sizeof *t);
    *t = (own_task){.problem = p};
    task->state = t;
    tulle_status status = bench_acting_copy(p, &t->A);
    if (status == TULLE_OK) status = analyse(t, task);
    if (status != TULLE_OK) finish(t);
    return status;
}

static tulle_status run(void *state) {
    const own_task *t = state;
    const bench_problem *p = t->problem;
    return tulle_trisolve(p->ctx, part_of(p), TULLE_NON_UNIT, p->trans, tulle_num(1), t->A, p->x,
                          p->y);
}

static tulle_status convert(void *state, bool *converts) {
    const own_task *t = state;
    const bench_problem *p = t->problem;
    return tulle__trisolve_convert(p->ctx, part_of(p), TULLE_NON_UNIT, p->trans, t->A, p->x, p->y,
                                   converts);
}

static tulle_status verify(const bench_problem *p, const void *x, double *units) {
    const reference *r = p->own;
    const tool_trisolve_claim claim = {.A = &r->csr,
                                       .part = part_of(p),
                                       .diag = TULLE_NON_UNIT,
                                       .op = p->trans,
                                       .type = p->info.type,
                                       .vectors = p->block.vectors,
                                       .alpha = 1,
                                       .b = r->b,
                                       .x = x};
    tool_error_found found;
    tulle_status status = tool_verify_trisolve(&claim, &found);
    *units = found.units;
    return status;
}

static tulle_status error_of(const bench_problem *p, void *state, double *units) {
    (void)state;
    *units = (double)NAN;
    if (!p->own) return TULLE_OK;
    void *x = tool_block_host(p->y);
    tulle_status status = tool_block_read(p->ctx, p->y, x);
    if (status == TULLE_OK) status = verify(p, x, units);
    free(x);
    return status;
}

const bench_actor bench_actor_trisolve = {
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
    .reset = bench_problem_poison,
    .error = error_of,
};
