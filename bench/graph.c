/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/graph.h"

#include <dlfcn.h>

#include "tools/common/error.h"

/* The driver's functions are listed by the names and types of its API ("Graph Management"). */
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

static tulle_status call_often(tool_call call, void *user, int calls) {
    tulle_status status = TULLE_OK;
    for (int i = 0; i < calls && status == TULLE_OK; i++) status = call(user);
    return status;
}

static tulle_status instantiate(bench_graph *g) {
    DRIVER_TRY(cuGraphInstantiateWithFlags, &g->executable, g->captured, 0);
    return TULLE_OK;
}

/* Captures calls. Capturing ends also after a call that fails, and the graph captured so far is
 * then given up. */
static tulle_status capture(bench_graph *g, tool_call call, void *user, int calls) {
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

tulle_status bench_graph_open(tulle_ctx *ctx, tool_call call, void *user, int calls,
                              bench_graph *g) {
    *g = (bench_graph){.stream = tulle_ctx_stream(ctx)};
    tulle_status status = load();
    if (status == TULLE_OK) status = tulle_ctx_synchronize(ctx);
    return status == TULLE_OK ? capture(g, call, user, calls) : status;
}

tulle_status bench_graph_launch(void *graph) {
    const bench_graph *g = graph;
    DRIVER_TRY(cuGraphLaunch, g->executable, g->stream);
    return TULLE_OK;
}

tulle_status bench_graph_close(tulle_ctx *ctx, const bench_graph *g) {
    tulle_status status = tulle_ctx_synchronize(ctx);
    if (g->executable) (void)driver.cuGraphExecDestroy(g->executable);
    if (g->captured) (void)driver.cuGraphDestroy(g->captured);
    return status;
}

tulle_status bench_graph_time(tulle_ctx *ctx, const tool_budget *budget, tool_call call, void *user,
                              tool_timing *timing) {
    bench_graph g = {.stream = NULL};
    tulle_status status = call(user);
    if (status == TULLE_OK) status = bench_graph_open(ctx, call, user, BENCH_GRAPH_CALLS, &g);
    if (status == TULLE_OK) status = tool_time_well(ctx, budget, bench_graph_launch, &g, timing);
    tulle_status closed = bench_graph_close(ctx, &g);
    if (status == TULLE_OK) tool_timing_share(timing, BENCH_GRAPH_CALLS);
    return status == TULLE_OK ? closed : status;
}

tulle_status bench_graph_call(tulle_ctx *ctx, tool_call call, void *user) {
    bench_graph g;
    tulle_status status = bench_graph_open(ctx, call, user, 1, &g);
    if (status == TULLE_OK) status = bench_graph_launch(&g);
    tulle_status closed = bench_graph_close(ctx, &g);
    return status == TULLE_OK ? closed : status;
}
