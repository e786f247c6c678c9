/* SPDX-License-Identifier: Apache-2.0 */
/* Where the products of each entry of C are, listed: values alone are then one pass, in which a
 * thread has an entry, and no table is looked into. A product takes six bytes, an entry two, so
 * this is for C that do not have many products for each entry. */
#ifndef TULLE_SPGEMM_GPU_PRODUCT_LISTS_CUH
#define TULLE_SPGEMM_GPU_PRODUCT_LISTS_CUH

#include "gpu/rounded.cuh"
#include "spgemm/gpu/update_rows.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A tile is so many neighbouring entries of C, which a block has. */
constexpr int list_threads = 256;

/* What lists may take: in all, or for each entry of C, which itself takes 12 bytes (f64, 32-bit
 * columns). */
constexpr int64_t small_lists = INT64_C(64) << 20, list_bytes = 24;

struct product_lists {
    int64_t tiles;
    int64_t *first_products; /* of each tile, and behind the last one's */
    int64_t *first_a;        /* the entry of A from which those of a tile are counted */
    uint16_t *begins;        /* of each entry's list, counted from the tile's first product */
    uint16_t *a;
    uint32_t *b;
};

/* Places in a tile have 16 bits. */
constexpr int most_of_tile = UINT16_MAX;

inline int64_t lists_bytes(int64_t products, int64_t entries) {
    const int64_t tiles = entries / list_threads + 1;
    return products * static_cast<int64_t>(sizeof(uint16_t) + sizeof(uint32_t)) +
           entries * static_cast<int64_t>(sizeof(uint16_t)) +
           (2 * tiles + 1) * static_cast<int64_t>(sizeof(int64_t));
}
inline bool lists_fit(int64_t products, int64_t entries, int64_t a_nnz, int64_t b_nnz) {
    const int64_t bytes = lists_bytes(products, entries);
    return products <= INT32_MAX && entries <= INT32_MAX && a_nnz <= INT32_MAX &&
           b_nnz <= INT32_MAX && (bytes <= small_lists || bytes <= list_bytes * entries);
}

/* Some lanes take an entry of A: calls each(its number, that of an entry of B, the place in C). */
template <class V, class O, class C, class Each>
GPU_FUNCTION void each_place(const factors<V, O, C> &f, int64_t a_nnz, const int64_t *offsets,
                             const C *cols, Each each) {
    constexpr int lanes = small_shape::lanes;
    int64_t row = 0;
    for (int64_t e = loop_first() / lanes; e < a_nnz; e += loop_stride() / lanes) {
        row = row_of_entry(f.a_offsets, f.rows, e, row);
        const int64_t begin = load(offsets + row), end = load(offsets + row + 1);
        const C k = load(f.a_cols + e);
        const O stop = load(f.b_offsets + k + 1);
        for (O q = load(f.b_offsets + k) + static_cast<O>(thread() % lanes); q < stop; q += lanes) {
            each(e, q, lower_bound(cols, begin, end, load(f.b_cols + q)));
        }
    }
}

template <class V, class O, class C>
GPU_KERNEL void count_lists(factors<V, O, C> f, int64_t a_nnz, const int64_t *offsets,
                            const C *cols, int32_t *counts) {
    each_place(f, a_nnz, offsets, cols,
               [&](int64_t, O, int64_t place) { atomic_add(counts + place, 1); });
}

/* In any order within a list. ends[c]: where the list of entry c begins, and then ends. */
template <class V, class O, class C>
GPU_KERNEL void fill_lists(factors<V, O, C> f, int64_t a_nnz, const int64_t *offsets, const C *cols,
                           int32_t *ends, uint32_t *a, uint32_t *b) {
    each_place(f, a_nnz, offsets, cols, [&](int64_t e, O q, int64_t place) {
        const int32_t at = atomic_add(ends + place, 1);
        a[at] = static_cast<uint32_t>(e);
        b[at] = static_cast<uint32_t>(q);
    });
}

/* Sorts a list by the entries of A, which differ (Shell 1959, with steps of Knuth 1973). */
GPU_FUNCTION void sort_list(uint32_t *a, uint32_t *b, int count) {
    int step = 1;
    while (step < count / 3) step = 3 * step + 1;
    for (; step > 0; step /= 3) {
        for (int k = step; k < count; k++) {
            const uint32_t one_a = a[k], one_b = b[k];
            int hole = k;
            for (; hole >= step && a[hole - step] > one_a; hole -= step) {
                a[hole] = a[hole - step];
                b[hole] = b[hole - step];
            }
            a[hole] = one_a;
            b[hole] = one_b;
        }
    }
}

/* A longer list is sorted by all threads of the block, as the diagonal entries of a graph's hubs
 * have products by the thousand. */
constexpr int most_alone = 128;

/* Lists in the order of A, and what stands for them; *unfit becomes 1 where 16 bits do not hold
 * that. */
