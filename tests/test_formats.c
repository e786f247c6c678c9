/* SPDX-License-Identifier: Apache-2.0 */
/* Every layout of every format: what it holds and promises, by a naive reader; the way back,
 * copies, the transpose, new values; what padding may not do. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/types.h"
#include "gaps.h"
#include "layouts.h"
#include "naive_layout.h"
#include "pairwise.h"
#include "places.h"
#include "tulle/advanced.h"

/* One matrix in one layout, made from its CSR. */
typedef struct {
    tulle_ctx *ctx, *host;
    tulle_format format;
    int layout;
    tulle_index index;
    tulle_type type;
    tulle_mat *csr, *A;
    entries want; /* what A must hold, in the order of its rows */
    char what[128];
} sample;

static void describe(sample *s, const char *name) {
    snprintf(s->what, sizeof s->what, "'%s' as %s (layout %d, index %d, type %d)", name,
             tulle_format_name(s->format), s->layout, s->index, s->type);
}

/* Converting to these sorts; and the last two have no room for repeated entries. */
static entries wanted(const zoo_matrix *m, tulle_format format, tulle_type type) {
    entries e = entries_of_zoo(m);
    bool sums = format == TULLE_DIA || format == TULLE_BSR;
    if (sums || format == TULLE_CSC) entries_sort(&e);
    if (sums) entries_sum(&e, type);
    return e;
}

static void holds(const sample *s, const tulle_mat *A, tulle_ctx *ctx, const entries *want) {
    naive_layout l = naive_read(ctx, A);
    naive_check(&l);
    int64_t *slots = NULL;
    entries got = naive_entries(&l, &slots);
    if (s->format == TULLE_CSC) entries_sort(&got);
    entries_assert_same(&got, want, s->what);
    entries_free(&got);
    free(slots);
    naive_free(&l);
}

/* Only COO, which may be in any order, is sorted on the way to CSR. */
static void way_back(const sample *s, const tulle_mat *A, const entries *want) {
    entries by_rows = entries_copy(want);
    if (s->format == TULLE_COO) entries_sort(&by_rows);
    tulle_mat *B = NULL;
    must(tulle_mat_convert(s->ctx, A, TULLE_COO, s->index, 0, &B));
    entries_check(s->ctx, B, want, TULLE_COO, s->index, s->type, s->what);
    tulle_mat_destroy(B);
    must(tulle_mat_convert(s->ctx, A, TULLE_CSR, s->index, 0, &B));
    entries_check(s->ctx, B, &by_rows, TULLE_CSR, s->index, s->type, s->what);
    tulle_mat_destroy(B);
    entries_free(&by_rows);
}

static entries rounded(const entries *e, tulle_type type) {
    entries r = entries_copy(e);
    for (int64_t k = 0; type == TULLE_F32 && k < r.nnz; k++) r.value[k] = (float)r.value[k];
    return r;
}

static void copies(const sample *s) {
    tulle_type other = s->type == TULLE_F32 ? TULLE_F64 : TULLE_F32;
    entries want = rounded(&s->want, other);
    tulle_ctx *const places[] = {s->ctx, s->host};
    for (int i = 0; i < 2; i++) {
        tulle_mat *B = NULL;
        must(tulle_mat_copy(places[i], s->A, other, &B));
        holds(s, B, places[i], &want);
        tulle_mat_info ours, theirs;
        must(tulle_mat_describe(s->A, &ours));
        must(tulle_mat_describe(B, &theirs));
        storage_clear_gaps(&ours.storage);
        storage_clear_gaps(&theirs.storage);
        assert_memory_equal(&ours.storage, &theirs.storage, sizeof ours.storage);
        assert_true(theirs.type == other && theirs.format == s->format);
        tulle_mat_destroy(B);
    }
    entries_free(&want);
}

