/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers of the largest and smallest sizes: every kernel, either product, multiplies A and x
 * first, and only then by alpha, so that the promised bound holds where alpha x or alpha A alone
 * would underflow; and where A x itself does, as the bound says. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks.h"
#include "layouts.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/spmm.h"

enum { ROWS = 40, COLS = 37, MOST = 3 * ROWS };

/* Exponents of A, x and alpha in f64 and f32. */
typedef struct {
    int of_a, of_x, of_alpha;
} sizes;

static const sizes cases[][2] = {
    {{1000, -700, -700}, {116, -83, -83}}, /* alpha x is 0 */
    {{-700, 1000, -700}, {-83, 116, -83}}, /* alpha A is 0 */
    {{-700, -700, 1000}, {-83, -83, 116}}, /* A x is 0: less than what the bound allows */
};
enum { CASES = sizeof cases / sizeof *cases };

/* Rows of none to three entries near the diagonal, their values small multiples of 2^exponent. */
static zoo_matrix make(int exponent) {
    static int64_t offsets[ROWS + 1], columns[MOST];
    static double values[MOST];
    int64_t nnz = 0;
    for (int64_t i = 0; i < ROWS; i++) {
        offsets[i] = nnz;
        for (int64_t k = 0; k < i % 4; k++) {
            columns[nnz] = i % (COLS - 10) + 5 * k;
            values[nnz++] = ldexp((double)(1 + (i + k) % 5), exponent);
        }
    }
    offsets[ROWS] = nnz;
    return (zoo_matrix){.name = "extreme",
                        .rows = ROWS,
                        .cols = COLS,
                        .nnz = nnz,
                        .offsets = offsets,
                        .columns = columns,
                        .values = values};
}

static void fill(const host_block *b, int exponent) {
    for (int64_t i = 0; i < b->count; i++) {
        b->numbers[i] = ldexp((double)(1 + i % 3) * (i % 2 ? 1 : -1), exponent);
    }
}

/* How many products were compared: 0 where the kernel does not take such operands. */
static int multiply(tulle_ctx *ctx, const char *kernel, const tulle_mat *A, const zoo_matrix *m,
                    tulle_type type, const sizes *s, product p, int64_t vectors,
                    tulle_layout layout) {
    host_block x = host_block_make(p.op == TULLE_N ? COLS : ROWS, vectors, layout, 0, type);
    host_block y0 = host_block_make(p.op == TULLE_N ? ROWS : COLS, vectors, layout, 0, type);
    host_block got = host_block_make(y0.rows, vectors, layout, 0, type);
    int of_y = s->of_a + s->of_x + s->of_alpha;
    fill(&x, s->of_x);
    fill(&y0, of_y);
    place_block on_x = place_block_make(ctx, &x), on_y = place_block_make(ctx, &y0);
    tulle_status status =
        tulle_spmm(ctx, p.op, tulle_num(p.alpha), A, on_x.block, tulle_num(p.beta), on_y.block);
    if (status == TULLE_OK) {
        place_block_read(ctx, &on_y, &got);
        double error = host_block_error(m, p, &x, &y0, &got);
        if (!(error <= 1)) {
            fail_msg("%s, op %d, type %d, beta %g, exponents %d %d %d: error %g bounds", kernel,
                     p.op, type, p.beta, s->of_a, s->of_x, s->of_alpha, error);
        }
    } else {
        assert_int_equal(status, TULLE_UNSUPPORTED);
    }
    place_block_free(&on_x);
    place_block_free(&on_y);
    host_block_free(&x);
    host_block_free(&y0);
    host_block_free(&got);
    return status == TULLE_OK;
}

/* One vector, or blocks in both layouts; with beta 0 and another. */
static int all_operands(tulle_ctx *ctx, const tulle_kernel_info *kernel, const tulle_mat *A,
                        const zoo_matrix *m, tulle_type type, const sizes *s, tulle_trans op) {
    bool block = strcmp(kernel->operation, "spmm") == 0;
    int compared = 0;
    for (int b = 0; b < 2; b++) {
        product p = {.op = op, .alpha = ldexp(1, s->of_alpha), .beta = -0.5 * b};
        int64_t vectors = block ? 3 : 1;
        compared += multiply(ctx, kernel->name, A, m, type, s, p, vectors, TULLE_COLUMN_MAJOR);
        if (!block) continue;
        compared += multiply(ctx, kernel->name, A, m, type, s, p, vectors, TULLE_ROW_MAJOR);
    }
    return compared;
}

static int one_case(tulle_ctx *ctx, const tulle_kernel_info *kernel, tulle_type type,
                    const sizes *s, int layout) {
    zoo_matrix m = make(s->of_a);
    tulle_mat *csr = zoo_mat(ctx, &m, TULLE_I32, type);
    tulle_mat *A = layout_make(ctx, csr, kernel->format, TULLE_I32, layout);
    int compared = 0;
    for (int op = TULLE_N; A && op <= TULLE_T; op++) {
        if (!(op == TULLE_N ? kernel->forward : kernel->transposed)) continue;
        if (kernel->needs_plan && tulle_mat_plan(ctx, (tulle_trans)op, A, kernel->name)) continue;
        compared += all_operands(ctx, kernel, A, &m, type, s, (tulle_trans)op);
    }
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
    return compared;
}

static void each_kernel(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    tulle_kernel_info kernel;
    must(tulle_ctx_device(ctx, &device));
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        int compared = 0;
        must(tulle_kernel_describe(device.backend, i, &kernel));
        if (strncmp(kernel.operation, "spm", 3) != 0) continue; /* spmv, spmm */
        must(tulle_ctx_force_kernel(ctx, kernel.name));
        for (int c = 0; c < CASES; c++) {
            for (int type = TULLE_F32; type <= TULLE_F64; type++) {
                const sizes *s = &cases[c][type == TULLE_F32];
                for (int layout = 0; layout < layout_count(kernel.format); layout += 3) {
                    compared += one_case(ctx, &kernel, (tulle_type)type, s, layout);
                }
            }
        }
        if (compared == 0) fail_msg("%s: %s took nothing", where, kernel.name);
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}

static void test_extremes(void **state) {
    (void)state;
    once_on_each_place(each_kernel);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_extremes)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