template <class O>
GPU_KERNEL void sort_lists(int64_t rows, int64_t entries, const O *a_offsets,
                           const int64_t *offsets, const int32_t *ends, uint32_t *a,
                           product_lists l, unsigned *unfit) {
    GPU_SHARED(int64_t, first_a, 1);
    GPU_SHARED(int, begins, list_threads + 1); /* of lists, from the tile's first product on */
    const int t = static_cast<int>(thread());
    const int64_t tile = static_cast<int64_t>(block()) * list_threads;
    const auto products_before = [&](int64_t c) -> int64_t {
        const int64_t before = c < entries ? c : entries;
        return before > 0 ? load(ends + before - 1) : 0;
    };
    const int64_t first = products_before(tile), all = products_before(tile + list_threads) - first;
    if (t == 0) {
        first_a[0] = load(a_offsets + row_of_entry(offsets, rows, tile, 0));
        l.first_a[block()] = first_a[0];
        l.first_products[block()] = first;
        if (block() + 1 == l.tiles) l.first_products[l.tiles] = first + all;
        begins[list_threads] = static_cast<int>(all);
    }
    if (all > most_of_tile) {
        if (t == 0) store_relaxed(unfit, 1u);
        return;
    }
    begins[t] = static_cast<int>(products_before(tile + t) - first);
    sync();
    a += first;
    uint32_t *b = l.b + first;
    const int begin = begins[t], count = begins[t + 1] - begin;
    if (count <= most_alone) sort_list(a + begin, b + begin, count);
    for (int k = 0; k < list_threads; k++) {
        const int at = begins[k], many = begins[k + 1] - at;
        if (many > most_alone) sort_entries<uint32_t, uint32_t>(a + at, b + at, many);
    }
    sync();
    if (tile + t < entries) l.begins[tile + t] = static_cast<uint16_t>(begin);
    bool fits = true;
    for (int p = t; p < static_cast<int>(all); p += list_threads) {
        const int64_t from_first = static_cast<int64_t>(a[p]) - first_a[0];
        fits &= from_first <= UINT16_MAX;
        l.a[first + p] = static_cast<uint16_t>(from_first);
    }
    if (!fits) store_relaxed(unfit, 1u);
}

/* Products of a list that a thread has on their way: with more of them fewer blocks run at once,
 * and the first level of cache loses what neighbours need. */
constexpr int products_each = 2;

template <class V>
GPU_FUNCTION V add_products(const uint16_t *a, const uint32_t *b, int count, const V *a_values,
                            const V *b_values) {
    V sum = 0;
    for (; count > 0; count -= products_each, a += products_each, b += products_each) {
        int of_a[products_each], of_b[products_each];
        V left[products_each], right[products_each];
        GPU_UNROLL
        for (int k = 0; k < products_each; k++) {
            if (k >= count) continue;
            of_a[k] = load(a + k);
            of_b[k] = static_cast<int>(load(b + k));
        }
        GPU_UNROLL
        for (int k = 0; k < products_each; k++) {
            if (k >= count) continue;
            left[k] = load(a_values + of_a[k]);
            right[k] = load(b_values + of_b[k]);
        }
        GPU_UNROLL
        for (int k = 0; k < products_each; k++) {
            if (k < count) sum += rounded_product(left[k], right[k]);
        }
    }
    return sum;
}

/* A tile of more products than this has long lists, and is multiplied so many at a time before it
 * is added: then a long list keeps no thread's neighbours waiting for memory. Short ones go faster
 * without the way through shared memory. */
constexpr int most_direct = 4 * list_threads, products_at_once = 1024;

template <class V>
GPU_FUNCTION void multiply_some(const uint16_t *a, const uint32_t *b, int count, const V *a_values,
                                const V *b_values, shared<V> room) {
    const int t = static_cast<int>(thread());
    for (int first = t; first < count; first += products_each * list_threads) {
        V left[products_each], right[products_each];
        GPU_UNROLL
        for (int k = 0; k < products_each; k++) {
            const int p = first + k * list_threads;
            if (p >= count) continue;
            left[k] = load(a_values + load(a + p));
            right[k] = load(b_values + load(b + p));
        }
        GPU_UNROLL
        for (int k = 0; k < products_each; k++) {
            const int p = first + k * list_threads;
            if (p < count) room[p] = rounded_product(left[k], right[k]);
        }
    }
}

/* The sum of this thread's list, from next to end of a tile's products. */
template <class V>
GPU_FUNCTION V add_staged(const uint16_t *a, const uint32_t *b, int next, int end, int all,
                          const V *a_values, const V *b_values, shared<V> room) {
    V sum = 0;
    for (int done = 0; done < all; done += products_at_once) {
        const int stop = all - done < products_at_once ? all : done + products_at_once;
        multiply_some(a + done, b + done, stop - done, a_values, b_values, room);
        sync();
        for (; next < end && next < stop; next++) sum += room[next - done];
        if (stop < all) sync();
    }
    return sum;
}

/* Values of C. */
template <class V>
GPU_KERNEL GPU_RESIDENT(list_threads, 8) void update_lists(product_lists l, int64_t entries,
                                                           const V *a_values, const V *b_values,
                                                           scalar<V> alpha, V *values) {
    GPU_SHARED(V, room, products_at_once);
    const int64_t c = static_cast<int64_t>(block()) * list_threads + thread();
    const int64_t first = load(l.first_products + block());
    const int all = static_cast<int>(load(l.first_products + block() + 1) - first);
    const V *of_a = a_values + load(l.first_a + block());
    const bool last = thread() + 1 == list_threads || c + 1 == entries;
    const int begin = c < entries ? load(l.begins + c) : all;
    const int end = c < entries && !last ? load(l.begins + c + 1) : all;
    const uint16_t *a = l.a + first;
    const uint32_t *b = l.b + first;
    const V sum = all > most_direct
                      ? add_staged(a, b, begin, end, all, of_a, b_values, room)
                      : add_products(a + begin, b + begin, end - begin, of_a, b_values);
    if (c < entries) values[c] = alpha.value() * sum;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
