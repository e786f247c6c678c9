/* SPDX-License-Identifier: Apache-2.0 */
#include "primitives.cuh"

#include "harness.h"

static void check_all(bool (*check)(const tulle__place *)) {
    for (const char *order : harness::orders) {
        harness::expect_ok(tulle__emu_set_order(order));
        if (!check(harness::place())) fail_msg("order %s: %s", order, harness::report());
    }
}

static void large_shared(void **) {
    check_all(
        [](const tulle__place *place) { return primitives::check_large_shared(place, 227 << 10); });
}

#include "primitives_list.h"

int main(void) {
    return cmocka_run_group_tests(all_tests, harness::open, NULL);
}
