/* SPDX-License-Identifier: Apache-2.0 */
/* Whether the emulator catches a kernel, in every order. */
#ifndef TULLE_TESTS_EMULATOR_CAUGHT_H
#define TULLE_TESTS_EMULATOR_CAUGHT_H

#include <initializer_list>

#include "harness.h"
#include "samples.cuh"

namespace harness {

/* The device works on after a fault. */
inline void expect_usable() {
    array<int> in(64, 1), sums(1);
    expect_ok(gpu::launch(place(), samples::block_sum<int>, {1, 64}, in, sums));
    assert_int_equal(sums[0], 64);
}

/* The work fails in every order, and its report has all the parts. */
template <class Work>
void expect_fault_of(std::initializer_list<const char *> parts, Work work) {
    for (const char *order : orders) {
        expect_ok(tulle__emu_set_order(order));
        tulle_status status = work();
        for (const char *part : parts) expect_fault(status, part);
        expect_fault(status, order);
        expect_usable();
    }
    expect_ok(tulle__emu_set_order("forward"));
}

template <class Work>
void expect_clean(Work work) {
    for (const char *order : orders) {
        expect_ok(tulle__emu_set_order(order));
        work();
    }
    expect_ok(tulle__emu_set_order("forward"));
}

}  // namespace harness

#endif
