/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets beyond 2^31 without the memory: a kernel is given offsets that begin a few beyond it, and
 * column and value pointers moved back by as much, so that every address it forms is real while
 * every offset passes 32 bits. Kernels that deal out entries count them from the first offset. And
 * 32-bit offsets that end as close to 2^31 as a kernel says that it can take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "matrix/functions.h"
#include "matrix/marks.h"
#include "matrix/matrix.h"
#include "places.h"
#include "reference.h"
#include "spmv/select.h"

static const int64_t beyond[] = {((int64_t)1 << 31) + 1, ((int64_t)1 << 31) + 2,
                                 ((int64_t)1 << 31) + 5};

static const void *moved_back(const void *pointer, int64_t base, int64_t item_size) {
    return (const void *)((uintptr_t)pointer - (uintptr_t)(base * item_size));
}

/* The offsets of A, moved up, in the context's memory. */
static void *moved_offsets(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index, int64_t base) {
    bool narrow = index == TULLE_I32;
    int64_t *wide = malloc((size_t)(m->rows + 1) * sizeof *wide);
    int32_t *host = malloc((size_t)(m->rows + 1) * sizeof *host);
    assert_non_null(wide);
    assert_non_null(host);
    for (int64_t i = 0; i <= m->rows; i++) {
        wide[i] = m->offsets[i] + base;
        host[i] = narrow ? (int32_t)wide[i] : 0;
    }
    void *offsets = NULL;
    size_t bytes = (size_t)((m->rows + 1) * tulle_offset_size(index));
    must(tulle__alloc(ctx, bytes, &offsets));
    must(tulle__copy_wait(ctx, offsets, narrow ? (const void *)host : wide, bytes));
    free(wide);
    free(host);
    return offsets;
}

/* Where work on such offsets may be cut; NULL where no kernel asks. */
static void *marks_of(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index, const void *offsets) {
    if (ctx->kind == TULLE_CPU) return NULL;
    tulle__pattern_view view = {.rows = m->rows,
                                .cols = m->cols,
                                .nnz = m->nnz,
                                .format = TULLE_CSR,
                                .index = index,
                                .offsets = offsets};
    void *marks = NULL;
    int64_t count = tulle__mark_count(m->rows, m->nnz);
    must(tulle__alloc(ctx, (size_t)(count * tulle_offset_size(index)), &marks));
    must(ctx->backend->matrix->mark_rows(&ctx->place, &view, marks));
    return marks;
}

static void one_kernel(tulle_ctx *ctx, const tulle__spmv_kernel *kernel, const zoo_matrix *m,
                       tulle_index index, tulle_trans op, int64_t base) {
    tulle_mat *A = zoo_mat(ctx, m, index, TULLE_F64);
    int64_t n = op == TULLE_N ? m->cols : m->rows, rows = op == TULLE_N ? m->rows : m->cols;
    tulle_dense *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, rows, &y));
    must(tulle_dense_random(ctx, x, 3));
    tulle_dense_info x_info, y_info;
    must(tulle_dense_describe(x, &x_info));
    must(tulle_dense_describe(y, &y_info));
    tulle__spec spec = {.kernel = &kernel->head};
    tulle__spmv_task task = {
        .shape = {.rows = m->rows,
                  .cols = m->cols,
                  .nnz = m->nnz,
                  .format = TULLE_CSR,
                  .values = TULLE__VALUES_F64,
                  .type = TULLE_F64,
                  .index = index,
                  .trans = op,
                  .stats = &A->pattern->stats,
                  .storage = &A->pattern->storage,
                  .device = &ctx->info},
        .place = &ctx->place,
        .offsets = moved_offsets(ctx, m, index, base),
        .cols_of = moved_back(A->pattern->cols_of.data, base, tulle_index_size(index)),
        .values = moved_back(A->values.data, base, sizeof(double)),
        .x = x_info.data,
        .y = y_info.data,
        .alpha = tulle_num(1),
        .beta = tulle_num(0)};
    void *marks = marks_of(ctx, m, index, task.offsets);
    task.marks = marks;
    tulle__spmv_fill(&task.shape, &spec);
    task.params = spec.params;
    if (kernel->workspace) {
        must(tulle__workspace(ctx, kernel->workspace(&task.shape, spec.params), &task.workspace));
    }
    must(kernel->run[TULLE_F64][index](&task));

    double x_host[64], y_host[64], y0[64] = {0};
    must(tulle_dense_read(ctx, x, x_host, 0));
    must(tulle_dense_read(ctx, y, y_host, 0));
    product p = {.op = op, .alpha = 1, .beta = 0, .x = x_host, .y0 = y0};
    double error = product_error(m, &p, TULLE_F64, y_host);
    if (!(error <= 1)) fail_msg("%s op %d: error %g bounds", kernel->head.name, op, error);
    tulle__free(ctx, marks);
    tulle__free(ctx, (void *)(uintptr_t)task.offsets);
    tulle_dense_destroy(x);
    tulle_dense_destroy(y);
    tulle_mat_destroy(A);
}

