/* SPDX-License-Identifier: Apache-2.0 */
/* Factors in batches whose levels are thin, where warps share the work on a row: the same bits as
 * where a team of lanes has a row of its own, which is how modified ILU goes, also where it drops
 * nothing. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "batch_systems.h"
#include "core/backend.h"
#include "core/context.h"
#include "factor/object.h"
#include "places.h"
#include "tulle/tulle.h"

/* Chains of block rows, each dense, which have to do with each other only through the last rows,
 * which are dense: complete factors have as many rows a level as there are chains, and then one. */
typedef struct {
    int64_t chains, length, last;
    int widest; /* block that it is tried with */
} shape;

/* A block of threads has 8 warps, or 16: of some levels both have a row each, and one row more. */
static const shape shapes[] = {
    {0, 0, 14, 16}, {1, 3, 8, 16}, {2, 3, 7, 8}, {9, 2, 12, 4}, {17, 1, 13, 4}};
enum { SHAPES = sizeof shapes / sizeof *shapes, SIZES_OF_BLOCKS = 5 };
static const int sizes[SIZES_OF_BLOCKS] = {1, 3, 4, 8, 16};

typedef struct {
    int64_t rows, blocks, block;
    int64_t *offsets, *cols;
    double *values;
} block_matrix;

static int64_t rows_of(const shape *s) {
    return s->chains * s->length + s->last;
}

/* holes: a quarter of the blocks is not there, so that rows lack what others have. */
static bool is_there(const shape *s, int64_t i, int64_t j, bool holes) {
    const int64_t first = s->chains * s->length;
    if (holes && i != j && (7 * i + 3 * j) % 4 == 0) return false;
    return i >= first || j >= first || i / s->length == j / s->length;
}

/* On the diagonal more than a row's and a column's other magnitudes come to; in column order. */
static block_matrix make_blocks(const shape *s, int block, bool holes) {
    uint64_t seed = 1;
    const int64_t n = rows_of(s), cells = (int64_t)block * block;
    block_matrix m = {.rows = n,
                      .block = block,
                      .offsets = calloc((size_t)n + 1, sizeof *m.offsets),
                      .cols = calloc((size_t)(n * n), sizeof *m.cols),
                      .values = calloc((size_t)(n * n * cells), sizeof *m.values)};
    assert_non_null(m.offsets);
    assert_non_null(m.cols);
    assert_non_null(m.values);
    for (int64_t i = 0; i < n; i++) {
        for (int64_t j = 0; j < n; j++) {
            if (!is_there(s, i, j, holes)) continue;
            double *at = m.values + m.blocks * cells;
            for (int64_t q = 0; q < cells; q++) at[q] = (double)(float)zoo_number(&seed);
            for (int64_t r = 0; r < block && i == j; r++) at[r * block + r] += (double)(n * block);
            m.cols[m.blocks++] = j;
        }
        m.offsets[i + 1] = m.blocks;
    }
    return m;
}

static tulle_mat *place_blocks(tulle_ctx *ctx, const block_matrix *m, const factor_setting *s) {
    const int64_t numbers = m->blocks * m->block * m->block, rows = m->rows * m->block;
    const tulle_storage storage = {.stored = numbers, .block = m->block, .full = true};
    void *offsets = widths(m->offsets, m->rows + 1, tulle_offset_size(s->index), 0);
    void *cols = widths(m->cols, m->blocks, tulle_index_size(s->index), 0);
    void *values = values_as(m->values, numbers, s->type);
    const tulle_mat_arrays arrays = {.offsets = offsets, .cols = cols, .values = values};
    tulle_mat *A = NULL;
    must(tulle_mat_create(ctx, rows, rows, TULLE_BSR, &storage, s->index, &arrays, s->type, NULL,
                          &A));
    free(offsets);
    free(cols);
    free(values);
    return A;
}

/* A matrix, and another of its pattern, whose factors there are before those of A. */
typedef struct {
    factor_setting s;
    block_matrix m;
    tulle_mat *A, *other;
} thin_system;

