/* SPDX-License-Identifier: Apache-2.0 */
/* Schedules of triangles against their definition, number by number, on every place. */
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "core/context.h"
#include "matrix/build.h"
#include "places.h"
#include "trisolve/functions.h"
#include "zoo.h"

/* A square pattern of blocks on the host, and the first row of the matrix whose diagonal entry is
 * missing or repeated. */
typedef struct {
    int64_t rows, stored;
    int64_t *offsets, *cols;
    int64_t faulty_row;
} pattern;

/* As tulle__schedule has it, in 64 bits. */
typedef struct {
    tulle__schedule numbers;
    int64_t *order, *begins, *places, *slots, *diagonal;
} expected;

static int64_t *numbers(int64_t count) {
    int64_t *made = calloc((size_t)count + 1, sizeof *made);
    assert_non_null(made);
    return made;
}

/* The entries of op(T) beside its diagonal: row i waits for row j. */
typedef struct {
    bool upper;
    tulle_trans op;
} triangle;

static bool is_beside(triangle t, int64_t row, int64_t col) {
    return t.upper ? col > row : col < row;
}
static int64_t waiter(triangle t, int64_t row, int64_t col) {
    return t.op == TULLE_T ? col : row;
}
static int64_t awaited(triangle t, int64_t row, int64_t col) {
    return t.op == TULLE_T ? row : col;
}
static bool is_rising(triangle t) {
    return t.upper == (t.op == TULLE_T);
}

/* Levels grow until none is too low. */
static void find_levels(const pattern *A, triangle t, int64_t *level) {
    for (bool grown = true; grown;) {
        grown = false;
        for (int64_t i = 0; i < A->rows; i++) {
            for (int64_t e = A->offsets[i]; e < A->offsets[i + 1]; e++) {
                if (!is_beside(t, i, A->cols[e])) continue;
                int64_t *mine = &level[waiter(t, i, A->cols[e])];
                if (*mine > level[awaited(t, i, A->cols[e])]) continue;
                *mine = level[awaited(t, i, A->cols[e])] + 1;
                grown = true;
            }
        }
    }
}

static void order_rows(const pattern *A, const int64_t *level, expected *s, int64_t *place_of) {
    int64_t placed = 0;
    tulle__schedule *n = &s->numbers;
    for (n->levels = 0; placed < A->rows; n->levels++) {
        n->level_begins[n->levels] = placed;
        for (int64_t i = 0; i < A->rows; i++) {
            if (level[i] != n->levels) continue;
            place_of[i] = placed;
            s->order[placed++] = i;
        }
        const int64_t wide = placed - n->level_begins[n->levels];
        if (wide > n->widest) n->widest = wide;
    }
    n->level_begins[n->levels] = placed;
}

/* Place p's entries, found in the order of the slots, forward or backward. */
static void fill_place(const pattern *A, triangle t, const int64_t *row_of, const int64_t *place_of,
                       int64_t p, expected *s) {
    const bool forward = t.op == TULLE_N || is_rising(t);
    int64_t to = s->begins[p];
    s->diagonal[p] = -1;
    for (int64_t k = 0; k < A->stored; k++) {
        const int64_t e = forward ? k : A->stored - 1 - k, i = row_of[e], j = A->cols[e];
        if (i == j && i == s->order[p] && (s->diagonal[p] < 0 || e < s->diagonal[p])) {
            s->diagonal[p] = e;
        }
        if (!is_beside(t, i, j) || waiter(t, i, j) != s->order[p]) continue;
        s->places[to] = place_of[awaited(t, i, j)];
        s->slots[to++] = e;
    }
    s->begins[p + 1] = to;
    if (to - s->begins[p] > s->numbers.longest) s->numbers.longest = to - s->begins[p];
}

