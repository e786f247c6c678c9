/* SPDX-License-Identifier: Apache-2.0 */
/* Products in a row, without a wait between them, each of which reads what the one before it
 * writes: as x, as y, as alpha and as beta. A kernel that starts early (gpu::launch_early) and
 * loads any of these before it has awaited the previous grid sees old numbers. Every kernel, every
 * format, either product; all numbers are integers that sums hold exactly. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layouts.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/spmm.h"
#include "zoo.h"

enum { N = 200, MOST = 8 * N, VECTORS = 3, OPERANDS = 3 };

/* One row holds most columns, every seventh none; or all have five diagonals, as a grid. */
static zoo_matrix uneven(void) {
    static int64_t offsets[N + 1], columns[MOST];
    static double values[MOST];
    int64_t nnz = 0;
    for (int64_t i = 0; i < N; i++) {
        offsets[i] = nnz;
        int64_t step = i == 77 ? 1 : 61;
        for (int64_t j = i * 13 % step; i % 7 != 3 && j < N; j += step) {
            columns[nnz] = j;
            values[nnz++] = (double)(1 + (i + j) % 3);
        }
    }
    offsets[N] = nnz;
    return (zoo_matrix){"uneven", N, N, nnz, offsets, columns, values};
}

static zoo_matrix banded(void) {
    static const int64_t diagonals[] = {-14, -1, 0, 1, 14};
    static int64_t offsets[N + 1], columns[MOST];
    static double values[MOST];
    int64_t nnz = 0;
    for (int64_t i = 0; i < N; i++) {
        offsets[i] = nnz;
        for (int d = 0; d < 5; d++) {
            int64_t j = i + diagonals[d];
            if (j < 0 || j >= N) continue;
            columns[nnz] = j;
            values[nnz++] = (double)(1 + (i + j) % 3);
        }
    }
    offsets[N] = nnz;
    return (zoo_matrix){"banded", N, N, nnz, offsets, columns, values};
}

/* A scalar: a number, or where in the first operand's result it stands. */
typedef struct {
    double number;
    int at; /* of operand 1; -1: a number */
} factor;

/* operand y := alpha op(A) (operand x) + beta (operand y) */
typedef struct {
    int x, y;
    factor alpha, beta;
} step;

static const step steps[] = {
    {0, 1, {1, -1}, {2, -1}},   /* 1 is read and written, */
    {1, 2, {0, 0}, {0, N / 2}}, /* is x and both scalars of the next, */
    {2, 1, {-1, -1}, {3, -1}},  /* and is overwritten while that may still read it */
    {1, 2, {2, -1}, {1, -1}},
};
enum { STEPS = sizeof steps / sizeof *steps };

/* N x vectors numbers, packed. */
typedef struct {
    int64_t vectors;
    tulle_layout layout;
    double of[OPERANDS][N * VECTORS];
} numbers;

static double *number_at(numbers *n, int operand, int64_t i, int64_t j) {
    int64_t at = n->layout == TULLE_ROW_MAJOR ? i * n->vectors + j : j * N + i;
    return &n->of[operand][at];
}

static numbers start(int64_t vectors, tulle_layout layout) {
    numbers n = {.vectors = vectors, .layout = layout};
    for (int o = 0; o < OPERANDS; o++) {
        for (int i = 0; i < N * vectors; i++) n.of[o][i] = (double)(1 + (i + o) % 3);
    }
    return n;
}

static double value_of(const numbers *n, const factor *f) {
    return f->at < 0 ? f->number : n->of[1][f->at];
}

/* By the definition. */
static void expected(const zoo_matrix *m, tulle_trans op, numbers *n) {
    for (int s = 0; s < STEPS; s++) {
        double alpha = value_of(n, &steps[s].alpha), beta = value_of(n, &steps[s].beta);
        assert_true(beta != 0);
        for (int64_t j = 0; j < n->vectors; j++) {
            double sums[N] = {0};
            for (int64_t i = 0; i < N; i++) {
                for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
                    int64_t from = op == TULLE_N ? m->columns[e] : i;
                    int64_t to = op == TULLE_N ? i : m->columns[e];
                    sums[to] += m->values[e] * *number_at(n, steps[s].x, from, j);
                }
            }
            for (int64_t i = 0; i < N; i++) {
                double *y = number_at(n, steps[s].y, i, j);
                *y = alpha * sums[i] + beta * *y;
            }
        }
    }
}

