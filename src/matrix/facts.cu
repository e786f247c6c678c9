/* SPDX-License-Identifier: Apache-2.0 */
/* Facts of a matrix on a GPU: a pass over the rows, and one over the pairs of entries. In both a
 * team of lanes takes a row, and the grid moves along the rows as one front, so the rows in which a
 * front finds mirror images stay in the second level of cache until it comes to them. */
#include <string.h>

#include "format/parts.h"
#include "gpu/fetch.cuh"
#include "matrix/alike.h"
#include "matrix/functions.h"
#include "matrix/tally.cuh"

namespace {

constexpr int team_lanes = 8, teams = gpu::warp_lanes / team_lanes;

/* Number of turns of a warp between two looks at whether the comparison is over. */
constexpr int turns_at_once = 4;

template <class V, class O, class C>
struct fact_task {
    int64_t rows;
    const O *offsets;
    const C *cols_of;
    const V *values;
    double *roots; /* roots of |a_ii|, which the first pass fills */
    tulle__fact_units units;
    tulle__fact_counts *totals;
    bool whole;
};

/* Lane in the team, first row of the warp, and the distance to its next one. */
struct front {
    int lane;
    int64_t first, step;
    GPU_FUNCTION front()
        : lane(static_cast<int>(gpu::lane()) % team_lanes),
          first(gpu::loop_first() / gpu::warp_lanes * teams),
          step(gpu::loop_stride() / gpu::warp_lanes * teams) {}
    GPU_FUNCTION static int64_t row(int64_t first) { return first + gpu::lane() / team_lanes; }
};

GPU_FUNCTION double team_sum(double v) {
    for (int lanes = team_lanes / 2; lanes > 0; lanes /= 2) {
        v += gpu::shuffle_xor(gpu::full_warp, v, lanes);
    }
    return v;
}

GPU_FUNCTION double team_most(double v) {
    for (int lanes = team_lanes / 2; lanes > 0; lanes /= 2) {
        v = fmax(v, gpu::shuffle_xor(gpu::full_warp, v, lanes));
    }
    return v;
}

/* The sum of |a_ij| over j != i in the order of the columns, by one thread. */
template <class V, class O, class C>
GPU_FUNCTION double sum_in_order(const fact_task<V, O, C> &t, int64_t row, int64_t begin,
                                 int64_t end) {
    double sum = 0;
    for (int64_t k = begin; k < end; k++) {
        const double size = fabs(static_cast<double>(gpu::load(t.values + k)));
        sum += gpu::load(t.cols_of + k) == row ? 0 : size;
    }
    return sum;
}

/* True for a row that has uneven entries besides those that are dust, by one thread, up to the
 * first of them; high is the row's greatest size. */
template <class V, class O, class C>
GPU_FUNCTION bool is_uneven(const fact_task<V, O, C> &t, int64_t row, int64_t begin, int64_t end,
                            double high) {
    for (int64_t k = begin; k < end; k++) {
        const double size = fabs(static_cast<double>(gpu::load(t.values + k)));
        if (gpu::load(t.cols_of + k) == row || tulle__fact_dust(size, high)) continue;
        if (tulle__fact_uneven(size, high)) return true;
    }
    return false;
}

template <class V, class O, class C>
GPU_FUNCTION bool is_dominant(const fact_task<V, O, C> &t, int64_t row, int64_t begin, int64_t end,
                              double own, double sum) {
    const int known = tulle__fact_dominance(&t.units, end - begin, own, sum);
    if (known >= 0) return known > 0;
    sum = sum_in_order(t, row, begin, end);
    return tulle__fact_dominant(&t.units, end - begin, own, sum);
}

GPU_FUNCTION int64_t bits_of(double number) {
    int64_t bits;
    memcpy(&bits, &number, sizeof bits);
    return bits;
}

/* Counts of a thread in the pass over the rows. */
struct row_counts {
    int64_t diagonal = 0, zero = 0, positive = 0, not_dominant = 0, zeros = 0, not_finite = 0;
    int64_t off_positive = 0, uneven = 0;
    int64_t pieces[TULLE__FACT_BLOCK_COUNT] = {};
    int64_t empty = gpu::tally_none, bad = gpu::tally_none;
    double smallest = INFINITY, largest = 0;

