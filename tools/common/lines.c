/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/lines.h"

#include <omp.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

/* A thread takes so many blocks of rows at a time. */
enum { BLOCKS_AT_ONCE = 16 };

/* The tables of all threads take no more bytes than this, unless a single table must. */
enum { TABLES_BYTES = 256 << 20 };

/* An empty slot of a table holds NO_LINE, which has NO_LINE_BYTE in all its bytes. */
enum { NO_LINE = -1, NO_LINE_BYTE = 0xff };

typedef struct job {
    const tool_csr *A;
    int64_t rows_per_block, blocks;
    int64_t value_size, offset_size, index_size;
    int64_t x_lines;
    int shift; /* log2 of the number of x's numbers that share a line */
} job;

static int64_t first_row(const job *j, int64_t block) {
    return block < j->blocks ? block * j->rows_per_block : j->A->rows;
}

static int64_t first_entry(const job *j, int64_t block) {
    return tool_csr_offset(j->A, first_row(j, block));
}

static int64_t longest_block(const job *j, int threads) {
    int64_t most = 0;
#pragma omp parallel for num_threads(threads) reduction(max : most)
    for (int64_t b = 0; b < j->blocks; b++) {
        int64_t entries = first_entry(j, b + 1) - first_entry(j, b);
        if (entries > most) most = entries;
    }
    return most;
}

/* Returns the number of lines of an array, with elements of this size, that hold the elements from
 * first to end - 1. */
static int64_t lines_of(int64_t first, int64_t end, int64_t size) {
    if (first == end) return 0;
    return (end * size - 1) / PAPER_LINE_BYTES - first * size / PAPER_LINE_BYTES + 1;
}

/* Returns the number of slots for a block of so many entries: a power of two, at most half of them
 * used. */
static int64_t slots_for(const job *j, int64_t entries) {
    int64_t most = entries < j->x_lines ? entries : j->x_lines, slots = 2;
    while (slots < 2 * most) slots *= 2;
    return slots;
}

/* Inserts a line; returns 1 where the line is new, else 0. The search starts by Fibonacci
 * hashing. */
static int insert(int64_t *table, int64_t slots, int64_t line) {
    int64_t slot = (int64_t)((uint64_t)line * UINT64_C(0x9e3779b97f4a7c15) >> 24) & (slots - 1);
    while (table[slot] != NO_LINE && table[slot] != line) slot = (slot + 1) & (slots - 1);
    if (table[slot] == line) return 0;
    table[slot] = line;
    return 1;
}

static int64_t lines_of_x(const job *j, int64_t begin, int64_t end, int64_t *table) {
    int64_t slots = slots_for(j, end - begin), found = 0, before = -1;
    memset(table, NO_LINE_BYTE, (size_t)slots * sizeof *table);
    for (int64_t k = begin; k < end; k++) {
        int64_t line = tool_csr_column(j->A, k) >> j->shift;
        if (line != before) found += insert(table, slots, line);
        before = line;
    }
    return found;
}

static paper_lines count(const job *j, int threads, int64_t slots, int64_t *tables) {
    int64_t offsets = 0, columns = 0, values = 0, x = 0, y = 0;
#pragma omp parallel num_threads(threads) reduction(+ : offsets, columns, values, x, y)
    {
        int64_t *table = tables + (int64_t)omp_get_thread_num() * slots;
#pragma omp for schedule(dynamic, BLOCKS_AT_ONCE)
        for (int64_t b = 0; b < j->blocks; b++) {
            int64_t row = first_row(j, b), row_end = first_row(j, b + 1);
            int64_t begin = first_entry(j, b), end = first_entry(j, b + 1);
            offsets += lines_of(row, row_end + 1, j->offset_size);
            columns += lines_of(begin, end, j->index_size);
            values += lines_of(begin, end, j->value_size);
            x += lines_of_x(j, begin, end, table);
            y += lines_of(row, row_end, j->value_size);
        }
    }
    return (paper_lines){offsets, columns, values, x, y, j->blocks};
}

paper_lines paper_lines_count(const tool_csr *A, int64_t rows_per_block, int threads) {
    if (rows_per_block > A->rows) rows_per_block = A->rows > 0 ? A->rows : 1;
    job j = {.A = A,
             .rows_per_block = rows_per_block,
             .blocks = A->rows / rows_per_block + (A->rows % rows_per_block != 0),
             .value_size = tulle_type_size(A->type),
             .offset_size = tulle_offset_size(A->index),
             .index_size = tulle_index_size(A->index),
             .shift = A->type == TULLE_F32 ? 5 : 4};
    j.x_lines = A->cols > 0 ? ((A->cols - 1) >> j.shift) + 1 : 0;
    int64_t slots = slots_for(&j, longest_block(&j, threads));
    int64_t most = TABLES_BYTES / ((int64_t)sizeof(int64_t) * slots);
    if (threads > most) threads = most > 1 ? (int)most : 1;
    int64_t *tables = tool_alloc((size_t)threads * (size_t)slots, sizeof *tables);
    paper_lines lines = count(&j, threads, slots, tables);
    free(tables);
    return lines;
}
