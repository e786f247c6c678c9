/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns that matrices share: the host checks them, and assigns slots. */
#include <inttypes.h>
#include <string.h>

#include "uniform/uniform.h"

/* LANES: number of rows whose slots alternate. MOST_FILL: most slots per entry. */
enum { LANES = 32, MOST_FILL = 2 };

/* A pattern that is being made: the caller's arrays, and all arrays of the view in one. */
typedef struct draft {
    const char *function;
    tulle_ctx *ctx;
    int n, entries, slots, step;
    int32_t *offsets, *cols; /* offsets and columns of the caller */
    int32_t *sorted;         /* [entries] the caller's entries, sorted by row and column */
    int32_t *arrays;
    int64_t words;                  /* number of words of all steps of ILU(0) */
    int lower_levels, upper_levels; /* numbers of levels, known once the arrays are filled */
} draft;

/* Takes an array from the front of the remaining memory. */
static int32_t *take(int32_t **next, int64_t count) {
    int32_t *array = *next;
    *next += count;
    return array;
}

/* Returns the view with its arrays in memory that begins at `memory`. */
static tulle__uniform_view lay_out(const draft *d, int32_t *memory) {
    int32_t *next = memory;
    return (tulle__uniform_view){.n = d->n,
                                 .entries = d->entries,
                                 .slots = d->slots,
                                 .step = d->step,
                                 .slot_of = take(&next, d->entries),
                                 .entry_of = take(&next, d->slots),
                                 .columns = take(&next, d->slots),
                                 .first = take(&next, d->n),
                                 .length = take(&next, d->n),
                                 .diagonal = take(&next, d->n),
                                 .lower = take(&next, d->n),
                                 .lower_levels = d->lower_levels,
                                 .upper_levels = d->upper_levels,
                                 .lower_order = take(&next, d->n),
                                 .lower_begin = take(&next, d->n + 1),
                                 .upper_order = take(&next, d->n),
                                 .upper_begin = take(&next, d->n + 1),
                                 .steps_of = take(&next, d->n + 1),
                                 .steps = take(&next, d->words)};
}

static tulle_status make_array(const draft *d, int64_t count, int32_t **array) {
    *array = tulle__host_alloc(d->ctx, ((size_t)count + 1) * sizeof **array);
    return *array ? TULLE_OK : TULLE_OUT_OF_MEMORY;
}

static tulle_status read_offsets(draft *d, const int32_t *offsets) {
    TULLE__TRY(make_array(d, d->n + 1, &d->offsets));
    TULLE__TRY(
        tulle__copy_wait(d->ctx, d->offsets, offsets, ((size_t)d->n + 1) * sizeof *d->offsets));
    if (d->offsets[0] != 0) {
        return tulle__fail(TULLE_INVALID_MATRIX, d->function, "offsets", -1,
                           "offsets begin with %d, not with 0", d->offsets[0]);
    }
    for (int i = 0; i < d->n; i++) {
        if (d->offsets[i + 1] < d->offsets[i]) {
            return tulle__fail(TULLE_INVALID_MATRIX, d->function, "offsets", i,
                               "offsets fall at row %d", i);
        }
    }
    d->entries = d->offsets[d->n];
    if (d->entries <= TULLE_UNIFORM_MOST_ENTRIES) return TULLE_OK;
    return tulle__fail(TULLE_TOO_LARGE, d->function, "offsets", -1,
                       "%d entries; a system of a uniform batch has up to %d", d->entries,
                       TULLE_UNIFORM_MOST_ENTRIES);
}

/* Sorts the entries of a row by their columns; a row has few entries. */
static void sort_row(draft *d, int row) {
    for (int e = d->offsets[row]; e < d->offsets[row + 1]; e++) {
        int at = e;
        for (; at > d->offsets[row] && d->cols[d->sorted[at - 1]] > d->cols[e]; at--) {
            d->sorted[at] = d->sorted[at - 1];
        }
        d->sorted[at] = e;
    }
}

