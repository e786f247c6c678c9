/* SPDX-License-Identifier: Apache-2.0 */
/* Reverse Cuthill-McKee: always a permutation, the textbook's, and a narrow one on grids. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "entries.h"
#include "orders.h"
#include "places.h"

static int64_t bandwidth(const tulle_mat *A) {
    tulle_mat_info info;
    must(tulle_mat_describe(A, &info));
    return info.bandwidth;
}

/* The order is a permutation, and the same from every format, index type and place. */
static void rcm_of_zoo(tulle_ctx *ctx, const char *where) {
    static int64_t order[ORDERS_MOST], again[ORDERS_MOST], inverse[ORDERS_MOST];
    for (int i = turn_of(where, 3); i < zoo_count(); i += is_slow(where) ? 3 : 1) {
        zoo_matrix m = zoo_make(i);
        tulle_mat *A = zoo_mat(ctx, &m, TULLE_I32, TULLE_F64), *B = NULL;
        tulle_order *P = NULL, *Q = NULL;
        if (m.rows != m.cols) {
            assert_int_equal(tulle_order_rcm(ctx, A, &P), TULLE_SHAPE_MISMATCH);
            assert_null(P);
        } else {
            must(tulle_order_rcm(ctx, A, &P));
            order_check(ctx, P, m.rows, order, inverse);
            must(tulle_mat_convert(ctx, A, i % 2 ? TULLE_SELL : TULLE_COO, TULLE_I64, 0, &B));
            must(tulle_order_rcm(ctx, B, &Q));
            order_check(ctx, Q, m.rows, again, inverse);
            assert_memory_equal(order, again, (size_t)m.rows * sizeof *order);
        }
        tulle_order_destroy(P);
        tulle_order_destroy(Q);
        tulle_mat_destroy(A);
        tulle_mat_destroy(B);
        zoo_free(&m);
    }
}

/* The textbook's way, in quadratic time: neighbours[v * n + w] says whether there is an edge. */
static int64_t textbook_levels(const unsigned char *edge, int64_t n, int64_t root, int64_t *level) {
    int64_t height = 0;
    for (int64_t v = 0; v < n; v++) level[v] = v == root ? 0 : -1;
    for (bool more = true; more;) {
        more = false;
        for (int64_t v = 0; v < n; v++) {
            if (level[v] != height) continue;
            for (int64_t w = 0; w < n; w++) {
                if (!edge[v * n + w] || level[w] >= 0) continue;
                level[w] = height + 1;
                more = true;
            }
        }
        height += more;
    }
    return height;
}

static int64_t degree_of(const unsigned char *edge, int64_t n, int64_t v) {
    int64_t degree = 0;
    for (int64_t w = 0; w < n; w++) degree += edge[v * n + w];
    return degree;
}

/* Of the nodes with that mark the one of least degree and then number; -1: there is none. */
static int64_t least(const unsigned char *edge, int64_t n, const int64_t *mark, int64_t wanted) {
    int64_t best = -1;
    for (int64_t v = 0; v < n; v++) {
        if (mark[v] != wanted) continue;
        if (best < 0 || degree_of(edge, n, v) < degree_of(edge, n, best)) best = v;
    }
    return best;
}

static void textbook_rcm(const unsigned char *edge, int64_t n, int64_t *order) {
    static int64_t level[64], placed[64], mark[64];
    int64_t count = 0, head = 0;
    for (int64_t v = 0; v < n; v++) placed[v] = 0;
    for (int64_t first = 0; first < n; first++) {
        if (placed[first]) continue;
        int64_t root = first, height = -1;
        for (int64_t next = textbook_levels(edge, n, root, level); next > height;
             next = textbook_levels(edge, n, root, level)) {
            height = next;
            root = least(edge, n, level, height);
        }
        placed[root] = 1;
        for (order[count++] = root; head < count; head++) {
            for (;;) {
                for (int64_t w = 0; w < n; w++) mark[w] = edge[order[head] * n + w] && !placed[w];
                int64_t w = least(edge, n, mark, 1);
                if (w < 0) break;
                placed[w] = 1;
                order[count++] = w;
            }
        }
    }
    for (int64_t i = 0; i < n / 2; i++) {
        int64_t kept = order[i];
        order[i] = order[n - 1 - i];
        order[n - 1 - i] = kept;
    }
}

