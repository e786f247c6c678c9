/* SPDX-License-Identifier: Apache-2.0 */
/* A fine row of interpolation made from some tens of products m_ik a_kj, by a team of lanes. The
 * lanes look at neighbours k side by side, and each writes the products of its k behind those of
 * the lanes before it: all products of the row, in the order of k, in shared memory. Then each lane
 * takes some places, and adds up the products of the column of each, in their order. So the waits
 * for memory of all neighbours overlap, no thread waits for another one's sum, and the numbers have
 * the same bits on every run and every device. The work grows with the square of the number of
 * products, and pays up to some hundred. */
#ifndef TULLE_AMG_INTERPOLATE_FLAT_CUH
#define TULLE_AMG_INTERPOLATE_FLAT_CUH

#include "amg/interpolate_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Distance of the tables of two teams of a block. It is no multiple of all banks of shared memory,
 * so that teams of a warp which are at the same place of their tables use different banks. */
template <int bits>
constexpr int flat_step = (1 << bits) + 4;

/* bits: base-2 logarithm of the most products. */
template <class T, int bits, class V, class O, class C>
class flat_row : row_of_team<T, V, O, C, shared<C>, shared<double>> {
    using base = row_of_team<T, V, O, C, shared<C>, shared<double>>;

  public:
    /* products: [2^bits] room, as keys and sums have it. */
    GPU_FUNCTION flat_row(const tulle__amg_interpolation *m, int64_t i, shared<C> keys,
                          shared<double> sums, shared<double> products, const row_room<C> &room)
        : base(m, i, keys, sums, room), products_(products) {}

    GPU_FUNCTION void make() {
        for (int64_t at = this->begin_; at < this->end_; at += T::size) {
            take_neighbours(at + T::own());
        }
        take_own_list();
        T::sync();
        combine();
        this->truncate(count_);
    }

  private:
    shared<double> products_;
    int count_ = 0; /* number of products */

    GPU_FUNCTION void put(int place, int64_t q, double factor) {
        this->keys_[place] = this->near_.columns[q];
        products_[place] = factor * static_cast<double>(this->near_.values[q]);
    }

    /* Takes the neighbours of as many entries as the team has lanes. */
    GPU_FUNCTION void take_neighbours(int64_t entry) {
        const row_entry e = this->look_at(entry);
        this->room_.weights[T::own()] = e.weight;
        this->room_.parts[T::own()] = e.part;
        this->room_.firsts[T::own()] = e.end - e.first;
        T::sync();
        int place = count_;
        for (int n = 0; n < T::size; n++) {
            const int64_t length = this->room_.firsts[n];
            this->weight_ += this->room_.weights[n];
            this->all_ += this->room_.parts[n];
            count_ += static_cast<int>(length);
            place += n < T::own() ? static_cast<int>(length) : 0;
        }
        for (int64_t q = e.first; q < e.end; q++) put(place++, q, e.share);
        T::sync();
    }

    GPU_FUNCTION void take_own_list() {
        const int64_t first = this->near_.before[this->i_], end = this->near_.before[this->i_ + 1];
        for (int64_t q = first + T::own(); q < end; q += T::size) {
            put(count_ + static_cast<int>(q - first), q, 1);
        }
        count_ += static_cast<int>(end - first);
        this->all_ += this->m_->to_coarse[this->i_];
    }

    /* Gives each place the sum of all products of its column. Places of one column have the same
     * sum, so that truncation, which goes from one entry to those behind it, takes one of them. */
    GPU_FUNCTION void combine() {
        for (int place = T::own(); place < count_; place += T::size) {
            const C column = this->keys_[place];
            double sum = 0;
            for (int other = 0; other < count_; other++) {
                const C its = this->keys_[other];
                if (its == column) sum += products_[other];
            }
            this->sums_[place] = sum;
        }
        T::sync();
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
