/* SPDX-License-Identifier: Apache-2.0 */
/* Many dense matrices of up to 32 rows on the GPU: one group of 8, 16 or 32 lanes per matrix, and
 * one lane per row, which is in registers. Rows are not moved when they are exchanged: each lane
 * knows the place of its row. */
#include <math.h>

#include "gpu/loop.cuh"
#include "uniform/functions.h"
#include "uniform/scale.h"

namespace TULLE_GPU_NAMESPACE {

constexpr int dense_threads = 128;

/* The lane's row of a matrix of up to `lanes` rows; behind n rows and columns there are none. */
template <class V, int lanes>
struct dense_rows {
    const tulle__uniform_dense &job;
    int64_t s;
    int n, mine; /* number of rows, and place of the lane's row */
    V a[lanes];

    GPU_FUNCTION explicit dense_rows(const tulle__uniform_dense &given)
        : job(given),
          s(loop_first() / lanes),
          n(given.n),
          mine(static_cast<int>(thread()) % lanes) {}

    GPU_FUNCTION bool is_row() const { return s < job.count && mine < n; }
    GPU_FUNCTION bool is_first() const { return s < job.count && thread() % lanes == 0; }
    GPU_FUNCTION V *at(int64_t i, int64_t j) const {
        return static_cast<V *>(job.a.data) + (i + j * n) * job.a.row + s * job.a.col;
    }
    /* Loads the row, or only its part up to the diagonal. */
    GPU_FUNCTION void load_row(bool lower_alone) {
        GPU_UNROLL
        for (int j = 0; j < lanes; j++) {
            a[j] = is_row() && j < n && (!lower_alone || j <= mine) ? *at(mine, j) : V(0);
        }
    }
    /* Stores the row, which another lane may have loaded, in its place. */
    GPU_FUNCTION void store_row(bool lower_alone) const {
        sync_warp(full_warp);
        GPU_UNROLL
        for (int j = 0; j < lanes; j++) {
            if (is_row() && j < n && (!lower_alone || j <= mine)) *at(mine, j) = a[j];
        }
    }
    /* Returns a number of another lane of the group. */
    template <class T>
    GPU_FUNCTION static T of(T v, int from) {
        return shuffle(full_warp, v, from, lanes);
    }
    /* Returns the lane whose row is in a place. */
    GPU_FUNCTION int lane_in(int place) const {
        const unsigned all = ballot(full_warp, mine == place);
        return first_bit(all >> (lane() / lanes * lanes)) % lanes;
    }

    /* Returns the place of the largest number of column k from place k on, the first one of equals;
     * NaN counts as Inf. */
    GPU_FUNCTION int find_pivot(V number, int k) const {
        const double size = fabs(static_cast<double>(number));
        double best = !is_row() || mine < k ? -1.0 : size == size ? size : INFINITY;
        int place = mine;
        GPU_UNROLL
        for (int step = lanes / 2; step > 0; step /= 2) {
            const double other = shuffle_xor(full_warp, best, step);
            const int there = shuffle_xor(full_warp, place, step);
            const bool take = other > best || (other == best && there < place);
            best = take ? other : best;
            place = take ? there : place;
        }
        return place;
    }

    /* Computes P A = L U; returns the first row with an unusable pivot, or -1. A pivot of 0 divides
     * nothing. Inf or NaN minus itself is NaN. */
    GPU_FUNCTION int factor_lu() {
        int bad = -1;
        GPU_UNROLL
        for (int k = 0; k < lanes; k++) {
            if (k >= n) continue;
            const int place = find_pivot(a[k], k);
            if (is_first()) job.pivots[s * n + k] = place;
            mine = mine == place ? k : mine == k ? place : mine;
            const int from = lane_in(k);
            const V pivot = of(a[k], from);
            const bool divides = pivot != 0;
            if (bad < 0 && (!divides || pivot - pivot != 0)) bad = k;
            const V l = mine > k && divides ? a[k] / pivot : V(0);
            if (mine > k && divides) a[k] = l;
            GPU_UNROLL
            for (int j = k + 1; j < lanes; j++) {
                const V u = of(a[j], from);
                if (mine > k) a[j] -= l * u;
            }
        }
        return bad;
    }

