/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * A context is the place where work runs: a CPU with so many threads, or a GPU with a stream; its
 * memory pool; its workspace; its settings. One thread at a time may use a context; any number of
 * contexts, each in a thread of its own, may share matrices that live in the same memory space:
 * multiply with them, build their plans, and give them up.
 *
 * A call synchronises if it waits until the work in the context's stream is done. On a CPU every
 * call has done its work when it returns. On a GPU a call queues work in the stream and returns;
 * the comment of a call that synchronises says so, or refers to another call whose comment does,
 * and a call whose comment says nothing about it does not. Where a call takes new memory from the
 * device, the driver may wait, too.
 *
 * On a CPU a call shares large work with threads of tulle's own, which sleep between calls. Idle
 * ones beyond the number of cores end after a while. They are no threads of an OpenMP:
 * tulle links none, and changes no setting of the caller's. Where the system gives no more threads,
 * a call goes on with those that it has. Results do not depend on their number. A child of fork()
 * may call tulle with its parent's contexts, and gets threads of its own; a callback of tulle's may
 * fork() only for a child that calls no tulle.
 */
#ifndef TULLE_CONTEXT_H
#define TULLE_CONTEXT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "export.h"
#include "status.h"

/** A context; see the head of this file. */
typedef struct tulle_ctx tulle_ctx;

/** Kinds of places where a context runs. */
typedef enum tulle_backend {
    TULLE_CPU = 0,
    TULLE_CUDA = 1,
    TULLE_EMULATED = 2 /**< the GPU kernels on the CPU, slowly, with every access checked */
} tulle_backend;

/**
 * The caller's own memory for one kind of place. @a stream is the context's stream on a GPU, NULL
 * on a CPU. allocate returns NULL when there is no memory; pointers are aligned to 256 bytes on a
 * GPU and to 64 on a CPU. release is also called by other threads that give up the last hold on an
 * object of the context.
 */
typedef struct tulle_allocator {
    /** Returns a block, or NULL without memory. */
    void *(*allocate)(void *user, size_t bytes, void *stream);
    /** Takes a block back. */
    void (*release)(void *user, void *pointer, size_t bytes, void *stream);
    void *user; /**< handed to both functions */
} tulle_allocator;

/** Settings that a context has from birth; zero-initialise for the defaults. */
typedef struct tulle_ctx_options {
    const tulle_allocator *host;   /**< allocator of host memory; NULL: the C library */
    const tulle_allocator *device; /**< allocator of device memory; NULL: the device's own
                                        (cudaMalloc) */
    void *stream;                  /**< the caller's cudaStream_t; NULL: one of the context's own */
    size_t memory_cap;             /**< bytes that the context may hold in arrays and scratch of
                                        its place; 0: no cap. Host memory that describes its
                                        objects is not counted, so that a host allocator may be
                                        asked for some kilobytes beyond the cap at a time */
} tulle_ctx_options;

/**
 * Progress of a long call. Return nonzero to cancel it: the call then fails cleanly with
 * TULLE_CANCELLED. @a total is 0 while unknown.
 */
typedef int (*tulle_progress_fn)(void *user, const char *what, int64_t done, int64_t total);

/** One line of log; level 0: warning, 1: information, 2: detail. */
typedef void (*tulle_log_fn)(void *user, int level, const char *line);

/** Memory of a context, in bytes. */
typedef struct tulle_memory_usage {
    size_t in_use;    /**< bytes that live objects hold */
    size_t high;      /**< the largest value of in_use since the last reset */
    size_t pooled;    /**< bytes of freed blocks that are kept for reuse, not part of in_use */
    size_t workspace; /**< bytes of scratch, part of in_use */
} tulle_memory_usage;

/** Properties of the place where a context runs. */
typedef struct tulle_device_info {
    tulle_backend backend;    /**< kind of the place */
    char name[128];           /**< name of the processor or GPU */
    int threads;              /**< number of CPU threads; 0 on a GPU */
    int multiprocessors;      /**< number of multiprocessors of a GPU; 0 on a CPU */
    int architecture;         /**< compute capability of a GPU, 90 for 9.0; 0 on a CPU */
    int warp;                 /**< number of threads of a warp; 0 on a CPU */
    int driver;               /**< driver version as CUDA counts it, 13000 for 13.0; 0 on a CPU */
    int64_t cache_bytes;      /**< bytes of a GPU's L2 or of a CPU's last-level cache; 0:
                                   unknown. For a CPU TULLE_CACHE_SIZE in the environment, as
                                   32M, comes first: a virtual machine with two cores may name
                                   all of its host's cache */
    int64_t memory_bytes;     /**< bytes of the place's memory, free or not */
    int64_t shared_per_block; /**< bytes of shared memory that a block can have; 0 on a CPU */
    int vector_bits;          /**< bits of the CPU's vectors that kernels use: 512 (AVX-512), 256
                                   (AVX2 and FMA), 128 (NEON), 0 (none); 0 on a GPU */
} tulle_device_info;

