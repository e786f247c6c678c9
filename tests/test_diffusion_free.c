/* SPDX-License-Identifier: Apache-2.0 */
/* Problems with periods and walls without the matrices of their cells: the operator is the matrix
 * of the definition, in units of its bound, and repeats; what is refused, and what memory does. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "cell_matrix.h"
#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "diffusion_system.h"
#include "meshes.h"
#include "pairwise.h"
#include "places.h"

/* Two coordinates are periodic, so that corners have several partners; the walls lie between. */
static const tulle_period periods[] = {
    {.from = "x-min", .to = "x-max", .shift = {1, 0, 0}},
    {.from = "z-max", .to = "z-min", .shift = {0, 0, -1}},
};
static const tulle_condition conditions[] = {
    {.group = "y-max", .kind = TULLE_ROBIN, .value = {.number = 2}, .factor = {.number = 3}},
    {.group = "y-min", .kind = TULLE_NEUMANN, .value = {.number = 1}},
    {.group = "x-max", .kind = TULLE_ROBIN, .factor = {.number = 1.5}},
    {.group = "y-min", .value = {.number = 4}},
};
enum { FLUXES = 3, GIVEN = 4 };

static double number_of(int64_t seed) {
    return 0.5 + (double)((uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) >> 40) * 0x1p-24;
}

/* A problem, its matrix by the definition, and of each entry what tulle/diffusion.h's bound sums
 * up. */
typedef struct {
    tulle_mesh *mesh;
    tulle_diffusion *D;
    int64_t n;
    double *k, *c; /* of each cell */
    uint8_t *masked;
    long double *at, *scale; /* n x n */
    long double shape;       /* the largest s of the bound */
    tulle_type type;
} problem;

static void add(problem *p, int64_t row, int64_t col, long double number, long double size) {
    if (row != col && (p->masked[row] || p->masked[col])) return;
    p->at[row * p->n + col] += number;
    p->scale[row * p->n + col] += size;
}

static int64_t row_of(const tulle_diffusion_info *info, int32_t node) {
    return info->rows ? info->rows[node] : node;
}

static void add_cells(problem *p, const tulle_diffusion_info *info) {
    const tulle_mesh_arrays a = mesh_arrays(p->mesh);
    const int nodes = shape_nodes(a.blocks[0].shape);
    for (int64_t e = 0; e < a.blocks[0].count; e++) {
        const int32_t *own = a.blocks[0].nodes + e * nodes;
        const cell_matrix K = cell_matrix_of(&a, a.blocks[0].shape, own);
        const long double k = (long double)p->k[e], c = (long double)p->c[e];
        const long double size =
            K.V * (k * powl(K.J, K.dimension - 2) * K.q * K.q + c * powl(K.J, K.dimension));
        p->shape = fmaxl(p->shape, 2 * sqrtl(3) / K.shortest); /* of a box of sides 1 */
        for (int ij = 0; ij < nodes * nodes; ij++) {
            const int i = ij / nodes, j = ij % nodes;
            add(p, row_of(info, own[i]), row_of(info, own[j]),
                k * K.stiffness[i][j] + c * K.mass[i][j], size);
        }
    }
}

/* Their matrices are of f64, and are tested elsewhere. */
static void add_facets(tulle_ctx *ctx, problem *p, const tulle_elements *e, int block) {
    const int64_t m = e->nodes, numbers = e->count * m * m;
    tulle_vec *room = NULL;
    tulle_vec_info info;
    int32_t *list = calloc((size_t)(e->count * m), sizeof *list);
    assert_non_null(list);
    must(tulle__copy_wait(ctx, list, e->list, (size_t)(e->count * m) * sizeof *list));
    must(tulle_vec_create(ctx, TULLE_F64, numbers, &room));
    must(tulle_vec_describe(room, &info));
    must(tulle_diffusion_matrices(ctx, p->D, block, TULLE_F64, info.data));
    double *F = diffusion_read(ctx, room, TULLE_F64, numbers);
    for (int64_t k = 0; k < numbers; k++) {
        const int64_t facet = k / (m * m), i = k / m % m, j = k % m;
        const double *own = F + facet * m * m;
        add(p, list[facet * m + i], list[facet * m + j], (long double)F[k],
            sqrtl((long double)own[i * m + i] * (long double)own[j * m + j]));
    }
    free(F);
    free(list);
    tulle_vec_destroy(room);
}

