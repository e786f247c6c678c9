/* SPDX-License-Identifier: Apache-2.0 */
/* Communicators over MPI, each rank a process: what they solve has the bits of what as many threads
 * solve; faults are told to all; a process that stays away ends the calls of the others. Runs under
 * mpirun, by the public interface alone; the first failure of each rank is printed. */
#define _POSIX_C_SOURCE 200809L
#include <mpi.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "tulle/comm_mpi.h"
#include "tulle/tulle.h"

static int failures;

#define CHECK(condition)                                                                           \
    do {                                                                                           \
        if (!(condition) && failures++ == 0) {                                                     \
            fprintf(stderr, "%s:%d: not so: %s (%s)\n", __FILE__, __LINE__, #condition,            \
                    tulle_last_error()->message);                                                  \
        }                                                                                          \
    } while (0)

/* The whole matrix and right-hand side, which each process makes, and the solution in rank 0. */
typedef struct {
    int64_t n, nnz, *offsets, *columns;
    double *values, *b, *x;
    bool multigrid; /* the preconditioner, instead of the diagonal */
} problem;

static void make(problem *p) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *wide = NULL;
    CHECK(tulle_ctx_create("cpu:1", NULL, &ctx) == TULLE_OK);
    CHECK(tulle_generate(ctx, "p3d7:9", 0, TULLE_F64, &A) == TULLE_OK);
    CHECK(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, 0, &wide) == TULLE_OK);
    p->n = tulle_mat_rows(A);
    p->nnz = tulle_mat_nnz(A);
    p->offsets = calloc((size_t)p->n + 1, sizeof *p->offsets);
    p->columns = calloc((size_t)p->nnz, sizeof *p->columns);
    p->values = calloc((size_t)p->nnz, sizeof *p->values);
    p->b = calloc((size_t)p->n, sizeof *p->b);
    p->x = calloc((size_t)p->n, sizeof *p->x);
    CHECK(tulle_mat_read(ctx, wide, p->offsets, NULL, p->columns, p->values) == TULLE_OK);
    for (int64_t i = 0; i < p->n; i++) p->b[i] = (double)(i * i % 101) / 101 - 0.3;
    tulle_mat_destroy(A);
    tulle_mat_destroy(wide);
    tulle_ctx_destroy(ctx);
}

static void drop(problem *p) {
    free(p->offsets);
    free(p->columns);
    free(p->values);
    free(p->b);
    free(p->x);
}

static tulle_status make_matrix(tulle_ctx *ctx, tulle_comm *comm, const problem *p,
                                tulle_dist_mat **A) {
    int64_t first;
    const int64_t rows =
        tulle_dist_share(p->n, tulle_comm_ranks(comm), tulle_comm_rank(comm), &first);
    int64_t *offsets = calloc((size_t)rows + 1, sizeof *offsets);
    for (int64_t i = 0; i <= rows; i++) offsets[i] = p->offsets[first + i] - p->offsets[first];
    const tulle_status status =
        tulle_dist_mat_create(ctx, comm, rows, rows, offsets, p->columns + p->offsets[first],
                              TULLE_F64, p->values + p->offsets[first], A);
    free(offsets);
    return status;
}

/* Levels of 729 rows, of a few hundred and of fewer are shared. */
static tulle_status make_preconditioner(tulle_ctx *ctx, const problem *p, tulle_dist_mat *A,
                                        tulle_linop *L, tulle_linop **M) {
    const tulle_amg_options options = {.gathered_rows = 1, .coarsest_rows = 20};
    return p->multigrid ? tulle_amg_create_dist(ctx, A, &options, M)
                        : tulle_linop_jacobi(ctx, L, M);
}

/* Solves A x = b. */
static tulle_status solve(tulle_ctx *ctx, tulle_comm *comm, problem *p, double *x,
                          tulle_solver_report *report) {
    int64_t first;
    const int64_t rows =
        tulle_dist_share(p->n, tulle_comm_ranks(comm), tulle_comm_rank(comm), &first);
    tulle_dist_mat *A = NULL;
    tulle_linop *L = NULL, *M = NULL;
    tulle_solver *S = NULL;
    tulle_vec *b = NULL, *y = NULL;
    tulle_status status = make_matrix(ctx, comm, p, &A);
    if (status == TULLE_OK) status = tulle_linop_from_dist(ctx, A, &L);
    if (status == TULLE_OK) status = make_preconditioner(ctx, p, A, L, &M);
    if (status == TULLE_OK) status = tulle_solver_create(ctx, L, M, NULL, &S);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, rows, &b);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, rows, &y);
    if (status == TULLE_OK) status = tulle_vec_write(ctx, b, p->b + first, 0);
    if (status == TULLE_OK) status = tulle_solver_run(ctx, S, b, y, report);
    if (status == TULLE_OK) status = tulle_dist_gather(ctx, comm, y, 0, x);
    tulle_vec_destroy(b);
    tulle_vec_destroy(y);
    tulle_solver_destroy(S);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    tulle_dist_mat_destroy(A);
    return status;
}

