/* SPDX-License-Identifier: Apache-2.0 */
/* C := alpha A B at the places of a mask, row by row as Gustavson does (1978). A row of C has a
 * sum for each entry of the mask's row. Each row of B that the row needs is matched with the
 * mask's row in one of two ways. Marks: a table has, for each column of the mask's row, the
 * number of its entry, and each column of B's row is looked up in the table. Search: each column
 * of the shorter of both rows is searched for in the longer row, whose columns ascend. Both ways
 * add the terms of an entry in the order of A's row, so that the choice does not change a bit.
 * (Milakovic et al., Parallel algorithms for masked sparse matrix-matrix products, 2022, name
 * the first way MSA, and the second way, with the mask in the lead, Inner.) Rows are computed
 * once, into scratch as large as the mask, from which they are copied into C. */
#ifndef VALUE

#include <omp.h>
#include <string.h>

#include "core/access.h"
#include "core/context.h"
#include "core/search.h"
#include "spgemm/cpu/telling.h"

/* Number of columns of B's row that are looked up before the terms of those that the mask has
 * are added. The loop that looks columns up has no branch that depends on the marks. */
enum { LOOK_AT_ONCE = 1024 };

/* Time of one step of a search, in units of the time of looking up one column by marks. */
enum { STEP_TIME = 4 };

/* Largest number of marks for each multiplication, row and entry of the mask: clearing more
 * marks would take longer than searching. */
enum { MARKS_A_MULTIPLICATION = 16 };

#define TULLE__SELF "spgemm/cpu/masked.c"
#include "core/each_type.h"

extern const tulle__masked_kernel tulle__cpu_masked_rows;
const tulle__masked_kernel tulle__cpu_masked_rows = {
    .head = {.name = "masked_rows",
             .summary = "rows of B matched with the mask's row, by marks or by search",
             .source = "Gustavson's rows; Milakovic et al. 2022 (MSA, Inner)",
             .format = TULLE_CSR,
             .flags = TULLE__FORWARD | TULLE__REPEATABLE | TULLE__REFERENCE | TULLE__DEFAULT},
    .run = TULLE__RUN_ALL(run),
};

#else /* once for each type combination */

/* The making of one product with a mask, for all threads. */
typedef struct NAME(job) {
    const tulle__spgemm_task *task;
    const tulle__spgemm_chunks *chunks;
    VALUE alpha;
    INDEX *cols;    /* columns of C in the order of rows, each chunk where its mask begins */
    VALUE *values;  /* values, as the columns */
    uint32_t *mark; /* number of each column of the mask's row among these, from 1, or 0; for each
                       thread; NULL: rows are searched */
} NAME(job);

/* The entries of the mask's row that lie in columns of B, and the sums of C's row, which begins as
 * the mask's: met[r] says whether entry r has a multiplication. */
typedef struct NAME(masked_row) {
    const INDEX *cols;
    INDEX low;     /* column of the mask that is column 0 of B */
    int64_t count; /* number of entries */
    INDEX *met;
    VALUE *sums;
} NAME(masked_row);

/* One row of B, and A's entry that it is multiplied by. */
typedef struct NAME(factor_row) {
    const INDEX *cols;
    const VALUE *values;
    int64_t count;
    VALUE factor;
} NAME(factor_row);

static inline void NAME(add)(const NAME(masked_row) * row, int64_t r, const NAME(factor_row) * b,
                             int64_t q) {
    row->sums[r] += b->factor * b->values[q];
    row->met[r] = 1;
}

/* Adds the terms of a row of B, by marks. */
static void NAME(by_marks)(const NAME(masked_row) * row, const NAME(factor_row) * b,
                           const uint32_t *mark) {
    uint16_t found[LOOK_AT_ONCE];
    for (int64_t first = 0; first < b->count; first += LOOK_AT_ONCE) {
        const INDEX *cols = b->cols + first;
        const int left = b->count - first < LOOK_AT_ONCE ? (int)(b->count - first) : LOOK_AT_ONCE;
        int count = 0;
#pragma GCC unroll 4
        for (int q = 0; q < left; q++) {
            found[count] = (uint16_t)q;
            count += mark[cols[q]] != 0;
        }
        for (int k = 0; k < count; k++) {
            NAME(add)(row, (int64_t)mark[cols[found[k]]] - 1, b, first + found[k]);
        }
    }
}

/* Returns the first place from `at` on whose column is not below `column`: steps double, and a
 * search by halves follows. */
static inline int64_t NAME(seek)(const INDEX *cols, int64_t at, int64_t count, INDEX column) {
    int64_t step = 1;
    while (at + step < count && cols[at + step] < column) {
        at += step;
        step *= 2;
    }
    int64_t end = at + step < count ? at + step : count;
    TULLE__LOWER_BOUND(at, end, k, cols[k] < column);
    return at;
}

/* Adds the terms of a row of B, in which the mask's columns are searched for. */
static void NAME(by_search_in_b)(const NAME(masked_row) * row, const NAME(factor_row) * b) {
    for (int64_t r = 0, q = 0; r < row->count; r++) {
        const INDEX column = row->cols[r] - row->low;
        q = NAME(seek)(b->cols, q, b->count, column);
        if (q == b->count) return;
        if (b->cols[q] == column) NAME(add)(row, r, b, q);
    }
}