    GPU_FUNCTION void add_diagonal(double value) {
        diagonal++;
        zero += value == 0;
        positive += value > 0;
    }
    GPU_FUNCTION void add_size(int64_t k, double size) {
        if (!(size <= DBL_MAX)) {
            not_finite++;
            if (k < bad) bad = k;
            return;
        }
        zeros += size == 0;
        if (size > largest) largest = size;
        if (size < smallest && size > 0) smallest = size;
    }
    /* before: column of the entry before it in its row, or one that shares no block with it. */
    template <class C>
    GPU_FUNCTION void add_pieces(C before, C col, bool first) {
        pieces[0] += first || before / 2 != col / 2;
        pieces[1] += first || before / 3 != col / 3;
        pieces[2] += first || before / 5 != col / 5;
    }
    GPU_FUNCTION void add_to(tulle__fact_counts *totals, gpu::shared<int64_t> room) const {
        gpu::tally_total(&totals->diagonal, diagonal, room);
        gpu::tally_total(&totals->diagonal_zero, zero, room);
        gpu::tally_total(&totals->diagonal_positive, positive, room);
        gpu::tally_total(&totals->not_dominant, not_dominant, room);
        gpu::tally_total(&totals->off_positive, off_positive, room);
        gpu::tally_total(&totals->uneven, uneven, room);
        gpu::tally_total(&totals->zeros, zeros, room);
        gpu::tally_total(&totals->not_finite, not_finite, room);
        for (int b = 0; b < TULLE__FACT_BLOCK_COUNT; b++) {
            gpu::tally_total(&totals->pieces[b], pieces[b], room);
        }
        gpu::tally_least(&totals->empty_diagonal, empty, room);
        gpu::tally_least(&totals->bad, bad, room);
        gpu::tally_least(&totals->smallest, largest > 0 ? bits_of(smallest) : gpu::tally_none,
                         room);
        gpu::tally_most(&totals->largest, bits_of(largest), room);
    }
};

template <class V, class O, class C>
GPU_KERNEL void look_at_rows(fact_task<V, O, C> t) {
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    const front f;
    row_counts c;
    for (int64_t first = f.first; first < t.rows; first += f.step) {
        const int64_t row = front::row(first);
        const bool has = row < t.rows;
        const int64_t begin = has ? gpu::load(t.offsets + row) : 0;
        const int64_t end = has ? gpu::load(t.offsets + row + 1) : 0;
        double sum = 0, own = 0, low = INFINITY, high = 0;
        for (int64_t k = begin + f.lane; k < end; k += team_lanes) {
            const C col = gpu::load(t.cols_of + k);
            const double value = static_cast<double>(gpu::load(t.values + k)), size = fabs(value);
            if (col == row) {
                own = size;
                c.add_diagonal(value);
            } else {
                sum += size;
                c.off_positive += value > 0;
                if (size > high) high = size;
                if (size < low) low = size;
            }
            c.add_size(k, size);
            c.add_pieces(k > begin ? gpu::load(t.cols_of + k - 1) : col, col, k == begin);
        }
        sum = team_sum(sum);
        own = team_sum(own);
        high = team_most(high);
        low = -team_most(-low);
        if (!has || f.lane > 0) continue;
        t.roots[row] = sqrt(own);
        if (own == 0 && row < c.empty) c.empty = row;
        c.not_dominant += !is_dominant(t, row, begin, end, own, sum);
        c.uneven += tulle__fact_uneven(low, high) && is_uneven(t, row, begin, end, high);
    }
    c.add_to(t.totals, room);
}

/* Counts of a thread of entries off the diagonal. */
struct pair_counts {
    int64_t above = 0, mirrored = 0, equal = 0, alike = 0, near = 0, opposite = 0, indefinite = 0;

