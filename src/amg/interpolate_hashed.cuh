/* SPDX-License-Identifier: Apache-2.0 */
/* A fine row of interpolation of many columns. The team takes the strong fine neighbours k of the
 * row one after the other, and the list of row k side by side, into a hash table of columns. A list
 * has each column once, so no two threads add to one number at a time, and each number adds in the
 * order of k: no atomic sums, and the same bits on every run and every device. Slots of the table
 * depend on which thread came first, numbers do not. */
#ifndef TULLE_AMG_INTERPOLATE_HASHED_CUH
#define TULLE_AMG_INTERPOLATE_HASHED_CUH

#include "amg/interpolate_row.cuh"
#include "spgemm/gpu/probing.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class T, class V, class O, class C, class Keys, class Sums>
class hashed_row : row_of_team<T, V, O, C, Keys, Sums> {
    using base = row_of_team<T, V, O, C, Keys, Sums>;

  public:
    GPU_FUNCTION hashed_row(const tulle__amg_interpolation *m, int64_t i, Keys keys, Sums sums,
                            const row_room<C> &room)
        : base(m, i, keys, sums, room), bits_(m->bits[i]), slots_(int64_t{1} << bits_) {}

    GPU_FUNCTION void make() {
        for (int64_t slot = T::own(); slot < slots_; slot += T::size) this->keys_[slot] = C(-1);
        T::sync();
        for (int64_t at = this->begin_; at < this->end_; at += T::size) {
            prepare(at + T::own());
            T::sync();
            const int64_t left = this->end_ - at;
            const int count = left < T::size ? static_cast<int>(left) : T::size;
            for (int n = 0; n < count; n++) add_neighbour(n);
            T::sync();
        }
        add_list(this->near_.before[this->i_], this->near_.before[this->i_ + 1], 1);
        this->all_ += this->m_->to_coarse[this->i_];
        T::sync();
        this->truncate(slots_);
    }

  private:
    int bits_;
    int64_t slots_;

    GPU_FUNCTION void prepare(int64_t entry) {
        const row_entry e = this->look_at(entry);
        this->room_.weights[T::own()] = e.weight;
        this->room_.shares[T::own()] = e.share;
        this->room_.parts[T::own()] = e.part;
        this->room_.firsts[T::own()] = e.first;
        this->room_.ends[T::own()] = e.end;
    }

    /* Adds m_ik times the list of row k, which thread n has prepared. */
    GPU_FUNCTION void add_neighbour(int n) {
        const int64_t first = this->room_.firsts[n], end = this->room_.ends[n];
        this->weight_ += this->room_.weights[n];
        if (first == end) return;
        this->all_ += this->room_.parts[n];
        add_list(first, end, this->room_.shares[n]);
        T::sync();
    }

    /* Adds a factor times the entries of a list. */
    GPU_FUNCTION void add_list(int64_t first, int64_t end, double factor) {
        for (int64_t q = first + T::own(); q < end; q += T::size) {
            const C column = this->near_.columns[q];
            const int64_t at = tulle__amg_first_slot(column, bits_);
            bool fresh = false;
            const int64_t slot = put_column<false>(this->keys_, at, slots_ - 1, column, &fresh);
            const double product = factor * static_cast<double>(this->near_.values[q]);
            if (fresh) this->sums_[slot] = 0;
            this->sums_[slot] += product;
        }
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
