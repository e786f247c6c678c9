/* SPDX-License-Identifier: Apache-2.0 */
/* A fine row of interpolation made by a team of threads. The team takes the strong fine neighbours
 * k of the row one after the other, and the entries of row k side by side, into a hash table of
 * columns. A row k has each column once, so no two threads add to one number at a time, and each
 * number adds in the order of k: no atomic sums, and the same bits on every run and every device.
 * Slots of the table depend on which thread came first, numbers do not. */
#ifndef TULLE_AMG_INTERPOLATE_ROW_CUH
#define TULLE_AMG_INTERPOLATE_ROW_CUH

#include "amg/team.cuh"
#include "spgemm/gpu/probing.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Shared memory of a team beside its table: of its threads' entries, and of the entries that the
 * row keeps. */
template <class O, class C>
struct row_room {
    shared<double> weights, shares, parts; /* [size] part of w_i; m_ik; m_ik c_k */
    shared<O> firsts, ends;                /* [size] range of the entries of row k */
    shared<double> kept;                   /* [TULLE__AMG_MOST_KEPT] */
    shared<C> columns;                     /* [TULLE__AMG_MOST_KEPT] */
};

/* T: the team; Keys, Sums: pointers to the table's columns and numbers, shared or global. */
template <class T, class V, class O, class C, class Keys, class Sums>
class row_maker {
  public:
    GPU_FUNCTION row_maker(const tulle__amg_interpolation *m, int64_t i, Keys keys, Sums sums,
                           const row_room<O, C> &room)
        : m_(m),
          s_(m->split),
          offsets_(static_cast<const O *>(m->split->csr.offsets)),
          cols_of_(static_cast<const C *>(m->split->csr.cols_of)),
          values_(static_cast<const V *>(m->split->values)),
          i_(i),
          begin_(offsets_[i]),
          end_(offsets_[i + 1]),
          bits_(m->bits[i]),
          slots_(int64_t{1} << bits_),
          keys_(keys),
          sums_(sums),
          room_(room) {}

    GPU_FUNCTION void make() {
        for (int64_t slot = T::own(); slot < slots_; slot += T::size) keys_[slot] = C(-1);
        T::sync();
        for (int64_t at = begin_; at < end_; at += T::size) {
            prepare(at + T::own());
            T::sync();
            const int count = end_ - at < T::size ? static_cast<int>(end_ - at) : T::size;
            for (int n = 0; n < count; n++) add_neighbour(n);
            T::sync();
        }
        add_entries(begin_, end_, 1);
        all_ += m_->to_coarse[i_];
        T::sync();
        truncate();
    }

  private:
    /* An entry that truncation looks at. */
    struct candidate {
        double size;
        C column;
        GPU_FUNCTION bool beats(double other, C other_column) const {
            return prefers<V, O, C>(size, column, other, other_column);
        }
        GPU_FUNCTION void give_way_to(const candidate &other) {
            if (other.beats(size, column)) *this = other;
        }
    };

    const tulle__amg_interpolation *m_;
    const tulle__amg_split *s_;
    const O *offsets_;
    const C *cols_of_;
    const V *values_;
    int64_t i_, begin_, end_;
    int bits_;
    int64_t slots_;
    Keys keys_;
    Sums sums_;
    const row_room<O, C> &room_;
    double weight_ = 0, all_ = 0;

    /* Puts what the row needs of its own entry k into the room of the thread. */
    GPU_FUNCTION void prepare(int64_t entry) {
        double weight = 0, share = 0, part = 0;
        O first = 0, end = 0;
        if (entry < end_) {
            share = share_of<V, O, C>(m_, i_, entry, &weight);
            if (s_->strong[entry] == TULLE__AMG_TO_FINE) {
                const int64_t k = cols_of_[entry];
                const double to_coarse = m_->to_coarse[k];
                if (to_coarse != 0) {
                    part = share * to_coarse;
                    first = offsets_[k];
                    end = offsets_[k + 1];
                }
            }
        }
        room_.weights[T::own()] = weight;
        room_.shares[T::own()] = share;
        room_.parts[T::own()] = part;
        room_.firsts[T::own()] = first;
        room_.ends[T::own()] = end;
    }