static problem problem_open(tulle_ctx *ctx, const char *spec, tulle_type type, int given,
                            bool around, bool even) {
    problem p = {.mesh = mesh_of(ctx, spec), .type = type};
    const size_t cells = (size_t)mesh_info(p.mesh).cells;
    tulle_diffusion_info info;
    p.k = calloc(cells, sizeof *p.k);
    p.c = calloc(cells, sizeof *p.c);
    assert_true(p.k && p.c);
    for (size_t e = 0; e < cells; e++) {
        p.k[e] = even ? 2.5 : number_of((int64_t)e);
        p.c[e] = even ? 0 : 3 * number_of(-(int64_t)e);
    }
    const tulle_quantity k = {.number = 2.5, .of_elements = even ? NULL : p.k};
    const tulle_diffusion_problem d = {
        .k = &k,
        .c = {.of_elements = even ? NULL : p.c},
        .condition_count = given,
        .conditions = conditions,
        .period_count = around ? mesh_arrays(p.mesh).dimension - 1 : 0,
        .periods = periods};
    must(tulle_diffusion_create(ctx, p.mesh, &d, &p.D));
    must(tulle_diffusion_describe(p.D, &info));
    p.n = info.nodes;
    p.masked = calloc((size_t)p.n, 1);
    p.at = calloc((size_t)(p.n * p.n), sizeof *p.at);
    p.scale = calloc((size_t)(p.n * p.n), sizeof *p.scale);
    assert_true(p.masked && p.at && p.scale);
    must(tulle__copy_wait(ctx, p.masked, info.masked, (size_t)p.n));
    add_cells(&p, &info);
    assert_true(info.blocks > 1);
    for (int b = 1; b < info.blocks; b++) add_facets(ctx, &p, &info.elements[b], b);
    return p;
}

static void problem_close(problem *p) {
    tulle_diffusion_destroy(p->D);
    tulle_mesh_destroy(p->mesh);
    free(p->k);
    free(p->c);
    free(p->masked);
    free(p->at);
    free(p->scale);
}

static long double bound_of(const problem *p, long double mass, long double alpha,
                            long double before) {
    return gamma_of(200 * (1 + p->shape), p->type) * (fabsl(alpha) * mass + fabsl(before)) +
           200 * (1 + fabsl(alpha)) * least_of(p->type);
}

static void check_product(tulle_ctx *ctx, tulle_linop *L, const problem *p, double alpha,
                          double beta) {
    columns x = columns_random(p->n, 1, 3, p->type), y = columns_random(p->n, 1, 4, p->type);
    const lie how = {TULLE_ROW_MAJOR, 1, 0};
    placed X = columns_place(ctx, &x, p->type, how), Y = columns_place(ctx, &y, p->type, how);
    must(tulle_linop_apply(ctx, TULLE_T, tulle_num(alpha), L, X.X, tulle_num(beta), Y.X));
    columns got = placed_read(ctx, &Y);
    for (int64_t i = 0; i < p->n; i++) {
        long double sum = 0, mass = 0;
        for (int64_t j = 0; j < p->n; j++) {
            sum += p->at[i * p->n + j] * x.at[j];
            mass += p->scale[i * p->n + j] * fabsl(x.at[j]);
        }
        const long double before = (long double)beta * y.at[i];
        assert_near(got.at[i], (long double)alpha * sum + before,
                    bound_of(p, mass, (long double)alpha, before), "a number of y");
    }
    columns_free(&x);
    columns_free(&y);
    columns_free(&got);
    placed_free(&X);
    placed_free(&Y);
}

static void check_diagonal(tulle_ctx *ctx, tulle_linop *L, const problem *p) {
    tulle_vec *d = NULL;
    must(tulle_vec_create(ctx, p->type, p->n, &d));
    must(tulle_linop_get_diagonal(ctx, L, d));
    double *got = diffusion_read(ctx, d, p->type, p->n);
    for (int64_t i = 0; i < p->n; i++) {
        const int64_t at = i * p->n + i;
        assert_near((long double)got[i], p->at[at], bound_of(p, p->scale[at], 1, 0),
                    "a number of the diagonal");
    }
    free(got);
    tulle_vec_destroy(d);
}

/* Of all shapes, with one Jacobian and several, in one patch and in many. */
static const char *const specs[] = {"box-quad:4x3",          "box-quad:3x3,perturb=0.2",
                                    "box-tri:3x4,shuffle=1", "box-tet:2x3x2",
                                    "box-hex:3x2x2",         "box-hex:2x2x3,perturb=0.2,shuffle=1",
                                    "box-hex27:2x1x2",       "box-hex27:2x2x2,perturb=0.2"};
