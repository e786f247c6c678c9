/* SPDX-License-Identifier: Apache-2.0 */
/* Calls that a program makes under the profiler, between marks. One call may be several launches,
 * so a launch that belongs to no call, the separator, stands before the first call and after each.
 */
#ifndef PAPERS_WATCH_H
#define PAPERS_WATCH_H

#include "bench/session.h"
#include "lab/papers/marks.h"
#include "tools/common/timing.h"

typedef struct paper_watch {
    tulle_ctx *ctx;
    paper_marks marks;
    tulle_vec *one;
} paper_watch;

/* Opens a watch, which is to be closed after a failure, too. */
tulle_status paper_watch_open(const bench_session *session, paper_watch *watch);
void paper_watch_close(paper_watch *watch);

/* Calls twice; the profiler watches the second call, for the first may load code. */
tulle_status paper_watch_call(const paper_watch *watch, tool_call call, void *user);

/* Writes the row of a watched call, to which the profiler's counters are added later. */
void paper_watch_keep(bench_session *session, const bench_row *row);

#endif
