/* SPDX-License-Identifier: Apache-2.0 */
#include "naive_layout.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "places.h"

static void *room(int64_t count, size_t size) {
    void *memory = calloc((size_t)count + 1, size);
    assert_non_null(memory);
    return memory;
}

static int64_t *widened(void *array, int64_t count, int64_t size) {
    int64_t *wide = room(count, sizeof *wide);
    for (int64_t i = 0; i < count; i++) {
        wide[i] = size == 4 ? ((int32_t *)array)[i] : ((int64_t *)array)[i];
    }
    free(array);
    return wide;
}

naive_layout naive_read(tulle_ctx *ctx, const tulle_mat *A) {
    naive_layout l;
    must(tulle_mat_describe(A, &l.info));
    must(tulle_mat_counts(A, &l.n));
    int64_t offset = tulle_offset_size(l.info.index), size = tulle_index_size(l.info.index);
    tulle_mat_buffers to = {.offsets = room(l.n.offsets, (size_t)offset),
                            .rows = room(l.n.rows, (size_t)size),
                            .cols = room(l.n.cols, (size_t)size),
                            .order = room(l.n.order, (size_t)size),
                            .lengths = room(l.n.lengths, (size_t)size),
                            .mask = room(l.n.mask, sizeof *l.mask),
                            .codes = room(l.n.codes, 1),
                            .values = room(l.n.values, sizeof(double))};
    must(tulle_mat_read_arrays(ctx, A, &to));
    l.offsets = widened(to.offsets, l.n.offsets, offset);
    l.rows = widened(to.rows, l.n.rows, size);
    l.cols = widened(to.cols, l.n.cols, size);
    l.order = widened(to.order, l.n.order, size);
    l.lengths = widened(to.lengths, l.n.lengths, size);
    l.mask = to.mask;
    l.codes = to.codes;
    l.values = room(l.n.values, sizeof(double));
    for (int64_t s = 0; s < l.n.values; s++) {
        bool single = l.info.type == TULLE_F32;
        l.values[s] = single ? (double)((float *)to.values)[s] : ((double *)to.values)[s];
    }
    free(to.values);
    return l;
}

void naive_free(naive_layout *l) {
    free(l->offsets);
    free(l->rows);
    free(l->cols);
    free(l->order);
    free(l->lengths);
    free(l->mask);
    free(l->codes);
    free(l->values);
}

/* Entries on their way into a list. */
typedef struct {
    const naive_layout *l;
    entries e;
    int64_t *slots;
} collector;

static void put(collector *to, int64_t row, int64_t col, int64_t slot) {
    const tulle_mat_info *info = &to->l->info;
    assert_true(slot >= 0 && slot < info->storage.stored);
    assert_true(row >= 0 && row < info->rows && col >= 0 && col < info->cols);
    assert_true(to->e.nnz < info->nnz);
    to->e.row[to->e.nnz] = row;
    to->e.col[to->e.nnz] = col;
    to->e.value[to->e.nnz] = to->l->values[slot];
    to->slots[to->e.nnz++] = slot;
}

/* `places` slots from `at` on, until padding. */
static void put_row(collector *to, int64_t row, int64_t at, int64_t step, int64_t places) {
    bool ended = false;
    for (int64_t k = 0; k < places; k++) {
        int64_t slot = at + k * step;
        assert_true(slot < to->l->n.cols);
        if (to->l->cols[slot] == -1) {
            ended = true;
        } else {
            assert_false(ended);
            put(to, row, to->l->cols[slot], slot);
        }
    }
}

static void put_tail(collector *to, int64_t row) {
    const naive_layout *l = to->l;
    for (int64_t t = 0; t < l->n.rows; t++) {
        int64_t slot = l->info.storage.head + t;
        if (l->rows[t] == row) put(to, row, l->cols[slot], slot);
    }
}

static void put_jds(collector *to, int64_t row, int64_t p) {
    const naive_layout *l = to->l;
    for (int64_t k = 0; k < l->info.storage.width; k++) {
        int64_t slot = l->offsets[k] + p;
        if (slot < l->offsets[k + 1]) put(to, row, l->cols[slot], slot);
    }
}

static void put_section(collector *to, int64_t row, int64_t p) {
    const tulle_storage *s = &to->l->info.storage;
    for (int i = 0; i < s->sections; i++) {
        if (p < s->section_row[i] || p >= s->section_row[i + 1]) continue;
        int64_t h = (s->section_row[i + 1] - s->section_row[i] + 31) / 32 * 32;
        int64_t places = (s->section_at[i + 1] - s->section_at[i]) / h;
        put_row(to, row, s->section_at[i] + p - s->section_row[i], h, places);
    }
}

static bool bit(const naive_layout *l, int64_t word, int64_t i) {
    assert_true(word + i / 32 < l->n.mask);
    return l->mask[word + i / 32] >> (i % 32) & 1;
}

