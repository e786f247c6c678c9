/* SPDX-License-Identifier: Apache-2.0 */
/* The sum of two sparse matrices on the CPU. The work is cut into pieces with equal numbers of
 * entries and rows, wherever rows begin. One thread merges pieces in their order into arrays for as
 * many entries as C may have, which C keeps unless much of them is left over. Where the context
 * keeps memory for the entries of both operands from call to call, each of several threads merges a
 * piece there, which is copied once C has memory; elsewhere one thread counts the entries of a
 * piece, and one fills the piece. */
#ifndef VALUE

#include <string.h>

#include "algebra/cut.h"
#include "algebra/functions.h"
#include "core/context.h"
#include "core/room.h"
#include "core/threads/sizes.h"
#include "core/types.h"

/* PIECES_A_THREAD: number of pieces per thread, so that threads are not idle for long at the end;
 * LEAST_REST: C's arrays are made anew where this part of them is left over. */
enum { PIECES_A_THREAD = 8, LEAST_REST = 4 };

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

/* The largest number of entries that C may have. */
static int64_t most_of(const pieces *p) {
    int64_t most = 0;
    for (int i = 0; i < p->count; i++) {
        const tulle__cut *piece = &p->cut[i];
        most += piece[1].a - piece->a + (p->alike[i] ? 0 : piece[1].b - piece->b);
    }
    return most;
}

/* True where C gets arrays for as many entries as it may have: for one thread, where merging saves
 * a pass or a copy, and where the memory is there. */
static bool may_merge(const tulle_ctx *ctx, const tulle__add_task *task, const pieces *p) {
    const int64_t most = most_of(p);
    if (p->threads > 1 || ctx->pool.cap > 0 || most == task->a.nnz || most > INT32_MAX)
        return false;
    return !tulle__host_lacks(2 * (size_t)tulle__add_room_bytes(task, (double)most));
}

/* Gives C arrays of its size where a quarter of those that it has, or more, is left over. */
static tulle_status fit(tulle_ctx *ctx, tulle__add_task *task, int64_t most) {
    const tulle__sum c = task->c;
    if (c.nnz > most - most / LEAST_REST) return TULLE_OK;
    const tulle_status status = task->make_c(task, c.nnz);
    if (status == TULLE_OK) {
        const size_t count = (size_t)c.nnz;
        const size_t rows = (size_t)task->rows + 1;
        memcpy(task->c.offsets, c.offsets, rows * (size_t)tulle_offset_size(c.index));
        memcpy(task->c.cols_of, c.cols_of, count * (size_t)tulle_index_size(c.index));
        memcpy(task->c.values, c.values, count * (size_t)tulle_type_size(task->type));
    }
    tulle__free(ctx, c.values);
    tulle__free(ctx, c.cols_of);
    tulle__free(ctx, c.offsets);
    return status;
}

#define TULLE__SELF "algebra/add_cpu.c"
#include "core/each_type.h"