/* The threads of one process that solve the same. */
typedef struct {
    problem *p;
    tulle_comm *comm;
    tulle_solver_report report;
    double *x;
    tulle_status status;
} peer;

static void *run_peer(void *user) {
    peer *t = user;
    tulle_ctx *ctx = NULL;
    t->status = tulle_ctx_create("cpu:1", NULL, &ctx);
    if (t->status == TULLE_OK) t->status = solve(ctx, t->comm, t->p, t->x, &t->report);
    tulle_comm_destroy(t->comm);
    tulle_ctx_destroy(ctx);
    return NULL;
}

static int64_t solve_by_threads(problem *p, int ranks, double *x) {
    tulle_comm *comms[8];
    pthread_t threads[8];
    peer t[8] = {{.p = NULL}};
    CHECK(tulle_comm_create_threads(ranks, 0, comms) == TULLE_OK);
    for (int r = 0; r < ranks; r++) {
        t[r] = (peer){.p = p, .comm = comms[r], .x = x};
        CHECK(pthread_create(threads + r, NULL, run_peer, t + r) == 0);
    }
    for (int r = 0; r < ranks; r++) {
        pthread_join(threads[r], NULL);
        CHECK(t[r].status == TULLE_OK);
    }
    return t[0].report.iterations;
}

static void test_solve(tulle_ctx *ctx, tulle_comm *comm, problem *p) {
    const int ranks = tulle_comm_ranks(comm);
    tulle_solver_report report = {.iterations = 0};
    CHECK(solve(ctx, comm, p, p->x, &report) == TULLE_OK);
    CHECK(report.outcome == TULLE_CONVERGED);
    if (tulle_comm_rank(comm) > 0) return;
    double *x = calloc((size_t)p->n, sizeof *x);
    CHECK(solve_by_threads(p, ranks, x) == report.iterations);
    CHECK(memcmp(x, p->x, (size_t)p->n * sizeof *x) == 0);
    CHECK(llabs((long long)(solve_by_threads(p, 1, x) - report.iterations)) <= 1);
    free(x);
}

/* The transposed product, which sends the other way, of a symmetric matrix; the gathered matrix. */
static void test_products(tulle_ctx *ctx, tulle_comm *comm, const problem *p) {
    const int ranks = tulle_comm_ranks(comm), rank = tulle_comm_rank(comm);
    const int64_t rows = tulle_dist_share(p->n, ranks, rank, NULL);
    tulle_dist_mat *A = NULL;
    tulle_mat *whole = NULL;
    tulle_vec *X = NULL, *Y = NULL, *Z = NULL;
    double norms[3] = {0, 0, 0}, of_differences[3] = {1, 1, 1};
    CHECK(make_matrix(ctx, comm, p, &A) == TULLE_OK);
    tulle_vec **const all[] = {&X, &Y, &Z};
    for (int i = 0; i < 3; i++) {
        CHECK(tulle_vec_create_columns(ctx, TULLE_F64, rows, 3, TULLE_ROW_MAJOR, 0, all[i]) ==
              TULLE_OK);
    }
    CHECK(tulle_vec_random(ctx, X, (uint64_t)rank + 1) == TULLE_OK);
    CHECK(tulle_dist_mat_multiply(ctx, TULLE_N, tulle_num(1), A, X, tulle_num(0), Y) == TULLE_OK);
    CHECK(tulle_dist_mat_multiply(ctx, TULLE_T, tulle_num(1), A, X, tulle_num(0), Z) == TULLE_OK);
    CHECK(tulle_dist_norm2(ctx, comm, Y, norms) == TULLE_OK);
    CHECK(tulle_vec_axpy(ctx, tulle_num(-1), Y, Z) == TULLE_OK);
    CHECK(tulle_dist_norm2(ctx, comm, Z, of_differences) == TULLE_OK);
    for (int c = 0; c < 3; c++) CHECK(norms[c] > 1 && of_differences[c] <= 1e-14 * norms[c]);
    CHECK(tulle_dist_mat_gather(ctx, A, ranks - 1, &whole) == TULLE_OK);
    CHECK((whole != NULL) == (rank == ranks - 1));
    CHECK(!whole || tulle_mat_nnz(whole) == p->nnz);
    for (int i = 0; i < 3; i++) tulle_vec_destroy(*all[i]);
    tulle_mat_destroy(whole);
    tulle_dist_mat_destroy(A);
}