    /* Counts an entry that has no mirror image; returns true when it is near 0. */
    GPU_FUNCTION bool add_alone(const tulle__fact_units &units, double value, double mean) {
        const bool is_alike = tulle__fact_alike(&units, value, 0, mean);
        indefinite += tulle__fact_indefinite(&units, value, mean);
        const bool is_near = is_alike || tulle__fact_near(value, 0, mean);
        alike += is_alike;
        near += is_near;
        return is_near;
    }
    /* Counts two entries that are mirror images; returns true when they are near. */
    GPU_FUNCTION bool add_pair(const tulle__fact_units &units, double value, double mirror,
                               double mean) {
        const bool is_equal = value == mirror;
        const bool is_alike = is_equal || tulle__fact_alike(&units, value, mirror, mean);
        const bool is_near = is_alike || tulle__fact_near(value, mirror, mean);
        mirrored += 2;
        equal += is_equal ? 2 : 0;
        alike += is_alike ? 2 : 0;
        near += is_near ? 2 : 0;
        opposite += value == -mirror ? 2 : 0;
        indefinite += tulle__fact_indefinite(&units, value, mean) +
                      tulle__fact_indefinite(&units, mirror, mean);
        return is_near;
    }
    GPU_FUNCTION void add_to(tulle__fact_counts *totals, gpu::shared<int64_t> room) const {
        gpu::tally_total(&totals->above, above, room);
        gpu::tally_total(&totals->mirrored, mirrored, room);
        gpu::tally_total(&totals->equal, equal, room);
        gpu::tally_total(&totals->alike, alike, room);
        gpu::tally_total(&totals->near, near, room);
        gpu::tally_total(&totals->opposite, opposite, room);
        gpu::tally_total(&totals->indefinite_pairs, indefinite, room);
    }
};

/* Finds the place of entry (i, row), or -1. It is looked for first where it would be if the k-th
 * entry of a row were the k-th from the end in its mirror image, as in a stencil. */
template <class V, class O, class C>
GPU_FUNCTION int64_t find(const fact_task<V, O, C> &t, C i, int64_t row, int64_t k) {
    const int64_t last = gpu::load(t.offsets + i + 1);
    int64_t at = gpu::load(t.offsets + i);
    if (k < last - at && gpu::load(t.cols_of + last - 1 - k) == row) return last - 1 - k;
    TULLE__LOWER_BOUND(at, last, q, gpu::load(t.cols_of + q) < row);
    return at < last && gpu::load(t.cols_of + at) == row ? at : -1;
}

/* Compares an entry above the diagonal with its mirror image, or one below it, which has no mirror
 * image, with 0; returns false when it is known not to be near. */
template <bool is_above, class V, class O, class C>
GPU_FUNCTION bool compare(const fact_task<V, O, C> &t, int64_t row, C j, int64_t begin, int64_t k,
                          pair_counts &c) {
    const int64_t at = find(t, j, row, k - begin);
    c.above += is_above;
    if (!is_above && at >= 0) return true;
    const double value = static_cast<double>(gpu::load(t.values + k));
    const double mean = tulle__rounded_product(gpu::load(t.roots + row), gpu::load(t.roots + j));
    if (at < 0) return c.add_alone(t.units, value, mean);
    return c.add_pair(t.units, value, static_cast<double>(gpu::load(t.values + at)), mean);
}

template <bool is_above, class V, class O, class C>
GPU_FUNCTION bool compare_row(const fact_task<V, O, C> &t, int64_t row, int lane, pair_counts &c) {
    const int64_t begin = gpu::load(t.offsets + row), end = gpu::load(t.offsets + row + 1);
    bool all = true;
    for (int64_t k = begin + lane; k < end; k += team_lanes) {
        const C j = gpu::load(t.cols_of + k);
        if (is_above ? j <= row : j >= row) continue;
        const bool near = compare<is_above>(t, row, j, begin, k, c);
        all = all && near;
    }
    return all;
}

template <bool is_above, class V, class O, class C>
GPU_KERNEL void compare_rows(fact_task<V, O, C> t) {
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    const front f;
    pair_counts c;
    int turn = 0;
    for (int64_t first = f.first; first < t.rows; first += f.step) {
        const bool looks = !t.whole && turn++ % turns_at_once == 0;
        if (looks && gpu::load_relaxed(&t.totals->unlike) != 0) break;
        const int64_t row = front::row(first);
        if (row >= t.rows) continue;
        const bool all = compare_row<is_above>(t, row, f.lane, c);
        if (!all && !t.whole) gpu::store_relaxed(&t.totals->unlike, INT64_C(1));
    }
    c.add_to(t.totals, room);
}

template <class O, class C>
GPU_KERNEL void find_bad(const O *offsets, const C *cols_of, int64_t rows,
                         tulle__fact_counts *totals) {
    totals->bad_row = gpu::row_of_entry(offsets, rows, totals->bad, 0);
    totals->bad_col = cols_of[totals->bad];
}

/* Compares entries with their mirror images, after the pass over the rows. */
template <class V, class O, class C>
tulle_status compare_all(const tulle__place *place, gpu::grid grid, const fact_task<V, O, C> &t,
                         int64_t nnz, tulle__fact_counts *host_counts) {
    GPU_TRY(gpu::launch(place, compare_rows<true, V, O, C>, grid, t));
    GPU_TRY(gpu::to_host(place, host_counts, t.totals, sizeof *host_counts));
    const int64_t below = nnz - host_counts->diagonal - host_counts->above;
    if (host_counts->unlike != 0 || 2 * below <= host_counts->mirrored) return TULLE_OK;
    return gpu::launch(place, compare_rows<false, V, O, C>, grid, t);
}

template <class V, class O, class C>
tulle_status count_as(const tulle__place *place, const tulle__fact_job *job,
                      tulle__fact_counts *host_counts) {
    const tulle__pattern_view *csr = job->csr;
    *host_counts = tulle__fact_counts_start();
    if (csr->rows == 0) return TULLE_OK;
    gpu::scratch memory(place);
    tulle__fact_counts *totals = nullptr;
    double *roots = nullptr;
    GPU_TRY(memory.get(1, &totals));
    GPU_TRY(memory.get(csr->rows, &roots));
    GPU_TRY(GPU_SYMBOL(copy)(place, totals, host_counts, sizeof *totals));
    const fact_task<V, O, C> t = {csr->rows,
                                  static_cast<const O *>(csr->offsets),
                                  static_cast<const C *>(csr->cols_of),
                                  static_cast<const V *>(job->values),
                                  roots,
                                  tulle__fact_units_of(job->type),
                                  totals,
                                  job->whole};
    const int64_t threads = tulle__ceil_div(csr->rows, teams) * gpu::warp_lanes;
    const gpu::grid grid = gpu::loop_grid(threads, gpu::loop_blocks_once);
    GPU_TRY(gpu::launch(place, look_at_rows<V, O, C>, grid, t));
    if (job->square) GPU_TRY(compare_all(place, grid, t, csr->nnz, host_counts));
    GPU_TRY(gpu::to_host(place, host_counts, totals, sizeof *totals));
    if (host_counts->bad == gpu::tally_none) return TULLE_OK;
    GPU_TRY(gpu::launch(place, find_bad<O, C>, {1, 1}, t.offsets, t.cols_of, t.rows, totals));
    return gpu::to_host(place, host_counts, totals, sizeof *totals);
}

template <class V>
tulle_status count_type(const tulle__place *place, const tulle__fact_job *job,
                        tulle__fact_counts *host_counts) {
    switch (job->csr->index) {
        case TULLE_I32:
            return count_as<V, int32_t, int32_t>(place, job, host_counts);
        case TULLE_I64_I32:
            return count_as<V, int64_t, int32_t>(place, job, host_counts);
        default:
            return count_as<V, int64_t, int64_t>(place, job, host_counts);
    }
}

}  // namespace

tulle_status GPU_SYMBOL(count_facts)(const tulle__place *place, const tulle__fact_job *job,
                                     tulle__fact_counts *host_counts) {
    return job->type == TULLE_F32 ? count_type<float>(place, job, host_counts)
                                  : count_type<double>(place, job, host_counts);
}
