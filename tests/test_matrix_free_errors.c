/* SPDX-License-Identifier: Apache-2.0 */
/* Operators that make element matrices anew: what is refused, and memory that is not there. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "counting.h"
#include "meshes.h"
#include "places.h"

static void refuses(tulle_status got, tulle_status wanted, const char *words) {
    assert_int_equal(got, wanted);
    if (!strstr(tulle_last_error()->message, words)) {
        fail_msg("\"%s\" has no \"%s\"", tulle_last_error()->message, words);
    }
}

/* Two triangles, of which the second has these nodes. */
static tulle_mesh *two_triangles(tulle_ctx *ctx, int32_t i, int32_t j, int32_t k) {
    static const double x[] = {0, 0, 1, 0, 0, 1, 1, 1};
    const int32_t list[] = {0, 1, 2, i, j, k};
    const tulle_mesh_block block = {.shape = TULLE_TRIANGLE, .count = 2, .nodes = list};
    const tulle_mesh_arrays a = mesh_small(2, 4, x, &block, 1);
    tulle_mesh *mesh = NULL;
    must(tulle_mesh_create(ctx, &a, &mesh));
    return mesh;
}

static void errors(tulle_ctx *ctx, const char *where) {
    (void)where;
    tulle_linop *L = NULL, *diagonal = NULL;
    tulle_matrix_free_info info;
    tulle_vec *d = NULL;
    static const int32_t wrong[][3] = {{1, 2, 3}, {3, 1, 1}};
    for (int i = 0; i < 2; i++) {
        tulle_mesh *mesh = two_triangles(ctx, wrong[i][0], wrong[i][1], wrong[i][2]);
        refuses(tulle_linop_matrix_free(ctx, mesh, NULL, TULLE_F64, &L), TULLE_INVALID_MESH,
                "cell 1 is turned over");
        assert_int_equal(tulle_last_error()->row, 1);
        assert_null(L);
        tulle_mesh_destroy(mesh);
    }
    tulle_mesh *second = mesh_of(ctx, "box-hex27:1"), *surface = NULL;
    tulle_mesh *mesh = two_triangles(ctx, 1, 3, 2);
    must(tulle_mesh_boundary(ctx, second, &surface, NULL));
    refuses(tulle_linop_matrix_free(ctx, surface, NULL, TULLE_F64, &L), TULLE_UNSUPPORTED,
            "quadrilateral of order 2");
    const tulle_matrix_free_options patch = {.patch = -1}, number = {.diffusion = (double)NAN};
    refuses(tulle_linop_matrix_free(ctx, mesh, &patch, TULLE_F64, &L), TULLE_INVALID_ARGUMENT,
            "patch is -1");
    refuses(tulle_linop_matrix_free(ctx, mesh, &number, TULLE_F64, &L), TULLE_INVALID_ARGUMENT,
            "must be finite");
    must(tulle_vec_create(ctx, TULLE_F64, 9, &d));
    must(tulle_vec_fill(ctx, d, 1));
    must(tulle_linop_diagonal(ctx, d, &diagonal));
    refuses(tulle_linop_matrix_free_describe(diagonal, &info), TULLE_INVALID_ARGUMENT,
            "L is made of diagonal");
    tulle_linop_destroy(diagonal);
    tulle_vec_destroy(d);
    tulle_mesh_destroy(surface);
    tulle_mesh_destroy(second);
    tulle_mesh_destroy(mesh);
}
ONCE_ON_EACH_PLACE(errors)

/* Atomic sums where bits are to repeat. */
static void repeatable(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    const tulle_matrix_free_options o = {.diffusion = 1, .atomic = true};
    tulle_ctx *strict = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create(where, NULL, &strict));
    must(tulle_ctx_set_repeatable(strict, true));
    tulle_mesh *mesh = two_triangles(strict, 1, 3, 2);
    refuses(tulle_linop_matrix_free(strict, mesh, &o, TULLE_F64, &L), TULLE_UNSUPPORTED,
            "do not repeat");
    must(tulle_linop_matrix_free(strict, mesh, NULL, TULLE_F64, &L));
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
    static const uint8_t masked[] = {0, 1, 0, 0};
    static const double numbers[] = {1, 2};
    const tulle_matrix_free_options o = {
        .cell_diffusion = numbers, .cell_reaction = numbers, .masked = masked, .patch = 1};
    tulle_ctx *ctx = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create(where, &options, &ctx));
    tulle_mesh *mesh = two_triangles(ctx, 1, 3, 2);
    c.fail_at = c.requests + n;
    const tulle_status status = tulle_linop_matrix_free(ctx, mesh, &o, TULLE_F64, &L);
    const bool done = c.requests < c.fail_at;
    assert_true(status == TULLE_OK || status == TULLE_OUT_OF_MEMORY);
    assert_true(!done || status == TULLE_OK);
    assert_int_equal(L != NULL, status == TULLE_OK);
    tulle_linop_destroy(L);
    tulle_mesh_destroy(mesh);
    tulle_ctx_destroy(ctx);
    assert_int_equal(c.live, 0);
    return done;
}

static void out_of_memory(tulle_ctx *ctx, const char *where) {
    (void)ctx;
    int64_t n = 1;
    while (!fail_once(where, n)) n++;
    assert_true(n > 20);
}
ONCE_ON_EACH_PLACE(out_of_memory)

/* The diagonal of masked rows takes memory of the cells that there are: a mesh may have as many
 * blocks as cells. */
static void test_little_memory(void **state) {
    (void)state;
    counting c = {0};
    const tulle_allocator allocator = counting_allocator(&c);
    const tulle_ctx_options options = {.host = &allocator, .device = &allocator};
    static const uint8_t masked[8] = {1};
    const tulle_matrix_free_options o = {.diffusion = 1, .masked = masked};
    tulle_ctx *ctx = NULL;
    tulle_linop *L = NULL;
    must(tulle_ctx_create("cpu:1", &options, &ctx));
    tulle_mesh *mesh = mesh_of(ctx, "box-hex:1");
    must(tulle_linop_matrix_free(ctx, mesh, &o, TULLE_F64, &L));
    if (c.most > 200000) fail_msg("one cell takes %lld bytes", (long long)c.most);
    tulle_linop_destroy(L);
    tulle_mesh_destroy(mesh);
    tulle_ctx_destroy(ctx);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_errors),
        cmocka_unit_test(test_repeatable),
        cmocka_unit_test(test_little_memory),
        cmocka_unit_test(test_out_of_memory),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
