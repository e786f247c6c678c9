/* SPDX-License-Identifier: Apache-2.0 */
/* Selection of a kernel (core/select.h) is the same for sparse products, triangular systems and
 * factors: with kernels made up for the purpose in front of the CPU's own, the rule's first one
 * refuses and the next one serves; one that does not repeat bitwise is neither chosen nor forced in
 * a repeatable context; a forced one stands alone. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "core/select.h"
#include "factor/factor.h"
#include "places.h"
#include "spgemm/spgemm.h"
#include "trisolve/trisolve.h"
#include "tulle/advanced.h"

enum { REFUSES, WAVERS, MADE_UP };

static int asked[MADE_UP]; /* how often each made-up kernel was run */

static tulle_status refuse(int which) {
    asked[which]++;
    return TULLE_UNSUPPORTED;
}

#define RUNS(operation)                                                                            \
    static tulle_status operation##_refuses(                                                       \
        OPERATION_CONST_##operation tulle__##operation##_task *task) {                             \
        (void)task;                                                                                \
        return refuse(REFUSES);                                                                    \
    }                                                                                              \
    static tulle_status operation##_wavers(                                                        \
        OPERATION_CONST_##operation tulle__##operation##_task *task) {                             \
        (void)task;                                                                                \
        return refuse(WAVERS);                                                                     \
    }
#define OPERATION_CONST_spgemm
#define OPERATION_CONST_trisolve const
#define OPERATION_CONST_factor const
RUNS(spgemm)
RUNS(trisolve)
RUNS(factor)

#define KERNEL(operation, does, promises, values)                                                  \
    static const tulle__##operation##_kernel operation##_that_##does = {                           \
        .head = {.name = #does,                                                                    \
                 .format = TULLE_CSR,                                                              \
                 .flags = TULLE__FORWARD | TULLE__DEFAULT | (promises)},                           \
        .run[values][TULLE_I32] = operation##_##does};
KERNEL(spgemm, refuses, TULLE__REPEATABLE, TULLE__VALUES_F64)
KERNEL(spgemm, wavers, 0, TULLE__VALUES_F64)
KERNEL(trisolve, refuses, TULLE__REPEATABLE, TULLE__VALUES_F64)
KERNEL(trisolve, wavers, 0, TULLE__VALUES_F64)
KERNEL(factor, refuses, TULLE__REPEATABLE, TULLE__VALUES_F64)
KERNEL(factor, wavers, 0, TULLE__VALUES_F64)

/* A CPU context whose tables have the made-up kernels of one operation first, and A = 2 I. */
typedef struct {
    const tulle__kernel *kernels[32];
    tulle__backend backend;
    tulle_ctx *ctx;
    tulle_mat *A;
    tulle_vec *b, *x;
    int operation;
} fixture;

static void set_up(fixture *f, int operation) {
    static const int32_t offsets[] = {0, 1, 2}, columns[] = {0, 1};
    static const double twos[] = {2, 2};
    const tulle__kernel *const made_up[TULLE__OPERATION_COUNT][MADE_UP] = {
        [TULLE__OP_SPGEMM] = {&spgemm_that_refuses.head, &spgemm_that_wavers.head},
        [TULLE__OP_TRISOLVE] = {&trisolve_that_refuses.head, &trisolve_that_wavers.head},
        [TULLE__OP_FACTOR] = {&factor_that_refuses.head, &factor_that_wavers.head}};
    must(tulle_ctx_create("cpu:1", NULL, &f->ctx));
    f->operation = operation;
    f->backend = *f->ctx->backend;
    const tulle__kernels *own = &f->ctx->backend->kernels[operation];
    int count = 0;
    for (; count < MADE_UP; count++) f->kernels[count] = made_up[operation][count];
    assert_true(own->count + MADE_UP <= 32);
    for (int i = 0; i < own->count; i++) f->kernels[count++] = own->item[i];
    f->backend.kernels[operation] = (tulle__kernels){f->kernels, count};
    f->ctx->backend = &f->backend;
    must(tulle_mat_create_csr(f->ctx, 2, 2, 2, TULLE_I32, offsets, columns, TULLE_F64, twos, NULL,
                              &f->A));
    must(tulle_vec_create(f->ctx, TULLE_F64, 2, &f->b));
    must(tulle_vec_create(f->ctx, TULLE_F64, 2, &f->x));
    must(tulle_vec_fill(f->ctx, f->b, 6));
    memset(asked, 0, sizeof asked);
}

static void tear_down(fixture *f) {
    tulle_vec_destroy(f->x);
    tulle_vec_destroy(f->b);
    tulle_mat_destroy(f->A);
    tulle_ctx_destroy(f->ctx);
}

static tulle_status compute(fixture *f) {
    tulle_mat *C = NULL;
    tulle_factor *F = NULL;
    tulle_status status = TULLE_OK;
    if (f->operation == TULLE__OP_SPGEMM) {
        status = tulle_spgemm(f->ctx, TULLE_N, TULLE_N, tulle_num(1), f->A, f->A, NULL, NULL, &C);
    } else if (f->operation == TULLE__OP_TRISOLVE) {
        status = tulle_trisolve(f->ctx, TULLE_LOWER, TULLE_NON_UNIT, TULLE_N, tulle_num(1), f->A,
                                f->b, f->x);
    } else {
        status = tulle_factor_create(f->ctx, f->A, NULL, &F);
    }
    tulle_mat_destroy(C);
    tulle_factor_destroy(F);
    return status;
}

static void expect_refused(fixture *f, const char *forced, const char *because) {
    must(tulle_ctx_force_kernel(f->ctx, forced));
    assert_int_equal(compute(f), TULLE_UNSUPPORTED);
    if (because) assert_non_null(strstr(tulle_last_error()->message, because));
    must(tulle_ctx_force_kernel(f->ctx, NULL));
}

static void check_operation(int operation) {
    fixture f;
    set_up(&f, operation);
    must(compute(&f));
    assert_int_equal(asked[REFUSES], 1);
    assert_int_equal(asked[WAVERS], 1);
    must(tulle_ctx_set_repeatable(f.ctx, true));
    must(compute(&f));
    assert_int_equal(asked[REFUSES], 2);
    assert_int_equal(asked[WAVERS], 1);
    expect_refused(&f, "wavers", "does not repeat bitwise");
    assert_int_equal(asked[WAVERS], 1);
    must(tulle_ctx_set_repeatable(f.ctx, false));
    expect_refused(&f, "refuses", NULL);
    assert_int_equal(asked[REFUSES], 3);
    assert_int_equal(asked[WAVERS], 1);
    tear_down(&f);
}

static void test_products(void **state) {
    (void)state;
    check_operation(TULLE__OP_SPGEMM);
}

static void test_triangles(void **state) {
    (void)state;
    check_operation(TULLE__OP_TRISOLVE);
}

static void test_factors(void **state) {
    (void)state;
    check_operation(TULLE__OP_FACTOR);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_products),
        cmocka_unit_test(test_triangles),
        cmocka_unit_test(test_factors),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
