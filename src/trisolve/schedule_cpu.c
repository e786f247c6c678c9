/* SPDX-License-Identifier: Apache-2.0 */
/* Makes schedules on a CPU. The level of a row is one more than the highest level for which it
 * waits; all of these are known when rows are taken in the order in which one thread would solve
 * them. Counting then sorts rows by level. For a transposed triangle, entries are met row by row of
 * A, which is their order in the rows of op(T). */
#ifndef INDEX

#include "core/context.h"
#include "format/formats.h"
#include "trisolve/functions.h"
#include "trisolve/stretches.h"

/* Returns true when the diagonal numbers of block row i are all entries of its diagonal block; else
 * *row becomes the first row without. */
static bool has_diagonal(const tulle__pattern_view *p, int64_t i, int64_t slot, int64_t *row) {
    const int64_t b = p->format == TULLE_BSR ? p->storage.block : 1;
    const int64_t left = p->rows - i * b;
    for (int64_t r = 0; r < b && r < left; r++) {
        *row = i * b + r;
        if (slot < 0) return false;
        if (p->format == TULLE_CSR || p->storage.full) continue;
        if (!tulle__bit(p->mask, tulle__cell_bit(&p->storage, slot, r * b + r))) return false;
    }
    return true;
}

static void note_fault(tulle__schedule *s, int64_t row) {
    if (s->faulty_row < 0 || row < s->faulty_row) s->faulty_row = row;
}

#define TULLE__SELF "trisolve/schedule_cpu.c"
#include "matrix/each_index.h"

tulle_status tulle__cpu_make_schedule(const tulle__place *place, const tulle__schedule_task *task,
                                      tulle__schedule *schedule) {
    switch (task->pattern.index) {
        case TULLE_I32:
            return make_i32(place, task, schedule);
        case TULLE_I64_I32:
            return make_i64_i32(place, task, schedule);
        default:
            return make_i64(place, task, schedule);
    }
}

#else /* once for each index type; numbers of rows and entries are OFFSETs */

typedef struct NAME(maker) {
    const tulle__schedule_task *task;
    const OFFSET *offsets;
    const INDEX *cols;
    bool upper, turned, rising; /* rising: true when rows are solved by ascending number */
    OFFSET *level, *count;      /* level and number of entries of each row of op(T) */
    tulle__schedule *s;
} NAME(maker);

/* Returns row number t of A in the order of solving. */
static int64_t NAME(nth)(const NAME(maker) * m, int64_t t) {
    return m->rising ? t : m->task->rows - 1 - t;
}

static bool NAME(is_beside)(const NAME(maker) * m, int64_t i, OFFSET e) {
    return m->upper ? m->cols[e] > i : m->cols[e] < i;
}

/* Returns the first diagonal block of row i, or -1; *repeated is true when there are several. */
static int64_t NAME(diagonal)(const NAME(maker) * m, int64_t i, bool *repeated) {
    int64_t found = -1;
    *repeated = false;
    for (OFFSET e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
        if (m->cols[e] != i) continue;
        *repeated = found >= 0;
        if (*repeated) break;
        found = e;
    }
    return found;
}

static void NAME(judge)(const NAME(maker) * m, int64_t i) {
    bool repeated = false;
    int64_t row = i, slot = NAME(diagonal)(m, i, &repeated);
    if (repeated || !has_diagonal(&m->task->pattern, i, slot, &row)) note_fault(m->s, row);
}

/* Finds the levels, from 0 on, and counts the entries of each row. */
static void NAME(level_rows)(const NAME(maker) * m) {
    for (int64_t i = 0; i < m->task->rows; i++) m->level[i] = m->count[i] = 0;
    for (int64_t t = 0; t < m->task->rows; t++) {
        const int64_t i = NAME(nth)(m, t);
        OFFSET level = m->level[i];
        for (OFFSET e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            if (!NAME(is_beside)(m, i, e)) continue;
            const INDEX j = m->cols[e];
            m->count[m->turned ? j : i]++;
            if (m->turned) {
                if (m->level[j] <= level) m->level[j] = level + 1;
            } else if (level <= m->level[j]) {
                level = m->level[j] + 1;
            }
        }
        m->level[i] = level;
        NAME(judge)(m, i);
    }
}

static void NAME(total)(const NAME(maker) * m) {
    tulle__schedule *s = m->s;
    s->rows = m->task->rows;
    for (int64_t i = 0; i < s->rows; i++) {
        s->entries += m->count[i];
        if (m->count[i] > s->longest) s->longest = m->count[i];
        if (m->level[i] >= s->levels) s->levels = m->level[i] + 1;
    }
}

/* Makes order and level_begins. level[i] becomes the place of row i, count[p] the number of entries
 * of place p. */
static void NAME(order_rows)(const NAME(maker) * m) {
    tulle__schedule *s = m->s;
    OFFSET *order = s->order, *begins = s->begins;
    int64_t *next = s->level_begins; /* level_begins[l + 1] is the next place of level l */
    for (int64_t i = 0; i < s->rows; i++) next[m->level[i] + 1]++;
    for (int64_t l = 0, before = 0; l < s->levels; l++) {
        const int64_t wide = next[l + 1];
        if (wide > s->widest) s->widest = wide;
        next[l + 1] = before;
        before += wide;
    }
    for (int64_t i = 0; i < s->rows; i++) {
        const int64_t p = next[m->level[i] + 1]++;
        order[p] = (OFFSET)i;
        m->level[i] = (OFFSET)p;
    }
    begins[0] = 0;
    for (int64_t p = 0; p < s->rows; p++) begins[p + 1] = begins[p] + m->count[order[p]];
}

