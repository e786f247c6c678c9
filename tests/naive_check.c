/* SPDX-License-Identifier: Apache-2.0 */
/* What include/tulle/formats.h promises of each layout beyond the entries. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "naive_layout.h"

static int64_t rounded(int64_t count, int64_t unit) {
    return (count + unit - 1) / unit * unit;
}

static int64_t bits_of(int64_t number) {
    int64_t bits = 0;
    while (number >> bits > 0) bits++;
    return bits;
}

static void check_counts(const naive_layout *l) {
    const tulle_mat_info *info = &l->info;
    const tulle_storage *s = &info->storage;
    bool tail = info->format == TULLE_HYB || info->format == TULLE_CSR_COO;
    tulle_mat_lengths want = {.cols = s->stored, .values = s->stored};
    if (tail) want.rows = s->stored - s->head;
    if (info->format == TULLE_COO || info->format == TULLE_CSC) want.rows = info->nnz;
    if (info->format == TULLE_CSC) want.cols = 0;
    if (info->format == TULLE_CSC) want.offsets = info->cols + 1;
    if (info->format == TULLE_CSR || info->format == TULLE_CSR_COO) want.offsets = info->rows + 1;
    if (info->format == TULLE_ELLR) want.lengths = info->rows;
    bool sliced = info->format == TULLE_SELL || info->format == TULLE_PACKED;
    if (sliced) want.offsets = rounded(info->rows, s->slice) / s->slice + 1;
    if (sliced && s->window > 1) want.order = info->rows;
    if (info->format == TULLE_JDS || info->format == TULLE_JDS_ELL) want.order = info->rows;
    if (info->format == TULLE_JDS) want.offsets = s->width + 1;
    if (info->format == TULLE_DIA) want.cols = s->width;
    if (info->format == TULLE_DIA) want.mask = s->width * s->stride / 32;
    if (info->format == TULLE_DCSR) {
        want.offsets = info->rows - info->empty_rows + 1;
        want.order = info->rows - info->empty_rows;
    }
    if (info->format == TULLE_PACKED) {
        want.cols = s->stored / 32;
        want.mask = 2 * want.cols;
        want.codes = s->coded;
    }
    if (info->format == TULLE_BSR) {
        int64_t cells = s->block * s->block_cols;
        want.offsets = rounded(info->rows, s->block) / s->block + 1;
        want.cols = s->stored / cells;
        want.mask = s->full ? 0 : want.cols * (rounded(cells, 32) / 32);
    }
    assert_memory_equal(&l->n, &want, sizeof want);
    int64_t index = tulle_index_size(info->index), offset = tulle_offset_size(info->index);
    assert_int_equal(info->pattern_bytes,
                     want.offsets * offset + 4 * want.mask + want.codes +
                         (want.rows + want.cols + want.order + want.lengths) * index);
    assert_int_equal(info->value_bytes, s->stored * tulle_type_size(info->type));
}

/* Slots that hold no entry: value 0, and column -1 where slots have columns of their own. */
static void check_padding(const naive_layout *l, const entries *e, const int64_t *slots) {
    bool own_columns = l->n.cols == l->info.storage.stored && l->info.format != TULLE_PACKED;
    char *used = calloc((size_t)l->info.storage.stored + 1, 1);
    assert_non_null(used);
    for (int64_t k = 0; k < e->nnz; k++) {
        assert_false(used[slots[k]]);
        used[slots[k]] = 1;
    }
    for (int64_t s = 0; s < l->info.storage.stored; s++) {
        if (used[s]) continue;
        assert_true(l->values[s] == 0 && !signbit(l->values[s]));
        if (own_columns && l->info.format != TULLE_BSR) assert_int_equal(l->cols[s], -1);
    }
    free(used);
}

/* A mask has a bit for each entry, and no other; PACKED has other words in between. */
static void check_mask(const naive_layout *l) {
    int64_t bits = 0, step = l->info.format == TULLE_PACKED ? 2 : 1;
    for (int64_t w = 0; w < l->n.mask; w += step) bits += __builtin_popcount(l->mask[w]);
    if (l->n.mask > 0) assert_int_equal(bits, l->info.nnz);
}

static int64_t *lengths_of(const entries *e) {
    int64_t *lengths = calloc((size_t)e->rows + 1, sizeof *lengths);
    assert_non_null(lengths);
    for (int64_t k = 0; k < e->nnz; k++) lengths[e->row[k]]++;
    return lengths;
}

/* A permutation within windows, by falling length, rows of the same length in their order. */
static void check_order(const naive_layout *l, const int64_t *lengths, int64_t window) {
    char *seen = calloc((size_t)l->info.rows + 1, 1);
    assert_non_null(seen);
    for (int64_t p = 0; p < l->n.order; p++) {
        int64_t row = l->order[p], before = p > 0 ? l->order[p - 1] : -1;
        assert_true(row >= 0 && row < l->info.rows && row / window == p / window);
        assert_false(seen[row]);
        seen[row] = 1;
        if (p % window == 0) continue;
        assert_true(lengths[before] > lengths[row] ||
                    (lengths[before] == lengths[row] && before < row));
    }
    free(seen);
}

