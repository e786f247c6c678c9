/* SPDX-License-Identifier: Apache-2.0 */
/* Hexahedra of order 2 without their matrices: they are the matrix of the definition, in units of
 * their bound, and repeat; which cells are affine; what is refused, and what memory does. */
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
#include "meshes.h"
#include "pairwise.h"
#include "places.h"

enum { NODES = TULLE_MESH_MOST_NODES };

static double number_of(int64_t seed) {
    return 0.5 + (double)((uint64_t)seed * UINT64_C(0x9e3779b97f4a7c15) >> 40) * 0x1p-24;
}

/* A problem on a mesh: k, c and the mask where there are any. */
typedef struct {
    tulle_mesh *mesh;
    tulle_mesh_arrays a;
    int64_t n, cells;
    double *k, *c;
    uint8_t *masked;
    tulle_type type;
} problem;

enum { CONSTANT, CELLS, MASSES, COEFFICIENTS };

static problem problem_open(tulle_mesh *mesh, tulle_type type, bool masked, int coefficients) {
    problem p = {.mesh = mesh, .a = mesh_arrays(mesh), .type = type};
    p.n = p.a.node_count;
    p.cells = mesh_info(mesh).cells;
    p.k = calloc((size_t)p.cells, sizeof *p.k);
    p.c = calloc((size_t)p.cells, sizeof *p.c);
    assert_true(p.k && p.c);
    for (int64_t e = 0; e < p.cells; e++) {
        p.k[e] = coefficients == CONSTANT ? 2.5 : number_of(e);
        p.c[e] = coefficients == MASSES ? 3 * number_of(-e) : 0;
    }
    if (masked) {
        p.masked = calloc((size_t)p.n, 1);
        assert_non_null(p.masked);
        for (int64_t i = 0; i < p.n; i++) p.masked[i] = number_of(i) < 0.8;
    }
    return p;
}

static void problem_close(problem *p) {
    tulle_mesh_destroy(p->mesh);
    free(p->k);
    free(p->c);
    free(p->masked);
}

static tulle_linop *make(tulle_ctx *ctx, const problem *p, int coefficients, bool atomic,
                         int64_t patch) {
    const tulle_matrix_free_options o = {.diffusion = coefficients == CONSTANT ? 2.5 : 0,
                                         .cell_diffusion = coefficients == CONSTANT ? NULL : p->k,
                                         .cell_reaction = coefficients == MASSES ? p->c : NULL,
                                         .masked = p->masked,
                                         .atomic = atomic,
                                         .patch = patch};
    tulle_linop *L = NULL;
    must(tulle_linop_matrix_free(ctx, p->mesh, &o, p->type, &L));
    return L;
}

/* A x and the diagonal as they should be, and of each what tulle/fem.h's bound sums up. */
typedef struct {
    long double *y, *size, *diagonal, *own, shape;
} expected;

static bool is_masked(const problem *p, int64_t node) {
    return p->masked && p->masked[node];
}

static void add_cell(const problem *p, const int32_t *nodes, int64_t e, const long double *x,
                     expected *w) {
    const cell_matrix K = cell_matrix_of(&p->a, TULLE_HEXAHEDRON27, nodes);
    const long double k = (long double)p->k[e], c = (long double)p->c[e];
    const long double scale =
        K.V * (k * powl(K.J, K.dimension - 2) * K.q * K.q + c * powl(K.J, K.dimension));
    long double far = 0;
    for (int64_t i = 0; i < p->n * 3; i++) {
        far = fmaxl(far, fabsl((long double)p->a.coordinates[i]));
    }
    w->shape = fmaxl(w->shape, far / K.shortest);
    for (int i = 0; i < NODES; i++) {
        w->diagonal[nodes[i]] += k * K.stiffness[i][i] + c * K.mass[i][i];
        w->own[nodes[i]] += scale;
        for (int j = 0; j < NODES; j++) {
            if (i != j && (is_masked(p, nodes[i]) || is_masked(p, nodes[j]))) continue;
            w->y[nodes[i]] += (k * K.stiffness[i][j] + c * K.mass[i][j]) * x[nodes[j]];
            w->size[nodes[i]] += scale * fabsl(x[nodes[j]]);
        }
    }
}

static expected expected_make(const problem *p, const long double *x) {
    const size_t n = (size_t)p->n;
    expected w = {calloc(n, sizeof *w.y), calloc(n, sizeof *w.y), calloc(n, sizeof *w.y),
                  calloc(n, sizeof *w.y), 0};
    int64_t cell = 0;
    assert_true(w.y && w.size && w.diagonal && w.own);
    for (int64_t b = 0; b < mesh_info(p->mesh).cell_blocks; b++) {
        for (int64_t e = 0; e < p->a.blocks[b].count; e++, cell++) {
            add_cell(p, p->a.blocks[b].nodes + e * NODES, cell, x, &w);
        }
    }
    return w;
}

