/* SPDX-License-Identifier: Apache-2.0 */
/* Every kernel for BSR and multivectors on matrices made of blocks, which the zoo has few of: all
 * sizes of blocks, without padding, cut at the edges, and with holes; block rows and columns
 * without a block, with many, and with more than a flight has; numbers of vectors around those that
 * a warp takes; layouts, scalars, types and parameters; in all pairs, against the definition, and
 * bitwise again. And what a transposed product keeps with the pattern. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks.h"
#include "core/types.h"
#include "pairwise.h"
#include "places.h"
#include "reference.h"
#include "tulle/advanced.h"

enum {
    BLOCK_ROWS = 37,
    BLOCK_COLS = 22,
    SIZES = 16,
    CELLS_FULL = 0,
    CELLS_CUT,
    CELLS_HOLES,
    KINDS
};
enum { SIZE, KIND, VECTORS, LAYOUTS, ALPHA, BETA, COMBO, PARAMS };

static const double scalars[] = {0, 1, -0.5};
static const int64_t counts[] = {1, 2, 3, -1, 17, 33}; /* -1: as many as a block has rows */
enum { COUNTS = 6, COMBOS = 6 };

typedef struct {
    tulle_ctx *ctx;
    tulle_backend backend;
    int kernel;
    tulle_kernel_info info;
    tulle_param_info params[4];
    tulle_trans op;
    int taken;
    int third, next; /* on the emulator, whose three orders share the cases: which third; 0: all */
} setup;

/* Block rows 2, 7, 12, ... and block column 1 have no block, every seventh row has nearly all. */
static bool has_block(int64_t i, int64_t j) {
    if (i % 5 == 2 || j == 1) return false;
    const int64_t wanted = i % 7 == 3 ? BLOCK_COLS : i * 3 % 6;
    return (7 * j + 3 * i) % BLOCK_COLS < wanted;
}

static bool has_cell(int kind, int64_t i, int64_t j) {
    return kind != CELLS_HOLES || (5 * i + 3 * j) % 4 > 0;
}

static zoo_matrix make_blocks(int size, int kind) {
    const int64_t cut = kind != CELLS_FULL && size > 1;
    zoo_matrix m = {
        .name = "blocks", .rows = BLOCK_ROWS * size - cut, .cols = BLOCK_COLS * size - cut};
    m.offsets = calloc((size_t)m.rows + 1, sizeof *m.offsets);
    m.columns = calloc((size_t)(m.rows * m.cols), sizeof *m.columns);
    m.values = calloc((size_t)(m.rows * m.cols), sizeof *m.values);
    assert_true(m.offsets && m.columns && m.values);
    uint64_t state = (uint64_t)(size + 32 * kind);
    for (int64_t i = 0; i < m.rows; i++) {
        for (int64_t j = 0; j < m.cols; j++) {
            if (!has_block(i / size, j / size) || !has_cell(kind, i, j)) continue;
            m.columns[m.nnz] = j;
            m.values[m.nnz++] = zoo_number(&state);
        }
        m.offsets[i + 1] = m.nnz;
    }
    return m;
}

static tulle_mat *as_bsr(tulle_ctx *ctx, const zoo_matrix *m, int size, tulle_index index,
                         tulle_type type) {
    const tulle_convert_options options = {.block = size, .fill = 1000};
    tulle_mat *csr = zoo_mat(ctx, m, index, type), *bsr = NULL;
    must(tulle_mat_convert_with(ctx, csr, TULLE_BSR, index, &options, &bsr));
    tulle_mat_destroy(csr);
    return bsr;
}

/* Numbers; Inf where no entry uses one, for it may not leak. */
static void fill_x(const zoo_matrix *m, tulle_trans op, uint64_t state, host_block *x) {
    for (int64_t j = 0; j < x->cols; j++) {
        for (int64_t i = 0; i < x->rows; i++) *host_block_at(x, i, j) = (double)INFINITY;
        for (int64_t i = 0; i < m->rows; i++) {
            for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
                *host_block_at(x, op == TULLE_N ? m->columns[e] : i, j) = zoo_number(&state);
            }
        }
    }
}

