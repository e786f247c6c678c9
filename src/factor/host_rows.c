/* SPDX-License-Identifier: Apache-2.0 */
#include "factor/host_rows.h"

#include "format/draft.h"

enum { NO_SOURCE = -1 };

void tulle__host_rows_free(tulle_ctx *ctx, tulle__host_rows *r) {
    tulle__host_free(ctx, r->begins);
    tulle__host_free(ctx, r->cols);
    tulle__host_free(ctx, r->source);
    *r = (tulle__host_rows){.rows = 0};
}

static tulle_status array(tulle_ctx *ctx, int64_t count, int64_t **made) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, sizeof **made, sizeof **made, &bytes));
    *made = tulle__host_alloc(ctx, bytes);
    return *made ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

tulle_status tulle__host_rows_make(tulle_ctx *ctx, int64_t rows, int64_t entries,
                                   tulle__host_rows *r) {
    *r = (tulle__host_rows){.rows = rows};
    tulle_status status = array(ctx, rows, &r->begins);
    if (status == TULLE_OK) status = array(ctx, entries, &r->cols);
    if (status == TULLE_OK) status = array(ctx, entries, &r->source);
    if (status != TULLE_OK) tulle__host_rows_free(ctx, r);
    return status;
}

/* Offsets and columns of A in host memory, in their own widths. */
typedef struct stored {
    int64_t rows, entries;
    int offset_size, index_size;
    void *offsets, *cols;
} stored;

static int64_t number_at(const void *array, int size, int64_t i) {
    return size == 4 ? ((const int32_t *)array)[i] : ((const int64_t *)array)[i];
}

static void stored_free(tulle_ctx *ctx, stored *s) {
    tulle__host_free(ctx, s->offsets);
    tulle__host_free(ctx, s->cols);
}

static tulle_status stored_read(tulle_ctx *ctx, const tulle_mat *A, stored *s) {
    const tulle__pattern *p = A->pattern;
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    *s = (stored){.rows = n.offsets - 1,
                  .entries = n.cols,
                  .offset_size = (int)tulle_offset_size(p->index),
                  .index_size = (int)tulle_index_size(p->index)};
    s->offsets = tulle__host_alloc(ctx, tulle__bytes(n.offsets, s->offset_size));
    s->cols = tulle__host_alloc(ctx, tulle__bytes(n.cols + 1, s->index_size));
    if (!s->offsets || !s->cols) return TULLE_OUT_OF_MEMORY;
    return tulle_mat_read_arrays(ctx, A,
                                 &(tulle_mat_buffers){.offsets = s->offsets, .cols = s->cols});
}

/* An entry of A', and the entry of A from which it comes. */
typedef struct place {
    int64_t row, col, source;
} place;

/* Computes the entries of A' that come from an entry of A: none, one, or two with the mirror image;
 * returns their number. */
static int become(const tulle__host_choice *choice, place e, place became[2]) {
    if (choice->reads == TULLE_READS_LOWER && e.col > e.row) return 0;
    if (choice->reads == TULLE_READS_UPPER && e.col < e.row) return 0;
    if (choice->place) {
        e.row = choice->place[e.row];
        e.col = choice->place[e.col];
    }
    place mirror = {e.col, e.row, -2 - e.source};
    if (choice->lower && choice->reads != TULLE_READS_ALL && e.col > e.row) {
        e = mirror;
        mirror = (place){e.col, e.row, -2 - e.source};
    }
    if (choice->lower && e.col > e.row) return 0;
    became[0] = e;
    became[1] = mirror;
    return choice->mirrored && e.row != e.col ? 2 : 1;
}

typedef void (*visit)(place e, int64_t *counts, int64_t *rows_of, int64_t *source);

static void each_entry(const stored *s, const tulle__host_choice *choice, visit call,
                       int64_t *counts, int64_t *rows_of, int64_t *source) {
    for (int64_t row = 0; row < s->rows; row++) {
        int64_t end = number_at(s->offsets, s->offset_size, row + 1);
        for (int64_t i = number_at(s->offsets, s->offset_size, row); i < end; i++) {
            place became[2];
            int count =
                become(choice, (place){row, number_at(s->cols, s->index_size, i), i}, became);
            for (int k = 0; k < count; k++) call(became[k], counts, rows_of, source);
        }
    }
}

static void count_by_column(place e, int64_t *counts, int64_t *rows_of, int64_t *source) {
    (void)rows_of;
    (void)source;
    counts[e.col + 1]++;
}

static void put_by_column(place e, int64_t *next, int64_t *rows_of, int64_t *source) {
    int64_t at = next[e.col]++;
    rows_of[at] = e.row;
    source[at] = e.source;
}

static void add_up(int64_t *begins, int64_t rows) {
    for (int64_t i = 0; i < rows; i++) begins[i + 1] += begins[i];
}

/* Moves begins back by one row, after a pass has advanced each to the next one. */
static void step_back(int64_t *begins, int64_t rows) {
    for (int64_t i = rows; i > 0; i--) begins[i] = begins[i - 1];
    begins[0] = 0;
}

