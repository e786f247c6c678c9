/* SPDX-License-Identifier: Apache-2.0 */
/* Operators of element matrices: they are the matrices that assembly makes, in units of their
 * bound, whatever the storage and the scatter; what repeats, solves, is refused, and captured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* Before columns, as a parameter is called there. */
#include "fem/patches/patched.h"

#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "element_zoo.h"
#include "pairwise.h"
#include "places.h"

enum { COLUMNS = 2 };

/* All blocks on the host. */
static void hand_over(const element_list *l, const element_arrays *a, tulle_element_data *data) {
    for (int b = 0; b < l->blocks; b++) data[b] = (tulle_element_data){a->K[b], true};
}

static int largest(const element_list *l, const element_case *c) {
    int rows = 0;
    for (int b = 0; b < l->blocks; b++) {
        if (l->block[b].nodes * c->unknowns > rows) rows = l->block[b].nodes * c->unknowns;
    }
    return rows;
}

/* Rows of the matrix as it should be, and of magnitudes: sums of those of element matrices. */
typedef struct {
    const element_reference *r;
    const element_arrays *arrays;
    const element_case *c;
    int rows;
    bool narrow;
} expected;

static long double size_at(const element_reference *r, int64_t at) {
    return r->terms[at] > 0 ? r->size[at] : fabsl(r->sum[at]);
}

static long double bound_of(const expected *e, int64_t i, long double mass, long double alpha,
                            long double before) {
    const long double terms = (long double)e->rows + (long double)e->r->b_terms[i] + 4;
    const long double rounded = e->narrow ? unit_of(TULLE_F32) * fabsl(alpha) * mass : 0;
    const long double products = (long double)e->rows * (long double)e->r->b_terms[i] + 4;
    return gamma_of(terms, e->c->type) * (fabsl(alpha) * mass + fabsl(before)) + 2 * rounded +
           products * (1 + fabsl(alpha)) * least_of(e->c->type);
}

static void check_apply(tulle_ctx *ctx, tulle_linop *L, const expected *e, tulle_trans op,
                        double alpha, double beta) {
    const element_reference *r = e->r;
    const tulle_type type = e->c->type;
    columns x = columns_random(r->n, COLUMNS, 3, type), y = columns_random(r->n, COLUMNS, 4, type);
    const lie how = {TULLE_ROW_MAJOR, 1, 0};
    placed X = columns_place(ctx, &x, type, how), Y = columns_place(ctx, &y, type, how);
    must(tulle_linop_apply(ctx, op, tulle_num(alpha), L, X.X, tulle_num(beta), Y.X));
    columns got = placed_read(ctx, &Y);
    for (int64_t c = 0; c < COLUMNS; c++) {
        for (int64_t i = 0; i < r->n; i++) {
            long double sum = 0, mass = 0;
            for (int64_t j = 0; j < r->n; j++) {
                const int64_t at = op == TULLE_N ? i * r->n + j : j * r->n + i;
                sum += r->sum[at] * x.at[c * r->n + j];
                mass += size_at(r, at) * fabsl(x.at[c * r->n + j]);
            }
            const long double before = (long double)beta * y.at[c * r->n + i];
            assert_near(got.at[c * r->n + i], (long double)alpha * sum + before,
                        bound_of(e, i, mass, (long double)alpha, before), "a number of y");
        }
    }
    columns_free(&x);
    columns_free(&y);
    columns_free(&got);
    placed_free(&X);
    placed_free(&Y);
}

static void check_diagonal(tulle_ctx *ctx, tulle_linop *L, const expected *e) {
    const element_reference *r = e->r;
    tulle_vec *d = NULL;
    double *got = calloc((size_t)r->n + 1, sizeof *got);
    must(tulle_vec_create(ctx, e->c->type, r->n, &d));
    must(tulle_linop_get_diagonal(ctx, L, d));
    must(tulle_vec_read(ctx, d, got, 0));
    for (int64_t i = 0; i < r->n; i++) {
        const int64_t at = i * r->n + i;
        const double number = e->c->type == TULLE_F32 ? (double)((float *)got)[i] : got[i];
        assert_near((long double)number, r->sum[at], bound_of(e, i, size_at(r, at), 1, 0),
                    "a number of the diagonal");
    }
    free(got);
    tulle_vec_destroy(d);
}

