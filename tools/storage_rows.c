/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts that the lengths of the rows decide: ELL, SELL, HYB, CSR+COO and JDS. */
#include <math.h>
#include <stdlib.h>

#include "error.h"
#include "storage.h"

/* How many rows there are of each length, up to the longest. */
typedef struct lengths {
    int64_t rows, longest;
    int64_t *count;
} lengths;

static int64_t length_of(const tool_csr *A, int64_t row) {
    return row < A->rows ? tool_csr_offset(A, row + 1) - tool_csr_offset(A, row) : 0;
}

static lengths count_lengths(const tool_csr *A, int64_t longest) {
    lengths l = {.rows = A->rows, .longest = longest};
    l.count = tool_alloc((size_t)longest + 1, sizeof *l.count);
    for (int64_t row = 0; row < A->rows; row++) l.count[length_of(A, row)]++;
    return l;
}

/* The length of the row at a position, rows by falling length; 0 without rows. */
static int64_t length_at(const lengths *l, int64_t position) {
    int64_t length = l->longest, reach = l->count[length];
    while (length > 0 && reach <= position) reach += l->count[--length];
    return length;
}

/* Entries beyond the first `width` of their row. */
static int64_t entries_beyond(const lengths *l, int64_t width) {
    int64_t beyond = 0;
    for (int64_t n = width + 1; n <= l->longest; n++) beyond += l->count[n] * (n - width);
    return beyond;
}

static tulle_storage ell(const lengths *l, int64_t width) {
    tulle_storage s = {.width = width, .stride = tool_stride(l->rows)};
    s.stored = tool_times(s.stride, width);
    return s;
}

static tulle_storage hyb(const lengths *l) {
    tulle_storage s = ell(l, length_at(l, l->rows / 3));
    s.head = s.stored;
    s.stored = tool_plus(s.head, entries_beyond(l, s.width));
    return s;
}

static tulle_storage csr_coo(const lengths *l, const tulle_mat_info *info) {
    double width = ceil(info->mean_row + 2 * info->sd_row);
    tulle_storage s = {.stored = info->nnz, .width = width < 1 ? 1 : (int64_t)width};
    if (s.width > l->longest) s.width = l->longest;
    s.head = info->nnz - entries_beyond(l, s.width);
    return s;
}

static int64_t longest_below(const lengths *l, int64_t length) {
    if (length > l->longest) length = l->longest;
    while (length > 0 && l->count[length] == 0) length--;
    return length;
}

/* A section for the rows of each bit length. */
static tulle_storage jds_ell(const lengths *l, const tulle_mat_info *info) {
    tulle_storage s = {0};
    for (int bits = TULLE_SECTIONS - 1; bits > 0; bits--) {
        int64_t rows = info->row_histogram[bits];
        if (rows == 0) continue;
        int64_t most = bits == TULLE_SECTIONS - 1 ? l->longest : ((int64_t)1 << bits) - 1;
        int64_t slots = tool_times(tool_stride(rows), longest_below(l, most));
        s.section_row[s.sections + 1] = s.section_row[s.sections] + rows;
        s.section_at[s.sections + 1] = tool_plus(s.section_at[s.sections], slots);
        s.sections++;
    }
    s.stored = s.section_at[s.sections];
    return s;
}

enum { SLICE = 32, WINDOW = 32 * SLICE };

static int longer_first(const void *a, const void *b) {
    int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x < y) - (x > y);
}

/* The longest row of each slice, summed. */
static int64_t widths_of_slices(const int64_t length[WINDOW]) {
    int64_t sum = 0;
    for (int first = 0; first < WINDOW; first += SLICE) {
        int64_t width = 0;
        for (int i = first; i < first + SLICE; i++) {
            if (length[i] > width) width = length[i];
        }
        sum += width;
    }
    return sum;
}

/* Sorting within windows must save a twentieth of the slots. */
static tulle_storage sell(const tool_csr *A) {
    int64_t plain = 0, sorted = 0;
#pragma omp parallel for schedule(dynamic, 64) reduction(+ : plain, sorted)
    for (int64_t first = 0; first < A->rows; first += WINDOW) {
        int64_t length[WINDOW];
        for (int i = 0; i < WINDOW; i++) length[i] = length_of(A, first + i);
        plain += SLICE * widths_of_slices(length);
        qsort(length, WINDOW, sizeof *length, longer_first);
        sorted += SLICE * widths_of_slices(length);
    }
    bool worth = sorted <= plain - plain / 20;
    return (tulle_storage){
        .stored = worth ? sorted : plain, .slice = SLICE, .window = worth ? WINDOW : 1};
}

void tool_find_row_storages(const tool_csr *A, const tulle_mat_info *info,
                            tool_storages *storages) {
    lengths l = count_lengths(A, info->max_row);
    storages->of[TULLE_ELL] = storages->of[TULLE_ELLR] = ell(&l, l.longest);
    storages->of[TULLE_HYB] = hyb(&l);
    storages->of[TULLE_CSR_COO] = csr_coo(&l, info);
    storages->of[TULLE_JDS].width = l.longest;
    storages->of[TULLE_JDS_ELL] = jds_ell(&l, info);
    storages->of[TULLE_SELL] = sell(A);
    free(l.count);
}
