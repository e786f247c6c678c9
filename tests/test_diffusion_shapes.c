/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion on cells whose functions are tables: fields that are known exactly, volumes and
 * moments, and matrices of pyramids, whose functions are rational, in long double. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "diffusion_system.h"
#include "entries.h"
#include "meshes.h"
#include "places.h"
#include "split_meshes.h"
#include "wide_cells.h"

static const tulle_shape shapes[] = {TULLE_TRIANGLE6, TULLE_TETRAHEDRON10,  TULLE_PRISM,
                                     TULLE_PYRAMID,   TULLE_QUADRILATERAL8, TULLE_HEXAHEDRON20};
enum { SHAPES = sizeof shapes / sizeof *shapes };

static int order_of(tulle_shape shape) {
    tulle_shape_info info;
    must(tulle_shape_describe(shape, &info));
    return info.order;
}

/* Fields: linear, and of the second degree. */
typedef struct {
    int degree, dimension;
} field;

static double value_of(const double x[3], int64_t element, void *user) {
    const field *f = user;
    (void)element;
    const double line = 0.2 + 0.7 * x[0] - 1.3 * x[1] + 0.4 * x[2];
    return f->degree == 1 ? line : line + x[0] * x[0] - 0.6 * x[0] * x[1] + 2 * x[1] * x[2];
}

static void slope_of(const double x[3], const field *f, double slope[3]) {
    const double more = f->degree == 1 ? 0 : 1;
    slope[0] = 0.7 + more * (2 * x[0] - 0.6 * x[1]);
    slope[1] = -1.3 + more * (-0.6 * x[0] + 2 * x[2]);
    slope[2] = 0.4 + more * 2 * x[1];
}

enum { K = 3, C = 2 };

/* -k div grad u + c u */
static double source_of(const double x[3], int64_t element, void *user) {
    const field *f = user;
    return C * value_of(x, element, user) - (f->degree == 1 ? 0 : K * 2);
}

/* k du / dn on the boundary of the unit box: the side is the one that x is on. */
static double flux_of(const double x[3], int64_t element, void *user) {
    const field *f = user;
    double slope[3], nearest = 1, flux = 0;
    (void)element;
    slope_of(x, f, slope);
    for (int d = 0; d < f->dimension; d++) {
        for (int high = 0; high < 2; high++) {
            const double off = fabs(x[d] - high);
            if (off >= nearest) continue;
            nearest = off;
            flux = K * (high ? slope[d] : -slope[d]);
        }
    }
    assert_true(nearest < 1e-12);
    return flux;
}

/* A u = b for the u that is known at nodes, up to so many roundings of what a row adds up. */
static void check_rows(tulle_ctx *ctx, const diffusion_system *s, tulle_type type, field *f,
                       const char *what) {
    enum { TERMS = 2000 };
    entries A = entries_read(ctx, s->A);
    double *b = diffusion_read(ctx, s->b, type, s->n);
    long double *left = calloc((size_t)s->n, sizeof *left);
    long double *size = calloc((size_t)s->n, sizeof *left), scale = 0;
    assert_true(left && size);
    for (int64_t k = 0; k < A.nnz; k++) {
        double x[3];
        diffusion_node(s->mesh, A.col[k], x);
        const long double term = (long double)A.value[k] * value_of(x, 0, f);
        left[A.row[k]] += term;
        size[A.row[k]] += fabsl(term);
        scale = fmaxl(scale, fabsl((long double)A.value[k]));
    }
    for (int64_t i = 0; i < s->n; i++) {
        assert_near(b[i], left[i], TERMS * unit_of(type) * (size[i] + scale), what);
    }
    free(left);
    free(size);
    free(b);
    entries_free(&A);
}

/* Fluxes all around and a reaction; u given all around; on curved cells, which have the linear
 * field alone. */
