/* SPDX-License-Identifier: Apache-2.0 */
/* Hierarchies of nodes: P reproduces the near null space, coarse matrices are products, levels are
 * the same on every place and in all units, updates keep what they say, and errors have names. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "hierarchies.h"
#include "node_systems.h"
#include "places.h"

/* Small last levels, so that small bodies have levels. */
static const tulle_amg_options small = {.coarsest_rows = 20, .precision = TULLE_AMG_SAME};

static tulle_amg_options rigid_options(const placed_body *p, int block) {
    tulle_amg_options o = small;
    o.block = block;
    o.near_null = p->rigid;
    return o;
}

static tulle_linop *hierarchy_of(tulle_ctx *ctx, const placed_body *p, const tulle_amg_options *o) {
    tulle_linop *M = NULL;
    must(tulle_amg_create(ctx, p->A, o, &M));
    return M;
}

/* Takes the parts of columns before off column j of an n x k matrix, twice, and makes it 1 long;
 * false where nothing is left. */
static bool orthonormal_column(double *Q, int64_t n, int64_t k, int64_t j) {
    double before = 0, after = 0;
    for (int64_t i = 0; i < n; i++) before += Q[i * k + j] * Q[i * k + j];
    for (int pass = 0; pass < 2; pass++) {
        for (int64_t c = 0; c < j; c++) {
            double product = 0;
            for (int64_t i = 0; i < n; i++) product += Q[i * k + c] * Q[i * k + j];
            for (int64_t i = 0; i < n; i++) Q[i * k + j] -= product * Q[i * k + c];
        }
    }
    for (int64_t i = 0; i < n; i++) after += Q[i * k + j] * Q[i * k + j];
    const bool is_left = after > 1e-20 * before;
    for (int64_t i = 0; i < n; i++) Q[i * k + j] = is_left ? Q[i * k + j] / sqrt(after) : 0;
    return is_left;
}

/* The largest part of a column of B, of those of norm 1, that is not in the range of the n x m
 * matrix Q, whose columns become orthonormal. */
static double distance_to_range(double *Q, int64_t n, int64_t m, const double *B, int64_t columns) {
    double largest = 0;
    for (int64_t j = 0; j < m; j++) orthonormal_column(Q, n, m, j);
    for (int64_t j = 0; j < columns; j++) {
        double *rest = calloc((size_t)n, sizeof *rest), norm = 0, left = 0;
        for (int64_t i = 0; i < n; i++) rest[i] = B[i * columns + j];
        for (int64_t i = 0; i < n; i++) norm += rest[i] * rest[i];
        for (int64_t c = 0; c < m; c++) {
            double product = 0;
            for (int64_t i = 0; i < n; i++) product += Q[i * m + c] * rest[i];
            for (int64_t i = 0; i < n; i++) rest[i] -= product * Q[i * m + c];
        }
        for (int64_t i = 0; i < n; i++) left += rest[i] * rest[i];
        if (sqrt(left / norm) > largest) largest = sqrt(left / norm);
        free(rest);
    }
    return largest;
}

/* Q P for an n x m matrix Q, which is freed. */
static double *times(double *Q, int64_t n, const host_mat *P) {
    double *product = calloc((size_t)(n * P->cols), sizeof *product);
    assert_non_null(product);
    for (int64_t r = 0; r < n; r++) {
        for (int64_t i = 0; i < P->rows; i++) {
            for (int64_t k = P->offsets[i]; k < P->offsets[i + 1]; k++) {
                product[r * P->cols + P->columns[k]] += Q[r * P->rows + i] * P->values[k];
            }
        }
    }
    free(Q);
    return product;
}