static expected expect(const pattern *A, triangle t) {
    expected s = {.numbers = {.rows = A->rows, .faulty_row = A->faulty_row},
                  .order = numbers(A->rows),
                  .begins = numbers(A->rows + 1),
                  .places = numbers(A->stored),
                  .slots = numbers(A->stored),
                  .diagonal = numbers(A->rows)};
    s.numbers.level_begins = numbers(A->rows + 1);
    int64_t *level = numbers(A->rows), *place_of = numbers(A->rows), *row_of = numbers(A->stored);
    for (int64_t i = 0; i < A->rows; i++) {
        for (int64_t e = A->offsets[i]; e < A->offsets[i + 1]; e++) row_of[e] = i;
    }
    find_levels(A, t, level);
    order_rows(A, level, &s, place_of);
    for (int64_t p = 0; p < A->rows; p++) fill_place(A, t, row_of, place_of, p, &s);
    s.numbers.entries = s.begins[A->rows];
    free(level);
    free(place_of);
    free(row_of);
    return s;
}

static void forget(expected *s) {
    free(s->order);
    free(s->begins);
    free(s->places);
    free(s->slots);
    free(s->diagonal);
    free(s->numbers.level_begins);
}

/* What a schedule task's make does here. */
static tulle_status make_arrays(const tulle__place *place, const tulle__schedule_task *task,
                                tulle__schedule *s) {
    const size_t size = (size_t)tulle_offset_size(task->pattern.index);
    const size_t rows = (size_t)s->rows * size, entries = (size_t)s->entries * size;
    s->level_begins = numbers(s->levels + 1);
    must(tulle__alloc(place->ctx, rows, &s->order));
    must(tulle__alloc(place->ctx, rows + size, &s->begins));
    must(tulle__alloc(place->ctx, entries, &s->places));
    must(tulle__alloc(place->ctx, entries, &s->slots));
    must(tulle__alloc(place->ctx, rows, &s->diagonal));
    return TULLE_OK;
}

static void is_array(tulle_ctx *ctx, void *array, int64_t size, const int64_t *want,
                     int64_t count) {
    void *host = malloc((size_t)(count * size) + 1);
    assert_non_null(host);
    must(tulle__copy_wait(ctx, host, array, (size_t)(count * size)));
    for (int64_t k = 0; k < count; k++) assert_int_equal(tulle__get(host, size, k), want[k]);
    free(host);
    tulle__free(ctx, array);
}

/* Rows whose entries beside the diagonal are not as many as those of the row before. */
static int64_t uneven_rows(const pattern *host, bool upper) {
    int64_t found = 0, before = 0;
    for (int64_t i = 0; i < host->rows; i++) {
        int64_t count = 0;
        for (int64_t e = host->offsets[i]; e < host->offsets[i + 1]; e++) {
            count += upper ? host->cols[e] > i : host->cols[e] < i;
        }
        if (count > TULLE__LONG_ROW) count = TULLE__LONG_ROW;
        found += count != before;
        before = count;
    }
    return found;
}

/* On a CPU, of CSR whose columns rise, and nowhere else. */
static void check_bounds(tulle_ctx *ctx, const tulle__schedule_task *task, const pattern *host,
                         const tulle__schedule *s) {
    void *bounds = s->bounds;
    if (ctx->kind != TULLE_CPU || !task->rising) {
        assert_null(bounds);
        return;
    }
    assert_int_equal(s->uneven, uneven_rows(host, task->upper));
    int64_t *want = numbers(host->rows);
    for (int64_t i = 0; i < host->rows; i++) {
        want[i] = host->offsets[i];
        for (int64_t e = host->offsets[i]; e < host->offsets[i + 1]; e++) {
            want[i] += host->cols[e] < (task->upper ? i + 1 : i);
        }
    }
    is_array(ctx, bounds, tulle_offset_size(task->pattern.index), want, host->rows);
    free(want);
}

