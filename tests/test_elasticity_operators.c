/* SPDX-License-Identifier: Apache-2.0 */
/* Elasticity on meshes: all operators as the same matrix; several shapes at once; what is refused,
 * allocated, and captured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "diffusion_system.h"
#include "elastic_system.h"
#include "meshes.h"
#include "places.h"

/* Young's modulus that is not the same everywhere. */
static double growing(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return 1 + 0.5 * x[0];
}

static const tulle_elastic_condition held_and_sprung[] = {
    {.group = "z-min", .kind = TULLE_DIRICHLET, .value = {{.number = 0.1}}, .free = {false, true}},
    {.group = "side", .kind = TULLE_ROBIN, .factor = {.number = 4}},
};

/* y = L x against the entries of the matrix, in the bound of products by element matrices. */
static void check_operator(tulle_ctx *ctx, tulle_linop *L, const elastic_system *s, tulle_type type,
                           const char *what) {
    enum { TERMS = 8 * 81 + 12 }; /* numbers that come to a row, and a few more roundings */
    entries A = elastic_entries(ctx, s->A);
    tulle_vec *x = NULL, *y = NULL;
    must(tulle_vec_create(ctx, type, s->n, &x));
    must(tulle_vec_create(ctx, type, s->n, &y));
    must(tulle_vec_random(ctx, x, 5));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
    double *given = diffusion_read(ctx, x, type, s->n), *got = diffusion_read(ctx, y, type, s->n);
    long double *want = calloc((size_t)s->n, sizeof *want);
    assert_non_null(want);
    long double scale = 0; /* no element has larger entries than the sum on a diagonal */
    for (int64_t k = 0; k < A.nnz; k++) {
        want[A.row[k]] += (long double)A.value[k] * given[A.col[k]];
        scale = fmaxl(scale, fabsl((long double)A.value[k]));
    }
    for (int64_t i = 0; i < s->n; i++) {
        assert_near(got[i], want[i], gamma_of(TERMS, type) * TERMS * scale, what);
    }
    free(want);
    free(got);
    free(given);
    tulle_vec_destroy(y);
    tulle_vec_destroy(x);
    entries_free(&A);
}

static void operators_of(tulle_ctx *ctx, const char *spec, tulle_type type) {
    static const tulle_format formats[] = {TULLE_BSR, TULLE_ELL};
    const tulle_elasticity_problem p = {.first = {.function = growing},
                                        .second = {.number = 0.2},
                                        .condition_count = 2,
                                        .conditions = held_and_sprung};
    elastic_system s = elastic_open(ctx, spec, &p, TULLE_CSR, type);
    entries want = elastic_entries(ctx, s.A);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        elastic_system other = elastic_open(ctx, spec, &p, formats[f], type);
        entries got = elastic_entries(ctx, other.A);
        entries_assert_same(&got, &want, tulle_format_name(formats[f]));
        entries_free(&got);
        elastic_close(&other);
    }
    entries_free(&want);
    for (int scatter = TULLE_SCATTER_OWNER; scatter <= TULLE_SCATTER_ATOMIC; scatter++) {
        const tulle_local_options o = {.scatter = (tulle_local_scatter)scatter};
        tulle_linop *L = NULL;
        must(tulle_elasticity_local(ctx, s.E, &o, type, &L));
        check_operator(ctx, L, &s, type, "local");
        tulle_linop_destroy(L);
    }
    elastic_close(&s);
}

static void operators(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"cylinder-hex:2x1x1", "cylinder-tet:2x1x1"};
    for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int i = 0; i < 2; i++) {
            if (is_slow(where) && i != turn_of(where, 2)) continue;
            operators_of(ctx, specs[i], type);
        }
    }
}
ONCE_ON_EACH_PLACE(operators)

/* Both triangles and quadrilaterals, and a node of no cell; another call makes the same bits. */
static void mixed_cells(tulle_ctx *ctx, const char *where) {
    static const double x[] = {0, 0, 1, 0, 2, 0.25, 0, 1, 1, 1.25, 2, 1, 5, 5};
    static const int32_t four[] = {0, 1, 4, 3}, three[] = {1, 2, 5, 1, 5, 4};
    const tulle_mesh_block blocks[] = {
        {.shape = TULLE_QUADRILATERAL, .count = 1, .nodes = four},
        {.shape = TULLE_TRIANGLE, .count = 2, .nodes = three},
    };
    static const double young[] = {2, 3, 5};
    const tulle_mesh_arrays arrays = mesh_small(2, 7, x, blocks, 2);
    const tulle_elasticity_problem p = {.first = {.of_elements = young}, .second = {.number = 0.3}};
    tulle_elasticity_info info;
    (void)where;
    elastic_system s = {.n = 14};
    must(tulle_mesh_create(ctx, &arrays, &s.mesh));
    must(tulle_elasticity_create(ctx, s.mesh, &p, &s.E));
    must(tulle_elasticity_describe(s.E, &info));
    assert_int_equal(info.nodes, 7);
    assert_int_equal(info.unknowns, 2);
    assert_int_equal(info.given, 2);
    assert_int_equal(info.blocks, 2);
    must(tulle_elasticity_assembly(ctx, s.E, TULLE_BSR, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A));
    must(tulle_elasticity_values(ctx, s.E, s.S, s.A));
    entries A = elastic_entries(ctx, s.A);
    must(tulle_elasticity_values(ctx, s.E, s.S, s.A));
    entries again = elastic_entries(ctx, s.A);
    entries_assert_same(&A, &again, "made again");
    long double sum[14] = {0}, size[14] = {0};
    for (int64_t e = 0; e < A.nnz; e++) { /* a body that is moved along x */
        if (A.col[e] % 2 == 0) sum[A.row[e]] += (long double)A.value[e];
        size[A.row[e]] += fabsl((long double)A.value[e]);
    }
    for (int i = 0; i < 14; i++) {
        assert_near(sum[i], i == 12, 200 * unit_of(TULLE_F64) * size[i], "row sum");
    }
    entries_free(&again);
    entries_free(&A);
    elastic_close(&s);
}
ONCE_ON_EACH_PLACE(mixed_cells)

