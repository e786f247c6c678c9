/* SPDX-License-Identifier: Apache-2.0 */
/* A row whose steps are listed: the lanes that share it, the memory of its numbers, and their
 * loading and storing. */
#ifndef TULLE_FACTOR_GPU_LISTED_ROW_CUH
#define TULLE_FACTOR_GPU_LISTED_ROW_CUH

#include <math.h>

#include "factor/gpu/row.cuh"
#include "factor/gpu/steps.cuh"
#include "trisolve/gpu/awaited.cuh"

namespace TULLE_GPU_NAMESPACE {

template <class O, class W>
struct listed_steps {
    const O *begins;
    const W *words;
    uint64_t *ticket; /* ticket by which rows are taken; zero at first */
};

/* The lanes that share a row, a power of two. */
struct row_team {
    int lanes, bits, lane;
    unsigned mask;
    GPU_FUNCTION explicit row_team(int size)
        : lanes(size),
          bits(first_bit(static_cast<unsigned>(size))),
          lane(static_cast<int>(gpu::lane()) & (size - 1)),
          mask((size == warp_lanes ? full_warp : (1u << size) - 1)
               << (static_cast<int>(gpu::lane()) >> bits << bits)) {}
    /* Returns the lanes of the team up to this one, as bits. */
    GPU_FUNCTION unsigned up_to_me() const {
        return mask & (full_warp >> (warp_lanes - 1 - gpu::lane()));
    }
    /* Returns the largest number of the team's lanes to all of them; all lanes of the warp must
     * call it. */
    GPU_FUNCTION double most(double v) const {
        for (int step = lanes / 2; step > 0; step /= 2) {
            const double other = shuffle_xor(full_warp, v, step);
            v = other > v ? other : v;
        }
        return v;
    }
};

/* The numbers of a row: in shared memory, interleaved with those of other lanes or together; or in
 * scratch. */
template <class T, bool in_scratch>
class row_numbers {
  public:
    GPU_FUNCTION row_numbers(shared<T> near, int apart, T *far)
        : near_(near), apart_(apart), far_(far) {}
    GPU_FUNCTION T get(int at) const {
        if constexpr (in_scratch) {
            if (far_) return far_[at];
        }
        return near_[at * apart_];
    }
    GPU_FUNCTION void put(int at, T number) const {
        if constexpr (in_scratch) {
            if (far_) {
                far_[at] = number;
                return;
            }
        }
        near_[at * apart_] = number;
    }

  private:
    shared<T> near_;
    int apart_;
    T *far_;
};

/* The row at a place of the schedule. */
template <class T, class O, class I>
class listed_row {
    static constexpr int together = 8; /* number of numbers that a lane loads at a time */

  public:
    int64_t i = 0, begin = 0, place = 0;
    int length = 0, diagonal = 0; /* number of entries, 0 for no row; place of the diagonal */
    /* number of numbers behind the row, which are the sums of dropped products */
    int dropped = 0;

    /* longest: length of the pattern's longest row. */
    GPU_FUNCTION listed_row(const factor_job<T, O, I> &job, int64_t p, int longest) : place(p) {
        if (p >= job.rows) return;
        i = load(job.order + p);
        begin = load(job.offsets + i);
        length = static_cast<int>(load(job.offsets + i + 1) - begin);
        diagonal = static_cast<int>(load(job.diagonal + p) - begin);
        if (job.modified != 0) dropped = longest;
    }

    /* Loads the row of A'. */
    template <class Row>
    GPU_FUNCTION void load_numbers(const factor_job<T, O, I> &job, const row_team &t,
                                   const Row &row) const {
        if (job.from.plain) {
            load_plain(job, t, row);
        } else {
            load_changed(job, t, row);
        }
        GPU_KEEP_LOOP
        for (int at = length + t.lane; at < length + dropped; at += t.lanes) row.put(at, T(0));
    }

    /* Returns the size of the row's largest number, if the caller asks for tiny pivots. */
    template <class Row>
    GPU_FUNCTION double most(const factor_job<T, O, I> &job, const row_team &t,
                             const Row &row) const {
        double most = 0;
        if (job.tiny == 0) return most;
        GPU_KEEP_LOOP
        for (int at = t.lane; at < length; at += t.lanes) {
            const double number = static_cast<double>(row.get(at));
            const double size = number < 0 ? -number : number;
            most = size > most ? size : most;
        }
        return t.most(most);
    }