static void expected_free(expected *w) {
    free(w->y);
    free(w->size);
    free(w->diagonal);
    free(w->own);
}

static long double bound_of(const problem *p, const expected *w, long double mass,
                            long double alpha, long double before) {
    return gamma_of(200 * (1 + w->shape), p->type) * (fabsl(alpha) * mass + fabsl(before)) +
           200 * (1 + fabsl(alpha)) * least_of(p->type);
}

static void check_product(tulle_ctx *ctx, tulle_linop *L, const problem *p, columns *x,
                          const expected *w, double alpha, double beta) {
    columns y = columns_random(p->n, 1, 4, p->type);
    const lie how = {TULLE_ROW_MAJOR, 1, 0};
    placed X = columns_place(ctx, x, p->type, how), Y = columns_place(ctx, &y, p->type, how);
    must(tulle_linop_apply(ctx, TULLE_T, tulle_num(alpha), L, X.X, tulle_num(beta), Y.X));
    columns got = placed_read(ctx, &Y);
    for (int64_t i = 0; i < p->n; i++) {
        const long double before = (long double)beta * y.at[i];
        assert_near(got.at[i], (long double)alpha * w->y[i] + before,
                    bound_of(p, w, w->size[i], (long double)alpha, before), "a number of y");
    }
    columns_free(&y);
    columns_free(&got);
    placed_free(&X);
    placed_free(&Y);
}

static void check_diagonal(tulle_ctx *ctx, tulle_linop *L, const problem *p, const expected *w) {
    tulle_vec *d = NULL;
    double *got = calloc((size_t)p->n, sizeof *got);
    must(tulle_vec_create(ctx, p->type, p->n, &d));
    must(tulle_linop_get_diagonal(ctx, L, d));
    must(tulle_vec_read(ctx, d, got, 0));
    for (int64_t i = 0; i < p->n; i++) {
        const double number = p->type == TULLE_F32 ? (double)((float *)got)[i] : got[i];
        assert_near((long double)number, w->diagonal[i], bound_of(p, w, w->own[i], 1, 0),
                    "a number of the diagonal");
    }
    free(got);
    tulle_vec_destroy(d);
}

/* Affine and not, in order and shuffled, of one cell and of several patches, with edges of three
 * and five cells; and in a row, where a patch has more cells than any of its nodes. */
static const char *const specs[] = {"box-hex27:1",
                                    "box-hex27:3x1x2,size=1x2x0.1,shuffle=1",
                                    "box-hex27:2x2x1,perturb=0.3",
                                    "cylinder-hex27:1x1,shuffle=1",
                                    "box-hex27:6x1x1",
                                    "sheared"};
enum { SPECS = sizeof specs / sizeof *specs };

/* Cells stay affine, and get metrics without zeros. */
static tulle_mesh *sheared_mesh(tulle_ctx *ctx) {
    tulle_mesh *mesh = mesh_of(ctx, "box-hex27:2x1x2"), *made = NULL;
    tulle_mesh_arrays a = mesh_arrays(mesh);
    double *x = calloc((size_t)a.node_count * 3, sizeof *x);
    assert_non_null(x);
    for (int64_t i = 0; i < a.node_count * 3; i++) {
        x[i] = a.coordinates[i] + (i % 3 < 2 ? a.coordinates[i + 1] / 2 : 0) +
               (i % 3 < 1 ? a.coordinates[i + 2] / 4 : 0);
    }
    a.coordinates = x;
    must(tulle_mesh_create(ctx, &a, &made));
    free(x);
    tulle_mesh_destroy(mesh);
    return made;
}

enum { SPEC, TYPE, MASKED, COEFFICIENT, ATOMIC, PATCH, BETA, FACTORS };
static const int64_t patch_of[] = {0, 1, 3};