static void put_diagonals(collector *to, int64_t row) {
    const naive_layout *l = to->l;
    const tulle_storage *s = &l->info.storage;
    for (int64_t d = 0; d < s->width; d++) {
        if (bit(l, d * s->stride / 32, row)) {
            put(to, row, row + l->cols[d], d * s->stride + row);
        }
    }
}

static void put_blocks(collector *to, int64_t row) {
    const naive_layout *l = to->l;
    const tulle_storage *s = &l->info.storage;
    int64_t n = s->block, w = s->block_cols, words = (n * w + 31) / 32;
    for (int64_t b = l->offsets[row / n]; b < l->offsets[row / n + 1]; b++) {
        for (int64_t c = 0; c < w; c++) {
            bool there = s->full || bit(l, b * words, row % n * w + c);
            if (there) put(to, row, l->cols[b] * w + c, (b * n + row % n) * w + c);
        }
    }
}

/* The column of a lane of a line, byte by byte. */
static int64_t packed_col(const naive_layout *l, int64_t line, int lane) {
    int64_t place = l->mask[2 * line + 1] / 4, number = 0;
    int kind = (int)(l->mask[2 * line + 1] % 4), bytes = kind == 3 ? 4 : kind;
    if (kind == 0) return l->cols[line] + lane;
    assert_true(32 * (place + bytes) <= l->n.codes);
    for (int b = bytes - 1; b >= 0; b--) {
        number = 256 * number + l->codes[32 * place + lane * bytes + b];
    }
    return l->cols[line] + number;
}

static void put_lines(collector *to, int64_t row, int64_t p) {
    const naive_layout *l = to->l;
    int lane = (int)(p % 32);
    bool ended = false;
    for (int64_t line = l->offsets[p / 32] / 32; line < l->offsets[p / 32 + 1] / 32; line++) {
        bool there = bit(l, 2 * line, lane);
        assert_false(there && ended);
        ended = !there;
        if (there) put(to, row, packed_col(l, line, lane), 32 * line + lane);
    }
}

static void put_position(collector *to, int64_t row, int64_t p) {
    const naive_layout *l = to->l;
    const tulle_storage *s = &l->info.storage;
    switch (l->info.format) {
        case TULLE_CSR:
        case TULLE_DCSR:
            put_row(to, row, l->offsets[p], 1, l->offsets[p + 1] - l->offsets[p]);
            break;
        case TULLE_CSR_COO:
            put_row(to, row, l->offsets[p], 1, l->offsets[p + 1] - l->offsets[p]);
            put_tail(to, row);
            break;
        case TULLE_HYB:
            put_row(to, row, p, s->stride, s->width);
            put_tail(to, row);
            break;
        case TULLE_SELL: {
            int64_t at = l->offsets[p / s->slice], end = l->offsets[p / s->slice + 1];
            put_row(to, row, at + p % s->slice, s->slice, (end - at) / s->slice);
            break;
        }
        case TULLE_JDS:
            put_jds(to, row, p);
            break;
        case TULLE_JDS_ELL:
            put_section(to, row, p);
            break;
        case TULLE_PACKED:
            put_lines(to, row, p);
            break;
        case TULLE_DIA:
            put_diagonals(to, row);
            break;
        case TULLE_BSR:
            put_blocks(to, row);
            break;
        default:
            put_row(to, row, p, s->stride, s->width);
            break;
    }
}

static void put_list(collector *to) {
    const naive_layout *l = to->l;
    for (int64_t e = 0; l->info.format == TULLE_COO && e < l->info.storage.stored; e++) {
        put(to, l->rows[e], l->cols[e], e);
    }
    for (int64_t j = 0; l->info.format == TULLE_CSC && j < l->info.cols; j++) {
        for (int64_t e = l->offsets[j]; e < l->offsets[j + 1]; e++) put(to, l->rows[e], j, e);
    }
}

static void put_rows(collector *to) {
    const naive_layout *l = to->l;
    bool compressed = l->info.format == TULLE_DCSR;
    int64_t rows = l->info.rows, *position = room(rows, sizeof *position);
    for (int64_t i = 0; i < rows; i++) position[i] = compressed ? -1 : i;
    for (int64_t p = 0; p < l->n.order; p++) position[l->order[p]] = p;
    for (int64_t i = 0; i < rows; i++) {
        if (position[i] >= 0) put_position(to, i, position[i]);
    }
    free(position);
}

entries naive_entries(const naive_layout *l, int64_t **slots) {
    const tulle_mat_info *info = &l->info;
    collector to = {.l = l, .slots = room(info->nnz, sizeof(int64_t))};
    to.e = (entries){.rows = info->rows,
                     .cols = info->cols,
                     .row = room(info->nnz, sizeof(int64_t)),
                     .col = room(info->nnz, sizeof(int64_t)),
                     .value = room(info->nnz, sizeof(double))};
    if (info->format == TULLE_COO || info->format == TULLE_CSC) {
        put_list(&to);
    } else {
        put_rows(&to);
    }
    assert_int_equal(to.e.nnz, info->nnz);
    *slots = to.slots;
    return to.e;
}