/* Adds the terms of a row of B, whose columns are searched for in the mask's row. */
static void NAME(by_search_in_mask)(const NAME(masked_row) * row, const NAME(factor_row) * b) {
    for (int64_t q = 0, r = 0; q < b->count; q++) {
        const INDEX column = b->cols[q] + row->low;
        r = NAME(seek)(row->cols, r, row->count, column);
        if (r == row->count) return;
        if (row->cols[r] == column) NAME(add)(row, r, b, q);
    }
}

/* Number of steps that a search in so many columns takes. */
static inline int64_t NAME(steps_in)(int64_t count) {
    return 64 - __builtin_clzll((unsigned long long)count);
}

/* Adds all terms of A's row i that the mask lets through. */
static void NAME(add_terms)(const tulle__spgemm_task *task, int64_t i, const NAME(masked_row) * row,
                            const uint32_t *mark) {
    const OFFSET *a_offsets = task->a.offsets, *b_offsets = task->b.offsets;
    const INDEX *a_cols = task->a.cols_of, *b_cols = task->b.cols_of;
    const VALUE *a_values = task->a.values, *b_values = task->b.values;
    for (OFFSET e = a_offsets[i]; e < a_offsets[i + 1]; e++) {
        if (e + TULLE__SPGEMM_AHEAD < task->a.nnz) {
            __builtin_prefetch(b_cols + b_offsets[a_cols[e + TULLE__SPGEMM_AHEAD]]);
        }
        const OFFSET begin = b_offsets[a_cols[e]];
        const NAME(factor_row) b = {.cols = b_cols + begin,
                                    .values = b_values + begin,
                                    .count = b_offsets[a_cols[e] + 1] - begin,
                                    .factor = a_values[e]};
        if (b.count == 0) continue;
        const bool in_b = row->count * NAME(steps_in)(b.count) * (mark ? STEP_TIME : 1) < b.count;
        if (in_b || (!mark && row->count <= b.count)) {
            NAME(by_search_in_b)(row, &b);
        } else if (mark) {
            NAME(by_marks)(row, &b, mark);
        } else {
            NAME(by_search_in_mask)(row, &b);
        }
    }
}

/* Returns the mask's row i, whose C begins at entry `at` of the scratch. */
static NAME(masked_row) NAME(row_of_mask)(const NAME(job) * job, int64_t i, int64_t at) {
    const tulle__spgemm_task *task = job->task;
    const OFFSET *offsets = task->mask.offsets;
    const INDEX *cols = task->mask.cols_of;
    const int64_t low = task->mask_low, high = low + task->b.cols;
    int64_t begin = offsets[i], end = offsets[i + 1];
    if (begin < end && (cols[begin] < low || cols[end - 1] >= high)) {
        int64_t last = begin;
        TULLE__LOWER_BOUND(begin, end, k, cols[k] < low);
        TULLE__LOWER_BOUND(last, end, k, cols[k] < high);
        end = last;
    }
    return (NAME(masked_row)){.cols = cols + begin,
                              .low = (INDEX)low,
                              .count = end - begin,
                              .met = job->cols + at,
                              .sums = job->values + at};
}

/* Removes the sums that no multiplication met from a row, and stores the columns of the others;
 * returns the number of the others. */
static int64_t NAME(keep_met)(const NAME(masked_row) * row, VALUE alpha) {
    int64_t length = 0;
    for (int64_t r = 0; r < row->count; r++) {
        const INDEX met = row->met[r];
        const VALUE sum = row->sums[r];
        row->met[length] = row->cols[r] - row->low;
        row->sums[length] = alpha * sum;
        length += met;
    }
    return length;
}

/* Computes row i of C into the scratch, from entry `at` on; returns its length. */
static int64_t NAME(compute_row)(const NAME(job) * job, int64_t i, int64_t at, uint32_t *mark) {
    const OFFSET *a_offsets = job->task->a.offsets;
    const NAME(masked_row) row = NAME(row_of_mask)(job, i, at);
    if (row.count == 0 || a_offsets[i] == a_offsets[i + 1]) return 0;
    for (int64_t r = 0; r < row.count; r++) {
        row.met[r] = 0;
        row.sums[r] = -(VALUE)0;
        if (mark) mark[row.cols[r] - row.low] = (uint32_t)r + 1;
    }
    NAME(add_terms)(job->task, i, &row, mark);
    for (int64_t r = 0; mark && r < row.count; r++) mark[row.cols[r] - row.low] = 0;
    return NAME(keep_met)(&row, job->alpha);
}

/* Returns the first entry of chunk c in the scratch: that of its mask. */
static inline int64_t NAME(chunk_begin)(const NAME(job) * job, int c) {
    const OFFSET *offsets = job->task->mask.offsets;
    return offsets[job->chunks->first[c]] - offsets[0];
}

