/* SPDX-License-Identifier: Apache-2.0 */
/* Diffusion on meshes: all operators as the same matrix; several shapes at once; what is refused,
 * allocated, and captured. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "columns.h"
#include "core/context.h"
#include "counting.h"
#include "diffusion_system.h"
#include "entries.h"
#include "meshes.h"
#include "places.h"

/* A quantity that is not the same everywhere. */
static double growing(const double x[3], int64_t element, void *user) {
    (void)element;
    (void)user;
    return 1 + 0.5 * x[0];
}

/* A x by element matrices in long double, and the sizes that bounds are made of. */
typedef struct {
    long double *y, *size;
} by_elements;

static by_elements multiply(tulle_ctx *ctx, const diffusion_system *s, tulle_type type,
                            const double *x) {
    tulle_diffusion_info info;
    must(tulle_diffusion_describe(s->D, &info));
    uint8_t *masked = malloc((size_t)s->n);
    by_elements r = {calloc((size_t)s->n, sizeof *r.y), calloc((size_t)s->n, sizeof *r.y)};
    assert_true(masked && r.y && r.size);
    must(tulle__copy_wait(ctx, masked, info.masked, (size_t)s->n));
    for (int b = 0; b < info.blocks; b++) {
        const tulle_elements e = info.elements[b];
        const int64_t m = e.nodes, numbers = e.count * m * m;
        tulle_vec *room = NULL;
        tulle_vec_info at;
        int32_t *list = malloc((size_t)(e.count * m) * sizeof *list);
        assert_non_null(list);
        must(tulle__copy_wait(ctx, list, e.list, (size_t)(e.count * m) * sizeof *list));
        must(tulle_vec_create(ctx, type, numbers, &room));
        must(tulle_vec_describe(room, &at));
        must(tulle_diffusion_matrices(ctx, s->D, b, type, at.data));
        double *K = diffusion_read(ctx, room, type, numbers);
        for (int64_t k = 0; k < numbers; k++) {
            const int32_t row = list[k / m], col = list[k / (m * m) * m + k % m];
            if (row != col && (masked[row] || masked[col])) continue;
            r.y[row] += (long double)K[k] * x[col];
            r.size[row] += fabsl((long double)K[k] * x[col]);
        }
        free(K);
        free(list);
        tulle_vec_destroy(room);
    }
    free(masked);
    return r;
}

static void check_operator(tulle_ctx *ctx, tulle_linop *L, tulle_type type, const tulle_vec *x,
                           const by_elements *want, int64_t n, const char *what) {
    enum { TERMS = 8 * 27 + 12 }; /* numbers that come to a row, and a few more roundings */
    tulle_vec *y = NULL;
    must(tulle_vec_create(ctx, type, n, &y));
    must(tulle_linop_apply(ctx, TULLE_N, tulle_num(1), L, x, tulle_num(0), y));
    double *got = diffusion_read(ctx, y, type, n);
    for (int64_t i = 0; i < n; i++) {
        assert_near(got[i], want->y[i],
                    gamma_of(TERMS, type) * want->size[i] + TERMS * least_of(type), what);
    }
    free(got);
    tulle_vec_destroy(y);
}

static void operators_of(tulle_ctx *ctx, const char *spec, tulle_type type) {
    static const tulle_format formats[] = {TULLE_CSR, TULLE_ELL, TULLE_HYB};
    const tulle_condition conditions[] = {
        {.group = "z-min", .value = {.number = 2}},
        {.group = "side", .kind = TULLE_ROBIN, .factor = {.number = 4}},
    };
    static const tulle_quantity k = {.function = growing};
    const tulle_diffusion_problem p = {
        .k = &k, .c = {.number = 0.5}, .condition_count = 2, .conditions = conditions};
    diffusion_system s = diffusion_open(ctx, spec, &p, type);
    tulle_vec *x = NULL;
    must(tulle_vec_create(ctx, type, s.n, &x));
    must(tulle_vec_random(ctx, x, 5));
    double *host = diffusion_read(ctx, x, type, s.n);
    by_elements want = multiply(ctx, &s, type, host);
    for (size_t f = 0; f < sizeof formats / sizeof *formats; f++) {
        tulle_mat *A = NULL;
        tulle_linop *L = NULL;
        must(tulle_mat_convert(ctx, s.A, formats[f], TULLE_I32, 0, &A));
        must(tulle_linop_from_mat(ctx, A, &L));
        check_operator(ctx, L, type, x, &want, s.n, tulle_format_name(formats[f]));
        tulle_linop_destroy(L);
        tulle_mat_destroy(A);
    }
    for (int scatter = TULLE_SCATTER_OWNER; scatter <= TULLE_SCATTER_ATOMIC; scatter++) {
        const tulle_local_options o = {.scatter = (tulle_local_scatter)scatter};
        tulle_linop *L = NULL;
        must(tulle_diffusion_local(ctx, s.D, &o, type, &L));
        check_operator(ctx, L, type, x, &want, s.n, "local");
        tulle_linop_destroy(L);
    }
    free(want.y);
    free(want.size);
    free(host);
    tulle_vec_destroy(x);
    diffusion_close(&s);
}

