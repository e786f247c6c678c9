/* SPDX-License-Identifier: Apache-2.0 */
#include "batches.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

static uint64_t draw(uint64_t *state) {
    *state = *state * 6364136223846793005u + 1442695040888963407u;
    return *state >> 33;
}

static void mark(bool *there, int n, int i, int j, pattern_kind kind) {
    const bool empty = kind.empty_rows && (i % 7 == 3 || (kind.symmetric && j % 7 == 3));
    if (empty) return;
    there[i * n + j] = true;
    if (kind.symmetric) there[j * n + i] = true;
}

/* The entries of a row, the last one first and then every second from the front. */
static void put_row(pattern *p, const bool *there, int row) {
    int count = 0;
    int32_t *to = p->columns + p->offsets[row];
    for (int j = p->n - 1; j >= 0; j--) {
        if (there[row * p->n + j]) to[count++] = j;
    }
    for (int k = 1; k + 1 < count; k += 2) {
        const int32_t other = to[k];
        to[k] = to[k + 1];
        to[k + 1] = other;
    }
    p->offsets[row + 1] = p->offsets[row] + count;
}

pattern pattern_random(int n, pattern_kind kind, uint64_t seed) {
    pattern p = {.n = n};
    uint64_t state = seed * 77 + 5;
    bool *there = calloc((size_t)n * (size_t)n + 1, sizeof *there);
    p.offsets = calloc((size_t)n + 1, sizeof *p.offsets);
    assert_non_null(there);
    assert_non_null(p.offsets);
    int all = 0;
    for (int i = 0; i < n; i++) {
        const int others = kind.most > 1 ? (int)(draw(&state) % (unsigned)kind.most) : 0;
        mark(there, n, i, i, kind);
        for (int k = 0; k < others; k++) mark(there, n, i, (int)(draw(&state) % (unsigned)n), kind);
    }
    for (int k = 0; k < n * n; k++) all += there[k];
    p.columns = calloc((size_t)all + 1, sizeof *p.columns);
    assert_non_null(p.columns);
    for (int i = 0; i < n; i++) put_row(&p, there, i);
    p.entries = all;
    free(there);
    return p;
}

void pattern_free(pattern *p) {
    free(p->offsets);
    free(p->columns);
}

tulle_uniform *pattern_make(tulle_ctx *ctx, const pattern *p) {
    tulle_uniform *P = NULL;
    must(tulle_uniform_create(ctx, p->n, p->offsets, p->columns, &P));
    return P;
}

int pattern_find(const pattern *p, int row, int column) {
    for (int e = p->offsets[row]; e < p->offsets[row + 1]; e++) {
        if (p->columns[e] == column) return e;
    }
    return -1;
}

columns batch_values(const pattern *p, int64_t count, bool symmetric, uint64_t seed,
                     tulle_type type) {
    columns values = columns_random(p->entries, count, seed, type);
    for (int64_t s = 0; s < count; s++) {
        long double *a = values.at + s * p->entries;
        for (int i = 0; symmetric && i < p->n; i++) {
            for (int e = p->offsets[i]; e < p->offsets[i + 1]; e++) {
                a[pattern_find(p, p->columns[e], i)] = a[e];
            }
        }
        for (int i = 0; i < p->n; i++) {
            long double others = 0;
            const int diagonal = pattern_find(p, i, i);
            for (int e = p->offsets[i]; e < p->offsets[i + 1]; e++) {
                if (e != diagonal) others += fabsl(a[e]);
            }
            /* a whole number, which every type has */
            if (diagonal >= 0) a[diagonal] = ceill(others) + 1;
        }
    }
    return values;
}

batch_norms batch_check(const pattern *p, const columns *values, const columns *b, const columns *x,
                        int64_t s) {
    batch_norms norms = {0, 0, 0};
    for (int i = 0; i < p->n; i++) {
        long double r = b->at[s * p->n + i];
        norms.b += r * r;
        norms.x += x->at[s * p->n + i] * x->at[s * p->n + i];
        for (int e = p->offsets[i]; e < p->offsets[i + 1]; e++) {
            r -= values->at[s * p->entries + e] * x->at[s * p->n + p->columns[e]];
        }
        norms.residual += r * r;
    }
    return (batch_norms){sqrtl(norms.residual), sqrtl(norms.b), sqrtl(norms.x)};
}

bool dense_solve(int n, long double *a, long double *x) {
    for (int k = 0; k < n; k++) {
        int pivot = k;
        for (int i = k + 1; i < n; i++) {
            if (fabsl(a[k * n + i]) > fabsl(a[k * n + pivot])) pivot = i;
        }
        if (a[k * n + pivot] == 0) return false;
        for (int j = k; j < n; j++) {
            const long double other = a[j * n + k];
            a[j * n + k] = a[j * n + pivot];
            a[j * n + pivot] = other;
        }
        const long double other = x[k];
        x[k] = x[pivot];
        x[pivot] = other;
        for (int i = k + 1; i < n; i++) {
            const long double l = a[k * n + i] / a[k * n + k];
            for (int j = k + 1; j < n; j++) a[j * n + i] -= l * a[j * n + k];
            x[i] -= l * x[k];
        }
    }
    for (int k = n - 1; k >= 0; k--) {
        for (int j = k + 1; j < n; j++) x[k] -= a[j * n + k] * x[j];
        x[k] /= a[k * n + k];
    }
    return true;
}
