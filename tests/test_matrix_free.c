/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that make element matrices anew: they are the matrix of the definition, in units of
 * their bound, and repeat; which cells are affine; what is solved and captured. */
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
#include "meshes.h"
#include "pairwise.h"
#include "places.h"

enum { COLUMNS = 2 };

/* The matrix as it should be, and what its bound has of each node: of the sum of magnitudes of x in
 * a cell so much comes to its nodes. */
typedef struct {
    int64_t n;
    long double *at;        /* n x n */
    long double *scale;     /* entry (i, j): the sum over cells that have both */
    long double far, shape; /* shape: the largest s of the bound */
    double *diffusion, *reaction;
    uint8_t *masked;
    tulle_type type;
} expected;

/* Above all coordinates, and above the diameter of every patch. */
static long double far_of(const tulle_mesh_arrays *a) {
    double far = 0;
    for (int64_t i = 0; i < a->node_count * a->dimension; i++) {
        far = fmax(far, fabs(a->coordinates[i]));
    }
    return 2 * sqrtl(3) * (long double)far;
}

static void add_cell(expected *e, const tulle_mesh_arrays *a, tulle_shape shape,
                     const int32_t *nodes, double k, double c) {
    const cell_matrix K = cell_matrix_of(a, shape, nodes);
    const long double size = K.V * (fabsl((long double)k) * powl(K.J, K.dimension - 2) * K.q * K.q +
                                    fabsl((long double)c) * powl(K.J, K.dimension));
    e->shape = fmaxl(e->shape, e->far / K.shortest);
    for (int i = 0; i < K.nodes; i++) {
        for (int j = 0; j < K.nodes; j++) {
            if (i != j && e->masked && (e->masked[nodes[i]] || e->masked[nodes[j]])) continue;
            const int64_t at = nodes[i] * e->n + nodes[j];
            e->at[at] += (long double)k * K.stiffness[i][j] + (long double)c * K.mass[i][j];
            e->scale[at] += size;
        }
    }
}

static double number_of(int64_t seed) {
    return 0.5 + (double)((uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) >> 40) * 0x1p-24;
}

/* Masked nodes that no cell has get the largest that masked ones have on the diagonal, or 1. */
static void fill_zeros(expected *e) {
    long double largest = 0;
    for (int64_t i = 0; i < e->n; i++) {
        if (e->masked[i]) largest = fmaxl(largest, e->at[i * e->n + i]);
    }
    for (int64_t i = 0; i < e->n; i++) {
        const int64_t at = i * e->n + i;
        if (!e->masked[i] || e->at[at] != 0) continue;
        e->at[at] = e->scale[at] = largest > 0 ? largest : 1;
    }
}

enum { CONSTANT, EVEN, CELLS, MASSES, COEFFICIENTS }; /* up to EVEN one for all cells */

static expected expected_make(const tulle_mesh *mesh, tulle_type type, bool masked,
                              int coefficients) {
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    const tulle_mesh_info info = mesh_info(mesh);
    const size_t n = (size_t)a.node_count, cells = (size_t)info.cells + 1;
    expected e = {.n = a.node_count, .far = far_of(&a), .type = type};
    e.at = calloc(n * n + 1, sizeof *e.at);
    e.scale = calloc(n * n + 1, sizeof *e.scale);
    e.diffusion = calloc(cells, sizeof *e.diffusion);
    e.reaction = calloc(cells, sizeof *e.reaction);
    if (masked) {
        e.masked = calloc(n + 1, 1);
        for (int64_t i = 0; i < e.n; i++) e.masked[i] = number_of(i) < 0.8;
    }
    int64_t cell = 0;
    for (int64_t b = 0; b < info.cell_blocks; b++) {
        const int nodes = shape_nodes(a.blocks[b].shape);
        for (int64_t k = 0; k < a.blocks[b].count; k++, cell++) {
            e.diffusion[cell] = coefficients <= EVEN ? 2.5 : number_of(cell);
            e.reaction[cell] = coefficients == MASSES ? number_of(-cell) * 3
                               : coefficients == EVEN ? 1.5
                                                      : 0;
            add_cell(&e, &a, a.blocks[b].shape, a.blocks[b].nodes + k * nodes, e.diffusion[cell],
                     e.reaction[cell]);
        }
    }
    if (masked) fill_zeros(&e);
    return e;
}

