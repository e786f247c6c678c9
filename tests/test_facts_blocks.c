/* SPDX-License-Identifier: Apache-2.0 */
/* The size of full blocks that tulle_mat_facts finds. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "dense_facts.h"
#include "places.h"

/* Blocks that are whole, that lack some entries, and that are not on the grid of their size. */
static dense block_dense(int b, int lacking, int shift, uint64_t seed) {
    dense d = {.rows = 36 / b * b, .cols = 36 / b * b};
    for (int i = 0; i < d.rows; i++) {
        for (int j = 0; j < d.cols; j++) {
            const int r = (i + shift) / b, c = (j + shift) / b;
            if ((r + 2 * c) % 3 != 0 || dense_chance(&seed, lacking)) continue;
            dense_put(&d, i, j, 1);
        }
    }
    return d;
}

static void blocks(tulle_ctx *ctx, const char *where) {
    int found = 0;
    for (int b = 1; b <= 9; b++) {
        for (int lacking = 0; lacking <= 12; lacking += is_slow(where) ? 6 : 3) {
            for (int shift = 0; shift < 2; shift++) {
                const dense d = block_dense(b, lacking, shift, (uint64_t)b);
                const tulle_facts f = dense_facts(&d, TULLE_F64);
                if (f.block > 0) found |= 1 << f.block;
                facts_check(ctx, &d, (tulle_index)(b % 3), TULLE_F64);
            }
        }
    }
    assert_int_equal(found, 1 << 2 | 1 << 3 | 1 << 4 | 1 << 5 | 1 << 6 | 1 << 8);
}

static void test_blocks(void **state) {
    (void)state;
    on_each_place(blocks);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_blocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