    /* Stores the diagonal and the numbers behind it; the numbers before it are stored when they are
     * divided. All lanes of the team must call it at the same time. */
    template <class Row>
    GPU_FUNCTION void store(const factor_job<T, O, I> &job, const row_team &t, const Row &row,
                            double most) const {
        if (t.lane == 0) store_relaxed(job.values + begin + diagonal, divisor(job, row, most));
        store_part(job, row, diagonal + 1 + t.lane, length, t.lanes);
    }
    /* Returns the diagonal that is stored. */
    template <class Row>
    GPU_FUNCTION T divisor(const factor_job<T, O, I> &job, const Row &row, double most) const {
        return pivot(job, left(job, row), most);
    }
    /* Stores a row of which a lane has all numbers, those that other rows need first. */
    template <class Row>
    GPU_FUNCTION void store_whole(const factor_job<T, O, I> &job, const Row &row) const {
        store_part(job, row, diagonal, length, 1);
        store_part(job, row, 0, diagonal, 1);
    }

  private:
    /* Stores each `apart`-th number from `first` on. */
    template <class Row>
    GPU_FUNCTION void store_part(const factor_job<T, O, I> &job, const Row &row, int first, int end,
                                 int apart) const {
        T *values = job.values + begin;
        GPU_KEEP_LOOP
        for (int at = first; at < end; at += apart) {
            const T number = row.get(at);
            store_relaxed(values + at, never_awaited(number));
        }
    }
    /* Computes the diagonal: no step subtracts the squares of L L^T, or dropped products, from
     * it. */
    template <class Row>
    GPU_FUNCTION T left(const factor_job<T, O, I> &job, const Row &row) const {
        const T number = row.get(diagonal);
        if (job.kind == TULLE_CHOLESKY) return number - squares(row);
        if (dropped == 0) return number;
        T sum = 0;
        for (int at = length; at < length + dropped; at++) sum += row.get(at);
        return number + static_cast<T>(job.modified) * sum;
    }
    template <class Row>
    GPU_FUNCTION T squares(const Row &row) const {
        T sum = 0;
        for (int at = 0; at < diagonal; at++) {
            const T l = row.get(at);
            sum += l * l;
        }
        return sum;
    }
    /* Returns the pivot to divide by; for most pivots two comparisons are enough. */
    GPU_FUNCTION T pivot(const factor_job<T, O, I> &job, T number, double most) const {
        const tulle__pivot_rule rule = factor_rule(job);
        const bool root = rule.positive;
        const double wide = static_cast<double>(number), size = root ? wide : fabs(wide);
        const bool plain = size > tulle__pivot_limit(&rule, most) && tulle__pivot_ends(&rule, size);
        if (plain && !root) return number;
        const double judged = plain ? wide : factor_judged(job, wide, most, i);
        return never_awaited(static_cast<T>(root ? sqrt(judged) : judged));
    }

    template <class Row>
    GPU_FUNCTION void load_plain(const factor_job<T, O, I> &job, const row_team &t,
                                 const Row &row) const {
        const T *values = static_cast<const T *>(job.from.values) + begin;
        GPU_KEEP_LOOP
        for (int first = t.lane; first < length; first += together * t.lanes) {
            T number[together];
            GPU_UNROLL
            for (int n = 0; n < together; n++) {
                const int at = first + n * t.lanes;
                /* all loads at the same time, without a branch */
                number[n] = load(values + (at < length ? at : first));
            }
            GPU_UNROLL
            for (int n = 0; n < together; n++) {
                const int at = first + n * t.lanes;
                if (at < length) row.put(at, number[n]);
            }
        }
    }
    template <class Row>
    GPU_FUNCTION void load_changed(const factor_job<T, O, I> &job, const row_team &t,
                                   const Row &row) const {
        GPU_KEEP_LOOP
        for (int at = t.lane; at < length; at += t.lanes) {
            const int64_t e = begin + at;
            row.put(at, static_cast<T>(factor_number(job, e, i, load(job.cols + e), 0)));
        }
    }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