static void fill_y(double beta, uint64_t state, host_block *y) {
    for (int64_t j = 0; j < y->cols; j++) {
        for (int64_t i = 0; i < y->rows; i++) {
            *host_block_at(y, i, j) = beta == 0 ? (double)NAN : zoo_number(&state);
        }
    }
}

static void run_once(const setup *s, const tulle_mat *A, const product *p, const place_block *x,
                     const host_block *y0, host_block *y) {
    place_block to = place_block_make(s->ctx, y0);
    must(tulle_spmm(s->ctx, p->op, tulle_num(p->alpha), A, x->block, tulle_num(p->beta), to.block));
    place_block_read(s->ctx, &to, y);
    place_block_free(&to);
}

/* Whether the forced kernel takes the case: one column without gaps is tulle_spmv's. */
static bool takes(const setup *s, const tulle_mat *A, const place_block *x, const host_block *y0) {
    place_block y = place_block_make(s->ctx, y0);
    tulle_choice choice;
    tulle_status status = tulle_spmm_describe(s->ctx, s->op, A, x->block, y.block, false, &choice);
    place_block_free(&y);
    if (status == TULLE_UNSUPPORTED) return false;
    must(status);
    return strcmp(choice.kernel, s->info.name) == 0;
}

static void judge(setup *s, const char *spec, const zoo_matrix *m, const tulle_mat *A,
                  const product *p, const host_block *x0, const host_block *y0) {
    host_block y = host_block_make(y0->rows, y0->cols, y0->layout, 1, y0->type);
    host_block again = host_block_make(y0->rows, y0->cols, y0->layout, 1, y0->type);
    place_block x = place_block_make(s->ctx, x0);
    if (takes(s, A, &x, y0)) {
        s->taken++;
        run_once(s, A, p, &x, y0, &y);
        run_once(s, A, p, &x, y0, &again);
        double error = host_block_error(m, *p, x0, y0, &y);
        if (!(error <= 1) || !host_block_gaps_kept(&y)) {
            fail_msg(
                "%s, op %d, type %d, %lld x %lld, %lld vectors, layouts %d %d, alpha %g, "
                "beta %g: error %g bounds, gaps %s",
                spec, p->op, y0->type, (long long)m->rows, (long long)m->cols, (long long)y0->cols,
                x0->layout, y0->layout, p->alpha, p->beta, error,
                host_block_gaps_kept(&y) ? "kept" : "written");
        }
        if (memcmp(y.numbers, again.numbers, (size_t)y.count * sizeof *y.numbers) != 0) {
            fail_msg("%s does not repeat", spec);
        }
    }
    place_block_free(&x);
    host_block_free(&y);
    host_block_free(&again);
}

static void one_case(const int *values, void *user) {
    setup *s = user;
    if (s->third > 0 && s->next++ % 3 != s->third - 1) return;
    const tulle_type type = tulle__type_at(values[COMBO] / 3);
    const tulle_index index = (tulle_index)(values[COMBO] % 3);
    if (!s->info.supports[type][index]) return;
    char spec[128];
    int used = snprintf(spec, sizeof spec, "%s", s->info.name);
    for (int p = 0; p < s->info.param_count; p++) {
        used += snprintf(spec + used, sizeof spec - (size_t)used, "%c%s=%d", p ? ',' : ':',
                         s->params[p].name, s->params[p].values[values[PARAMS + p]]);
    }
    must(tulle_ctx_force_kernel(s->ctx, spec));

    const int size = values[SIZE] + 1;
    zoo_matrix m = make_blocks(size, values[KIND]);
    tulle_mat *A = as_bsr(s->ctx, &m, size, index, type);
    const int64_t k = counts[values[VECTORS]] < 0 ? size : counts[values[VECTORS]];
    const int64_t n = s->op == TULLE_N ? m.cols : m.rows;
    const product p = {.op = s->op, .alpha = scalars[values[ALPHA]], .beta = scalars[values[BETA]]};
    host_block x = host_block_make(n, k, (tulle_layout)(values[LAYOUTS] % 2), 1, type);
    host_block y0 =
        host_block_make(m.rows + m.cols - n, k, (tulle_layout)(values[LAYOUTS] / 2), 1, type);
    fill_x(&m, s->op, (uint64_t)k, &x);
    fill_y(p.beta, (uint64_t)k + 1, &y0);
    judge(s, spec, &m, A, &p, &x, &y0);
    host_block_free(&x);
    host_block_free(&y0);
    tulle_mat_destroy(A);
    zoo_free(&m);
}