static void expected_free(expected *e) {
    free(e->at);
    free(e->scale);
    free(e->diffusion);
    free(e->reaction);
    free(e->masked);
}

static tulle_linop *make(tulle_ctx *ctx, const tulle_mesh *mesh, const expected *e,
                         int coefficients, bool atomic, int64_t patch) {
    const tulle_matrix_free_options o = {
        .diffusion = coefficients <= EVEN ? 2.5 : 0,
        .reaction = coefficients == EVEN ? 1.5 : 0,
        .cell_diffusion = coefficients <= EVEN ? NULL : e->diffusion,
        .cell_reaction = coefficients == MASSES ? e->reaction : NULL,
        .masked = e->masked,
        .atomic = atomic,
        .patch = patch};
    tulle_linop *L = NULL;
    must(tulle_linop_matrix_free(ctx, mesh, &o, e->type, &L));
    return L;
}

/* tulle/fem.h's bound, of row i; mass: the sum over cells of their scale times that of |x|. */
static long double bound_of(const expected *e, long double mass, long double alpha,
                            long double before) {
    return gamma_of(200 * (1 + e->shape), e->type) * (fabsl(alpha) * mass + fabsl(before)) +
           200 * (1 + fabsl(alpha)) * least_of(e->type);
}

static void check_apply(tulle_ctx *ctx, tulle_linop *L, const expected *e, tulle_trans op,
                        double alpha, double beta) {
    columns x = columns_random(e->n, COLUMNS, 3, e->type);
    columns y = columns_random(e->n, COLUMNS, 4, e->type);
    const lie how = {TULLE_ROW_MAJOR, 1, 0};
    placed X = columns_place(ctx, &x, e->type, how), Y = columns_place(ctx, &y, e->type, how);
    must(tulle_linop_apply(ctx, op, tulle_num(alpha), L, X.X, tulle_num(beta), Y.X));
    columns got = placed_read(ctx, &Y);
    for (int64_t c = 0; c < COLUMNS; c++) {
        for (int64_t i = 0; i < e->n; i++) {
            long double sum = 0, mass = 0;
            for (int64_t j = 0; j < e->n; j++) {
                sum += e->at[i * e->n + j] * x.at[c * e->n + j];
                mass += e->scale[i * e->n + j] * fabsl(x.at[c * e->n + j]);
            }
            const long double before = (long double)beta * y.at[c * e->n + i];
            assert_near(got.at[c * e->n + i], (long double)alpha * sum + before,
                        bound_of(e, mass, (long double)alpha, before), "a number of y");
        }
    }
    columns_free(&x);
    columns_free(&y);
    columns_free(&got);
    placed_free(&X);
    placed_free(&Y);
}

static void check_diagonal(tulle_ctx *ctx, tulle_linop *L, const expected *e) {
    tulle_vec *d = NULL;
    double *got = calloc((size_t)e->n + 1, sizeof *got);
    must(tulle_vec_create(ctx, e->type, e->n, &d));
    must(tulle_linop_get_diagonal(ctx, L, d));
    must(tulle_vec_read(ctx, d, got, 0));
    for (int64_t i = 0; i < e->n; i++) {
        const double number = e->type == TULLE_F32 ? (double)((float *)got)[i] : got[i];
        assert_near((long double)number, e->at[i * e->n + i],
                    bound_of(e, e->scale[i * e->n + i], 1, 0), "a number of the diagonal");
    }
    free(got);
    tulle_vec_destroy(d);
}

static tulle_matrix_free_info describe(tulle_ctx *ctx, const tulle_mesh *mesh, tulle_type type,
                                       int64_t patch) {
    const tulle_matrix_free_options o = {.diffusion = 1, .patch = patch};
    tulle_matrix_free_info info;
    tulle_linop *L = NULL;
    must(tulle_linop_matrix_free(ctx, mesh, &o, type, &L));
    must(tulle_linop_matrix_free_describe(L, &info));
    tulle_linop_destroy(L);
    return info;
}

/* Of all shapes, affine and not, in order and shuffled, of one cell and of more than a patch; far
 * from the origin; two kinds of cells that share nodes, one of which no cell has; and cells that
 * all share one, so that each is a step of its patch. */
