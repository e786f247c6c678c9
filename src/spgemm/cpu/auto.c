/* SPDX-License-Identifier: Apache-2.0 */
/* Computes each row of C in the way that suits it best: where A's row has one entry, as a scaled
 * row of B; where there are few multiplications in a wide range of columns, in a list; where the
 * range is wider than the window, with a hash table; else in a dense accumulator. All ways add in
 * the order of A's row and store the same bits, so that the choice may depend on the number of
 * threads. */
#ifndef VALUE

#include <omp.h>

#include "core/access.h"
#include "core/context.h"
#include "core/cpu_vectors.h"
#include "spgemm/cpu/scheme.h"
#include "spgemm/cpu/telling.h"

/* The loops are compiled twice, for processors with AVX2 and for all others, with the same
 * operations in the same order. */
#if defined(__x86_64__)
#define FOR_AVX2 __attribute__((target("avx2,bmi,bmi2,popcnt")))
#else
#define FOR_AVX2
#endif

#define TULLE__SELF "spgemm/cpu/auto.c"
#include "core/each_type.h"

extern const tulle__spgemm_kernel tulle__cpu_spgemm_auto;
const tulle__spgemm_kernel tulle__cpu_spgemm_auto = {
    .head =
        {.name = "spgemm_auto",
         .summary =
             "dense windows, lists or hash tables by row, rows of A with the same columns at once",
         .source = "this project; Gustavson's rows, paper 4's tables, B by words for C's pattern",
         .format = TULLE_CSR,
         .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

#include "spgemm/cpu/row.h"

#include "spgemm/cpu/dense.h"
#include "spgemm/cpu/marks.h"
#include "spgemm/cpu/narrow.h"
#include "spgemm/cpu/script.h"
#include "spgemm/cpu/table.h"

/* Scratch of one thread. */
typedef struct NAME(scratch) {
    NAME(window) window;
    NAME(marks) marks;
    NAME(table) table;
    uint16_t *places; /* places of a script, TULLE__SCRIPT_MOST of them */
} NAME(scratch);

static inline NAME(scratch) NAME(scratch_in)(const tulle__spgemm_scheme *scheme, char *memory) {
    char *marks = memory + NAME(window_bytes)(scheme->window, scheme->lanes);
    char *table = marks + NAME(marks_bytes)(scheme->marks);
    char *places = table + NAME(table_bytes)(scheme->table_multiplications, scheme->table_columns);
    return (NAME(scratch)){
        NAME(window_in)(memory, scheme->window, scheme->lanes),
        NAME(marks_in)(marks, scheme->marks),
        NAME(table_in)(table, scheme->table_multiplications, scheme->table_columns),
        (uint16_t *)(void *)places};
}

static inline int64_t NAME(scratch_bytes)(const tulle__spgemm_scheme *scheme) {
    return NAME(window_bytes)(scheme->window, scheme->lanes) + NAME(marks_bytes)(scheme->marks) +
           NAME(table_bytes)(scheme->table_multiplications, scheme->table_columns) +
           TULLE__SCRIPT_MOST * (int64_t)sizeof(uint16_t);
}

TULLE__INLINED void NAME(count_rows)(const tulle__spgemm_task *task,
                                     const tulle__spgemm_scheme *scheme, const NAME(scratch) * own,
                                     int64_t begin, int64_t end) {
    int64_t *count = scheme->chunks.offsets + 1;
    const uint8_t *kin = scheme->kin;
    if (task->lengths) {
        for (int64_t i = begin; i < end; i++) count[i] = task->lengths[i];
        return;
    }
    for (int64_t i = begin; i < end; i++) {
        if (i > begin && kin && kin[i] != TULLE__SPGEMM_STRANGER) {
            count[i] = count[i - 1];
            continue;
        }
        tulle__spgemm_row row = NAME(row_at)(task, i);
        switch (tulle__spgemm_way_of(scheme, &row)) {
            case TULLE__SPGEMM_COPY:
                count[i] = row.multiplications;
                break;
            case TULLE__SPGEMM_MARKS:
                count[i] = NAME(marks_count)(task, &own->marks, &row);
                break;
            case TULLE__SPGEMM_TABLE:
                count[i] = NAME(table_count)(task, &own->table, &row);
                break;
            case TULLE__SPGEMM_DENSE:
                if (tulle__narrow_has(&scheme->words, &row)) {
                    count[i] = NAME(narrow_count)(task, &row);
                    break;
                }
                NAME(mark)(task, &scheme->words, &own->window.set, &row);
                count[i] = tulle__colset_count(&own->window.set, row.span);
                break;
        }
    }
}

/* Makes a row of C to which only the first entry of A's row contributes: copies the row of B that
 * the entry meets, multiplied by the entry and by alpha. */
TULLE__INLINED int64_t NAME(copy_row)(const tulle__spgemm_task *task, const tulle__spgemm_row *row,
                                      VALUE alpha, INDEX *restrict cols, VALUE *restrict values) {
    const OFFSET *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of;
    if (row->multiplications == 0) return 0;
    int64_t first = b_offsets[a_cols[row->begin]];
    const INDEX *b_cols = (const INDEX *)task->b.cols_of + first;
    const VALUE *b_values = (const VALUE *)task->b.values + first;
    VALUE factor = ((const VALUE *)task->a.values)[row->begin];
    for (int64_t k = 0; k < row->multiplications; k++) {
        cols[k] = b_cols[k];
        values[k] = alpha * (factor * b_values[k]);
    }
    return row->multiplications;
}

/* Computes a row; returns the number of its entries. */
TULLE__INLINED int64_t NAME(one_row)(const tulle__spgemm_task *task,
                                     const tulle__spgemm_scheme *scheme, const NAME(scratch) * own,
                                     const tulle__spgemm_row *row, VALUE alpha, INDEX *cols,
                                     VALUE *values) {
    switch (tulle__spgemm_way_of(scheme, row)) {
        case TULLE__SPGEMM_COPY:
            return NAME(copy_row)(task, row, alpha, cols, values);
        case TULLE__SPGEMM_MARKS:
            return NAME(marks_row)(task, &own->marks, &own->window, row, alpha, cols, values);
        case TULLE__SPGEMM_TABLE:
            return NAME(table_row)(task, &own->table, row, alpha, cols, values);
        case TULLE__SPGEMM_DENSE:
            break;
    }
    if (tulle__narrow_has(&scheme->words, row)) {
        return NAME(narrow_row)(task, &own->window, row, alpha, cols, values);
    }
    return NAME(dense_row)(task, &scheme->words, &own->window, row, alpha, cols, values);
}

/* Computes rows that were not counted, and keeps them with their lengths. */
TULLE__INLINED void NAME(keep_rows)(const tulle__spgemm_task *task,
                                    const tulle__spgemm_scheme *scheme, const NAME(scratch) * own,
                                    int64_t begin, int64_t end, INDEX *cols, VALUE *values) {
    VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
    for (int64_t i = begin; i < end; i++) {
        tulle__spgemm_row row = NAME(row_at)(task, i);
        int64_t length = NAME(one_row)(task, scheme, own, &row, alpha, cols, values);
        scheme->chunks.offsets[i + 1] = length;
        cols += length;
        values += length;
    }
}

/* Number of rows from row i on that have the same columns. */
static inline int NAME(twins_from)(const uint8_t *kin, int64_t i, int64_t end) {
    int rows = 1;
    while (rows < TULLE__LANES && i + rows < end && kin[i + rows] == TULLE__SPGEMM_TWIN) rows++;
    return rows;
}

/* True when a row's script is to be written, for the rows behind it. */
static inline bool NAME(is_copied)(const tulle__spgemm_scheme *scheme, const tulle__spgemm_row *row,
                                   int64_t i, int64_t end) {
    return row->multiplications > 0 && row->multiplications <= TULLE__SCRIPT_MOST &&
           row->span <= scheme->window && tulle__script_pays(scheme->kin, i + 1, end);
}

/* Computes rows whose lengths are known. */
TULLE__INLINED void NAME(compute_rows)(const tulle__spgemm_task *task,
                                       const tulle__spgemm_scheme *scheme,
                                       const NAME(scratch) * own, int64_t begin, int64_t end) {
    VALUE alpha = tulle__scalar_value(VALUE, task->alpha);
    const int64_t *offsets = scheme->chunks.offsets;
    const uint8_t *kin = scheme->kin;
    bool written = false; /* true: the row before left a script (script.h) */
    int rows = 1;
    for (int64_t i = begin; i < end; i += rows) {
        INDEX *cols = (INDEX *)task->c.cols_of + offsets[i];
        VALUE *values = (VALUE *)task->c.values + offsets[i];
        int64_t length = offsets[i + 1] - offsets[i];
        rows = 1;
        if (written && kin[i] != TULLE__SPGEMM_STRANGER) {
            NAME(script_row)
            (task, own->places, i, kin[i] == TULLE__SPGEMM_NEXT, length, alpha, cols, values);
            continue;
        }
        tulle__spgemm_row row = NAME(row_at)(task, i);
        written = false;
        if (scheme->lanes && tulle__spgemm_way_of(scheme, &row) == TULLE__SPGEMM_DENSE) {
            rows = NAME(twins_from)(kin, i, end);
        }
        if (rows > 1) {
            NAME(dense_twins)
            (task, &scheme->words, &own->window, &row, rows, length, alpha, cols, values);
            continue;
        }
        NAME(one_row)(task, scheme, own, &row, alpha, cols, values);
        if (!NAME(is_copied)(scheme, &row, i, end)) continue;
        NAME(script_write)(task, &own->window, &row, length, cols, own->places);
        written = true;
    }
}

/* Finds the lengths of chunk c's rows, before C has memory. */
TULLE__INLINED void NAME(first_look)(const tulle__spgemm_task *task,
                                     const tulle__spgemm_scheme *scheme, const NAME(scratch) * own,
                                     int c) {
    const int64_t *first = scheme->chunks.first, before = scheme->chunks.before[c];
    if (c < scheme->kept.chunks) {
        NAME(keep_rows)
        (task, scheme, own, first[c], first[c + 1], (INDEX *)scheme->kept.cols + before,
         (VALUE *)scheme->kept.values + before);
    } else {
        NAME(count_rows)(task, scheme, own, first[c], first[c + 1]);
    }
}

/* Fills chunk c of C. */
TULLE__INLINED void NAME(fill)(const tulle__spgemm_task *task, const tulle__spgemm_scheme *scheme,
                               const NAME(scratch) * own, int c) {
    const int64_t *first = scheme->chunks.first;
    if (c < scheme->kept.chunks) {
        tulle__spgemm_kept_copy(task, &scheme->chunks, &scheme->kept, c);
    } else {
        NAME(compute_rows)(task, scheme, own, first[c], first[c + 1]);
    }
}

typedef void (*NAME(step))(const tulle__spgemm_task *task, const tulle__spgemm_scheme *scheme,
                           const NAME(scratch) * own, int c);

static void NAME(first_look_plain)(const tulle__spgemm_task *task,
                                   const tulle__spgemm_scheme *scheme, const NAME(scratch) * own,
                                   int c) {
    NAME(first_look)(task, scheme, own, c);
}

static void NAME(fill_plain)(const tulle__spgemm_task *task, const tulle__spgemm_scheme *scheme,
                             const NAME(scratch) * own, int c) {
    NAME(fill)(task, scheme, own, c);
}

FOR_AVX2 static void NAME(first_look_avx2)(const tulle__spgemm_task *task,
                                           const tulle__spgemm_scheme *scheme,
                                           const NAME(scratch) * own, int c) {
    NAME(first_look)(task, scheme, own, c);
}

FOR_AVX2 static void NAME(fill_avx2)(const tulle__spgemm_task *task,
                                     const tulle__spgemm_scheme *scheme, const NAME(scratch) * own,
                                     int c) {
    NAME(fill)(task, scheme, own, c);
}

/* Goes through all chunks with all threads, each with scratch of its own. */
static tulle_status NAME(sweep)(tulle__spgemm_task *task, const tulle__spgemm_scheme *scheme,
                                char *memory, tulle__spgemm_phase phase, NAME(step) step) {
    const int64_t bytes = NAME(scratch_bytes)(scheme);
    tulle__spgemm_telling telling = tulle__spgemm_telling_of(task, &scheme->chunks, phase);
#pragma omp parallel num_threads(scheme->chunks.threads)
    {
        NAME(scratch) own = NAME(scratch_in)(scheme, memory + omp_get_thread_num() * bytes);
#pragma omp for schedule(dynamic)
        for (int c = 0; c < scheme->chunks.count; c++) {
            if (!tulle__spgemm_goes_on(&telling)) continue;
            step(task, scheme, &own, c);
            tulle__spgemm_note_done(&telling, c);
        }
    }
    return tulle__spgemm_said(&telling);
}

static tulle_status NAME(count_and_compute)(tulle__spgemm_task *task,
                                            const tulle__spgemm_scheme *scheme, char *memory) {
    const bool avx2 = tulle__cpu_vector_bits() >= 256;
    int64_t *offsets = scheme->chunks.offsets;
    offsets[0] = 0;
    TULLE__TRY(NAME(sweep)(task, scheme, memory, TULLE__SPGEMM_COUNT,
                           avx2 ? NAME(first_look_avx2) : NAME(first_look_plain)));
    int64_t nnz = tulle__spgemm_sum_up(offsets, task->a.rows);
    TULLE__TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    TULLE__TRY(task->make_c(task, nnz));
    tulle__spgemm_put_offsets(task, &scheme->chunks);
    TULLE__TRY(NAME(sweep)(task, scheme, memory, TULLE__SPGEMM_COMPUTE,
                           avx2 ? NAME(fill_avx2) : NAME(fill_plain)));
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

static tulle_status NAME(run)(tulle__spgemm_task *task) {
    tulle_ctx *ctx = task->place->ctx;
    tulle__spgemm_scheme scheme;
    void *memory = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__spgemm_scheme_make(task, &scheme));
    task->multiplications = scheme.chunks.multiplications;
    tulle_status status =
        tulle__size(NAME(scratch_bytes)(&scheme), scheme.chunks.threads, 0, &bytes);
    task->bound_bytes = tulle__spgemm_bound(
        task, &scheme.chunks, (int64_t)bytes + tulle__spgemm_scheme_bytes(task, &scheme));
    if (status == TULLE_OK) status = task->ends(task, TULLE__SPGEMM_ANALYSIS);
    if (status == TULLE_OK) status = tulle__alloc(ctx, bytes, &memory);
    if (status == TULLE_OK) status = NAME(count_and_compute)(task, &scheme, memory);
    tulle__free(ctx, memory);
    tulle__spgemm_scheme_free(task, &scheme);
    return status;
}

#endif