/* The distance of B to the range of the product of all P. */
static double distance_to_last(tulle_ctx *ctx, const tulle_linop *M, int64_t n, const double *B,
                               int64_t columns) {
    double *Q = calloc((size_t)(n * n), sizeof *Q);
    int64_t m = n;
    tulle_amg_info info;
    must(tulle_amg_describe(M, &info));
    assert_true(info.levels >= 3);
    for (int64_t i = 0; i < n; i++) Q[i * n + i] = 1;
    for (int l = 0; l + 1 < info.levels; l++) {
        tulle_amg_level_info level;
        must(tulle_amg_level(M, l, &level));
        host_mat P = read_mat(ctx, level.P);
        Q = times(Q, n, &P);
        m = P.cols;
        free_mat(&P);
    }
    const double distance = distance_to_range(Q, n, m, B, columns);
    free(Q);
    return distance;
}

static double *read_vec(tulle_ctx *ctx, const tulle_vec *X) {
    tulle_vec_info info;
    must(tulle_vec_describe(X, &info));
    double *numbers = calloc((size_t)(info.rows * info.cols), sizeof *numbers);
    must(tulle_vec_read(ctx, X, numbers, 0));
    return numbers;
}

/* A free body: rigid motions are the null space of A, and those of the last level reproduce them;
 * where only f32 holds P, to the roundings of f32. */
static void reproduces(tulle_ctx *ctx, const char *where) {
    const char *const specs[] = {"box-hex:4x3x3", "box-quad:9", "box-tet:4x3x3,perturb=0.2"};
    (void)where;
    for (int k = 0; k < 3; k++) {
        body s = body_open(ctx, specs[k], false);
        placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
        double *B = read_vec(ctx, p.rigid);
        for (int single = 0; single < 2; single++) {
            tulle_amg_options o = rigid_options(&p, s.dim);
            if (single) o.precision = TULLE_AMG_PRECISION_CHOOSE;
            o.coarsest_rows = s.dim == 2 ? 9 : 18;
            tulle_linop *M = hierarchy_of(ctx, &p, &o);
            tulle_amg_info info;
            must(tulle_amg_describe(M, &info));
            assert_int_equal(info.block, s.dim);
            assert_int_equal(info.near_null, s.dim == 2 ? 3 : 6);
            assert_int_equal(info.single, single);
            assert_int_equal(info.dropped, 0);
            const double distance = distance_to_last(ctx, M, s.A.rows, B, s.dim == 2 ? 3 : 6);
            assert_true(distance <= (single ? 1e-6 : 1e-13));
            tulle_linop_destroy(M);
        }
        free(B);
        placed_body_free(&p);
        body_free(&s);
    }
}

/* Formats of all levels, and products by numbers. */
static void multiplies(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:2x2x3" : "box-hex:4", true);
    for (int form = 0; form < 3; form++) {
        placed_body p = place_body(ctx, &s, form == 0 ? TULLE_BSR : TULLE_CSR,
                                   form == 2 ? TULLE_F32 : TULLE_F64);
        tulle_amg_options o = rigid_options(&p, 3);
        o.most_levels = 2;
        tulle_linop *M = hierarchy_of(ctx, &p, &o);
        for (int l = 0; l < 2; l++) {
            tulle_amg_level_info level;
            tulle_mat_info info;
            must(tulle_amg_level(M, l, &level));
            must(tulle_mat_describe(level.A, &info));
            assert_int_equal(info.format, TULLE_BSR);
            assert_int_equal(info.rows, level.rows);
        }
        if (form < 2) assert_products(ctx, M);
        tulle_linop_destroy(M);
        placed_body_free(&p);
    }
    body_free(&s);
}

/* A hierarchy of a body at a place, in units of 2^power of A and 2^far of lengths. */
static tulle_linop *made_of(tulle_ctx *ctx, body s, tulle_format format, tulle_index index,
                            int power, int far) {
    entries A = entries_copy(&s.A);
    double *at = calloc((size_t)(s.nodes * s.dim), sizeof *at);
    for (int64_t k = 0; k < A.nnz; k++) A.value[k] = ldexp(A.value[k], power);
    for (int64_t k = 0; k < s.nodes * s.dim; k++) at[k] = ldexp(s.at[k], far);
    s.A = A;
    s.at = at;
    placed_body p = place_body(ctx, &s, format, TULLE_F64);
    const tulle_amg_options o = rigid_options(&p, s.dim);
    tulle_mat *narrow = p.A;
    must(tulle_mat_convert(ctx, narrow, format, index, 0, &p.A));
    tulle_mat_destroy(narrow);
    tulle_linop *M = hierarchy_of(ctx, &p, &o);
    placed_body_free(&p);
    entries_free(&A);
    free(at);
    return M;
}

