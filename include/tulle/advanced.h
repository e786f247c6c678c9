/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * For those who measure, tune and compare: the kernel registry, forced kernels, explicit plans,
 * clocks, the machine's own bandwidth. Not included by tulle.h; may change in any release.
 */
#ifndef TULLE_ADVANCED_H
#define TULLE_ADVANCED_H

#include <stdbool.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "spmv.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/** Properties of a kernel. All strings have static storage. */
typedef struct tulle_kernel_info {
    const char *name;      /**< its name, e.g. "spmv_csr_vector" */
    const char *also;      /**< a second name by which the kernel is found, or NULL */
    const char *operation; /**< operation that it serves: "spmv", "spmm" (multivectors), "spgemm"
                                (A B, sparse), "masked" (A B on a mask), "blocks" (values of A B
                                in blocks), "trisolve", "factor" */
    const char *summary;   /**< summary in one line */
    const char *source;    /**< paper and section, or the origin of the idea */
    tulle_format format;   /**< format of the matrix that the kernel reads */
    bool gpu;              /**< true: runs on a GPU (and the emulator); false: on the CPU */
    bool forward;          /**< true when it computes A x */
    bool transposed;       /**< true when it computes A^T x */
    bool repeatable;       /**< true when A x is bitwise the same from run to run */
    bool repeatable_t;     /**< true when A^T x is bitwise the same from run to run */
    bool needs_plan;       /**< true when the kernel runs only with a plan */
    bool has_plan;         /**< true when a plan makes the kernel faster */
    bool historical;       /**< true when the kernel follows a paper, for comparison (READMEs of
                                published/ name what differs): then only its name leads to it,
                                unless it is the reference kernel of its format */
    bool supports[3][3];   /**< types that the kernel takes, by [tulle_type][tulle_index]; row 0,
                                which is no type, is false */
    int param_count;       /**< number of run-time parameters; see tulle_kernel_param */
} tulle_kernel_info;

/** One parameter of a kernel: its name and the values that make sense. */
typedef struct tulle_param_info {
    const char *name;  /**< name of the parameter, e.g. "coop" */
    const char *help;  /**< help in one line */
    const int *values; /**< values that make sense, ascending */
    int value_count;   /**< number of elements of `values` */
} tulle_param_info;

/** The kernel that a call would run on, with who chose it and what it costs. */
typedef struct tulle_choice {
    const char *kernel;      /**< name of the kernel; static storage */
    const char *by;          /**< stage that chose the kernel: "forced", "plan", "rule" or
                                  "reference" (the kernel that takes all
                                  calls that are left) */
    char params[96];         /**< parameters of the kernel, "coop=8,repeat=1,block=128", or "" */
    int64_t minimal_bytes;   /**< bytes moved when each input is read once and each output
                                  written once */
    int64_t kernel_bytes;    /**< bytes that the algorithm itself loads and stores */
    int64_t workspace_bytes; /**< bytes of scratch */
    int64_t plan_bytes;      /**< bytes of the plan that the kernel uses, and of the copies that
                                  it runs on */
    double cost_bytes;       /**< cost by the kernel's model: bytes that a plain copy would move
                                  in the same time */
} tulle_choice;

/** A kernel that could serve a call, or why it may not; see tulle_spmv_alternatives. */
typedef struct tulle_alternative {
    const char *kernel;   /**< name of the kernel; static storage */
    char params[96];      /**< parameters that the kernel's own rule takes; for the chosen
                               kernel, those that it runs with */
    tulle_format format;  /**< format of the arrays that the kernel reads */
    bool chosen;          /**< true for the kernel that the call runs on now */
    bool needs_plan;      /**< true when it may run once tulle_mat_plan has built a plan for it */
    char why_not[64];     /**< "" where the kernel may run; else the reason in a few words, and
                               then the numbers below are 0 */
    int64_t kernel_bytes; /**< bytes that the algorithm itself loads and stores */
    double cost_bytes;    /**< cost by the kernel's model: bytes that a plain copy would move in
                               the same time */
    double ratio;         /**< cost_bytes over the cost_bytes of the chosen kernel */
} tulle_alternative;

/** Marks in the flow of a context's work, and the time between them. */
typedef struct tulle_clock tulle_clock;

TULLE_BEGIN

/** Number of kernels that a context of that backend knows; 0 where its library cannot be opened. */
TULLE_API int tulle_kernel_count(tulle_backend backend);

/**
 * Kernel number @a i of a backend. Errors: TULLE_INVALID_ARGUMENT (a NULL, no such backend),
 * TULLE_NOT_FOUND (no such kernel), TULLE_NO_DEVICE (the backend's library cannot be opened).
 */
TULLE_API tulle_status tulle_kernel_describe(tulle_backend backend, int i, tulle_kernel_info *info);

/** Parameter number @a p of kernel number @a i. Errors: as tulle_kernel_describe. */
TULLE_API tulle_status tulle_kernel_param(tulle_backend backend, int i, int p,
                                          tulle_param_info *info);