static void transposed(const sample *s) {
    tulle_mat *B = NULL;
    entries want = entries_copy(&s->want);
    entries_transpose(&want);
    entries_sort(&want);
    must(tulle_mat_transpose(s->ctx, s->A, &B));
    if (s->format == TULLE_BSR) {
        tulle_mat *blocks = B;
        must(tulle_mat_convert(s->ctx, blocks, TULLE_CSR, s->index, 0, &B));
        tulle_mat_destroy(blocks);
    }
    entries_check(s->ctx, B, &want, TULLE_CSR, s->index, s->type, s->what);
    tulle_mat_destroy(B);
    entries_free(&want);
}

/* Values by slot: `first` and up for entries, NaN in padding. The caller frees them; want gets the
 * same. */
static void *numbered(const naive_layout *l, double first, entries *want) {
    int64_t *slots = NULL, stored = l->info.storage.stored;
    *want = naive_entries(l, &slots);
    double *values = calloc((size_t)stored + 1, sizeof *values);
    assert_non_null(values);
    for (int64_t i = 0; i < stored; i++) values[i] = (double)NAN;
    for (int64_t k = 0; k < want->nnz; k++) {
        want->value[k] = first + (double)slots[k];
        values[slots[k]] = want->value[k];
    }
    if (l->info.format == TULLE_CSC) entries_sort(want);
    void *typed = values_as(values, stored, l->info.type);
    free(values);
    free(slots);
    return typed;
}

static void new_values(const sample *s) {
    naive_layout l = naive_read(s->ctx, s->A);
    entries want, again;
    void *values = numbered(&l, 1, &want), *other = numbered(&l, 5, &again);
    tulle_mat *B = NULL;
    must(tulle_mat_with_values(s->ctx, s->A, s->type, l.n.values, values, &B));
    way_back(s, B, &want);
    must(tulle_mat_set_values(s->ctx, B, l.n.values, other));
    way_back(s, B, &again);
    way_back(s, s->A, &s->want);
    tulle_mat_destroy(B);
    free(values);
    free(other);
    entries_free(&want);
    entries_free(&again);
    naive_free(&l);
}

static void judge(sample *s, const zoo_matrix *m) {
    describe(s, m->name);
    s->csr = zoo_mat(s->ctx, m, s->index, s->type);
    s->A = layout_make(s->ctx, s->csr, s->format, s->index, s->layout);
    if (s->A) {
        s->want = wanted(m, s->format, s->type);
        holds(s, s->A, s->ctx, &s->want);
        way_back(s, s->A, &s->want);
        copies(s);
        transposed(s);
        new_values(s);
        entries_free(&s->want);
    }
    tulle_mat_destroy(s->A);
    tulle_mat_destroy(s->csr);
}

/* All layouts of all formats under one number. */
static int all_layouts(void) {
    int count = 0;
    for (int f = 0; f < TULLE_FORMAT_COUNT; f++) count += layout_count((tulle_format)f);
    return count;
}

static void layout_of(int number, sample *s) {
    int f = 0;
    for (; number >= layout_count((tulle_format)f); f++) number -= layout_count((tulle_format)f);
    s->format = (tulle_format)f;
    s->layout = number;
}

enum { MATRIX, LAYOUT, INDEX, TYPE, FACTORS };

/* The emulator takes a case of each layout, and of each matrix, in turn. */
typedef struct {
    sample s;
    bool slow;
} run;

