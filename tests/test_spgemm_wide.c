/* SPDX-License-Identifier: Apache-2.0 */
/* A product whose rows have few multiplications in a wide range of columns, and so many rows that a
 * thread goes through its table of columns several times: as a whole, and under a cap on memory,
 * where rows are counted before they are computed. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "core/context.h"
#include "making.h"
#include "places.h"
#include "spgemm_check.h"
#include "tulle/spgemm.h"

static tulle_mat *squared(tulle_ctx *ctx, tulle_mat *A) {
    tulle_mat *C = NULL;
    must(tulle_spgemm(ctx, TULLE_N, TULLE_N, tulle_num(-0.5), A, A, NULL, NULL, &C));
    return C;
}

/* Rows of 9 entries, with 81 multiplications; on the emulator of 3 entries in a small matrix. */
static void wide_rows(tulle_ctx *ctx, const char *where) {
    const char *spec = is_slow(where) ? "random:900,900,3" : "random:24000,24000,9";
    tulle_mat *A = making_generated(ctx, spec, 1, TULLE_F64);
    const spgemm_setting setting = {.alpha = -0.5, .type = TULLE_F64};
    entries a = entries_read(ctx, A);
    tulle_mat *whole = squared(ctx, A);
    spgemm_check(ctx, &a, &a, &setting, whole);
    const size_t cap = ctx->pool.cap;
    ctx->pool.cap = ctx->pool.in_use + ((size_t)1 << 30);
    tulle_mat *counted = squared(ctx, A);
    ctx->pool.cap = cap;
    entries_compare(ctx, whole, counted, spec);
    tulle_mat_destroy(counted);
    tulle_mat_destroy(whole);
    entries_free(&a);
    tulle_mat_destroy(A);
}

ONCE_ON_EACH_PLACE(wide_rows)

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_wide_rows)};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
