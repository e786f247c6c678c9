/* SPDX-License-Identifier: Apache-2.0 */
/* Every CPU kernel that says it repeats gives the same bits for any number of threads. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "layouts.h"
#include "places.h"
#include "tulle/advanced.h"
#include "tulle/generate.h"

/* A stencil, and rows of very different lengths; both large enough for several threads. */
static const char *const matrices[] = {"p2d5:90", "rmat:11,16"};
static const char *const places[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
enum { MATRICES = 2, PLACES = 4 };

/* op(A) x by a kernel at a place; y in the host's memory, or NULL where the kernel has no such
 * product or the format too much padding. The caller frees it. */
static double *product_at(const char *where, const char *spec, int kernel, int layout,
                          tulle_trans op, size_t *bytes) {
    tulle_ctx *ctx = NULL;
    tulle_mat *csr = NULL;
    tulle_kernel_info k;
    double *host = NULL;
    must(tulle_ctx_create(where, NULL, &ctx));
    must(tulle_kernel_describe(TULLE_CPU, kernel, &k));
    must(tulle_ctx_force_kernel(ctx, k.name));
    must(tulle_generate(ctx, spec, 1, TULLE_F64, &csr));
    tulle_mat *A = layout_make(ctx, csr, k.format, TULLE_I32, layout);
    if (A && (op == TULLE_N ? k.repeatable : k.repeatable_t)) {
        tulle_mat_info info;
        tulle_vec *x = NULL, *y = NULL;
        must(tulle_mat_describe(A, &info));
        int64_t m = op == TULLE_N ? info.rows : info.cols, n = info.rows + info.cols - m;
        *bytes = (size_t)m * sizeof *host;
        host = malloc(*bytes);
        assert_non_null(host);
        must(tulle_vec_create(ctx, TULLE_F64, n, &x));
        must(tulle_vec_create(ctx, TULLE_F64, m, &y));
        must(tulle_vec_random(ctx, x, 1));
        must(tulle_spmv(ctx, op, tulle_num(1), A, x, tulle_num(0), y));
        must(tulle_vec_read(ctx, y, host, 0));
        tulle_vec_destroy(x);
        tulle_vec_destroy(y);
    }
    tulle_mat_destroy(A);
    tulle_mat_destroy(csr);
    tulle_ctx_destroy(ctx);
    return host;
}

/* How many places gave the same as the first. */
static int compare(const char *spec, int kernel, int layout, tulle_trans op) {
    size_t bytes = 0;
    double *one = product_at(places[0], spec, kernel, layout, op, &bytes);
    int same = 0;
    for (int p = 1; one && p < PLACES; p++, same++) {
        double *many = product_at(places[p], spec, kernel, layout, op, &bytes);
        assert_memory_equal(one, many, bytes);
        free(many);
    }
    free(one);
    return same;
}

static void test_any_threads(void **state) {
    (void)state;
    for (int kernel = 0; kernel < tulle_kernel_count(TULLE_CPU); kernel++) {
        tulle_kernel_info k;
        must(tulle_kernel_describe(TULLE_CPU, kernel, &k));
        if (k.needs_plan || strcmp(k.operation, "spmv") != 0) continue;
        int same = 0, layouts = layout_count(k.format) < 3 ? layout_count(k.format) : 3;
        for (int c = 0; c < MATRICES * layouts * 2; c++) {
            same += compare(matrices[c % MATRICES], kernel, c / MATRICES % layouts,
                            (tulle_trans)(c / MATRICES / layouts));
        }
        if ((k.repeatable || k.repeatable_t) && same == 0) fail_msg("%s took nothing", k.name);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_any_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