static void fields(tulle_ctx *ctx, const char *where) {
    static const tulle_quantity k = {.number = K};
    const int turn = turn_of(where, SHAPES);
    for (int i = 0; i < SHAPES; i++) {
        if (is_slow(where) && i != turn) continue;
        tulle_shape_info shape;
        must(tulle_shape_describe(shapes[i], &shape));
        for (int degree = 1; degree <= shape.order; degree++) {
            field f = {degree, shape.dimension};
            const tulle_quantity u = {.function = value_of, .user = &f};
            const tulle_quantity flux = {.function = flux_of, .user = &f};
            const tulle_condition conditions[] = {{.kind = TULLE_NEUMANN, .value = flux},
                                                  {.value = u}};
            for (int given = 0; given < 2; given++) {
                const tulle_diffusion_problem p = {.k = &k,
                                                   .c = {.number = C},
                                                   .f = {.function = source_of, .user = &f},
                                                   .condition_count = 1,
                                                   .conditions = &conditions[given]};
                for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
                    const double bend = degree == 1 && type == TULLE_F64 ? 0.05 : 0;
                    tulle_mesh *mesh = mesh_split(ctx, shapes[i], is_slow(where) ? 1 : 2, bend);
                    diffusion_system s = diffusion_open_on(ctx, mesh, &p, type);
                    check_rows(ctx, &s, type, &f, shape.name);
                    diffusion_close(&s);
                }
            }
        }
    }
}
static void test_fields(void **state) {
    (void)state;
    on_each_place(fields);
}

/* With k = 0 and c = 1 the matrix has inner products: of 1 and 1 the volume, of x and y theirs. */
static void moments(tulle_ctx *ctx, const char *where) {
    static const tulle_quantity none = {.number = 0};
    for (int i = 0; i < SHAPES; i++) {
        if (is_slow(where) && i != turn_of(where, SHAPES)) continue;
        const tulle_diffusion_problem p = {.k = &none, .c = {.number = 1}, .f = {.number = 1}};
        diffusion_system s =
            diffusion_open_on(ctx, mesh_split(ctx, shapes[i], 1, 0), &p, TULLE_F64);
        entries A = entries_read(ctx, s.A);
        double *b = diffusion_read(ctx, s.b, TULLE_F64, s.n);
        long double volume = 0, moment = 0, square = 0, load = 0;
        for (int64_t e = 0; e < A.nnz; e++) {
            double row[3], col[3];
            diffusion_node(s.mesh, A.row[e], row);
            diffusion_node(s.mesh, A.col[e], col);
            volume += (long double)A.value[e];
            moment += (long double)A.value[e] * row[0] * col[1];
            /* x y of the functions of order 2, of which the integral of its square is 1 / 9 */
            square += (long double)A.value[e] * row[0] * row[1] * col[0] * col[1];
        }
        for (int64_t row = 0; row < s.n; row++) load += b[row];
        assert_near((double)volume, 1, 1e-14L, "volume");
        assert_near((double)load, 1, 1e-14L, "load");
        assert_near((double)moment, 0.25L, 1e-14L, "moment");
        if (order_of(shapes[i]) == 2) assert_near((double)square, 1.0L / 9, 1e-14L, "square");
        free(b);
        entries_free(&A);
        diffusion_close(&s);
    }
}
ONCE_ON_EACH_PLACE(moments)

/* Gauss's formula with so many points, by Newton's iteration for the roots of Legendre's
 * polynomials. */
enum { POINTS = 8 };
static void legendre(long double at[POINTS], long double weight[POINTS]) {
    for (int i = 0; i < POINTS; i++) {
        long double x = cosl(acosl(-1) * (i + 0.75L) / (POINTS + 0.5L)), slope = 1;
        for (int step = 0; step < 60; step++) {
            long double before = 1, now = x;
            for (int n = 2; n <= POINTS; n++) {
                const long double next = ((2 * n - 1) * x * now - (n - 1) * before) / n;
                before = now;
                now = next;
            }
            slope = POINTS * (x * now - before) / (x * x - 1);
            x -= now / slope;
        }
        at[i] = x;
        weight[i] = 2 / ((1 - x * x) * slope * slope);
    }
}

