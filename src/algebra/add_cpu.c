/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two sparse matrices on the CPU. The work is cut into pieces with equal numbers of
 * entries and rows, wherever rows begin; one thread counts the entries of a piece, and one fills
 * the piece. */
#ifndef VALUE

#include <string.h>

#include "algebra/cut.h"
#include "algebra/functions.h"
#include "core/context.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* Number of pieces per thread, so that threads are not idle for long at the end. */
enum { PIECES_A_THREAD = 8 };

/* The pieces: the cut where each begins, and the number of entries of C before each piece. */
typedef struct pieces {
    int count, threads;
    tulle__cut *cut; /* count + 1 */
    int64_t *before; /* count + 1 */
    bool *alike;     /* true where both operands have the piece's pattern; count + 1 */
} pieces;

/* Part of a row: the ranges of entries of A and of B, as offsets count them. */
typedef struct stretch {
    int64_t a, a_end, b, b_end;
} stretch;

static tulle__two_csr two_of(const tulle__add_task *task) {
    return (tulle__two_csr){.rows = task->rows,
                            .a_nnz = task->a.nnz,
                            .b_nnz = task->b.nnz,
                            .offset_size = tulle_offset_size(task->index),
                            .index_size = tulle_index_size(task->index),
                            .a_offsets = task->a.offsets,
                            .a_cols = task->a.cols_of,
                            .b_offsets = task->b.offsets,
                            .b_cols = task->b.cols_of};
}

static tulle_status cut(const tulle__place *place, const tulle__add_task *task, pieces *p) {
    tulle__two_csr two = two_of(task);
    int64_t items = tulle__two_items(&two);
    p->threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, items);
    p->count = p->threads * PIECES_A_THREAD;
    void *memory;
    TULLE__TRY(tulle__alloc(
        place->ctx,
        ((size_t)p->count + 1) * (sizeof *p->cut + sizeof *p->before + sizeof *p->alike), &memory));
    p->cut = memory;
    p->before = (int64_t *)(void *)(p->cut + p->count + 1);
    p->alike = (bool *)(void *)(p->before + p->count + 1);
    int64_t each = items / p->count, more = items % p->count;
    for (int64_t i = 0; i <= p->count; i++) {
        p->cut[i] = tulle__cut_at(&two, i * each + (i < more ? i : more));
    }
    return TULLE_OK;
}

#define TULLE__SELF "algebra/add_cpu.c"
#include "core/each_type.h"