static double not_a_number(const double x[3], int64_t element, void *user) {
    (void)x;
    (void)user;
    return element == 2 ? (double)NAN : 1;
}

/* A problem that is refused, and a word of the message. */
typedef struct {
    const char *mesh;
    tulle_elasticity_problem problem;
    tulle_status want;
    const char *said;
} refusal;

static void refused(tulle_ctx *ctx, const tulle_mesh *mesh, const refusal *r) {
    tulle_elasticity *E = (tulle_elasticity *)1;
    assert_int_equal(tulle_elasticity_create(ctx, mesh, &r->problem, &E), r->want);
    assert_null(E);
    if (!strstr(tulle_last_error()->message, r->said)) {
        fail_msg("'%s' lacks '%s'", tulle_last_error()->message, r->said);
    }
}

static void errors(tulle_ctx *ctx, const char *where) {
    static const double some[64] = {0}, half[] = {0.3, 0.3, 0.5, 0.3};
    const tulle_elastic_condition unknown = {.group = "nowhere"},
                                  kind = {.kind = (tulle_condition_kind)7},
                                  listed = {.value = {{0}, {.of_elements = some}}};
    const tulle_quantity one = {.number = 1}, third = {.number = 0.3}, none = {.number = 0};
    const refusal cases[] = {
        {"box-quad:2", {.first = none, .second = third}, TULLE_INVALID_ARGUMENT, "E and nu are 0"},
        {"box-quad:2",
         {.first = one, .second = {.of_elements = half}},
         TULLE_INVALID_ARGUMENT,
         "0.5 in cell 2"},
        {"box-quad:2",
         {.first = one, .second = {.number = -1}},
         TULLE_INVALID_ARGUMENT,
         "between -1 and 1/2"},
        {"box-quad:2",
         {.constants = TULLE_LAME, .first = one, .second = none},
         TULLE_INVALID_ARGUMENT,
         "3 lambda + 2 mu"},
        {"box-quad:2",
         {.constants = TULLE_LAME, .first = {.number = -0.7}, .second = one},
         TULLE_INVALID_ARGUMENT,
         "3 lambda + 2 mu"},
        {"box-quad:2",
         {.constants = (tulle_elastic_constants)2, .first = one, .second = one},
         TULLE_INVALID_ARGUMENT,
         "constants is 2"},
        {"box-quad:2",
         {.first = one, .second = third, .condition_count = -1},
         TULLE_INVALID_ARGUMENT,
         "condition_count"},
        {"box-quad:2",
         {.first = one, .second = third, .condition_count = 1},
         TULLE_INVALID_ARGUMENT,
         "conditions is NULL"},
        {"box-quad:2",
         {.first = one, .second = third, .condition_count = 1, .conditions = &unknown},
         TULLE_NOT_FOUND,
         "there are x-min"},
        {"box-quad:2",
         {.first = one, .second = third, .condition_count = 1, .conditions = &kind},
         TULLE_INVALID_ARGUMENT,
         "condition 0"},
        {"box-quad:2",
         {.first = one, .second = third, .condition_count = 1, .conditions = &listed},
         TULLE_INVALID_ARGUMENT,
         "value[1].of_elements"},
        {"box-quad:2",
         {.first = {.function = not_a_number}, .second = third},
         TULLE_INVALID_ARGUMENT,
         "E is nan in element 2"},
        {"box-quad:2",
         {.first = one, .second = third, .force = {{0}, {.number = (double)INFINITY}}},
         TULLE_INVALID_ARGUMENT,
         "force is inf"},
        {"box-hex27:1", {.first = one, .second = third}, TULLE_UNSUPPORTED, "of order 1"},
    };
    (void)where;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tulle_mesh *mesh = mesh_of(ctx, cases[i].mesh);
        refused(ctx, mesh, &cases[i]);
        tulle_mesh_destroy(mesh);
    }
    static const double x[] = {0, 0, 0, 1, 0, 0, 0, 1, 1};
    static const int32_t three[] = {0, 1, 2};
    const tulle_mesh_block block = {.shape = TULLE_TRIANGLE, .count = 1, .nodes = three};
    const tulle_mesh_arrays arrays = mesh_small(3, 3, x, &block, 1);
    const refusal surface = {
        NULL, {.first = one, .second = third}, TULLE_UNSUPPORTED, "surface in space"};
    tulle_mesh *mesh = NULL;
    must(tulle_mesh_create(ctx, &arrays, &mesh));
    refused(ctx, mesh, &surface);
    tulle_mesh_destroy(mesh);
    const tulle_elasticity_problem p = {.first = one, .second = third};
    elastic_system s = elastic_open(ctx, "box-quad:2", &p, TULLE_BSR, TULLE_F64);
    elastic_system t = elastic_open(ctx, "box-quad:3", &p, TULLE_BSR, TULLE_F64);
    double K[64];
    assert_int_equal(tulle_elasticity_values(ctx, s.E, t.S, t.A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_elasticity_values(ctx, s.E, s.S, t.A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_elasticity_load(ctx, s.E, s.S, t.b), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_elasticity_load(ctx, s.E, t.S, s.b), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_elasticity_matrices(ctx, s.E, 1, TULLE_F64, K), TULLE_INVALID_ARGUMENT);
    elastic_close(&t);
    elastic_close(&s);
}
ONCE_ON_EACH_PLACE(errors)

/* From the second time on nothing is allocated; a graph does the same again. */
static void captured(tulle_ctx *ctx, const char *where) {
    const tulle_elastic_condition given = {.group = "x-min", .value = {{.number = 2}}};
    const tulle_elasticity_problem p = {.first = {.number = 1},
                                        .second = {.number = 0.3},
                                        .force = {{.number = 1}},
                                        .condition_count = 1,
                                        .conditions = &given};
    elastic_system s = elastic_open(ctx, "box-hex:2", &p, TULLE_BSR, TULLE_F64);
    entries before = elastic_entries(ctx, s.A);
    double *b = diffusion_read(ctx, s.b, TULLE_F64, s.n);
    tulle_memory_usage start, end;
    void *graph = NULL;
    (void)where;
    must(tulle_ctx_memory(ctx, &start));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_elasticity_values(ctx, s.E, s.S, s.A));
    must(tulle_elasticity_load(ctx, s.E, s.S, s.b));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_end(&ctx->place, &graph));
    must(tulle_ctx_memory(ctx, &end));
    assert_int_equal(start.in_use, end.in_use);
    must(tulle_vec_fill(ctx, s.b, 7));
    if (graph) must(ctx->backend->graph_launch(&ctx->place, graph));
    if (!graph) must(tulle_elasticity_load(ctx, s.E, s.S, s.b));
    entries after = elastic_entries(ctx, s.A);
    double *again = diffusion_read(ctx, s.b, TULLE_F64, s.n);
    entries_assert_same(&before, &after, "again");
    assert_memory_equal(b, again, (size_t)s.n * sizeof *b);
    if (graph) must(ctx->backend->graph_destroy(ctx->place.device, graph));
    free(again);
    free(b);
    entries_free(&after);
    entries_free(&before);
    elastic_close(&s);
}
ONCE_ON_EACH_PLACE(captured)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    tulle_elastic_condition conditions[] = {
        {.group = "x-min"},
        {.kind = TULLE_ROBIN, .value = {{.number = 1}}, .factor = {.number = 2}},
    };
    conditions[0].value[1].function = growing;
    const tulle_elasticity_problem p = {.first = {.function = growing},
                                        .second = {.number = 0.3},
                                        .condition_count = 2,
                                        .conditions = conditions};
    tulle_ctx *ctx = NULL;
    elastic_system s = {.n = 18};
    must(tulle_ctx_create(where, &options, &ctx));
    s.mesh = mesh_of(ctx, "box-quad:2");
    c.fail_at = c.requests + n;
    tulle_status status = tulle_elasticity_create(ctx, s.mesh, &p, &s.E);
    if (status == TULLE_OK) status = tulle_elasticity_assembly(ctx, s.E, TULLE_BSR, &s.S);
    if (status == TULLE_OK) status = tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, s.n, &s.b);
    if (status == TULLE_OK) status = tulle_elasticity_load(ctx, s.E, s.S, s.b);
    if (status == TULLE_OK) status = tulle_elasticity_values(ctx, s.E, s.S, s.A);
    const bool done = c.requests < c.fail_at;
    assert_true(status == (done ? TULLE_OK : TULLE_OUT_OF_MEMORY));
    elastic_close(&s);
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
        cmocka_unit_test(test_operators),     cmocka_unit_test(test_mixed_cells),
        cmocka_unit_test(test_errors),        cmocka_unit_test(test_captured),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
