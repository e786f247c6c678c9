/* SPDX-License-Identifier: Apache-2.0 */
#include "batch_systems.h"

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

const int system_sizes[SIZES] = {1, 2, 3, 4, 5, 7, 8, 16};
const lie system_lies[LIES] = {{TULLE_COLUMN_MAJOR, 0, 0},
                               {TULLE_ROW_MAJOR, 0, 0},
                               {TULLE_COLUMN_MAJOR, 3, 1},
                               {TULLE_ROW_MAJOR, 2, 1}};
const int64_t system_order[SWAPPED] = {3, 0, 5, 1, 4, 2};
static double halves[MOST_ROWS], doubles[MOST_ROWS]; /* scales: powers of 2 */

static tulle_mat *other_values(tulle_ctx *ctx, const tulle_mat *A, tulle_type type) {
    tulle_mat_info info;
    tulle_mat *B = NULL;
    must(tulle_mat_describe(A, &info));
    const int64_t count = info.storage.stored;
    double *values = calloc((size_t)count + 1, sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < count; i++) values[i] = 0.5;
    void *typed = values_as(values, count, type);
    must(tulle_mat_with_values(ctx, A, type, count, typed, &B));
    free(values);
    free(typed);
    return B;
}

static tulle_vec *scale_of(tulle_ctx *ctx, tulle_type type, int64_t n, const double *numbers) {
    if (!numbers) return NULL;
    tulle_vec *scale = NULL;
    void *typed = values_as(numbers, n, type);
    must(tulle_vec_create(ctx, type, n, &scale));
    must(tulle_vec_write(ctx, scale, typed, n));
    free(typed);
    return scale;
}

system_of make_system(tulle_ctx *ctx, int64_t n, factor_setting setting, uint64_t seed) {
    return make_system_of(ctx, factor_matrix(n, 3 * n, false, seed), setting);
}

system_of make_system_of(tulle_ctx *ctx, entries e, factor_setting setting) {
    system_of y = {.s = setting, .e = e};
    const int64_t n = e.rows;
    tulle_factor_options options = setting.options;
    if (setting.order) must(tulle_order_create(ctx, n / setting.block, setting.order, &y.order));
    options.order = y.order;
    options.row_scale = y.rows = scale_of(ctx, setting.type, n, setting.rows);
    options.col_scale = y.cols = scale_of(ctx, setting.type, n, setting.cols);
    y.A = factor_mat(ctx, &y.e, &setting);
    must(tulle_factor_create(ctx, y.A, &options, &y.F));
    y.other = other_values(ctx, y.A, setting.type);
    must(tulle_factor_update(ctx, y.F, y.other));
    return y;
}

void free_system(system_of *y) {
    tulle_factor_destroy(y->F);
    tulle_mat_destroy(y->A);
    tulle_mat_destroy(y->other);
    tulle_order_destroy(y->order);
    tulle_vec_destroy(y->rows);
    tulle_vec_destroy(y->cols);
    entries_free(&y->e);
}

factor_setting setting_number(int i, int block) {
    static const int fills[] = {0, 1, TULLE_FILL_ALL};
    for (int k = 0; k < MOST_ROWS; k++) {
        halves[k] = ldexp(1, -(k % 3));
        doubles[k] = ldexp(1, k % 4);
    }
    return (factor_setting){.block = block,
                            .type = i % 2 ? TULLE_F64 : TULLE_F32,
                            .index = (tulle_index)(i % 3),
                            .order = i % 4 == 3 ? system_order : NULL,
                            .rows = i % 8 == 3 || i % 5 == 1 ? halves : NULL,
                            .cols = i % 8 == 3 || i % 5 == 1 ? doubles : NULL,
                            .options = {.fill = fills[i % 3],
                                        .modified = i % 5 == 2 ? 0.95 : 0,
                                        .shift = i % 7 == 4 ? 0.25 : 0,
                                        .inverted = i / 2 % 2 == 1}};
}

/* L L^T of the same. */
factor_setting root_of(factor_setting s) {
    s.options = (tulle_factor_options){
        .kind = TULLE_CHOLESKY, .fill = s.options.fill, .shift = s.options.shift};
    s.cols = s.rows;
    return s;
}

const tulle_batch_report *reports_of(tulle_ctx *ctx, tulle_batch *batch) {
    const tulle_batch_report *reports = NULL;
    must(tulle_batch_reports(ctx, batch, &reports));
    must(tulle_ctx_synchronize(ctx));
    return reports;
}
