/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators over NCCL, for threads with a GPU each: what they solve has the bits of what
 * threads solve whose messages go by way of host memory. Contexts on a CPU are refused, in all
 * threads. */
#define _POSIX_C_SOURCE 200809L
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tulle/advanced.h"
#include "tulle/comm_nccl.h"
#include "tulle/tulle.h"

enum { RANKS = 2, SIDE = 30, N = SIDE * SIDE, STENCIL = 3 };

typedef struct {
    tulle_comm *comm;
    int rank;
    bool on_gpus, by_nccl;
    tulle_status status;
    char words[256];
    double *x; /* all numbers of the solution, in rank 0 */
    tulle_solver_report report;
} worker;

/* Rows of a band: 4 in the middle, and -1 far to the left and to the right. */
static tulle_status make_rows(tulle_ctx *ctx, tulle_comm *comm, int64_t first, int64_t rows,
                              tulle_dist_mat **A) {
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets), count = 0;
    int64_t *columns = calloc((size_t)rows * STENCIL, sizeof *columns);
    double *values = calloc((size_t)rows * STENCIL, sizeof *values);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t step = -1; step <= 1; step++) {
            const int64_t column = first + i + step * SIDE;
            if (column < 0 || column >= N) continue;
            columns[count] = column;
            values[count++] = step == 0 ? 4 : -1;
        }
        offsets[i + 1] = count;
    }
    const tulle_status status =
        tulle_dist_mat_create(ctx, comm, rows, rows, offsets, columns, TULLE_F64, values, A);
    free(offsets);
    free(columns);
    free(values);
    return status;
}

static tulle_status solve(tulle_ctx *ctx, tulle_comm *comm, worker *w) {
    int64_t first;
    const int64_t rows = tulle_dist_share(N, RANKS, w->rank, &first);
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *x = NULL;
    tulle_status status = make_rows(ctx, comm, first, rows, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(ctx, A, &L);
    if (status == TULLE_OK) status = tulle_linop_jacobi(ctx, L, &M);
    if (status == TULLE_OK) status = tulle_solver_create(ctx, L, M, NULL, &S);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, rows, &x);
    if (status == TULLE_OK) status = tulle_vec_random(ctx, b, (uint64_t)w->rank + 1);
    if (status == TULLE_OK) status = tulle_solver_run(ctx, S, b, x, &w->report);
    if (status == TULLE_OK) status = tulle_dist_gather(ctx, comm, x, 0, w->x);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

static void *work(void *user) {
    worker *w = user;
    char where[16];
    tulle_ctx *ctx = NULL;
    tulle_comm *comm = NULL;
    snprintf(where, sizeof where, w->on_gpus ? "cuda:%d" : "cpu:1", w->rank);
    w->status = tulle_ctx_create(where, NULL, &ctx);
    if (w->status == TULLE_OK && w->by_nccl) {
        w->status = tulle_comm_create_nccl(ctx, w->comm, &comm);
    }
    if (w->status == TULLE_OK) w->status = solve(ctx, comm ? comm : w->comm, w);
    if (w->status != TULLE_OK) {
        snprintf(w->words, sizeof w->words, "%s", tulle_last_error()->message);
    }
    tulle_comm_destroy(comm);
    tulle_comm_destroy(w->comm);
    tulle_ctx_destroy(ctx);
    return NULL;
}

/* Runs all threads; returns the first failure. */
static tulle_status run(bool on_gpus, bool by_nccl, double *x, tulle_solver_report *report) {
    tulle_comm *comms[RANKS];
    pthread_t threads[RANKS];
    worker w[RANKS] = {{.comm = NULL}};
    if (tulle_comm_create_threads(RANKS, 60, comms) != TULLE_OK) return TULLE_OUT_OF_MEMORY;
    for (int r = 0; r < RANKS; r++) {
        w[r] =
            (worker){.comm = comms[r], .rank = r, .on_gpus = on_gpus, .by_nccl = by_nccl, .x = x};
        if (pthread_create(threads + r, NULL, work, w + r) != 0) abort();
    }
    for (int r = 0; r < RANKS; r++) pthread_join(threads[r], NULL);
    *report = w[0].report;
    for (int r = 0; r < RANKS; r++) {
        if (w[r].status == TULLE_OK) continue;
        printf("rank %d: %s\n", r, w[r].words);
        return w[r].status;
    }
    return TULLE_OK;
}

int main(void) {
    static double x[N], y[N];
    tulle_solver_report first, second;
    if (run(false, true, x, &first) != TULLE_UNSUPPORTED) return EXIT_FAILURE;
    if (tulle_device_count(TULLE_CUDA) < RANKS) {
        printf("skipped: NCCL: this machine has not %d GPUs\n", (int)RANKS);
        return EXIT_SUCCESS;
    }
    if (run(true, true, x, &first) != TULLE_OK) return EXIT_FAILURE;
    if (run(true, false, y, &second) != TULLE_OK) return EXIT_FAILURE;
    printf("%lld and %lld iterations\n", (long long)first.iterations, (long long)second.iterations);
    const bool alike = first.outcome == TULLE_CONVERGED && first.iterations == second.iterations &&
                       memcmp(x, y, sizeof x) == 0;
    return alike ? EXIT_SUCCESS : EXIT_FAILURE;
}