static void check_ell(const naive_layout *l, const int64_t *lengths) {
    const tulle_storage *s = &l->info.storage;
    assert_int_equal(s->width, l->info.max_row);
    assert_int_equal(s->stride, rounded(l->info.rows, 32));
    assert_int_equal(s->stored, s->width * s->stride);
    for (int64_t i = 0; i < l->n.lengths; i++) assert_int_equal(l->lengths[i], lengths[i]);
}

/* Each slice is as wide as its longest row, and whole. */
static void check_sell(const naive_layout *l, const int64_t *lengths) {
    const tulle_storage *s = &l->info.storage;
    if (l->n.order) check_order(l, lengths, s->window);
    assert_int_equal(l->offsets[0], 0);
    for (int64_t c = 0; c + 1 < l->n.offsets; c++) {
        int64_t width = 0;
        for (int64_t p = c * s->slice; p < (c + 1) * s->slice && p < l->info.rows; p++) {
            int64_t length = lengths[l->n.order ? l->order[p] : p];
            if (length > width) width = length;
        }
        assert_int_equal(l->offsets[c + 1] - l->offsets[c], width * s->slice);
    }
    assert_int_equal(l->offsets[l->n.offsets - 1], s->stored);
}

/* The kind of a line is the least that its columns allow, and its base the least of them; all codes
 * are used, line by line. */
static void check_packed(const naive_layout *l, const entries *e, const int64_t *slots) {
    int64_t lines = l->n.cols, place = 0;
    int64_t *least = malloc((size_t)(lines + 1) * sizeof *least);
    int64_t *most = malloc((size_t)(lines + 1) * sizeof *most);
    int64_t *first = malloc((size_t)(lines + 1) * sizeof *first);
    bool *diagonal = malloc((size_t)lines + 1);
    assert_true(least && most && first && diagonal);
    for (int64_t i = 0; i < lines; i++) {
        least[i] = INT64_MAX;
        most[i] = INT64_MIN;
        diagonal[i] = true;
    }
    for (int64_t k = 0; k < e->nnz; k++) {
        int64_t i = slots[k] / 32, ahead = e->col[k] - slots[k] % 32;
        if (most[i] == INT64_MIN) first[i] = ahead;
        if (ahead != first[i]) diagonal[i] = false;
        if (e->col[k] < least[i]) least[i] = e->col[k];
        if (e->col[k] > most[i]) most[i] = e->col[k];
    }
    for (int64_t i = 0; i < lines; i++) {
        int64_t span = most[i] - least[i], kind = span < 256 ? 1 : span < 65536 ? 2 : 3;
        assert_true(span >= 0);
        if (diagonal[i]) kind = 0;
        assert_int_equal(l->mask[2 * i + 1] % 4, kind);
        assert_int_equal(l->cols[i], diagonal[i] ? first[i] : least[i]);
        if (!diagonal[i]) assert_int_equal(l->mask[2 * i + 1] / 4, place);
        place += kind == 3 ? 4 : kind;
    }
    assert_int_equal(l->n.codes, 32 * place);
    free(least);
    free(most);
    free(first);
    free(diagonal);
}

/* The tail goes row by row, and a row has one only when its head is full. */
static void check_tail(const naive_layout *l, const int64_t *lengths) {
    const tulle_storage *s = &l->info.storage;
    int64_t tails = 0, heads = 0;
    for (int64_t i = 0; i < l->info.rows; i++) {
        int64_t in_head = lengths[i] < s->width ? lengths[i] : s->width;
        heads += in_head;
        tails += lengths[i] - in_head;
        if (l->n.offsets) assert_int_equal(l->offsets[i + 1] - l->offsets[i], in_head);
    }
    bool hyb = l->info.format == TULLE_HYB;
    if (hyb) assert_int_equal(s->stride, rounded(l->info.rows, 32));
    assert_int_equal(s->head, hyb ? s->width * s->stride : heads);
    assert_int_equal(s->stored, s->head + tails);
    for (int64_t t = 1; t < l->n.rows; t++) assert_true(l->rows[t - 1] <= l->rows[t]);
}

