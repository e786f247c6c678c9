/* SPDX-License-Identifier: Apache-2.0 */
/* Values of L of L L^T, numbers by themselves, by one block of threads, level after level. A lane
 * has a row:
 *
 *     L_ik := (A_ik - L_i0 L_k0 - L_i1 L_k1 - ...) / L_kk,  L_ii := sqrt(A_ii - sum of L_ij^2)
 *
 * in the order of columns, so that a number is the same sum as by factor/gpu/listed.cu. */
#ifndef TULLE_BATCH_GPU_ROOT_ROWS_CUH
#define TULLE_BATCH_GPU_ROOT_ROWS_CUH

#include <math.h>

#include "batch/gpu/telling.cuh"
#include "factor/gpu/row.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class V>
class root_row {
  public:
    GPU_FUNCTION root_row(const tulle__task_factor &t, int64_t place)
        : f_(t.whole),
          s_(t.schedule),
          size_(tulle_offset_size(t.whole.index)),
          values_(static_cast<V *>(t.whole.values)),
          place_(place),
          row_(at(s_.order, place)),
          begin_(at(f_.offsets, row_)),
          diagonal_(at(s_.diagonal, place)) {}

    GPU_FUNCTION void compute() const {
        const double largest = load_row();
        const int64_t first = at(s_.begins, place_), last = at(s_.begins, place_ + 1);
        V squares = 0;
        for (int64_t s = first; s < last; s++) {
            const int64_t before = at(s_.places, s), e = at(s_.slots, s);
            const int64_t k = at(s_.order, before), pivot = at(s_.diagonal, before);
            const V number = less_products(e, at(f_.offsets, k), pivot) / values_[pivot];
            values_[e] = number;
            squares += number * number;
        }
        const double left = static_cast<double>(V(values_[diagonal_] - squares));
        const tulle__pivot_rule rule = tulle__rule_of(&f_);
        const tulle__judged judged = tulle__weigh_pivot(&rule, left, largest);
        values_[diagonal_] = static_cast<V>(sqrt(factor_noted(judged, row_, f_.seen)));
    }

  private:
    const tulle__factor_task &f_;
    const tulle__schedule &s_;
    int64_t size_;
    V *values_;
    int64_t place_, row_, begin_, diagonal_; /* begin_, diagonal_: the row's first and last entry */

    GPU_FUNCTION int64_t at(const void *array, int64_t i) const {
        return tulle__get(array, size_, i);
    }
    GPU_FUNCTION int64_t column(int64_t e) const {
        return tulle__get(f_.cols_of, tulle_index_size(f_.index), e);
    }

    /* A' in place; the size of the row's largest number. */
    GPU_FUNCTION double load_row() const {
        double largest = 0;
        for (int64_t e = begin_; e <= diagonal_; e++) {
            const V number =
                static_cast<V>(factor_number_of(f_.from, f_.n, 1, e, row_, column(e), 0));
            const double wide = static_cast<double>(number), size = wide < 0 ? -wide : wide;
            largest = size > largest ? size : largest;
            values_[e] = number;
        }
        return largest;
    }

    /* Number e of the row, less the products of those before it with their like in row k, which
     * begins at `u` and whose diagonal is `pivot`. */
    GPU_FUNCTION V less_products(int64_t e, int64_t u, int64_t pivot) const {
        V number = values_[e];
        for (int64_t l = begin_; l < e; l++) {
            const int64_t j = column(l);
            while (u < pivot && column(u) < j) u++;
            if (u < pivot && column(u) == j) number -= values_[l] * values_[u];
        }
        return number;
    }
};

template <class V>
GPU_FUNCTION void roots_by_levels(const tulle__batch_job &job, const tulle__task &t) {
    const tulle__task_factor &f = t.factor;
    forget_pivots(f);
    for (int64_t l = 0; l < f.schedule.levels; l++) {
        const int64_t end = f.schedule.level_begins[l + 1];
        for (int64_t p = f.schedule.level_begins[l] + thread(); p < end; p += block_size()) {
            root_row<V>(f, p).compute();
        }
        sync();
    }
    if (thread() == 0) tell(job, t, f.whole.seen, f.order);
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
