/* SPDX-License-Identifier: Apache-2.0 */
/* Orders a small part of a graph by exact minimum degree. The degree also counts neighbours outside
 * the part, which come later in the whole order. The neighbours of a node are a row of bits.
 * Source: F. Pellegrini, J. Roman and P. Amestoy, "Hybridizing nested dissection and halo
 * approximate minimum degree for efficient sparse matrix ordering", Concurrency 12 (2000). */
#include <string.h>

#include "order/dissect.h"

enum { WORD = 64 };

typedef struct leaf {
    int32_t nodes;
    int64_t words; /* number of words of a row */
    uint64_t
        /* a row of bits for each node of the part, with a column for each node of the part, then
         * for each neighbour outside */
        *rows;
} leaf;

static uint64_t *row_of(const leaf *l, int32_t i) {
    return l->rows + i * l->words;
}

static bool has(const uint64_t *row, int32_t column) {
    return row[column / WORD] >> column % WORD & 1;
}

static int64_t degree(const leaf *l, int32_t i) {
    const uint64_t *row = row_of(l, i);
    int64_t count = 0;
    for (int64_t w = 0; w < l->words; w++) count += __builtin_popcountll(row[w]);
    return count;
}

/* Eliminates node i: its neighbours become neighbours of each other, and i stops being one. */
static void eliminate(leaf *l, int32_t i, int32_t *degrees) {
    const uint64_t *gone = row_of(l, i);
    for (int32_t j = 0; j < l->nodes; j++) {
        if (j == i || !has(gone, j)) continue;
        uint64_t *row = row_of(l, j);
        for (int64_t w = 0; w < l->words; w++) row[w] |= gone[w];
        row[i / WORD] &= ~(UINT64_C(1) << i % WORD);
        row[j / WORD] &= ~(UINT64_C(1) << j % WORD);
        degrees[j] = (int32_t)degree(l, j);
    }
}

static void order_by_degree(leaf *l, int32_t *degrees, const int32_t *names, int32_t *order) {
    for (int32_t i = 0; i < l->nodes; i++) degrees[i] = (int32_t)degree(l, i);
    for (int32_t at = 0; at < l->nodes; at++) {
        int32_t best = -1;
        for (int32_t i = 0; i < l->nodes; i++) {
            if (degrees[i] >= 0 && (best < 0 || degrees[i] < degrees[best])) best = i;
        }
        order[at] = names[best];
        eliminate(l, best, degrees);
        degrees[best] = -1;
    }
}

/* Gives columns to the nodes, and returns the number of columns. Nodes outside the part get columns
 * in the order in which they are found. column[] has 1 + the column for each node of the whole
 * graph, and is zero again after forget_columns. */
static int32_t give_columns(const tulle__web *whole, const int32_t *names, int32_t nodes,
                            int32_t *column) {
    int32_t columns = nodes;
    for (int32_t i = 0; i < nodes; i++) column[names[i]] = i + 1;
    for (int32_t i = 0; i < nodes; i++) {
        for (int64_t e = whole->begin[names[i]]; e < whole->begin[names[i] + 1]; e++) {
            int32_t *c = &column[whole->neighbours[e]];
            if (*c == 0) *c = ++columns;
        }
    }
    return columns;
}

static void fill_rows(const tulle__web *whole, const int32_t *names, const int32_t *column,
                      leaf *l) {
    for (int32_t i = 0; i < l->nodes; i++) {
        for (int64_t e = whole->begin[names[i]]; e < whole->begin[names[i] + 1]; e++) {
            const int32_t c = column[whole->neighbours[e]] - 1;
            row_of(l, i)[c / WORD] |= UINT64_C(1) << c % WORD;
        }
    }
}

static void forget_columns(const tulle__web *whole, const int32_t *names, int32_t nodes,
                           int32_t *column) {
    for (int32_t i = 0; i < nodes; i++) {
        column[names[i]] = 0;
        for (int64_t e = whole->begin[names[i]]; e < whole->begin[names[i] + 1]; e++) {
            column[whole->neighbours[e]] = 0;
        }
    }
}

tulle_status tulle__dissect_leaf(tulle__dissection *d, const int32_t *names, int32_t nodes,
                                 int32_t *order) {
    const int32_t columns = give_columns(d->whole, names, nodes, d->column);
    leaf l = {.nodes = nodes, .words = ((int64_t)columns + WORD - 1) / WORD};
    int32_t *degrees = NULL;
    tulle_status status = tulle__dissect_array(d, nodes * l.words, WORD / 8, (void **)&l.rows);
    if (status == TULLE_OK) {
        status = tulle__dissect_array(d, nodes, sizeof *degrees, (void **)&degrees);
    }
    if (status == TULLE_OK) {
        fill_rows(d->whole, names, d->column, &l);
        order_by_degree(&l, degrees, names, order);
        status = tulle__dissect_count(d, (int64_t)nodes * nodes * l.words);
    }
    forget_columns(d->whole, names, nodes, d->column);
    tulle__host_free(d->ctx, l.rows);
    tulle__host_free(d->ctx, degrees);
    return status;
}
