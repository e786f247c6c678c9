/* SPDX-License-Identifier: Apache-2.0 */
/* The context's struct, its memory, and its services for the rest of the library. */
#ifndef TULLE_CORE_CONTEXT_H
#define TULLE_CORE_CONTEXT_H

#include <pthread.h>
#include <stdatomic.h>

#include "core/backend.h"
#include "core/error.h"
#include "core/kernel.h"
#include "core/pool.h"
#include "tulle/context.h"

struct tulle_ctx {
    atomic_int owners; /* number of owners: the caller, and every object that lives in the
                          context's memory */
    tulle_backend kind;
    int ordinal;
    const tulle__backend *backend;
    tulle__place place;
    void *own_stream;
    tulle_allocator host;
    tulle_allocator callers;      /* the caller's allocator of an emulated device's memory;
                                     allocate NULL: none */
    tulle__pool pool;             /* pool of the place's memory */
    tulle_status allocate_status; /* status of the backend's last allocation: no memory, or a
                                     fault */
    void *workspace;
    size_t workspace_bytes;
    void
        *landing; /* TULLE__LANDING_BYTES of page-locked host memory, or NULL: none asked for yet */
    bool repeatable;
    const void *rule[TULLE__OPERATION_COUNT];   /* rule of each operation; NULL: the default */
    tulle__spec forced[TULLE__OPERATION_COUNT]; /* forced kernel of each operation; kernel NULL:
                                                   nothing is forced */
    tulle_progress_fn progress;
    void *progress_user;
    tulle_log_fn log;
    void *log_user;
    tulle_device_info info;
    double bandwidth; /* copy bandwidth in GB/s; 0: not measured yet */
};

/* Add and take off an owner. */
void tulle__ctx_retain(tulle_ctx *ctx);
void tulle__ctx_release(tulle_ctx *ctx);

/* True when objects of both contexts live in the same memory: same backend, same device. */
bool tulle__same_space(const tulle_ctx *a, const tulle_ctx *b);

/* Sets parameters that were not given to those of the kernel's own rule. */
static inline void tulle__spec_fill(tulle__spec *spec, const int own[TULLE__MAX_PARAMS]) {
    for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
        if (!(spec->given & 1u << p)) spec->params[p] = own[p];
    }
}

/* Allocates memory of the context's place, aligned to 256 bytes (64 on a CPU); bytes 0 gives
 * NULL and success. Freed memory may be reused by work that comes later in the same stream. */
TULLE_API tulle_status tulle__alloc(tulle_ctx *ctx, size_t bytes, void **pointer);

/* Allocates several arrays, each freed by itself: on a GPU in one request where they are small
 * and go together. On failure those that are not NULL are the caller's to free. */
tulle_status tulle__alloc_all(tulle_ctx *ctx, bool together, const size_t bytes[], int count,
                              void *pointers[]);

/* Bytes of the one request that tulle__alloc_all makes for arrays that go together; 0: there is
 * one for each array. */
size_t tulle__together(const tulle_ctx *ctx, const size_t bytes[], int count);
TULLE_API void tulle__free(tulle_ctx *ctx, void *pointer);

/* Allocates zeroed host memory for handles and tables. NULL and a record of the failure when
 * there is none. */
TULLE_API void *tulle__host_alloc(tulle_ctx *ctx, size_t bytes);
TULLE_API void tulle__host_free(tulle_ctx *ctx, void *pointer);

/* Lend memory of the caller to the place, and give it back. Only the emulator needs this: it takes
 * no host memory for device memory unless it was lent. */
tulle_status tulle__lend(tulle_ctx *ctx, const void *array, size_t bytes);
void tulle__give_back(tulle_ctx *ctx, const void *array);

/* Returns the context's scratch, at least so large; valid until the next call that reserves
 * more. */
tulle_status tulle__workspace(tulle_ctx *ctx, size_t bytes, void **pointer);

/* Bytes of the context's page-locked host memory, which kernels write by its address: a few
 * numbers come back so without a copy. They are there when the host has waited for the stream. */
enum { TULLE__LANDING_BYTES = 4096 };
tulle_status tulle__landing(tulle_ctx *ctx, void **pointer);

/* Computes a * b + c in size_t, or returns TULLE_TOO_LARGE. */
TULLE_API tulle_status tulle__size(int64_t a, int64_t b, int64_t c, size_t *bytes);

/* Tells the progress callback; returns TULLE_CANCELLED when it says so. */
TULLE_API tulle_status tulle__progress(tulle_ctx *ctx, const char *what, int64_t done,
                                       int64_t total);

/* Sends a log line. */
TULLE_API void tulle__log(tulle_ctx *ctx, int level, const char *format, ...)
    __attribute__((format(printf, 3, 4)));

/* Copies between host and place, in whichever direction the pointers say; waits. */
TULLE_API tulle_status tulle__copy_wait(tulle_ctx *ctx, void *to, const void *from, size_t bytes);

/* The function table of a backend, whose library is opened at the first use; NULL where there is
 * none, and then *missing is one line, in static storage, that says why. Records nothing. */
const tulle__backend *tulle__backend_find(tulle_backend kind, const char **missing);

/* tulle__backend_find for a public function and its argument at fault: TULLE_INVALID_ARGUMENT
 * (no such backend), TULLE_NO_DEVICE. */
tulle_status tulle__backend_open(const char *function, const char *argument, tulle_backend kind,
                                 const tulle__backend **backend);

/* The CPU's function table. */
extern const tulle__backend tulle__cpu_backend;

/* Number of threads of "cpu": all that this process may use. */
TULLE_API int tulle__cpu_threads(void);

/* Bytes of memory of this machine. */
TULLE_API int64_t tulle__cpu_memory(void);

#endif