/* Both products; the transposed one only of kernels that share no scratch by entries. */
static void both_products(tulle_ctx *ctx, const tulle__spmv_kernel *kernel, const zoo_matrix *m,
                          tulle_index index, int64_t base) {
    one_kernel(ctx, kernel, m, index, TULLE_N, base);
    if ((kernel->head.flags & TULLE__TRANSPOSED) && !kernel->workspace) {
        one_kernel(ctx, kernel, m, index, TULLE_T, base);
    }
}

/* The most entries with 32-bit offsets that a kernel takes, give or take a factor of two in what
 * it leaves. */
static int64_t most_entries(const tulle_ctx *ctx, const tulle__spmv_kernel *kernel,
                            const zoo_matrix *m) {
    tulle__stats stats = {.mean_row = (double)m->nnz / (double)m->rows};
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t length = m->offsets[i + 1] - m->offsets[i];
        if (length > stats.max_row) stats.max_row = length;
    }
    tulle_storage storage = {.stored = m->nnz};
    tulle__spmv_shape shape = {.rows = m->rows,
                               .cols = m->cols,
                               .format = TULLE_CSR,
                               .values = TULLE__VALUES_F64,
                               .type = TULLE_F64,
                               .index = TULLE_I32,
                               .vectors = 1,
                               .stats = &stats,
                               .storage = &storage,
                               .device = &ctx->info};
    tulle__spec spec = {.kernel = &kernel->head};
    tulle__spmv_fill(&shape, &spec);
    for (int64_t left = 0; left < INT32_MAX / 2; left = 2 * left + 1) {
        shape.nnz = INT32_MAX - left;
        if (!kernel->eligible || kernel->eligible(&shape, spec.params)) return shape.nnz;
    }
    fail_msg("%s takes no long matrix", kernel->head.name);
    return 0;
}

static void beyond_32_bits(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(8);
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, false);
    for (int i = 0; i < kernels->count; i++) {
        const tulle__spmv_kernel *kernel = tulle__spmv_of(kernels->item[i]);
        if (kernel->head.format != TULLE_CSR) continue;
        both_products(ctx, kernel, &m, TULLE_I32, most_entries(ctx, kernel, &m) - m.nnz);
        for (int index = TULLE_I64_I32; index <= TULLE_I64; index++) {
            if (!kernel->run[TULLE_F64][index]) continue;
            for (size_t b = 0; b < sizeof beyond / sizeof *beyond; b++) {
                both_products(ctx, kernel, &m, (tulle_index)index, beyond[b]);
            }
        }
    }
    zoo_free(&m);
}

static void test_beyond_32_bits(void **state) {
    (void)state;
    on_each_place(beyond_32_bits);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_beyond_32_bits)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
