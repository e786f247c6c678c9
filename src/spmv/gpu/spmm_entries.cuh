/* SPDX-License-Identifier: Apache-2.0 */
/* Entries of a row of A that a thread has to itself are read in groups of four, aligned, so that
 * the columns of a group are one load and its values one or two. A group at either end of a row
 * has entries of its neighbour, which are left out; entries behind the last whole group come one
 * by one. */
#ifndef TULLE_SPMV_GPU_SPMM_ENTRIES_CUH
#define TULLE_SPMV_GPU_SPMM_ENTRIES_CUH

#include "spmv/gpu/spmm.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int group_size = 4; /* number of entries that are loaded together */

template <class O>
struct row_entries {
    O begin, end;
};

template <class V, class O, class C>
GPU_FUNCTION row_entries<O> entries_of(const csr_product<V, O, C> &a, int64_t i, bool works) {
    if (!works || i >= a.rows) return {0, 0};
    return {load(a.offsets + i), load(a.offsets + i + 1)};
}

/* True when the columns and values may be loaded in groups. */
template <class V, class O, class C>
bool has_groups(const csr_product<V, O, C> &a) {
    return is_aligned(a.cols_of, alignof(pack<C, group_size>)) &&
           is_aligned(a.values, alignof(pack<V, group_size>));
}

/* Returns the first entry that is in no whole group. */
template <class V, class O, class C>
GPU_FUNCTION O end_of_groups(const csr_product<V, O, C> &a, bool aligned) {
    return aligned ? load(a.offsets + a.rows) & ~static_cast<O>(group_size - 1) : 0;
}

template <class T, class O>
GPU_FUNCTION pack<T, group_size> load_group(const T *array, O first) {
    return load_once(reinterpret_cast<const pack<T, group_size> *>(array + first));
}

/* The part of a group's entries that is the row's. */
struct group_part {
    int begin, end;
    template <class O>
    GPU_FUNCTION group_part(const row_entries<O> &row, O first)
        : begin(row.begin > first ? static_cast<int>(row.begin - first) : 0),
          end(row.end - first < group_size ? static_cast<int>(row.end - first) : group_size) {}
    GPU_FUNCTION bool has(int f) const { return f >= begin && f < end; }
};

/* Calls add_group(first entry, part, columns, values) for each group of a row, and add_entry(entry,
 * column, value) for each entry behind the groups. The columns of the next group are on their way
 * meanwhile. */
template <class V, class O, class C, class AddGroup, class AddEntry>
GPU_FUNCTION void walk_row(const csr_product<V, O, C> &a, const row_entries<O> &row, O groups_end,
                           AddGroup add_group, AddEntry add_entry) {
    O end = row.end < groups_end ? row.end : groups_end;
    O first = row.begin & ~static_cast<O>(group_size - 1);
    pack<C, group_size> next = {};
    if (first < end) next = load_group(a.cols_of, first);
    GPU_KEEP_LOOP
    for (; first < end; first += group_size) {
        pack<V, group_size> value = load_group(a.values, first);
        pack<C, group_size> column = next;
        if (first + group_size < end) next = load_group(a.cols_of, first + group_size);
        add_group(first, group_part(row, first), column, value);
    }
    GPU_KEEP_LOOP
    for (O e = row.begin > groups_end ? row.begin : groups_end; e < row.end; e++) {
        add_entry(e, load_once(a.cols_of + e), load_once(a.values + e));
    }
}

/* True when a group of entries further than the last does not pass the range of offsets. */
inline bool holds_groups(const tulle__spmv_shape *shape) {
    return shape->index != TULLE_I32 || shape->nnz <= INT32_MAX - 2 * group_size;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