static const char *const specs[] = {"box-tri:1",
                                    "box-tri:7x5,perturb=0.3",
                                    "box-quad:1",
                                    "box-quad:6x5,size=3x0.2",
                                    "cylinder-quad:3x2,perturb=0.2,shuffle=1",
                                    "box-tet:1",
                                    "box-tet:3,perturb=0.2,shuffle=1",
                                    "box-hex:1",
                                    "box-hex:3x4x2,size=1x2x0.1,shuffle=1",
                                    "box-hex:4,perturb=0.3",
                                    "cylinder-hex:2x1x2,shuffle=1",
                                    "sheared box-quad:4,size=1x0.5",
                                    "sheared box-hex:2x4x2",
                                    "mixed",
                                    "fan"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Cells stay affine, and get metrics without zeros. */
static tulle_mesh *sheared_mesh(tulle_ctx *ctx, const char *spec) {
    tulle_mesh *mesh = mesh_of(ctx, spec), *made = NULL;
    tulle_mesh_arrays a = mesh_arrays(mesh);
    const int64_t numbers = a.node_count * a.dimension;
    double *x = calloc((size_t)numbers, sizeof *x);
    for (int64_t i = 0; i < numbers; i++) {
        const int d = (int)(i % a.dimension);
        x[i] = a.coordinates[i] + (d + 1 < a.dimension ? a.coordinates[i + 1] / 2 : 0) +
               (d + 2 < a.dimension ? a.coordinates[i + 2] / 4 : 0);
    }
    a.coordinates = x;
    must(tulle_mesh_create(ctx, &a, &made));
    assert_int_equal(describe(ctx, made, TULLE_F64, 0).affine, mesh_info(made).cells);
    free(x);
    tulle_mesh_destroy(mesh);
    return made;
}

static tulle_mesh *mixed_mesh(tulle_ctx *ctx) {
    static const double x[] = {0, 0, 1, 0, 2, 0, 0, 1, 1, 1, 2, 1.5, 9, 9, 3, 0, 3, 1.5};
    static const int32_t quads[] = {0, 1, 4, 3, 1, 2, 5, 4}, triangles[] = {2, 7, 5, 5, 7, 8};
    const tulle_mesh_block blocks[] = {{.shape = TULLE_QUADRILATERAL, .count = 2, .nodes = quads},
                                       {.shape = TULLE_TRIANGLE, .count = 2, .nodes = triangles}};
    const tulle_mesh_arrays a = mesh_small(2, 9, x, blocks, 2);
    tulle_mesh *mesh = NULL;
    must(tulle_mesh_create(ctx, &a, &mesh));
    return mesh;
}

static tulle_mesh *fan_mesh(tulle_ctx *ctx) {
    enum { BLADES = 70 };
    double x[2 * (BLADES + 1)] = {0, 0};
    int32_t list[3 * BLADES];
    for (int i = 0; i < BLADES; i++) {
        const double angle = 2 * acos(-1) * i / BLADES;
        x[2 * (i + 1)] = cos(angle);
        x[2 * (i + 1) + 1] = sin(angle);
        list[3 * i] = 0;
        list[3 * i + 1] = i + 1;
        list[3 * i + 2] = (i + 1) % BLADES + 1;
    }
    const tulle_mesh_block block = {.shape = TULLE_TRIANGLE, .count = BLADES, .nodes = list};
    const tulle_mesh_arrays a = mesh_small(2, BLADES + 1, x, &block, 1);
    tulle_mesh *mesh = NULL;
    must(tulle_mesh_create(ctx, &a, &mesh));
    return mesh;
}

static tulle_mesh *mesh_number(tulle_ctx *ctx, int i) {
    static const char sheared[] = "sheared ";
    const size_t length = sizeof sheared - 1;
    if (strcmp(specs[i], "mixed") == 0) return mixed_mesh(ctx);
    if (strcmp(specs[i], "fan") == 0) return fan_mesh(ctx);
    if (strncmp(specs[i], sheared, length) == 0) return sheared_mesh(ctx, specs[i] + length);
    return mesh_of(ctx, specs[i]);
}

enum { SPEC, TYPE, MASKED, COEFFICIENT, ATOMIC, PATCH, BETA, FACTORS };
static const int64_t patch_of[] = {0, 1, 7};

static void run_case(const int *v, void *user) {
    tulle_ctx *ctx = user;
    tulle_mesh *mesh = mesh_number(ctx, v[SPEC]);
    expected e = expected_make(mesh, v[TYPE] ? TULLE_F64 : TULLE_F32, v[MASKED], v[COEFFICIENT]);
    tulle_linop *L = make(ctx, mesh, &e, v[COEFFICIENT], v[ATOMIC], patch_of[v[PATCH]]);
    tulle_linop_info info;
    must(tulle_linop_describe(L, &info));
    assert_int_equal(info.rows, e.n);
    assert_true(info.transposes && info.has_diagonal && info.capturable);
    check_apply(ctx, L, &e, TULLE_N, 1, v[BETA] ? 2 : 0);
    check_apply(ctx, L, &e, TULLE_T, -0.5, 0);
    check_diagonal(ctx, L, &e);
    tulle_linop_destroy(L);
    expected_free(&e);
    tulle_mesh_destroy(mesh);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int levels[FACTORS] = {SPECS, 2, 2, COEFFICIENTS, 2, 3, 2};
    pairwise(FACTORS, levels, run_case, ctx);
}
static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}

