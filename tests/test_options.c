/* SPDX-License-Identifier: Apache-2.0 */
/* Options of programs that were compiled with other versions of the headers: structs that are
 * longer, whose tail is zero or is not, and structs that are shorter. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "io_help.h"
#include "meshes.h"
#include "places.h"
#include "tulle/mesh_io.h"
#include "tulle/tulle.h"

/* What functions with options are called with. */
typedef struct {
    tulle_ctx *ctx;
    const char *where;
    tulle_mat *A;
    tulle_linop *L;
    tulle_mesh *mesh;
    tulle_diffusion *D;
    tulle_elasticity *E;
    tulle_elements elements;
    tulle_uniform *P;
    tulle_vec *values, *b, *x;
} world;

typedef tulle_status call_fn(const world *w, const void *options, size_t size);

static const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
static const double numbers[] = {2, 4};

static tulle_status end_mat(tulle_status status, tulle_mat *made) {
    assert_true((status == TULLE_OK) == (made != NULL));
    tulle_mat_destroy(made);
    return status;
}

static tulle_status end_linop(tulle_status status, tulle_linop *made) {
    assert_true((status == TULLE_OK) == (made != NULL));
    tulle_linop_destroy(made);
    return status;
}

static tulle_status make_ctx(const world *w, const void *options, size_t size) {
    tulle_ctx *made = NULL;
    const tulle_status status = tulle_ctx_create_sized(w->where, options, size, &made);
    tulle_ctx_destroy(made);
    return status;
}

static tulle_status make_csr(const world *w, const void *options, size_t size) {
    tulle_mat *made = NULL;
    const tulle_status status = tulle_mat_create_csr_sized(
        w->ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, numbers, options, size, &made);
    return end_mat(status, made);
}

static tulle_status make_coo(const world *w, const void *options, size_t size) {
    tulle_mat *made = NULL;
    const tulle_status status = tulle_mat_create_coo_sized(
        w->ctx, 2, 2, 2, TULLE_I32, columns, columns, TULLE_F64, numbers, options, size, &made);
    return end_mat(status, made);
}

static tulle_status make_mat(const world *w, const void *options, size_t size) {
    const tulle_storage storage = {.stored = 2};
    const tulle_mat_arrays arrays = {.offsets = offsets, .cols = columns, .values = numbers};
    tulle_mat *made = NULL;
    const tulle_status status = tulle_mat_create_sized(w->ctx, 2, 2, TULLE_CSR, &storage, TULLE_I32,
                                                       &arrays, TULLE_F64, options, size, &made);
    return end_mat(status, made);
}

static tulle_status convert(const world *w, const void *options, size_t size) {
    tulle_mat *made = NULL;
    const tulle_status status =
        tulle_mat_convert_with_sized(w->ctx, w->A, TULLE_ELL, TULLE_I32, options, size, &made);
    return end_mat(status, made);
}

static tulle_status optimize(const world *w, const void *options, size_t size) {
    return tulle_mat_optimize_with_sized(w->ctx, TULLE_N, w->A, options, size, NULL);
}

static tulle_status add(const world *w, const void *options, size_t size) {
    tulle_mat *made = NULL;
    const tulle_status status = tulle_add_sized(w->ctx, TULLE_N, TULLE_N, tulle_num(1), w->A,
                                                tulle_num(1), w->A, options, size, NULL, &made);
    return end_mat(status, made);
}

static tulle_status multiply(const world *w, const void *options, size_t size) {
    tulle_mat *made = NULL;
    const tulle_status status = tulle_spgemm_sized(w->ctx, TULLE_N, TULLE_N, tulle_num(1), w->A,
                                                   w->A, options, size, NULL, &made);
    return end_mat(status, made);
}

static tulle_status multiply_thrice(const world *w, const void *options, size_t size) {
    tulle_mat *made = NULL;
    const tulle_status status =
        tulle_spgemm_galerkin_sized(w->ctx, tulle_num(1), w->A, w->A, options, size, NULL, &made);
    return end_mat(status, made);
}

