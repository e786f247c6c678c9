/* SPDX-License-Identifier: Apache-2.0 */
/* Peers of all methods of cuSPARSE and cuBLAS: from a problem to the graph of its iterations. */
#if defined(TULLE_PEER_CUSPARSE) && defined(TULLE_PEER_CUBLAS)
#include <math.h>
#include <stdlib.h>

#include "lab/peers/krylov.h"
#include "tools/common/error.h"

/* A graph has CALLS iterations: an even number, as methods have scalars that alternate. */
enum { CALLS = 10, MOST = 10000 };

/* The last scalar; its square root is a norm. */
enum { SQUARE = KRYLOV_SCALARS - 1 };

static tulle_status norm_of(const krylov *k, int vector, double *norm) {
    union {
        float f32[KRYLOV_SCALARS];
        double f64[KRYLOV_SCALARS];
    } host;
    KRYLOV_TRY(krylov_dot(k, vector, vector, SQUARE));
    KRYLOV_TRY(tulle_vec_read(k->problem->ctx, k->scalars, &host, 0));
    *norm = sqrt(k->type == TULLE_F32 ? (double)host.f32[SQUARE] : host.f64[SQUARE]);
    return TULLE_OK;
}

/* Tulle's default tolerance. */
static const double tolerance[] = {[TULLE_F32] = 1e-5, [TULLE_F64] = 1e-8};

static tulle_status find_length(krylov *k) {
    const krylov_method *m = k->method;
    double limit = 0, norm = 0;
    KRYLOV_TRY(norm_of(k, KRYLOV_B, &limit));
    limit *= tolerance[k->type];
    KRYLOV_TRY(m->start(k));
    KRYLOV_TRY(norm_of(k, m->residual, &norm));
    for (k->iterations = 0; !(norm <= limit) && k->iterations < MOST; k->iterations++) {
        KRYLOV_TRY(m->iterate(k));
        KRYLOV_TRY(norm_of(k, m->residual, &norm));
    }
    if (norm <= limit && k->iterations > 0) return TULLE_OK;
    return tool_record(TULLE_UNSUPPORTED, "cuSPARSE's ILU(0): the method does not converge");
}

/* Runs some iterations outside of a graph, so that all code that iterations need is loaded. */
static tulle_status run_some(krylov *k) {
    const krylov_method *m = k->method;
    const int some = m->cycle > 0 ? m->cycle : 2;
    tulle_status status = m->start(k);
    k->iterations = k->problem->iterations;
    for (int i = 0; i < some && status == TULLE_OK; i++) status = m->iterate(k);
    return status;
}

/* Gives up the graph where SpSV cannot be captured: iterations are then started one by one. */
static tulle_status do_without(krylov *k) {
    (void)tool_error_line();
    (void)bench_graph_close(k->problem->ctx, &k->graph);
    k->graph = (bench_graph){.stream = NULL};
    k->calls = 0;
    return TULLE_OK;
}

/* Captures iterations; for a whole solution, the number of iterations that reaches the tolerance is
 * found first. */
static tulle_status capture(krylov *k, trial_task *task) {
    const krylov_method *m = k->method;
    const bool whole = k->problem->whole;
    KRYLOV_TRY(whole ? find_length(k) : run_some(k));
    KRYLOV_TRY(m->start(k));
    task->iterations = k->iterations;
    if (m->cycle > 0) k->iterations = m->cycle;
    k->calls = whole || m->cycle > 0 ? k->iterations : CALLS;
    tulle_status status =
        bench_graph_open(k->problem->ctx, m->iterate, k, (int)k->calls, &k->graph);
    return status != TULLE_OK && whole ? do_without(k) : status;
}

/* Starts all iterations, or, for a method with cycles, one cycle. */
static tulle_status launch(krylov *k) {
    tulle_status status = TULLE_OK;
    for (int64_t i = 0; i < k->iterations && status == TULLE_OK; i += k->calls > 0 ? k->calls : 1) {
        status = k->calls > 0 ? bench_graph_launch((void *)&k->graph) : k->method->iterate(k);
    }
    return status;
}

static tulle_status open_task(const krylov_method *method, const krylov_way *way,
                              const trial_problem *problem, krylov *k, trial_task *task) {
    if (problem->whole && method->cycle > 0) {
        return tool_record(TULLE_UNSUPPORTED, "methods of cuSPARSE and cuBLAS here: whole cycles");
    }
    KRYLOV_TRY(krylov_open(problem, *way, method->own, k, task));
    k->method = method;
    if (method->make) KRYLOV_TRY(method->make(k, task));
    return capture(k, task);
}

tulle_status krylov_prepare(const krylov_method *method, const krylov_way *way,
                            const trial_problem *problem, trial_task *task) {
    krylov *k = tool_alloc(1, method->bytes);
    *task = (trial_task){.state = k};
    tulle_status status = open_task(method, way, problem, k, task);
    if (status != TULLE_OK) krylov_finish(k);
    return status;
}

tulle_status krylov_run(void *task) {
    krylov *k = task;
    const krylov_method *m = k->method;
    KRYLOV_TRY(m->start(k));
    if (m->cycle == 0) return launch(k);
    for (int64_t i = 0; i < k->problem->iterations; i += m->cycle) {
        KRYLOV_TRY(launch(k));
        KRYLOV_TRY(m->end_cycle(k));
    }
    return TULLE_OK;
}

void krylov_finish(void *task) {
    krylov *k = task;
    if (k->problem) {
        (void)tulle_ctx_synchronize(k->problem->ctx);
        if (k->graph.stream) (void)bench_graph_close(k->problem->ctx, &k->graph);
        krylov_close(k);
    }
    if (k->method && k->method->release) k->method->release(k);
    free(k);
}

#endif