/* Corner a of the base has ((1 - z) + a_x x) ((1 - z) + a_y y) / (4 (1 - z)), the top z. */
static const int base[4][2] = {{-1, -1}, {1, -1}, {1, 1}, {-1, 1}};
static long double pyramid_value(int a, long double x, long double y, long double z) {
    const long double h = 1 - z;
    return a == 4 ? z : (h + base[a][0] * x) * (h + base[a][1] * y) / (4 * h);
}
static long double pyramid_slope(int a, int k, long double x, long double y, long double z) {
    const long double h = 1 - z;
    if (a == 4) return k == 2;
    const long double p = h + base[a][0] * x, q = h + base[a][1] * y;
    if (k == 0) return base[a][0] * q / (4 * h);
    if (k == 1) return base[a][1] * p / (4 * h);
    return (p * q / h - p - q) / (4 * h);
}

/* The matrix of the reference pyramid itself, made as large as `size`. */
static void pyramids(tulle_ctx *ctx, const char *where) {
    static const double size[3] = {1.5, 0.5, 2};
    static const int32_t node[5] = {0, 1, 2, 3, 4};
    static const tulle_quantity k = {.number = K};
    double x[15], got[25];
    (void)where;
    for (int n = 0; n < 5; n++) {
        double p[3];
        must(tulle_shape_point(TULLE_PYRAMID, n, p));
        for (int d = 0; d < 3; d++) x[3 * n + d] = size[d] * p[d];
    }
    const tulle_mesh_block block = {TULLE_PYRAMID, 1, node, NULL};
    const tulle_mesh_arrays a = mesh_small(3, 5, x, &block, 1);
    tulle_mesh *mesh;
    tulle_diffusion *D;
    tulle_vec *matrix;
    const tulle_diffusion_problem problem = {.k = &k, .c = {.number = C}};
    must(tulle_mesh_create(ctx, &a, &mesh));
    must(tulle_diffusion_create(ctx, mesh, &problem, &D));
    must(tulle_vec_create(ctx, TULLE_F64, 25, &matrix));
    tulle_vec_info info;
    must(tulle_vec_describe(matrix, &info));
    must(tulle_diffusion_matrices(ctx, D, 0, TULLE_F64, info.data));
    must(tulle_vec_read(ctx, matrix, got, 0));
    long double at[POINTS], weight[POINTS], want[5][5] = {{0}}, largest = 0;
    legendre(at, weight);
    for (int q = 0; q < POINTS * POINTS * POINTS; q++) {
        const int i = q % POINTS, j = q / POINTS % POINTS, l = q / POINTS / POINTS;
        const long double z = (1 + at[l]) / 2, h = 1 - z, X = at[i] * h, Y = at[j] * h;
        const long double w = weight[i] * weight[j] * weight[l] / 2 * h * h;
        const long double volume = w * size[0] * size[1] * size[2];
        for (int r = 0; r < 5; r++) {
            for (int c = 0; c < 5; c++) {
                want[r][c] += C * volume * pyramid_value(r, X, Y, z) * pyramid_value(c, X, Y, z);
                for (int d = 0; d < 3; d++) {
                    want[r][c] += K * volume * pyramid_slope(r, d, X, Y, z) *
                                  pyramid_slope(c, d, X, Y, z) / (size[d] * size[d]);
                }
            }
        }
    }
    for (int e = 0; e < 25; e++) largest = fmaxl(largest, fabsl(want[e / 5][e % 5]));
    for (int e = 0; e < 25; e++) {
        assert_near(got[e], want[e / 5][e % 5], 64 * unit_of(TULLE_F64) * largest, "pyramid");
        assert_true(got[e] == got[e % 5 * 5 + e / 5]);
    }
    tulle_vec_destroy(matrix);
    tulle_diffusion_destroy(D);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(pyramids)

/* A flux on a part of the boundary that has facets of two shapes: all of it arrives. */
static void fluxes(tulle_ctx *ctx, const char *where) {
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 0, 0, 0, 2, 1, 0, 2, 0, 1, 2};
    static const int32_t cell[] = {0, 1, 2, 3, 4, 5}, top[] = {3, 4, 5}, side[] = {0, 1, 4, 3};
    static const int32_t group[] = {4};
    static const tulle_mesh_group warm = {4, 2, "warm"};
    static const tulle_condition flux = {
        .group = "warm", .kind = TULLE_NEUMANN, .value = {.number = 3}};
    const tulle_mesh_block blocks[] = {{TULLE_PRISM, 1, cell, NULL},
                                       {TULLE_TRIANGLE, 1, top, group},
                                       {TULLE_QUADRILATERAL, 1, side, group}};
    const tulle_diffusion_problem p = {
        .c = {.number = 1}, .condition_count = 1, .conditions = &flux};
    tulle_mesh_arrays a = mesh_small(3, 6, x, blocks, 3);
    tulle_mesh *mesh;
    (void)where;
    a.group_count = 1;
    a.groups = &warm;
    must(tulle_mesh_create(ctx, &a, &mesh));
    must(tulle_mesh_check(ctx, mesh));
    diffusion_system s = diffusion_open_on(ctx, mesh, &p, TULLE_F64);
    double *b = diffusion_read(ctx, s.b, TULLE_F64, s.n);
    long double sum = 0;
    for (int64_t i = 0; i < s.n; i++) sum += b[i];
    assert_near((double)sum, 3 * (0.5L + 2), 1e-14L, "flux");
    free(b);
    diffusion_close(&s);
}
ONCE_ON_EACH_PLACE(fluxes)