static tulle_status forecast(const world *w, const void *options, size_t size) {
    tulle_spgemm_bounds bounds;
    return tulle_spgemm_forecast_sized(w->ctx, TULLE_N, TULLE_N, w->A, w->A, options, size,
                                       &bounds);
}

static tulle_status forecast_thrice(const world *w, const void *options, size_t size) {
    tulle_spgemm_bounds bounds;
    return tulle_spgemm_galerkin_forecast_sized(w->ctx, w->A, w->A, options, size, &bounds);
}

static tulle_status factorise(const world *w, const void *options, size_t size) {
    tulle_factor *made = NULL;
    const tulle_status status = tulle_factor_create_sized(w->ctx, w->A, options, size, &made);
    tulle_factor_destroy(made);
    return status;
}

static tulle_status make_solver(const world *w, const void *options, size_t size) {
    tulle_solver *made = NULL;
    const tulle_status status = tulle_solver_create_sized(w->ctx, w->L, NULL, options, size, &made);
    tulle_solver_destroy(made);
    return status;
}

static tulle_status make_tuner(const world *w, const void *options, size_t size) {
    tulle_tuner *made = NULL;
    const tulle_status status = tulle_tuner_create_sized(w->ctx, options, size, &made);
    tulle_tuner_destroy(made);
    return status;
}

static tulle_status solve_many(const world *w, const void *options, size_t size) {
    return tulle_uniform_solve_sized(w->ctx, w->P, options, size, w->values, w->b, w->x,
                                     (tulle_uniform_reports){NULL, NULL});
}

static tulle_status assemble(const world *w, const void *options, size_t size) {
    tulle_assembly *made = NULL;
    const tulle_status status =
        tulle_assembly_create_sized(w->ctx, 2, 1, &w->elements, options, size, &made);
    tulle_assembly_destroy(made);
    return status;
}

static tulle_status make_local(const world *w, const void *options, size_t size) {
    tulle_linop *made = NULL;
    const tulle_status status =
        tulle_linop_local_sized(w->ctx, 0, 0, NULL, options, size, TULLE_F64, NULL, &made);
    return end_linop(status, made);
}

static tulle_status diffusion_local(const world *w, const void *options, size_t size) {
    tulle_linop *made = NULL;
    const tulle_status status =
        tulle_diffusion_local_sized(w->ctx, w->D, options, size, TULLE_F64, &made);
    return end_linop(status, made);
}

static tulle_status elasticity_local(const world *w, const void *options, size_t size) {
    tulle_linop *made = NULL;
    const tulle_status status =
        tulle_elasticity_local_sized(w->ctx, w->E, options, size, TULLE_F64, &made);
    return end_linop(status, made);
}

static tulle_status diffusion_free(const world *w, const void *options, size_t size) {
    tulle_linop *made = NULL;
    const tulle_status status =
        tulle_diffusion_matrix_free_sized(w->ctx, w->D, w->mesh, options, size, TULLE_F64, &made);
    return end_linop(status, made);
}

static tulle_status matrix_free(const world *w, const void *options, size_t size) {
    tulle_linop *made = NULL;
    const tulle_status status =
        tulle_linop_matrix_free_sized(w->ctx, w->mesh, options, size, TULLE_F64, &made);
    return end_linop(status, made);
}

static tulle_status save_mat(const world *w, const void *options, size_t size) {
    return tulle_mat_save_sized(w->ctx, w->A, io_path("a.mtx"), options, size);
}

static tulle_status save_mesh(const world *w, const void *options, size_t size) {
    return tulle_mesh_save_sized(w->ctx, w->mesh, io_path("mesh.msh"), options, size);
}

/* Every function with options: its name, the bytes of its options, and options that it takes. */
typedef struct {
    const char *name;
    call_fn *call;
    size_t size;
    const void *good;
} row;

static const tulle_mat_options mat = {.base = 0};
static const tulle_matrix_free_options free_of_matrix = {.diffusion = 1};
static const tulle_tuner_options no_cache = {.cache = ""};
static const tulle_uniform_options by_cg = {.method = TULLE_CG};

