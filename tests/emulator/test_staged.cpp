/* SPDX-License-Identifier: Apache-2.0 */
/* Published kernels of batches stage in shared memory what paper 3 says: the emulator is asked how
 * much a kernel declares, by how much more it can be given at launch. */
#include "batch/published/axpy.cuh"
#include "batch/published/dot.cuh"
#include "batch/published/shuffled.cuh"
#include "emulator/machine.h"
#include "harness.h"

using harness::array;
using harness::expect_fault;
using harness::expect_ok;
using harness::place;
using tulle_emu::emulator::most_shared;

/* Multivectors of b columns, more rows than the groups of a block of threads have at once. */
template <class V, int b>
class operands {
  public:
    static constexpr int64_t rows = 2 * gpu::published_threads / b + 3;
    operands() : x_(rows * b, V(1)), a_(rows * b, V(2)), y_(rows * b, V(0)), task_(1) {
        tulle__task &t = task_[0];
        // NOLINTNEXTLINE(bugprone-invalid-enum-default-initialization): the type is set below
        t = {};
        t.type = sizeof(V) == sizeof(float) ? TULLE_F32 : TULLE_F64;
        t.alpha = 1;
        t.units = rows;
        t.k1 = t.k2 = b;
        t.x = {static_cast<V *>(x_), b, 1};
        t.a = {static_cast<V *>(a_), b, 1};
        t.y = {static_cast<V *>(y_), b, 1};
    }
    const tulle__task *task() { return task_; }
    V result(int64_t i) { return y_[i]; }

  private:
    array<V> x_, a_, y_;
    array<tulle__task> task_;
};

/* The kernel runs beside all memory that it does not declare, and beside no byte more. */
template <class V, int b>
static void expect_shared(void (*kernel)(const tulle__task *), size_t bytes, V want) {
    operands<V, b> of;
    const gpu::grid most = {1, gpu::published_threads, most_shared - bytes};
    const gpu::grid more = {1, gpu::published_threads, most_shared - bytes + 1};
    expect_ok(gpu::launch(place(), kernel, most, of.task()));
    for (int64_t i = 0; i < b * b; i++) assert_true(of.result(i) == want);
    if (bytes == 0) return;
    expect_fault(gpu::launch(place(), kernel, more, of.task()), "brings the block's shared memory");
}

/* A number a thread of X, and, where it is in no registers, the small block. */
template <class V, int b>
static void check_axpy() {
    const bool in_registers = b * sizeof(V) <= 64;
    const size_t small = in_registers ? 1 : b * b;
    expect_shared<V, b>(gpu::axpy_task<V, b>, (gpu::published_threads + small) * sizeof(V),
                        V(2 * b));
    expect_shared<V, b>(gpu::shuffled_axpy_task<V, b>, 0, V(2 * b));
}

static void test_axpy(void **) {
    check_axpy<float, 4>();
    check_axpy<double, 8>();
    check_axpy<double, 16>();
}

/* A number a thread of X and of Z, and a sum. */
template <class V, int b>
static void check_dot() {
    const size_t bytes = gpu::published_threads * (2 * sizeof(V) + sizeof(double));
    expect_shared<V, b>(gpu::dot_task<V, b>, bytes, V(2 * operands<V, b>::rows));
}

static void test_dot(void **) {
    check_dot<float, 4>();
    check_dot<float, 16>();
    check_dot<double, 8>();
}

int main() {
    const CMUnitTest tests[] = {cmocka_unit_test_teardown(test_axpy, harness::reset),
                                cmocka_unit_test_teardown(test_dot, harness::reset)};
    return cmocka_run_group_tests(tests, harness::open, nullptr);
}
