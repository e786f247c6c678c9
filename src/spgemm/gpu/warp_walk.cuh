/* SPDX-License-Identifier: Apache-2.0 */
/* A warp's way through the multiplications of a row. It takes the entries of A's row in their
 * order, its lanes the entries of B's row side by side. Where B's rows are short, parts of the warp
 * take neighbouring entries of A at once, and then take turns where they add. The next
 * multiplications are on their way while some are used. */
#ifndef TULLE_SPGEMM_GPU_WARP_WALK_CUH
#define TULLE_SPGEMM_GPU_WARP_WALK_CUH

#include "gpu/rounded.cuh"
#include "gpu/scan.cuh"
#include "spgemm/gpu/multiplications.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A's entries in lanes, each with its row of B. */
template <class V, class O>
struct warp_entries {
    O start, stop;
    V value;
    int count; /* number of lanes that have an entry */

    template <class C>
    GPU_FUNCTION warp_entries(const factors<V, O, C> &f, O at, O end, bool values)
        : start(0), stop(0), value(0) {
        O e = at + static_cast<O>(lane());
        count = end - at < warp_lanes ? static_cast<int>(end - at) : warp_lanes;
        if (e >= end) return;
        C k = load(f.a_cols + e);
        start = load(f.b_offsets + k);
        stop = load(f.b_offsets + k + 1);
        if (values) value = load(f.a_values + e);
    }
    /* Returns the entry of lane m, which may be another for each lane. */
    GPU_FUNCTION O start_of(int m) const { return shuffle(full_warp, start, m); }
    GPU_FUNCTION O stop_of(int m) const { return shuffle(full_warp, stop, m); }
    GPU_FUNCTION V value_of(int m) const { return shuffle(full_warp, value, m); }
};

/* A lane's multiplication, or none; parts with a lower number add first. */
template <class V, class C>
struct lane_multiplication {
    bool there;
    C column;
    V term;
    int part, parts;
};

/* Multiplications that a lane has asked memory for. */
template <class V, class C>
struct asked_multiplication {
    bool there;
    C column;
    V a, b;
    int part, parts; /* parts 0: nothing was asked for */

    template <class Step>
    GPU_FUNCTION void use(Step step) const {
        if (parts == 0) return;
        step(lane_multiplication<V, C>{there, column, there ? rounded_product(a, b) : V(0), part,
                                       parts});
    }
};

/* Returns the fewest lanes that most of B's rows fit into; *longer: lanes whose rows do not. */
GPU_FUNCTION int part_width(int64_t length, int count, unsigned *longer) {
    constexpr int widths[] = {4, 8, 16};
    for (int k = 0; k < 3; k++) {
        *longer = ballot(full_warp, length > widths[k]);
        if (4 * count_bits(*longer) <= count) return widths[k];
    }
    *longer = full_warp;
    return warp_lanes;
}

/* Calls step(lane_multiplication) for all multiplications of a row, all lanes together:
 * multiplications of one row of B before those of the next, except that parts take several rows at
 * once. narrow(start, stop), of each lane for itself, may leave out entries at both ends of a row
 * of B. */
template <class V, class O, class C, class Narrow, class Step>
GPU_FUNCTION void warp_walk_within(const factors<V, O, C> &f, int64_t row, Narrow narrow,
                                   Step step) {
    O end = load(f.a_offsets + row + 1);
    asked_multiplication<V, C> next = {false, 0, 0, 0, 0, 0};
    for (O at = load(f.a_offsets + row); at < end; at += warp_lanes) {
        warp_entries<V, O> own(f, at, end, true);
        narrow(own.start, own.stop);
        unsigned longer = 0;
        const int width = part_width(own.stop - own.start, own.count, &longer);
        const int parts = warp_lanes / width, part = static_cast<int>(lane()) / width;
        const unsigned batch = parts == 1 ? 1u : (1u << parts) - 1u;
        for (int m = 0; m < own.count; m += parts) {
            bool apart = (longer >> m & batch) == 0;
            int last = apart || m + parts > own.count ? m : m + parts - 1;
            if (!apart && m + parts > own.count) last = own.count - 1;
            for (int k = m; k <= last; k++) {
                int entry = apart ? m + part : k;
                bool has = entry < own.count;
                O stop = own.stop_of(entry % warp_lanes);
                O q = own.start_of(entry % warp_lanes);
                V value = own.value_of(entry % warp_lanes);
                q += static_cast<O>(apart ? static_cast<int>(lane()) % width : lane());
                do {
                    const asked_multiplication<V, C> now = next;
                    bool there = has && q < stop;
                    next = {there,
                            there ? load(f.b_cols + q) : C(0),
                            value,
                            there ? load(f.b_values + q) : V(0),
                            apart ? part : 0,
                            apart ? parts : 1};
                    now.use(step);
                    q += warp_lanes;
                } while (!apart && any(full_warp, q < stop));
            }
        }
    }
    next.use(step);
}

template <class V, class O, class C, class Step>
GPU_FUNCTION void warp_walk(const factors<V, O, C> &f, int64_t row, Step step) {
    warp_walk_within(
        f, row, [](O &, O &) {}, step);
}

/* Calls each(column) for all multiplications of a row, in no order: lanes have multiplications side
 * by side, whatever rows of B these are in, and ask for some before they use them. */
template <class V, class O, class C, class Each>
GPU_FUNCTION void warp_sweep(const factors<V, O, C> &f, int64_t row, Each each) {
    constexpr int steps = 4;
    O end = load(f.a_offsets + row + 1);
    for (O at = load(f.a_offsets + row); at < end; at += warp_lanes) {
        const warp_entries<V, O> own(f, at, end, false);
        const O with = warp_scan(static_cast<O>(own.stop - own.start));
        const O shift = own.stop - with, all = shuffle(full_warp, with, warp_lanes - 1);
        for (O first = 0; first < all; first += steps * warp_lanes) {
            C columns[steps];
            GPU_UNROLL
            for (int u = 0; u < steps; u++) {
                const O p = first + static_cast<O>(u * warp_lanes + static_cast<int>(lane()));
                int m = 0; /* number of lanes all of whose multiplications come before
                              multiplication p */
                GPU_UNROLL
                for (int half = warp_lanes / 2; half > 0; half /= 2) {
                    if (shuffle(full_warp, with, m + half - 1) <= p) m += half;
                }
                const O q = p + shuffle(full_warp, shift, m);
                columns[u] = p < all ? load(f.b_cols + q) : C(0);
            }
            GPU_UNROLL
            for (int u = 0; u < steps; u++) {
                if (first + static_cast<O>(u * warp_lanes + static_cast<int>(lane())) < all) {
                    each(columns[u]);
                }
            }
        }
    }
}

/* Adds to sums[place], part by part. */
template <class V, class C>
GPU_FUNCTION void add_by_parts(const lane_multiplication<V, C> &p, shared<V> sums, int place) {
    for (int part = 0; part < p.parts; part++) {
        if (p.there && p.part == part) sums[place] += p.term;
        sync_warp(full_warp);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
