/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 4's table (algorithm 5): the column times 107 modulo the slots, a power of two; the swap is
 * left out where the column is there already. The printed loop puts a column in twice when it loses
 * a swap to the same column, and its product can pass 32 bits; both are mended here. */
#ifndef TULLE_SPGEMM_PUBLISHED_SCATTERED_TABLE_CUH
#define TULLE_SPGEMM_PUBLISHED_SCATTERED_TABLE_CUH

#include "spgemm/gpu/factors.cuh"
#include "spgemm/gpu/probing.cuh"
#include "spgemm/gpu/row_groups.cuh"

namespace TULLE_GPU_NAMESPACE {

/* A table of columns. Keys: type of a pointer to slots, in shared memory or global; Slot:
 * unsigned, which wraps around. */
template <class Keys, class Slot>
struct scattered_table {
    Keys keys;
    Slot mask; /* number of slots less one; slots are a power of two */

    template <class C>
    GPU_FUNCTION Slot slot_of(C column) const {
        constexpr Slot scatter = 107; /* factor of the hash: paper 4's HASH_SCAL */
        return static_cast<Slot>(column) * scatter & mask;
    }
    template <class C>
    GPU_FUNCTION Slot put(C column, bool *fresh) const {
        return put_column<true>(keys, slot_of(column), mask, column, fresh);
    }
    /* Clears the table by some threads, of which this is number own. */
    GPU_FUNCTION void clear(Slot own, Slot threads) const {
        for (Slot s = own; s <= mask; s += threads) keys[s] = -1;
    }
    /* A table with a sum for each slot. */
    template <class Sums>
    GPU_FUNCTION void clear(Slot own, Slot threads, Sums sums) const {
        for (Slot s = own; s <= mask; s += threads) {
            keys[s] = -1;
            sums[s] = 0;
        }
    }
};

/* Room for a row of C from offsets[row] on, and its number of entries once counted, or NULL
 * where offsets give it. */
template <class V, class C>
struct row_target {
    target<V, C> c;
    int64_t *counts;

    GPU_FUNCTION int64_t first(int64_t row) const { return load(c.offsets + row); }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