/* A A^T, which is A A, and its sum with itself, as one process makes them. */
static void test_algebra(tulle_ctx *ctx, tulle_comm *comm, const problem *p) {
    const tulle_scalar one = tulle_num(1);
    tulle_dist_mat *A = NULL, *T = NULL, *square = NULL, *twice = NULL;
    tulle_mat *got = NULL, *whole = NULL, *due = NULL;
    CHECK(make_matrix(ctx, comm, p, &A) == TULLE_OK);
    CHECK(tulle_dist_mat_transpose(ctx, A, &T) == TULLE_OK);
    CHECK(tulle_dist_spgemm(ctx, one, A, T, &square) == TULLE_OK);
    CHECK(tulle_dist_add(ctx, one, square, one, square, &twice) == TULLE_OK);
    CHECK(tulle_dist_mat_gather(ctx, twice, 0, &got) == TULLE_OK);
    CHECK(tulle_mat_create_csr(ctx, p->n, p->n, p->nnz, TULLE_I64, p->offsets, p->columns,
                               TULLE_F64, p->values, NULL, &whole) == TULLE_OK);
    CHECK(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(2), whole, whole, NULL, NULL, &due) ==
          TULLE_OK);
    if (got) {
        const int64_t nnz = tulle_mat_nnz(due);
        double *a = calloc((size_t)nnz, sizeof *a), *b = calloc((size_t)nnz, sizeof *b);
        CHECK(tulle_mat_nnz(got) == nnz);
        CHECK(tulle_mat_read(ctx, got, NULL, NULL, NULL, a) == TULLE_OK);
        CHECK(tulle_mat_read(ctx, due, NULL, NULL, NULL, b) == TULLE_OK);
        CHECK(memcmp(a, b, (size_t)nnz * sizeof *a) == 0);
        free(a);
        free(b);
    }
    tulle_dist_mat_destroy(A);
    tulle_dist_mat_destroy(T);
    tulle_dist_mat_destroy(square);
    tulle_dist_mat_destroy(twice);
    tulle_mat_destroy(got);
    tulle_mat_destroy(whole);
    tulle_mat_destroy(due);
}

/* An argument that differs is named in all processes; after that the communicator is as before. */
static void test_faults(tulle_ctx *ctx, tulle_comm *comm) {
    const int64_t offsets[] = {0, 1}, columns[] = {0};
    const double values[] = {1};
    const int rank = tulle_comm_rank(comm);
    tulle_dist_mat *A = NULL;
    CHECK(tulle_dist_mat_create(ctx, comm, 1, 1, offsets, columns, rank ? TULLE_F64 : TULLE_F32,
                                values, &A) == TULLE_INVALID_ARGUMENT);
    CHECK(strcmp(tulle_last_error()->argument, "type") == 0);
    CHECK(tulle_dist_mat_create(ctx, comm, 1, 1, rank ? offsets : NULL, columns, TULLE_F64, values,
                                &A) == (rank ? TULLE_PEER_FAILED : TULLE_INVALID_ARGUMENT));
    CHECK(!A);
    MPI_Comm none = MPI_COMM_NULL;
    tulle_comm *other = NULL;
    CHECK(tulle_comm_create_mpi(&none, 0, &other) == TULLE_INVALID_ARGUMENT);
    CHECK(tulle_comm_create_mpi(NULL, 0, &other) == TULLE_INVALID_ARGUMENT);
    CHECK(tulle_comm_create_mpi_fortran(MPI_Comm_c2f(none), 0, &other) == TULLE_INVALID_ARGUMENT);
    CHECK(!other);
    CHECK(tulle_comm_create_mpi_fortran(MPI_Comm_c2f(MPI_COMM_WORLD), 0, &other) == TULLE_OK);
    CHECK(tulle_comm_rank(other) == rank);
    tulle_comm_destroy(other);
}