enum { LIST, UNKNOWNS, LAYOUT, GAP, TYPE, NARROW, SYMMETRIC, MASKED, SCATTER, BETA, FACTORS };
static const int unknowns_of[] = {1, 2, 3, 6};

/* Ways to add up, and the first one where it is told that patches pay. */
enum { PAYING = TULLE_SCATTER_PATCHES + 1, SCATTERS };
enum { OFTEN = 19000 };

static bool has_twice(const int64_t *nodes, int count) {
    for (int i = 0; i < count; i++) {
        for (int j = 0; j < i; j++) {
            if (nodes[i] == nodes[j] && nodes[i] >= 0) return true;
        }
    }
    return false;
}

/* Whether patches can be had. */
static bool has_patches(const element_list *l, int unknowns) {
    for (int b = 0; b < l->blocks; b++) {
        const int nodes = l->block[b].nodes, rows = nodes * unknowns;
        if (l->block[b].count == 0) continue;
        if (rows != 3 && rows != 4 && rows != 8) return false;
        for (int64_t e = 0; e < l->block[b].count; e++) {
            if (has_twice(l->block[b].list + e * nodes, nodes)) return false;
        }
    }
    return true;
}

static void check_all(tulle_ctx *ctx, tulle_linop *L, const expected *e, double beta) {
    check_apply(ctx, L, e, TULLE_N, 1, beta);
    check_apply(ctx, L, e, TULLE_T, -0.5, beta);
    check_diagonal(ctx, L, e);
}

static void run_case(const int *v, void *user) {
    tulle_ctx *ctx = user;
    element_list l = element_zoo_make(v[LIST]);
    const element_case c = {.unknowns = unknowns_of[v[UNKNOWNS]],
                            .index = v[GAP] ? TULLE_I64 : TULLE_I32,
                            .layout = v[LAYOUT] ? TULLE_INTERLEAVED : TULLE_ELEMENT_MAJOR,
                            .gap = v[GAP] ? 5 : 0,
                            .type = v[TYPE] ? TULLE_F64 : TULLE_F32,
                            .masked = v[MASKED],
                            .symmetric = v[SYMMETRIC],
                            .seed = 19};
    element_case again = c;
    again.seed = 23;
    element_arrays a = element_arrays_make(&l, &c), other = element_arrays_make(&l, &again);
    if (a.masked) memcpy(other.masked, a.masked, (size_t)a.unknowns);
    element_reference r = element_reference_make(&l, &a, &c, false);
    element_reference s = element_reference_make(&l, &other, &again, false);
    tulle_element_data K[ELEMENT_ZOO_BLOCKS], K2[ELEMENT_ZOO_BLOCKS];
    const tulle_local_options options = {
        .unknowns = c.unknowns,
        .masked = a.masked,
        .scatter = v[SCATTER] == PAYING ? TULLE_SCATTER_OWNER : (tulle_local_scatter)v[SCATTER],
        .symmetric = c.symmetric,
        .narrow = v[NARROW],
        .expected_calls = v[SCATTER] == PAYING ? OFTEN : 0,
        .patch = v[GAP] ? 3 : 0};
    const bool refused =
        v[SCATTER] == TULLE_SCATTER_PATCHES && !has_patches(&l, unknowns_of[v[UNKNOWNS]]);
    expected e = {&r, &a, &c, largest(&l, &c), v[NARROW]};
    tulle_linop *L = NULL;
    tulle_linop_info info;
    hand_over(&l, &a, K);
    hand_over(&l, &other, K2);
    const tulle_status status =
        tulle_linop_local(ctx, l.nodes, l.blocks, a.elements, &options, c.type, K, &L);
    assert_int_equal(status, refused ? TULLE_UNSUPPORTED : TULLE_OK);
    if (!refused) {
        must(tulle_linop_describe(L, &info));
        assert_int_equal(info.rows, r.n);
        assert_true(info.transposes && info.has_diagonal && info.capturable);
        check_all(ctx, L, &e, v[BETA] ? 2 : 0);
        must(tulle_linop_local_values(ctx, L, K2));
        e.r = &s;
        check_all(ctx, L, &e, 0);
        tulle_linop_destroy(L);
    }
    element_reference_free(&r);
    element_reference_free(&s);
    element_arrays_free(&a);
    element_arrays_free(&other);
    element_zoo_free(&l);
}

