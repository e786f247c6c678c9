/* SPDX-License-Identifier: Apache-2.0 */
/* The operation of a batch on many small multivectors: the problem's x, second operand and y hold
 * theirs, one below the other. */
#ifndef TRIAL_BATCH_H
#define TRIAL_BATCH_H

#include "trials/vectors.h"
#include "tulle/batch.h"

/* Ways to run them: tulle_batch_way, and from a CUDA graph grouped, and by streams. */
enum {
    TRIAL_BATCH_GROUPED,
    TRIAL_BATCH_STREAMS,
    TRIAL_BATCH_TASKS,
    TRIAL_BATCH_SHUFFLES, /* axpy alone, for which it differs from TASKS */
    TRIAL_BATCH_GRID,
    TRIAL_BATCH_CAPTURED,
    TRIAL_BATCH_GRAPH
};
#define TRIAL_BATCH_DETAILS                                                                        \
    { "grouped", "streams", "tasks", NULL, "grid", "captured", "graph" }
#define TRIAL_BATCH_AXPY_DETAILS                                                                   \
    { "grouped", "streams", "tasks", "shuffles", "grid", "captured", "graph" }

/* Returns the way of running a batch that the problem's detail names. */
tulle_batch_way trial_batch_way(const trial_problem *problem);

/* Records the task of one problem, on views of its x, second operand and y. */
typedef tulle_status trial_batch_record(tulle_batch *batch, tulle_vec *x, tulle_vec *second,
                                        tulle_vec *y);

/* Prepare, run and finish for a trial_operation: trial_batch_prepare records the batch anew. */
tulle_status trial_batch_prepare(const trial_problem *problem, trial_batch_record *record,
                                 trial_task *task);
tulle_status trial_batch_run(void *state);
void trial_batch_finish(void *state);

/* Starts a batch without tasks, which the caller records. After a failure there is nothing to
 * finish. */
tulle_status trial_batch_start(const trial_problem *problem, trial_task *task, tulle_batch **batch);

/* Records a task on a matrix, or on factors, with a pattern of which nothing is known. */
typedef tulle_status trial_batch_record_fresh(tulle_batch *batch, const trial_problem *problem,
                                              void *fresh);

/* Finds the time, in milliseconds, of what published kernels prepare once for each matrix
 * (Afanasyev and others 2015, sections 3.3 and 3.5: rows regrouped by their length, the pattern as
 * CSC), for all tasks of a problem. It is the time by which a first batch with the pattern takes
 * longer than a second one, times the number of tasks. Only for ways with published kernels. */
tulle_status trial_batch_time_lines(const trial_problem *problem, trial_batch_record_fresh *record,
                                    void *fresh, double *ms);

/* Returns whether the way of a problem runs published kernels, which a CPU has none of. */
bool trial_batch_is_published(const trial_problem *problem);

/* Makes a view of `rows` rows of a multivector of the problem's, from row `first` on. */
tulle_status trial_batch_view(const trial_problem *problem, const tulle_vec *all, int64_t first,
                              int64_t rows, tulle_vec **view);

/* Opens a problem whose tasks are Y + X A. */
tulle_status trial_batch_axpy_open(trial_problem *problem, const trial_given *given);

/* The number of multivectors, and the rows of x, of the second operand and of y that each has. */
typedef struct trial_batch_rows {
    int64_t count, x, second, y;
} trial_batch_rows;
trial_batch_rows trial_batch_rows_of(const trial_problem *problem);

#endif
