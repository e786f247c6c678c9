/* SPDX-License-Identifier: Apache-2.0 */
/* PCSR, "perfect CSR": one kernel multiplies, one adds. The first writes the product of every
 * entry to scratch, fully coalesced. In the second a block has as many rows as threads; it
 * copies their products through a buffer in shared memory, as often as it takes, and each thread
 * adds up the products of its row, from left to right. He and Gao (Math. Probl. Eng. 2016);
 * Hiranandani, "Perfect CSR", with her launches and buffer. A historical kernel: the products go
 * to memory and back, and one thread adds a long row. */
#include "spmv/gpu/csr.cuh"

namespace TULLE_GPU_NAMESPACE {
namespace {

enum { MULTIPLY, ADD, BUFFER };
const int multiply_values[] = {128, 256, 512, 1024};
const int add_values[] = {32, 64, 128, 256};
const int buffer_values[] = {256, 1024, 4096};
const tulle__param params[] = {
    {"multiply", "threads of a block of the first kernel", 4, multiply_values},
    {"add", "threads, and rows, of a block of the second", 4, add_values},
    {"buffer", "products in shared memory", 3, buffer_values}};

/* Multiplies. Offsets may begin at any number: products count from there. */
template <class V, class O, class C>
GPU_KERNEL void multiply(csr_product<V, O, C> a, V *products) {
    int64_t first = static_cast<int64_t>(block()) * block_size() + thread();
    int64_t step = static_cast<int64_t>(grid_size()) * block_size();
    O origin = load(a.offsets);
    for (int64_t k = first; k < a.nnz; k += step) {
        products[k] =
            load_once(a.values + origin + k) * load(a.x + load_once(a.cols_of + origin + k));
    }
}

template <class V>
GPU_FUNCTION void fill(shared<V> kept, int count, const V *products) {
    for (int k = static_cast<int>(thread()); k < count; k += static_cast<int>(block_size())) {
        kept[k] = load_once(products + k);
    }
}

GPU_FUNCTION int clamp(int64_t position, int count) {
    if (position < 0) return 0;
    return position < count ? static_cast<int>(position) : count;
}

/* Adds up a block's rows, whose products go through the buffer from entry `from` on, `buffer` at
 * a time. */
template <class V, class O, class C>
GPU_KERNEL void add(csr_product<V, O, C> a, const V *products, int buffer) {
    GPU_DYNAMIC_SHARED(V, kept);
    GPU_SHARED(O, pointers, 257);
    int threads = static_cast<int>(block_size()), self = static_cast<int>(thread());
    int64_t first_row = static_cast<int64_t>(block()) * threads;
    int rows = static_cast<int>(a.rows - first_row < threads ? a.rows - first_row : threads);
    for (int r = self; r <= rows; r += threads) pointers[r] = load(a.offsets + first_row + r);
    sync();
    O origin = load(a.offsets), begin = pointers[self < rows ? self : rows],
      end = pointers[self < rows ? self + 1 : rows], last = pointers[rows];
    V sum = 0;
    for (int64_t from = pointers[0]; from < last; from += buffer) {
        int count = clamp(last - from, buffer), stop = clamp(end - from, count);
        fill(kept, count, products + (from - origin));
        sync();
        for (int k = clamp(begin - from, count); k < stop; k++) sum += kept[k];
        sync();
    }
    if (self < rows) {
        V *y = a.y + first_row + self;
        *y = combine(a.alpha.value(), sum, a.beta.value(), y);
    }
}

template <class V, class O, class C>
tulle_status run(const tulle__spmv_task *task) {
    csr_product<V, O, C> a = make_product<V, O, C>(task);
    V *products = static_cast<V *>(task->workspace);
    int64_t first = task->params[MULTIPLY], second = task->params[ADD];
    int64_t blocks = (a.nnz + first - 1) / first;
    GPU_TRY(launch(task->place, multiply<V, O, C>,
                   {blocks < INT32_MAX ? blocks : INT32_MAX, static_cast<int>(first)}, a,
                   products));
    size_t kept = static_cast<size_t>(task->params[BUFFER]) * sizeof(V);
    return launch(task->place, add<V, O, C>,
                  {(a.rows + second - 1) / second, static_cast<int>(second), kept}, a, products,
                  task->params[BUFFER]);
}

void defaults(const tulle__spmv_shape *, int *values) {
    values[MULTIPLY] = 1024;
    values[ADD] = 64;
    values[BUFFER] = 1024;
}

bool eligible(const tulle__spmv_shape *shape, const int *values) {
    return shape->rows / values[ADD] < INT32_MAX;
}

size_t workspace(const tulle__spmv_shape *shape, const int *) {
    return static_cast<size_t>(shape->nnz) * static_cast<size_t>(tulle_type_size(shape->type));
}

/* Bytes of scratch: every product is written once and read once. */
int64_t scratch_bytes(const tulle__spmv_shape *shape) {
    return 2 * shape->nnz * tulle_type_size(shape->type);
}

int64_t bytes(const tulle__spmv_shape *shape, const int *, bool beta_zero) {
    return tulle__spmv_csr_bytes(shape, beta_zero) + scratch_bytes(shape);
}

/* Cost: that of csr_merge, and the scratch; or the longest row, whose thread adds a number in
 * the latency of shared memory and an addition. */
double cost(const tulle__spmv_shape *shape, const int *) {
    constexpr double addition_us = 0.015;
    double all =
        1.5 * static_cast<double>(tulle__spmv_minimal_bytes(shape, true) + scratch_bytes(shape));
    double longest =
        addition_us * static_cast<double>(shape->stats->max_row) * bytes_a_microsecond(shape);
    return 4 * launch_cost(shape) + (longest > all ? longest : all);
}

}  // namespace
}  // namespace TULLE_GPU_NAMESPACE

extern "C" const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_pcsr);
const tulle__spmv_kernel GPU_SYMBOL(spmv_csr_pcsr) = {
    .head = {.name = "spmv_csr_pcsr",
             .summary = "PCSR: one kernel writes all products, one adds them row by row",
             .source = "Hiranandani, IV.D; He and Gao 2016",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__HISTORICAL,
             .param_count = 3,
             .params = gpu::params},
    .defaults = gpu::defaults,
    .eligible = gpu::eligible,
    .workspace = gpu::workspace,
    .bytes = gpu::bytes,
    .cost = gpu::cost,
    .run = GPU_RUN_I32(gpu::run),
};