tulle_status tulle__cpu_add(const tulle__place *place, tulle__add_task *task) {
    static tulle_status (*const add[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        tulle__add_task *, const pieces *) = TULLE__RUN_ALL(add);
    pieces p;
    TULLE__TRY(cut(place, task, &p));
    tulle_status status = add[tulle__type_index(task->type)][task->index](task, &p);
    tulle__free(place->ctx, p.cut);
    return status;
}

tulle_status tulle__cpu_add_values(const tulle__place *place, const tulle__add_task *task) {
    static void (*const add[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(int, const tulle__add_task *) =
        TULLE__RUN_ALL(add_values);
    add[tulle__type_index(task->type)][task->index](
        tulle__threads_for(place, TULLE__WORK_NUMBERS, task->c.nnz), task);
    return TULLE_OK;
}

#else /* once for each type combination */

/* Returns the part of row i that is in a piece. */
static inline stretch NAME(stretch_of)(const tulle__add_task *task, const tulle__cut *piece,
                                       int64_t i) {
    const OFFSET *a = task->a.offsets, *b = task->b.offsets;
    const tulle__cut *end = piece + 1;
    return (stretch){.a = i == piece->row ? a[0] + piece->a : a[i],
                     .a_end = i == end->row ? a[0] + end->a : a[i + 1],
                     .b = i == piece->row ? b[0] + piece->b : b[i],
                     .b_end = i == end->row ? b[0] + end->b : b[i + 1]};
}

/* Returns the number of entries with which part of a row begins in both operands alike. Operands
 * often have equal rows, for which a comparison can be foretold; a merge waits for each one. */
static inline int64_t NAME(alike)(const tulle__add_task *task, stretch s) {
    const INDEX *a_cols = (const INDEX *)task->a.cols_of + s.a;
    const INDEX *b_cols = (const INDEX *)task->b.cols_of + s.b;
    const int64_t a_length = s.a_end - s.a, b_length = s.b_end - s.b;
    const int64_t most = a_length < b_length ? a_length : b_length;
    int64_t k = 0;
    while (k < most && a_cols[k] == b_cols[k]) k++;
    return k;
}

/* Returns the number of entries of C in part of a row; an entry of A and one of B in the same
 * column count once. */
static inline int64_t NAME(count_row)(const tulle__add_task *task, stretch s) {
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    int64_t count = NAME(alike)(task, s);
    s.a += count;
    s.b += count;
    while (s.a < s.a_end && s.b < s.b_end) {
        INDEX in_a = a_cols[s.a], in_b = b_cols[s.b];
        s.a += in_a <= in_b;
        s.b += in_b <= in_a;
        count++;
    }
    return count + (s.a_end - s.a) + (s.b_end - s.b);
}

/* Returns true when both operands have the same pattern in a piece, as they often do. */
static bool NAME(is_alike)(const tulle__add_task *task, const tulle__cut *piece) {
    const tulle__cut *end = piece + 1;
    const OFFSET *a = task->a.offsets, *b = task->b.offsets;
    const INDEX *a_cols = (const INDEX *)task->a.cols_of + a[0] + piece->a;
    const INDEX *b_cols = (const INDEX *)task->b.cols_of + b[0] + piece->b;
    const int64_t entries = end->a - piece->a;
    if (entries == 0 || entries != end->b - piece->b) return false;
    if (memcmp(a_cols, b_cols, (size_t)entries * sizeof *a_cols) != 0) return false;
    const int64_t shift = b[0] + piece->b - (a[0] + piece->a);
    for (int64_t i = piece->row + 1; i <= end->row; i++) {
        if (b[i] - a[i] != shift) return false;
    }
    return true;
}

/* Adds a piece in which both operands have the same pattern. */
static void NAME(fill_alike)(const tulle__add_task *task, const tulle__cut *piece, int64_t to) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->a.factor);
    const VALUE beta = tulle__scalar_value(VALUE, task->b.factor);
    const tulle__cut *end = piece + 1;
    const OFFSET *offsets = task->a.offsets;
    const int64_t first = offsets[0] + piece->a, entries = end->a - piece->a;
    const INDEX *cols = (const INDEX *)task->a.cols_of + first;
    const VALUE *a = (const VALUE *)task->a.values + first;
    const VALUE *b =
        (const VALUE *)task->b.values + ((const OFFSET *)task->b.offsets)[0] + piece->b;
    VALUE *restrict c = (VALUE *)task->c.values + to;
    memcpy((INDEX *)task->c.cols_of + to, cols, (size_t)entries * sizeof *cols);
    for (int64_t k = 0; k < entries; k++) c[k] = alpha * a[k] + beta * b[k];
    const int64_t size = tulle_offset_size(task->c.index);
    for (int64_t i = piece->row; i < end->row; i++) {
        tulle__put(task->c.offsets, size, i + 1, to + offsets[i + 1] - first);
    }
}

static int64_t NAME(count)(const tulle__add_task *task, const tulle__cut *piece) {
    const tulle__cut *end = piece + 1;
    int64_t count = 0;
    for (int64_t i = piece->row; i < end->row; i++) {
        count += NAME(count_row)(task, NAME(stretch_of)(task, piece, i));
    }
    if (end->row == task->rows) return count;
    return count + NAME(count_row)(task, NAME(stretch_of)(task, piece, end->row));
}

/* Stores the entries of C in part of a row, from index `to` on; returns the index behind the last
 * one. */
static inline int64_t NAME(fill_row)(const tulle__add_task *task, stretch s, VALUE alpha,
                                     VALUE beta, int64_t to) {
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    INDEX *cols = task->c.cols_of;
    VALUE *values = task->c.values;
    for (const int64_t end = s.a + NAME(alike)(task, s); s.a < end; s.a++, s.b++, to++) {
        cols[to] = a_cols[s.a];
        values[to] = alpha * a_values[s.a] + beta * b_values[s.b];
    }
    while (s.a < s.a_end && s.b < s.b_end) {
        const INDEX in_a = a_cols[s.a], in_b = b_cols[s.b];
        const VALUE from_a = alpha * a_values[s.a], from_b = beta * b_values[s.b];
        const int has_a = in_a <= in_b, has_b = in_b <= in_a;
        const VALUE choice[] = {0, from_a, from_b, from_a + from_b}; /* no branch to foretell */
        cols[to] = has_a ? in_a : in_b;
        values[to++] = choice[has_a + 2 * has_b];
        s.a += has_a;
        s.b += has_b;
    }
    for (; s.a < s.a_end; s.a++, to++) {
        cols[to] = a_cols[s.a];
        values[to] = alpha * a_values[s.a];
    }
    for (; s.b < s.b_end; s.b++, to++) {
        cols[to] = b_cols[s.b];
        values[to] = beta * b_values[s.b];
    }
    return to;
}

static void NAME(fill)(const tulle__add_task *task, const tulle__cut *piece, int64_t to) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->a.factor);
    const VALUE beta = tulle__scalar_value(VALUE, task->b.factor);
    const int64_t size = tulle_offset_size(task->c.index);
    const tulle__cut *end = piece + 1;
    for (int64_t i = piece->row; i < end->row; i++) {
        to = NAME(fill_row)(task, NAME(stretch_of)(task, piece, i), alpha, beta, to);
        tulle__put(task->c.offsets, size, i + 1, to);
    }
    if (end->row == task->rows) return;
    NAME(fill_row)(task, NAME(stretch_of)(task, piece, end->row), alpha, beta, to);
}

static tulle_status NAME(add)(tulle__add_task *task, const pieces *p) {
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (int i = 0; i < p->count; i++) {
        p->alike[i] = NAME(is_alike)(task, &p->cut[i]);
        p->before[i + 1] =
            p->alike[i] ? p->cut[i + 1].a - p->cut[i].a : NAME(count)(task, &p->cut[i]);
    }
    p->before[0] = 0;
    for (int i = 0; i < p->count; i++) p->before[i + 1] += p->before[i];
    TULLE__TRY(task->ends(task, TULLE__ADD_COUNT));
    TULLE__TRY(task->make_c(task, p->before[p->count]));
    tulle__put(task->c.offsets, tulle_offset_size(task->c.index), 0, 0);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (int i = 0; i < p->count; i++) {
        void (*const add)(const tulle__add_task *, const tulle__cut *, int64_t) =
            p->alike[i] ? NAME(fill_alike) : NAME(fill);
        add(task, &p->cut[i], p->before[i]);
    }
    return task->ends(task, TULLE__ADD_COMPUTE);
}

static void NAME(add_values)(int threads, const tulle__add_task *task) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->a.factor);
    const VALUE beta = tulle__scalar_value(VALUE, task->b.factor);
    const VALUE *a = task->a.values, *b = task->b.values;
    VALUE *c = task->c.values;
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t e = 0; e < task->c.nnz; e++) c[e] = alpha * a[e] + beta * b[e];
}

#endif