static tulle_status read_columns(draft *d, const int32_t *columns) {
    TULLE__TRY(make_array(d, d->entries, &d->cols));
    TULLE__TRY(make_array(d, d->entries, &d->sorted));
    TULLE__TRY(tulle__copy_wait(d->ctx, d->cols, columns, (size_t)d->entries * sizeof *d->cols));
    for (int i = 0; i < d->n; i++) {
        for (int e = d->offsets[i]; e < d->offsets[i + 1]; e++) {
            if (d->cols[e] < 0 || d->cols[e] >= d->n) {
                return tulle__fail(TULLE_INVALID_MATRIX, d->function, "columns", i,
                                   "row %d has column %d; there are %d", i, d->cols[e], d->n);
            }
        }
        sort_row(d, i);
        for (int e = d->offsets[i] + 1; e < d->offsets[i + 1]; e++) {
            if (d->cols[d->sorted[e]] == d->cols[d->sorted[e - 1]]) {
                return tulle__fail(TULLE_INVALID_MATRIX, d->function, "columns", i,
                                   "row %d has column %d twice", i, d->cols[d->sorted[e]]);
            }
        }
    }
    return TULLE_OK;
}

static int longest_of(const draft *d, int row) {
    int longest = 0;
    for (int i = row; i < row + LANES && i < d->n; i++) {
        const int length = d->offsets[i + 1] - d->offsets[i];
        if (length > longest) longest = length;
    }
    return longest;
}

/* Chooses between slots that alternate among rows, and rows one after the other. */
static void choose_slots(draft *d) {
    int64_t beside = 0;
    for (int i = 0; i < d->n; i += LANES) beside += (int64_t)LANES * longest_of(d, i);
    const bool fits = beside <= TULLE_UNIFORM_MOST_ENTRIES && beside <= MOST_FILL * d->entries;
    d->step = d->ctx->kind != TULLE_CPU && fits ? LANES : 1;
    d->slots = d->step == 1 ? d->entries : (int)beside;
}

/* Returns the column of entry number e of the row, in ascending order. */
static int column(const draft *d, int row, int e) {
    return d->cols[d->sorted[d->offsets[row] + e]];
}

static void fill_slots(const draft *d, const tulle__uniform_view *view) {
    int32_t *slot_of = (int32_t *)view->slot_of, *entry_of = (int32_t *)view->entry_of;
    int32_t *columns = (int32_t *)view->columns, *lower = (int32_t *)view->lower;
    int begin = 0;
    for (int i = 0; i < d->n; i++) {
        const int from = d->offsets[i], length = d->offsets[i + 1] - from;
        const int first = d->step == 1 ? from : begin + i % LANES;
        ((int32_t *)view->first)[i] = first;
        ((int32_t *)view->length)[i] = length;
        ((int32_t *)view->diagonal)[i] = -1;
        for (int e = 0; e < length; e++) {
            const int entry = d->sorted[from + e], slot = first + e * d->step;
            slot_of[entry] = slot;
            entry_of[slot] = entry;
            columns[slot] = d->cols[entry];
            lower[i] += d->cols[entry] < i;
            if (d->cols[entry] == i) ((int32_t *)view->diagonal)[i] = slot;
        }
        if (i % LANES == LANES - 1) begin += LANES * longest_of(d, i - (LANES - 1));
    }
}

/* Sorts the rows of a triangle by their levels into order and begin; returns the number of
 * levels. */
static int sort_levels(int n, const int32_t *level, int32_t *order, int32_t *begin) {
    int levels = 0, placed = 0;
    for (int i = 0; i < n; i++) {
        if (level[i] >= levels) levels = level[i] + 1;
    }
    for (int k = 0; k < levels; k++) {
        begin[k] = placed;
        for (int i = 0; i < n; i++) {
            if (level[i] == k) order[placed++] = i;
        }
    }
    begin[levels] = placed;
    return levels;
}