/* Fills the entries of op(T) = T, place by place. */
static void NAME(fill_rows)(const NAME(maker) * m) {
    const tulle__schedule *s = m->s;
    const OFFSET *order = s->order, *begins = s->begins;
    OFFSET *places = s->places, *slots = s->slots;
    for (int64_t p = 0; p < s->rows; p++) {
        const int64_t i = order[p];
        OFFSET to = begins[p];
        for (OFFSET e = m->offsets[i]; e < m->offsets[i + 1]; e++) {
            if (!NAME(is_beside)(m, i, e)) continue;
            places[to] = m->level[m->cols[e]];
            slots[to++] = e;
        }
    }
}

/* Fills the entries of op(T) = T', row by row of A; count[j] becomes the next entry of row j of
 * op(T). */
static void NAME(fill_turned)(const NAME(maker) * m) {
    const tulle__schedule *s = m->s;
    const OFFSET *begins = s->begins;
    OFFSET *places = s->places, *slots = s->slots;
    for (int64_t j = 0; j < s->rows; j++) m->count[j] = begins[m->level[j]];
    for (int64_t t = 0; t < s->rows; t++) {
        const int64_t i = NAME(nth)(m, t);
        const OFFSET first = m->offsets[i], end = m->offsets[i + 1];
        for (OFFSET k = 0; k < end - first; k++) {
            const OFFSET e = m->rising ? first + k : end - 1 - k;
            if (!NAME(is_beside)(m, i, e)) continue;
            const OFFSET to = m->count[m->cols[e]]++;
            places[to] = m->level[i];
            slots[to] = e;
        }
    }
}

static void NAME(fill_diagonal)(const NAME(maker) * m) {
    const OFFSET *order = m->s->order;
    OFFSET *diagonal = m->s->diagonal;
    for (int64_t p = 0; p < m->s->rows; p++) {
        bool repeated = false;
        diagonal[p] = (OFFSET)NAME(diagonal)(m, order[p], &repeated);
    }
}

/* Returns the first entry of row i that is not left of the diagonal or, for the upper triangle, the
 * first that is right of it. */
static OFFSET NAME(bound)(const NAME(maker) * m, int64_t i) {
    const int64_t col = m->upper ? i + 1 : i;
    OFFSET low = m->offsets[i], high = m->offsets[i + 1];
    while (low < high) {
        const OFFSET middle = low + (high - low) / 2;
        if (m->cols[middle] < col) {
            low = middle + 1;
        } else {
            high = middle;
        }
    }
    return low;
}

static tulle_status NAME(find_bounds)(const tulle__place *place, const NAME(maker) * m) {
    size_t bytes = 0;
    TULLE__TRY(tulle__size(m->task->rows, sizeof(OFFSET), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &m->s->bounds));
    OFFSET *bounds = m->s->bounds;
    int64_t before = 0;
    for (int64_t i = 0; i < m->task->rows; i++) {
        bounds[i] = NAME(bound)(m, i);
        const int64_t entries =
            m->upper ? m->offsets[i + 1] - bounds[i] : bounds[i] - m->offsets[i];
        const int64_t kind = entries < TULLE__LONG_ROW ? entries : TULLE__LONG_ROW;
        m->s->uneven += kind != before;
        before = kind;
    }
    m->s->bytes += (int64_t)bytes;
    return TULLE_OK;
}

static tulle_status NAME(make)(const tulle__place *place, const tulle__schedule_task *task,
                               tulle__schedule *schedule) {
    size_t bytes = 0;
    void *scratch = NULL;
    TULLE__TRY(tulle__size(2 * task->rows, sizeof(OFFSET), 0, &bytes));
    TULLE__TRY(tulle__alloc(place->ctx, bytes, &scratch));
    const NAME(maker) m = {.task = task,
                           .offsets = task->pattern.offsets,
                           .cols = task->pattern.cols_of,
                           .upper = task->upper,
                           .turned = task->op == TULLE_T,
                           .rising = tulle__waits_for_lower(task),
                           .level = scratch,
                           .count = (OFFSET *)scratch + task->rows,
                           .s = schedule};
    schedule->faulty_row = -1;
    NAME(level_rows)(&m);
    NAME(total)(&m);
    tulle_status status = task->make(place, task, schedule);
    if (status == TULLE_OK && task->rising) status = NAME(find_bounds)(place, &m);
    if (status == TULLE_OK && task->rising && !m.turned) {
        status = tulle__cut_stretches(place, task, schedule);
    }
    if (status == TULLE_OK) {
        NAME(order_rows)(&m);
        (m.turned ? NAME(fill_turned) : NAME(fill_rows))(&m);
        NAME(fill_diagonal)(&m);
    }
    tulle__free(place->ctx, scratch);
    return status;
}

#endif