TULLE_BEGIN

/** tulle_ctx_create with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_ctx_create_sized(const char *where, const tulle_ctx_options *options,
                                              size_t options_size, tulle_ctx **ctx);

/**
 * Makes a context.
 *
 * @param where  "cpu", "cpu:8" (threads, up to 1024), "cuda" or "cuda:1" (device), "emulated", or
 *               "auto": a GPU where one is usable, else the CPU. "cpu" has as many threads as this
 *               process has cores (affinity, the quota of its control group), or fewer where
 *               OMP_NUM_THREADS or the program's own omp_set_num_threads says so. A context made in
 *               a parallel region of the program's own OpenMP has one thread.
 * @param options NULL for the defaults; copied.
 * @param ctx    the new context; NULL after a failure.
 *
 * Synchronises: yes, once. Errors: TULLE_INVALID_ARGUMENT (a NULL, an unknown place, a bad
 * number, a TULLE_CACHE_SIZE that is no size), TULLE_NO_DEVICE (no such GPU, no driver, or
 * libtulle-cuda or libtulle-emu cannot be opened; the message says which), TULLE_OUT_OF_MEMORY,
 * TULLE_DEVICE_FAULT.
 */
TULLE_HOST_INLINE tulle_status tulle_ctx_create(const char *where, const tulle_ctx_options *options,
                                                tulle_ctx **ctx) {
    return tulle_ctx_create_sized(where, options, sizeof(tulle_ctx_options), ctx);
}

/**
 * Gives up a context; NULL is fine. Its memory goes when the last object that lives in it does.
 * Synchronises with its stream, and leaves a stream of the caller's for good.
 */
TULLE_API void tulle_ctx_destroy(tulle_ctx *ctx);

/** Synchronises: waits for all work of the context. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_DEVICE_FAULT. */
TULLE_API tulle_status tulle_ctx_synchronize(tulle_ctx *ctx);

/**
 * Uses the caller's stream from now on (NULL: the context's own). Synchronises with the old stream.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_UNSUPPORTED (a CPU has no streams),
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_ctx_set_stream(tulle_ctx *ctx, void *stream);

/** The stream in use (a cudaStream_t); NULL on a CPU and for ctx == NULL. */
TULLE_API void *tulle_ctx_stream(const tulle_ctx *ctx);

/**
 * With @a on, only kernels and methods are used whose results are bitwise the same from run to run,
 * for any number of threads; choices then depend on pattern, device model, version and settings
 * alone, and those of tulle_solve and tulle_amg_create also on values: the width of a CPU's vectors
 * is that of a table of processors, and nothing is measured.
 * Off at first. Errors: TULLE_INVALID_ARGUMENT.
 */
TULLE_API tulle_status tulle_ctx_set_repeatable(tulle_ctx *ctx, bool on);

/**
 * The rule that picks kernels where neither a forced name nor a plan decides: "tulle" (the
 * default) or "reguly_giles" (the fixed rule of Reguly and Giles, 2012).
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_NOT_FOUND.
 */
TULLE_API tulle_status tulle_ctx_set_rule(tulle_ctx *ctx, const char *rule);

/** Reports progress of long calls to @a fn; NULL: to nobody. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_ctx_set_progress(tulle_ctx *ctx, tulle_progress_fn fn, void *user);

/** Sends log lines to @a fn; NULL: to nobody. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_ctx_set_log(tulle_ctx *ctx, tulle_log_fn fn, void *user);

/** Tells how much memory the context holds. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_ctx_memory(const tulle_ctx *ctx, tulle_memory_usage *usage);

/** Starts a new high-water mark at what is in use now. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_ctx_reset_high(tulle_ctx *ctx);

/**
 * Gives pooled memory and the workspace back to the system. Synchronises.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_ctx_trim(tulle_ctx *ctx);

/** Describes the place where the context runs. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_ctx_device(const tulle_ctx *ctx, tulle_device_info *info);

TULLE_END
#endif