#define ROW(name, call, type, good)                                                                \
    { #name, call, sizeof(type), good }
static const row rows[] = {
    ROW(tulle_ctx_create, make_ctx, tulle_ctx_options, NULL),
    ROW(tulle_mat_create_csr, make_csr, tulle_mat_options, &mat),
    ROW(tulle_mat_create_coo, make_coo, tulle_mat_options, &mat),
    ROW(tulle_mat_create, make_mat, tulle_mat_options, &mat),
    ROW(tulle_mat_convert_with, convert, tulle_convert_options, NULL),
    ROW(tulle_mat_optimize_with, optimize, tulle_optimize_options, NULL),
    ROW(tulle_mat_save, save_mat, tulle_save_options, NULL),
    ROW(tulle_mesh_save, save_mesh, tulle_mesh_save_options, NULL),
    ROW(tulle_add, add, tulle_add_options, NULL),
    ROW(tulle_spgemm, multiply, tulle_spgemm_options, NULL),
    ROW(tulle_spgemm_forecast, forecast, tulle_spgemm_options, NULL),
    ROW(tulle_spgemm_galerkin, multiply_thrice, tulle_spgemm_options, NULL),
    ROW(tulle_spgemm_galerkin_forecast, forecast_thrice, tulle_spgemm_options, NULL),
    ROW(tulle_factor_create, factorise, tulle_factor_options, NULL),
    ROW(tulle_solver_create, make_solver, tulle_solver_options, NULL),
    ROW(tulle_tuner_create, make_tuner, tulle_tuner_options, &no_cache),
    ROW(tulle_uniform_solve, solve_many, tulle_uniform_options, &by_cg),
    ROW(tulle_assembly_create, assemble, tulle_assembly_options, NULL),
    ROW(tulle_linop_local, make_local, tulle_local_options, NULL),
    ROW(tulle_linop_matrix_free, matrix_free, tulle_matrix_free_options, &free_of_matrix),
    ROW(tulle_diffusion_local, diffusion_local, tulle_local_options, NULL),
    ROW(tulle_diffusion_matrix_free, diffusion_free, tulle_matrix_free_options, NULL),
    ROW(tulle_elasticity_local, elasticity_local, tulle_local_options, NULL)};
enum { ROWS = sizeof rows / sizeof *rows };

static world open_world(tulle_ctx *ctx, const char *where) {
    static const int32_t list[] = {0, 1};
    world w = {.ctx = ctx, .where = where, .mesh = mesh_of(ctx, "box-hex:1")};
    const tulle_diffusion_problem diffusion = {.f = {.number = 1}};
    const tulle_elasticity_problem steel = {.first = {.number = 1}, .second = {.number = 0.3}};
    must(tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, numbers, NULL,
                              &w.A));
    must(tulle_linop_from_mat(ctx, w.A, &w.L));
    must(tulle_diffusion_create(ctx, w.mesh, &diffusion, &w.D));
    must(tulle_elasticity_create(ctx, w.mesh, &steel, &w.E));
    must(tulle_uniform_create(ctx, 2, offsets, columns, &w.P));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &w.values));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &w.b));
    must(tulle_vec_create(ctx, TULLE_F64, 2, &w.x));
    must(tulle_vec_fill(ctx, w.values, 1));
    must(tulle_vec_fill(ctx, w.b, 1));
    must(tulle_vec_fill(ctx, w.x, 0));
    w.elements = (tulle_elements){.count = 1, .nodes = 2, .list = list};
    return w;
}

static void close_world(world *w) {
    tulle_vec_destroy(w->x);
    tulle_vec_destroy(w->b);
    tulle_vec_destroy(w->values);
    tulle_uniform_destroy(w->P);
    tulle_elasticity_destroy(w->E);
    tulle_diffusion_destroy(w->D);
    tulle_linop_destroy(w->L);
    tulle_mat_destroy(w->A);
    tulle_mesh_destroy(w->mesh);
}

/* Number of bytes of a tail. */
enum { LATER = 64 };

