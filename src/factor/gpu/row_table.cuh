/* SPDX-License-Identifier: Apache-2.0 */
/* A table in shared memory, for a warp, of the places of the columns of a row that is not long, for
 * many searches in one row. */
#ifndef TULLE_FACTOR_GPU_ROW_TABLE_CUH
#define TULLE_FACTOR_GPU_ROW_TABLE_CUH

#include "gpu/loop.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class C>
class row_table {
  public:
    /* most columns of a row; bits and number of slots */
    static constexpr int most = 128, slot_bits = 8, slots = 1 << slot_bits;

    /* Returns the table of the calling warp; both arrays have the same share for each warp of the
     * block. */
    GPU_FUNCTION static row_table of_warp(shared<int> slots_of_all, shared<C> cols_of_all) {
        const int64_t warp = thread() / warp_lanes;
        return {part_of(slots_of_all, warp * slots, slots),
                part_of(cols_of_all, warp * most, most)};
    }

    /* Fills the table with the columns of a row, at most `most` different ones. All lanes of the
     * warp must call it at the same time. */
    GPU_FUNCTION void fill(const C *cols, int count) const {
        sync_warp(full_warp);
        for (int s = static_cast<int>(lane()); s < slots; s += warp_lanes) slot_[s] = none;
        sync_warp(full_warp);
        for (int n = static_cast<int>(lane()); n < count; n += warp_lanes) {
            const C col = load(cols + n);
            int s = first_slot(col);
            while (atomic_cas(slot_ + s, none, n) != none) s = (s + 1) % slots;
            col_[n] = col;
        }
        sync_warp(full_warp);
    }

    /* Returns the place of a column, or -1 if the row lacks it. */
    GPU_FUNCTION int find(C col) const {
        for (int s = first_slot(col);; s = (s + 1) % slots) {
            const int n = slot_[s];
            if (n == none) return -1;
            const C other = col_[n];
            if (other == col) return n;
        }
    }

  private:
    static constexpr int none = -1;
    shared<int> slot_;
    shared<C> col_;

    GPU_FUNCTION row_table(shared<int> slot, shared<C> col) : slot_(slot), col_(col) {}

    /* Returns the first slot for a column, by the golden ratio (Knuth, The Art of Computer
     * Programming 3, 6.4): runs of columns are spread evenly over slots, and over banks. If
     * neighbours had neighbouring slots, runs from several places would collide: a warp on fem3
     * took 9.6 looks, and takes 1.7. */
    GPU_FUNCTION static int first_slot(C col) {
        return static_cast<int>((static_cast<uint32_t>(col) * 2654435769u) >> (32 - slot_bits));
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
