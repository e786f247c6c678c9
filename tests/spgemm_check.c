/* SPDX-License-Identifier: Apache-2.0 */
#include "spgemm_check.h"

#include <float.h>
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

/* What an entry of C is by definition, of the product and of D; products and added 0: there is
 * none. */
typedef struct {
    long double sum, magnitude, d_sum, d_magnitude;
    int64_t products, added;
} want;

/* Entries by rows: begin[i] is the first of row i. */
typedef struct {
    entries e;
    int64_t *begin;
} by_rows;

static by_rows sorted_by_rows(const entries *given, tulle_trans op) {
    by_rows r = {.e = entries_copy(given)};
    if (op == TULLE_T) entries_transpose(&r.e);
    entries_sort(&r.e);
    r.begin = entries_begins(&r.e);
    return r;
}

static void by_rows_free(by_rows *r) {
    free(r->begin);
    entries_free(&r->e);
}

/* Adds row i of a b. */
static void row_by_definition(const by_rows *a, const by_rows *b, int64_t i, want *row) {
    for (int64_t e = a->begin[i]; e < a->begin[i + 1]; e++) {
        int64_t k = a->e.col[e];
        for (int64_t f = b->begin[k]; f < b->begin[k + 1]; f++) {
            long double product = (long double)a->e.value[e] * (long double)b->e.value[f];
            want *w = &row[b->e.col[f]];
            w->sum += product;
            w->magnitude += fabsl(product);
            w->products++;
        }
    }
}

static void add_row(const by_rows *d, int64_t i, want *row) {
    for (int64_t e = d->begin[i]; e < d->begin[i + 1]; e++) {
        want *w = &row[d->e.col[e]];
        w->d_sum += d->e.value[e];
        w->d_magnitude += fabsl((long double)d->e.value[e]);
        w->added++;
    }
}

/* How often C's entry is rounded. */
static int64_t roundings(const want *w, bool plus) {
    int64_t product = w->products + 1;
    if (!plus) return product;
    return (product > w->added ? product : w->added) + 1;
}

static double error_of(const want *w, const spgemm_setting *s, double got) {
    long double unit = s->type == TULLE_F32 ? FLT_EPSILON / 2.0L : DBL_EPSILON / 2.0L;
    long double tiny = s->type == TULLE_F32 ? FLT_TRUE_MIN : DBL_TRUE_MIN;
    long double n = (long double)roundings(w, s->D != NULL), scale = fabsl((long double)s->alpha);
    long double mass = scale * w->magnitude + fabsl((long double)s->beta) * w->d_magnitude;
    long double exact = (long double)s->alpha * w->sum + (long double)s->beta * w->d_sum;
    long double bound = n * unit / (1 - n * unit) * mass + n * (1 + scale) * tiny;
    long double error = fabsl((long double)got - exact) / bound;
    return isnan(error) ? INFINITY : (double)error;
}

static void check_row(const want *row, int64_t cols, const entries *c, int64_t *at, int64_t i,
                      const spgemm_setting *s) {
    int64_t last = -1, found = 0, wanted = 0;
    for (; *at < c->nnz && c->row[*at] == i; ++*at) {
        int64_t j = c->col[*at];
        if (!s->unsorted) assert_true(j > last);
        last = j;
        if (row[j].products + row[j].added == 0)
            fail_msg("C has (%lld, %lld)", (long long)i, (long long)j);
        double error = error_of(&row[j], s, c->value[*at]);
        if (!(error <= 1)) fail_msg("(%lld, %lld) off by %g", (long long)i, (long long)j, error);
        found++;
    }
    for (int64_t j = 0; j < cols; j++) wanted += row[j].products + row[j].added > 0;
    assert_int_equal(found, wanted);
}

void spgemm_check(tulle_ctx *ctx, const entries *A, const entries *B, const spgemm_setting *s,
                  const tulle_mat *C) {
    entries c = entries_read(ctx, C);
    by_rows a = sorted_by_rows(A, s->op_A), b = sorted_by_rows(B, s->op_B), d = {.begin = NULL};
    if (s->D) d = sorted_by_rows(s->D, TULLE_N);
    want *row = calloc((size_t)b.e.cols + 1, sizeof *row);
    int64_t at = 0;
    assert_non_null(row);
    assert_int_equal(c.rows, a.e.rows);
    assert_int_equal(c.cols, b.e.cols);
    for (int64_t i = 0; i < a.e.rows; i++) {
        memset(row, 0, (size_t)b.e.cols * sizeof *row);
        row_by_definition(&a, &b, i, row);
        if (s->D) add_row(&d, i, row);
        check_row(row, b.e.cols, &c, &at, i, s);
    }
    assert_int_equal(at, c.nnz);
    free(row);
    if (s->D) by_rows_free(&d);
    by_rows_free(&b);
    by_rows_free(&a);
    entries_free(&c);
}

void spgemm_check_report(tulle_ctx *ctx, const tulle_spgemm_report *report, const tulle_mat *C,
                         bool plus, int64_t way_bytes, const tulle_memory_usage *before) {
    const tulle_spgemm_report *r = report;
    tulle_memory_usage after;
    tulle_mat_info info;
    must(tulle_ctx_memory(ctx, &after));
    must(tulle_mat_describe(C, &info));
    assert_int_equal(r->nnz, info.nnz);
    assert_true(r->peak_bytes >= way_bytes + info.pattern_bytes + info.value_bytes);
    assert_true(r->peak_bytes <= r->bound_bytes);
    double sum = r->operands_ms + r->analysis_ms + r->count_ms + r->allocate_ms + r->compute_ms +
                 r->finish_ms + r->add_ms;
    assert_true((r->add_ms > 0) == plus && sum > 0 && sum <= r->total_ms);
    assert_true(after.high >= before->in_use + (size_t)r->peak_bytes);
}

void spgemm_each_spec(tulle_ctx *ctx, const char *where, int most, spgemm_spec_test test) {
    tulle_device_info device;
    must(tulle_ctx_device(ctx, &device));
    unsigned number = (unsigned)turn_of(where, 12);
    for (int k = 0; k < tulle_kernel_count(device.backend); k++) {
        tulle_kernel_info info;
        must(tulle_kernel_describe(device.backend, k, &info));
        if (strcmp(info.operation, "spgemm") != 0 || !is_wanted(info.name)) continue;
        int all = 1;
        tulle_param_info param[4];
        for (int p = 0; p < info.param_count; p++) {
            must(tulle_kernel_param(device.backend, k, p, &param[p]));
            all *= param[p].value_count;
        }
        bool own = all > most;
        for (int i = 0; i < (own ? 1 : all); i++) {
            char spec[128];
            int used = snprintf(spec, sizeof spec, "%s", info.name), rest = i;
            for (int p = 0; p < info.param_count && !own; p++) {
                int value = param[p].values[rest % param[p].value_count];
                used += snprintf(spec + used, sizeof spec - (size_t)used, "%c%s=%d",
                                 p == 0 ? ':' : ',', param[p].name, value);
                rest /= param[p].value_count;
            }
            must(tulle_ctx_force_kernel(ctx, spec));
            test(ctx, where, spec, number++);
        }
    }
    must(tulle_ctx_force_kernel(ctx, NULL));
}
