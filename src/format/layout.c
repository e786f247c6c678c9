/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the conversion from CSR to the formats that are laid out row by row, on the CPU. */
#include <string.h>

#include "core/access.h"
#include "core/context.h"
#include "core/threads/sizes.h"
#include "format/blocks.h"
#include "format/functions.h"

/* Number of rows that a thread takes at a time; their lengths may differ much. */
enum { CHUNK = 256 };

static int64_t length_of(const tulle__pattern_view *csr, int64_t row) {
    return tulle__offset_at(csr, row + 1) - tulle__offset_at(csr, row);
}

/* Sorts one window by merging sorted runs of growing length; `room` is as large as the window. */
static void sort_window(const tulle__pattern_view *csr, int64_t count, int64_t *rows,
                        int64_t *room) {
    int64_t *from = rows, *to = room;
    for (int64_t run = 1; run < count; run *= 2) {
        for (int64_t begin = 0; begin < count; begin += 2 * run) {
            int64_t middle = begin + run < count ? begin + run : count;
            int64_t end = begin + 2 * run < count ? begin + 2 * run : count;
            int64_t a = begin, b = middle;
            for (int64_t k = begin; k < end; k++) {
                bool first =
                    b == end || (a < middle && length_of(csr, from[a]) >= length_of(csr, from[b]));
                to[k] = first ? from[a++] : from[b++];
            }
        }
        int64_t *swap = from;
        from = to;
        to = swap;
    }
    if (from != rows) memcpy(rows, from, (size_t)count * sizeof *rows);
}

static int threads_of(const tulle__place *place, const tulle__pattern_view *csr) {
    return tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
}

tulle_status tulle__cpu_order_rows(const tulle__place *place, const tulle__pattern_view *csr,
                                   int64_t window, void *order) {
    int64_t rows = csr->rows, size = tulle_index_size(csr->index);
    int64_t *work = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(rows, 2 * sizeof *work, 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, (void **)&work));
    int64_t windows = tulle__ceil_div(rows, window);
#pragma omp parallel for num_threads(threads_of(place, csr)) schedule(dynamic, 1)
    for (int64_t w = 0; w < windows; w++) {
        int64_t begin = w * window, count = rows - begin < window ? rows - begin : window;
        for (int64_t p = 0; p < count; p++) work[begin + p] = begin + p;
        sort_window(csr, count, work + begin, work + rows + begin);
        for (int64_t p = 0; p < count; p++) tulle__put(order, size, begin + p, work[begin + p]);
    }
    tulle__free(place->ctx, work);
    return TULLE_OK;
}

static int64_t slice_slots(const tulle__pattern_view *csr, const tulle__pattern_view *laid,
                           int64_t s) {
    int64_t slice = laid->storage.slice, width = 0;
    int64_t end = (s + 1) * slice < csr->rows ? (s + 1) * slice : csr->rows;
    for (int64_t p = s * slice; p < end; p++) {
        int64_t length = length_of(csr, tulle__row_at(laid, p));
        if (length > width) width = length;
    }
    return width * slice;
}

/* Returns the number of rows with more than k entries; the rows are ordered by falling length. */
static int64_t rows_longer(const tulle__pattern_view *csr, const tulle__pattern_view *laid,
                           int64_t k) {
    int64_t rows = 0;
    TULLE__LOWER_BOUND(rows, csr->rows, p, length_of(csr, tulle__row_at(laid, p)) > k);
    return rows;
}

static int64_t clipped_length(const tulle__pattern_view *csr, const tulle__pattern_view *laid,
                              int64_t row) {
    int64_t length = length_of(csr, row);
    return length < laid->storage.width ? length : laid->storage.width;
}

/* Returns the length of part i of a layout: a slice, a diagonal, a block row, or a row. */
static int64_t part_length(const tulle__pattern_view *csr, const tulle__pattern_view *laid,
                           int64_t i) {
    if (tulle__has(laid->format, TULLE__SLICED)) return slice_slots(csr, laid, i);
    if (laid->format == TULLE_JDS) return rows_longer(csr, laid, i);
    if (laid->format == TULLE_BSR) {
        return tulle__blocks_of_row(csr, tulle__block_rows(&laid->storage),
                                    tulle__block_cols(&laid->storage), i, NULL, 0);
    }
    return clipped_length(csr, laid, i);
}

tulle_status tulle__cpu_layout_offsets(const tulle__place *place, const tulle__pattern_view *csr,
                                       const tulle__pattern_view *laid, void *offsets,
                                       int64_t *host_last) {
    int64_t size = tulle_offset_size(laid->index), sum = 0;
    int64_t count = tulle__layout_parts(laid);
#pragma omp parallel for num_threads(threads_of(place, csr)) schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < count; i++) tulle__put(offsets, size, i, part_length(csr, laid, i));
    for (int64_t i = 0; i < count; i++) {
        int64_t length = tulle__get(offsets, size, i);
        tulle__put(offsets, size, i, sum);
        sum += length;
    }
    tulle__put(offsets, size, count, sum);
    *host_last = sum;
    return TULLE_OK;
}