/* A hexahedron beside the place x = far, of edge h, one of whose corners is off by `off`. */
static int64_t affine_of(tulle_ctx *ctx, double far, double h, double off, tulle_type type) {
    static const int32_t list[] = {0, 1, 2, 3, 4, 5, 6, 7};
    double x[24];
    for (int i = 0; i < 8; i++) {
        const int bits = (i ^ i >> 1) & 1;
        x[3 * i] = far + h * bits;
        x[3 * i + 1] = h * (i >> 1 & 1);
        x[3 * i + 2] = h * (i >> 2 & 1);
    }
    x[3 * 6] += off;
    const tulle_mesh_block block = {.shape = TULLE_HEXAHEDRON, .count = 1, .nodes = list};
    const tulle_mesh_arrays a = mesh_small(3, 8, x, &block, 1);
    tulle_mesh *mesh = NULL;
    must(tulle_mesh_create(ctx, &a, &mesh));
    const int64_t affine = describe(ctx, mesh, type, 0).affine;
    tulle_mesh_destroy(mesh);
    return affine;
}

/* A corner that is off by d gives the coefficients of all products d / 8, and columns are h / 2. */
static void threshold(tulle_ctx *ctx, const char *where) {
    (void)where;
    assert_int_equal(affine_of(ctx, 0, 1, 0, TULLE_F64), 1);
    assert_int_equal(affine_of(ctx, 3, 1, 0x1p-47, TULLE_F64), 1);
    assert_int_equal(affine_of(ctx, 3, 1, 0x1.1p-46, TULLE_F64), 0);
    assert_int_equal(affine_of(ctx, 3, 1, 0x1p-24, TULLE_F64), 0);
    assert_int_equal(affine_of(ctx, 3, 1, 0x1p-24, TULLE_F32), 1);
    assert_int_equal(affine_of(ctx, 3, 1, 0x1.1p-24, TULLE_F32), 0);
    assert_int_equal(affine_of(ctx, 3, 0.25, 0x1.1p-26, TULLE_F32), 0);
}
ONCE_ON_EACH_PLACE(threshold)