static void one_kernel(setup *s) {
    must(tulle_kernel_describe(s->backend, s->kernel, &s->info));
    if (strcmp(s->info.operation, "spmm") != 0 || s->info.format != TULLE_BSR) return;
    if (!is_wanted(s->info.name)) return;
    int levels[PAIRWISE_FACTORS] = {SIZES, KINDS, COUNTS, 4, 3, 3, COMBOS};
    for (int p = 0; p < s->info.param_count; p++) {
        must(tulle_kernel_param(s->backend, s->kernel, p, &s->params[p]));
        levels[PARAMS + p] = s->params[p].value_count;
    }
    for (int op = TULLE_N; op <= TULLE_T; op++) {
        s->op = (tulle_trans)op;
        s->taken = 0;
        pairwise(PARAMS + s->info.param_count, levels, one_case, s);
        if (s->taken == 0) fail_msg("%s took no case of op %d", s->info.name, op);
    }
}

static void kernels(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    setup s = {.ctx = ctx, .backend = device.backend};
    if (is_slow(where)) s.third = 1 + turn_in_order(where, 3);
    for (s.kernel = 0; s.kernel < tulle_kernel_count(s.backend); s.kernel++) one_kernel(&s);
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static int64_t plan_bytes(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.plan_bytes;
}

/* The list of block columns: made once, counted, and shared by matrices with the same pattern. */
static void lists(tulle_ctx *ctx, const char *where) {
    (void)where;
    enum { SIZE_HERE = 4, VECTORS_HERE = 3 };
    zoo_matrix m = make_blocks(SIZE_HERE, CELLS_FULL);
    tulle_mat *A = as_bsr(ctx, &m, SIZE_HERE, TULLE_I32, TULLE_F64), *B = NULL;
    tulle_vec *X = NULL, *Y = NULL;
    must(tulle_vec_create_columns(ctx, TULLE_F64, m.rows, VECTORS_HERE, TULLE_ROW_MAJOR, 0, &X));
    must(tulle_vec_create_columns(ctx, TULLE_F64, m.cols, VECTORS_HERE, TULLE_ROW_MAJOR, 0, &Y));
    must(tulle_vec_fill(ctx, X, 1));
    const int64_t before = plan_bytes(A), blocks = m.nnz / (SIZE_HERE * SIZE_HERE);
    for (int call = 0; call < 2; call++) {
        must(tulle_spmm(ctx, TULLE_T, tulle_num(1), A, X, tulle_num(0), Y));
        assert_int_equal(plan_bytes(A) - before, 4 * (2 * blocks + 2 * BLOCK_COLS + 1));
    }
    must(tulle_mat_copy(ctx, A, TULLE_F64, &B));
    assert_int_equal(plan_bytes(B), plan_bytes(A));
    tulle_mat_destroy(A);
    must(tulle_spmm(ctx, TULLE_T, tulle_num(1), B, X, tulle_num(0), Y));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_mat_destroy(B);
    zoo_free(&m);
}

static void test_kernels(void **state) {
    (void)state;
    on_each_place(kernels);
}

ONCE_ON_EACH_PLACE(lists)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_kernels),
        cmocka_unit_test(test_lists),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