/* Makes rows with ascending columns, each with a diagonal, from entries by column with their
 * rows. */
static tulle_status by_rows(tulle_ctx *ctx, const tulle__host_rows *by_column,
                            tulle__host_rows *r) {
    const int64_t n = by_column->rows, *rows_of = by_column->cols;
    int64_t entries = by_column->begins[n], *diagonal;
    TULLE__TRY(array(ctx, n, &diagonal));
    for (int64_t j = 0; j < n; j++) {
        for (int64_t i = by_column->begins[j]; i < by_column->begins[j + 1]; i++) {
            diagonal[j] |= rows_of[i] == j;
        }
        entries += !diagonal[j];
    }
    tulle_status status = tulle__host_rows_make(ctx, n, entries, r);
    if (status == TULLE_OK) {
        for (int64_t i = 0; i < by_column->begins[n]; i++) r->begins[rows_of[i] + 1]++;
        for (int64_t j = 0; j < n; j++) r->begins[j + 1] += !diagonal[j];
        add_up(r->begins, n);
        for (int64_t j = 0; j < n; j++) {
            if (!diagonal[j]) {
                int64_t at = r->begins[j]++;
                r->cols[at] = j;
                r->source[at] = NO_SOURCE;
            }
            for (int64_t i = by_column->begins[j]; i < by_column->begins[j + 1]; i++) {
                int64_t at = r->begins[rows_of[i]]++;
                r->cols[at] = j;
                r->source[at] = by_column->source[i];
            }
        }
        step_back(r->begins, n);
    }
    tulle__host_free(ctx, diagonal);
    return status;
}

/* Returns the row of A from which an entry of the choice comes. */
static int64_t row_of_a(const tulle__host_choice *choice, int64_t row, int64_t rows) {
    if (!choice->place) return row;
    int64_t i = 0;
    while (i < rows && choice->place[i] != row) i++;
    return i;
}

static tulle_status check_repeated(const char *function, const tulle__host_choice *choice,
                                   const tulle__host_rows *r) {
    for (int64_t row = 0; row < r->rows; row++) {
        for (int64_t i = r->begins[row] + 1; i < r->begins[row + 1]; i++) {
            if (r->cols[i] != r->cols[i - 1]) continue;
            int64_t at = row_of_a(choice, row, r->rows);
            return tulle__fail(TULLE_UNSUPPORTED, function, "A", at,
                               "row %lld of A has an entry twice: sum repeated entries first, by "
                               "tulle_mat_convert with TULLE_SUM_DUPLICATES",
                               (long long)at);
        }
    }
    return TULLE_OK;
}

static tulle_status sort_chosen(const char *function, tulle_ctx *ctx, const stored *s,
                                const tulle__host_choice *choice, tulle__host_rows *r) {
    tulle__host_rows by_column = {.rows = s->rows};
    TULLE__TRY(tulle__host_rows_make(ctx, s->rows, choice->mirrored ? 2 * s->entries : s->entries,
                                     &by_column));
    each_entry(s, choice, count_by_column, by_column.begins, NULL, NULL);
    add_up(by_column.begins, s->rows);
    each_entry(s, choice, put_by_column, by_column.begins, by_column.cols, by_column.source);
    step_back(by_column.begins, s->rows);
    tulle_status status = by_rows(ctx, &by_column, r);
    tulle__host_rows_free(ctx, &by_column);
    if (status == TULLE_OK) {
        status = check_repeated(function, choice, r);
        if (status != TULLE_OK) tulle__host_rows_free(ctx, r);
    }
    return status;
}

tulle_status tulle__host_rows_of(const char *function, tulle_ctx *ctx, const tulle_mat *A,
                                 const tulle__host_choice *choice, tulle__host_rows *r) {
    stored s;
    tulle_status status = stored_read(ctx, A, &s);
    if (status == TULLE_OK) status = sort_chosen(function, ctx, &s, choice, r);
    stored_free(ctx, &s);
    return status;
}

void tulle__host_rows_lower(tulle__host_rows *r) {
    int64_t kept = 0, begin = 0;
    for (int64_t row = 0; row < r->rows; row++) {
        int64_t end = r->begins[row + 1];
        for (int64_t i = begin; i < end && r->cols[i] <= row; i++) {
            r->cols[kept] = r->cols[i];
            r->source[kept++] = r->source[i];
        }
        begin = end;
        r->begins[row + 1] = kept;
    }
}

void tulle__host_rows_sources(const tulle__host_rows *from, tulle__host_rows *to) {
    for (int64_t row = 0; row < to->rows; row++) {
        int64_t f = from->begins[row];
        for (int64_t i = to->begins[row]; i < to->begins[row + 1]; i++) {
            while (f < from->begins[row + 1] && from->cols[f] < to->cols[i]) f++;
            bool found = f < from->begins[row + 1] && from->cols[f] == to->cols[i];
            to->source[i] = found ? from->source[f] : NO_SOURCE;
        }
    }
}