static void one_case(const int *values, void *user) {
    run *r = user;
    if (r->slow && (values[MATRIX] + values[LAYOUT]) % 12 != 0) return;
    layout_of(values[LAYOUT], &r->s);
    r->s.index = (tulle_index)values[INDEX];
    r->s.type = tulle__type_at(values[TYPE]);
    zoo_matrix m = zoo_make(values[MATRIX]);
    judge(&r->s, &m);
    zoo_free(&m);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    int levels[PAIRWISE_FACTORS] = {zoo_count(), all_layouts(), 3, 2};
    run r = {.s = {.ctx = ctx}, .slow = is_slow(where)};
    must(tulle_ctx_create("cpu:1", NULL, &r.s.host));
    pairwise(FACTORS, levels, one_case, &r);
    for (int i = 0; i < zoo_large_count() && !r.slow; i++) {
        zoo_matrix m = zoo_make_large(i);
        for (int f = 0; f < TULLE_FORMAT_COUNT; f++) {
            r.s.format = (tulle_format)f;
            r.s.layout = 0;
            r.s.index = TULLE_I64_I32;
            r.s.type = TULLE_F32;
            judge(&r.s, &m);
        }
        zoo_free(&m);
    }
    tulle_ctx_destroy(r.s.host);
}

/* A x, or A^T x, where every number of padding in A is NaN: false where no kernel takes that. */
static bool product(const sample *s, const tulle_mat *A, tulle_trans op) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    int64_t n = op == TULLE_N ? info.cols : info.rows, m = op == TULLE_N ? info.rows : info.cols;
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(s->ctx, s->type, n, &x));
    must(tulle_vec_create(s->ctx, s->type, m, &y));
    double *ones = malloc((size_t)(n + m + 1) * sizeof *ones);
    assert_non_null(ones);
    for (int64_t i = 0; i < n + m; i++) ones[i] = 1;
    void *numbers = values_as(ones, n + m, s->type);
    must(tulle_vec_write(s->ctx, x, numbers, 0));
    tulle_status status = tulle_spmv(s->ctx, op, tulle_num(1), A, x, tulle_num(0), y);
    if (status != TULLE_UNSUPPORTED) {
        must(status);
        must(tulle_vec_read(s->ctx, y, numbers, 0));
    }
    for (int64_t i = 0; status == TULLE_OK && i < m; i++) {
        bool single = s->type == TULLE_F32;
        double number = single ? (double)((float *)numbers)[i] : ((double *)numbers)[i];
        if (!isfinite(number)) fail_msg("%s: padding is in y", s->what);
    }
    free(numbers);
    free(ones);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    return status == TULLE_OK;
}

static void poison(sample *s, const char *kernel, const tulle_kernel_info *k) {
    must(tulle_ctx_force_kernel(s->ctx, kernel));
    naive_layout l = naive_read(s->ctx, s->A);
    entries want;
    void *values = numbered(&l, 1, &want);
    tulle_mat *B = NULL;
    must(tulle_mat_with_values(s->ctx, s->A, s->type, l.n.values, values, &B));
    if (k->forward) product(s, B, TULLE_N);
    if (k->transposed) product(s, B, TULLE_T);
    tulle_mat_destroy(B);
    free(values);
    entries_free(&want);
    naive_free(&l);
    must(tulle_ctx_force_kernel(s->ctx, NULL));
}

/* Numbers that stand in padding are nobody's, whichever kernel runs. */
static void padding(tulle_ctx *ctx, const char *where) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    zoo_matrix m = zoo_make(19); /* the power law */
    for (int i = 0; i < tulle_kernel_count(device.backend); i++) {
        tulle_kernel_info k;
        must(tulle_kernel_describe(device.backend, i, &k));
        if (strcmp(k.operation, "spmv") != 0) continue;
        sample s = {.ctx = ctx, .format = k.format, .type = i % 2 ? TULLE_F32 : TULLE_F64};
        s.csr = zoo_mat(ctx, &m, s.index, s.type);
        for (s.layout = 0; s.layout < layout_count(k.format); s.layout += is_slow(where) ? 3 : 1) {
            describe(&s, m.name);
            s.A = layout_make(ctx, s.csr, s.format, s.index, s.layout);
            if (s.A && !k.needs_plan) poison(&s, k.name, &k);
            tulle_mat_destroy(s.A);
        }
        tulle_mat_destroy(s.csr);
    }
    zoo_free(&m);
}

static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}
static void test_padding(void **state) {
    (void)state;
    on_each_place(padding);
}
int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_padding),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