static void check_triangle(tulle_ctx *ctx, const tulle_mat *A, const pattern *host, triangle t,
                           bool queued) {
    const tulle__schedule_task task = {
        .pattern = tulle__view_of(A->pattern),
        .rows = host->rows,
        .rising = A->pattern->format == TULLE_CSR && A->pattern->stats.rising,
        .upper = t.upper,
        .op = t.op,
        .queued = queued,
        .make = make_arrays};
    const int64_t size = tulle_offset_size(A->pattern->index);
    expected want = expect(host, t);
    tulle__schedule s = {0};
    must(ctx->backend->trisolve->make_schedule(&ctx->place, &task, &s));
    assert_int_equal(s.rows, want.numbers.rows);
    assert_int_equal(s.entries, want.numbers.entries);
    assert_int_equal(s.levels, want.numbers.levels);
    assert_int_equal(s.widest, want.numbers.widest);
    assert_int_equal(s.longest, want.numbers.longest);
    assert_int_equal(s.faulty_row, want.numbers.faulty_row);
    for (int64_t l = 0; l <= s.levels; l++) {
        assert_int_equal(s.level_begins[l], want.numbers.level_begins[l]);
    }
    is_array(ctx, s.order, size, want.order, s.rows);
    is_array(ctx, s.begins, size, want.begins, s.rows + 1);
    is_array(ctx, s.places, size, want.places, s.entries);
    is_array(ctx, s.slots, size, want.slots, s.entries);
    is_array(ctx, s.diagonal, size, want.diagonal, s.rows);
    check_bounds(ctx, &task, host, &s);
    free(s.level_begins);
    tulle__host_free(ctx, s.stretches);
    forget(&want);
}

static void check_triangles(tulle_ctx *ctx, const tulle_mat *A, const pattern *host) {
    for (int k = 0; k < 4; k++) {
        const triangle t = {.upper = k % 2 == 1, .op = k / 2 == 1 ? TULLE_T : TULLE_N};
        check_triangle(ctx, A, host, t, false);
        if (ctx->kind != TULLE_CPU) check_triangle(ctx, A, host, t, true);
    }
}

/* The first row that has not exactly one diagonal entry; with any: not one. */
static int64_t first_fault(const zoo_matrix *m, bool any) {
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t found = 0;
        for (int64_t e = m->offsets[i]; e < m->offsets[i + 1]; e++) found += m->columns[e] == i;
        if (found == 0 || (found > 1 && !any)) return i;
    }
    return -1;
}

static void check_csr(tulle_ctx *ctx, const zoo_matrix *m, tulle_index index) {
    const pattern host = {.rows = m->rows,
                          .stored = m->nnz,
                          .offsets = m->offsets,
                          .cols = m->columns,
                          .faulty_row = first_fault(m, false)};
    tulle_mat *A = zoo_mat(ctx, m, index, TULLE_F64);
    check_triangles(ctx, A, &host);
    tulle_mat_destroy(A);
}

/* Repeated entries are summed on the way. */
static tulle_mat *make_bsr(tulle_ctx *ctx, const zoo_matrix *m, int block, tulle_index index) {
    tulle_convert_options options = {.block = block};
    tulle_mat *A = zoo_mat(ctx, m, TULLE_I64, TULLE_F64), *summed = NULL, *bsr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I64, TULLE_SUM_DUPLICATES, &summed));
    must(tulle_mat_convert_with(ctx, summed, TULLE_BSR, index, &options, &bsr));
    tulle_mat_destroy(summed);
    tulle_mat_destroy(A);
    return bsr;
}

static void check_bsr(tulle_ctx *ctx, const zoo_matrix *m, int block, tulle_index index) {
    tulle_ctx *cpu = NULL;
    must(tulle_ctx_create("cpu", NULL, &cpu));
    tulle_mat *A = make_bsr(ctx, m, block, index), *on_host = make_bsr(cpu, m, block, TULLE_I64);
    const tulle__pattern *p = on_host->pattern;
    const pattern host = {.rows = tulle__ceil_div(m->rows, block),
                          .stored = tulle__bsr_blocks(&p->storage),
                          .offsets = p->offsets.data,
                          .cols = p->cols_of.data,
                          .faulty_row = first_fault(m, true)};
    check_triangles(ctx, A, &host);
    tulle_mat_destroy(on_host);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(cpu);
}

static void check_zoo(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < zoo_count(); i++) {
        zoo_matrix m = zoo_make(i);
        for (int index = TULLE_I32; m.rows == m.cols && index <= TULLE_I64; index++) {
            if (is_slow(where) && index != (i + turn_of(where, 3)) % 3) continue;
            check_csr(ctx, &m, (tulle_index)index);
            check_bsr(ctx, &m, 1 + (i + index) % 5, (tulle_index)index);
        }
        zoo_free(&m);
    }
}

static void test_zoo(void **state) {
    (void)state;
    on_each_place(check_zoo);
}

/* A matrix in the making: at most so many entries a row. */
typedef struct {
    zoo_matrix m;
    int64_t room;
} draft;

