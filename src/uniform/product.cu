/* SPDX-License-Identifier: Apache-2.0 */
/* Products with many small matrices on the GPU. Interleaved systems: one thread per number of y;
 * neighbouring threads have neighbouring systems, so that all loads are of neighbours. Other
 * systems: one warp per system, whose numbers are loaded into shared memory in the order of their
 * addresses. */
#include "gpu/scalar.cuh"
#include "uniform/team.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
struct uniform_product {
    tulle__uniform_view pattern;
    int64_t count;
    scalar<V> alpha, beta;
    const V *a, *x;
    V *y;
    tulle__strided steps_a, steps_x, steps_y; /* strides of a, x and y, without their data */

    GPU_FUNCTION const V *a_at(int64_t s, int64_t e) const {
        return a + e * steps_a.row + s * steps_a.col;
    }
    GPU_FUNCTION const V *x_at(int64_t s, int64_t i) const {
        return x + i * steps_x.row + s * steps_x.col;
    }
    GPU_FUNCTION void put(int64_t s, int64_t i, V sum) const {
        const V by = alpha.value(), with = beta.value();
        V *to = y + i * steps_y.row + s * steps_y.col;
        *to = with == 0 ? by * sum : by * sum + with * *to;
    }
};

template <class V>
GPU_KERNEL void multiply_interleaved(uniform_product<V> p) {
    loop_pairs at(p.count);
    for (int64_t k = loop_first(); k < p.count * p.pattern.n; k += loop_stride()) {
        const int64_t i = at.outer, s = at.inner;
        const int first = load(p.pattern.first + i), length = load(p.pattern.length + i);
        V sum = 0;
        for (int e = 0; e < length; e++) {
            const int slot = first + e * p.pattern.step;
            sum += load(p.a_at(s, load(p.pattern.entry_of + slot))) *
                   load(p.x_at(s, load(p.pattern.columns + slot)));
        }
        p.put(s, i, sum);
        at.next();
    }
}

template <class V>
GPU_KERNEL void multiply_systems(uniform_product<V> p) {
    GPU_DYNAMIC_SHARED(double, memory);
    shared_parts parts(memory);
    shared<V> values = parts.template take<V>(p.pattern.slots);
    shared<V> x = parts.template take<V>(p.pattern.n);
    for (int64_t s = block(); s < p.count; s += grid_size()) {
        team<1>::meet();
        for (int e = static_cast<int>(thread()); e < p.pattern.entries; e += warp_lanes) {
            values[load(p.pattern.slot_of + e)] = load_once(p.a_at(s, e));
        }
        for (int i = static_cast<int>(thread()); i < p.pattern.n; i += warp_lanes) {
            x[i] = load_once(p.x_at(s, i));
        }
        team<1>::meet();
        for (int i = static_cast<int>(thread()); i < p.pattern.n; i += warp_lanes) {
            const int first = load(p.pattern.first + i), length = load(p.pattern.length + i);
            V sum = 0;
            for (int e = 0; e < length; e++) {
                const int slot = first + e * p.pattern.step;
                sum += values[slot] * x[load(p.pattern.columns + slot)];
            }
            p.put(s, i, sum);
        }
    }
}

template <class V>
tulle_status multiply_in(const tulle__place *place, const tulle__uniform_product *job) {
    const uniform_product<V> p = {job->pattern,
                                  job->count,
                                  make_scalar<V>(job->alpha),
                                  make_scalar<V>(job->beta),
                                  static_cast<const V *>(job->a.data),
                                  static_cast<const V *>(job->x.data),
                                  static_cast<V *>(job->y.data),
                                  {nullptr, job->a.row, job->a.col},
                                  {nullptr, job->x.row, job->x.col},
                                  {nullptr, job->y.row, job->y.col}};
    if (job->a.col == 1 && job->count > 1) {
        return launch(place, multiply_interleaved<V>, loop_grid(job->count * job->pattern.n), p);
    }
    size_t bytes;
    const int64_t doubles = doubles_for<V>(job->pattern.slots) + doubles_for<V>(job->pattern.n);
    GPU_TRY(shared_room(doubles, job->shared_bytes, &bytes));
    const int64_t most = INT32_MAX, blocks = job->count < most ? job->count : most;
    return launch(place, multiply_systems<V>, {blocks, warp_lanes, bytes}, p);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(uniform_spmv)(const tulle__place *place,
                                      const tulle__uniform_product *job) {
    return job->type == TULLE_F32 ? gpu::multiply_in<float>(place, job)
                                  : gpu::multiply_in<double>(place, job);
}
