/* SPDX-License-Identifier: Apache-2.0 */
/* Checks a pattern and gathers its statistics in two passes, of which the first proves that the
 * second reads nothing out of range: for CSR over offsets, then over columns; for COO over
 * entries, then over the lengths of the rows. */
#include "format/bsr.h"
#include "gpu/fetch.cuh"
#include "matrix/functions.h"
#include "matrix/tally.cuh"

namespace {

/* Lengths of the rows from offsets (which are not checked yet) or from counts. */
template <class Offset>
struct from_offsets {
    const Offset *offsets;
    GPU_FUNCTION bool falls(int64_t row) const { return offsets[row + 1] < offsets[row]; }
    GPU_FUNCTION int64_t length(int64_t row) const {
        return static_cast<int64_t>(static_cast<uint64_t>(offsets[row + 1]) -
                                    static_cast<uint64_t>(offsets[row]));
    }
};
struct from_counts {
    const int64_t *counts;
    GPU_FUNCTION bool falls(int64_t) const { return false; }
    GPU_FUNCTION int64_t length(int64_t row) const { return counts[row]; }
};

template <class Lengths>
GPU_KERNEL void check_rows(Lengths rows_have, int64_t rows, gpu::tally *totals) {
    GPU_SHARED(int, bins, gpu::tally_bins);
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    const int me = static_cast<int>(gpu::thread());
    if (me < gpu::tally_bins) bins[me] = 0;
    gpu::sync();
    int64_t falling = gpu::tally_none;
    gpu::row_tally part;
    for (int64_t row = gpu::loop_first(); row < rows; row += gpu::loop_stride()) {
        if (!rows_have.falls(row)) {
            part.add(rows_have.length(row), bins);
        } else if (row < falling) {
            falling = row;
        }
    }
    part.flush(bins);
    gpu::tally_least(&totals->bad, falling, room);
    gpu::tally_least(&totals->min_row, part.min_row, room);
    gpu::tally_most(&totals->max_row, part.max_row, room);
    for (int i = 0; i < gpu::tally_limbs; i++) {
        gpu::tally_total(&totals->squares[i], part.limb(i), room);
    }
    if (me < gpu::tally_bins && bins[me] > 0) {
        gpu::atomic_add(&totals->bins[me], static_cast<int64_t>(bins[me]));
    }
}

GPU_FUNCTION bool in_range(int64_t i, int64_t count) {
    return static_cast<uint64_t>(i) < static_cast<uint64_t>(count);
}

GPU_FUNCTION int64_t distance(int64_t a, int64_t b) {
    return a < b ? b - a : a - b;
}

/* Bandwidth of valid rows whose columns rise: the first or the last column of a row is the
 * farthest from the diagonal. blocks: the rows are those of full blocks, tall x wide. */
template <bool blocks, class Offset, class Index>
GPU_KERNEL void look_at_rising(const Offset *offsets, const Index *columns, int64_t rows, int tall,
                               int wide, gpu::tally *totals) {
    GPU_SHARED(int, bins, gpu::tally_bins);
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    const int me = static_cast<int>(gpu::thread());
    if (me < gpu::tally_bins) bins[me] = 0;
    gpu::sync();
    int64_t bandwidth = 0;
    gpu::row_tally part;
    for (int64_t row = gpu::loop_first(); row < rows; row += gpu::loop_stride()) {
        const int64_t line = blocks ? row / tall : row, width = blocks ? wide : 1;
        Offset begin = offsets[line], end = offsets[line + 1];
        part.add((end - begin) * width, bins);
        if (begin == end) continue;
        const int64_t first = columns[begin] * width, last = (columns[end - 1] + 1) * width - 1;
        bandwidth = gpu::most::of(bandwidth, distance(row, first));
        bandwidth = gpu::most::of(bandwidth, distance(row, last));
    }
    part.flush(bins);
    gpu::tally_least(&totals->min_row, part.min_row, room);
    gpu::tally_most(&totals->max_row, part.max_row, room);
    gpu::tally_most(&totals->bandwidth, bandwidth, room);
    for (int i = 0; i < gpu::tally_limbs; i++) {
        gpu::tally_total(&totals->squares[i], part.limb(i), room);
    }
    if (me < gpu::tally_bins && bins[me] > 0) {
        gpu::atomic_add(&totals->bins[me], static_cast<int64_t>(bins[me]));
    }
}

template <class Offset>
GPU_KERNEL void read_ends(const Offset *offsets, int64_t rows, gpu::tally *totals) {
    totals->first_offset = offsets[0];
    totals->last_offset = offsets[rows];
}

/* tally.disorder of all neighbours so far and two more. */
GPU_FUNCTION int64_t worse(int64_t disorder, int64_t before, int64_t after) {
    int64_t here = before > after ? 2 : before == after;
    return here > disorder ? here : disorder;
}

template <class Offset, class Index>
GPU_KERNEL void check_columns(const Offset *offsets, const Index *columns, int64_t rows,
                              int64_t cols, int64_t nnz, gpu::tally *totals) {
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    int64_t bad = gpu::tally_none, bandwidth = 0, disorder = 0, row = 0;
    gpu::warp_stretch mine(nnz);
    for (int64_t k = mine.begin + gpu::lane(); k < mine.end; k += gpu::warp_lanes) {
        row = gpu::row_of_entry(offsets, rows, k, row);
        int64_t column = columns[k];
        if (!in_range(column, cols)) {
            if (k < bad) bad = k;
            continue;
        }
        if (distance(row, column) > bandwidth) bandwidth = distance(row, column);
        if (k > gpu::load(offsets + row)) disorder = worse(disorder, columns[k - 1], column);
    }
    gpu::tally_least(&totals->bad, bad, room);
    gpu::tally_most(&totals->bandwidth, bandwidth, room);
    gpu::tally_most(&totals->disorder, disorder, room);
}

/* Row and column of entry k. */
template <class Offset, class Index>
GPU_KERNEL void find_entry(const Offset *offsets, const Index *columns, int64_t rows, int64_t k,
                           int64_t *place) {
    place[0] = gpu::row_of_entry(offsets, rows, k, 0);
    place[1] = columns[k];
}

/* Number of lanes, from this one on, that share the row that this lane is the first of. */
GPU_FUNCTION int64_t run_length(unsigned firsts) {
    int64_t length = 1;
    unsigned lane = gpu::lane() + 1;
    for (; lane < gpu::warp_lanes && (firsts >> lane & 1) == 0; lane++) length++;
    return length;
}

/* Entries that stand beside each other in the same row are counted together. */
GPU_FUNCTION void count_entries(int64_t *counts, int64_t row) {
    int64_t before = gpu::shuffle_up(gpu::full_warp, row, 1);
    bool first = gpu::lane() == 0 || row != before;
    unsigned firsts = gpu::ballot(gpu::full_warp, first);
    if (first && row >= 0) gpu::atomic_add(counts + row, run_length(firsts));
}

template <class Index>
GPU_KERNEL void check_entries(const Index *rows_of, const Index *cols_of, int64_t rows,
                              int64_t cols, int64_t nnz, int64_t *counts, gpu::tally *totals) {
    GPU_SHARED(int64_t, room, gpu::loop_warps);
    int64_t bad = gpu::tally_none, bandwidth = 0, disorder = 0;
    gpu::warp_stretch mine(nnz);
    for (int64_t base = mine.begin; base < mine.end; base += gpu::warp_lanes) {
        int64_t k = base + gpu::lane();
        bool there = k < mine.end;
        int64_t row = there ? rows_of[k] : -1, column = there ? cols_of[k] : -1;
        bool valid = in_range(row, rows) && in_range(column, cols);
        count_entries(counts, valid ? row : -1);
        if (there && !valid && k < bad) bad = k;
        if (!valid) continue;
        if (distance(row, column) > bandwidth) bandwidth = distance(row, column);
        if (k == 0) continue;
        bool same_row = rows_of[k - 1] == row;
        disorder = same_row ? worse(disorder, cols_of[k - 1], column)
                            : worse(disorder, rows_of[k - 1], row);
    }
    gpu::tally_least(&totals->bad, bad, room);
    gpu::tally_most(&totals->bandwidth, bandwidth, room);
    gpu::tally_most(&totals->disorder, disorder, room);
}

}  // namespace

