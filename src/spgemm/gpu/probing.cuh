/* SPDX-License-Identifier: Apache-2.0 */
/* Tables of columns by linear probing, in shared memory or global: a slot has a column or, where it
 * is free, -1. They have a power of two of slots, one more than mask says, and at least one for
 * each column that is put in. */
#ifndef TULLE_SPGEMM_GPU_PROBING_CUH
#define TULLE_SPGEMM_GPU_PROBING_CUH

#include "gpu/peek.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Puts a column in, which several threads may do at once, and returns its slot; *fresh: true
 * when this thread put it in. slot: where the column would be if it were alone. look: true to
 * look before swapping, which then is left out where the column is there. */
template <bool look, class Keys, class Slot, class C>
GPU_FUNCTION Slot put_column(Keys keys, Slot slot, Slot mask, C column, bool *fresh) {
    for (;; slot++) {
        slot &= mask;
        C old = look ? peek(keys + slot) : C(-1);
        if (old == C(-1)) old = atomic_cas(keys + slot, C(-1), column);
        *fresh = old == C(-1);
        if (*fresh || old == column) return slot;
    }
}

/* Returns the slot of a column that is there. */
template <class Keys, class Slot, class C>
GPU_FUNCTION Slot find_column(Keys keys, Slot slot, Slot mask, C column) {
    for (;; slot++) {
        slot &= mask;
        C key = keys[slot];
        if (key == column) return slot;
    }
}

/* Finds the slot of a column that may be there; returns false where it is not. A slot is free. */
template <class Keys, class Slot, class C>
GPU_FUNCTION bool seek_column(Keys keys, Slot *slot, Slot mask, C column) {
    for (;; ++*slot) {
        *slot &= mask;
        C key = keys[*slot];
        if (key == column) return true;
        if (key == C(-1)) return false;
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
