/* SPDX-License-Identifier: Apache-2.0 */
/* Runs calls from a CUDA graph, through the driver, which is opened at run time. */
#ifndef BENCH_GRAPH_H
#define BENCH_GRAPH_H

#include "tools/common/timing.h"

/* A graph that is timed has so many calls that launching it counts for little, as in a method that
 * has a whole step captured. */
enum { BENCH_GRAPH_CALLS = 16 };

/* A graph of calls that were captured; all members are zero where there is none. */
typedef struct bench_graph {
    void *stream, *captured, *executable;
} bench_graph;

/* Captures calls of a function that was called before. The graph is to be closed also after a
 * failure; closing waits. */
tulle_status bench_graph_open(tulle_ctx *ctx, tool_call call, void *user, int calls,
                              bench_graph *graph);
tulle_status bench_graph_launch(void *graph);
tulle_status bench_graph_close(tulle_ctx *ctx, const bench_graph *graph);

/* Times calls in a graph as tool_time_well does, after one call outside of any graph; the times are
 * those of one call of the graph's. Of the cold calls the first finds cold caches. */
tulle_status bench_graph_time(tulle_ctx *ctx, const tool_budget *budget, tool_call call, void *user,
                              tool_timing *timing);

/* Makes one call, from a graph that has no other call; the function was called before. */
tulle_status bench_graph_call(tulle_ctx *ctx, tool_call call, void *user);

#endif