static tulle_status start_totals(const tulle__place *place, gpu::scratch *memory,
                                 gpu::tally **totals) {
    const gpu::tally nothing;
    GPU_TRY(memory->get(1, totals));
    return GPU_SYMBOL(copy)(place, *totals, &nothing, sizeof nothing);
}

static void set_bad(tulle__stats *stats, int kind, int64_t row, int64_t value) {
    stats->bad_kind = kind;
    stats->bad_row = row;
    stats->bad_value = value;
}

static void finish(const tulle__pattern_view *pattern, const gpu::tally *totals,
                   tulle__stats *stats) {
    stats->sorted = totals->disorder < 2;
    stats->rising = totals->disorder == 0;
    stats->min_row = pattern->rows > 0 ? totals->min_row : 0;
    stats->max_row = totals->max_row;
    stats->empty_rows = totals->bins[0];
    stats->bandwidth = totals->bandwidth;
    for (int b = 0; b < gpu::tally_bins; b++) stats->row_histogram[b] = totals->bins[b];
    tulle__uint128 squares = 0;
    for (int i = gpu::tally_limbs - 1; i >= 0; i--) {
        squares = (squares << 32) + static_cast<uint64_t>(totals->squares[i]);
    }
    tulle__stats_finish(stats, pattern->rows, pattern->nnz, squares);
}

