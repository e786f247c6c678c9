/* SPDX-License-Identifier: Apache-2.0 */
/* A fine row of interpolation with few columns, made by one thread, which lists the columns as they
 * come. The lists of the threads of a block lie interleaved in shared memory, so that threads that
 * are at the same place of theirs use different banks. */
#ifndef TULLE_AMG_INTERPOLATE_THREAD_CUH
#define TULLE_AMG_INTERPOLATE_THREAD_CUH

#include "amg/interpolate_near.cuh"

namespace TULLE_GPU_NAMESPACE {

/* Columns of a row of P and their numbers p_ij, every `step`-th in shared memory. */
template <class C>
struct thread_table {
    shared<double> sums;
    shared<C> columns;
    int step, count;

    GPU_FUNCTION C column_of(int n) const { return columns[n * step]; }
    GPU_FUNCTION double sum_of(int n) const { return sums[n * step]; }

    GPU_FUNCTION void add(C column, double product) {
        int n = 0;
        while (n < count && column_of(n) != column) n++;
        if (n == count) {
            columns[n * step] = column;
            sums[n * step] = 0;
            count++;
        }
        sums[n * step] += product;
    }

    /* Moves the entries that truncation prefers to the front, in the order of columns; returns
     * their sum. */
    template <class V, class O>
    GPU_FUNCTION double truncate(int kept) {
        for (int n = 0; n < kept; n++) {
            int best = n;
            double best_size = size_of<V, O, C>(sum_of(n));
            for (int other = n + 1; other < count; other++) {
                const double size = size_of<V, O, C>(sum_of(other));
                if (!prefers<V, O, C>(size, column_of(other), best_size, column_of(best))) continue;
                best = other;
                best_size = size;
            }
            swap(n, best);
        }
        for (int n = 1; n < kept; n++) {
            for (int at = n; at > 0 && column_of(at) < column_of(at - 1); at--) swap(at, at - 1);
        }
        double sum = 0;
        for (int n = 0; n < kept; n++) sum += sum_of(n);
        return sum;
    }

  private:
    GPU_FUNCTION void swap(int a, int b) {
        const C column = column_of(a);
        const double sum = sum_of(a);
        columns[a * step] = column_of(b);
        sums[a * step] = sum_of(b);
        columns[b * step] = column;
        sums[b * step] = sum;
    }
};

/* Adds a factor times the list of row k. */
template <class V, class C>
GPU_FUNCTION void add_list(const near_lists<V, C> &near, int64_t k, double factor,
                           thread_table<C> *table) {
    const int64_t end = near.before[k + 1];
    for (int64_t q = near.before[k]; q < end; q++) {
        table->add(near.columns[q], factor * static_cast<double>(near.values[q]));
    }
}

template <class V, class O, class C>
GPU_FUNCTION void make_row_alone(const tulle__amg_interpolation *m, int64_t i,
                                 thread_table<C> table) {
    const near_lists<V, C> near(m);
    const tulle__amg_split *s = m->split;
    const O *offsets = static_cast<const O *>(s->csr.offsets);
    const C *cols_of = static_cast<const C *>(s->csr.cols_of);
    const int64_t end = offsets[i + 1], at = m->P.before[i];
    double weight = 0, all = 0;
    for (int64_t q = offsets[i]; q < end; q++) {
        double part = 0;
        const double share = share_of<V, O, C>(m, i, q, &part);
        weight += part;
        if (s->strong[q] != TULLE__AMG_TO_FINE) continue;
        const int64_t k = cols_of[q];
        const double to_coarse = m->to_coarse[k];
        if (to_coarse == 0) continue;
        all += share * to_coarse;
        add_list(near, k, share, &table);
    }
    add_list(near, i, 1, &table);
    all += m->to_coarse[i];
    const int kept = static_cast<int>(m->P.before[i + 1] - at);
    const double some = table.template truncate<V, O>(kept);
    const double divisor = divisor_of<V, O, C>(s, i, weight),
                 growth = growth_of<V, O, C>(all, some);
    for (int n = 0; n < kept; n++) {
        static_cast<C *>(m->P.cols_of)[at + n] = table.column_of(n);
        static_cast<V *>(m->P.values)[at + n] =
            static_cast<V>(-(table.sum_of(n) / divisor) * growth);
    }
}

}  // namespace TULLE_GPU_NAMESPACE

#endif
