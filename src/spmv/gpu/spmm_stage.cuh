/* SPDX-License-Identifier: Apache-2.0 */
/* Staging: the entries of the rows of a warp, which are one stretch of A, are copied to shared
 * memory by all lanes together, in groups of four. So few loads bring the entries, and all loads
 * are of neighbouring addresses, whatever the lengths of the rows. */
#ifndef TULLE_SPMV_GPU_SPMM_STAGE_CUH
#define TULLE_SPMV_GPU_SPMM_STAGE_CUH

#include "gpu/loop.cuh"
#include "spmv/gpu/spmm_entries.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int group_entries = warp_lanes * group_size; /* entries of a group for each lane */

/* Bytes of shared memory that a block has without asking for more. */
constexpr size_t shared_bytes = 48 << 10;

/* Loads the group of four from entry `at` on, as far as there are entries. */
template <class T, class O>
GPU_FUNCTION pack<T, group_size> load_part(const T *array, O at, O groups_end, O nnz) {
    if (at < groups_end) return load_group(array, at);
    pack<T, group_size> part = {};
    GPU_UNROLL
    for (int f = 0; f < group_size; f++) {
        if (f < nnz - at) part.at[f] = load_once(array + at + f);
    }
    return part;
}

/* Returns a number of entries as one of at most `room`. */
template <class O>
GPU_FUNCTION int at_most(O entries, int room) {
    return entries < 0 ? 0 : entries < room ? static_cast<int>(entries) : room;
}

/* Brings `count` entries of A from `first` on, which begins a group, to shared memory. All lanes of
 * the warp take part. aligned: the columns and values of A may be loaded in groups. */
template <class V, class O, class C>
GPU_FUNCTION void stage(const csr_product<V, O, C> &a, bool aligned, O first, int count,
                        shared<C> columns, shared<V> values) {
    constexpr int loads = sizeof(V) + sizeof(C) <= 8 ? 2 : 1;
    using some_columns = pack<C, group_size>;
    using some_values = pack<V, group_size>;
    shared<some_columns> column_groups = shared<some_columns>(columns);
    shared<some_values> value_groups = shared<some_values>(values);
    int own = static_cast<int>(lane());
    O nnz = static_cast<O>(a.nnz);
    O groups_end = aligned ? nnz & ~static_cast<O>(group_size - 1) : 0;
    GPU_KEEP_LOOP
    for (int from = 0; from < count; from += loads * group_entries) {
        some_columns column[loads] = {};
        some_values value[loads] = {};
        GPU_UNROLL
        for (int g = 0; g < loads; g++) {
            int at = from + (own + g * warp_lanes) * group_size;
            if (at >= count) continue;
            column[g] = load_part(a.cols_of, first + static_cast<O>(at), groups_end, nnz);
            value[g] = load_part(a.values, first + static_cast<O>(at), groups_end, nnz);
        }
        GPU_UNROLL
        for (int g = 0; g < loads; g++) {
            int at = from + (own + g * warp_lanes) * group_size;
            if (at >= count) continue;
            column_groups[at / group_size] = column[g];
            value_groups[at / group_size] = value[g];
        }
    }
}

/* Number of bytes of an entry in shared memory. */
inline size_t entry_bytes(const tulle__spmv_shape *shape) {
    return static_cast<size_t>(tulle_type_size(shape->type)) +
           static_cast<size_t>(tulle_index_size(shape->index));
}

/* Number of groups of four entries a lane, at most `most`, that the shared memory of a block of so
 * many warps has room for. */
inline int groups_that_fit(size_t bytes_of_entry, int warps, int most) {
    int groups = most;
    while (groups > 1 &&
           static_cast<size_t>(groups * warps * group_entries) * bytes_of_entry > shared_bytes) {
        groups--;
    }
    return groups;
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
