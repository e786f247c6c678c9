/* SPDX-License-Identifier: Apache-2.0 */
/* A place where work runs, and the lists of its functions. This is the part of a back end that
 * kernels see; its table, which changes with every folder and operation, is in core/backend.h.
 *
 * The CPU's functions are tulle__cpu_NAME, in .c files; libtulle-cuda's tulle__cuda_NAME and
 * libtulle-emu's tulle__emu_NAME, both from the same .cu files. Adding a function: a row in the
 * list of its folder, and one function beside it in a .c and in a .cu file.
 *
 * All pointers are in the place's memory unless a name says host. Everything is in stream order;
 * "waits" means that the host waits for the result. */
#ifndef TULLE_CORE_PLACE_H
#define TULLE_CORE_PLACE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "tulle/context.h"
#include "tulle/status.h"
#include "tulle/types.h"

TULLE_BEGIN

/* An opened device, which all contexts on it share. Each backend has its own struct. */
typedef struct tulle__device tulle__device;

/* The place where a function runs. */
typedef struct tulle__place {
    tulle__device *device;
    void *stream;   /* stream of a GPU; NULL on a CPU */
    int threads;    /* number of CPU threads; 1 on a GPU */
    tulle_ctx *ctx; /* context for scratch: tulle__alloc and tulle__free, or services on a GPU */
} tulle__place;

/* Uses of memory, told to the emulator, which holds kernels to them. */
typedef enum tulle__watch {
    TULLE__WATCH_UNWRITTEN, /* to be written before it is read, whatever it holds */
    TULLE__WATCH_CLOSED,    /* no kernel may touch it */
    TULLE__WATCH_LENT,      /* lent by the caller: host memory that stands for the device's */
    TULLE__WATCH_RETURNED,  /* lent no more: the caller has it back; bytes do not count */
    TULLE__WATCH_INPUT,     /* an input: no kernel that this host thread launches may write it,
                               until TULLE__WATCH_NO_INPUTS */
    TULLE__WATCH_NO_INPUTS  /* the end of all inputs of the host thread */
} tulle__watch;

/* The list F(name, (arguments)) of the core's own functions; every function returns a
 * tulle_status. A folder that needs more has a list in its functions.h. */
#define TULLE__CORE_FUNCTIONS(F)                                                                   \
    /* These functions are in src/gpu/ and in src/core/cpu.c. */                                   \
    F(device_count, (int *count, const char **why_none))                                           \
    F(open, (int ordinal, tulle__device **device))                                                 \
    F(close, (tulle__device * device))                                                             \
    F(describe, (tulle__device * device, tulle_device_info * info))                                \
    F(allocate, (tulle__device * device, size_t bytes, void **pointer))                            \
    F(release, (tulle__device * device, void *pointer))                                            \
    /* Host memory that copies reach while the host goes on. */                                    \
    F(host_allocate, (tulle__device * device, size_t bytes, void **pointer))                       \
    F(host_release, (tulle__device * device, void *pointer))                                       \
    F(stream_create, (tulle__device * device, void **stream))                                      \
    F(stream_destroy, (tulle__device * device, void *stream))                                      \
    F(stream_wait, (tulle__device * device, void *stream))                                         \
    F(copy, (const tulle__place *place, void *to, const void *from, size_t bytes))                 \
    F(set_bytes, (const tulle__place *place, void *to, int byte, size_t bytes))                    \
    F(event_create, (tulle__device * device, void **event))                                        \
    F(event_destroy, (tulle__device * device, void *event))                                        \
    F(event_record, (const tulle__place *place, void *event))                                      \
    F(event_between, (tulle__device * device, void *from, void *to, double *ms))                   \
    /* Work that follows in the stream becomes part of a graph, up to capture_end, and is done     \
     * when the graph is launched, any number of times, with the same arguments. A CPU has none.   \
     */                                                                                            \
    F(capture_begin, (const tulle__place *place))                                                  \
    F(capture_end, (const tulle__place *place, void **graph))                                      \
    F(graph_launch, (const tulle__place *place, void *graph))                                      \
    F(graph_destroy, (tulle__device * device, void *graph))                                        \
    /* Tells the emulator the use of memory; does nothing elsewhere. */                            \
    F(watch, (tulle__device * device, void *pointer, size_t bytes, tulle__watch how))              \
    /* *done := true when the work before the event is done; does not wait. */                     \
    F(event_done, (tulle__device * device, void *event, bool *done))                               \
    F(flush_cache, (const tulle__place *place))                                                    \
    F(bandwidth, (const tulle__place *place, double *gbs))

/* Uses of a list: members of a table, the declarations of this place's own functions (so that a
 * definition with other arguments does not compile), entries of a table. */
#define TULLE__MEMBER(name, arguments) tulle_status(*name) arguments;
#define TULLE__DECLARE(name, arguments) tulle_status TULLE__HERE(name) arguments;
#define TULLE__ENTRY(name, arguments) .name = TULLE__HERE(name),
#define TULLE__HERE_(prefix, name) prefix##name
#define TULLE__HERE__(prefix, name) TULLE__HERE_(prefix, name)
#if defined(TULLE_GPU_PREFIX)
#define TULLE__HERE(name) TULLE__HERE__(TULLE_GPU_PREFIX, name)
#else
#define TULLE__HERE(name) TULLE__HERE__(tulle__cpu_, name)
#endif

TULLE__CORE_FUNCTIONS(TULLE__DECLARE)

/* Functions that libtulle lends to a GPU library: the error record, scratch from a context's
 * pool, progress. */
typedef struct tulle__services {
    tulle_status (*fail)(tulle_status status, const char *function, const char *argument,
                         int64_t row, const char *format, ...);
    tulle_status (*alloc)(tulle_ctx *ctx, size_t bytes, void **pointer);
    void (*free)(tulle_ctx *ctx, void *pointer);
    tulle_status (*progress)(tulle_ctx *ctx, const char *what, int64_t done, int64_t total);
} tulle__services;

TULLE_END
#endif
