/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a tile in the order of their keys, stably, by a block in shared memory. Atomics
 * count the entries of a key, and the counts that they return give each entry a slot among
 * these, in any order; the number of those that come before it in the tile is its rank. So the
 * result is the same in every run, and nothing is compared that has not the same key. */
#ifndef TULLE_MATRIX_TILE_ORDER_CUH
#define TULLE_MATRIX_TILE_ORDER_CUH

#include "gpu/scan.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int order_threads = 512, order_warps = order_threads / warp_lanes;

/* Number of entries of a key up to which an entry looks at all of them; of more, a warp makes a
 * bitmap. Both take about 200 instructions for 32 entries there. */
constexpr int few_entries = 48;

/* Bits of the caller's in an entry's head, below the number of the entry in the tile. */
constexpr int head_bits = 16;
constexpr unsigned head_mask = (1u << head_bits) - 1;
GPU_FUNCTION unsigned head_of(int entry, unsigned bits) {
    return static_cast<unsigned>(entry) << head_bits | bits;
}
GPU_FUNCTION int entry_of(unsigned head) {
    return static_cast<int>(head >> head_bits);
}

template <int most>
class tile_order {
  public:
    /* begins: beginning of each key's slots, and the end of the last; heads, ranks: one for each
     * slot; room: a number for each warp. */
    GPU_FUNCTION tile_order(shared<int> begins, int keys, shared<unsigned> heads,
                            shared<uint16_t> ranks, shared<int> room)
        : begins_(begins), heads_(heads), ranks_(ranks), room_(room), keys_(keys) {}

    GPU_FUNCTION int begin(int key) const { return begins_[key]; }
    GPU_FUNCTION int end(int key) const { return begins_[key + 1]; }

    GPU_FUNCTION void clear() const {
        for (int k = static_cast<int>(thread()); k < keys_; k += order_threads) begins_[k] = 0;
        sync();
    }
    /* Counts an entry with this key; returns the number of entries with the key that were counted
     * before, in whatever order the threads come. */
    GPU_FUNCTION int add(int key) const { return atomic_add(begins_ + key, 1); }

    /* Scans the counts, once, after all are there. Returns true when a key has more than a few
     * entries. */
    GPU_FUNCTION bool scan() const {
        const int each = (keys_ + order_threads - 1) / order_threads;
        int first = static_cast<int>(thread()) * each, last = first + each, sum = 0, all = 0;
        if (first > keys_) first = keys_;
        if (last > keys_) last = keys_;
        bool many = false;
        sync();
        for (int k = first; k < last; k++) {
            const int some = begins_[k];
            sum += some;
            many = many || some > few_entries;
        }
        if (many) sum += one_has_many;
        int before = block_scan(sum, room_, &all) % one_has_many;
        for (int k = first; k < last; k++) {
            const int some = begins_[k];
            begins_[k] = before;
            before += some;
        }
        if (thread() == 0) begins_[keys_] = all % one_has_many;
        sync();
        return all >= one_has_many;
    }

    /* Finds the ranks of entries whose keys have more than a few, once all heads are in their
     * slots; only then need there be such a call. bits: a word for each slot, free again
     * afterwards. */
    GPU_FUNCTION void rank_many(shared<unsigned> bits) const {
        const int warp = static_cast<int>(thread()) / warp_lanes, own_bits = 2 * words * warp;
        sync();
        for (int k = warp * warp_lanes; k < keys_; k += order_threads) {
            const int key = k + static_cast<int>(lane());
            const int first = key < keys_ ? begin(key) : 0, last = key < keys_ ? end(key) : 0;
            unsigned left = ballot(full_warp, last - first > few_entries);
            for (; left != 0; left &= left - 1) {
                const int owner = first_bit(left);
                mark(shuffle(full_warp, first, owner), shuffle(full_warp, last, owner),
                     bits + own_bits, bits + own_bits + words);
            }
        }
        sync();
    }

    /* Returns the number of the key's entries that come before the one that has the slot. */
    GPU_FUNCTION int rank(int slot, unsigned head, int key) const {
        const int first = begin(key), last = end(key);
        if (last - first > few_entries) return ranks_[slot];
        int before = 0;
        GPU_KEEP_LOOP
        for (int s = first; s < last; s += rank_step) {
            GPU_UNROLL
            for (int i = 0; i < rank_step; i++) {
                const unsigned other = s + i < last ? unsigned{heads_[s + i]} : head;
                before += other < head;
            }
        }
        return before;
    }

  private:
    /* Number of entries that a rank looks at, at once. */
    static constexpr int rank_step = 4;

    /* Number of words of a bitmap, whole rounds of a warp, which has one bitmap for marks and
     * one for sums. */
    static constexpr int words = most / 32;
    static_assert(words % warp_lanes == 0 && 2 * words * order_warps == most, "a word for a slot");
    static_assert(most << head_bits > 0, "a head holds an entry's number");

    /* A thread that saw a key of many entries adds this number to a sum over the block. It exceeds
     * every number of entries that is summed, so one sum says both how many entries there are and
     * whether some thread saw such a key. A tile may be a part of a longer list. */
    static constexpr int one_has_many = 1 << 21;
    static_assert(most < one_has_many && INT32_MAX / one_has_many >= order_threads, "both fit");

    GPU_FUNCTION void mark(int first, int last, shared<unsigned> marks,
                           shared<unsigned> befores) const {
        const int own = static_cast<int>(lane());
        for (int w = own; w < words; w += warp_lanes) marks[w] = 0;
        sync_warp(full_warp);
        GPU_KEEP_LOOP
        for (int s = first + own; s < last; s += warp_lanes) {
            const int entry = entry_of(heads_[s]);
            atomic_or(marks + entry / 32, 1u << entry % 32);
        }
        sync_warp(full_warp);
        unsigned before = 0;
        GPU_KEEP_LOOP
        for (int w = own; w < words; w += warp_lanes) {
            const unsigned some = static_cast<unsigned>(count_bits(marks[w]));
            const unsigned with = warp_scan(some);
            befores[w] = before + with - some;
            before += shuffle(full_warp, with, warp_lanes - 1);
        }
        sync_warp(full_warp);
        GPU_KEEP_LOOP
        for (int s = first + own; s < last; s += warp_lanes) {
            const int entry = entry_of(heads_[s]);
            const unsigned lower = marks[entry / 32] & ((1u << entry % 32) - 1);
            ranks_[s] = static_cast<uint16_t>(befores[entry / 32] +
                                              static_cast<unsigned>(count_bits(lower)));
        }
        sync_warp(full_warp);
    }

    shared<int> begins_;
    shared<unsigned> heads_;
    shared<uint16_t> ranks_;
    shared<int> room_;
    int keys_;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