static void zoo(tulle_ctx *ctx, const char *where) {
    (void)where;
    const int levels[FACTORS] = {element_zoo_count(), 4, 2, 2, 2, 2, 2, 2, SCATTERS, 2};
    pairwise(FACTORS, levels, run_case, ctx);
}
static void test_zoo(void **state) {
    (void)state;
    on_each_place(zoo);
}

/* Matrices and the operators of a mesh of quadrilaterals, symmetric and definite. */
typedef struct {
    element_list l;
    element_case c;
    element_arrays a;
    tulle_element_data K[ELEMENT_ZOO_BLOCKS];
    tulle_linop *L;
} mesh;

static mesh mesh_make(tulle_ctx *ctx, const tulle_local_options *how) {
    mesh m = {
        .c = {.unknowns = 2, .type = TULLE_F64, .masked = true, .symmetric = true, .seed = 29}};
    int i = 0;
    do {
        m.l = element_zoo_make(i);
        if (strcmp(m.l.name, "quads") == 0) break;
        element_zoo_free(&m.l);
    } while (++i < element_zoo_count());
    assert_true(i < element_zoo_count());
    m.a = element_arrays_make(&m.l, &m.c);
    hand_over(&m.l, &m.a, m.K);
    tulle_local_options options = *how;
    options.unknowns = 2;
    options.masked = m.a.masked;
    must(
        tulle_linop_local(ctx, m.l.nodes, m.l.blocks, m.a.elements, &options, m.c.type, m.K, &m.L));
    return m;
}

static void mesh_free(mesh *m) {
    tulle_linop_destroy(m->L);
    element_arrays_free(&m->a);
    element_zoo_free(&m->l);
}

/* CG with Jacobi's preconditioner on the operator; the assembled matrix says that it is solved. */
static void solves(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int scatter = TULLE_SCATTER_OWNER; scatter <= TULLE_SCATTER_PATCHES; scatter++) {
        mesh m = mesh_make(ctx, &(tulle_local_options){.scatter = (tulle_local_scatter)scatter,
                                                       .symmetric = true});
        const tulle_assembly_options options = {.unknowns = 2, .masked = m.a.masked};
        tulle_assembly *S = NULL;
        tulle_mat *A = NULL;
        tulle_linop *M = NULL, *assembled = NULL;
        tulle_vec *b = NULL, *x = NULL, *r = NULL;
        tulle_solver *solver = NULL;
        tulle_solver_report report;
        const tulle_solver_options o = {.method = TULLE_CG, .tolerance = 1e-10};
        double left = 1, all = 0;
        must(tulle_assembly_create(ctx, m.l.nodes, m.l.blocks, m.a.elements, &options, &S));
        must(tulle_assembly_matrix(ctx, S, TULLE_F64, &A));
        must(tulle_assembly_values(ctx, S, m.K, tulle_num(0), A));
        must(tulle_linop_from_mat(ctx, A, &assembled));
        must(tulle_linop_jacobi(ctx, m.L, &M));
        must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &b));
        must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &x));
        must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &r));
        must(tulle_vec_random(ctx, b, 7));
        must(tulle_solver_create(ctx, m.L, M, &o, &solver));
        must(tulle_solver_run(ctx, solver, b, x, &report));
        assert_int_equal(report.outcome, TULLE_CONVERGED);
        assert_true(report.iterations > 2);
        must(tulle_vec_copy(ctx, b, r));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(-1), assembled, x, tulle_num(1), r));
        must(tulle_vec_norm2(ctx, r, tulle_to_num(&left)));
        must(tulle_vec_norm2(ctx, b, tulle_to_num(&all)));
        assert_true(left <= 2e-10 * all);
        tulle_solver_destroy(solver);
        tulle_vec_destroy(b);
        tulle_vec_destroy(x);
        tulle_vec_destroy(r);
        tulle_linop_destroy(M);
        tulle_linop_destroy(assembled);
        tulle_mat_destroy(A);
        tulle_assembly_destroy(S);
        mesh_free(&m);
    }
}
ONCE_ON_EACH_PLACE(solves)