/* Vectors that do not match are named in all processes, with checking on, and the communicator
 * remains. */
static void test_checking(tulle_ctx *ctx, MPI_Comm world) {
    tulle_comm *comm = NULL;
    tulle_vec *X = NULL;
    double dots[2];
    CHECK(tulle_comm_create_mpi(&world, 30, &comm) == TULLE_OK);
    CHECK(tulle_comm_set_checking(comm, true) == TULLE_OK);
    const int cols = tulle_comm_rank(comm) == 0 ? 1 : 2;
    CHECK(tulle_vec_create_columns(ctx, TULLE_F64, 0, cols, TULLE_COLUMN_MAJOR, 0, &X) == TULLE_OK);
    CHECK(tulle_dist_dot(ctx, comm, X, X, dots) == TULLE_INVALID_ARGUMENT);
    CHECK(strstr(tulle_last_error()->message, "differs between rank 0 and rank 1") != NULL);
    tulle_vec_destroy(X);
    CHECK(tulle_vec_create_columns(ctx, TULLE_F64, 0, 1, TULLE_COLUMN_MAJOR, 0, &X) == TULLE_OK);
    CHECK(tulle_dist_dot(ctx, comm, X, X, dots) == TULLE_OK && dots[0] == 0);
    tulle_vec_destroy(X);
    tulle_comm_destroy(comm);
}

/* A matrix of two rows in each process, each row with its neighbours. */
static tulle_dist_mat *make_chain(tulle_ctx *ctx, tulle_comm *comm) {
    const int64_t n = 2 * (int64_t)tulle_comm_ranks(comm);
    int64_t offsets[3] = {0, 0, 0}, columns[6];
    double values[6];
    tulle_dist_mat *A = NULL;
    for (int64_t i = 0, nnz = 0; i < 2; i++) {
        const int64_t row = 2 * tulle_comm_rank(comm) + i;
        for (int64_t j = row > 0 ? row - 1 : 0; j <= row + 1 && j < n; j++) {
            columns[nnz] = j;
            values[nnz++] = 1;
        }
        offsets[i + 1] = nnz;
    }
    CHECK(tulle_dist_mat_create(ctx, comm, 2, 2, offsets, columns, TULLE_F64, values, &A) ==
          TULLE_OK);
    return A;
}

/* Multiplies so many columns of ones. */
static tulle_status multiply_columns(tulle_ctx *ctx, tulle_dist_mat *A, int64_t cols) {
    tulle_vec *X = NULL, *Y = NULL;
    CHECK(tulle_vec_create_columns(ctx, TULLE_F64, 2, cols, TULLE_ROW_MAJOR, 0, &X) == TULLE_OK);
    CHECK(tulle_vec_create_columns(ctx, TULLE_F64, 2, cols, TULLE_ROW_MAJOR, 0, &Y) == TULLE_OK);
    CHECK(tulle_vec_fill(ctx, X, 1) == TULLE_OK);
    const tulle_status status =
        tulle_dist_mat_multiply(ctx, TULLE_N, tulle_num(1), A, X, tulle_num(0), Y);
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    return status;
}

/* Pieces that are shorter, in rank 0 longer, than is expected of them. */
static void test_lengths(tulle_ctx *ctx, MPI_Comm world) {
    tulle_comm *comm = NULL;
    CHECK(tulle_comm_create_mpi(&world, 30, &comm) == TULLE_OK);
    const int rank = tulle_comm_rank(comm);
    tulle_dist_mat *A = make_chain(ctx, comm);
    CHECK(multiply_columns(ctx, A, 3) == TULLE_OK);
    const tulle_status status = multiply_columns(ctx, A, rank == 0 ? 1 : 2);
    const bool fails = rank < 2 && tulle_comm_ranks(comm) > 1;
    CHECK(status == (fails ? TULLE_PEER_FAILED : TULLE_OK));
    CHECK(!fails || strstr(tulle_last_error()->message, "do not match"));
    MPI_Barrier(world); /* while rank 2 waits, rank 1 has to answer */
    tulle_dist_mat_destroy(A);
    if (!fails && tulle_comm_ranks(comm) > 1) return; /* others do not free it */
    tulle_comm_destroy(comm);
}

/* By MPI's interface for profilers: rank 0 stands still in the midst of an exchange, until a signal
 * of rank 1's. */