/* zeros: a block row of these; -1: none. */
static thin_system make_thin(tulle_ctx *ctx, const shape *of, factor_setting s, bool holes,
                             int64_t zeros) {
    thin_system y = {.s = s, .m = make_blocks(of, s.block, holes)};
    const int64_t cells = (int64_t)s.block * s.block, numbers = y.m.blocks * cells;
    y.other = place_blocks(ctx, &y.m, &s);
    for (int64_t q = 0; q < numbers; q++) y.m.values[q] *= q % 3 ? 1 : 0.75;
    for (int64_t i = 0; i < y.m.rows; i++) {
        const int64_t end = i == zeros ? y.m.offsets[i + 1] : y.m.offsets[i];
        for (int64_t q = y.m.offsets[i] * cells; q < end * cells; q++) y.m.values[q] = 0;
    }
    void *values = values_as(y.m.values, numbers, s.type);
    must(tulle_mat_with_values(ctx, y.other, s.type, numbers, values, &y.A));
    free(values);
    return y;
}

static void free_thin(thin_system *y) {
    tulle_mat_destroy(y->A);
    tulle_mat_destroy(y->other);
    free(y->m.offsets);
    free(y->m.cols);
    free(y->m.values);
}

/* More tasks than multiprocessors have blocks of 256 threads each, few have 512. */
enum { MANY = 5 };
typedef struct {
    int tasks;
    tulle_factor *F[MANY];
} all_factors;

/* Of the other matrix. */
static all_factors make_factors(tulle_ctx *ctx, const thin_system *y,
                                const tulle_factor_options *options, int tasks) {
    all_factors f = {.tasks = tasks};
    for (int i = 0; i < tasks; i++) must(tulle_factor_create(ctx, y->other, options, &f.F[i]));
    return f;
}

static void free_factors(all_factors *f) {
    for (int i = 0; i < f->tasks; i++) tulle_factor_destroy(f->F[i]);
}

static size_t bytes_of(const tulle_factor *F) {
    const tulle__symbolic *s = F->symbolic;
    return (size_t)(s->entries * s->block * s->block * tulle_type_size(F->LU->type));
}

/* Those of A by a batch; bad: the row that each task tells of, or -1. */
static void run(tulle_ctx *ctx, const thin_system *y, const all_factors *f, tulle_batch_way way,
                int64_t bad) {
    tulle_batch *batch = NULL;
    must(tulle_batch_create(ctx, &batch));
    for (int i = 0; i < f->tasks; i++) {
        must(ctx->backend->set_bytes(&ctx->place, f->F[i]->LU->values.data, 0xff,
                                     bytes_of(f->F[i])));
        must(tulle_batch_factor(batch, f->F[i], y->A, NULL));
    }
    must(tulle_batch_run(ctx, batch, way));
    const tulle_batch_report *report = reports_of(ctx, batch);
    for (int i = 0; i < f->tasks; i++) {
        assert_int_equal(report[i].status, bad < 0 ? TULLE_OK : TULLE_ZERO_PIVOT);
        assert_int_equal(report[i].row, bad);
    }
    tulle_batch_destroy(batch);
}

static void *copied(tulle_ctx *ctx, const void *from, size_t bytes) {
    void *to = malloc(bytes + 1);
    assert_non_null(to);
    must(tulle__copy_wait(ctx, to, from, bytes));
    return to;
}

static void compare(tulle_ctx *ctx, const void *got, const void *want, size_t bytes) {
    void *one = copied(ctx, got, bytes), *two = copied(ctx, want, bytes);
    assert_memory_equal(one, two, bytes);
    free(one);
    free(two);
}

/* All numbers, and which rows of diagonal blocks changed places, bit for bit. */
static void compare_factors(tulle_ctx *ctx, const tulle_factor *got, const tulle_factor *want) {
    const tulle__symbolic *s = want->symbolic;
    compare(ctx, got->LU->values.data, want->LU->values.data, bytes_of(want));
    assert_int_equal(got->pivots != NULL, want->pivots != NULL);
    if (want->pivots) compare(ctx, got->pivots, want->pivots, (size_t)(s->rows * s->block));
}

/* By 16 warps, alone, and, where there are many tasks, by 8 warps. */
static void compare_ways(tulle_ctx *ctx, const thin_system *y, int tasks,
                         const tulle_factor *want) {
    static const tulle_batch_way by[] = {TULLE_BATCH_STREAMS, TULLE_BATCH_GROUPED};
    all_factors all = make_factors(ctx, y, &y->s.options, tasks), one = all;
    one.tasks = 1;
    for (int i = 0; i < 2; i++) {
        run(ctx, y, by[i] == TULLE_BATCH_GROUPED ? &all : &one, by[i], -1);
        compare_factors(ctx, all.F[0], want);
    }
    free_factors(&all);
}

