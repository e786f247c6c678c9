/* SPDX-License-Identifier: Apache-2.0 */
/* Calls from a CUDA graph, through the driver, which is opened at run time. */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include "tools/common/timing.h"

/* Calls of a graph that is timed: so many that launching it counts for little, as in a method that
 * has a whole step captured. */
enum { BENCH_GRAPH_CALLS = 16 };

/* So many calls, captured; all zeros: nothing. */
typedef struct bench_graph {
    void *stream, *captured, *executable;
} bench_graph;

/* Captures calls, of what was called before. It is closed also after a failure, which waits. */
tulle_status bench_graph_open(tulle_ctx *ctx, tool_call call, void *user, int calls,
                              bench_graph *graph);
tulle_status bench_graph_launch(void *graph);
tulle_status bench_graph_close(tulle_ctx *ctx, const bench_graph *graph);

/* As tool_time_well, after one call outside of any graph: the time of one call, of those of a
 * graph. Of cold ones the first finds cold caches. */
tulle_status bench_graph_time(tulle_ctx *ctx, const tool_budget *budget, tool_call call, void *user,
                              tool_timing *timing);

/* One call, from a graph that has no other; of what was called before. */
tulle_status bench_graph_call(tulle_ctx *ctx, tool_call call, void *user);

#endif
