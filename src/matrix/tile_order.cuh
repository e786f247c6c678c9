/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a tile in the order of their keys, stably, by a block in shared memory. Atomics
 * give the entries of a key their places in any order; then these few are put in order: so the
 * result is the same in every run, and nothing is compared that has not the same key. */
#ifndef TULLE_MATRIX_TILE_ORDER_CUH
#define TULLE_MATRIX_TILE_ORDER_CUH

#include "gpu/scan.cuh"

namespace TULLE_GPU_NAMESPACE {

constexpr int order_threads = 512, order_warps = order_threads / warp_lanes;

/* A thread puts up to so many entries of a key in order, a warp more by counting those before each,
 * and still more by marking them in a bitmap of the tile. */
constexpr int few_entries = 16, ranked_rounds = 4, ranked_entries = ranked_rounds * warp_lanes;

/* The words of a bitmap, whole rounds of a warp. */
constexpr int order_round = 32 * warp_lanes;
template <int most>
constexpr int order_words = (most + order_round - 1) / order_round *warp_lanes;

template <int most>
class tile_order {
  public:
    /* ends: of each key; order: of the entries. bits: order_words for each warp, free
     * again after arrange. room: a number for each warp. */
    GPU_FUNCTION tile_order(shared<int> ends, int keys, shared<uint16_t> order,
                            shared<unsigned> bits, shared<int> room)
        : ends_(ends), order_(order), bits_(bits), room_(room), keys_(keys) {}

    GPU_FUNCTION int begin(int key) const { return key > 0 ? ends_[key - 1] : 0; }
    GPU_FUNCTION int end(int key) const { return ends_[key]; }

    /* Before place, begins(key) is what begin(key) is after it. */
    GPU_FUNCTION int begins(int key) const { return ends_[key]; }

    /* Counts the entries of each key; here there may be more than fit in a tile. */
    template <class Key>
    GPU_FUNCTION void count(int64_t entries, Key key) const {
        for (int k = static_cast<int>(thread()); k < keys_; k += order_threads) ends_[k] = 0;
        sync();
        for (int64_t e = thread(); e < entries; e += order_threads) atomic_add(ends_ + key(e), 1);
        sync();
        const int each = (keys_ + order_threads - 1) / order_threads;
        int first = static_cast<int>(thread()) * each, last = first + each, sum = 0, all = 0;
        if (first > keys_) first = keys_;
        if (last > keys_) last = keys_;
        for (int k = first; k < last; k++) sum += ends_[k];
        int before = block_scan(sum, room_, &all);
        for (int k = first; k < last; k++) {
            int here = ends_[k];
            ends_[k] = before;
            before += here;
        }
        sync();
    }

    /* order[p] := the entry that is number p. */
    template <class Key>
    GPU_FUNCTION void place(int entries, Key key) const {
        for (int e = static_cast<int>(thread()); e < entries; e += order_threads) {
            order_[atomic_add(ends_ + key(e), 1)] = static_cast<uint16_t>(e);
        }
        sync();
        arrange();
        sync();
    }

  private:
    /* A lane has a key; the warp has those of many entries together. */
    GPU_FUNCTION void arrange() const {
        const int warp = static_cast<int>(thread()) / warp_lanes;
        for (int k = warp * warp_lanes; k < keys_; k += order_threads) {
            const int key = k + static_cast<int>(lane());
            const int first = key < keys_ ? begin(key) : 0, last = key < keys_ ? end(key) : 0;
            const bool many = last - first > few_entries;
            if (!many) insert(first, last);
            for (unsigned left = ballot(full_warp, many); left != 0; left &= left - 1) {
                const int owner = static_cast<int>(first_bit(left));
                const int from = shuffle(full_warp, first, owner);
                const int to = shuffle(full_warp, last, owner);
                if (to - from <= ranked_entries) {
                    rank(from, to);
                } else {
                    mark(from, to, bits_ + warp * order_words<most>);
                }
            }
        }
    }
    GPU_FUNCTION void insert(int first, int last) const {
        for (int p = first + 1; p < last; p++) {
            const uint16_t one = order_[p];
            int hole = p;
            for (; hole > first; hole--) {
                const uint16_t before = order_[hole - 1];
                if (before < one) break;
                order_[hole] = before;
            }
            order_[hole] = one;
        }
    }
    GPU_FUNCTION void rank(int first, int last) const {
        int own[ranked_rounds], place[ranked_rounds];
        const int mine = first + static_cast<int>(lane());
        GPU_UNROLL
        for (int r = 0; r < ranked_rounds; r++) {
            const int p = mine + r * warp_lanes;
            own[r] = p < last ? static_cast<int>(order_[p]) : -1;
            place[r] = first;
        }
        for (int p = first; p < last; p++) {
            const int other = order_[p];
            GPU_UNROLL
            for (int r = 0; r < ranked_rounds; r++) place[r] += other < own[r];
        }
        sync_warp(full_warp);
        GPU_UNROLL
        for (int r = 0; r < ranked_rounds; r++) {
            if (own[r] >= 0) order_[place[r]] = static_cast<uint16_t>(own[r]);
        }
        sync_warp(full_warp);
    }
    GPU_FUNCTION void mark(int first, int last, shared<unsigned> marks) const {
        constexpr int words = order_words<most>;
        const int own = static_cast<int>(lane());
        for (int w = own; w < words; w += warp_lanes) marks[w] = 0;
        sync_warp(full_warp);
        for (int p = first + own; p < last; p += warp_lanes) {
            const unsigned entry = order_[p];
            atomic_or(marks + entry / 32, 1u << entry % 32);
        }
        sync_warp(full_warp);
        int before = first;
        for (int w = own; w < words; w += warp_lanes) {
            unsigned left = marks[w];
            const int some = static_cast<int>(count_bits(left)), with = warp_scan(some);
            for (int p = before + with - some; left != 0; p++) {
                order_[p] = static_cast<uint16_t>(w * 32 + static_cast<int>(first_bit(left)));
                left &= left - 1;
            }
            before += shuffle(full_warp, with, warp_lanes - 1);
        }
        sync_warp(full_warp);
    }

    shared<int> ends_;
    shared<uint16_t> order_;
    shared<unsigned> bits_;
    shared<int> room_;
    int keys_;
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
