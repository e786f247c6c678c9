/* SPDX-License-Identifier: Apache-2.0 */
/* A row of C in a hash table with linear probing (Nagasaka, Nukada and Matsuoka, 2017, figure 5:
 * the same hash, at most half of the slots taken), which grows with the row's multiplications. Once
 * for each type combination: the include guard is only around the lines that are the same for all.
 */
#ifndef TULLE_SPGEMM_CPU_TABLE_H
#define TULLE_SPGEMM_CPU_TABLE_H

#include "spgemm/cpu/chunks.h"

#include <string.h>

enum { TULLE__TABLE_SCALE = 107, TULLE__TABLE_LEAST = 16, TULLE__TABLE_RANKED = 48 };

/* Number of slots: a power of two, at least twice as many as the row may have entries. */
static inline int64_t tulle__table_slots(int64_t multiplications, int64_t columns) {
    int64_t most = multiplications < columns ? multiplications : columns,
            slots = TULLE__TABLE_LEAST;
    while (slots < 2 * most) slots *= 2;
    return slots;
}

#endif

typedef struct NAME(table) {
    INDEX *keys; /* column of each slot, or -1; all are -1 between rows */
    VALUE *sums;
    int64_t *used;      /* slots that are taken, in the order in which they were taken */
    INDEX *sorted[2];   /* columns less the row's base, for sorting long rows */
    int64_t *places[2]; /* slots of the columns in `sorted` */
} NAME(table);

/* Returns the slot of a column, or the free one where it belongs. */
static inline int64_t NAME(table_find)(const INDEX *keys, int64_t mask, INDEX column) {
    int64_t slot = (int64_t)((uint64_t)column * TULLE__TABLE_SCALE) & mask;
    while (keys[slot] != column && keys[slot] >= 0) slot = (slot + 1) & mask;
    return slot;
}

static inline void NAME(table_clear)(const NAME(table) * table, int64_t used) {
    for (int64_t k = 0; k < used; k++) table->keys[table->used[k]] = -1;
}

static inline int64_t NAME(table_count)(const tulle__spgemm_task *task, const NAME(table) * table,
                                        const tulle__spgemm_row *row) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const int64_t mask = tulle__table_slots(row->multiplications, row->span) - 1;
    int64_t count = 0;
    for (int64_t e = row->begin; e < row->end; e++) {
        for (int64_t f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            int64_t slot = NAME(table_find)(table->keys, mask, b_cols[f]);
            if (table->keys[slot] >= 0) continue;
            table->keys[slot] = b_cols[f];
            table->used[count++] = slot;
        }
    }
    NAME(table_clear)(table, count);
    return count;
}

static inline int64_t NAME(table_sum)(const tulle__spgemm_task *task, const NAME(table) * table,
                                      const tulle__spgemm_row *row) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    const int64_t mask = tulle__table_slots(row->multiplications, row->span) - 1;
    int64_t count = 0;
    for (int64_t e = row->begin; e < row->end; e++) {
        VALUE factor = a_values[e];
        for (int64_t f = b_offsets[a_cols[e]]; f < b_offsets[a_cols[e] + 1]; f++) {
            int64_t slot = NAME(table_find)(table->keys, mask, b_cols[f]);
            VALUE term = factor * b_values[f];
            if (table->keys[slot] >= 0) {
                table->sums[slot] += term;
            } else {
                table->keys[slot] = b_cols[f];
                table->sums[slot] = term;
                table->used[count++] = slot;
            }
        }
    }
    return count;
}

/* Sorts by ranks: an entry goes to the place whose number is the number of lesser columns, so
 * that no branch depends on the columns. */
