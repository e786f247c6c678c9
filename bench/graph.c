/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/graph.h"

#include <dlfcn.h>

#include "tools/common/error.h"

/* The driver's functions, by the names and types of its API ("Graph Management"). */
#define DRIVER_FUNCTIONS(F)                                                                        \
    F(cuStreamBeginCapture_v2, (void *stream, int mode))                                           \
    F(cuStreamEndCapture, (void *stream, void **graph))                                            \
    F(cuGraphInstantiateWithFlags, (void **executable, void *graph, unsigned long long flags))     \
    F(cuGraphLaunch, (void *executable, void *stream))                                             \
    F(cuGraphExecDestroy, (void *executable))                                                      \
    F(cuGraphDestroy, (void *graph))

static struct {
    void *handle;
#define F(name, arguments) int(*name) arguments;
    DRIVER_FUNCTIONS(F)
#undef F
} driver;

static const char *find_functions(void) {
#define F(name, arguments)                                                                         \
    *(void **)&driver.name = dlsym(driver.handle, #name);                                          \
    if (!driver.name) return #name;
    DRIVER_FUNCTIONS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (driver.handle) return TULLE_OK;
    driver.handle = dlopen("libcuda.so.1", RTLD_NOW | RTLD_LOCAL);
    if (!driver.handle) return tool_record(TULLE_NOT_FOUND, "%s", dlerror());
    const char *missing = find_functions();
    if (!missing) return TULLE_OK;
    dlclose(driver.handle);
    driver.handle = NULL;
    return tool_record(TULLE_NOT_FOUND, "libcuda.so.1 has no %s: the driver is too old", missing);
}

#define DRIVER_TRY(name, ...)                                                                      \
    do {                                                                                           \
        int code_ = driver.name(__VA_ARGS__);                                                      \
        if (code_ != 0) {                                                                          \
            return tool_record(TULLE_INVALID_ARGUMENT, "%s: the driver's error %d", #name, code_); \
        }                                                                                          \
    } while (0)

typedef struct graph {
    void *stream, *captured, *executable;
} graph;

static tulle_status call_often(tool_call call, void *user, int calls) {
    tulle_status status = TULLE_OK;
    for (int i = 0; i < calls && status == TULLE_OK; i++) status = call(user);
    return status;
}

static tulle_status instantiate(graph *g) {
    DRIVER_TRY(cuGraphInstantiateWithFlags, &g->executable, g->captured, 0);
    return TULLE_OK;
}

/* Capturing ends also after a call that fails: what it left is then given up. */
static tulle_status capture(graph *g, tool_call call, void *user, int calls) {
    enum { THIS_THREAD = 1 };
    DRIVER_TRY(cuStreamBeginCapture_v2, g->stream, THIS_THREAD);
    tulle_status status = call_often(call, user, calls);
    int code = driver.cuStreamEndCapture(g->stream, &g->captured);
    if (status != TULLE_OK) return status;
    if (code != 0) {
        return tool_record(TULLE_INVALID_ARGUMENT, "it cannot be captured: the driver's error %d",
                           code);
    }
    return instantiate(g);
}

static tulle_status open_graph(tulle_ctx *ctx, tool_call call, void *user, int calls, graph *g) {
    *g = (graph){.stream = tulle_ctx_stream(ctx)};
    tulle_status status = load();
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    return status == TULLE_OK ? capture(g, call, user, calls) : status;
}

static tulle_status launch(void *user) {
    const graph *g = user;
    DRIVER_TRY(cuGraphLaunch, g->executable, g->stream);
    return TULLE_OK;
}

static tulle_status close_graph(tulle_ctx *ctx, const graph *g) {
    tulle_status status = tulle_ctx_synchronize(ctx);
    if (g->executable) (void)driver.cuGraphExecDestroy(g->executable);
    if (g->captured) (void)driver.cuGraphDestroy(g->captured);
    return status;
}

static void share_out(tool_timing *timing) {
    double *const times[] = {&timing->ms, &timing->q10, &timing->q90, &timing->cold};
    for (size_t i = 0; i < sizeof times / sizeof *times; i++) *times[i] /= BENCH_GRAPH_CALLS;
    timing->batch *= BENCH_GRAPH_CALLS;
}

tulle_status bench_graph_time(tulle_ctx *ctx, const tool_budget *budget, tool_call call, void *user,
                              tool_timing *timing) {
    graph g = {.stream = NULL};
    tulle_status status = call(user);
    if (status == TULLE_OK) status = open_graph(ctx, call, user, BENCH_GRAPH_CALLS, &g);
    if (status == TULLE_OK) status = tool_time_well(ctx, budget, launch, &g, timing);
    tulle_status closed = close_graph(ctx, &g);
    if (status == TULLE_OK) share_out(timing);
    return status == TULLE_OK ? closed : status;
}

tulle_status bench_graph_call(tulle_ctx *ctx, tool_call call, void *user) {
    graph g;
    tulle_status status = open_graph(ctx, call, user, 1, &g);
    if (status == TULLE_OK) status = launch(&g);
    tulle_status closed = close_graph(ctx, &g);
    return status == TULLE_OK ? closed : status;
}