/* Steps of blocks are listed for a kernel of their own where indices have 32 bits. */
static factor_setting setting_of(int block, int number) {
    const bool is_listed = block == 3 || block == 4 || block == 8;
    return (factor_setting){.block = block,
                            .type = number % 2 ? TULLE_F64 : TULLE_F32,
                            .index = (tulle_index)(is_listed ? 1 + number / 2 % 2 : number / 2 % 3),
                            .options = {.inverted = block > 1 && number / 4 % 2}};
}

static void complete(tulle_ctx *ctx, const char *where) {
    const int every = is_slow(where) ? 7 : 1, cases = SHAPES * SIZES_OF_BLOCKS;
    for (int i = 0; i < 2 * cases; i++) {
        const shape *of = shapes + i % SHAPES;
        const int block = sizes[i / SHAPES % SIZES_OF_BLOCKS];
        if (block > of->widest || (i + turn_of(where, every)) % every) continue;
        thin_system y = make_thin(ctx, of, setting_of(block, i), false, -1);
        y.s.options.fill = TULLE_FILL_ALL;
        tulle_factor_options modified = y.s.options;
        modified.modified = 0.5;
        all_factors want = make_factors(ctx, &y, &modified, 1);
        run(ctx, &y, &want, TULLE_BATCH_GROUPED, -1);
        compare_ways(ctx, &y, of->chains == 9 ? MANY : 1, want.F[0]);
        free_factors(&want);
        free_thin(&y);
    }
}

static void test_complete(void **state) {
    (void)state;
    on_each_place(complete);
}

static entries entries_of(const block_matrix *m) {
    const int64_t b = m->block, count = m->blocks * b * b;
    entries e = {.rows = m->rows * b,
                 .cols = m->rows * b,
                 .row = calloc((size_t)count, sizeof *e.row),
                 .col = calloc((size_t)count, sizeof *e.col),
                 .value = calloc((size_t)count, sizeof *e.value)};
    for (int64_t i = 0; i < m->rows; i++) {
        for (int64_t slot = m->offsets[i]; slot < m->offsets[i + 1]; slot++) {
            for (int64_t q = 0; q < b * b; q++) {
                e.row[e.nnz] = i * b + q / b;
                e.col[e.nnz] = m->cols[slot] * b + q % b;
                e.value[e.nnz++] = m->values[slot * b * b + q];
            }
        }
    }
    return e;
}

/* Rows that lack what those before them have: within the bound, and the same by all ways. */
static void incomplete(tulle_ctx *ctx, const char *where) {
    const int every = is_slow(where) ? 3 : 1;
    for (int i = 0; i < 2 * SIZES_OF_BLOCKS; i++) {
        if ((i + turn_of(where, every)) % every) continue;
        const int block = sizes[i % SIZES_OF_BLOCKS];
        thin_system y =
            make_thin(ctx, shapes + (block > 4 ? 1 : 3), setting_of(block, i), true, -1);
        y.s.options.fill = i / SIZES_OF_BLOCKS;
        entries e = entries_of(&y.m);
        all_factors want = make_factors(ctx, &y, &y.s.options, 1);
        run(ctx, &y, &want, TULLE_BATCH_GROUPED, -1);
        factor_check(ctx, want.F[0], &e, &y.s);
        compare_ways(ctx, &y, 1, want.F[0]);
        free_factors(&want);
        entries_free(&e);
        free_thin(&y);
    }
}

static void test_incomplete(void **state) {
    (void)state;
    on_each_place(incomplete);
}

/* A block row of zeros, of a chain or of the last rows, is told of; those behind it, whose pivots
 * are no numbers, are not. */
static void zero_rows(tulle_ctx *ctx, const char *where) {
    (void)where;
    const shape *of = shapes + 2;
    const int64_t rows[] = {1, 5, 6, rows_of(of) - 1};
    for (int i = 0; i < 4; i++) {
        const int block = i % 2 ? 7 : 2;
        thin_system y = make_thin(ctx, of, setting_of(block, i), false, rows[i]);
        y.s.options.fill = TULLE_FILL_ALL;
        all_factors f = make_factors(ctx, &y, &y.s.options, 1);
        for (int way = TULLE_BATCH_GROUPED; way <= TULLE_BATCH_STREAMS; way++) {
            run(ctx, &y, &f, (tulle_batch_way)way, rows[i] * block);
        }
        free_factors(&f);
        free_thin(&y);
    }
}
ONCE_ON_EACH_PLACE(zero_rows)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_complete),
        cmocka_unit_test(test_incomplete),
        cmocka_unit_test(test_zero_rows),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
