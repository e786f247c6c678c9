/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a row in a chain: the lanes of a warp have successive rows, one each, and most
 * numbers of U that a row needs are in rows of the same warp. These numbers stay in shared memory;
 * a number goes to the L2 and back only from one warp to the next.
 *
 * The time of a chain is the number of instructions between the pivot of a row and that of the
 * next, some four cycles each: a warp issues one after the other. So addresses are found, and
 * numbers of earlier warps are awaited, before the first row of a warp; and results are stored
 * behind the last. */
#ifndef TULLE_FACTOR_GPU_CHAIN_STEPS_CUH
#define TULLE_FACTOR_GPU_CHAIN_STEPS_CUH

#include "factor/gpu/listed_row.cuh"

namespace TULLE_GPU_NAMESPACE {

/* slots: most steps of a row. All lanes of the warp must call the constructor and await_others at
 * the same time. */
template <int slots, class T, class O, class W>
class chain_steps {
  public:
    /* r: row of this lane; rows: numbers of the block's rows, where neighbouring numbers of a row
     * are `apart` elements apart, a multiple of a warp's lanes. */
    template <class I>
    GPU_FUNCTION chain_steps(const factor_job<T, O, I> &job, const listed_steps<O, W> &steps,
                             const listed_row<T, O, I> &r, shared<T> rows, int apart)
        : rows_(rows) {
        const int me = static_cast<int>(lane()), first = static_cast<int>(thread()) - me;
        const bool works = r.length > 0;
        const O begin = works ? load(steps.begins + r.place) : O(0);
        const O *places = job.places + (works ? load(job.begins + r.place) : O(0));
        int64_t pivot = 0;
        int divided = -1;
        count_ = works ? static_cast<int>(load(steps.begins + r.place + 1) - begin) : 0;
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            const step_word<W> step(s < count_ ? load_once(steps.words + begin + s) : W(0));
            const bool divides = s < count_ && step.divides();
            const int to = static_cast<int>(step.to());
            if (divides) pivot = step.entry();
            if (divides) divided++;
            const int64_t entry = divides ? pivot : pivot + step.behind();
            /* U_kj of L L^T is L_jk, in the row of the division by L_jj */
            const int division = divides || job.kind == TULLE_LU ? divided : to;
            const int64_t other = s < count_ ? load(places + division) - (r.place - me) : -1;
            const int source = other >= 0 ? static_cast<int>(other) : me;
            const int at = static_cast<int>(entry - shuffle(full_warp, r.begin, source));
            beside_[s] = other >= 0 ? at * apart + first + source : -1;
            if (other >= 0) others_ |= 1u << source;
            from_[s] = job.values + entry;
            at_[s] = divides ? ~divided : to;
            found_[s] = T(0);
            if (s < count_ && other < 0) make_awaited(&found_[s]);
        }
    }

    /* Returns true when `ready`, lanes as bits, has all lanes whose rows this row needs. */
    GPU_FUNCTION bool can_begin(unsigned ready) const { return (others_ & ~ready) == 0; }

    /* Waits for the numbers of rows that other warps have. */
    GPU_FUNCTION void await_others() {
        for (bool missing = true; any(full_warp, missing);) {
            missing = false;
            GPU_UNROLL
            for (int s = 0; s < slots; s++) {
                if (is_awaited(found_[s])) found_[s] = load_relaxed(from_[s]);
            }
            GPU_UNROLL
            for (int s = 0; s < slots; s++) missing = missing || is_awaited(found_[s]);
            spin_awake();
        }
    }

    /* Takes all steps. */
    template <class Row>
    GPU_FUNCTION void take(const Row &row) const {
        T u[slots], factor = 0;
        GPU_UNROLL
        for (int s = 0; s < slots; s++) u[s] = beside_[s] < 0 ? found_[s] : T(rows_[beside_[s]]);
        GPU_UNROLL
        for (int s = 0; s < slots; s++) {
            if (s >= count_) return;
            if (at_[s] < 0) {
                factor = row.get(~at_[s]) / u[s];
                row.put(~at_[s], factor);
            } else {
                row.put(at_[s], row.get(at_[s]) - factor * u[s]);
            }
        }
    }

  private:
    shared<T> rows_;
    int count_;            /* number of steps */
    unsigned others_ = 0;  /* lanes whose rows this row needs, as bits */
    const T *from_[slots]; /* address of the number of U */
    int beside_[slots];    /* its index in rows_ if a lane of the warp has its row, else -1 */
    T found_[slots];       /* the number, if another warp has its row */
    int at_[slots];        /* place of A_ij in the row; ~at for A_ik, which is divided */
};

}  // namespace TULLE_GPU_NAMESPACE

#endif
