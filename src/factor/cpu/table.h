/* SPDX-License-Identifier: Apache-2.0 */
/* Where the columns of one row stand: a small table, open addressing, in which a row's entries are
 * void as soon as the next row is entered. */
#ifndef TULLE_FACTOR_CPU_TABLE_H
#define TULLE_FACTOR_CPU_TABLE_H

#include <stdint.h>

typedef struct tulle__place_of_column {
    int64_t row, col, at;
} tulle__place_of_column;

typedef struct tulle__table {
    tulle__place_of_column *slot;
    int64_t mask; /* slots - 1, slots a power of two */
    int64_t row;
} tulle__table;

/* Slots for rows of so many entries: at most a quarter is taken. */
static inline int64_t tulle__table_slots(int64_t longest) {
    int64_t slots = 4;
    while (slots < 4 * longest) slots *= 2;
    return slots;
}

static inline tulle__table tulle__table_in(void *memory, int64_t longest) {
    tulle__table t = {memory, tulle__table_slots(longest) - 1, -1};
    for (int64_t i = 0; i <= t.mask; i++) t.slot[i].row = -1;
    return t;
}

static inline void tulle__table_put(tulle__table *t, int64_t col, int64_t at) {
    int64_t i = col & t->mask;
    while (t->slot[i].row == t->row) i = (i + 1) & t->mask;
    t->slot[i] = (tulle__place_of_column){t->row, col, at};
}

/* Where the column stands in the row, or -1. */
static inline int64_t tulle__table_at(const tulle__table *t, int64_t col) {
    int64_t i = col & t->mask;
    while (t->slot[i].row == t->row && t->slot[i].col != col) i = (i + 1) & t->mask;
    return t->slot[i].row == t->row ? t->slot[i].at : -1;
}

#endif