tulle_status tulle__cpu_add(const tulle__place *place, tulle__add_task *task) {
    static tulle_status (*const add[TULLE__TYPE_COUNT][TULLE__INDEX_COUNT])(
        tulle_ctx *, tulle__add_task *, const pieces *) = TULLE__RUN_ALL(add);
    pieces p;
    TULLE__TRY(cut(place, task, &p));
    tulle_status status = add[tulle__type_index(task->type)][task->index](place->ctx, task, &p);
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

/* Room for merged rows: of a piece from where its entries of both operands begin. */
typedef struct NAME(room) {
    int64_t *ends; /* for each row the entries of C in its piece up to its end; NULL: no room */
    VALUE *values;
    INDEX *cols;
} NAME(room);

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
        const INDEX in_a = a_cols[s.a], in_b = b_cols[s.b];
        if (in_a < in_b) {
            s.a++;
        } else if (in_b < in_a) {
            s.b++;
        } else {
            s.a++;
            s.b++;
        }
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

/* Stores the entries of C in part of a row; returns their number. */
static inline int64_t NAME(fill_row)(const tulle__add_task *task, stretch s, VALUE alpha,
                                     VALUE beta, INDEX *cols, VALUE *values) {
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    int64_t to = 0;
    for (const int64_t end = s.a + NAME(alike)(task, s); s.a < end; s.a++, s.b++, to++) {
        cols[to] = a_cols[s.a];
        values[to] = alpha * a_values[s.a] + beta * b_values[s.b];
    }
    while (s.a < s.a_end && s.b < s.b_end) {
        const INDEX in_a = a_cols[s.a], in_b = b_cols[s.b];
        if (in_a < in_b) {
            cols[to] = in_a;
            values[to++] = alpha * a_values[s.a++];
        } else if (in_b < in_a) {
            cols[to] = in_b;
            values[to++] = beta * b_values[s.b++];
        } else {
            cols[to] = in_a;
            values[to++] = alpha * a_values[s.a++] + beta * b_values[s.b++];
        }
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

/* Stores the entries of a piece in C, from one on; returns the one behind them. */
static int64_t NAME(fill)(const tulle__add_task *task, const tulle__cut *piece, int64_t to) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->a.factor);
    const VALUE beta = tulle__scalar_value(VALUE, task->b.factor);
    const int64_t size = tulle_offset_size(task->c.index);
    INDEX *cols = task->c.cols_of;
    VALUE *values = task->c.values;
    const tulle__cut *end = piece + 1;
    for (int64_t i = piece->row; i < end->row; i++) {
        const stretch s = NAME(stretch_of)(task, piece, i);
        to += NAME(fill_row)(task, s, alpha, beta, cols + to, values + to);
        tulle__put(task->c.offsets, size, i + 1, to);
    }
    if (end->row == task->rows) return to;
    const stretch s = NAME(stretch_of)(task, piece, end->row);
    return to + NAME(fill_row)(task, s, alpha, beta, cols + to, values + to);
}

/* Merges a piece into the room; returns the number of its entries of C. */
static int64_t NAME(keep)(const tulle__add_task *task, const NAME(room) * room,
                          const tulle__cut *piece) {
    const VALUE alpha = tulle__scalar_value(VALUE, task->a.factor);
    const VALUE beta = tulle__scalar_value(VALUE, task->b.factor);
    INDEX *cols = room->cols + piece->a + piece->b;
    VALUE *values = room->values + piece->a + piece->b;
    const tulle__cut *end = piece + 1;
    int64_t to = 0;
    for (int64_t i = piece->row; i < end->row; i++) {
        const stretch s = NAME(stretch_of)(task, piece, i);
        to += NAME(fill_row)(task, s, alpha, beta, cols + to, values + to);
        room->ends[i] = to;
    }
    if (end->row == task->rows) return to;
    const stretch s = NAME(stretch_of)(task, piece, end->row);
    return to + NAME(fill_row)(task, s, alpha, beta, cols + to, values + to);
}

/* Copies a piece of `count` entries from the room to where it begins in C. */
static void NAME(copy_kept)(const tulle__add_task *task, const NAME(room) * room,
                            const tulle__cut *piece, int64_t to, int64_t count) {
    const int64_t size = tulle_offset_size(task->c.index), from = piece->a + piece->b;
    if (count > 0) { /* C without entries may have no arrays */
        memcpy((INDEX *)task->c.cols_of + to, room->cols + from, (size_t)count * sizeof(INDEX));
        memcpy((VALUE *)task->c.values + to, room->values + from, (size_t)count * sizeof(VALUE));
    }
    for (int64_t i = piece->row; i < piece[1].row; i++) {
        tulle__put(task->c.offsets, size, i + 1, to + room->ends[i]);
    }
}

/* Gets room where some piece is not alike in both operands, unless there is none. */
static tulle_status NAME(make_room)(tulle_ctx *ctx, const tulle__add_task *task, const pieces *p,
                                    NAME(room) * room) {
    const int64_t entries = task->a.nnz + task->b.nnz;
    const double bytes = tulle__add_room_bytes(task, (double)entries);
    bool all_alike = true;
    void *memory = NULL;
    *room = (NAME(room)){.ends = NULL};
    for (int i = 0; i < p->count; i++) all_alike &= p->alike[i];
    if (all_alike || ctx->pool.cap > 0 || bytes > TULLE__ADD_MOST_ROOM) return TULLE_OK;
    TULLE__TRY(tulle__alloc(ctx, (size_t)bytes, &memory));
    room->ends = memory;
    char *arrays = (char *)(room->ends + task->rows); /* the wider numbers first, for alignment */
    const bool cols_first = sizeof(INDEX) > sizeof(VALUE);
    const size_t count = (size_t)entries;
    room->cols = (INDEX *)(void *)(arrays + (cols_first ? 0 : count * sizeof(VALUE)));
    room->values = (VALUE *)(void *)(arrays + (cols_first ? count * sizeof(INDEX) : 0));
    return TULLE_OK;
}

/* Finds the number of entries of C before each piece. */
static void NAME(count_pieces)(const tulle__add_task *task, const NAME(room) * room,
                               const pieces *p) {
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (int i = 0; i < p->count; i++) {
        const tulle__cut *piece = &p->cut[i];
        p->before[i + 1] = p->alike[i]  ? piece[1].a - piece->a
                           : room->ends ? NAME(keep)(task, room, piece)
                                        : NAME(count)(task, piece);
    }
    p->before[0] = 0;
    for (int i = 0; i < p->count; i++) p->before[i + 1] += p->before[i];
}

static void NAME(fill_pieces)(const tulle__add_task *task, const NAME(room) * room,
                              const pieces *p) {
    tulle__put(task->c.offsets, tulle_offset_size(task->c.index), 0, 0);
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (int i = 0; i < p->count; i++) {
        const int64_t to = p->before[i];
        if (p->alike[i]) {
            NAME(fill_alike)(task, &p->cut[i], to);
        } else if (room->ends) {
            NAME(copy_kept)(task, room, &p->cut[i], to, p->before[i + 1] - to);
        } else {
            NAME(fill)(task, &p->cut[i], to);
        }
    }
}

/* Makes C by one thread, which knows where a piece begins when it has stored the one before. */
static tulle_status NAME(merge)(tulle_ctx *ctx, tulle__add_task *task, const pieces *p) {
    const int64_t most = most_of(p);
    int64_t to = 0;
    TULLE__TRY(task->ends(task, TULLE__ADD_COUNT));
    TULLE__TRY(task->make_c(task, most));
    tulle__put(task->c.offsets, tulle_offset_size(task->c.index), 0, 0);
    for (int i = 0; i < p->count; i++) {
        const tulle__cut *piece = &p->cut[i];
        if (p->alike[i]) {
            NAME(fill_alike)(task, piece, to);
            to += piece[1].a - piece->a;
        } else {
            to = NAME(fill)(task, piece, to);
        }
    }
    task->c.nnz = to;
    TULLE__TRY(fit(ctx, task, most));
    return task->ends(task, TULLE__ADD_COMPUTE);
}

static tulle_status NAME(add)(tulle_ctx *ctx, tulle__add_task *task, const pieces *p) {
    NAME(room) room;
#pragma omp parallel for num_threads(p->threads) schedule(dynamic)
    for (int i = 0; i < p->count; i++) p->alike[i] = NAME(is_alike)(task, &p->cut[i]);
    if (may_merge(ctx, task, p)) return NAME(merge)(ctx, task, p);
    TULLE__TRY(NAME(make_room)(ctx, task, p, &room));
    NAME(count_pieces)(task, &room, p);
    tulle_status status = task->ends(task, TULLE__ADD_COUNT);
    if (status == TULLE_OK) status = task->make_c(task, p->before[p->count]);
    if (status == TULLE_OK) NAME(fill_pieces)(task, &room, p);
    tulle__free(ctx, room.ends);
    TULLE__TRY(status);
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
