/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of blocks whose size the compiler knows, and that wait for numbers of X. A lane has its row
 * of up to four blocks in registers before it waits, and multiplies each block when its numbers of
 * X arrive. So between the arrival of the last number and the storing of the row's own number there
 * are the products of one block, the sum over lanes and the diagonal block (diagonal.cuh). */
#ifndef TULLE_TRISOLVE_GPU_BLOCK_WALK_CUH
#define TULLE_TRISOLVE_GPU_BLOCK_WALK_CUH

#include "trisolve/gpu/awaited.cuh"
#include "trisolve/gpu/diagonal.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Number of blocks that a lane holds at a time (a flight), so that registers hold their numbers. */
template <int b>
constexpr int walk_blocks = b < 16 ? 4 : 2;

/* A lane's entries, block by block of a size that the compiler knows. Blocks are multiplied as
 * their numbers arrive, and added in order when all of a flight are there, so that for the last one
 * only its own products are left. */
template <class S, class V, class I, int b>
class block_walk {
  public:
    GPU_FUNCTION void start(const triangular<S, V, I> &a, const V *known, int64_t place, int first,
                            bool works) {
        known_ = known;
        at_ = works ? static_cast<int64_t>(load(a.begins + place)) + first : 0;
        end_ = works ? static_cast<int64_t>(load(a.begins + place + 1)) : 0;
    }

    GPU_FUNCTION bool waits(const triangular<S, V, I> &a, const block_lane &l, int coop, V *sum) {
        while (take(a)) {
            GPU_UNROLL
            for (int f = 0; f < blocks; f++) {
                *sum += product_[f];
                product_[f] = V(0);
            }
            if (at_ >= end_) return false;
            fetch(a, l, coop);
        }
        return true;
    }

    GPU_FUNCTION void fetch(const triangular<S, V, I> &a, const block_lane &l, int coop) {
        int64_t place[blocks], slot[blocks];
        GPU_UNROLL
        for (int f = 0; f < blocks; f++) {
            const bool any = at_ + int64_t{f} * coop < end_;
            place[f] = any ? load_once(a.places + at_ + f * coop) : -1;
            slot[f] = any ? load_once(a.slots + at_ + f * coop) : 0;
        }
        GPU_UNROLL
        for (int f = 0; f < blocks; f++) {
            from_[f] = place[f] >= 0 ? known_ + place[f] * b * a.vectors : nullptr;
            product_[f] = V(0);
            cells_[f] = 0;
            GPU_UNROLL
            for (int c = 0; c < b; c++) {
                const int cell = a.cell(b, l.r, c);
                value_[f][c] = V(0);
                if (place[f] < 0 || !a.is_entry(slot[f], cell)) continue;
                value_[f][c] = a.value(slot[f], b, cell);
                cells_[f] |= 1u << c;
            }
        }
        at_ += int64_t{blocks} * coop;
    }

  private:
    static constexpr int blocks = walk_blocks<b>;
    const V *known_;
    int64_t at_, end_;
    V value_[blocks][b], product_[blocks];
    unsigned cells_[blocks]; /* bit c is 1 if number c is an entry */
    const V *from_[blocks];  /* address of the numbers of X; NULL: no block, or it has been taken */

    /* Returns true when all of the flight has been taken. */
    GPU_FUNCTION bool take(const triangular<S, V, I> &a) {
        V found[blocks][b];
        GPU_UNROLL
        for (int f = 0; f < blocks; f++) {
            GPU_UNROLL
            for (int c = 0; c < b; c++) {
                found[f][c] = from_[f] ? load_relaxed(from_[f] + c * a.vectors) : V(0);
            }
        }
        bool all = true;
        GPU_UNROLL
        for (int f = 0; f < blocks; f++) {
            bool there = true;
            GPU_UNROLL
            for (int c = 0; c < b; c++) there = there && !is_awaited(found[f][c]);
            all = all && there;
            if (!there || !from_[f]) continue;
            GPU_UNROLL
            for (int c = 0; c < b; c++) {
                if (cells_[f] >> c & 1u) product_[f] += value_[f][c] * found[f][c];
            }
            from_[f] = nullptr;
        }
        return all;
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