/* A x, whose bits say in which order it was added up. */
static double *product_of(tulle_ctx *ctx, const tulle_local_options *how) {
    mesh m = mesh_make(ctx, how);
    tulle_vec *x = NULL, *y = NULL;
    double *numbers = calloc((size_t)m.a.unknowns, sizeof *numbers);
    assert_non_null(numbers);
    must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &x));
    must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &y));
    must(tulle_vec_random(ctx, x, 5));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), m.L, x, tulle_num(0), y));
    must(tulle_vec_read(ctx, y, numbers, 0));
    tulle_vec_destroy(x);
    tulle_vec_destroy(y);
    mesh_free(&m);
    return numbers;
}

/* Patches are taken where they pay: on a GPU, for packed matrices, from so many products on. */
static void pays(tulle_ctx *ctx, const char *where) {
    (void)where;
    const tulle_local_options seldom = {.symmetric = true, .expected_calls = OFTEN - 1},
                              many = {.symmetric = true, .expected_calls = OFTEN},
                              asked = {.symmetric = true, .scatter = TULLE_SCATTER_PATCHES},
                              whole = {.expected_calls = 0},
                              whole_often = {.expected_calls = INT64_MAX};
    mesh m = mesh_make(ctx, &seldom);
    const size_t bytes = (size_t)m.a.unknowns * sizeof(double);
    double *products = product_of(ctx, &seldom), *often = product_of(ctx, &many);
    double *patched = product_of(ctx, &asked);
    double *full = product_of(ctx, &whole), *full_often = product_of(ctx, &whole_often);
    assert_memory_not_equal(products, patched, bytes);
    assert_memory_equal(often, ctx->kind == TULLE_CPU ? products : patched, bytes);
    assert_memory_equal(full_often, full, bytes);
    free(products);
    free(often);
    free(patched);
    free(full);
    free(full_often);
    mesh_free(&m);
}
ONCE_ON_EACH_PLACE(pays)

/* Twice the same bits; from the second time on nothing is allocated; and from a graph. */
static void captured(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int scatter = TULLE_SCATTER_OWNER; scatter <= TULLE_SCATTER_PATCHES; scatter++) {
        if (scatter == TULLE_SCATTER_ATOMIC) continue;
        mesh m = mesh_make(
            ctx, &(tulle_local_options){
                     .scatter = (tulle_local_scatter)scatter, .symmetric = true, .narrow = true});
        const size_t bytes = (size_t)m.a.unknowns * sizeof(double);
        double *first = malloc(bytes), *second = malloc(bytes);
        tulle_vec *x = NULL, *y = NULL;
        tulle_memory_usage before, after;
        void *graph = NULL;
        must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &x));
        must(tulle_vec_create(ctx, TULLE_F64, m.a.unknowns, &y));
        must(tulle_vec_random(ctx, x, 5));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), m.L, x, tulle_num(0), y));
        must(tulle_vec_read(ctx, y, first, 0));
        must(tulle_vec_fill(ctx, y, (double)NAN));
        must(tulle_ctx_memory(ctx, &before));
        if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_begin(&ctx->place));
        must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), m.L, x, tulle_num(0), y));
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
        free(first);
        free(second);
        mesh_free(&m);
    }
}
ONCE_ON_EACH_PLACE(captured)

