/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a block that work on a system together (a team): one warp, or a few. Thread t has
 * rows t, t + threads and so on. */
#ifndef TULLE_UNIFORM_TEAM_CUH
#define TULLE_UNIFORM_TEAM_CUH

#include "gpu/loop.cuh"
#include "uniform/functions.h"
#include "vector/norm.h"

namespace TULLE_GPU_NAMESPACE {

template <int warps>
struct team {
    static constexpr int threads = warps * warp_lanes;

    shared<double> room; /* 2 * warps numbers, if there are several warps */

    /* After this call all threads see the earlier writes of each. */
    GPU_FUNCTION static void meet() {
        if constexpr (warps == 1) {
            sync_warp(full_warp);
        } else {
            sync();
        }
    }

    /* Both functions sum over all threads, and return the sums to all, in an order that never
     * changes. For two sums at a time, half of the lanes go on with one of them after the first
     * step. */
    GPU_FUNCTION double sum(double v) const {
        GPU_UNROLL
        for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
            v += shuffle_xor(full_warp, v, lanes);
        }
        if constexpr (warps == 1) return v;
        double ignored = 0;
        join(&v, &ignored);
        return v;
    }
    GPU_FUNCTION void sum(double *v, double *w) const {
        constexpr int half = warp_lanes / 2;
        const bool first = lane() < half;
        double mine = first ? *v : *w;
        mine += shuffle_xor(full_warp, first ? *w : *v, half);
        GPU_UNROLL
        for (int lanes = half / 2; lanes > 0; lanes /= 2) {
            mine += shuffle_xor(full_warp, mine, lanes);
        }
        *v = shuffle(full_warp, mine, 0);
        *w = shuffle(full_warp, mine, half);
        if constexpr (warps > 1) join(v, w);
    }

    /* Returns the largest number of all threads; NaN is larger than all. */
    GPU_FUNCTION double largest(double v) const {
        GPU_UNROLL
        for (int lanes = warp_lanes / 2; lanes > 0; lanes /= 2) {
            v = tulle__larger(v, shuffle_xor(full_warp, v, lanes));
        }
        if constexpr (warps == 1) return v;
        put(v, 0);
        for (int warp = 0; warp < warps; warp++) v = tulle__larger(v, room[2 * warp]);
        return v;
    }

  private:
    GPU_FUNCTION void put(double v, double w) const {
        const int warp = static_cast<int>(thread()) / warp_lanes;
        meet();
        if (lane() == 0) {
            room[2 * warp] = v;
            room[2 * warp + 1] = w;
        }
        meet();
    }
    GPU_FUNCTION void join(double *v, double *w) const {
        put(*v, *w);
        *v = *w = 0;
        for (int warp = 0; warp < warps; warp++) {
            *v += room[2 * warp];
            *w += room[2 * warp + 1];
        }
    }
};

/* Takes arrays one after the other from the shared memory of the launch, in doubles. */
class shared_parts {
  public:
    GPU_FUNCTION explicit shared_parts(shared<double> all) : all_(all) {}
    template <class V>
    GPU_FUNCTION shared<V> take(int64_t numbers) {
        constexpr int64_t in_double = sizeof(V) == sizeof(float) ? 2 : 1;
        const int64_t first = used_, count = (numbers + in_double - 1) / in_double;
        used_ += count;
        return shared<V>(part_of(all_, first, count));
    }

  private:
    shared<double> all_;
    int64_t used_ = 0;
};

/* Returns the number of doubles that such an array takes, for the host. */
template <class V>
int64_t doubles_for(int64_t numbers) {
    constexpr int64_t in_double = sizeof(V) == sizeof(float) ? 2 : 1;
    return (numbers + in_double - 1) / in_double;
}

/* Computes the bytes of shared memory of a block; fails with TULLE_UNSUPPORTED if a block cannot
 * have so many. */
inline tulle_status shared_room(int64_t doubles, int64_t available, size_t *bytes) {
    *bytes = static_cast<size_t>(doubles) * sizeof(double);
    if (static_cast<int64_t>(*bytes) <= available) return TULLE_OK;
    return services->fail(TULLE_UNSUPPORTED, nullptr, nullptr, -1,
                          "a system takes %lld bytes of shared memory; a block has %lld here",
                          static_cast<long long>(*bytes), static_cast<long long>(available));
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