enum { SPECS = sizeof specs / sizeof *specs };

enum { SPEC, TYPE, ALL_GIVEN, AROUND, EVEN, ATOMIC, PATCH, BETA, FACTORS };

static void run_case(const int *v, void *user) {
    tulle_ctx *ctx = user;
    problem p = problem_open(ctx, specs[v[SPEC]], v[TYPE] ? TULLE_F64 : TULLE_F32,
                             v[ALL_GIVEN] ? GIVEN : FLUXES, v[AROUND], v[EVEN]);
    const tulle_matrix_free_options o = {.atomic = v[ATOMIC], .patch = v[PATCH] ? 3 : 0};
    tulle_linop *L = NULL;
    tulle_linop_info info;
    must(tulle_diffusion_matrix_free(ctx, p.D, p.mesh, &o, p.type, &L));
    must(tulle_linop_describe(L, &info));
    assert_int_equal(info.rows, p.n);
    assert_true(info.transposes && info.has_diagonal && info.capturable);
    check_product(ctx, L, &p, v[BETA] ? -0.5 : 1, v[BETA] ? 2 : 0);
    check_diagonal(ctx, L, &p);
    tulle_linop_destroy(L);
    problem_close(&p);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int levels[FACTORS] = {SPECS, 2, 2, 2, 2, 2, 2, 2};
    pairwise(FACTORS, levels, run_case, ctx);
}
static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}

/* A mesh of two shapes, in whose numbers cells of the first one lie around the other's: k of each
 * is its own. */
static void mixed_cells(tulle_ctx *ctx, const char *where) {
    static const double x[] = {0, 0, 1, 0, 2, 0, 3, 0, 0, 1, 1, 1, 2, 1, 3, 1};
    static const int32_t left[] = {0, 1, 5, 4}, three[] = {1, 2, 6, 1, 6, 5},
                         right[] = {2, 3, 7, 6};
    const tulle_mesh_block blocks[] = {
        {.shape = TULLE_QUADRILATERAL, .count = 1, .nodes = left},
        {.shape = TULLE_TRIANGLE, .count = 2, .nodes = three},
        {.shape = TULLE_QUADRILATERAL, .count = 1, .nodes = right},
    };
    static const double k_of[] = {2, 3, 5, 7};
    const tulle_quantity k = {.of_elements = k_of};
    const tulle_condition wall = {.kind = TULLE_ROBIN, .factor = {.number = 2}};
    const tulle_mesh_arrays arrays = mesh_small(2, 8, x, blocks, 3);
    const tulle_diffusion_problem p = {.k = &k, .condition_count = 1, .conditions = &wall};
    tulle_mesh *mesh = NULL;
    tulle_diffusion *D = NULL;
    tulle_linop *L[2] = {NULL, NULL};
    tulle_vec *v = NULL, *y = NULL;
    double *got[2];
    (void)where;
    must(tulle_mesh_create(ctx, &arrays, &mesh));
    must(tulle_diffusion_create(ctx, mesh, &p, &D));
    must(tulle_diffusion_matrix_free(ctx, D, mesh, NULL, TULLE_F64, &L[0]));
    must(tulle_diffusion_local(ctx, D, NULL, TULLE_F64, &L[1]));
    must(tulle_vec_create(ctx, TULLE_F64, 8, &v));
    must(tulle_vec_create(ctx, TULLE_F64, 8, &y));
    must(tulle_vec_random(ctx, v, 3));
    for (int i = 0; i < 2; i++) {
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L[i], v, tulle_num(0), y));
        got[i] = diffusion_read(ctx, y, TULLE_F64, 8);
    }
    /* Twenty numbers of at most 7 and 2 come to a row, of x of at most 1. */
    for (int i = 0; i < 8; i++) assert_near(got[0][i], got[1][i], 200 * 180 * 0x1p-53, "y");
    free(got[0]);
    free(got[1]);
    tulle_linop_destroy(L[0]);
    tulle_linop_destroy(L[1]);
    tulle_vec_destroy(v);
    tulle_vec_destroy(y);
    tulle_diffusion_destroy(D);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(mixed_cells)

