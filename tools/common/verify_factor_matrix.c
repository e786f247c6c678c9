/* SPDX-License-Identifier: Apache-2.0 */
/* Makes A' from A, and checks the shape of L and U before their rows are walked. */
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/verify_factor_parts.h"

/* A' in the making: first the entries of rows are counted, then they are filled in. */
typedef struct draft {
    const tool_factor_claim *claim;
    int64_t *place; /* new place of each block row of A; NULL: each keeps its place */
    /* while counting, entries of row i at i + 2; while filling, the next free place of row i at i +
     * 1 */
    int64_t *begin;
    int64_t *columns;
    double *values;
    bool filling;
} draft;

static void put(draft *d, int64_t row, int64_t column, double value) {
    if (!d->filling) {
        d->begin[row + 2]++;
        return;
    }
    const int64_t at = d->begin[row + 1]++;
    d->columns[at] = column;
    d->values[at] = value;
}

static int64_t place_of(const draft *d, int64_t i) {
    const int64_t b = d->claim->block;
    return d->place ? d->place[i / b] * b + i % b : i;
}

static void put_all(draft *d, int64_t rows) {
    const tool_csr *A = d->claim->A;
    const tulle_factor_options *o = d->claim->options;
    const bool lower = o->kind == TULLE_CHOLESKY, both = !lower && o->fill == TULLE_FILL_ALL;
    for (int64_t p = 0; p < A->heads; p++) {
        const int64_t i = place_of(d, tool_csr_row(A, p));
        for (int64_t e = tool_csr_offset(A, p); e < tool_csr_offset(A, p + 1); e++) {
            const int64_t j = place_of(d, tool_csr_column(A, e));
            if (lower && j > i) continue;
            put(d, i, j, tool_csr_value(A, e));
            if (both && i != j) put(d, j, i, 0);
        }
    }
    for (int64_t i = A->rows; i < rows; i++) put(d, i, i, 1);
}

static int64_t *places(const int64_t *order, int64_t blocks) {
    if (!order) return NULL;
    int64_t *place = tool_alloc((size_t)blocks, sizeof *place);
    for (int64_t i = 0; i < blocks; i++) place[order[i]] = i;
    return place;
}

tool_csr tool_factor_matrix(const tool_factor_claim *claim, int64_t blocks) {
    const int64_t rows = blocks * claim->block;
    draft d = {.claim = claim, .place = places(claim->order, blocks)};
    d.begin = tool_alloc((size_t)rows + 2, sizeof *d.begin);
    put_all(&d, rows);
    for (int64_t i = 0; i < rows; i++) d.begin[i + 2] += d.begin[i + 1];
    const int64_t count = d.begin[rows + 1];
    d.columns = tool_alloc((size_t)count, sizeof *d.columns);
    d.values = tool_alloc((size_t)count, sizeof *d.values);
    d.filling = true;
    put_all(&d, rows);
    free(d.place);
    return (tool_csr){.rows = rows,
                      .cols = rows,
                      .nnz = count,
                      .type = TULLE_F64,
                      .index = TULLE_I64,
                      .heads = rows,
                      .offsets = d.begin,
                      .columns = d.columns,
                      .values = d.values,
                      .owned = {d.begin, d.columns, d.values}};
}

/* Checks that the columns of row i rise within its triangle, the diagonal among them. */
static tool_entry_error row_shape(const tool_csr *part, int64_t i, int64_t blocks, bool upper,
                                  int64_t b) {
    const int64_t begin = tool_csr_offset(part, i), end = tool_csr_offset(part, i + 1);
    if (end < begin) return tool_entry_fault(i * b, 0, "is in a row that ends before it begins");
    int64_t last = upper ? i - 1 : -1;
    const int64_t most = upper ? blocks - 1 : i;
    for (int64_t e = begin; e < end; e++) {
        const int64_t j = tool_csr_column(part, e);
        if (j < 0 || j > most || (upper && j < i)) {
            return tool_entry_fault(i * b, j * b, "is outside of its triangle");
        }
        if (j <= last)
            return tool_entry_fault(i * b, j * b,
                                    "stands behind an entry of its column or a later one");
        last = j;
    }
    const bool there = begin < end && tool_csr_column(part, upper ? begin : end - 1) == i;
    return there ? tool_entry_right() : tool_entry_fault(i * b, i * b, "is missing in a factor");
}

/* Returns true if the last block of row i of L is the identity. */
static bool has_ones(const tool_csr *L, int64_t i, int block) {
    const int64_t cells = (int64_t)block * block, at = (tool_csr_offset(L, i + 1) - 1) * cells;
    for (int64_t q = 0; q < cells; q++) {
        if (tool_csr_value(L, at + q) != (q % (block + 1) == 0)) return false;
    }
    return true;
}

static tool_entry_error part_shape(const tool_csr *part, int64_t blocks, bool upper, int block) {
    if (part->heads != blocks || part->order) {
        return tool_entry_fault(part->heads * block, part->heads * block,
                                "is the end of a factor, which is not A's");
    }
    if (tool_csr_offset(part, 0) != 0 || tool_csr_offset(part, blocks) != part->nnz) {
        return tool_entry_fault(blocks * block, 0, "ends elsewhere than a factor's entries do");
    }
    for (int64_t i = 0; i < blocks; i++) {
        tool_entry_error row = row_shape(part, i, blocks, upper, block);
        if (row.fault) return row;
    }
    return tool_entry_right();
}

tool_entry_error tool_factor_shape(const tool_factor_claim *claim, int64_t blocks) {
    const int block = claim->block;
    tool_entry_error found = part_shape(claim->L, blocks, false, block);
    if (found.fault || !claim->U) return found;
    for (int64_t i = 0; i < blocks; i++) {
        if (has_ones(claim->L, i, block)) continue;
        return tool_entry_fault(i * block, i * block, "of L has another diagonal than ones");
    }
    return part_shape(claim->U, blocks, true, block);
}
