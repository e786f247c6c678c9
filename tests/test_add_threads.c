/* SPDX-License-Identifier: Apache-2.0 */
/* A sum has the same bits for any number of threads of a CPU, which cut the work where they like:
 * also in the midst of rows and beside pairs. Under a cap, rows are counted before they are added.
 */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <string.h>

#include <cmocka.h>

#include "entries.h"
#include "places.h"
#include "tulle/add.h"
#include "tulle/generate.h"

static const char *const pairs[][2] = {
    {"p2d5:80", "p2d5:80"},
    {"p2d5:80", "banded:6400,9"},
    {"rmat:11,12", "rmat:11,9"},
    {"dense_rows:3000,2,8", "random:3000,3000,7"},
    {"random:1,300000,90000", "random:1,300000,80000"},
    {"random:60000,9,0", "random:60000,9,1"},
};
static const char *const places[] = {"cpu:1", "cpu:2", "cpu:3", "cpu:7"};
enum { PAIRS = sizeof pairs / sizeof *pairs, PLACES = 4 };

static entries add(const char *where, size_t cap, const char *const pair[2], tulle_type type,
                   tulle_trans op_B) {
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL, *B = NULL, *C = NULL;
    const tulle_ctx_options options = {.memory_cap = cap};
    must(tulle_ctx_create(where, &options, &ctx));
    must(tulle_generate(ctx, pair[0], 1, type, &A));
    must(tulle_generate(ctx, pair[1], 2, type, &B));
    must(tulle_add(ctx, TULLE_N, op_B, tulle_num(0.3), A, tulle_num(-1.7), B, NULL, NULL, &C));
    entries c = entries_read(ctx, C);
    tulle_mat_destroy(C);
    tulle_mat_destroy(B);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    return c;
}

static void compare(const char *const pair[2], tulle_type type, tulle_trans op_B) {
    static const size_t caps[] = {0, (size_t)1 << 30};
    entries one = add(places[0], 0, pair, type, op_B);
    for (int p = 0; p < PLACES; p++) {
        for (int c = p == 0; c < 2; c++) {
            entries other = add(places[p], caps[c], pair, type, op_B);
            entries_assert_same(&one, &other, pair[1]);
            entries_free(&other);
        }
    }
    entries_free(&one);
}

static void test_threads(void **state) {
    (void)state;
    for (int i = 0; i < PAIRS; i++) {
        compare(pairs[i], TULLE_F64, TULLE_N);
        compare(pairs[i], TULLE_F32, TULLE_N);
    }
    for (int i = 0; i < 4; i++) compare(pairs[i], TULLE_F64, TULLE_T); /* square ones */
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_threads),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