/* Cells, kinds and patches are those of the mesh. */
static void described(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mesh *mesh = mixed_mesh(ctx);
    const tulle_matrix_free_info info = describe(ctx, mesh, TULLE_F64, 1);
    assert_int_equal(info.cells, 4);
    assert_int_equal(info.affine, 3);
    assert_int_equal(info.metrics, 3);
    assert_int_equal(info.patches, 4);
    assert_int_equal(info.nodes, 16); /* whole fours of 4, 4, 3 and 3 */
    assert_int_equal(info.between, 11);
    assert_true(info.bytes > 0);
    tulle_mesh_destroy(mesh);
    mesh = mesh_of(ctx, "box-hex:8");
    assert_int_equal(describe(ctx, mesh, TULLE_F64, 64).patches, 8);
    assert_int_equal(describe(ctx, mesh, TULLE_F64, 64).nodes, 8 * 128);
    assert_int_equal(describe(ctx, mesh, TULLE_F64, 0).between, 0);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(described)

/* Metrics of 8 x 8 x 8 cells, the upper half of them so many times as high, and the nodes in their
 * middle moved up. */
static int64_t metrics_of(tulle_ctx *ctx, double high, double up, tulle_type type) {
    tulle_mesh *mesh = mesh_of(ctx, "box-hex:8"), *made = NULL;
    tulle_mesh_arrays a = mesh_arrays(mesh);
    double *x = calloc((size_t)(a.node_count * 3), sizeof *x);
    for (int64_t i = 0; i < a.node_count * 3; i++) {
        const double z = a.coordinates[i];
        x[i] = i % 3 < 2 || z < 0.5 ? z : 0.5 + high * (z - 0.5) + (z < 0.6 ? up : 0);
    }
    a.coordinates = x;
    must(tulle_mesh_create(ctx, &a, &made));
    const tulle_matrix_free_info info = describe(ctx, made, type, 0);
    assert_int_equal(info.affine, 512);
    tulle_mesh_destroy(made);
    tulle_mesh_destroy(mesh);
    free(x);
    return info.metrics;
}

/* Cells are alike to 16 units of rounding times the largest coordinate over a column, 1 over 1/16.
 */
static void alike(tulle_ctx *ctx, const char *where) {
    (void)where;
    assert_int_equal(metrics_of(ctx, 1, 0, TULLE_F64), 1);
    assert_int_equal(metrics_of(ctx, 2, 0, TULLE_F64), 2);
    assert_int_equal(metrics_of(ctx, 1, 0x1p-50, TULLE_F64), 1);
    assert_int_equal(metrics_of(ctx, 1, 0x1p-46, TULLE_F64), 3);
    assert_int_equal(metrics_of(ctx, 1, 0x1p-46, TULLE_F32), 1);
    assert_int_equal(metrics_of(ctx, 2, 0x1p-20, TULLE_F32), 4);
}
ONCE_ON_EACH_PLACE(alike)

/* y = A x for a random x, as bits. */
static void *product(tulle_ctx *ctx, tulle_linop *L, int64_t n, int times) {
    tulle_vec *x = NULL, *y = NULL;
    void *bits = calloc((size_t)n + 1, sizeof(double));
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, n, &y));
    must(tulle_vec_random(ctx, x, 5));
    for (int t = 0; t < times; t++) {
        must(tulle_vec_fill(ctx, y, (double)NAN));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
    }
    must(tulle_vec_read(ctx, y, bits, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    return bits;
}

static const char repeated[] = "cylinder-hex:3x2x3,perturb=0.1,shuffle=1";

/* The same bits twice, and as on the CPU with another number of threads, or in another order of the
 * emulator's. */
static void repeats(tulle_ctx *ctx, const char *where) {
    static void *first[2];
    tulle_mesh *mesh = mesh_of(ctx, repeated);
    const tulle_matrix_free_options o = {.diffusion = 1, .reaction = 2, .patch = 10};
    const int64_t n = mesh_info(mesh).nodes;
    tulle_linop *L = NULL;
    must(tulle_linop_matrix_free(ctx, mesh, &o, TULLE_F64, &L));
    void *once = product(ctx, L, n, 1), *twice = product(ctx, L, n, 2);
    assert_memory_equal(once, twice, (size_t)n * sizeof(double));
    void **kept = &first[strncmp(where, "cpu", 3) == 0];
    if (*kept) {
        assert_memory_equal(*kept, once, (size_t)n * sizeof(double));
        free(once);
    } else {
        *kept = once;
    }
    free(twice);
    tulle_linop_destroy(L);
    tulle_mesh_destroy(mesh);
}
static void test_repeats(void **state) {
    (void)state;
    on_each_place(repeats);
}

/* From a graph; and from the second time on nothing is allocated. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mesh *mesh = mesh_of(ctx, repeated);
    const int64_t n = mesh_info(mesh).nodes;
    const size_t bytes = (size_t)n * sizeof(double);
    double *second = malloc(bytes);
    tulle_linop *L = NULL;
    tulle_vec *x = NULL, *y = NULL;
    tulle_memory_usage before, after;
    void *graph = NULL;
    must(tulle_linop_matrix_free(ctx, mesh, NULL, TULLE_F64, &L));
    tulle_mesh_destroy(mesh);
    void *first = product(ctx, L, n, 1);
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_create(ctx, TULLE_F64, n, &y));
    must(tulle_vec_random(ctx, x, 5));
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
    must(tulle_vec_read(ctx, y, second, 0));
    assert_memory_equal(first, second, bytes);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_linop_destroy(L);
    free(first);
    free(second);
}
ONCE_ON_EACH_PLACE(captured)

/* -lap u = 0 on a square whose boundary has u = x: then u = x, by CG with Jacobi's preconditioner.
 */
static void solves(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mesh *mesh = mesh_of(ctx, "box-quad:6x5,perturb=0.2");
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    const int64_t n = a.node_count;
    uint8_t *masked = calloc((size_t)n, 1);
    double *given = calloc((size_t)n, sizeof *given), *u = calloc((size_t)n, sizeof *u);
    double *scale = calloc((size_t)n, sizeof *scale);
    for (int64_t i = 0; i < n; i++) {
        const double *at = a.coordinates + 2 * i;
        masked[i] = at[0] == 0 || at[0] == 1 || at[1] == 0 || at[1] == 1;
        given[i] = masked[i] ? at[0] : 0;
    }
    const tulle_matrix_free_options o = {.diffusion = 1, .masked = masked};
    tulle_linop *A = NULL, *all = NULL, *M = NULL;
    tulle_vec *b = NULL, *g = NULL, *x = NULL;
    tulle_solver *solver = NULL;
    tulle_solver_report report;
    const tulle_solver_options how = {.method = TULLE_CG, .tolerance = 1e-12};
    must(tulle_linop_matrix_free(ctx, mesh, &o, TULLE_F64, &A));
    must(tulle_linop_matrix_free(ctx, mesh, NULL, TULLE_F64, &all));
    must(tulle_linop_jacobi(ctx, A, &M));
    must(tulle_vec_create(ctx, TULLE_F64, n, &b));
    must(tulle_vec_create(ctx, TULLE_F64, n, &g));
    must(tulle_vec_create(ctx, TULLE_F64, n, &x));
    must(tulle_vec_write(ctx, g, given, 0));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(-1), all, g, tulle_num(0), b));
    must(tulle_linop_get_diagonal(ctx, A, x));
    must(tulle_vec_read(ctx, x, scale, 0));
    must(tulle_vec_write(ctx, x, given, 0));
    must(tulle_vec_read(ctx, b, u, 0));
    for (int64_t i = 0; i < n; i++) u[i] = masked[i] ? scale[i] * given[i] : u[i];
    must(tulle_vec_write(ctx, b, u, 0));
    must(tulle_solver_create(ctx, A, M, &how, &solver));
    must(tulle_solver_run(ctx, solver, b, x, &report));
    assert_int_equal(report.outcome, TULLE_CONVERGED);
    assert_true(report.iterations > 2);
    must(tulle_vec_read(ctx, x, u, 0));
    for (int64_t i = 0; i < n; i++) assert_true(fabs(u[i] - a.coordinates[2 * i]) < 1e-10);
    tulle_solver_destroy(solver);
    tulle_vec_destroy(b);
    tulle_vec_destroy(g);
    tulle_vec_destroy(x);
    tulle_linop_destroy(M);
    tulle_linop_destroy(all);
    tulle_linop_destroy(A);
    free(masked);
    free(given);
    free(scale);
    free(u);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(solves)

/* Nodes without cells, and nothing at all. */
static void empty(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const double x[] = {0, 1, 2, 3};
    for (int64_t n = 0; n <= 2; n += 2) {
        const tulle_mesh_block block = {.shape = TULLE_TRIANGLE};
        const tulle_mesh_arrays a = mesh_small(2, n, x, &block, n / 2);
        tulle_mesh *mesh = NULL;
        tulle_linop *L = NULL;
        must(tulle_mesh_create(ctx, &a, &mesh));
        must(tulle_linop_matrix_free(ctx, mesh, NULL, TULLE_F64, &L));
        double *y = product(ctx, L, n, 1);
        for (int64_t i = 0; i < n; i++) assert_true(y[i] == 0);
        free(y);
        tulle_linop_destroy(L);
        tulle_mesh_destroy(mesh);
    }
}
ONCE_ON_EACH_PLACE(empty)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),       cmocka_unit_test(test_threshold),
        cmocka_unit_test(test_described), cmocka_unit_test(test_alike),
        cmocka_unit_test(test_repeats),   cmocka_unit_test(test_captured),
        cmocka_unit_test(test_solves),    cmocka_unit_test(test_empty),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