static void check_sections(const naive_layout *l, const int64_t *lengths) {
    const tulle_storage *s = &l->info.storage;
    assert_true(s->sections >= 0 && s->sections < TULLE_SECTIONS);
    assert_true(s->section_row[0] == 0 && s->section_at[0] == 0);
    for (int i = 0; i < s->sections; i++) {
        int64_t first = s->section_row[i], rows = s->section_row[i + 1] - first;
        assert_true(rows > 0);
        assert_int_equal(s->section_at[i + 1] - s->section_at[i],
                         lengths[l->order[first]] * rounded(rows, 32));
        for (int64_t p = first; p < first + rows; p++) {
            assert_int_equal(bits_of(lengths[l->order[p]]), bits_of(lengths[l->order[first]]));
        }
    }
    assert_int_equal(s->section_row[s->sections], l->info.rows - l->info.empty_rows);
    assert_int_equal(s->section_at[s->sections], s->stored);
}

static void check_jds(const naive_layout *l, const int64_t *lengths) {
    const tulle_storage *s = &l->info.storage;
    check_order(l, lengths, l->info.rows > 0 ? l->info.rows : 1);
    if (l->info.format == TULLE_JDS_ELL) {
        check_sections(l, lengths);
        return;
    }
    assert_int_equal(s->width, l->info.max_row);
    assert_int_equal(s->stored, l->info.nnz);
    assert_int_equal(l->offsets[0], 0);
    assert_int_equal(l->offsets[s->width], l->info.nnz);
}

/* Diagonals ascend, and each has an entry. */
static void check_dia(const naive_layout *l, const entries *e) {
    const tulle_storage *s = &l->info.storage;
    assert_int_equal(s->stride, rounded(l->info.rows, 32));
    assert_int_equal(s->stored, s->width * s->stride);
    for (int64_t d = 0; d < s->width; d++) {
        if (d > 0) assert_true(l->cols[d - 1] < l->cols[d]);
        bool there = false;
        for (int64_t k = 0; k < e->nnz; k++) there |= e->col[k] - e->row[k] == l->cols[d];
        assert_true(there);
    }
}

/* Block columns ascend, each block has an entry, and there is no mask just when all cells have. */
static void check_bsr(const naive_layout *l, const int64_t *slots) {
    const tulle_storage *s = &l->info.storage;
    int64_t cells = s->block * s->block_cols;
    assert_int_equal(l->offsets[0], 0);
    assert_int_equal(l->offsets[l->n.offsets - 1] * cells, s->stored);
    assert_int_equal(s->full, s->stored == l->info.nnz);
    for (int64_t r = 0; r + 1 < l->n.offsets; r++) {
        for (int64_t b = l->offsets[r] + 1; b < l->offsets[r + 1]; b++) {
            assert_true(l->cols[b - 1] < l->cols[b]);
        }
    }
    char *there = calloc((size_t)l->n.cols + 1, 1);
    assert_non_null(there);
    for (int64_t k = 0; k < l->info.nnz; k++) there[slots[k] / cells] = 1;
    for (int64_t b = 0; b < l->n.cols; b++) assert_true(there[b]);
    free(there);
}

/* The rows that have entries, ascending. */
static void check_dcsr(const naive_layout *l, const int64_t *lengths) {
    assert_int_equal(l->info.storage.heads, l->n.order);
    assert_int_equal(l->offsets[0], 0);
    for (int64_t p = 0; p < l->n.order; p++) {
        if (p > 0) assert_true(l->order[p - 1] < l->order[p]);
        assert_true(lengths[l->order[p]] > 0);
        assert_int_equal(l->offsets[p + 1] - l->offsets[p], lengths[l->order[p]]);
    }
    assert_int_equal(l->info.storage.stored, l->info.nnz);
}

static void check_format(const naive_layout *l, const entries *e, const int64_t *slots,
                         const int64_t *lengths) {
    switch (l->info.format) {
        case TULLE_ELL:
        case TULLE_ELLR:
            check_ell(l, lengths);
            break;
        case TULLE_SELL:
            check_sell(l, lengths);
            break;
        case TULLE_PACKED:
            assert_int_equal(l->info.storage.slice, 32);
            check_sell(l, lengths);
            check_packed(l, e, slots);
            break;
        case TULLE_HYB:
        case TULLE_CSR_COO:
            check_tail(l, lengths);
            break;
        case TULLE_JDS:
        case TULLE_JDS_ELL:
            check_jds(l, lengths);
            break;
        case TULLE_DIA:
            check_dia(l, e);
            break;
        case TULLE_DCSR:
            check_dcsr(l, lengths);
            break;
        case TULLE_BSR:
            check_bsr(l, slots);
            break;
        default:
            assert_int_equal(l->info.storage.stored, l->info.nnz);
            break;
    }
}

void naive_check(const naive_layout *l) {
    int64_t *slots = NULL;
    check_counts(l);
    entries e = naive_entries(l, &slots);
    int64_t *lengths = lengths_of(&e);
    check_padding(l, &e, slots);
    check_mask(l);
    check_format(l, &e, slots, lengths);
    free(lengths);
    free(slots);
    entries_free(&e);
}