static void operators(tulle_ctx *ctx, const char *where) {
    static const char *const specs[] = {"cylinder-hex:2x1x2", "cylinder-tet:2x1x2",
                                        "cylinder-hex27:1x1"};
    enum { SPECS = sizeof specs / sizeof *specs };
    for (tulle_type type = TULLE_F32; type <= TULLE_F64; type++) {
        for (int i = 0; i < SPECS; i++) {
            if (is_slow(where) && i != turn_of(where, SPECS)) continue;
            operators_of(ctx, specs[i], type);
        }
    }
}
ONCE_ON_EACH_PLACE(operators)

/* What an ELL matrix holds, by row and column. */
static entries read_sorted(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, 0, &csr));
    entries e = entries_read(ctx, csr);
    entries_sort(&e);
    tulle_mat_destroy(csr);
    return e;
}

/* Both triangles and quadrilaterals, and a node of no cell; A is symmetric bit by bit, and another
 * call makes the same. */
static void mixed_cells(tulle_ctx *ctx, const char *where) {
    static const double x[] = {0, 0, 1, 0, 2, 0.25, 0, 1, 1, 1.25, 2, 1, 5, 5};
    static const int32_t four[] = {0, 1, 4, 3}, three[] = {1, 2, 5, 1, 5, 4};
    const tulle_mesh_block blocks[] = {
        {.shape = TULLE_QUADRILATERAL, .count = 1, .nodes = four},
        {.shape = TULLE_TRIANGLE, .count = 2, .nodes = three},
    };
    static const double k_of[] = {2, 3, 5};
    const tulle_quantity k = {.of_elements = k_of};
    const tulle_mesh_arrays arrays = mesh_small(2, 7, x, blocks, 2);
    const tulle_diffusion_problem p = {.k = &k, .f = {.number = 1}};
    tulle_diffusion_info info;
    (void)where;
    diffusion_system s = {.n = 7};
    must(tulle_mesh_create(ctx, &arrays, &s.mesh));
    must(tulle_diffusion_create(ctx, s.mesh, &p, &s.D));
    must(tulle_diffusion_describe(s.D, &info));
    assert_int_equal(info.given, 1);
    assert_int_equal(info.blocks, 2);
    must(tulle_diffusion_assembly(ctx, s.D, TULLE_ELL, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A));
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    entries A = read_sorted(ctx, s.A), T = entries_copy(&A);
    entries_transpose(&T);
    entries_sort(&T);
    entries_assert_same(&A, &T, "transposed");
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    entries again = read_sorted(ctx, s.A);
    entries_assert_same(&A, &again, "made again");
    for (int64_t i = 0; i < 7; i++) { /* constants are in the null space, but for the loose node */
        long double sum = 0, size = 0;
        for (int64_t e = 0; e < A.nnz; e++) {
            if (A.row[e] != i) continue;
            sum += (long double)A.value[e];
            size += fabsl((long double)A.value[e]);
        }
        assert_near((double)sum, i == 6, 200 * unit_of(TULLE_F64) * size, "row sum");
    }
    entries_free(&again);
    entries_free(&T);
    entries_free(&A);
    diffusion_close(&s);
}
ONCE_ON_EACH_PLACE(mixed_cells)

static double not_a_number(const double x[3], int64_t element, void *user) {
    (void)x;
    (void)user;
    return element == 2 ? (double)NAN : 1;
}

static void errors(tulle_ctx *ctx, const char *where) {
    static const double some[64] = {0};
    static const tulle_quantity bad = {.function = not_a_number};
    const tulle_condition unknown = {.group = "nowhere"}, kind = {.kind = (tulle_condition_kind)7};
    const tulle_condition listed = {.value = {.of_elements = some}};
    const struct {
        const char *mesh;
        tulle_diffusion_problem problem;
        tulle_status want;
    } cases[] = {
        {"box-quad:2", {.condition_count = -1}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.condition_count = 1}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.condition_count = 1, .conditions = &unknown}, TULLE_NOT_FOUND},
        {"box-quad:2", {.condition_count = 1, .conditions = &kind}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.condition_count = 1, .conditions = &listed}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.k = &bad}, TULLE_INVALID_ARGUMENT},
        {"box-quad:2", {.f = {.number = (double)INFINITY}}, TULLE_INVALID_ARGUMENT},
    };
    (void)where;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        tulle_mesh *mesh = mesh_of(ctx, cases[i].mesh);
        tulle_diffusion *D = (tulle_diffusion *)1;
        assert_int_equal(tulle_diffusion_create(ctx, mesh, &cases[i].problem, &D), cases[i].want);
        assert_null(D);
        tulle_mesh_destroy(mesh);
    }
    const tulle_diffusion_problem p = {.condition_count = 0};
    tulle_mesh *square = mesh_of(ctx, "box-quad:2"), *lines = NULL;
    tulle_diffusion *D = NULL;
    must(tulle_mesh_boundary(ctx, square, &lines, NULL));
    assert_int_equal(tulle_diffusion_create(ctx, lines, &p, &D), TULLE_UNSUPPORTED);
    tulle_mesh_destroy(lines);
    tulle_mesh_destroy(square);
    diffusion_system s = diffusion_open(ctx, "box-quad:2", &p, TULLE_F64);
    diffusion_system t = diffusion_open(ctx, "box-quad:3", &p, TULLE_F64);
    double K[16];
    assert_int_equal(tulle_diffusion_values(ctx, s.D, t.S, t.A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_diffusion_values(ctx, s.D, s.S, t.A), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_diffusion_load(ctx, s.D, s.S, t.b), TULLE_SHAPE_MISMATCH);
    assert_int_equal(tulle_diffusion_load(ctx, s.D, t.S, s.b), TULLE_INVALID_ARGUMENT);
    assert_int_equal(tulle_diffusion_matrices(ctx, s.D, 1, TULLE_F64, K), TULLE_INVALID_ARGUMENT);
    diffusion_close(&t);
    diffusion_close(&s);
}
ONCE_ON_EACH_PLACE(errors)