/* A strip of quadrilaterals, and triangles that stand on it: in patches, of which there are several
 * of each, and node by node shared by both. Numbers are small integers, so that sums are exact. */
enum { STRIP = 1200, LINE = STRIP + 1 };

static double *strip_product(tulle_ctx *ctx, tulle_local_scatter scatter, tulle_trans op) {
    const int64_t n = (int64_t)3 * LINE;
    int32_t *quads = calloc((size_t)STRIP * 4, sizeof *quads);
    int32_t *triangles = calloc((size_t)STRIP * 3, sizeof *triangles);
    double *numbers = calloc((size_t)STRIP * 16, sizeof *numbers);
    double *x = calloc((size_t)n, sizeof *x), *y = calloc((size_t)n, sizeof *y);
    uint8_t *masked = calloc((size_t)n, 1);
    assert_true(quads && triangles && numbers && x && y && masked);
    for (int32_t k = 0; k < STRIP; k++) {
        const int32_t e = k * 7 % STRIP; /* neighbours lie apart */
        const int32_t quad[] = {e, e + 1, LINE + e + 1, LINE + e};
        const int32_t triangle[] = {e + 1, e, e % 7 == 0 ? -1 : 2 * LINE + e};
        memcpy(quads + (size_t)k * 4, quad, sizeof quad);
        memcpy(triangles + (size_t)k * 3, triangle, sizeof triangle);
    }
    for (int k = 0; k < STRIP * 16; k++) numbers[k] = k * 7 % 11 - 5;
    for (int64_t i = 0; i < n; i++) {
        x[i] = (double)(i * 5 % 13 - 6);
        masked[i] = i % 9 == 0;
    }
    const tulle_elements blocks[] = {{.count = STRIP, .nodes = 4, .list = quads},
                                     {.count = STRIP, .nodes = 3, .list = triangles}};
    const tulle_element_data K[] = {{numbers, true}, {numbers, true}};
    const tulle_local_options o = {.scatter = scatter, .masked = masked, .patch = 600};
    tulle_linop *L = NULL;
    tulle_vec *X = NULL, *Y = NULL;
    must(tulle_linop_local(ctx, n, 2, blocks, &o, TULLE_F64, K, &L));
    must(tulle_vec_create(ctx, TULLE_F64, n, &X));
    must(tulle_vec_create(ctx, TULLE_F64, n, &Y));
    must(tulle_vec_write(ctx, X, x, 0));
    must(tulle_vec_fill(ctx, Y, (double)NAN));
    must(tulle_linop_apply(ctx, op, tulle_num(2), L, X, tulle_num(0), Y));
    must(tulle_linop_apply(ctx, op, tulle_num(1), L, X, tulle_num(3), Y));
    must(tulle_vec_read(ctx, Y, y, 0));
    tulle_vec_destroy(X);
    tulle_vec_destroy(Y);
    tulle_linop_destroy(L);
    free(quads);
    free(triangles);
    free(numbers);
    free(x);
    free(masked);
    return y;
}

static void strip(tulle_ctx *ctx, const char *where) {
    (void)where;
    for (int t = 0; t < 2; t++) {
        const tulle_trans op = t ? TULLE_T : TULLE_N;
        double *patched = strip_product(ctx, TULLE_SCATTER_PATCHES, op);
        double *coloured = strip_product(ctx, TULLE_SCATTER_COLOURS, op);
        assert_memory_equal(patched, coloured, 3 * LINE * sizeof *patched);
        free(patched);
        free(coloured);
    }
}
ONCE_ON_EACH_PLACE(strip)

