/* SPDX-License-Identifier: Apache-2.0 */
#include "trisolve_check.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "places.h"
#include "tulle/advanced.h"

bool trisolve_takes_no_blocks(const char *spec) {
    return strncmp(spec, "trisolve_near", strlen("trisolve_near")) == 0;
}

trisolve_setting trisolve_setting_number(const char *spec, uint64_t i) {
    static const double alphas[] = {1, -0.75, 3, 0};
    static const int64_t many[] = {1, 2, 3, 8, 17, 1},
                         blocks[] = {0, 1, 2, 3, 4, 5, 8, 16, 6, 0, 0};
    uint64_t state = i;
#define ONE_OF(count) (zoo_bits(&state) % (count))
    trisolve_setting s = {.part = (tulle_part)ONE_OF(2),
                          .diag = (tulle_diag)(ONE_OF(3) == 0),
                          .op = (tulle_trans)ONE_OF(2),
                          .alpha = alphas[ONE_OF(4)],
                          .stored = ONE_OF(2) ? TULLE_F64 : TULLE_F32,
                          .index = (tulle_index)ONE_OF(3),
                          .block = blocks[ONE_OF(11)],
                          .vectors = many[ONE_OF(6)],
                          .in_place = ONE_OF(4) == 0,
                          .b = {(tulle_layout)ONE_OF(2), (int64_t)ONE_OF(3), (int64_t)ONE_OF(3)},
                          .x = {(tulle_layout)ONE_OF(2), (int64_t)ONE_OF(3), (int64_t)ONE_OF(3)}};
    s.type = s.stored == TULLE_F32 ? (ONE_OF(2) ? TULLE_F64 : TULLE_F32) : TULLE_F64;
#undef ONE_OF
    if (trisolve_takes_no_blocks(spec) && s.block > 1) s.block = s.block % 2;
    return s;
}

static void *room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static void put(entries *e, int64_t row, int64_t col, double value) {
    e->row[e->nnz] = row;
    e->col[e->nnz] = col;
    e->value[e->nnz++] = value;
}

entries trisolve_usable(const entries *any, bool with_diagonal) {
    const int64_t n = any->rows < any->cols ? any->rows : any->cols, room_for = any->nnz + n;
    entries e = {.rows = n,
                 .cols = n,
                 .row = room(room_for, sizeof(int64_t)),
                 .col = room(room_for, sizeof(int64_t)),
                 .value = room(room_for, sizeof(double))};
    int64_t *length = room(2 * n, sizeof *length), longest = 1;
    for (int64_t k = 0; k < any->nnz; k++) {
        if (any->row[k] >= n || any->col[k] >= n) continue;
        const int64_t by_row = ++length[any->row[k]], by_col = ++length[n + any->col[k]];
        if (by_row > longest) longest = by_row;
        if (by_col > longest) longest = by_col;
    }
    const double scale = with_diagonal ? 1 : ldexp(1, -(int)ceil(log2((double)longest)));
    for (int64_t i = 0; with_diagonal && i < n; i += 2) put(&e, i, i, 1.25 + (double)length[i]);
    for (int64_t k = 0; k < any->nnz; k++) {
        const int64_t i = any->row[k], j = any->col[k];
        if (i < n && j < n && i != j) put(&e, i, j, scale * any->value[k]);
    }
    for (int64_t i = 1; with_diagonal && i < n; i += 2) put(&e, i, i, -0.75 - (double)longest);
    free(length);
    return e;
}

tulle_mat *trisolve_matrix(tulle_ctx *ctx, entries *e, const trisolve_setting *s) {
    if (s->block > 0) {
        entries_sort(e);
        entries_sum(e, s->stored);
    }
    tulle_mat *A = entries_to_csr(ctx, e, s->index, s->stored), *bsr = NULL;
    if (s->block == 0) return A;
    const tulle_convert_options options = {.block = s->block, .fill = 1e6};
    must(tulle_mat_convert_with(ctx, A, TULLE_BSR, s->index, &options, &bsr));
    tulle_mat_destroy(A);
    return bsr;
}

columns trisolve_numbers(const entries *e, const trisolve_setting *s) {
    return columns_random(e->rows, s->vectors, (uint64_t)(e->nnz + s->vectors), s->type);
}

columns trisolve_solve(tulle_ctx *ctx, const tulle_mat *A, const columns *B,
                       const trisolve_setting *s) {
    placed x = columns_place(ctx, B, s->type, s->x), b = x;
    if (!s->in_place) {
        b = columns_place(ctx, B, s->type, s->b);
        must(tulle_vec_fill(ctx, x.X, NAN));
    }
    must(tulle_trisolve(ctx, s->part, s->diag, s->op, tulle_num(s->alpha), A, b.X, x.X));
    columns X = placed_read(ctx, &x);
    placed_free(&x);
    if (s->in_place) return X;
    columns same = placed_read(ctx, &b);
    for (int64_t k = 0; k < B->rows * B->cols; k++) assert_near(same.at[k], B->at[k], 0, "B");
    columns_free(&same);
    placed_free(&b);
    return X;
}

