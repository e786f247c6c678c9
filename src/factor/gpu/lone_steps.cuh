/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a row that one lane works on alone; all of them are loaded at the same time. */
#ifndef TULLE_FACTOR_GPU_LONE_STEPS_CUH
#define TULLE_FACTOR_GPU_LONE_STEPS_CUH

#include "factor/gpu/listed_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* slots: most steps of a row. */
template <int slots, class T, class O, class W>
class lone_steps {
  public:
    /* own: the row of the factors, whose numbers before the diagonal are stored as they are
     * computed. */
    GPU_FUNCTION lone_steps(const listed_steps<O, W> &steps, const T *values, T *own, int64_t begin,
                            int64_t end)
        : own_(own) {
        const T *pivot = values;
        int divided = 0;
        W word[slots];
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            word[s] = begin + s < end ? load_once(steps.words + begin + s) : W(0);
        }
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            const step_word<W> step(word[s]);
            const bool any = begin + s < end, divides = any && step.divides();
            if (divides) pivot = values + step.entry();
            from_[s] = divides ? pivot : pivot + step.behind();
            at_[s] = divides ? ~divided++ : static_cast<int>(step.to());
            waiting_ |= any ? 1u << s : 0;
            make_awaited(&found_[s]);
        }
    }

    GPU_FUNCTION void look() {
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            if (waits(s) && is_awaited(found_[s])) found_[s] = load_relaxed(from_[s]);
        }
    }

    /* Takes the steps whose numbers have arrived, up to the first one that has to wait; returns
     * true if none has to. */
    template <class Row>
    GPU_FUNCTION bool take(const Row &row) {
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            if (!waits(s)) continue;
            if (is_awaited(found_[s])) return false;
            waiting_ &= ~(1u << s);
            if (at_[s] < 0) {
                factor_ = row.get(~at_[s]) / found_[s];
                row.put(~at_[s], factor_);
                store_relaxed(own_++, never_awaited(factor_));
            } else {
                row.put(at_[s], row.get(at_[s]) - factor_ * found_[s]);
            }
        }
        return true;
    }

  private:
    T *own_;               /* place for the result of the next division */
    T factor_ = 0;         /* result of the last division */
    unsigned waiting_ = 0; /* bit s is 1 while step s exists and has not been taken */
    const T *from_[slots]; /* address of the number of U */
    int at_[slots];        /* place of A_ij in the row; ~at for A_ik, which is divided */
    T found_[slots];

    GPU_FUNCTION bool waits(int s) const { return (waiting_ >> s & 1u) != 0; }
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
