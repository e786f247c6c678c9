/* SPDX-License-Identifier: Apache-2.0 */
/* ILU(0) and triangular solves of many small systems on the GPU: one block of threads per system,
 * with all of the system's numbers in shared memory. */
#include "uniform/sweeps.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
GPU_FUNCTION V *numbers_of(const tulle__strided &v, int64_t s, int64_t i) {
    return static_cast<V *>(v.data) + i * v.row + s * v.col;
}

template <int warps, class V>
GPU_FUNCTION void load_values(const tulle__uniform_view &p, const tulle__strided &a, int64_t s,
                              shared<V> f) {
    team<warps>::meet(); /* waits until no thread works on the previous system */
    for (int e = static_cast<int>(thread()); e < p.entries; e += team<warps>::threads) {
        f[load(p.slot_of + e)] = load_awaited(numbers_of<const V>(a, s, e));
    }
    team<warps>::meet();
}

template <class V, int warps>
GPU_KERNEL void factor_systems(tulle__uniform_factors job) {
    GPU_DYNAMIC_SHARED(double, memory);
    const tulle__uniform_view &p = job.pattern;
    shared_parts parts(memory);
    const team<warps> all = {parts.template take<double>(int64_t{2} * warps)};
    shared<V> f = parts.template take<V>(p.slots);
    for (int64_t s = block(); s < job.count; s += grid_size()) {
        load_values<warps, V>(p, job.a, s, f);
        const int row = factor_in_place<warps, V>(p, f, all);
        for (int e = static_cast<int>(thread()); e < p.entries; e += team<warps>::threads) {
            *numbers_of<V>(job.f, s, e) = f[load(p.slot_of + e)];
        }
        if (thread() == 0 && job.reports) {
            job.reports[s] = tulle__uniform_factored(row < p.n ? row : -1);
        }
    }
}

template <class V, int warps>
GPU_KERNEL void sweep_systems(tulle__uniform_sweeps job) {
    GPU_DYNAMIC_SHARED(double, memory);
    const tulle__uniform_view &p = job.pattern;
    shared_parts parts(memory);
    shared<V> f = parts.template take<V>(p.slots);
    shared<V> z = parts.template take<V>(p.n);
    for (int64_t s = block(); s < job.count; s += grid_size()) {
        load_values<warps, V>(p, job.a, s, f);
        for (int i = static_cast<int>(thread()); i < p.n; i += team<warps>::threads) {
            z[i] = *numbers_of<const V>(job.b, s, i);
        }
        if (job.lower) solve_triangle<warps, V>(p, f, z, TULLE_LOWER, job.unit_lower);
        if (job.upper) solve_triangle<warps, V>(p, f, z, TULLE_UPPER, job.unit_upper);
        for (int i = static_cast<int>(thread()); i < p.n; i += team<warps>::threads) {
            *numbers_of<V>(job.x, s, i) = z[i];
        }
    }
}

/* rows_of_warp: most rows of a system that one warp works on. warps_of_more: number of warps for a
 * larger system. */
constexpr int rows_of_warp = 256, warps_of_more = 4;

template <class V, class Job>
tulle_status launch_systems(const tulle__place *place, const Job *job, int64_t more,
                            void (*by_warp)(Job), void (*by_warps)(Job)) {
    const bool one = job->pattern.n <= rows_of_warp;
    const int64_t most = INT32_MAX, blocks = job->count < most ? job->count : most;
    size_t bytes;
    GPU_TRY(shared_room(doubles_for<V>(job->pattern.slots) + more, job->shared_bytes, &bytes));
    return launch(place, one ? by_warp : by_warps,
                  {blocks, one ? warp_lanes : warps_of_more * warp_lanes, bytes}, *job);
}

template <class V>
tulle_status factor_in(const tulle__place *place, const tulle__uniform_factors *job) {
    return launch_systems<V>(place, job, 2 * warps_of_more, factor_systems<V, 1>,
                             factor_systems<V, warps_of_more>);
}

template <class V>
tulle_status sweep_in(const tulle__place *place, const tulle__uniform_sweeps *job) {
    return launch_systems<V>(place, job, doubles_for<V>(job->pattern.n), sweep_systems<V, 1>,
                             sweep_systems<V, warps_of_more>);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(uniform_factor)(const tulle__place *place,
                                        const tulle__uniform_factors *job) {
    return job->type == TULLE_F32 ? gpu::factor_in<float>(place, job)
                                  : gpu::factor_in<double>(place, job);
}

tulle_status GPU_SYMBOL(uniform_sweep)(const tulle__place *place,
                                       const tulle__uniform_sweeps *job) {
    return job->type == TULLE_F32 ? gpu::sweep_in<float>(place, job)
                                  : gpu::sweep_in<double>(place, job);
}