static void agree_there(tulle_ctx *ctx, body s, tulle_ctx *other) {
    tulle_linop *here = made_of(ctx, s, TULLE_BSR, TULLE_I32, 0, 0);
    tulle_linop *there = made_of(other, s, TULLE_BSR, TULLE_I32, 0, 0);
    assert_same(ctx, here, 0, other, there);
    tulle_linop_destroy(here);
    tulle_linop_destroy(there);
}

/* Bits do not depend on the place, the format, the index type or units. Stiffness of 2^630 is some
 * 1e200 times what it was. */
static void agrees(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:4x3x3" : "box-hex:6", true);
    tulle_ctx *other = place_elsewhere(where);
    const tulle_index indices[] = {TULLE_I32, TULLE_I64_I32, TULLE_I64, TULLE_I32};
    tulle_linop *M = made_of(ctx, s, TULLE_BSR, TULLE_I32, 0, 0);
    const int powers[] = {0, 3, 630, -630}, lengths[] = {0, -2, 500, -500};
    for (int k = 0; k < 4; k++) {
        tulle_linop *same =
            made_of(ctx, s, k % 2 ? TULLE_BSR : TULLE_CSR, indices[k], powers[k], lengths[k]);
        assert_same(ctx, M, powers[k], ctx, same);
        tulle_linop_destroy(same);
    }
    if (other) {
        body loose = body_open(ctx, "box-hex:1", false), apart = body_copies(&s, &loose, 3);
        agree_there(ctx, s, other);
        agree_there(ctx, apart, other); /* nodes of roundings, too, count as 0 at both */
        body_free(&apart);
        body_free(&loose);
        tulle_ctx_destroy(other);
    }
    tulle_linop_destroy(M);
    body_free(&s);
}

/* Nodes on a line in space: a rotation about the line moves nothing, so it is dropped in each
 * aggregate. The matrix couples neighbours in all unknowns. */
static void drops(tulle_ctx *ctx, const char *where) {
    enum { NODES = 60 };
    const int64_t most = 27 * NODES;
    body s = {.A = {.rows = 3 * NODES, .cols = 3 * NODES}, .nodes = NODES, .dim = 3};
    (void)where;
    s.A.row = calloc((size_t)most, sizeof *s.A.row);
    s.A.col = calloc((size_t)most, sizeof *s.A.col);
    s.A.value = calloc((size_t)most, sizeof *s.A.value);
    s.at = calloc(3 * NODES, sizeof *s.at);
    s.b = calloc(3 * NODES, sizeof *s.b);
    for (int64_t i = 0; i < 3 * NODES; i++) {
        s.at[i] = (double)(i / 3) * (1 + (double)(i % 3));
        s.b[i] = 1;
        for (int64_t j = 0; j < 3 * NODES; j++) {
            const int64_t apart = llabs((long long)(i / 3 - j / 3));
            if (apart > 1) continue;
            s.A.row[s.A.nnz] = i;
            s.A.col[s.A.nnz] = j;
            s.A.value[s.A.nnz++] = (apart == 0 ? 2.02 : -1) * (i % 3 == j % 3 ? 1 : 0.25);
        }
    }
    placed_body p = place_body(ctx, &s, TULLE_BSR, TULLE_F64);
    tulle_amg_options o = rigid_options(&p, 3);
    tulle_linop *M = hierarchy_of(ctx, &p, &o);
    tulle_amg_info info;
    tulle_amg_level_info level;
    char text[4096];
    must(tulle_amg_describe(M, &info));
    must(tulle_amg_level(M, 1, &level));
    assert_true(info.dropped >= level.rows / 6);
    must(tulle_amg_explain(M, text, sizeof text, NULL));
    assert_non_null(strstr(text, "dropped"));
    tulle_linop_destroy(M);
    assert_true(iterations_of(ctx, TULLE_CG, &p, &o) <= 30);
    placed_body_free(&p);
    body_free(&s);
}

