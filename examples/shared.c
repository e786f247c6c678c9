/* SPDX-License-Identifier: Apache-2.0 */
/* The temperature of a plate whose edge is held at 0, by threads that share the rows of the system:
 * each makes its own rows of the 5-point stencil and of the right-hand side, and keeps its own part
 * of the temperature. Multigrid over all rows is the preconditioner. With MPI each rank does what a
 * thread does here, with a communicator of tulle_comm_create_mpi (tulle/comm_mpi.h). Usage:
 * example-shared [points along a side]
 */
#include <math.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <tulle/tulle.h>

enum { RANKS = 4, STENCIL = 5 };

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

/* One thread: its communicator, and how it went. */
typedef struct {
    tulle_comm *comm;
    int64_t side;
    tulle_solver_report report;
    double middle; /* temperature in the middle of the plate; rank 0 alone knows it */
} worker;

/* Appends the entry of a neighbour at (x, y), unless that is on the edge. */
static void neighbour(int64_t side, int64_t x, int64_t y, int64_t *columns, double *values,
                      int64_t *count) {
    if (x < 0 || y < 0 || x >= side || y >= side) return;
    columns[*count] = y * side + x;
    values[(*count)++] = -1;
}

/* Makes rows `first` to first + rows - 1 of the matrix. */
static tulle_dist_mat *make_rows(tulle_ctx *ctx, tulle_comm *comm, int64_t side, int64_t first,
                                 int64_t rows) {
    int64_t *offsets = malloc(((size_t)rows + 1) * sizeof *offsets), count = 0;
    int64_t *columns = malloc((size_t)rows * STENCIL * sizeof *columns);
    double *values = malloc((size_t)rows * STENCIL * sizeof *values);
    tulle_dist_mat *A;
    if (!offsets || !columns || !values) exit(EXIT_FAILURE);
    for (int64_t i = 0; i < rows; i++) {
        const int64_t x = (first + i) % side, y = (first + i) / side;
        offsets[i] = count;
        neighbour(side, x, y - 1, columns, values, &count);
        neighbour(side, x - 1, y, columns, values, &count);
        columns[count] = first + i;
        values[count++] = 4;
        neighbour(side, x + 1, y, columns, values, &count);
        neighbour(side, x, y + 1, columns, values, &count);
    }
    offsets[rows] = count;
    check(tulle_dist_mat_create(ctx, comm, rows, rows, offsets, columns, TULLE_F64, values, &A));
    free(offsets);
    free(columns);
    free(values);
    return A;
}

/* Multigrid, of which levels of more than a thousand rows are shared as A is. The default suits
 * large systems; this one would be gathered at once. */
static tulle_linop *make_multigrid(tulle_ctx *ctx, tulle_dist_mat *A) {
    const tulle_amg_options options = {.gathered_rows = 1000};
    tulle_linop *M;
    check(tulle_amg_create_dist(ctx, A, &options, &M));
    return M;
}

static void *work(void *user) {
    worker *w = user;
    const int rank = tulle_comm_rank(w->comm), ranks = tulle_comm_ranks(w->comm);
    const int64_t n = w->side * w->side;
    int64_t first;
    const int64_t rows = tulle_dist_share(n, ranks, rank, &first);
    double *T = rank == 0 ? malloc((size_t)n * sizeof *T) : NULL;
    tulle_ctx *ctx;
    tulle_vec *b, *x;
    tulle_linop *L;
    tulle_solver *S;
    check(tulle_ctx_create("cpu:1", NULL, &ctx));
    tulle_dist_mat *A = make_rows(ctx, w->comm, w->side, first, rows);
    tulle_linop *M = make_multigrid(ctx, A);
    check(tulle_linop_from_dist(ctx, A, &L));
    check(tulle_vec_create(ctx, TULLE_F64, rows, &b));
    check(tulle_vec_create(ctx, TULLE_F64, rows, &x));
    check(tulle_vec_fill(ctx, b, 1));
    check(tulle_solver_create(ctx, L, M, NULL, &S));
    check(tulle_solver_run(ctx, S, b, x, &w->report));
    check(tulle_dist_gather(ctx, w->comm, x, 0, T));
    if (T) w->middle = T[n / 2];
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    tulle_vec_destroy(b);
    tulle_vec_destroy(x);
    tulle_comm_destroy(w->comm);
    tulle_ctx_destroy(ctx);
    free(T);
    return NULL;
}

int main(int argc, char **argv) {
    tulle_comm *comms[RANKS];
    pthread_t threads[RANKS];
    worker w[RANKS];
    const int64_t side = argc > 1 ? atoll(argv[1]) : 101;
    check(tulle_comm_create_threads(RANKS, 0, comms));
    for (int r = 0; r < RANKS; r++) {
        w[r] = (worker){.comm = comms[r], .side = side};
        if (pthread_create(&threads[r], NULL, work, &w[r]) != 0) return EXIT_FAILURE;
    }
    for (int r = 0; r < RANKS; r++) pthread_join(threads[r], NULL);
    printf("%s: %lld iterations by %d threads\n", tulle_outcome_text(w[0].report.outcome),
           (long long)w[0].report.iterations, (int)RANKS);
    /* The solution of -(T_xx + T_yy) = 1 on the unit square is 0.0737 in the middle. */
    const double middle = w[0].middle / (double)((side + 1) * (side + 1));
    printf("in the middle: %.4f\n", middle);
    return w[0].report.outcome == TULLE_CONVERGED && fabs(middle - 0.0737) < 1e-3 ? EXIT_SUCCESS
                                                                                  : EXIT_FAILURE;
}
