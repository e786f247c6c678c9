/* SPDX-License-Identifier: Apache-2.0 */
/* Offsets beyond 2^31 and 2^32 without the memory: a kernel, of vectors or multivectors, is given
 * offsets that begin a few before or beyond it, and column and value pointers moved back by as
 * much, so that every address it forms is real while every offset passes 32 bits. Kernels that deal
 * out entries count them from the first offset. And 32-bit offsets that end as close to 2^31 as a
 * kernel says that it can take. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "blocks.h"
#include "core/context.h"
#include "matrix/functions.h"
#include "matrix/marks.h"
#include "matrix/matrix.h"
#include "places.h"
#include "spmv/select.h"

/* Odd, even and a multiple of a group of loads; and entries on both sides of where numbers of 32
 * bits begin anew. */
static const int64_t beyond[] = {
    ((int64_t)1 << 31) + 1, ((int64_t)1 << 31) + 2, ((int64_t)1 << 31) + 5, ((int64_t)1 << 31) - 7,
    ((int64_t)1 << 32) - 8, ((int64_t)1 << 32) + 3, ((int64_t)1 << 31) + 4};

/* Kernels for multivectors load so many neighbours at once, from multiples of it on: an array
 * begins at one. */
enum { GROUP = 4 };

/* What is multiplied: a vector, or a multivector in a layout. */
typedef struct {
    int64_t vectors;
    tulle_layout layout;
} operands;

static const operands vector = {1, TULLE_COLUMN_MAJOR};
static const operands blocks[] = {{3, TULLE_ROW_MAJOR}, {3, TULLE_COLUMN_MAJOR}};

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
    must(tulle_ctx_synchronize(ctx)); /* as the library does: kernels ask for marks at once */
    return marks;
}

static tulle__spmv_shape shape_of(const tulle_ctx *ctx, const tulle_mat *A, const operands *o,
                                  tulle_index index, tulle_trans op) {
    const tulle__pattern *p = A->pattern;
    return (tulle__spmv_shape){.rows = p->rows,
                               .cols = p->cols,
                               .nnz = p->nnz,
                               .format = TULLE_CSR,
                               .values = TULLE__VALUES_F64,
                               .type = TULLE_F64,
                               .index = index,
                               .trans = op,
                               .vectors = o->vectors,
                               .x_layout = o->layout,
                               .y_layout = o->layout,
                               .stats = &p->stats,
                               .storage = &p->storage,
                               .device = &ctx->info};
}

/* True for kernels whose loads ask where the arrays end (spmm_stage.cuh), for which nnz stands; to
 * the others that is a count. */
static bool knows_end(const tulle__spmv_kernel *kernel) {
    return strcmp(kernel->head.name, "spmm_csr_staged") == 0 ||
           strcmp(kernel->head.name, "spmm_csr_column") == 0;
}

/* A product, and whether the kernel takes such operands. */
static bool one_kernel(tulle_ctx *ctx, const tulle__spmv_kernel *kernel, const zoo_matrix *m,
                       const operands *o, tulle_index index, tulle_trans op, int64_t base) {
    tulle_mat *A = zoo_mat(ctx, m, index, TULLE_F64);
    int64_t n = op == TULLE_N ? m->cols : m->rows, rows = op == TULLE_N ? m->rows : m->cols;
    host_block x = host_block_make(n, o->vectors, o->layout, 0, TULLE_F64);
    host_block y = host_block_make(rows, o->vectors, o->layout, 0, TULLE_F64);
    uint64_t state = 3;
    for (int64_t i = 0; i < x.count; i++) x.numbers[i] = zoo_number(&state);
    place_block on_x = place_block_make(ctx, &x), on_y = place_block_make(ctx, &y);
    tulle_vec_info x_info, y_info;
    must(tulle_vec_describe(on_x.block, &x_info));
    must(tulle_vec_describe(on_y.block, &y_info));
    tulle__spec spec = {.kernel = &kernel->head};
    tulle__spmv_task task = {
        .shape = shape_of(ctx, A, o, index, op),
        .place = &ctx->place,
        .offsets = moved_offsets(ctx, m, index, base),
        .cols_of = moved_back(A->pattern->cols_of.data, base, tulle_index_size(index)),
        .values = moved_back(A->values.data, base, sizeof(double)),
        .x = x_info.data,
        .y = y_info.data,
        .ldx = x_info.ld,
        .ldy = y_info.ld,
        .alpha = tulle_num(1),
        .beta = tulle_num(0)};
    void *marks = marks_of(ctx, m, index, task.offsets);
    task.marks = marks;
    if (knows_end(kernel)) task.shape.nnz += base;
    tulle__spmv_fill(&task.shape, &spec);
    task.params = spec.params;
    bool takes = !kernel->eligible || kernel->eligible(&task.shape, spec.params);
    if (takes && kernel->workspace) {
        must(tulle__workspace(ctx, kernel->workspace(&task.shape, spec.params), &task.workspace));
    }
    void *prepared = NULL;
    if (takes && (kernel->head.flags & TULLE__NEEDS_PLAN)) {
        must(tulle__alloc(ctx, kernel->prepared_bytes(&task.shape, spec.params), &prepared));
        must(kernel->prepare(&task, prepared, &task.prepared_count));
        task.prepared = prepared;
    }
    if (takes) {
        must(kernel->run[TULLE__VALUES_F64][index](&task));
        host_block got = host_block_make(rows, o->vectors, o->layout, 0, TULLE_F64);
        place_block_read(ctx, &on_y, &got);
        product p = {.op = op, .alpha = 1, .beta = 0};
        double error = host_block_error(m, p, &x, &y, &got);
        if (!(error <= 1)) fail_msg("%s op %d: error %g bounds", kernel->head.name, op, error);
        host_block_free(&got);
    }
    tulle__free(ctx, prepared);
    tulle__free(ctx, marks);
    tulle__free(ctx, (void *)(uintptr_t)task.offsets);
    place_block_free(&on_x);
    place_block_free(&on_y);
    host_block_free(&x);
    host_block_free(&y);
    tulle_mat_destroy(A);
    return takes;
}