static inline void NAME(table_rank)(const NAME(table) * table, int64_t count, VALUE alpha,
                                    INDEX *cols, VALUE *values) {
    INDEX keys[TULLE__TABLE_RANKED];
    for (int64_t k = 0; k < count; k++) keys[k] = table->keys[table->used[k]];
    for (int64_t k = 0; k < count; k++) {
        INDEX rank = 0;
        for (int64_t l = 0; l < count; l++) rank += keys[l] < keys[k];
        cols[rank] = keys[k];
        values[rank] = alpha * table->sums[table->used[k]];
    }
}

/* Does one pass of a radix sort, by the eight bits from `shift` on. */
static inline void NAME(table_pass)(const NAME(table) * table, int64_t count, int from, int shift) {
    int64_t begin[257] = {0};
    const INDEX *sorted = table->sorted[from];
    for (int64_t k = 0; k < count; k++) begin[(sorted[k] >> shift & 255) + 1]++;
    for (int d = 0; d < 256; d++) begin[d + 1] += begin[d];
    for (int64_t k = 0; k < count; k++) {
        int64_t to = begin[sorted[k] >> shift & 255]++;
        table->sorted[1 - from][to] = sorted[k];
        table->places[1 - from][to] = table->places[from][k];
    }
}

static inline void NAME(table_radix)(const NAME(table) * table, const tulle__spgemm_row *row,
                                     int64_t count, VALUE alpha, INDEX *cols, VALUE *values) {
    int from = 0;
    for (int64_t k = 0; k < count; k++) {
        table->places[0][k] = table->used[k];
        table->sorted[0][k] = (INDEX)(table->keys[table->used[k]] - row->base);
    }
    const int bits = 8 * (int)sizeof(INDEX); /* shifts stop below the index's bits: a shift by all
                                                of them is undefined */
    for (int shift = 0; shift < bits && (row->span - 1) >> shift > 0; shift += 8, from = 1 - from) {
        NAME(table_pass)(table, count, from, shift);
    }
    for (int64_t k = 0; k < count; k++) {
        cols[k] = (INDEX)(row->base + table->sorted[from][k]);
        values[k] = alpha * table->sums[table->places[from][k]];
    }
}

/* Computes a row; returns the number of its entries. */
static inline int64_t NAME(table_row)(const tulle__spgemm_task *task, const NAME(table) * table,
                                      const tulle__spgemm_row *row, VALUE alpha, INDEX *cols,
                                      VALUE *values) {
    int64_t count = NAME(table_sum)(task, table, row);
    if (task->unsorted) {
        for (int64_t k = 0; k < count; k++) {
            cols[k] = table->keys[table->used[k]];
            values[k] = alpha * table->sums[table->used[k]];
        }
    } else if (count <= TULLE__TABLE_RANKED) {
        NAME(table_rank)(table, count, alpha, cols, values);
    } else {
        NAME(table_radix)(table, row, count, alpha, cols, values);
    }
    NAME(table_clear)(table, count);
    return count;
}

/* Bytes of a table for rows of at most so many multiplications and columns; the memory that it is
 * cut from begins and ends at multiples of 64 bytes. */
static inline int64_t NAME(table_bytes)(int64_t multiplications, int64_t columns) {
    int64_t slots = tulle__table_slots(multiplications, columns);
    return slots * (int64_t)(sizeof(INDEX) + sizeof(VALUE)) +
           slots / 2 * (int64_t)(2 * sizeof(INDEX) + 3 * sizeof(int64_t));
}

static inline NAME(table) NAME(table_in)(char *memory, int64_t multiplications, int64_t columns) {
    int64_t slots = tulle__table_slots(multiplications, columns), most = slots / 2;
    NAME(table) table;
    table.sums = (VALUE *)(void *)memory;
    table.used = (int64_t *)(void *)(table.sums + slots);
    table.places[0] = table.used + most;
    table.places[1] = table.places[0] + most;
    table.keys = (INDEX *)(void *)(table.places[1] + most);
    table.sorted[0] = table.keys + slots;
    table.sorted[1] = table.sorted[0] + most;
    memset(table.keys, -1, (size_t)slots * sizeof *table.keys);
    return table;
}
