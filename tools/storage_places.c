/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts that the places of the entries decide: DIA and BSR. */
#include <stdlib.h>

#include "error.h"
#include "progress.h"
#include "storage.h"

/* A bit for each diagonal may take this much, and as much again as the matrix. */
enum { ALWAYS_FINE = 64 << 20, BYTES_AN_ENTRY = 16 };

static int64_t count_bits(const uint64_t *words, int64_t count) {
    int64_t bits = 0;
    for (int64_t w = 0; w < count; w++) bits += __builtin_popcountll(words[w]);
    return bits;
}

static bool progress_says_stop(int64_t row, int64_t rows) {
    return row % 65536 == 0 && tool_progress(NULL, "counting diagonals", row, rows);
}

static tulle_status mark_diagonals(const tool_csr *A, uint64_t *words) {
    for (int64_t row = 0; row < A->rows; row++) {
        if (progress_says_stop(row, A->rows)) return TULLE_CANCELLED;
        for (int64_t k = tool_csr_offset(A, row); k < tool_csr_offset(A, row + 1); k++) {
            int64_t diagonal = tool_csr_column(A, k) + (A->rows - 1 - row);
            words[diagonal / 64] |= (uint64_t)1 << (diagonal % 64);
        }
    }
    return TULLE_OK;
}

static tulle_status dia(const tool_csr *A, tool_storages *storages) {
    int64_t words = tool_plus(A->rows, A->cols) / 64 + 1;
    storages->diagonals_known = words * 8 <= ALWAYS_FINE + BYTES_AN_ENTRY * A->nnz;
    if (!storages->diagonals_known) return TULLE_OK;
    uint64_t *seen = tool_alloc((size_t)words, sizeof *seen);
    tulle_status status = mark_diagonals(A, seen);
    tulle_storage *s = &storages->of[TULLE_DIA];
    s->width = count_bits(seen, words);
    s->stride = tool_stride(A->rows);
    s->stored = tool_times(s->width, s->stride);
    free(seen);
    return status;
}

enum { LARGEST_BLOCK = 8 };

/* Where the next entries of a block row's rows are, all rows moving on together. */
typedef struct front {
    const tool_csr *A;
    int64_t size;
    int rows;
    int64_t at[LARGEST_BLOCK], end[LARGEST_BLOCK];
    int64_t block[LARGEST_BLOCK]; /* column of the block that it is in; INT64_MAX at the end */
} front;

static void look(front *f, int r) {
    f->block[r] = f->at[r] < f->end[r] ? tool_csr_column(f->A, f->at[r]) / f->size : INT64_MAX;
}

static int64_t first_block(const front *f) {
    int64_t first = INT64_MAX;
    for (int r = 0; r < f->rows; r++) {
        if (f->block[r] < first) first = f->block[r];
    }
    return first;
}

static int64_t blocks_of_rows(const tool_csr *A, int64_t first_row, int64_t size) {
    int64_t left = A->rows - first_row, count = 0;
    front f = {.A = A, .size = size, .rows = (int)(left < size ? left : size)};
    for (int r = 0; r < f.rows; r++) {
        f.at[r] = tool_csr_offset(A, first_row + r);
        f.end[r] = tool_csr_offset(A, first_row + r + 1);
        look(&f, r);
    }
    for (int64_t block = first_block(&f); block < INT64_MAX; block = first_block(&f)) {
        for (int r = 0; r < f.rows; r++) {
            for (; f.block[r] == block; look(&f, r)) f.at[r]++;
        }
        count++;
    }
    return count;
}

static tulle_storage bsr(const tool_csr *A, int64_t size) {
    int64_t blocks = 0;
#pragma omp parallel for schedule(dynamic, 256) reduction(+ : blocks)
    for (int64_t row = 0; row < A->rows; row += size) blocks += blocks_of_rows(A, row, size);
    tulle_storage s = {.stored = tool_times(blocks, size * size), .block = size};
    s.full = s.stored == A->nnz;
    return s;
}

tulle_status tool_find_place_storages(const tool_csr *A, tool_storages *storages) {
    static const int64_t sizes[TOOL_BLOCK_SIZES] = {2, 3, 4, LARGEST_BLOCK};
    tulle_status status = dia(A, storages);
    for (int i = 0; i < TOOL_BLOCK_SIZES && status == TULLE_OK; i++) {
        storages->bsr[i] = bsr(A, sizes[i]);
        if (tool_progress(NULL, "counting blocks", i + 1, TOOL_BLOCK_SIZES)) {
            status = TULLE_CANCELLED;
        }
    }
    return status;
}