bool trisolve_has(const trisolve_setting *s, int64_t row, int64_t col) {
    if (row == col) return s->diag == TULLE_NON_UNIT;
    return s->part == TULLE_LOWER ? col < row : col > row;
}

void trisolve_check(const entries *e, const columns *B, const columns *X, const trisolve_setting *s,
                    const char *what) {
    const int64_t n = e->rows;
    const long double alpha = s->type == TULLE_F32 ? (float)s->alpha : s->alpha;
    long double *rest = room(n, sizeof *rest), *mass = room(n, sizeof *mass);
    long double *sum = room(n, sizeof *sum);
    int64_t *count = room(n, sizeof *count);
    for (int64_t i = 0; i < n; i++) sum[i] = s->diag == TULLE_UNIT;
    for (int64_t k = 0; k < e->nnz; k++) {
        if (!trisolve_has(s, e->row[k], e->col[k])) continue;
        const int64_t i = s->op == TULLE_N ? e->row[k] : e->col[k];
        count[i]++;
        sum[i] += fabsl(e->value[k]);
    }
    for (int64_t c = 0; c < X->cols; c++) {
        const long double *b = B->at + c * n, *x = X->at + c * n;
        for (int64_t i = 0; i < n; i++) {
            const long double unit = s->diag == TULLE_UNIT ? x[i] : 0;
            rest[i] = alpha * b[i] - unit;
            mass[i] = fabsl(alpha * b[i]) + fabsl(unit);
        }
        for (int64_t k = 0; k < e->nnz; k++) {
            if (!trisolve_has(s, e->row[k], e->col[k])) continue;
            const int64_t i = s->op == TULLE_N ? e->row[k] : e->col[k];
            const long double product = e->value[k] * x[s->op == TULLE_N ? e->col[k] : e->row[k]];
            rest[i] -= product;
            mass[i] += fabsl(product);
        }
        for (int64_t i = 0; i < n; i++) {
            const long double m = (long double)(count[i] + (s->diag == TULLE_UNIT) + 2);
            const long double bound = gamma_of(m, s->type) * mass[i] +
                                      m * least_of(s->type) / unit_of(s->type) +
                                      least_of(s->type) * sum[i];
            if (fabsl(rest[i]) <= bound) continue;
            fail_msg("%s: unknown %lld of column %lld is off by %Lg bounds", what, (long long)i,
                     (long long)c, fabsl(rest[i]) / bound);
        }
    }
    free(rest);
    free(mass);
    free(sum);
    free(count);
}

void trisolve_try(tulle_ctx *ctx, const entries *any, const trisolve_setting *s, const char *what) {
    entries e = trisolve_usable(any, s->diag == TULLE_NON_UNIT);
    tulle_mat *A = trisolve_matrix(ctx, &e, s);
    columns B = trisolve_numbers(&e, s), X = trisolve_solve(ctx, A, &B, s);
    trisolve_check(&e, &B, &X, s, what);
    columns_free(&B);
    columns_free(&X);
    tulle_mat_destroy(A);
    entries_free(&e);
}

static void with_spec(tulle_ctx *ctx, const char *where, const char *spec, uint64_t *number,
                      trisolve_spec_test test) {
    must(tulle_ctx_force_kernel(ctx, spec));
    test(ctx, where, spec, (*number)++);
}

void trisolve_each_spec(tulle_ctx *ctx, const char *where, bool parameters,
                        trisolve_spec_test test) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    uint64_t number = (uint64_t)turn_of(where, 1000);
    int tried = 0;
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, k, &info));
        if (strcmp(info.operation, "trisolve") != 0 || !is_wanted(info.name)) continue;
        tried++;
        if (!parameters || info.param_count == 0) {
            with_spec(ctx, where, info.name, &number, test);
        }
        for (int p = 0; parameters && p < info.param_count; p++) {
            tulle_param_info param;
            must(tulle_kernel_param(device.backend, k, p, &param));
            for (int v = 0; v < param.value_count; v++) {
                char spec[128];
                snprintf(spec, sizeof spec, "%s:%s=%d", info.name, param.name, param.values[v]);
                with_spec(ctx, where, spec, &number, test);
            }
        }
    }
    assert_true(tried > 0);
    must(tulle_ctx_force_kernel(ctx, NULL));
}