    /* Computes A = L L^T; returns the first row whose pivot is not positive or is Inf, or -1. */
    GPU_FUNCTION int factor_cholesky() {
        int bad = -1;
        GPU_UNROLL
        for (int k = 0; k < lanes; k++) {
            if (k >= n) continue;
            const V pivot = of(a[k], k);
            if (bad < 0 && !(pivot > 0 && pivot - pivot == 0)) bad = k;
            const V root = sqrt(pivot);
            if (mine == k) a[k] = root;
            if (mine > k) a[k] /= root;
            GPU_UNROLL
            for (int j = k + 1; j < lanes; j++) {
                const V other = of(a[k], j);
                if (mine >= j) a[j] -= a[k] * other;
            }
        }
        return bad;
    }

    /* Returns the lane's number of T^-1 x, where T is the lower triangle of the rows. */
    GPU_FUNCTION V solve_lower(V x, bool unit) const {
        GPU_UNROLL
        for (int k = 0; k < lanes; k++) {
            if (k >= n) continue;
            if (mine == k && !unit) x /= a[k];
            const V known = of(x, k);
            if (mine > k) x -= a[k] * known;
        }
        return x;
    }
    GPU_FUNCTION V solve_upper(V x) const {
        GPU_UNROLL
        for (int k = lanes - 1; k >= 0; k--) {
            if (k >= n) continue;
            if (mine == k) x /= a[k];
            const V known = of(x, k);
            if (mine < k) x -= a[k] * known;
        }
        return x;
    }
    /* Solves with the transpose of the lower triangle, whose rows are the lanes' columns. */
    GPU_FUNCTION V solve_lower_transposed(V x) const {
        GPU_UNROLL
        for (int k = lanes - 1; k >= 0; k--) {
            if (k >= n) continue;
            V sum = is_row() && mine > k ? a[k] * x : V(0);
            GPU_UNROLL
            for (int step = lanes / 2; step > 0; step /= 2) {
                sum += shuffle_xor(full_warp, sum, step);
            }
            if (mine == k) x = (x - sum) / a[k];
        }
        return x;
    }
    /* Returns the lane's number of P x. */
    GPU_FUNCTION V exchange(V x) const {
        for (int k = 0; k < n; k++) {
            const int other = s < job.count ? job.pivots[s * n + k] : k;
            x = of(x, mine == k ? other : mine == other ? k : mine);
        }
        return x;
    }

    GPU_FUNCTION V *number(const tulle__strided &v) const {
        return static_cast<V *>(v.data) + mine * v.row + s * v.col;
    }
};

template <class V, int lanes>
GPU_KERNEL void factor_dense(tulle__uniform_dense job) {
    dense_rows<V, lanes> rows(job);
    const bool symmetric = job.kind == TULLE_CHOLESKY;
    rows.load_row(symmetric);
    const int bad = symmetric ? rows.factor_cholesky() : rows.factor_lu();
    rows.store_row(symmetric);
    if (rows.is_first() && job.reports) {
        tulle_uniform_report report = tulle__uniform_factored(bad);
        if (bad >= 0 && symmetric) report.outcome = TULLE_INDEFINITE;
        job.reports[rows.s] = report;
    }
}

template <class V, int lanes>
GPU_KERNEL void solve_dense(tulle__uniform_dense job) {
    dense_rows<V, lanes> rows(job);
    const bool symmetric = job.kind == TULLE_CHOLESKY;
    rows.load_row(symmetric);
    V x = rows.is_row() ? *rows.number(job.b) : V(0);
    if (symmetric) {
        x = rows.solve_lower_transposed(rows.solve_lower(x, false));
    } else {
        x = rows.solve_upper(rows.solve_lower(rows.exchange(x), true));
    }
    if (rows.is_row()) *rows.number(job.x) = x;
}

template <class V, int lanes>
tulle_status run_dense(const tulle__place *place, const tulle__uniform_dense *job) {
    constexpr int each = dense_threads / lanes;
    const int64_t blocks = job->count / each + (job->count % each != 0);
    return launch(place, job->solves ? solve_dense<V, lanes> : factor_dense<V, lanes>,
                  {blocks, dense_threads}, *job);
}

template <class V>
tulle_status run_dense_in(const tulle__place *place, const tulle__uniform_dense *job) {
    if (job->n <= 8) return run_dense<V, 8>(place, job);
    return job->n <= 16 ? run_dense<V, 16>(place, job) : run_dense<V, 32>(place, job);
}

}  // namespace TULLE_GPU_NAMESPACE

tulle_status GPU_SYMBOL(uniform_dense)(const tulle__place *place, const tulle__uniform_dense *job) {
    return job->type == TULLE_F32 ? gpu::run_dense_in<float>(place, job)
                                  : gpu::run_dense_in<double>(place, job);
}