static void expect(const row *r, tulle_status got, tulle_status want, const char *what) {
    if (got != want) {
        fail_msg("%s, %s: %s (%s)", r->name, what, tulle_status_name(got),
                 tulle_last_error()->message);
    }
}

static void expect_later(const row *r, tulle_status got, const char *what) {
    expect(r, got, TULLE_UNSUPPORTED, what);
    assert_string_equal(tulle_last_error()->function, r->name);
    assert_string_equal(tulle_last_error()->argument, "options");
    assert_non_null(strstr(tulle_last_error()->message, "options of a later version are set"));
}

static void every_function(tulle_ctx *ctx, const char *where) {
    world w = open_world(ctx, where);
    for (int i = 0; i < ROWS; i++) {
        const row *r = &rows[i];
        _Alignas(16) unsigned char options[1024] = {0};
        assert_true(r->size + LATER <= sizeof options);
        if (r->good) memcpy(options, r->good, r->size);
        expect(r, r->call(&w, options, r->size), TULLE_OK, "its own size");
        expect(r, r->call(&w, options, r->size + LATER), TULLE_OK, "a tail of zeros");
        expect(r, r->call(&w, options, r->size + 1), TULLE_OK, "a byte more");
        options[r->size] = 1;
        expect(r, r->call(&w, options, r->size), TULLE_OK, "what is behind the size");
        expect_later(r, r->call(&w, options, r->size + 1), "the first byte of a tail");
        options[r->size] = 0;
        options[r->size + LATER - 1] = 0x80;
        expect_later(r, r->call(&w, options, r->size + LATER), "the last byte of a tail");
        expect(r, r->call(&w, NULL, r->size + LATER), TULLE_OK, "no options");
    }
    close_world(&w);
}

/* Fields that a program did not know count as zero, whatever is behind its struct. */
static void fewer_fields(tulle_ctx *ctx, const char *where) {
    world w = open_world(ctx, where);
    const tulle_mat_options mats = {.base = 1, .ownership = TULLE_TAKE};
    const int32_t from_1[] = {1, 2, 3}, cols[] = {1, 2};
    tulle_mat *A = NULL;
    tulle_mat_info info;
    assert_int_equal(
        tulle_mat_create_csr(ctx, 2, 2, 2, TULLE_I32, from_1, cols, TULLE_F64, numbers, &mats, &A),
        TULLE_INVALID_ARGUMENT);
    assert_string_equal(tulle_last_error()->function, "tulle_mat_create_csr");
    must(tulle_mat_create_csr_sized(ctx, 2, 2, 2, TULLE_I32, from_1, cols, TULLE_F64, numbers,
                                    &mats, offsetof(tulle_mat_options, ownership), &A));
    must(tulle_mat_describe(A, &info));
    assert_int_equal(info.nnz, 2);
    tulle_mat_destroy(A);

    const tulle_factor_options factors = {.kind = TULLE_CHOLESKY, .fill = -7};
    tulle_factor *F = NULL;
    assert_int_equal(tulle_factor_create(ctx, w.A, &factors, &F), TULLE_INVALID_ARGUMENT);
    must(tulle_factor_create_sized(ctx, w.A, &factors, offsetof(tulle_factor_options, fill), &F));
    tulle_factor_info of;
    must(tulle_factor_describe(F, &of));
    assert_int_equal(of.kind, TULLE_CHOLESKY);
    tulle_factor_destroy(F);

    const tulle_solver_options solver = {.method = TULLE_BICGSTAB, .tolerance = -1};
    tulle_solver *S = NULL;
    assert_int_equal(tulle_solver_create(ctx, w.L, NULL, &solver, &S), TULLE_INVALID_ARGUMENT);
    must(tulle_solver_create_sized(ctx, w.L, NULL, &solver, 0, &S));
    tulle_solver_destroy(S);
    close_world(&w);
}

static void test_every_function(void **state) {
    (void)state;
    io_folder_make();
    once_on_each_place(every_function);
    io_folder_remove();
}
ONCE_ON_EACH_PLACE(fewer_fields)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_every_function),
                                       cmocka_unit_test(test_fewer_fields)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
