/* SPDX-License-Identifier: Apache-2.0 */
/* What the program that the profiler runs calls while it is watched. One call may be several
 * launches, so a launch that is none of its own, the separator, stands before the first and after
 * each. */
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

/* It is closed after a failure, too. */
tulle_status paper_watch_open(const bench_session *session, paper_watch *watch);
void paper_watch_close(paper_watch *watch);

/* Calls twice; the second call is the one that is watched: the first may load code. */
tulle_status paper_watch_call(const paper_watch *watch, tool_call call, void *user);

/* The row of what was watched, for the profiler's counters to be added to. */
void paper_watch_keep(bench_session *session, const bench_row *row);

#endif