static tulle_scalar scalar(const factor *f, const tulle_vec_info *first) {
    if (f->at < 0) return tulle_num(f->number);
    return tulle_at((const double *)first->data + f->at);
}

/* All steps, and only then a wait. */
static tulle_status run(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op, numbers *n) {
    tulle_vec *of[OPERANDS];
    tulle_vec_info first;
    tulle_status status = TULLE_OK;
    for (int o = 0; o < OPERANDS; o++) {
        must(tulle_vec_create_columns(ctx, TULLE_F64, N, n->vectors, n->layout, 0, &of[o]));
        must(tulle_vec_write(ctx, of[o], n->of[o], 0));
    }
    must(tulle_vec_describe(of[1], &first));
    for (int s = 0; s < STEPS && status == TULLE_OK; s++) {
        status = tulle_spmm(ctx, op, scalar(&steps[s].alpha, &first), A, of[steps[s].x],
                            scalar(&steps[s].beta, &first), of[steps[s].y]);
    }
    for (int o = 0; o < OPERANDS; o++) {
        must(tulle_vec_read(ctx, of[o], n->of[o], 0));
        tulle_vec_destroy(of[o]);
    }
    return status;
}

/* How many chains were compared: 0 where the kernel does not take such operands. */
static int chain(tulle_ctx *ctx, const char *kernel, const tulle_mat *A, const zoo_matrix *m,
                 tulle_trans op, int64_t vectors, tulle_layout layout) {
    numbers want = start(vectors, layout), got = want;
    tulle_status status = run(ctx, A, op, &got);
    if (status == TULLE_UNSUPPORTED) return 0;
    must(status);
    expected(m, op, &want);
    for (int o = 0; o < OPERANDS; o++) {
        if (memcmp(want.of[o], got.of[o], (size_t)(N * vectors) * sizeof(double)) == 0) continue;
        fail_msg("%s, op %d, '%s', %d vectors, layout %d: operand %d differs", kernel, op, m->name,
                 (int)vectors, layout, o);
    }
    return 1;
}

static int both_products(tulle_ctx *ctx, const tulle_kernel_info *kernel, tulle_mat *A,
                         const zoo_matrix *m) {
    bool block = strcmp(kernel->operation, "spmm") == 0;
    int64_t vectors = block ? VECTORS : 1;
    int compared = 0;
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        if (!(op == TULLE_N ? kernel->forward : kernel->transposed)) continue;
        if (kernel->needs_plan) must(tulle_mat_plan(ctx, (tulle_trans)op, A, kernel->name));
        compared += chain(ctx, kernel->name, A, m, (tulle_trans)op, vectors, TULLE_COLUMN_MAJOR);
        if (!block) continue;
        compared += chain(ctx, kernel->name, A, m, (tulle_trans)op, vectors, TULLE_ROW_MAJOR);
    }
    return compared;
}

static int one_matrix(tulle_ctx *ctx, const tulle_kernel_info *kernel, const zoo_matrix *m) {
    tulle_mat *csr = zoo_mat(ctx, m, TULLE_I32, TULLE_F64);
    tulle_mat *A = layout_make(ctx, csr, kernel->format, TULLE_I32, 0);
    int compared = A ? both_products(ctx, kernel, A, m) : 0; /* not where it is mostly padding */
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
    return compared;
}

static void each_kernel(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    tulle_kernel_info kernel;
    zoo_matrix matrices[] = {uneven(), banded()};
    must(tulle_ctx_device(ctx, &device));
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        int compared = 0;
        must(tulle_kernel_describe(device.backend, i, &kernel));
        if (strncmp(kernel.operation, "spm", 3) != 0 || !is_wanted(kernel.name)) continue;
        must(tulle_ctx_force_kernel(ctx, kernel.name));
        for (int m = 0; m < 2; m++) compared += one_matrix(ctx, &kernel, &matrices[m]);
        if (compared == 0) fail_msg("%s: %s took nothing", where, kernel.name);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void test_chain(void **state) {
    (void)state;
    on_each_place(each_kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_chain)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