/* Both products; the transposed one only of kernels that share no scratch by entries. How many the
 * kernel took. */
static int both_products(tulle_ctx *ctx, const tulle__spmv_kernel *kernel, const zoo_matrix *m,
                         const operands *o, tulle_index index, int64_t base) {
    int taken = 0;
    if (kernel->head.flags & TULLE__FORWARD) {
        taken += one_kernel(ctx, kernel, m, o, index, TULLE_N, base);
    }
    if ((kernel->head.flags & TULLE__TRANSPOSED) && !kernel->workspace) {
        taken += one_kernel(ctx, kernel, m, o, index, TULLE_T, base);
    }
    return taken;
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

static int wide_offsets(tulle_ctx *ctx, const tulle__spmv_kernel *kernel, const zoo_matrix *m,
                        const operands *o) {
    int taken = 0;
    for (int index = TULLE_I64_I32; index <= TULLE_I64; index++) {
        if (!kernel->run[TULLE__VALUES_F64][index]) continue;
        for (size_t b = 0; b < sizeof beyond / sizeof *beyond; b++) {
            if (o->vectors > 1 && beyond[b] % GROUP != 0) continue;
            taken += both_products(ctx, kernel, m, o, (tulle_index)index, beyond[b]);
        }
    }
    return taken;
}

static void all_beyond_32_bits(tulle_ctx *ctx, const zoo_matrix *m) {
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, false);
    for (int i = 0; i < kernels->count; i++) {
        const tulle__spmv_kernel *kernel = tulle__spmv_of(kernels->item[i]);
        if (kernel->head.format != TULLE_CSR || !is_wanted(kernel->head.name)) continue;
        int64_t base = most_entries(ctx, kernel, m) - m->nnz;
        both_products(ctx, kernel, m, &vector, TULLE_I32, base);
        wide_offsets(ctx, kernel, m, &vector);
    }
}

/* Elsewhere than on the emulator one that a CPU cuts into pieces, too. */
static void beyond_32_bits(tulle_ctx *ctx, const char *where) {
    zoo_matrix small = zoo_make(8);
    all_beyond_32_bits(ctx, &small);
    zoo_free(&small);
    if (is_slow(where)) return;
    zoo_matrix large = zoo_make_large(1);
    all_beyond_32_bits(ctx, &large);
    zoo_free(&large);
}

static void multivectors(tulle_ctx *ctx, const char *where) {
    (void)where;
    zoo_matrix m = zoo_make(8);
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, true);
    for (int i = 0; i < kernels->count; i++) {
        const tulle__spmv_kernel *kernel = tulle__spmv_of(kernels->item[i]);
        if (kernel->head.format != TULLE_CSR || !is_wanted(kernel->head.name)) continue;
        int taken = 0;
        for (int b = 0; b < 2; b++) taken += wide_offsets(ctx, kernel, &m, &blocks[b]);
        if (taken == 0) fail_msg("%s took nothing", kernel->head.name);
    }
    zoo_free(&m);
}

static void test_beyond_32_bits(void **state) {
    (void)state;
    on_each_place(beyond_32_bits);
}

static void test_multivectors(void **state) {
    (void)state;
    on_each_place(multivectors);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_beyond_32_bits),
        cmocka_unit_test(test_multivectors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