static bool stands_still;
static volatile sig_atomic_t released;
static void release(int number) {
    (void)number;
    released = 1;
}
__attribute__((visibility("default"))) int MPI_Testall(int count, MPI_Request requests[], int *done,
                                                       MPI_Status statuses[]) {
    for (int i = 0; i < 20000 && stands_still && !released; i++) {
        nanosleep(&(struct timespec){0, 1000000}, NULL);
    }
    return PMPI_Testall(count, requests, done, statuses);
}

/* Rank 1 returns after its timeout, although a message of rank 0's has begun to come. */
static void test_standstill(tulle_ctx *ctx, MPI_Comm world) {
    tulle_comm *comm = NULL;
    CHECK(tulle_comm_create_mpi(&world, 0.3, &comm) == TULLE_OK);
    const int rank = tulle_comm_rank(comm);
    tulle_dist_mat *A = make_chain(ctx, comm);
    long process = getpid();
    MPI_Bcast(&process, 1, MPI_LONG, 0, world);
    signal(SIGUSR1, release);
    MPI_Barrier(world);
    stands_still = rank == 0 && tulle_comm_ranks(comm) > 1;
    multiply_columns(ctx, A, 1 << 20); /* whether the message comes is for MPI to say */
    CHECK(!stands_still || released);
    stands_still = false;
    if (rank == 1) kill((pid_t)process, SIGUSR1);
    MPI_Barrier(world);
    tulle_dist_mat_destroy(A);
    /* The communicator stays: some processes may have failed, and do not free it. */
}

/* A process whose arguments are at fault does not make the duplicate, which the others await. */
static void test_stays_away(MPI_Comm world) {
    int rank = 0, ranks = 0;
    tulle_comm *comm = NULL;
    MPI_Comm_rank(world, &rank);
    MPI_Comm_size(world, &ranks);
    if (ranks == 1) return;
    const tulle_status status = tulle_comm_create_mpi(&world, rank == 0 ? -1 : 0.2, &comm);
    CHECK(status == (rank == 0 ? TULLE_INVALID_ARGUMENT : TULLE_PEER_FAILED));
    CHECK(!comm && strstr(tulle_last_error()->message, "timeout"));
    MPI_Barrier(world);
}

/* Rank 0 stays away until the others have given up. */
static void test_timeout(tulle_ctx *ctx, MPI_Comm world) {
    tulle_comm *comm = NULL;
    tulle_vec *x = NULL;
    double norm;
    CHECK(tulle_comm_create_mpi(&world, 0.2, &comm) == TULLE_OK);
    CHECK(tulle_vec_create(ctx, TULLE_F64, 0, &x) == TULLE_OK);
    if (tulle_comm_rank(comm) > 0) {
        CHECK(tulle_dist_norm2(ctx, comm, x, &norm) == TULLE_PEER_FAILED);
        CHECK(strstr(tulle_last_error()->message, "timeout") != NULL);
        CHECK(tulle_dist_norm2(ctx, comm, x, &norm) == TULLE_PEER_FAILED);
    }
    MPI_Barrier(world);
    tulle_vec_destroy(x);
    tulle_comm_destroy(comm);
}

int main(int argc, char **argv) {
    MPI_Comm world = MPI_COMM_WORLD;
    tulle_ctx *ctx = NULL;
    tulle_comm *comm = NULL;
    problem p = {.multigrid = false};
    CHECK(tulle_comm_create_mpi(&world, 0, &comm) == TULLE_INVALID_ARGUMENT); /* too early */
    CHECK(tulle_comm_create_mpi_fortran(0, 0, &comm) == TULLE_INVALID_ARGUMENT);
    MPI_Init(&argc, &argv);
    make(&p);
    CHECK(tulle_ctx_create("cpu:1", NULL, &ctx) == TULLE_OK);
    CHECK(tulle_comm_create_mpi(&world, 0, &comm) == TULLE_OK);
    test_solve(ctx, comm, &p);
    p.multigrid = true;
    test_solve(ctx, comm, &p);
    test_algebra(ctx, comm, &p);
    test_products(ctx, comm, &p);
    test_faults(ctx, comm);
    tulle_comm_destroy(comm);
    test_checking(ctx, world);
    test_timeout(ctx, world);
    test_lengths(ctx, world);
    test_standstill(ctx, world);
    test_stays_away(world);
    tulle_ctx_destroy(ctx);
    drop(&p);
    int all = 0;
    MPI_Allreduce(&failures, &all, 1, MPI_INT, MPI_SUM, world);
    MPI_Finalize();
    return all > 0;
}