/* Small graphs, which take milliseconds: a search for a root that never ends is ended. */
static void test_textbook(void **state) {
    (void)state;
    alarm(20);
    static unsigned char edge[64 * 64];
    static int64_t want[64], got[ORDERS_MOST], inverse[ORDERS_MOST];
    tulle_ctx *ctx = NULL;
    must(tulle_ctx_create("cpu:2", NULL, &ctx));
    for (int64_t seed = 0; seed < 60; seed++) {
        int64_t n = 1 + seed;
        entries e = entries_random(n, n, seed % 7 * n / 2, (uint64_t)seed);
        memset(edge, 0, sizeof edge);
        for (int64_t k = 0; k < e.nnz; k++) {
            bool off = e.row[k] != e.col[k];
            edge[e.row[k] * n + e.col[k]] = edge[e.col[k] * n + e.row[k]] = off;
        }
        textbook_rcm(edge, n, want);
        tulle_mat *A = NULL;
        tulle_order *P = NULL;
        must(entries_to_coo(ctx, &e, TULLE_I32, TULLE_F32, &A));
        must(tulle_order_rcm(ctx, A, &P));
        order_check(ctx, P, n, got, inverse);
        assert_memory_equal(want, got, (size_t)n * sizeof *want);
        tulle_order_destroy(P);
        tulle_mat_destroy(A);
        entries_free(&e);
    }
    tulle_ctx_destroy(ctx);
    alarm(0);
}

/* A shuffled grid is put in order again: the bandwidth falls to about its shorter side. */
static void grid(tulle_ctx *ctx, const char *where) {
    int64_t wide = is_slow(where) ? 14 : 70, high = is_slow(where) ? 9 : 50;
    char spec[32];
    snprintf(spec, sizeof spec, "p2d5:%d,%d", (int)wide, (int)high);
    tulle_mat *A = NULL;
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &A));
    tulle_order *S = order_shuffled(ctx, wide * high, 5), *P = NULL;
    tulle_mat *B = order_apply(ctx, A, S, S);
    assert_true(bandwidth(B) > wide * high / 2);
    must(tulle_order_rcm(ctx, B, &P));
    tulle_mat *C = order_apply(ctx, B, P, P);
    assert_in_range(bandwidth(C), high, high + 1);
    tulle_mat_destroy(A);
    tulle_mat_destroy(B);
    tulle_mat_destroy(C);
    tulle_order_destroy(S);
    tulle_order_destroy(P);
}

static int say_no(void *user, const char *what, int64_t done, int64_t total) {
    (void)what;
    (void)total;
    return done >= *(int64_t *)user;
}

/* Cancelled at the start and at the end. */
static void cancelled(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mat *A = NULL;
    tulle_order *P = (tulle_order *)1;
    must(tulle_generate(ctx, "p2d5:8", 1, TULLE_F64, &A));
    for (int64_t from = 0; from <= 64; from += 64) {
        must(tulle_ctx_set_progress(ctx, say_no, &from));
        assert_int_equal(tulle_order_rcm(ctx, A, &P), TULLE_CANCELLED);
        assert_null(P);
        must(tulle_ctx_set_progress(ctx, NULL, NULL));
    }
    tulle_mat_destroy(A);
}

static void test_zoo(void **state) {
    (void)state;
    on_each_place(rcm_of_zoo);
}
static void test_grid(void **state) {
    (void)state;
    on_each_place(grid);
}
static void test_cancelled(void **state) {
    (void)state;
    on_each_place(cancelled);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_textbook),
        cmocka_unit_test(test_zoo),
        cmocka_unit_test(test_grid),
        cmocka_unit_test(test_cancelled),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