/* Fills in the levels of both triangles; level has room for n numbers. */
static void fill_levels(draft *d, const tulle__uniform_view *view, int32_t *level) {
    for (int i = 0; i < d->n; i++) {
        level[i] = 0;
        for (int e = 0; e < view->lower[i]; e++) {
            const int before = level[column(d, i, e)];
            if (before >= level[i]) level[i] = before + 1;
        }
    }
    d->lower_levels =
        sort_levels(d->n, level, (int32_t *)view->lower_order, (int32_t *)view->lower_begin);
    for (int i = d->n - 1; i >= 0; i--) {
        level[i] = 0;
        for (int e = view->lower[i] + (view->diagonal[i] >= 0); e < view->length[i]; e++) {
            const int before = level[column(d, i, e)];
            if (before >= level[i]) level[i] = before + 1;
        }
    }
    d->upper_levels =
        sort_levels(d->n, level, (int32_t *)view->upper_order, (int32_t *)view->upper_begin);
}

/* Returns the slot of entry number e of a row. */
static int slot_at(const draft *d, const tulle__uniform_view *view, int row, int e) {
    return view->first[row] + e * d->step;
}

/* Stores in words the pairs of slots for the products that ILU(0) subtracts from row i because of
 * its entry e, in column k: the numbers that rows i and k both have behind column k. Returns the
 * number of pairs; words NULL: only counts them. */
static int find_pairs(const draft *d, const tulle__uniform_view *view, int i, int e,
                      int32_t *words) {
    const int k = column(d, i, e);
    const int length_i = d->offsets[i + 1] - d->offsets[i];
    const int length_k = d->offsets[k + 1] - d->offsets[k];
    int pairs = 0, to = e + 1, from = 0;
    while (to < length_i && from < length_k) {
        const int j = column(d, i, to), other = column(d, k, from);
        if (j == other && words) {
            words[2 * pairs] = slot_at(d, view, i, to);
            words[2 * pairs + 1] = slot_at(d, view, k, from);
        }
        pairs += j == other;
        to += j <= other;
        from += other <= j;
    }
    return pairs;
}

static void count_steps(draft *d) {
    const tulle__uniform_view none = {.n = 0};
    for (int i = 0; i < d->n; i++) {
        const int length = d->offsets[i + 1] - d->offsets[i];
        for (int e = 0; e < length && column(d, i, e) < i; e++) {
            d->words += 3 + 2 * (int64_t)find_pairs(d, &none, i, e, NULL);
        }
    }
}

static void fill_steps(const draft *d, const tulle__uniform_view *view) {
    int32_t *steps_of = (int32_t *)view->steps_of, *words = (int32_t *)view->steps;
    int at = 0;
    for (int i = 0; i < d->n; i++) {
        steps_of[i] = at;
        for (int e = 0; e < view->lower[i]; e++) {
            words[at] = slot_at(d, view, i, e);
            words[at + 1] = view->diagonal[column(d, i, e)];
            words[at + 2] = find_pairs(d, view, i, e, words + at + 3);
            at += 3 + 2 * words[at + 2];
        }
    }
    steps_of[d->n] = at;
}

static tulle_status fill(draft *d) {
    const tulle__uniform_view view = lay_out(d, d->arrays);
    int32_t *level = NULL;
    TULLE__TRY(make_array(d, d->n, &level));
    fill_slots(d, &view);
    fill_levels(d, &view, level);
    fill_steps(d, &view);
    tulle__host_free(d->ctx, level);
    return TULLE_OK;
}

static tulle_status make(draft *d, tulle_uniform *P) {
    choose_slots(d);
    count_steps(d);
    const int64_t rows = 9 * (int64_t)d->n + 3;
    const int64_t length = d->entries + 2 * (int64_t)d->slots + rows + d->words;
    const size_t bytes = (size_t)length * sizeof *d->arrays;
    TULLE__TRY(make_array(d, length, &d->arrays));
    TULLE__TRY(fill(d));
    TULLE__TRY(tulle__alloc(d->ctx, bytes, &P->memory));
    P->view = lay_out(d, P->memory);
    return tulle__copy_wait(d->ctx, P->memory, d->arrays, bytes);
}