/**
 * Forces a kernel for every later call of its operation: "NAME" or "NAME:param=value,...";
 * parameters that are not given come from the kernel's own rule. NULL: force nothing.
 * Errors: TULLE_INVALID_ARGUMENT (a bad parameter or value), TULLE_NOT_FOUND (no such kernel).
 */
TULLE_API tulle_status tulle_ctx_force_kernel(tulle_ctx *ctx, const char *spec);

/**
 * Builds a plan for one kernel, by its specification, or for the one that the rule would pick
 * (NULL); it replaces the plan for the same op and value type. A kernel of another format than CSR
 * gets a copy of A in that format, laid out by default (tulle_convert_options), whose values follow
 * tulle_mat_set_values without new analysis; A itself stays as it is. For TULLE_T the copy is of
 * the transpose; DIA and CSC serve both ways. Products of other contexts that run on the old plan
 * must be done (tulle_ctx_synchronize). Synchronises. Deterministic.
 * Errors: as tulle_mat_optimize, and those of tulle_ctx_force_kernel; TULLE_UNSUPPORTED also where
 * A has repeated entries and the format is DIA or BSR; TULLE_TOO_LARGE: too much padding.
 */
TULLE_API tulle_status tulle_mat_plan(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                      const char *spec);

/**
 * Forgets all plans of the pattern, with A's copies in other forms that they run on. Other matrices
 * of the pattern keep such copies of theirs until a plan is next made for them, or until they are
 * destroyed. A call that runs
 * in another thread keeps its own to the end, but products of other contexts that are still in a
 * GPU's stream must be done (tulle_ctx_synchronize). Does not synchronise. Errors:
 * TULLE_INVALID_ARGUMENT.
 */
TULLE_API tulle_status tulle_mat_forget_plans(tulle_mat *A);

/**
 * Finds the kernel that tulle_spmv would run on now, without running it. beta_zero: true when y is
 * only written. Errors: those of tulle_spmv that do not need x and y.
 */
TULLE_API tulle_status tulle_spmv_describe(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                           bool beta_zero, tulle_choice *choice);

/**
 * Finds the kernel that tulle_spmm would run on now for X and Y, whose numbers of rows and whose
 * values are not looked at. Where every column is a tulle_spmv, kernel and workspace are that
 * product's. Errors: those of tulle_spmm that do not need the numbers.
 */
TULLE_API tulle_status tulle_spmm_describe(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                           const tulle_vec *X, const tulle_vec *Y, bool beta_zero,
                                           tulle_choice *choice);

/**
 * Lists the kernels that tulle_spmv could run on now, with beta == 0. First stands the kernel that
 * it would choose; then, the cheapest first, the kernels that may run on A's own arrays without a
 * plan, and those that may with one; then the rest, in the registry's order, each with the reason.
 * Where the chosen one runs on a copy (of the transpose, or in another format), the same kernel
 * stands a second time, for A's own arrays.
 *
 * @param list  NULL where @a room is 0.
 * @param room  how many the list has room for; the last ones are left out where it is too small.
 * @param count how many there are.
 *
 * Does not synchronise, measures nothing. Costs of one device compare with each other.
 * Errors: as tulle_spmv_describe.
 */
TULLE_API tulle_status tulle_spmv_alternatives(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                               tulle_alternative *list, int room, int *count);

/**
 * A clock with room for @a marks marks; it keeps the context's memory alive.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_TOO_LARGE, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_clock_create(tulle_ctx *ctx, int marks, tulle_clock **clock);

/** Gives up a clock; NULL is fine. */
TULLE_API void tulle_clock_destroy(tulle_clock *clock);

/**
 * Puts mark @a i into the context's flow of work. Does not synchronise.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_clock_mark(tulle_clock *clock, int i);

/**
 * Milliseconds from mark @a i to mark @a j. Synchronises: waits until both marks are reached.
 * Errors: TULLE_INVALID_ARGUMENT (a NULL, no such mark, a mark that was never set),
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_clock_between(tulle_clock *clock, int i, int j, double *ms);

/**
 * Fills the last-level cache with other data, in stream order. Synchronises in the first call on a
 * device, which makes that data; later calls do not.
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_ctx_flush_cache(tulle_ctx *ctx);

/**
 * Measures the bandwidth of the context's memory, in GB/s (1e9) of bytes read plus bytes written:
 * on a GPU the median of large device-to-device copies, on a CPU the median of STREAM triads with
 * the context's threads. Takes well under a second, on a CPU with a very large cache some, and asks
 * the progress callback there; the result is kept in the context. Synchronises in the first call in
 * a context; later calls return what that one found. Errors: TULLE_INVALID_ARGUMENT,
 * TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_ctx_copy_bandwidth(tulle_ctx *ctx, double *gbs);

/** Number of devices of a backend that this machine can use now; 0 where there is none. */
TULLE_API int tulle_device_count(tulle_backend backend);

/**
 * The reason why tulle_device_count is 0: one line that says what is missing; "" where it is not 0.
 * Static storage; the answer does not change while the program runs.
 */
TULLE_API const char *tulle_device_missing(tulle_backend backend);

TULLE_END
#endif
