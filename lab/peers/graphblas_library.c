/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/peers/graphblas_library.h"

#include <dlfcn.h>
#include <malloc.h>
#include <stdatomic.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

graphblas_library graphblas;

/* Bytes that the library holds, the most that it held, and the most that it may hold: it allocates
 * by the functions below, which count. */
static atomic_llong held, peak, limit;

static bool fits(size_t bytes) {
    long long most = atomic_load(&limit);
    return most == 0 || atomic_load(&held) + (long long)bytes <= most;
}

static void *count_in(void *pointer) {
    if (!pointer) return NULL;
    long long size = (long long)malloc_usable_size(pointer);
    long long now = atomic_fetch_add(&held, size) + size, most = atomic_load(&peak);
    while (now > most && !atomic_compare_exchange_weak(&peak, &most, now)) continue;
    return pointer;
}

static void count_out(void *pointer) {
    if (pointer) atomic_fetch_sub(&held, (long long)malloc_usable_size(pointer));
}

static void *allocate(size_t bytes) {
    return fits(bytes) ? count_in(malloc(bytes)) : NULL;
}

static void *allocate_zeroed(size_t count, size_t size) {
    return fits(count * size) ? count_in(calloc(count, size)) : NULL;
}

static void *resize(void *pointer, size_t bytes) {
    if (!fits(bytes)) return NULL;
    long long before = pointer ? (long long)malloc_usable_size(pointer) : 0;
    void *resized = realloc(pointer, bytes);
    if (resized) atomic_fetch_sub(&held, before);
    return count_in(resized);
}

static void release(void *pointer) {
    count_out(pointer);
    free(pointer);
}

void graphblas_memory_start(int64_t most) {
    atomic_store(&limit, most > 0 ? atomic_load(&held) + most : 0);
    atomic_store(&peak, atomic_load(&held));
}

int64_t graphblas_memory_held(void) {
    return atomic_load(&held);
}

int64_t graphblas_memory_peak(void) {
    return atomic_load(&peak);
}

static void *open_library(void) {
    static const char *const names[] = {"libgraphblas.so.7", "libgraphblas.so.8",
                                        "libgraphblas.so.9", "libgraphblas.so"};
    const char *chosen = getenv("TULLE_GRAPHBLAS");
    if (chosen && chosen[0]) return dlopen(chosen, RTLD_NOW | RTLD_LOCAL);
    void *handle = NULL;
    for (size_t i = 0; i < sizeof names / sizeof *names && !handle; i++) {
        handle = dlopen(names[i], RTLD_NOW | RTLD_LOCAL);
    }
    return handle;
}

static const char *find_functions(void) {
#define F(name, arguments)                                                                         \
    *(void **)&graphblas.name = dlsym(graphblas.handle, #name);                                    \
    if (!graphblas.name) return #name;
    GRAPHBLAS_FUNCTIONS(F)
#undef F
    return NULL;
}

static const char *find_objects(void) {
#define F(name)                                                                                    \
    const graphblas_object **name = dlsym(graphblas.handle, #name);                                \
    if (!name) return #name;                                                                       \
    graphblas.name = *name;
    GRAPHBLAS_OBJECTS(F)
#undef F
    return NULL;
}

static tulle_status load(void) {
    if (graphblas.handle) return TULLE_OK;
    graphblas.handle = open_library();
    if (!graphblas.handle) {
        return tool_record(TULLE_NOT_FOUND,
                           "libgraphblas cannot be opened (name it in TULLE_GRAPHBLAS): %s",
                           dlerror());
    }
    const char *missing = find_functions();
    if (!missing) missing = find_objects();
    tulle_status status =
        missing ? tool_record(TULLE_NOT_FOUND, "libgraphblas has no %s", missing)
                : graphblas_status(graphblas.GxB_init(GRAPHBLAS_BLOCKING, allocate, allocate_zeroed,
                                                      resize, release),
                                   "GxB_init");
    if (status == TULLE_OK) return TULLE_OK;
    dlclose(graphblas.handle);
    graphblas.handle = NULL;
    return status;
}

tulle_status graphblas_available(char version[BENCH_VERSION]) {
    int part[3] = {0, 0, 0};
    tulle_status status = load();
    if (status != TULLE_OK) return status;
    GRAPHBLAS_TRY(GxB_Global_Option_get, GRAPHBLAS_VERSION, part);
    snprintf(version, BENCH_VERSION, "SuiteSparse:GraphBLAS %d.%d.%d", part[0], part[1], part[2]);
    return TULLE_OK;
}

tulle_status graphblas_status(int status, const char *call) {
    if (status == GRAPHBLAS_OK) return TULLE_OK;
    return tool_record(status == GRAPHBLAS_NO_MEMORY ? TULLE_OUT_OF_MEMORY : TULLE_INVALID_ARGUMENT,
                       "%s: status %d", call, status);
}
