/* SPDX-License-Identifier: Apache-2.0 */
/* A fine row of interpolation made by a team of threads: a look at the row's own entries, and
 * truncation, which takes the largest numbers of a table of columns. interpolate_flat.cuh and
 * interpolate_hashed.cuh fill the table in two ways. */
#ifndef TULLE_AMG_INTERPOLATE_ROW_CUH
#define TULLE_AMG_INTERPOLATE_ROW_CUH

#include "amg/interpolate_near.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Shared memory of a team beside its table: of its threads' entries, and of the entries that the
 * row keeps. */
template <class C>
struct row_room {
    shared<double> weights, shares, parts; /* [size] part of w_i; m_ik; m_ik c_k */
    shared<int64_t> firsts, ends;          /* [size] range of the list of row k */
    shared<double> kept;                   /* [TULLE__AMG_MOST_KEPT] numbers, by column */
    shared<C> columns;                     /* [TULLE__AMG_MOST_KEPT] as they are found */
    shared<int64_t> slots;                 /* [TULLE__AMG_MOST_KEPT] their slots */
};

/* An entry (i, k) of a fine row, and the numbers of row k that the fine row needs. */
struct row_entry {
    double weight, share, part; /* part of w_i; m_ik; m_ik c_k */
    int64_t first, end;         /* range of the list of row k; empty where k adds nothing */
};

/* T: the team; Keys, Sums: pointers to the table's columns and numbers, shared or global. */
template <class T, class V, class O, class C, class Keys, class Sums>
class row_of_team {
  protected:
    GPU_FUNCTION row_of_team(const tulle__amg_interpolation *m, int64_t i, Keys keys, Sums sums,
                             const row_room<C> &room)
        : m_(m),
          near_(m),
          i_(i),
          begin_(static_cast<const O *>(m->split->csr.offsets)[i]),
          end_(static_cast<const O *>(m->split->csr.offsets)[i + 1]),
          keys_(keys),
          sums_(sums),
          room_(room) {}

    const tulle__amg_interpolation *m_;
    near_lists<V, C> near_;
    int64_t i_, begin_, end_;
    Keys keys_; /* [slots] columns of the table; -1 in a free slot */
    Sums sums_; /* [slots] p_ij */
    const row_room<C> &room_;
    double weight_ = 0, all_ = 0; /* w_i, and the sum of all p_ij */

    GPU_FUNCTION row_entry look_at(int64_t entry) const {
        row_entry e = {0, 0, 0, 0, 0};
        if (entry >= end_) return e;
        e.share = share_of<V, O, C>(m_, i_, entry, &e.weight);
        if (m_->split->strong[entry] != TULLE__AMG_TO_FINE) return e;
        const int64_t k = static_cast<const C *>(m_->split->csr.cols_of)[entry];
        const double to_coarse = m_->to_coarse[k];
        if (to_coarse == 0) return e;
        e.part = e.share * to_coarse;
        e.first = near_.before[k];
        e.end = near_.before[k + 1];
        return e;
    }

    /* Keeps the largest entries of a table of so many slots, and writes them in the order of
     * columns. */
    GPU_FUNCTION void truncate(int64_t slots) {
        const int64_t at = m_->P.before[i_];
        const int count = static_cast<int>(m_->P.before[i_ + 1] - at);
        candidate last = {static_cast<double>(INFINITY), C(-1), 0};
        for (int n = 0; n < count; n++) {
            last = best_behind(last, slots);
            if (T::own() != 0) continue;
            room_.columns[n] = last.column;
            room_.slots[n] = last.slot;
        }
        T::sync();
        write(at, count);
    }

  private:
    /* An entry that truncation looks at. */
    struct candidate {
        double size;
        C column;
        int64_t slot;
        GPU_FUNCTION bool beats(double other, C other_column) const {
            return prefers<V, O, C>(size, column, other, other_column);
        }
        GPU_FUNCTION void give_way_to(const candidate &other) {
            if (other.beats(size, column)) *this = other;
        }
    };

    /* Finds the entry that truncation prefers among those that come behind `last`. */
    GPU_FUNCTION candidate best_behind(const candidate &last, int64_t slots) const {
        candidate best = {-1, C(-1), 0};
        for (int64_t slot = T::own(); slot < slots; slot += T::size) {
            const C column = keys_[slot];
            if (column == C(-1)) continue;
            const double p = sums_[slot];
            const candidate its = {size_of<V, O, C>(p), column, slot};
            if (last.beats(its.size, column)) best.give_way_to(its);
        }
        for (int step = T::lanes / 2; step > 0; step /= 2) {
            const double size = shuffle_xor(T::mask(), best.size, step);
            const C column = shuffle_xor(T::mask(), best.column, step);
            const int64_t slot = shuffle_xor(T::mask(), best.slot, step);
            best.give_way_to({size, column, slot});
        }
        if constexpr (T::warps > 1) best = best_of_warps(best);
        return best;
    }

    GPU_FUNCTION candidate best_of_warps(candidate best) const {
        const int warp = T::own() / warp_lanes;
        if (lane() == 0) {
            room_.weights[warp] = best.size;
            room_.firsts[warp] = best.column;
            room_.ends[warp] = best.slot;
        }
        T::sync();
        for (int w = 0; w < T::warps; w++) {
            const double size = room_.weights[w];
            const int64_t column = room_.firsts[w], slot = room_.ends[w];
            best.give_way_to({size, static_cast<C>(column), slot});
        }
        T::sync();
        return best;
    }

    GPU_FUNCTION void write(int64_t at, int count) {
        for (int n = T::own(); n < count; n += T::size) {
            const C column = room_.columns[n];
            int before = 0;
            for (int other = 0; other < count; other++) {
                const C its = room_.columns[other];
                before += its < column;
            }
            const int64_t slot = room_.slots[n];
            room_.kept[before] = sums_[slot];
            static_cast<C *>(m_->P.cols_of)[at + before] = column;
        }
        T::sync();
        double some = 0;
        for (int n = 0; n < count; n++) some += room_.kept[n];
        const double divisor = divisor_of<V, O, C>(m_->split, i_, weight_);
        const double growth = growth_of<V, O, C>(all_, some);
        for (int n = T::own(); n < count; n += T::size) {
            const double p = room_.kept[n];
            static_cast<V *>(m_->P.values)[at + n] = static_cast<V>(-(p / divisor) * growth);
        }
        T::sync(); /* the next row takes the room and the table */
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