/* Nodes of a box of so many hexahedra along each edge, which come in any order. */
static int32_t *box_list(int edge) {
    const int side = edge + 1, count = edge * edge * edge;
    int32_t *list = calloc((size_t)count * 8, sizeof *list);
    assert_non_null(list);
    for (int k = 0; k < count; k++) {
        const int e = (int)((int64_t)k * 1009 % count);
        const int x = e % edge, y = e / edge % edge, z = e / (edge * edge);
        for (int i = 0; i < 8; i++) {
            const int u = x + ((i & 1) ^ (i >> 1 & 1)), v = y + (i >> 1 & 1), w = z + (i >> 2);
            list[k * 8 + i] = (w * side + v) * side + u;
        }
    }
    return list;
}

/* Where the elements of a patch are is known by their nodes alone; and what is masked or left out
 * keeps none of them from the step that others are in. */
static void patches(tulle_ctx *ctx, const char *where) {
    enum { EDGE = 16, COUNT = EDGE * EDGE * EDGE, NODES = (EDGE + 1) * (EDGE + 1) * (EDGE + 1) };
    const int64_t list_bytes = (int64_t)COUNT * 8 * (int64_t)sizeof(int32_t);
    int32_t *list = box_list(EDGE);
    uint8_t *masked = calloc(NODES, 1);
    void *device_list = NULL, *device_masked = NULL;
    tulle__patched p = {.blocks = 0};
    bool there = false;
    (void)where;
    assert_non_null(masked);
    for (int i = 0; i < NODES; i++) masked[i] = i < NODES / 2;
    for (int k = 0; k < COUNT * 8; k += 24) list[k] = -1;
    must(tulle__alloc(ctx, (size_t)list_bytes, &device_list));
    must(tulle__alloc(ctx, NODES, &device_masked));
    must(tulle__copy_wait(ctx, device_list, list, (size_t)list_bytes));
    must(tulle__copy_wait(ctx, device_masked, masked, NODES));
    const struct tulle_assembly places = {
        .points = NODES,
        .masked = device_masked,
        .parts = {.count = 1, .block[0] = {.count = COUNT, .points = 8, .list = device_list}}};
    must(tulle__local_patches_open(ctx, &places, TULLE_F64, 512, &p, &there));
    assert_true(there);
    assert_int_equal(p.block[0].patches.count, 8);
    /* Cubes of edges of 8 have 729 nodes each, besides 1366 places that are left out; eight colours
     * are as many steps, and some more where patches are no cubes. */
    assert_in_range(p.block[0].patches.nodes - (COUNT + 2) / 3, 1, 8 * 729 * 3 / 2);
    assert_in_range(p.block[0].patches.steps, 8, 8 * 24);
    tulle__patched_close(ctx, &p);
    tulle__free(ctx, device_masked);
    tulle__free(ctx, device_list);
    free(masked);
    free(list);
}
ONCE_ON_EACH_PLACE(patches)