static tulle_status NAME(compute)(tulle__spgemm_task *task, const NAME(job) * job) {
    const tulle__spgemm_chunks *chunks = job->chunks;
    tulle__spgemm_telling telling = tulle__spgemm_telling_of(task, chunks, TULLE__SPGEMM_COUNT);
    chunks->offsets[0] = 0;
#pragma omp parallel num_threads(chunks->threads)
    {
        uint32_t *mark = job->mark;
        if (mark) mark += omp_get_thread_num() * task->b.cols;
        if (mark) memset(mark, 0, (size_t)task->b.cols * sizeof *mark);
#pragma omp for schedule(dynamic)
        for (int c = 0; c < chunks->count; c++) {
            if (!tulle__spgemm_goes_on(&telling)) continue;
            int64_t at = NAME(chunk_begin)(job, c);
            for (int64_t i = chunks->first[c]; i < chunks->first[c + 1]; i++) {
                chunks->offsets[i + 1] = NAME(compute_row)(job, i, at, mark);
                at += chunks->offsets[i + 1];
            }
            tulle__spgemm_note_done(&telling, c);
        }
    }
    return tulle__spgemm_said(&telling);
}

/* Copies the chunks from the scratch into C. */
static void NAME(copy)(const tulle__spgemm_task *task, const NAME(job) * job) {
    const tulle__spgemm_chunks *chunks = job->chunks;
#pragma omp parallel for schedule(static) num_threads(chunks->threads)
    for (int c = 0; c < chunks->count; c++) {
        const int64_t to = chunks->offsets[chunks->first[c]], from = NAME(chunk_begin)(job, c);
        const size_t count = (size_t)(chunks->offsets[chunks->first[c + 1]] - to);
        if (count == 0) continue;
        memcpy((INDEX *)task->c.cols_of + to, job->cols + from, count * sizeof(INDEX));
        memcpy((VALUE *)task->c.values + to, job->values + from, count * sizeof(VALUE));
    }
}

static tulle_status NAME(count_and_compute)(tulle__spgemm_task *task, const NAME(job) * job) {
    TULLE__TRY(NAME(compute)(task, job));
    const int64_t nnz = tulle__spgemm_sum_up(job->chunks->offsets, task->a.rows);
    TULLE__TRY(task->ends(task, TULLE__SPGEMM_COUNT));
    TULLE__TRY(task->make_c(task, nnz));
    tulle__spgemm_put_offsets(task, job->chunks);
    NAME(copy)(task, job);
    return task->ends(task, TULLE__SPGEMM_COMPUTE);
}

/* Number of marks of all threads: none where clearing them takes longer than the multiplications
 * do. */
static int64_t NAME(marks_for)(const tulle__spgemm_task *task, const tulle__spgemm_chunks *chunks) {
    const double work =
        (double)chunks->multiplications + (double)task->a.rows + (double)task->mask.nnz;
    const double marks = (double)task->b.cols * chunks->threads;
    if (marks > work * MARKS_A_MULTIPLICATION || task->b.cols >= UINT32_MAX) return 0;
    return task->b.cols * chunks->threads;
}

static tulle_status NAME(with_scratch)(tulle__spgemm_task *task,
                                       const tulle__spgemm_chunks *chunks) {
    tulle_ctx *ctx = task->place->ctx;
    const int64_t marks = NAME(marks_for)(task, chunks), nnz = task->mask.nnz;
    size_t mark_bytes = 0, col_bytes = 0, value_bytes = 0;
    void *mark = NULL, *cols = NULL, *values = NULL;
    TULLE__TRY(tulle__size(marks, sizeof(uint32_t), 0, &mark_bytes));
    TULLE__TRY(tulle__size(nnz, sizeof(INDEX), 0, &col_bytes));
    TULLE__TRY(tulle__size(nnz, sizeof(VALUE), 0, &value_bytes));
    task->bound_bytes =
        tulle__spgemm_bound(task, chunks, (int64_t)(mark_bytes + col_bytes + value_bytes));
    TULLE__TRY(task->ends(task, TULLE__SPGEMM_ANALYSIS));
    tulle_status status = marks > 0 ? tulle__alloc(ctx, mark_bytes, &mark) : TULLE_OK;
    if (status == TULLE_OK) status = tulle__alloc(ctx, col_bytes, &cols);
    if (status == TULLE_OK) status = tulle__alloc(ctx, value_bytes, &values);
    const NAME(job) job = {.task = task,
                           .chunks = chunks,
                           .alpha = tulle__scalar_value(VALUE, task->alpha),
                           .cols = cols,
                           .values = values,
                           .mark = mark};
    if (status == TULLE_OK) status = NAME(count_and_compute)(task, &job);
    tulle__free(ctx, values);
    tulle__free(ctx, cols);
    tulle__free(ctx, mark);
    return status;
}

static tulle_status NAME(run)(tulle__spgemm_task *task) {
    tulle__spgemm_chunks chunks;
    TULLE__TRY(tulle__spgemm_chunks_make(task, NULL, &chunks));
    task->multiplications = chunks.multiplications;
    const tulle_status status = NAME(with_scratch)(task, &chunks);
    tulle__spgemm_chunks_free(task, &chunks);
    return status;
}

#endif
