/* SPDX-License-Identifier: Apache-2.0 */
/* The split of L1 and shared memory that a kernel asks for: published csr_vector asks for its own
 * at every launch, since what was asked for last stays with the kernel. */
#include <stdint.h>

#include "emulator/carve.h"
#include "harness.h"
#include "spmv/published/csr_vector_published.cu"

using harness::array;
using harness::expect_ok;
using harness::place;

/* y := A x for A = [1 2; 0 3], with one carve-out after another. */
static void test_each_launch_asks(void **) {
    static const int32_t offsets[] = {0, 2, 3}, columns[] = {0, 1, 1};
    static const float values[] = {1, 2, 3}, x[] = {10, 100};
    array<int32_t> offsets_there(3), columns_there(3);
    array<float> values_there(3), x_there(2), y_there(2);
    expect_ok(GPU_SYMBOL(copy)(place(), offsets_there, offsets, sizeof offsets));
    expect_ok(GPU_SYMBOL(copy)(place(), columns_there, columns, sizeof columns));
    expect_ok(GPU_SYMBOL(copy)(place(), values_there, values, sizeof values));
    expect_ok(GPU_SYMBOL(copy)(place(), x_there, x, sizeof x));
    const auto kernel = reinterpret_cast<const void *>(gpu::forward<float, int32_t, int32_t>);
    assert_int_equal(gpu::emulator::preferred_shared(kernel), -1);
    for (int carve : {100, 0, 50}) {
        const int params[] = {2, 1, 32, carve};
        // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization): the type is set below
        tulle__spmv_task task = {};
        task.shape.rows = task.shape.cols = 2;
        task.shape.nnz = 3;
        task.shape.type = TULLE_F32;
        task.place = place();
        task.offsets = offsets_there;
        task.cols_of = columns_there;
        task.values = values_there;
        task.x = x_there;
        task.y = y_there;
        task.alpha = tulle_num(1);
        task.beta = tulle_num(0);
        task.params = params;
        y_there.fill(-1);
        expect_ok((gpu::run<float, int32_t, int32_t>(&task)));
        assert_true(y_there[0] == 210 && y_there[1] == 300);
        assert_int_equal(gpu::emulator::preferred_shared(kernel), carve);
    }
}

static void test_what_there_is(void **) {
    const auto kernel = gpu::forward<double, int32_t, int32_t>;
    for (int percent : {-1, 101}) {
        assert_int_equal(gpu::prefer_shared(place(), kernel, percent), TULLE_INVALID_ARGUMENT);
        assert_non_null(strstr(harness::report(), "0 to 100"));
    }
    assert_int_equal(gpu::emulator::preferred_shared(reinterpret_cast<const void *>(kernel)), -1);
}

int main(void) {
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_each_launch_asks),
        cmocka_unit_test(test_what_there_is),
    };
    return cmocka_run_group_tests(tests, harness::open, harness::reset);
}