template <class Offset>
static tulle_status judge_offsets(const tulle__place *place, const tulle__pattern_view *csr,
                                  const gpu::tally *totals, tulle__stats *stats) {
    if (totals->first_offset != 0) {
        set_bad(stats, TULLE__BAD_FIRST_OFFSET, 0, totals->first_offset);
    } else if (totals->bad != gpu::tally_none) {
        Offset after = 0;
        auto offsets = static_cast<const Offset *>(csr->offsets);
        GPU_TRY(gpu::to_host(place, &after, offsets + totals->bad + 1, sizeof after));
        set_bad(stats, TULLE__BAD_FALLING, totals->bad, after);
    } else if (totals->last_offset != csr->nnz) {
        set_bad(stats, TULLE__BAD_LAST_OFFSET, csr->rows, totals->last_offset);
    }
    return TULLE_OK;
}

template <class Offset, class Index>
static tulle_status check_csr(const tulle__place *place, const tulle__pattern_view *csr,
                              tulle__stats *stats) {
    auto offsets = static_cast<const Offset *>(csr->offsets);
    auto columns = static_cast<const Index *>(csr->cols_of);
    const int64_t rows = csr->rows, nnz = csr->nnz;
    gpu::scratch memory(place);
    gpu::tally *totals = nullptr, host;
    GPU_TRY(start_totals(place, &memory, &totals));
    GPU_TRY(gpu::launch(place, check_rows<from_offsets<Offset>>,
                        gpu::loop_grid(rows, gpu::loop_blocks_once), from_offsets<Offset>{offsets},
                        rows, totals));
    GPU_TRY(gpu::launch(place, read_ends<Offset>, {1, 1}, offsets, rows, totals));
    GPU_TRY(gpu::to_host(place, &host, totals, sizeof host));
    GPU_TRY(judge_offsets<Offset>(place, csr, &host, stats));
    if (stats->bad_kind != TULLE__BAD_NONE) return TULLE_OK;

    GPU_TRY(gpu::launch(place, check_columns<Offset, Index>,
                        gpu::loop_grid(nnz, gpu::loop_blocks_once), offsets, columns, rows,
                        csr->cols, nnz, totals));
    GPU_TRY(gpu::to_host(place, &host, totals, sizeof host));
    if (host.bad == gpu::tally_none) {
        finish(csr, &host, stats);
        return TULLE_OK;
    }
    int64_t *found = nullptr, entry[2];
    GPU_TRY(memory.get(2, &found));
    GPU_TRY(gpu::launch(place, find_entry<Offset, Index>, {1, 1}, offsets, columns, rows, host.bad,
                        found));
    GPU_TRY(gpu::to_host(place, entry, found, sizeof entry));
    set_bad(stats, TULLE__BAD_COLUMN, entry[0], entry[1]);
    return TULLE_OK;
}

template <class Offset, class Index>
static tulle_status rising_csr(const tulle__place *place, const tulle__pattern_view *csr,
                               tulle__stats *stats) {
    gpu::scratch memory(place);
    gpu::tally *totals = nullptr, host;
    GPU_TRY(start_totals(place, &memory, &totals));
    const bool blocks = csr->format == TULLE_BSR;
    const auto look =
        blocks ? look_at_rising<true, Offset, Index> : look_at_rising<false, Offset, Index>;
    GPU_TRY(gpu::launch(place, look, gpu::loop_grid(csr->rows, gpu::loop_blocks_once),
                        static_cast<const Offset *>(csr->offsets),
                        static_cast<const Index *>(csr->cols_of), csr->rows,
                        static_cast<int>(tulle__block_rows(&csr->storage)),
                        static_cast<int>(tulle__block_cols(&csr->storage)), totals));
    GPU_TRY(gpu::to_host(place, &host, totals, sizeof host));
    finish(csr, &host, stats);
    return TULLE_OK;
}