static void run_case(const int *v, void *user) {
    tulle_ctx *ctx = user;
    const bool sheared = strcmp(specs[v[SPEC]], "sheared") == 0;
    problem p = problem_open(sheared ? sheared_mesh(ctx) : mesh_of(ctx, specs[v[SPEC]]),
                             v[TYPE] ? TULLE_F64 : TULLE_F32, v[MASKED], v[COEFFICIENT]);
    columns x = columns_random(p.n, 1, 3, p.type);
    expected w = expected_make(&p, x.at);
    tulle_linop *L = make(ctx, &p, v[COEFFICIENT], v[ATOMIC], patch_of[v[PATCH]]);
    tulle_linop_info info;
    must(tulle_linop_describe(L, &info));
    assert_int_equal(info.rows, p.n);
    assert_true(info.transposes && info.has_diagonal && info.capturable);
    check_product(ctx, L, &p, &x, &w, v[BETA] ? -0.5 : 1, v[BETA] ? 2 : 0);
    check_diagonal(ctx, L, &p, &w);
    tulle_linop_destroy(L);
    expected_free(&w);
    columns_free(&x);
    problem_close(&p);
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

/* A cell of edge 1 beside x = far, one of whose nodes is off by `off`. */
static int64_t affine_of(tulle_ctx *ctx, double far, int node, double off, tulle_type type) {
    double x[3 * NODES], at[3];
    int32_t list[NODES];
    for (int i = 0; i < NODES; i++) {
        must(tulle_shape_point(TULLE_HEXAHEDRON27, i, at));
        for (int d = 0; d < 3; d++) x[3 * i + d] = (at[d] + 1) / 2 + (d == 0 ? far : 0);
        list[i] = i;
    }
    x[3 * node] += off;
    const tulle_mesh_block block = {.shape = TULLE_HEXAHEDRON27, .count = 1, .nodes = list};
    const tulle_mesh_arrays a = mesh_small(3, NODES, x, &block, 1);
    tulle_mesh *mesh = NULL;
    must(tulle_mesh_create(ctx, &a, &mesh));
    const int64_t affine = describe(ctx, mesh, type, 0).affine;
    tulle_mesh_destroy(mesh);
    return affine;
}

/* Which cells are affine, and how many patches there are. */
static void described(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int node = 0; node < NODES; node += 13) { /* a corner, the middle of an edge, the cell's */
        assert_int_equal(affine_of(ctx, 3, node, 0, TULLE_F64), 1);
        assert_int_equal(affine_of(ctx, 3, node, 0x1p-44, TULLE_F64), 0);
        assert_int_equal(affine_of(ctx, 0, node, 0x1p-28, TULLE_F32), 1);
        assert_int_equal(affine_of(ctx, 0, node, 0x1p-24, TULLE_F32), 0);
    }
    tulle_mesh *mesh = mesh_of(ctx, "box-hex27:4x2x2");
    const tulle_matrix_free_info info = describe(ctx, mesh, TULLE_F64, 8);
    assert_int_equal(info.cells, 16);
    assert_int_equal(info.affine, 16);
    assert_int_equal(info.patches, 2);
    assert_int_equal(info.nodes, 2 * 125);
    assert_int_equal(info.between, 2 * 25);
    assert_true(info.bytes > 0);
    assert_int_equal(describe(ctx, mesh, TULLE_F32, 0).patches, 1);
    assert_int_equal(describe(ctx, mesh, TULLE_F32, 1000).between, 0);
    tulle_mesh_destroy(mesh);
    mesh = mesh_of(ctx, "box-hex27:13x10x1"); /* more cells than a patch may have */
    assert_int_equal(describe(ctx, mesh, TULLE_F64, 1000).patches, 2);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(described)

/* y = A x for a random x, as bits. */
static void *product(tulle_ctx *ctx, tulle_linop *L, int64_t n, int times) {
    tulle_vec *x = NULL, *y = NULL;
    void *bits = calloc((size_t)n, sizeof(double));
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

/* The same bits twice, and as on the CPU with another number of threads, or in another order of the
 * emulator's; from the second time on nothing is allocated. */
static void repeats(tulle_ctx *ctx, const char *where) {
    static void *first[2];
    tulle_mesh *mesh = mesh_of(ctx, "cylinder-hex27:1x1x2,shuffle=1");
    const tulle_matrix_free_options o = {.diffusion = 1, .reaction = 2, .patch = 4};
    const int64_t n = mesh_info(mesh).nodes;
    tulle_linop *L = NULL;
    must(tulle_linop_matrix_free(ctx, mesh, &o, TULLE_F64, &L));
    tulle_mesh_destroy(mesh);
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
}
static void test_repeats(void **state) {
    (void)state;
    on_each_place(repeats);
}

static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_mesh *mesh = mesh_of(ctx, "box-hex27:2x1x1");
    const int64_t n = mesh_info(mesh).nodes;
    tulle_linop *L = NULL;
    tulle_vec *x = NULL, *y = NULL;
    tulle_memory_usage before, after;
    void *graph = NULL;
    double *second = calloc((size_t)n, sizeof *second);
    const tulle_matrix_free_options o = {.diffusion = 1, .patch = 1};
    must(tulle_linop_matrix_free(ctx, mesh, &o, TULLE_F64, &L));
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
    assert_memory_equal(first, second, (size_t)n * sizeof *second);
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_linop_destroy(L);
    free(first);
    free(second);
}
ONCE_ON_EACH_PLACE(captured)

static void refuses(tulle_status got, tulle_status wanted, const char *words) {
    assert_int_equal(got, wanted);
    if (!strstr(tulle_last_error()->message, words)) {
        fail_msg("\"%s\" has no \"%s\"", tulle_last_error()->message, words);
    }
}

/* Two cells: the second is turned over, bent through itself, or has a node twice. */
static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int fault = 0; fault < 3; fault++) {
        tulle_mesh *box = mesh_of(ctx, "box-hex27:1x1x2"), *mesh = NULL;
        tulle_mesh_arrays a = mesh_arrays(box);
        double *x = calloc((size_t)a.node_count * 3, sizeof *x);
        int32_t list[2 * NODES];
        memcpy(x, a.coordinates, (size_t)a.node_count * 3 * sizeof *x);
        memcpy(list, a.blocks[0].nodes, sizeof list);
        if (fault == 0) { /* z counts down, in the affine cell as a whole */
            for (int i = 0; i < NODES; i++) {
                double at[3];
                must(tulle_shape_point(TULLE_HEXAHEDRON27, i, at));
                for (int j = 0; j < NODES; j++) {
                    double other[3];
                    must(tulle_shape_point(TULLE_HEXAHEDRON27, j, other));
                    if (other[0] == at[0] && other[1] == at[1] && other[2] == -at[2]) {
                        list[NODES + i] = a.blocks[0].nodes[NODES + j];
                    }
                }
            }
        } else if (fault == 1) {
            x[3 * list[2 * NODES - 1] + 2] -= 0.3;
        } else {
            list[NODES + 3] = list[NODES + 20];
        }
        const tulle_mesh_block block = {.shape = TULLE_HEXAHEDRON27, .count = 2, .nodes = list};
        const tulle_mesh_arrays made = mesh_small(3, a.node_count, x, &block, 1);
        tulle_linop *L = NULL;
        must(tulle_mesh_create(ctx, &made, &mesh));
        refuses(tulle_linop_matrix_free(ctx, mesh, NULL, TULLE_F64, &L), TULLE_INVALID_MESH,
                "cell 1 is turned over");
        assert_int_equal(tulle_last_error()->row, 1);
        assert_null(L);
        free(x);
        tulle_mesh_destroy(mesh);
        tulle_mesh_destroy(box);
    }
}
ONCE_ON_EACH_PLACE(errors)