/* Given unknowns take no part: their rows of P are empty, whether or not A has zeros there. */
static void leaves_given(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, "box-hex:3", true);
    (void)where;
    for (int drops = 0; drops < 2; drops++) {
        if (drops) body_drop_zeros(&s);
        placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
        const tulle_amg_options o = rigid_options(&p, 3);
        tulle_linop *M = hierarchy_of(ctx, &p, &o);
        tulle_amg_level_info level;
        must(tulle_amg_level(M, 0, &level));
        host_mat P = read_mat(ctx, level.P);
        for (int64_t i = 0; i < P.rows; i++) {
            const bool given = s.at[i / 3 * 3] == 0;
            assert_int_equal(given, P.offsets[i] == P.offsets[i + 1]);
        }
        free_mat(&P);
        tulle_linop_destroy(M);
        placed_body_free(&p);
    }
    body_free(&s);
}

/* Updates: with the values that there were, nothing changes; with values of another unit all
 * numbers do as they do in a new hierarchy. */
static void updates(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, is_slow(where) ? "box-hex:3" : "box-hex:5", true);
    const tulle_amg_how ways[] = {TULLE_AMG_ANEW, TULLE_AMG_KEEP_P, TULLE_AMG_KEEP_COARSENING};
    for (int form = 0; form < 2; form++) {
        placed_body p = place_body(ctx, &s, form == 0 ? TULLE_BSR : TULLE_CSR, TULLE_F64);
        for (int k = 0; k < 3; k++) {
            tulle_amg_options o = rigid_options(&p, 3);
            if (form == 1) o.precision = TULLE_AMG_PRECISION_CHOOSE;
            tulle_linop *M = hierarchy_of(ctx, &p, &o), *fresh = hierarchy_of(ctx, &p, &o);
            must(tulle_amg_update(ctx, M, NULL, ways[k]));
            assert_same(ctx, M, 0, ctx, fresh);
            entries A = entries_copy(&s.A);
            for (int64_t e = 0; e < A.nnz; e++) A.value[e] = 2 * s.A.value[e];
            body other = s;
            other.A = A;
            placed_body q = place_body(ctx, &other, form == 0 ? TULLE_BSR : TULLE_CSR, TULLE_F64);
            must(tulle_amg_update(ctx, M, q.A, ways[k]));
            assert_same(ctx, fresh, 1, ctx, M);
            must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), fresh, p.b, tulle_num(0), p.x));
            must(tulle_linop_apply(ctx, TULLE_N, tulle_num(2), M, p.b, tulle_num(0), q.x));
            double *x = read_vec(ctx, p.x), *y = read_vec(ctx, q.x);
            assert_memory_equal(x, y, (size_t)s.A.rows * sizeof *x);
            free(x);
            free(y);
            tulle_linop_destroy(M);
            tulle_linop_destroy(fresh);
            placed_body_free(&q);
            entries_free(&A);
        }
        placed_body_free(&p);
    }
    body_free(&s);
}

static void fails(tulle_ctx *ctx, tulle_mat *A, tulle_amg_options o, tulle_status status,
                  const char *words) {
    tulle_linop *M = NULL;
    assert_int_equal(tulle_amg_create(ctx, A, &o, &M), status);
    assert_null(M);
    assert_non_null(strstr(tulle_last_error()->message, words));
}