static draft start(int64_t rows, int64_t room) {
    draft d = {.m = {.rows = rows, .cols = rows}, .room = rows * room};
    d.m.offsets = numbers(rows + 1);
    d.m.columns = numbers(d.room);
    d.m.values = calloc((size_t)d.room + 1, sizeof *d.m.values);
    assert_non_null(d.m.values);
    return d;
}
static void put(draft *d, int64_t col) {
    assert_true(d->m.nnz < d->room);
    d->m.values[d->m.nnz] = 1;
    d->m.columns[d->m.nnz++] = col;
}
static void end_row(draft *d, int64_t row) {
    d->m.offsets[row + 1] = d->m.nnz;
}

/* Each row and its neighbours: as many levels as rows, which meet within warps and between them. */
static draft chain(int64_t rows) {
    draft d = start(rows, 3);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = i - 1; j <= i + 1; j++) {
            if (j >= 0 && j < rows) put(&d, j);
        }
        end_row(&d, i);
    }
    return d;
}

/* A grid of five-point stencils: waves across the rows of many warps. */
static draft grid(int64_t side) {
    draft d = start(side * side, 5);
    for (int64_t i = 0; i < side * side; i++) {
        if (i >= side) put(&d, i - side);
        if (i % side > 0) put(&d, i - 1);
        put(&d, i);
        if (i % side < side - 1) put(&d, i + 1);
        if (i + side < side * side) put(&d, i + side);
        end_row(&d, i);
    }
    return d;
}

/* Columns in any order, repeated ones too, diagonal entries here and there; some rows and some
 * columns have many. */
static draft drawn(int64_t rows, uint64_t seed) {
    draft d = start(rows, rows);
    for (int64_t i = 0; i < rows; i++) {
        const uint64_t length = i % 50 == 17 ? (uint64_t)rows : zoo_bits(&seed) % 7;
        for (uint64_t k = 0; k < length; k++) {
            const uint64_t bits = zoo_bits(&seed), most = bits % 4 == 0 ? 3 : (uint64_t)rows;
            put(&d, bits % 16 == 1 ? i : (int64_t)((bits >> 8) % most));
        }
        end_row(&d, i);
    }
    return d;
}

static draft full(int64_t rows) {
    draft d = start(rows, rows);
    for (int64_t i = 0; i < rows; i++) {
        for (int64_t j = 0; j < rows; j++) put(&d, j);
        end_row(&d, i);
    }
    return d;
}

static draft diagonal(int64_t rows) {
    draft d = start(rows, 1);
    for (int64_t i = 0; i < rows; i++) {
        put(&d, i);
        end_row(&d, i);
    }
    return d;
}

/* Levels of 600 rows, each of which waits for one of the level before and for row 0, and then a
 * chain of a few. */
static draft wide(int64_t levels) {
    enum { WIDTH = 600, CHAIN = 20 };
    draft d = start(levels * WIDTH + CHAIN, 3);
    for (int64_t i = 0; i < d.m.rows; i++) {
        if (i > WIDTH) put(&d, 0);
        if (i >= WIDTH) put(&d, i < levels * WIDTH ? i - WIDTH : i - 1);
        put(&d, i);
        end_row(&d, i);
    }
    return d;
}

static void check_draft(tulle_ctx *ctx, draft d, tulle_index index, int block) {
    check_csr(ctx, &d.m, index);
    if (block > 0) check_bsr(ctx, &d.m, block, index);
    zoo_free(&d.m);
}

static void check_made(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int index = TULLE_I32; index <= TULLE_I64; index++) {
        check_draft(ctx, chain(131), (tulle_index)index, 3);
        check_draft(ctx, grid(14), (tulle_index)index, 0);
        check_draft(ctx, drawn(300, places_seed() + (uint64_t)index), (tulle_index)index, 4);
    }
    check_draft(ctx, full(70), TULLE_I32, 16);
    check_draft(ctx, diagonal(100), TULLE_I32, 0);
    check_draft(ctx, wide(3), TULLE_I32, 0);
    check_draft(ctx, wide(2), TULLE_I64, 0);
}

static void test_made(void **state) {
    (void)state;
    on_each_place(check_made);
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_zoo), cmocka_unit_test(test_made)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
