/* SPDX-License-Identifier: Apache-2.0 */
/* Experiments on many small tasks at once, which have no matrices: operations of the benchmark on
 * COUNTxN, and the time line of threads that take such tasks. */
#ifndef PAPERS_TASKS_H
#define PAPERS_TASKS_H

#include "bench/session.h"
#include "lab/papers/run.h"

/* Measures a step of batch in one type. */
tulle_status paper_tasks(bench_session *session, const paper_settings *settings,
                         const paper_step *step, tulle_type type);

/* Notes the time line of a step of timeline. */
tulle_status paper_timeline(bench_session *session, const paper_settings *settings,
                            const paper_step *step);

#endif