static tulle_status create(draft *d, const int32_t *offsets, const int32_t *columns,
                           tulle_uniform *P) {
    TULLE__TRY(read_offsets(d, offsets));
    if (d->entries > 0 && !columns) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, d->function, "columns", -1, "columns is NULL");
    }
    TULLE__TRY(read_columns(d, columns));
    return make(d, P);
}

tulle_status tulle_uniform_create(tulle_ctx *ctx, int64_t n, const int32_t *offsets,
                                  const int32_t *columns, tulle_uniform **P) {
    TULLE__NEED(P);
    *P = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(offsets);
    if (n < 0) return TULLE__BAD("n", "n is %" PRId64, n);
    if (n > TULLE_UNIFORM_MOST_ROWS) {
        return tulle__fail(TULLE_TOO_LARGE, __func__, "n", -1,
                           "%" PRId64 " rows; a system of a uniform batch has up to %d", n,
                           TULLE_UNIFORM_MOST_ROWS);
    }
    tulle_uniform *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    draft d = {.function = __func__, .ctx = ctx, .n = (int)n};
    const tulle_status status = create(&d, offsets, columns, made);
    int32_t *const temporary[] = {d.offsets, d.cols, d.sorted, d.arrays};
    for (int i = 0; i < 4; i++) tulle__host_free(ctx, temporary[i]);
    if (status != TULLE_OK) {
        tulle_uniform_destroy(made);
        return status;
    }
    *P = made;
    return TULLE_OK;
}

void tulle_uniform_destroy(tulle_uniform *P) {
    if (!P) return;
    tulle_ctx *ctx = P->ctx;
    tulle__free(ctx, P->memory);
    tulle__host_free(ctx, P);
    tulle__ctx_release(ctx);
}

tulle_status tulle__uniform_check(const char *function, const tulle_ctx *ctx,
                                  const tulle_uniform *P, tulle__operand values, int64_t count,
                                  tulle_type type) {
    if (!tulle__same_space(ctx, P->ctx)) {
        return tulle__fail(TULLE_SPACE_MISMATCH, function, "P", -1,
                           "P lives on %s, the context on %s", P->ctx->info.name, ctx->info.name);
    }
    return tulle__operand_check(function, ctx, values, P->view.entries, count, type);
}

tulle_status tulle__uniform_reports_check(const char *function, tulle_uniform_reports to,
                                          int64_t count, tulle__operand with) {
    if (to.host || !to.address) return TULLE_OK;
    TULLE__TRY(tulle__check_aligned(function, "reports", to.address, _Alignof(double)));
    if (!tulle__overlap(to.address, count * (int64_t)sizeof *to.address, with.X->data,
                        (int64_t)tulle__dense_bytes(with.X))) {
        return TULLE_OK;
    }
    return tulle__fail(TULLE_ALIASED, function, "reports", -1, "reports overlap %s", with.name);
}

tulle_status tulle__uniform_reports_begin(tulle__uniform_reporting *r, int64_t more) {
    enum { LINE = 256 };
    size_t bytes;
    void *room = NULL;
    TULLE__TRY(tulle__size(r->count, sizeof *r->here, 0, &bytes));
    const size_t own = r->to.host ? (bytes + LINE - 1) / LINE * LINE : 0;
    TULLE__TRY(tulle__workspace(r->ctx, own + (size_t)more, &room));
    r->rest = more > 0 ? (char *)room + own : NULL;
    r->here = r->to.host ? room : r->to.address;
    return r->to.host || !r->here ? TULLE_OK : tulle__lend(r->ctx, r->here, bytes);
}

tulle_status tulle__uniform_reports_end(const tulle__uniform_reporting *r, tulle_status status) {
    if (!r->to.host && r->here) tulle__give_back(r->ctx, r->here);
    if (status != TULLE_OK || !r->to.host) return status;
    return tulle__copy_wait(r->ctx, r->to.host, r->here, (size_t)r->count * sizeof *r->here);
}
