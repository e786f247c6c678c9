/* SPDX-License-Identifier: Apache-2.0 */
/* PACKED: what the columns of its lines take, line by line, in the order that SELL has. */
#include <stdlib.h>

#include "src/matrix/packed.h"
#include "storage.h"

enum { WINDOW = 32 * TULLE__LINE };

/* A row at its position; padding has none, and no entries. */
typedef struct place {
    int64_t row, length;
} place;

static int longer_first(const void *a, const void *b) {
    const place *x = a, *y = b;
    if (x->length != y->length) return (x->length < y->length) - (x->length > y->length);
    return (x->row > y->row) - (x->row < y->row);
}

/* The line of the entries number k of a slice's rows. */
static tulle__line line_of(const tool_csr *A, const place *rows, int64_t k) {
    int64_t base = INT64_MIN, least = INT64_MAX, most = INT64_MIN;
    bool diagonal = true;
    for (int lane = 0; lane < TULLE__LINE; lane++) {
        if (k >= rows[lane].length) continue;
        int64_t col = tool_csr_column(A, tool_csr_offset(A, rows[lane].row) + k);
        diagonal = diagonal && (most < 0 || col - lane == base);
        base = col - lane;
        if (col < least) least = col;
        if (col > most) most = col;
    }
    return diagonal ? tulle__diagonal_line(base) : tulle__coded_line(least, most);
}

/* Pieces of codes; TULLE__UNPACKABLE where a line has no kind. */
static int64_t pieces_of(const tool_csr *A, const place *rows) {
    int64_t width = 0, pieces = 0;
    for (int lane = 0; lane < TULLE__LINE; lane++) {
        if (rows[lane].length > width) width = rows[lane].length;
    }
    for (int64_t k = 0; k < width; k++) {
        int kind = line_of(A, rows, k).kind;
        if (kind < 0) return TULLE__UNPACKABLE;
        pieces += tulle__code_bytes(kind);
    }
    return pieces;
}

static int64_t pieces_of_window(const tool_csr *A, int64_t first, bool sorted) {
    place rows[WINDOW];
    int64_t pieces = 0;
    for (int i = 0; i < WINDOW; i++) {
        int64_t row = first + i;
        bool is_row = row < A->rows;
        rows[i] = (place){row, is_row ? tool_csr_offset(A, row + 1) - tool_csr_offset(A, row) : 0};
    }
    if (sorted) qsort(rows, WINDOW, sizeof *rows, longer_first);
    for (int i = 0; i < WINDOW; i += TULLE__LINE) pieces += pieces_of(A, rows + i);
    return pieces;
}

void tool_find_packed_storage(const tool_csr *A, tool_storages *storages) {
    tulle_storage *s = &storages->of[TULLE_PACKED];
    int64_t pieces = 0;
    *s = storages->of[TULLE_SELL];
#pragma omp parallel for schedule(dynamic, 16) reduction(+ : pieces)
    for (int64_t first = 0; first < A->rows; first += WINDOW) {
        pieces += pieces_of_window(A, first, s->window > 1);
    }
    if (pieces > TULLE__PIECES) {
        *s = (tulle_storage){.stored = INT64_MAX}; /* fits in no index type */
    } else {
        s->coded = pieces * TULLE__PIECE;
    }
}
