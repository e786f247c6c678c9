/* SPDX-License-Identifier: Apache-2.0 */
/* The lines that blocks of rows touch, on the CPU: a thread counts a block with a table of its own.
 */
#include "matrix/lines.h"

#include <omp.h>
#include <string.h>

#include "core/context.h"
#include "matrix/access.h"

/* How many blocks a thread takes at a time. */
enum { BLOCKS_AT_ONCE = 16 };

typedef struct {
    const tulle__pattern_view *csr;
    int64_t rows_per_block, blocks;
    int64_t value_size, offset_size, index_size;
    int64_t x_lines;
    int shift;
} job;

static int64_t first_entry(const job *j, int64_t block) {
    int64_t row = block < j->blocks ? block * j->rows_per_block : j->csr->rows;
    return tulle__get(j->csr->offsets, j->offset_size, row);
}

static int64_t longest_block(int threads, const job *j) {
    int64_t most = 0;
#pragma omp parallel for num_threads(threads) reduction(max : most)
    for (int64_t b = 0; b < j->blocks; b++) {
        int64_t entries = first_entry(j, b + 1) - first_entry(j, b);
        if (entries > most) most = entries;
    }
    return most;
}

/* 1 where the line is new. */
static int insert(int64_t *table, int64_t slots, int64_t line) {
    int64_t slot = tulle__line_slot(line, slots);
    while (table[slot] != TULLE__NO_LINE && table[slot] != line) slot = (slot + 1) & (slots - 1);
    if (table[slot] == line) return 0;
    table[slot] = line;
    return 1;
}

static int64_t lines_of_x(const job *j, int64_t begin, int64_t end, int64_t *table) {
    int64_t slots = tulle__line_slots(end - begin, j->x_lines), found = 0, before = -1;
    memset(table, TULLE__NO_LINE_BYTE, (size_t)slots * sizeof *table);
    for (int64_t k = begin; k < end; k++) {
        int64_t line = tulle__get(j->csr->cols_of, j->index_size, k) >> j->shift;
        if (line != before) found += insert(table, slots, line);
        before = line;
    }
    return found;
}

static void count(const job *j, int threads, int64_t slots, int64_t *tables, tulle__lines *lines) {
    int64_t columns = 0, values = 0, x = 0;
#pragma omp parallel num_threads(threads) reduction(+ : columns, values, x)
    {
        int64_t *table = tables + (int64_t)omp_get_thread_num() * slots;
#pragma omp for schedule(dynamic, BLOCKS_AT_ONCE)
        for (int64_t b = 0; b < j->blocks; b++) {
            int64_t begin = first_entry(j, b), end = first_entry(j, b + 1);
            columns += tulle__lines_of(begin, end, j->index_size);
            values += tulle__lines_of(begin, end, j->value_size);
            x += lines_of_x(j, begin, end, table);
        }
    }
    *lines = (tulle__lines){.columns = columns, .values = values, .x = x};
}

tulle_status tulle__cpu_count_lines(const tulle__place *place, const tulle__pattern_view *csr,
                                    tulle_type type, int64_t rows_per_block, int64_t blocks,
                                    tulle__lines *host_lines) {
    const job j = {.csr = csr,
                   .rows_per_block = rows_per_block,
                   .blocks = blocks,
                   .value_size = tulle_type_size(type),
                   .offset_size = tulle_offset_size(csr->index),
                   .index_size = tulle_index_size(csr->index),
                   .x_lines = tulle__lines_of_x(csr, type),
                   .shift = tulle__line_shift(type)};
    int64_t slots = tulle__line_slots(longest_block(place->threads, &j), j.x_lines);
    int64_t threads = tulle__line_tables(place->threads, slots);
    size_t bytes = 0;
    void *tables = NULL;
    TULLE__TRY(tulle__size(threads * slots, sizeof(int64_t), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &tables));
    count(&j, (int)threads, slots, tables, host_lines);
    tulle__free(place->ctx, tables);
    return TULLE_OK;
}