static void refuses(tulle_status got, tulle_status wanted, const char *words) {
    assert_int_equal(got, wanted);
    if (!strstr(tulle_last_error()->message, words)) {
        fail_msg("\"%s\" has no \"%s\"", tulle_last_error()->message, words);
    }
}

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    static const int32_t list[] = {0, 1, 2, 1, 4, 3};
    const double numbers[18] = {0};
    const tulle_element_data K = {numbers, true}, none = {NULL, true};
    tulle_elements e = {.count = 2, .nodes = 3, .list = list};
    tulle_local_options o = {.scatter = (tulle_local_scatter)4};
    tulle_linop *L = NULL, *diagonal = NULL;
    tulle_vec *d = NULL;
    refuses(tulle_linop_local(ctx, 4, 1, &e, NULL, TULLE_F64, &K, &L), TULLE_INVALID_ARGUMENT,
            "node 1 of element 1 is 4");
    assert_null(L);
    refuses(tulle_linop_local(ctx, 9, 1, &e, &o, TULLE_F64, &K, &L), TULLE_INVALID_ARGUMENT,
            "scatter is 4");
    refuses(tulle_linop_local(ctx, 9, 1, &e, NULL, TULLE_F64, &none, &L), TULLE_INVALID_ARGUMENT,
            "K[0].values is NULL");
    o = (tulle_local_options){.patch = -1};
    refuses(tulle_linop_local(ctx, 9, 1, &e, &o, TULLE_F64, &K, &L), TULLE_INVALID_ARGUMENT,
            "options.patch is -1");
    o = (tulle_local_options){.scatter = TULLE_SCATTER_PATCHES, .unknowns = 2};
    refuses(tulle_linop_local(ctx, 9, 1, &e, &o, TULLE_F64, &K, &L), TULLE_UNSUPPORTED,
            "3, 4 or 8 rows");
    e.nodes = 385;
    refuses(tulle_linop_local(ctx, 9, 1, &e, NULL, TULLE_F64, &K, &L), TULLE_INVALID_ARGUMENT,
            "385 rows");
    e.nodes = 3;
    must(tulle_vec_create(ctx, TULLE_F64, 9, &d));
    must(tulle_vec_fill(ctx, d, 1));
    must(tulle_linop_diagonal(ctx, d, &diagonal));
    refuses(tulle_linop_local_values(ctx, diagonal, &K), TULLE_INVALID_ARGUMENT,
            "L is made of diagonal");
    tulle_linop_destroy(diagonal);
    tulle_vec_destroy(d);
}
ONCE_ON_EACH_PLACE(errors)

/* Atomic sums where bits are to repeat. */
static void repeatable(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    static const int32_t list[] = {0, 1, 2, 1, 2, 3};
    const double numbers[18] = {0};
    const tulle_element_data K = {numbers, true};
    const tulle_elements e = {.count = 2, .nodes = 3, .list = list};
    const tulle_local_options o = {.scatter = TULLE_SCATTER_ATOMIC};
    tulle_ctx *strict = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create(where, NULL, &strict));
    must(tulle_ctx_set_repeatable(strict, true));
    refuses(tulle_linop_local(strict, 4, 1, &e, &o, TULLE_F64, &K, &L), TULLE_UNSUPPORTED,
            "does not repeat");
    must(tulle_linop_local(strict, 4, 1, &e, NULL, TULLE_F64, &K, &L));
    tulle_linop_destroy(L);
    tulle_ctx_destroy(strict);
}
ONCE_ON_EACH_PLACE(repeatable)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, tulle_local_scatter scatter, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    static const int32_t list[] = {0, 1, 2, 1, 2, 3};
    static const uint8_t masked[] = {0, 1, 0, 0};
    const tulle_elements e = {.count = 2, .nodes = 3, .list = list};
    const tulle_local_options o = {.masked = masked, .scatter = scatter};
    const double numbers[18] = {1};
    const tulle_element_data K = {numbers, true};
    tulle_ctx *ctx = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    c.fail_at = c.requests + n;
    const tulle_status status = tulle_linop_local(ctx, 4, 1, &e, &o, TULLE_F64, &K, &L);
    const bool done = c.requests < c.fail_at;
    assert_true(status == TULLE_OK || status == TULLE_OUT_OF_MEMORY);
    assert_true(!done || status == TULLE_OK);
    assert_int_equal(L != NULL, status == TULLE_OK);
    tulle_linop_destroy(L);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    for (int scatter = TULLE_SCATTER_OWNER; scatter <= TULLE_SCATTER_PATCHES; scatter++) {
        int64_t n = 1;
        while (!fail_once(where, (tulle_local_scatter)scatter, n)) n++;
        assert_true(n > 1);
    }
}
ONCE_ON_EACH_PLACE(out_of_memory)

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_zoo),           cmocka_unit_test(test_strip),
        cmocka_unit_test(test_patches),       cmocka_unit_test(test_solves),
        cmocka_unit_test(test_pays),          cmocka_unit_test(test_captured),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