/* From the second time on nothing is allocated; a graph does the same again. */
static void captured(tulle_ctx *ctx, const char *where) {
    const tulle_condition given = {.group = "x-min", .value = {.number = 2}};
    const tulle_diffusion_problem p = {
        .f = {.number = 1}, .condition_count = 1, .conditions = &given};
    diffusion_system s = diffusion_open(ctx, "box-hex:2", &p, TULLE_F64);
    entries before = entries_read(ctx, s.A);
    double *b = diffusion_read(ctx, s.b, TULLE_F64, s.n);
    tulle_memory_usage start, end;
    void *graph = NULL;
    (void)where;
    must(tulle_ctx_memory(ctx, &start));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_begin(&ctx->place));
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    must(tulle_diffusion_load(ctx, s.D, s.S, s.b));
    if (ctx->kind != TULLE_CPU) must(ctx->backend->capture_end(&ctx->place, &graph));
    must(tulle_ctx_memory(ctx, &end));
    assert_int_equal(start.in_use, end.in_use);
    assert_int_equal(start.high, end.high);
    must(tulle_vec_fill(ctx, s.b, 7));
    if (graph) must(ctx->backend->graph_launch(&ctx->place, graph));
    if (!graph) must(tulle_diffusion_load(ctx, s.D, s.S, s.b));
    entries after = entries_read(ctx, s.A);
    double *again = diffusion_read(ctx, s.b, TULLE_F64, s.n);
    entries_assert_same(&before, &after, "again");
    assert_memory_equal(b, again, (size_t)s.n * sizeof *b);
    if (graph) must(ctx->backend->graph_destroy(ctx->place.device, graph));
    free(again);
    free(b);
    entries_free(&after);
    entries_free(&before);
    diffusion_close(&s);
}
ONCE_ON_EACH_PLACE(captured)

/* Fails the n-th allocation; whether nothing gets that far any more. */
static bool fail_once(const char *where, int64_t n) {
    counting c = {0};
    tulle_allocator allocator = counting_allocator(&c);
    tulle_ctx_options options = {.host = &allocator};
    if (is_slow(where)) options.device = &allocator;
    static const tulle_quantity k = {.function = growing};
    const tulle_condition conditions[] = {
        {.group = "x-min", .value = {.function = growing}},
        {.kind = TULLE_ROBIN, .value = {.number = 1}, .factor = {.number = 2}},
    };
    static const tulle_period period = {.from = "y-min", .to = "y-max", .shift = {0, 1, 0}};
    const tulle_diffusion_problem p = {.k = &k,
                                       .condition_count = 2,
                                       .conditions = conditions,
                                       .period_count = 1,
                                       .periods = &period};
    tulle_ctx *ctx = NULL;
    diffusion_system s = {.n = 6};
    must(tulle_ctx_create(where, &options, &ctx));
    s.mesh = mesh_of(ctx, "box-quad:2");
    c.fail_at = c.requests + n;
    tulle_status status = tulle_diffusion_create(ctx, s.mesh, &p, &s.D);
    if (status == TULLE_OK) status = tulle_diffusion_assembly(ctx, s.D, TULLE_CSR, &s.S);
    if (status == TULLE_OK) status = tulle_assembly_matrix(ctx, s.S, TULLE_F64, &s.A);
    if (status == TULLE_OK) status = tulle_vec_create(ctx, TULLE_F64, s.n, &s.b);
    if (status == TULLE_OK) status = tulle_diffusion_load(ctx, s.D, s.S, s.b);
    if (status == TULLE_OK) status = tulle_diffusion_values(ctx, s.D, s.S, s.A);
    const bool done = c.requests < c.fail_at;
    assert_true(status == (done ? TULLE_OK : TULLE_OUT_OF_MEMORY));
    diffusion_close(&s);
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
