/* SPDX-License-Identifier: Apache-2.0 */
/* Products of formats whose neighbouring rows have their slots next to each other, so that
 * neighbouring threads read neighbouring slots: ELL and formats that are made of ELLs. One thread
 * computes a row, or `share` threads of different warps do: they take the slots of the row in turns
 * and add their sums in shared memory, in a fixed order. A format is a layout, which gives the
 * slots of a position. */
#ifndef TULLE_SPMV_GPU_SLOTS_CUH
#define TULLE_SPMV_GPU_SLOTS_CUH

#include "spmv/gpu/csr_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Arguments of y := alpha A x + beta y. `order` has the row at each position; NULL: row p is at
 * position p. */
template <class V, class C>
struct slot_product {
    int64_t positions;
    const C *order;
    const C *cols_of;
    const V *values;
    const V *x;
    V *y;
    scalar<V> alpha, beta;

    GPU_FUNCTION int64_t row(int64_t p) const {
        return order ? static_cast<int64_t>(load(order + p)) : p;
    }
};

template <class V, class C>
slot_product<V, C> make_slot_product(const tulle__spmv_task *task) {
    return {task->shape.rows,
            static_cast<const C *>(task->order),
            static_cast<const C *>(task->cols_of),
            static_cast<const V *>(task->values),
            static_cast<const V *>(task->x),
            static_cast<V *>(task->y),
            make_scalar<V>(task->alpha),
            make_scalar<V>(task->beta)};
}

/* Share of one thread among several threads of a row: slot `part` of the row, and every 2^bits-th
 * slot from there. */
struct turn {
    int part, bits;
    GPU_FUNCTION int64_t of(int64_t count) const {
        return (count + (1 << bits) - 1 - part) >> bits;
    }
};

/* A path over `left` slots, at a constant distance `step`. The addresses advance, which takes fewer
 * registers than indices. */
template <class V, class C, class Step>
struct strided_path {
    const C *column_at;
    const V *value_at;
    Step step;
    int64_t left;

    GPU_FUNCTION strided_path(const slot_product<V, C> &a, int64_t at, Step distance, int64_t count)
        : column_at(a.cols_of), value_at(a.values), step(distance), left(count) {
        if (left <= 0) return; /* a matrix without slots has no arrays, so no address is computed */
        column_at += at;
        value_at += at;
    }
    GPU_FUNCTION bool any() const { return left > 0; }
    template <bool stays>
    GPU_FUNCTION void entry(int number, C *column, V *value) const {
        if (number >= left) return;
        *value = load_value<stays>(value_at + number * step);
        *column = load_entry<stays>(column_at + number * step);
    }
    GPU_FUNCTION void advance(int count) {
        column_at += count * step;
        value_at += count * step;
        left -= count;
    }
};

/* Returns the path of one thread (its turn t) over the `count` slots of a row, which begin at `at`
 * and lie `distance` apart. */
template <class V, class C, class Step>
GPU_FUNCTION strided_path<V, C, Step> path_of_turn(const slot_product<V, C> &a, int64_t at,
                                                   Step distance, int64_t count, turn t) {
    return {a, at + t.part * distance, static_cast<Step>(distance << t.bits), t.of(count)};
}

/* Uses of entries. `gather` adds the products of a row's entries to the row's sum; `spread` adds
 * the products of entries with one number of x to numbers of y. */
template <class V>
struct gather {
    const V *x;
    V sum;

    template <int ahead, class C>
    GPU_FUNCTION void use(const C (&column)[ahead], const V (&value)[ahead]) {
        V factor[ahead];
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) {
            factor[f] = 0;
            if (column[f] >= 0) factor[f] = load_awaited(x + column[f]);
        }
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) sum += (column[f] >= 0 ? value[f] : V(0)) * factor[f];
    }
};

template <class V>
struct spread {
    V *y;
    V alpha, x; /* products are alpha (a x), as in csr.cuh's scatter */

    template <int ahead, class C>
    GPU_FUNCTION void use(const C (&column)[ahead], const V (&value)[ahead]) {
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) {
            if (column[f] >= 0) atomic_add(y + column[f], alpha * (value[f] * x));
        }
    }
};

/* Walks all entries on a path. `ahead` columns and values are loaded before the first is used,
 * and do not wait for each other. Only padding follows padding, column -1, so a path may end
 * there. stays: see load_entry. */