template <class Offset>
static tulle_status banded_csr(const tulle__place *place, const tulle__pattern_view *csr,
                               int64_t bandwidth, tulle__stats *stats) {
    gpu::scratch memory(place);
    gpu::tally *totals = nullptr, host;
    auto offsets = static_cast<const Offset *>(csr->offsets);
    GPU_TRY(start_totals(place, &memory, &totals));
    GPU_TRY(gpu::launch(place, check_rows<from_offsets<Offset>>,
                        gpu::loop_grid(csr->rows, gpu::loop_blocks_once),
                        from_offsets<Offset>{offsets}, csr->rows, totals));
    GPU_TRY(gpu::to_host(place, &host, totals, sizeof host));
    host.bandwidth = bandwidth;
    finish(csr, &host, stats);
    return TULLE_OK;
}

template <class Index>
static tulle_status judge_entry(const tulle__place *place, const tulle__pattern_view *coo,
                                int64_t k, tulle__stats *stats) {
    Index row = 0, column = 0;
    GPU_TRY(gpu::to_host(place, &row, static_cast<const Index *>(coo->rows_of) + k, sizeof row));
    GPU_TRY(
        gpu::to_host(place, &column, static_cast<const Index *>(coo->cols_of) + k, sizeof column));
    if (row < 0 || row >= coo->rows) {
        set_bad(stats, TULLE__BAD_ROW, k, row);
    } else {
        set_bad(stats, TULLE__BAD_COLUMN, k, column);
    }
    return TULLE_OK;
}

template <class Index>
static tulle_status check_coo(const tulle__place *place, const tulle__pattern_view *coo,
                              tulle__stats *stats) {
    gpu::scratch memory(place);
    gpu::tally *totals = nullptr, host;
    int64_t *counts = nullptr;
    GPU_TRY(start_totals(place, &memory, &totals));
    GPU_TRY(memory.get(coo->rows, &counts));
    GPU_TRY(
        GPU_SYMBOL(set_bytes)(place, counts, 0, static_cast<size_t>(coo->rows) * sizeof *counts));
    GPU_TRY(gpu::launch(
        place, check_entries<Index>, gpu::loop_grid(coo->nnz, gpu::loop_blocks_once),
        static_cast<const Index *>(coo->rows_of), static_cast<const Index *>(coo->cols_of),
        coo->rows, coo->cols, coo->nnz, counts, totals));
    GPU_TRY(gpu::to_host(place, &host, totals, sizeof host));
    if (host.bad != gpu::tally_none) return judge_entry<Index>(place, coo, host.bad, stats);
    GPU_TRY(gpu::launch(place, check_rows<from_counts>,
                        gpu::loop_grid(coo->rows, gpu::loop_blocks_once), from_counts{counts},
                        coo->rows, totals));
    GPU_TRY(gpu::to_host(place, &host, totals, sizeof host));
    finish(coo, &host, stats);
    return TULLE_OK;
}

tulle_status GPU_SYMBOL(check_pattern)(const tulle__place *place,
                                       const tulle__pattern_view *pattern,
                                       tulle__stats *host_stats) {
    using check =
        tulle_status (*)(const tulle__place *, const tulle__pattern_view *, tulle__stats *);
    constexpr check csr[] = {check_csr<int32_t, int32_t>, check_csr<int64_t, int32_t>,
                             check_csr<int64_t, int64_t>};
    constexpr check coo[] = {check_coo<int32_t>, check_coo<int32_t>, check_coo<int64_t>};
    *host_stats = tulle__stats_start();
    return (pattern->format == TULLE_CSR ? csr : coo)[pattern->index](place, pattern, host_stats);
}

tulle_status GPU_SYMBOL(rising_stats)(const tulle__place *place, const tulle__pattern_view *csr,
                                      tulle__stats *host_stats) {
    using look =
        tulle_status (*)(const tulle__place *, const tulle__pattern_view *, tulle__stats *);
    constexpr look by_index[] = {rising_csr<int32_t, int32_t>, rising_csr<int64_t, int32_t>,
                                 rising_csr<int64_t, int64_t>};
    *host_stats = tulle__stats_start();
    return by_index[csr->index](place, csr, host_stats);
}

tulle_status GPU_SYMBOL(banded_stats)(const tulle__place *place, const tulle__pattern_view *csr,
                                      int64_t bandwidth, tulle__stats *host_stats) {
    *host_stats = tulle__stats_start();
    return tulle_offset_size(csr->index) == 4
               ? banded_csr<int32_t>(place, csr, bandwidth, host_stats)
               : banded_csr<int64_t>(place, csr, bandwidth, host_stats);
}