/* Errors by name. */
static void refuses(tulle_ctx *ctx, const char *where) {
    body s = body_open(ctx, "box-hex:2", true);
    placed_body p = place_body(ctx, &s, TULLE_CSR, TULLE_F64);
    tulle_vec *wide = NULL, *narrow = NULL, *X = NULL, *B = NULL;
    (void)where;
    must(tulle_vec_create_columns(ctx, TULLE_F64, 81, 17, TULLE_ROW_MAJOR, 0, &wide));
    must(tulle_vec_create_columns(ctx, TULLE_F32, 81, 3, TULLE_ROW_MAJOR, 0, &narrow));
    must(tulle_vec_create_columns(ctx, TULLE_F64, 27, 2, TULLE_ROW_MAJOR, 0, &X));
    must(tulle_vec_fill(ctx, X, 1));
    fails(ctx, p.A, (tulle_amg_options){.block = 17}, TULLE_INVALID_ARGUMENT, "block is 17");
    fails(ctx, p.A, (tulle_amg_options){.block = 3, .family = TULLE_AMG_CLASSICAL},
          TULLE_INVALID_ARGUMENT, "family");
    fails(ctx, p.A, (tulle_amg_options){.block = 2}, TULLE_SHAPE_MISMATCH, "81 rows");
    fails(ctx, p.A, (tulle_amg_options){.block = 3, .keep_plans = true}, TULLE_UNSUPPORTED,
          "keep_plans");
    fails(ctx, p.A, (tulle_amg_options){.near_null = wide}, TULLE_SHAPE_MISMATCH, "17 columns");
    fails(ctx, p.A, (tulle_amg_options){.near_null = narrow}, TULLE_TYPE_MISMATCH, "near_null");
    fails(ctx, p.A, (tulle_amg_options){.near_null = X}, TULLE_SHAPE_MISMATCH, "near_null");
    must(tulle_vec_fill(ctx, p.rigid, NAN));
    fails(ctx, p.A, (tulle_amg_options){.near_null = p.rigid}, TULLE_INVALID_ARGUMENT,
          "column 0 of near_null has Inf or NaN");
    assert_int_equal(tulle_near_null_rigid(ctx, X, 4, &B), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_near_null_rigid(ctx, X, 3, &B), TULLE_SHAPE_MISMATCH);
    must(tulle_vec_fill(ctx, X, NAN));
    assert_int_equal(tulle_near_null_rigid(ctx, X, 2, &B), TULLE_INVALID_ARGUMENT);
    assert_null(B);
    tulle_vec_destroy(wide);
    tulle_vec_destroy(narrow);
    tulle_vec_destroy(X);
    placed_body_free(&p);
    body_free(&s);
}

/* Rigid motions are those of the definition: u = e_a, and u = e_a x y with y centred. */
static void moves(tulle_ctx *ctx, const char *where) {
    const double at[] = {3, 5, 7, 5, 5, 11, 4, 8, 9};
    const double y[] = {-1 / 2.0, -1 / 2.0, -1, 1 / 2.0, -1 / 2.0, 1, 0, 1, 0};
    tulle_vec *rigid = rigid_of(ctx, at, 3, 3, TULLE_F64);
    double *B = read_vec(ctx, rigid);
    (void)where;
    for (int64_t i = 0; i < 3; i++) {
        const double *p = y + 3 * i;
        const double want[3][6] = {
            {1, 0, 0, 0, p[2], -p[1]}, {0, 1, 0, -p[2], 0, p[0]}, {0, 0, 1, p[1], -p[0], 0}};
        for (int r = 0; r < 3; r++) {
            for (int c = 0; c < 6; c++) assert_true(B[(3 * i + r) * 6 + c] == want[r][c]);
        }
    }
    free(B);
    tulle_vec_destroy(rigid);
}

ONCE_ON_EACH_PLACE(reproduces)
ONCE_ON_EACH_PLACE(multiplies)
ONCE_ON_EACH_PLACE(agrees)
ONCE_ON_EACH_PLACE(drops)
ONCE_ON_EACH_PLACE(leaves_given)
ONCE_ON_EACH_PLACE(updates)
ONCE_ON_EACH_PLACE(refuses)
ONCE_ON_EACH_PLACE(moves)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_reproduces),   cmocka_unit_test(test_multiplies),
        cmocka_unit_test(test_agrees),       cmocka_unit_test(test_drops),
        cmocka_unit_test(test_leaves_given), cmocka_unit_test(test_updates),
        cmocka_unit_test(test_refuses),      cmocka_unit_test(test_moves),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