template <int ahead, bool stays, class V, class C, class Path, class Entries>
GPU_FUNCTION void walk(Path path, Entries *entries) {
    bool more = true;
    while (more && path.any()) {
        C column[ahead];
        V value[ahead];
        GPU_UNROLL
        for (int f = 0; f < ahead; f++) {
            column[f] = -1;
            value[f] = 0;
            path.template entry<stays>(f, &column[f], &value[f]);
        }
        entries->use(column, value);
        more = column[ahead - 1] >= 0;
        path.advance(ahead);
    }
}

/* A block has 2^width_bits positions side by side, 2^share_bits times one after another. */
struct crew {
    int threads, share_bits, width_bits;

    GPU_FUNCTION int64_t position() const {
        return (static_cast<int64_t>(block()) << width_bits) +
               (thread() & ((1u << width_bits) - 1));
    }
    GPU_FUNCTION turn own_turn() const {
        return {static_cast<int>(thread() >> width_bits), share_bits};
    }
};

inline int bits_of(int power_of_two) {
    int bits = 0;
    while (1 << bits < power_of_two) bits++;
    return bits;
}

inline crew make_crew(int threads, int share) {
    return {threads, bits_of(share), bits_of(threads / share)};
}

inline int64_t crews_for(int64_t positions, crew c) {
    int64_t side = int64_t{1} << c.width_bits;
    return positions / side + (positions % side != 0);
}

constexpr int most_crew_threads = 256;

/* Number of blocks that are to be resident: as many as leave a thread the registers for its
 * flight, 40 for four values of 4 bytes, 48 for twice, 64 for four times as much. Left alone,
 * the compiler takes 32, and then the loads of a flight wait for each other. */
constexpr int crews_resident(int ahead, size_t value) {
    return ahead * value <= 16 ? 6 : ahead * value <= 32 ? 5 : 4;
}

/* Sums each row in its first thread. */
template <class V>
GPU_FUNCTION V sum_of_crew(V sum, shared<V> sums, crew c) {
    if (c.share_bits == 0) return sum;
    sums[thread()] = sum;
    sync();
    if (thread() >> c.width_bits) return sum;
    for (unsigned t = thread() + (1u << c.width_bits); t < block_size(); t += 1u << c.width_bits) {
        sum += sums[t];
    }
    return sum;
}

template <int ahead, class Layout, class V, class C>
GPU_KERNEL GPU_RESIDENT(most_crew_threads,
                        crews_resident(ahead, sizeof(V))) void add_slots(Layout layout,
                                                                         slot_product<V, C> a,
                                                                         crew c) {
    allow_next();
    await_previous();
    GPU_SHARED(V, sums, most_crew_threads);
    int64_t p = c.position();
    gather<V> row = {a.x, 0};
    if (p < a.positions) walk<ahead, Layout::stays, V, C>(layout.path(a, p, c.own_turn()), &row);
    V sum = sum_of_crew<V>(row.sum, sums, c);
    if (c.own_turn().part > 0 || p >= a.positions) return;
    V *y = a.y + a.row(p);
    *y = combine(a.alpha.value(), sum, a.beta.value(), y);
}

template <class Layout, class V, class C>
GPU_KERNEL void spread_slots(Layout layout, slot_product<V, C> a, crew c) {
    int64_t p = c.position();
    if (p >= a.positions) return;
    spread<V> row = {a.y, a.alpha.value(), load_awaited(a.x + a.row(p))};
    walk<flight, Layout::stays, V, C>(layout.path(a, p, c.own_turn()), &row);
}

/* Computes A x, or A^T x added to a y that has been scaled. */
template <int ahead, class Layout, class V, class C>
tulle_status run_slots(const tulle__spmv_task *task, const Layout &layout,
                       const slot_product<V, C> &a, crew c) {
    grid g = {crews_for(a.positions, c), c.threads};
    if (task->shape.trans == TULLE_T) {
        return launch(task->place, spread_slots<Layout, V, C>, g, layout, a, c);
    }
    return launch_early(task->place, add_slots<ahead, Layout, V, C>, g, layout, a, c);
}

/* Scales y by beta before A^T x. */
template <class V, class C>
tulle_status start_slots(const tulle__spmv_task *task, const slot_product<V, C> &a) {
    if (task->shape.trans == TULLE_N) return TULLE_OK;
    return scale(task->place, task->shape.cols, a.beta, a.y);
}

/* Layout of ELL, or of a section of it: `width` slots at the distance `stride`. */
struct ell_layout {
    static constexpr bool stays = false;
    int64_t stride, width;
    template <class V, class C>
    GPU_FUNCTION strided_path<V, C, int64_t> path(const slot_product<V, C> &a, int64_t p,
                                                  turn t) const {
        return path_of_turn(a, p, stride, width, t);
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
