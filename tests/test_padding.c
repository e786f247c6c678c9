/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel of vectors, on a CPU with each value of each of its parameters, on matrices with
 * holes and one long row: an Inf in x stays out of the rows that have no entry there, however near
 * a padded slot is; and on a CPU nothing around y is written, not even with what it holds. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layouts.h"
#include "places.h"
#include "tulle/advanced.h"
#include "zoo.h"

enum { N = 45, AROUND = 64, LONGEST = N * N };

/* Entries where the function says so; values are small whole numbers, so that sums are exact. */
static zoo_matrix made(const char *name, bool (*there)(int64_t i, int64_t j)) {
    zoo_matrix m = {.name = name, .rows = N, .cols = N};
    m.offsets = calloc(N + 1, sizeof *m.offsets);
    m.columns = calloc(LONGEST, sizeof *m.columns);
    m.values = calloc(LONGEST, sizeof *m.values);
    assert_true(m.offsets && m.columns && m.values);
    for (int64_t i = 0; i < N; i++) {
        for (int64_t j = 0; j < N; j++) {
            if (!there(i, j)) continue;
            m.columns[m.nnz] = j;
            m.values[m.nnz++] = (double)(1 + (i + 3 * j) % 5);
        }
        m.offsets[i + 1] = m.nnz;
    }
    return m;
}

/* Holes in the lower half of each block of 8 only; in some of a band's bits; one long row. */
static bool low_holes(int64_t i, int64_t j) {
    return i % 8 < 4 || (i + j) % 3 > 0;
}
static bool band(int64_t i, int64_t j) {
    return i - j <= 2 && j - i <= 2 && !(i % 11 == 7 && j == i + 1) && (i > 40 || i != j + 2);
}
static bool long_row(int64_t i, int64_t j) {
    return i == 0 || j == i;
}

typedef struct {
    tulle_ctx *ctx;
    const zoo_matrix *m;
    tulle_mat *A;
    const char *spec;
    tulle_trans op;
} product;

/* Exact, but where column (or row) `infinite` has an entry. */
static void expect(const product *p, int64_t infinite, const double *y) {
    for (int64_t i = 0; i < N; i++) {
        double sum = 0;
        bool met = false;
        for (int64_t r = 0; r < N; r++) {
            for (int64_t e = p->m->offsets[r]; e < p->m->offsets[r + 1]; e++) {
                int64_t from = p->op == TULLE_N ? p->m->columns[e] : r;
                if ((p->op == TULLE_N ? r : p->m->columns[e]) != i) continue;
                met = met || from == infinite;
                sum += p->m->values[e] * (double)(from % 7);
            }
        }
        if (!met && y[i] != sum)
            fail_msg("%s on '%s', op %d, x[%d] infinite: y[%d] is %g, not %g", p->spec, p->m->name,
                     p->op, (int)infinite, (int)i, y[i], sum);
    }
}

static void run(const product *p, int64_t infinite, bool host) {
    double x_host[N], y_host[N + 2 * AROUND], untouched[AROUND];
    tulle_vec *x = NULL, *y = NULL;
    for (int i = 0; i < N; i++) x_host[i] = i == infinite ? (double)INFINITY : i % 7;
    /* a zero that is added to it would change its sign */
    for (int i = 0; i < N + 2 * AROUND; i++) y_host[i] = -0.0;
    for (int i = 0; i < AROUND; i++) untouched[i] = -0.0;
    must(tulle_vec_create(p->ctx, TULLE_F64, N, &x));
    must(tulle_vec_write(p->ctx, x, x_host, 0));
    if (host) {
        must(tulle_vec_wrap(p->ctx, TULLE_F64, N, 1, TULLE_COLUMN_MAJOR, 0, y_host + AROUND, &y));
    } else {
        must(tulle_vec_create(p->ctx, TULLE_F64, N, &y));
    }
    must(tulle_spmv(p->ctx, p->op, tulle_num(1), p->A, x, tulle_num(0), y));
    must(tulle_ctx_synchronize(p->ctx));
    if (!host) must(tulle_vec_read(p->ctx, y, y_host + AROUND, 0));
    expect(p, infinite, y_host + AROUND);
    if (memcmp(y_host, untouched, sizeof untouched) != 0 ||
        memcmp(y_host + AROUND + N, untouched, sizeof untouched) != 0)
        fail_msg("%s on '%s', op %d: y is not all that was written", p->spec, p->m->name, p->op);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
}

/* How many products the kernel took. */
static int both(product *p, const tulle_kernel_info *info, bool host, int step) {
    int taken = 0;
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        tulle_choice choice;
        p->op = (tulle_trans)op;
        if (!(op == TULLE_N ? info->forward : info->transposed)) continue;
        if (info->needs_plan) must(tulle_mat_plan(p->ctx, p->op, p->A, p->spec));
        tulle_status status = tulle_spmv_describe(p->ctx, p->op, p->A, true, &choice);
        if (status == TULLE_UNSUPPORTED) continue;
        must(status);
        for (int64_t infinite = -1; infinite < N; infinite += step) run(p, infinite, host);
        taken++;
    }
    return taken;
}