static void repeatable(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const tulle_matrix_free_options o = {.diffusion = 1, .atomic = true};
    tulle_ctx *strict = NULL;
    tulle_linop *L = NULL;
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_ctx_create(where, NULL, &strict));
    tulle_mesh *mesh = mesh_of(strict, "box-hex27:1");
    must(tulle_linop_matrix_free(strict, mesh, &o, TULLE_F64, &L));
    must(tulle_vec_create(strict, TULLE_F64, 27, &x));
    must(tulle_vec_create(strict, TULLE_F64, 27, &y));
    must(tulle_ctx_set_repeatable(strict, true));
    refuses(tulle_linop_apply(strict, TULLE_N, tulle_num(1), L, x, tulle_num(0), y),
            TULLE_UNSUPPORTED, "do not repeat");
    refuses(tulle_linop_get_diagonal(strict, L, y), TULLE_UNSUPPORTED, "do not repeat");
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    tulle_linop_destroy(L);
    tulle_mesh_destroy(mesh);
    tulle_ctx_destroy(strict);
}
ONCE_ON_EACH_PLACE(repeatable)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_ctx *ctx = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    problem p = problem_open(mesh_of(ctx, "box-hex27:2x1x1"), TULLE_F64, true, MASSES);
    const tulle_matrix_free_options o = {
        .cell_diffusion = p.k, .cell_reaction = p.c, .masked = p.masked, .patch = 1};
    c.fail_at = c.requests + n;
    const tulle_status status = tulle_linop_matrix_free(ctx, p.mesh, &o, TULLE_F64, &L);
    const bool done = c.requests < c.fail_at;
    assert_true(status == (done ? TULLE_OK : TULLE_OUT_OF_MEMORY));
    tulle_linop_destroy(L);
    problem_close(&p);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 1);
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),           cmocka_unit_test(test_described),
        cmocka_unit_test(test_repeats),       cmocka_unit_test(test_captured),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