/* Twice the same bits; from the second time on nothing is allocated; and from a graph. */
static void captured(tulle_ctx *ctx, const char *where) {
    problem p = problem_open(ctx, specs[turn_of(where, SPECS)], TULLE_F64, GIVEN, true, true);
    const tulle_matrix_free_options o = {.patch = 3};
    const size_t bytes = (size_t)p.n * sizeof(double);
    tulle_linop *L = NULL;
    tulle_vec *x = NULL, *y = NULL;
    tulle_memory_usage before, after;
    void *graph = NULL;
    must(tulle_diffusion_matrix_free(ctx, p.D, p.mesh, &o, TULLE_F64, &L));
    must(tulle_vec_create(ctx, TULLE_F64, p.n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, p.n, &y));
    must(tulle_vec_random(ctx, x, 5));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
    double *first = diffusion_read(ctx, y, TULLE_F64, p.n);
    must(tulle_vec_fill(ctx, y, (double)NAN));
    must(tulle_ctx_memory(ctx, &before));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
    if (ctx->kind != TULLE_CPU) {
        must(ctx->backend->capture_end(&ctx->place, &graph));
        must(ctx->backend->graph_launch(&ctx->place, graph));
        must(ctx->backend->graph_destroy(ctx->place.device, graph));
    }
    must(tulle_ctx_memory(ctx, &after));
    assert_int_equal(before.in_use, after.in_use);
    assert_int_equal(before.high, after.high);
    double *second = diffusion_read(ctx, y, TULLE_F64, p.n);
    assert_memory_equal(first, second, bytes);
    free(first);
    free(second);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_linop_destroy(L);
    problem_close(&p);
}
ONCE_ON_EACH_PLACE(captured)

static double growing(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return 1 + x[0];
}

static void refuses(tulle_status got, tulle_status wanted, const char *words) {
    assert_int_equal(got, wanted);
    if (!strstr(tulle_last_error()->message, words)) {
        fail_msg("\"%s\" has no \"%s\"", tulle_last_error()->message, words);
    }
}

static void errors(tulle_ctx *ctx, const char *where) {
    static const tulle_quantity k = {.function = growing};
    const tulle_diffusion_problem even = {.condition_count = 0}, other = {.k = &k};
    const tulle_matrix_free_options bad = {.patch = -1};
    tulle_mesh *mesh = mesh_of(ctx, "box-quad:2x3"), *turned = mesh_of(ctx, "box-quad:3x2");
    tulle_mesh *triangles = mesh_of(ctx, "box-tri:2x3");
    tulle_diffusion *D = NULL, *E = NULL;
    tulle_linop *L = (tulle_linop *)1;
    (void)where;
    must(tulle_diffusion_create(ctx, mesh, &even, &D));
    must(tulle_diffusion_create(ctx, mesh, &other, &E));
    refuses(tulle_diffusion_matrix_free(ctx, D, triangles, NULL, TULLE_F64, &L),
            TULLE_INVALID_ARGUMENT, "the mesh is another one");
    assert_null(L);
    refuses(tulle_diffusion_matrix_free(ctx, E, mesh, NULL, TULLE_F64, &L), TULLE_UNSUPPORTED,
            "k is a function");
    refuses(tulle_diffusion_matrix_free(ctx, D, mesh, &bad, TULLE_F64, &L), TULLE_INVALID_ARGUMENT,
            "options.patch is -1");
    /* As far as numbers say, this one is the same. */
    must(tulle_diffusion_matrix_free(ctx, D, turned, NULL, TULLE_F64, &L));
    tulle_linop_destroy(L);
    tulle_diffusion_destroy(D);
    tulle_diffusion_destroy(E);
    tulle_mesh_destroy(triangles);
    tulle_mesh_destroy(turned);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(errors)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, const char *spec, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    problem p = problem_open(ctx, spec, TULLE_F64, GIVEN, true, false);
    c.fail_at = c.requests + n;
    const tulle_status status = tulle_diffusion_matrix_free(ctx, p.D, p.mesh, NULL, TULLE_F64, &L);
    const bool done = c.requests < c.fail_at;
    assert_true(status == (done ? TULLE_OK : TULLE_OUT_OF_MEMORY));
    assert_int_equal(L != NULL, status == TULLE_OK);
    c.fail_at = 0;
    tulle_linop_destroy(L);
    problem_close(&p);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    static const char *const small[] = {"box-quad:2x2", "box-hex27:2x1x2"};
    (void)ctx;
    for (int i = 0; i < 2; i++) {
        int64_t n = 1;
        while (!fail_once(where, small[i], n)) n++;
        assert_true(n > 1);
    }
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),           cmocka_unit_test(test_mixed_cells),
        cmocka_unit_test(test_captured),      cmocka_unit_test(test_errors),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