/* With each value of one parameter after the other; on the emulator with the defaults alone. */
static int each_value(product *p, tulle_backend backend, int kernel, const tulle_kernel_info *info,
                      bool slow) {
    char spec[128];
    int taken = 0;
    for (int k = -1; k < (slow ? 0 : info->param_count); k++) {
        tulle_param_info param = {.value_count = 1};
        if (k >= 0) must(tulle_kernel_param(backend, kernel, k, &param));
        for (int v = 0; v < param.value_count; v++) {
            snprintf(spec, sizeof spec, "%s", info->name);
            if (k >= 0)
                snprintf(spec, sizeof spec, "%s:%s=%d", info->name, param.name, param.values[v]);
            p->spec = spec;
            must(tulle_ctx_force_kernel(p->ctx, spec));
            taken += both(p, info, backend == TULLE_CPU, slow ? 30 : 3);
        }
    }
    return taken;
}

static void each_kernel(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    zoo_matrix matrices[] = {made("low holes", low_holes), made("band", band),
                             made("long row", long_row)};
    must(tulle_ctx_device(ctx, &device));
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        tulle_kernel_info info;
        int taken = 0;
        must(tulle_kernel_describe(device.backend, k, &info));
        if (strcmp(info.operation, "spmv") != 0 || !is_wanted(info.name)) continue;
        for (int i = 0; i < 3; i++) {
            for (int layout = 0; layout < layout_count(info.format); layout++) {
                if (is_slow(where) && layout % 4 > 0) continue;
                tulle_mat *csr = zoo_mat(ctx, &matrices[i], TULLE_I32, TULLE_F64);
                product p = {.ctx = ctx, .m = &matrices[i]};
                p.A = layout_make(ctx, csr, info.format, TULLE_I32, layout);
                if (p.A) taken += each_value(&p, device.backend, k, &info, is_slow(where));
                tulle_mat_destroy(p.A);
                tulle_mat_destroy(csr);
            }
        }
        if (taken == 0) fail_msg("%s took nothing", info.name);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    for (int i = 0; i < 3; i++) zoo_free(&matrices[i]);
}

enum { TALL = 2000, SHIFT = 3, HOLE = 1030 };

/* Two diagonals, one of them with a hole: by diagonals, A^T x takes the second from where no word
 * of its mask begins, wherever its rows are cut. */
static tulle_mat *two_diagonals(tulle_ctx *ctx) {
    static int32_t offsets[TALL + 1], columns[2 * TALL];
    static double values[2 * TALL];
    tulle_mat *csr = NULL, *A = NULL;
    int32_t nnz = 0;
    for (int i = 0; i < TALL; i++) {
        columns[nnz++] = i;
        if (i != HOLE && i + SHIFT < TALL) columns[nnz++] = i + SHIFT;
        offsets[i + 1] = nnz;
    }
    for (int e = 0; e < nnz; e++) values[e] = 1;
    must(tulle_mat_create_csr(ctx, TALL, TALL, nnz, TULLE_I32, offsets, columns, TULLE_F64, values,
                              NULL, &csr));
    must(tulle_mat_convert(ctx, csr, TULLE_DIA, TULLE_I32, 0, &A));
    tulle_mat_destroy(csr);
    return A;
}

static void hole_behind_a_cut(tulle_ctx *ctx, const char *where) {
    static double x_host[TALL], y_host[TALL];
    tulle_vec *x = NULL, *y = NULL;
    tulle_mat *A = two_diagonals(ctx);
    (void)where;
    for (int i = 0; i < TALL; i++) x_host[i] = i == HOLE ? (double)INFINITY : 1;
    must(tulle_vec_create(ctx, TULLE_F64, TALL, &x));
    must(tulle_vec_create(ctx, TULLE_F64, TALL, &y));
    must(tulle_vec_write(ctx, x, x_host, 0));
    must(tulle_spmv(ctx, TULLE_T, tulle_num(1), A, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, y_host, 0));
    for (int i = 0; i < TALL; i++) {
        double sum = i < SHIFT || i == HOLE + SHIFT ? 1 : 2;
        if (i != HOLE && y_host[i] != sum) fail_msg("y[%d] is %g, not %g", i, y_host[i], sum);
    }
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_mat_destroy(A);
}

static void test_hole_behind_a_cut(void **state) {
    (void)state;
    on_each_place(hole_behind_a_cut);
}

static void test_padding(void **state) {
    (void)state;
    on_each_place(each_kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_padding),
                                       cmocka_unit_test(test_hole_behind_a_cut)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