    /* Adds m_ik times row k, which thread n has prepared; k is none where the range is empty. */
    GPU_FUNCTION void add_neighbour(int n) {
        const O first = room_.firsts[n], end = room_.ends[n];
        weight_ += room_.weights[n];
        if (first == end) return;
        all_ += room_.parts[n];
        add_entries(first, end, room_.shares[n]);
        T::sync();
    }

    /* Adds a factor times those entries of a row that lead to coarse rows. */
    GPU_FUNCTION void add_entries(int64_t first, int64_t end, double factor) {
        for (int64_t q = first + T::own(); q < end; q += T::size) {
            if (s_->strong[q] != TULLE__AMG_TO_COARSE) continue;
            const C column = static_cast<C>(s_->number[cols_of_[q]]);
            const int64_t at = tulle__amg_first_slot(column, bits_);
            bool fresh = false;
            const int64_t slot = put_column<false>(keys_, at, slots_ - 1, column, &fresh);
            const double product = factor * static_cast<double>(values_[q]);
            if (fresh) sums_[slot] = 0;
            sums_[slot] += product;
        }
    }

    /* Finds the entry that truncation prefers among those that come behind `last`. */
    GPU_FUNCTION candidate best_behind(const candidate &last) const {
        candidate best = {-1, C(-1)};
        for (int64_t slot = T::own(); slot < slots_; slot += T::size) {
            const C column = keys_[slot];
            if (column == C(-1)) continue;
            const double p = sums_[slot];
            const candidate its = {size_of<V, O, C>(p), column};
            if (last.beats(its.size, column)) best.give_way_to(its);
        }
        for (int step = T::lanes / 2; step > 0; step /= 2) {
            const double size = shuffle_xor(T::mask(), best.size, step);
            const C column = shuffle_xor(T::mask(), best.column, step);
            best.give_way_to({size, column});
        }
        if constexpr (T::warps > 1) best = best_of_warps(best);
        return best;
    }

    GPU_FUNCTION candidate best_of_warps(candidate best) const {
        const int warp = T::own() / warp_lanes;
        if (lane() == 0) {
            room_.weights[warp] = best.size;
            room_.firsts[warp] = best.column;
        }
        T::sync();
        for (int w = 0; w < T::warps; w++) {
            const double size = room_.weights[w];
            const O column = room_.firsts[w];
            best.give_way_to({size, static_cast<C>(column)});
        }
        T::sync();
        return best;
    }

    /* Keeps the largest entries, and writes them in the order of columns. */
    GPU_FUNCTION void truncate() {
        const int64_t at = m_->P.before[i_];
        const int count = static_cast<int>(m_->P.before[i_ + 1] - at);
        candidate last = {static_cast<double>(INFINITY), C(-1)};
        for (int n = 0; n < count; n++) {
            last = best_behind(last);
            if (T::own() == 0) room_.columns[n] = last.column;
        }
        T::sync();
        write(at, count);
    }

    GPU_FUNCTION void write(int64_t at, int count) {
        for (int n = T::own(); n < count; n += T::size) {
            const C column = room_.columns[n];
            int before = 0;
            for (int other = 0; other < count; other++) {
                const C its = room_.columns[other];
                before += its < column;
            }
            const int64_t slot =
                find_column(keys_, tulle__amg_first_slot(column, bits_), slots_ - 1, column);
            room_.kept[before] = sums_[slot];
            static_cast<C *>(m_->P.cols_of)[at + before] = column;
        }
        T::sync();
        double some = 0;
        for (int n = 0; n < count; n++) some += room_.kept[n];
        const double divisor = divisor_of<V, O, C>(s_, i_, weight_);
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
