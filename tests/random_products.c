/* SPDX-License-Identifier: Apache-2.0 */
/* Products of sparse matrices with vectors, with multivectors and with each other. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "blocks.h"
#include "places.h"
#include "random_launch.h"
#include "spgemm_check.h"
#include "tulle/advanced.h"

enum { MOST_SIDE = 200, MOST_VECTORS = 9 };

typedef tulle_status (*multiplier)(tulle_ctx *ctx, tulle_trans op, tulle_scalar alpha,
                                   const tulle_mat *A, const tulle_vec *X, tulle_scalar beta,
                                   tulle_vec *Y);

/* How a multivector lies; a vector has no gaps. */
typedef struct {
    tulle_layout layout;
    int64_t gap;
} block_shape;

static block_shape random_shape(uint64_t *state, int64_t vectors) {
    if (vectors == 0) return (block_shape){TULLE_COLUMN_MAJOR, 0};
    return (block_shape){(tulle_layout)random_below(state, 2), random_below(state, 3)};
}

static host_block random_block(uint64_t *state, int64_t rows, int64_t cols, block_shape how,
                               tulle_type type) {
    host_block b = host_block_make(rows, cols, how.layout, how.gap, type);
    for (int64_t j = 0; j < cols; j++) {
        for (int64_t i = 0; i < rows; i++) *host_block_at(&b, i, j) = zoo_number(state);
    }
    return b;
}

/* vectors: 0 for one vector. */
static bool multiply(tulle_ctx *ctx, uint64_t *state, const zoo_matrix *m, const tulle_mat *A,
                     tulle_type type, int64_t vectors, multiplier call, const char *kernel) {
    product p = {.op = random_below(state, 2) ? TULLE_T : TULLE_N,
                 .alpha = 0.5 * (double)random_below(state, 4) - 0.5,
                 .beta = 0.5 * (double)random_below(state, 3)};
    int64_t n = p.op == TULLE_N ? m->cols : m->rows, rows = m->rows + m->cols - n;
    int64_t cols = vectors > 0 ? vectors : 1;
    block_shape of_y = random_shape(state, vectors);
    host_block x = random_block(state, n, cols, random_shape(state, vectors), type);
    host_block y0 = random_block(state, rows, cols, of_y, type);
    host_block y = host_block_make(rows, cols, of_y.layout, of_y.gap, type);
    place_block X = place_block_make(ctx, &x), Y = place_block_make(ctx, &y0);
    if (random_below(state, 2)) tulle_mat_optimize(ctx, p.op, (tulle_mat *)A, 1000);
    must(tulle_ctx_force_kernel(ctx, kernel));
    tulle_status status = TULLE_UNSUPPORTED;
    if (random_is_ready(ctx, (tulle_mat *)A, p.op, kernel)) {
        status = call(ctx, p.op, tulle_num(p.alpha), A, X.block, tulle_num(p.beta), Y.block);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
    bool taken = random_is_taken(status, kernel);
    place_block_read(ctx, &Y, &y);
    double error = taken ? host_block_error(m, p, &x, &y0, &y) : 0;
    if (!(error <= 1) || !host_block_gaps_kept(&y)) fail_msg("%s: error %g bounds", kernel, error);
    place_block_free(&X);
    place_block_free(&Y);
    host_block_free(&x);
    host_block_free(&y0);
    host_block_free(&y);
    return taken;
}

static bool any_product(tulle_ctx *ctx, uint64_t *state, int64_t vectors, multiplier call,
                        const char *kernel) {
    tulle_type type = random_below(state, 2) ? TULLE_F64 : TULLE_F32;
    tulle_index index = (tulle_index)random_below(state, 3);
    zoo_matrix m = random_matrix(state, MOST_SIDE);
    tulle_mat *A = random_in_format(ctx, &m, kernel, index, type);
    bool taken = A && multiply(ctx, state, &m, A, type, vectors, call, kernel);
    tulle_mat_destroy(A);
    zoo_free(&m);
    return taken;
}

bool random_spmv(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    return any_product(ctx, state, 0, tulle_spmv, kernel);
}

bool random_spmm(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    return any_product(ctx, state, 1 + random_below(state, MOST_VECTORS), tulle_spmm, kernel);
}

/* A is op_A of a matrix of that many rows and columns. */
static entries operand(uint64_t *state, tulle_trans op, int64_t rows, int64_t cols) {
    bool turned = op == TULLE_T;
    int64_t nnz = random_below(state, 4 * (rows + cols));
    return entries_random(turned ? cols : rows, turned ? rows : cols, nnz, zoo_bits(state));
}

bool random_spgemm(tulle_ctx *ctx, uint64_t *state, const char *kernel) {
    spgemm_setting s = {.op_A = (tulle_trans)random_below(state, 2),
                        .op_B = (tulle_trans)random_below(state, 2),
                        .alpha = 0.5 * (double)random_below(state, 4) - 0.5,
                        .type = random_below(state, 2) ? TULLE_F64 : TULLE_F32,
                        .a_index = (tulle_index)random_below(state, 3),
                        .b_index = (tulle_index)random_below(state, 3),
                        .unsorted = random_below(state, 4) == 0};
    int64_t side[3];
    for (int i = 0; i < 3; i++) side[i] = 1 + random_below(state, 60);
    entries A = operand(state, s.op_A, side[0], side[1]);
    entries B = operand(state, s.op_B, side[1], side[2]);
    tulle_mat *a = entries_to_csr(ctx, &A, s.a_index, s.type), *C = NULL;
    tulle_mat *b = entries_to_csr(ctx, &B, s.b_index, s.type);
    tulle_spgemm_options options = {.unsorted = s.unsorted};
    must(tulle_ctx_force_kernel(ctx, kernel));
    tulle_status status =
        tulle_spgemm(ctx, s.op_A, s.op_B, tulle_num(s.alpha), a, b, &options, NULL, &C);
    must(tulle_ctx_force_kernel(ctx, NULL));
    bool taken = random_is_taken(status, kernel);
    if (taken) spgemm_check(ctx, &A, &B, &s, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(b);
    tulle_mat_destroy(a);
    entries_free(&A);
    entries_free(&B);
    return taken;
}