/* Sets the flags of the diagonals that have entries; the flag of entry (i, j) has index j - i +
 * rows - 1. */
static void mark_diagonals(int threads, const tulle__pattern_view *csr, unsigned char *there) {
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK)
    for (int64_t i = 0; i < csr->rows; i++) {
        int64_t end = tulle__offset_at(csr, i + 1);
        for (int64_t e = tulle__offset_at(csr, i); e < end; e++) {
            unsigned char *flag = there + (tulle__col_at(csr, e) - i + csr->rows - 1);
            __atomic_store_n(flag, 1, __ATOMIC_RELAXED);
        }
    }
}

tulle_status tulle__cpu_find_diagonals(const tulle__place *place, const tulle__pattern_view *csr,
                                       int64_t most, void *diagonals, int64_t *host_count) {
    *host_count = 0;
    if (csr->nnz == 0) return TULLE_OK;
    int64_t all = csr->rows + csr->cols - 1, count = 0;
    void *there = NULL;
    TULLE__TRY(tulle__alloc(place->ctx, (size_t)all, &there));
    unsigned char *flags = there;
    memset(flags, 0, (size_t)all);
    mark_diagonals(threads_of(place, csr), csr, flags);
    for (int64_t d = 0; d < all; d++) {
        if (!flags[d]) continue;
        if (count < most) {
            tulle__put(diagonals, tulle_index_size(csr->index), count, d - (csr->rows - 1));
        }
        count++;
    }
    tulle__free(place->ctx, there);
    *host_count = count;
    return TULLE_OK;
}

static int64_t count_blocks(int threads, const tulle__pattern_view *csr, int64_t size) {
    int64_t rows = tulle__ceil_div(csr->rows, size), count = 0;
#pragma omp parallel for num_threads(threads) schedule(dynamic, CHUNK) reduction(+ : count)
    for (int64_t b = 0; b < rows; b++) count += tulle__blocks_of_row(csr, size, size, b, NULL, 0);
    return count;
}

tulle_status tulle__cpu_count_blocks(const tulle__place *place, const tulle__pattern_view *csr,
                                     int64_t *host_counts) {
    static const int sizes[] = TULLE__BLOCK_SIZES;
    for (int i = 0; i < TULLE__BLOCK_SIZE_COUNT; i++) {
        host_counts[i] = count_blocks(threads_of(place, csr), csr, sizes[i]);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_list_blocks(const tulle__place *place, const tulle__pattern_view *csr,
                                    const tulle__pattern_view *laid, void *cols_of) {
    int64_t tall = tulle__block_rows(&laid->storage), wide = tulle__block_cols(&laid->storage);
    int64_t rows = tulle__ceil_div(csr->rows, tall);
#pragma omp parallel for num_threads(threads_of(place, csr)) schedule(dynamic, CHUNK)
    for (int64_t b = 0; b < rows; b++) {
        tulle__blocks_of_row(csr, tall, wide, b, cols_of, tulle__offset_at(laid, b));
    }
    return TULLE_OK;
}

static void set_bit(uint32_t *mask, int64_t i) {
    __atomic_fetch_or(mask + i / 32, 1u << (i % 32), __ATOMIC_RELAXED);
}

tulle_status tulle__cpu_fill_layout(const tulle__place *place, const tulle__pattern_view *csr,
                                    tulle_type type, const void *csr_values,
                                    const tulle__pattern_view *laid, const void *clipped,
                                    const tulle__pattern_arrays *out, void *values) {
#pragma omp parallel for num_threads(threads_of(place, csr)) schedule(dynamic, CHUNK)
    for (int64_t p = 0; p < csr->rows; p++) {
        int64_t row = tulle__row_at(laid, p), begin = tulle__offset_at(csr, row);
        int64_t length = length_of(csr, row);
        tulle__row_slots to = tulle__row_slots_of(laid, clipped, p, row, begin);
        for (int64_t k = 0; k < length; k++) {
            int64_t col = tulle__col_at(csr, begin + k);
            int64_t slot = tulle__slot_for(laid, &to, k, col);
            tulle__settle(laid, out, row, col, slot);
            if (out->mask) set_bit(out->mask, tulle__bit_of_slot(laid, slot));
            tulle__move_value(type, values, slot, csr_values, begin + k);
        }
        if (out->lengths) tulle__put(out->lengths, tulle_index_size(laid->index), row, length);
    }
    return TULLE_OK;
}
