/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of random matrices, compared with those of a dense matrix in long double; and of the same
 * matrices in other units. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dense_facts.h"
#include "places.h"

static void random_matrices(tulle_ctx *ctx, const char *where) {
    const int rounds = is_slow(where) ? 1 : 8;
    for (int k = 0; k < DENSE_KINDS; k++) {
        for (int round = 0; round < rounds; round++) {
            const uint64_t seed = places_seed() + (uint64_t)(100 * k + round);
            for (int type = TULLE_F32; type <= TULLE_F64; type++) {
                const dense d = dense_random(&dense_kinds[k], (tulle_type)type, seed);
                facts_check(ctx, &d, (tulle_index)((round + k) % 3), (tulle_type)type);
            }
        }
    }
}

static void test_random_matrices(void **state) {
    (void)state;
    on_each_place(random_matrices);
}

/* D A D with powers of two, one for all rows or another in each, has the counts of A. */
static dense scaled(const dense *d, int all, int step) {
    dense s = *d;
    for (int i = 0; i < d->rows; i++) {
        for (int j = 0; j < d->cols; j++) {
            s.value[i][j] = ldexp(d->value[i][j], 2 * all + step * (i % 5) + step * (j % 5));
        }
    }
    return s;
}

static void units(tulle_ctx *ctx, const char *where) {
    static const int powers[] = {0, 1, -332, 332, -250, 250};
    const int count = is_slow(where) ? 4 : 6;
    for (int k = 0; k < DENSE_KINDS; k++) {
        if (dense_kinds[k].rows != dense_kinds[k].cols) continue;
        const dense d = dense_random(&dense_kinds[k], TULLE_F64, 11);
        tulle_facts want = dense_facts(&d, TULLE_F64);
        for (int p = 0; p < count; p++) {
            const dense s = scaled(&d, powers[p], p < 4 ? 0 : 20);
            tulle_facts of_s = dense_facts(&s, TULLE_F64);
            want.smallest = of_s.smallest;
            want.largest = of_s.largest;
            if (p >= 4) {
                want.not_dominant = of_s.not_dominant;
                want.uneven = of_s.uneven;
            }
            facts_expect(&of_s, &want);
            facts_check(ctx, &s, TULLE_I32, TULLE_F64);
        }
    }
}

static void test_units(void **state) {
    (void)state;
    on_each_place(units);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_random_matrices),
        cmocka_unit_test(test_units),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
