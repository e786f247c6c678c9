/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/cells.h"

#include "tools/common/error.h"

/* Entries on their way: first counted, then written. */
typedef struct draft {
    int64_t *offsets, *columns;
    void *values;
    tulle_type type;
    int64_t count;
    bool writing;
} draft;

static void put(draft *d, int64_t column, double value) {
    const int64_t at = d->count++;
    if (!d->writing) return;
    d->columns[at] = column;
    if (d->type == TULLE_F32) {
        ((float *)d->values)[at] = (float)value;
    } else {
        ((double *)d->values)[at] = value;
    }
}

static bool is_in(trial_cells_part part, int64_t row, int64_t column) {
    switch (part) {
        case TRIAL_CELLS_LOWER:
            return column <= row;
        case TRIAL_CELLS_UPPER:
            return column >= row;
        case TRIAL_CELLS_UNIT_LOWER:
            return column < row;
        default:
            return true;
    }
}

static double value_at(const trial_cells *c, int64_t place) {
    return c->pattern.type == TULLE_F32 ? (double)((const float *)c->values)[place]
                                        : ((const double *)c->values)[place];
}

static void put_row(const trial_cells *c, trial_cells_part part, int64_t i, draft *d) {
    const int64_t b = c->block, above = i / b;
    for (int64_t e = tool_csr_offset(&c->pattern, above);
         e < tool_csr_offset(&c->pattern, above + 1); e++) {
        const int64_t first = tool_csr_column(&c->pattern, e) * b, cell = (e * b + i % b) * b;
        for (int64_t j = 0; j < b; j++) {
            if (is_in(part, i, first + j)) put(d, first + j, value_at(c, cell + j));
        }
    }
    if (part == TRIAL_CELLS_UNIT_LOWER) put(d, i, 1);
}

static void put_all(const trial_cells *c, trial_cells_part part, int64_t rows, draft *d) {
    d->count = 0;
    for (int64_t i = 0; i < rows; i++) {
        d->offsets[i] = d->count;
        put_row(c, part, i, d);
    }
    d->offsets[rows] = d->count;
}

tool_csr trial_cells_part_of(const trial_cells *cells, trial_cells_part part) {
    const int64_t rows = cells->pattern.rows * cells->block;
    const tulle_type type = cells->pattern.type;
    draft d = {.offsets = tool_alloc((size_t)rows + 1, sizeof *d.offsets), .type = type};
    put_all(cells, part, rows, &d);
    d.columns = tool_alloc((size_t)d.count + 1, sizeof *d.columns);
    d.values = tool_alloc((size_t)d.count + 1, (size_t)tulle_type_size(type));
    d.writing = true;
    put_all(cells, part, rows, &d);
    return (tool_csr){.rows = rows,
                      .cols = rows,
                      .nnz = d.count,
                      .type = type,
                      .index = TULLE_I64,
                      .heads = rows,
                      .offsets = d.offsets,
                      .columns = d.columns,
                      .values = d.values,
                      .owned = {d.offsets, d.columns, d.values}};
}