/* The operator of element matrices is the matrix; what is not computed on these cells says so. */
static void operators(tulle_ctx *ctx, const char *where) {
    for (int i = 0; i < SHAPES; i++) {
        if (is_slow(where) && i != turn_of(where, SHAPES)) continue;
        const tulle_condition given = {.kind = TULLE_ROBIN, .factor = {.number = 1}};
        const tulle_diffusion_problem p = {.condition_count = 1, .conditions = &given};
        const tulle_elasticity_problem body = {.constants = TULLE_LAME};
        diffusion_system s =
            diffusion_open_on(ctx, mesh_split(ctx, shapes[i], 1, 0.03), &p, TULLE_F64);
        tulle_linop *L;
        tulle_elasticity *E;
        tulle_vec *x, *y, *z;
        double *one = malloc((size_t)s.n * sizeof *one);
        assert_non_null(one);
        for (int64_t n = 0; n < s.n; n++) one[n] = 1.0 / (double)(n + 1);
        must(tulle_diffusion_local(ctx, s.D, NULL, TULLE_F64, &L));
        must(tulle_vec_create(ctx, TULLE_F64, s.n, &x));
        must(tulle_vec_create(ctx, TULLE_F64, s.n, &y));
        must(tulle_vec_create(ctx, TULLE_F64, s.n, &z));
        must(tulle_vec_write(ctx, x, one, 0));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
        must(tulle_spmv(ctx, TULLE_N, tulle_num(1), s.A, x, tulle_num(0), z));
        double *by_elements = diffusion_read(ctx, y, TULLE_F64, s.n);
        double *by_matrix = diffusion_read(ctx, z, TULLE_F64, s.n);
        for (int64_t n = 0; n < s.n; n++) {
            assert_near(by_elements[n], by_matrix[n], 1e-13L, "local");
        }
        free(by_elements);
        free(by_matrix);
        free(one);
        tulle_linop_destroy(L);
        assert_int_equal(tulle_diffusion_matrix_free(ctx, s.D, s.mesh, NULL, TULLE_F64, &L),
                         TULLE_UNSUPPORTED);
        assert_int_equal(tulle_elasticity_create(ctx, s.mesh, &body, &E), TULLE_UNSUPPORTED);
        tulle_vec_destroy(x);
        tulle_vec_destroy(y);
        tulle_vec_destroy(z);
        diffusion_close(&s);
    }
}
ONCE_ON_EACH_PLACE(operators)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fields),   cmocka_unit_test(test_moments),
        cmocka_unit_test(test_pyramids), cmocka_unit_test(test_operators),
        cmocka_unit_test(test_fluxes),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
