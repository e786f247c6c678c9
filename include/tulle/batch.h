/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Many operations on small operands at once: recorded one by one, each with the operations that it
 * waits for, and then run together, again and again. A problem that is too small to fill a GPU runs
 * beside others.
 *
 *     tulle_batch_create(ctx, &batch);
 *     for each zone: tulle_batch_spmm(batch, TULLE_N, -1, A[i], X[i], 1, R[i], &product);
 *                    tulle_batch_dot(batch, 1, R[i], R[i], 0, S[i], &norms);
 *                    tulle_batch_after(batch, norms, product);
 *     for each step: tulle_batch_run(ctx, batch, TULLE_BATCH_GROUPED);
 *
 * Operands may have any sizes, layouts and patterns, f32 and f64 beside each other. They are read
 * when the batch runs, so new numbers need no new recording. Where tulle_mat_set_values gives a
 * matrix that borrowed its values an array of its own, the next run finds them there, and copies
 * the task as after a replacement; a CUDA graph that captured a run reads the borrowed array still,
 * and is to be captured anew. Two tasks that touch the same numbers, one of them to write, need an
 * order: tulle_batch_after.
 */
#ifndef TULLE_BATCH_H
#define TULLE_BATCH_H

#include "context.h"
#include "export.h"
#include "factor.h"
#include "matrix.h"
#include "status.h"
#include "trisolve.h"
#include "types.h"
#include "vec.h"

/** Operations to be run together. */
typedef struct tulle_batch tulle_batch;

/**
 * Ways in which a GPU runs a batch. On a CPU threads take whole tasks, whatever the way; a library
 * that was built without published kernels refuses the published ways there, too.
 */
typedef enum tulle_batch_way {
    TULLE_BATCH_GROUPED = 0,  /**< one launch whose blocks of threads take pieces of tasks: from a
                                queue, as many blocks as are resident, where tasks wait for
                                others; where none does, one for each kind of task, up to four;
                                where some are on factors, one for each kind among those that wait
                                for none that is left */
    TULLE_BATCH_STREAMS = 1,  /**< a launch for each task, of a block for each of its pieces, side
                                by side on streams */
    TULLE_BATCH_TASKS = 2,    /**< the paper's own kernels: a launch of one block of 1024 threads,
                                of 512 that factorise, for each task, side by side on streams; two
                                fit on a multiprocessor. For the paper's tasks alone
                                (tulle_batch_run) */
    TULLE_BATCH_SHARED = 3,   /**< one queue for the GPU and the CPU's threads, which take whole
                                tasks from its end: those whose arrays both reach
                                (tulle_batch_run) */
    TULLE_BATCH_SHUFFLES = 4, /**< TULLE_BATCH_TASKS with the paper's other kernel for axpy, X in
                                registers; in f64 with b = 16 one fits on a multiprocessor */
    TULLE_BATCH_GRID = 5      /**< TULLE_BATCH_TASKS without streams: tasks of one kernel that stand
                                one after the other share a launch, a block of threads each */
} tulle_batch_way;

/** The operands of a task, for tulle_batch_replace. */
typedef enum tulle_batch_operand {
    TULLE_BATCH_X = 0, /**< X, or B of solutions */
    TULLE_BATCH_A = 1, /**< axpy's A, dot's Z */
    TULLE_BATCH_Y = 2  /**< the result: Y, R of dots and norms, or X of solutions */
} tulle_batch_operand;

/**
 * New operands of a task from the next run on, for tulle_batch_replace_several. An operand whose
 * pointer is NULL stays as it was.
 */
typedef struct tulle_batch_replacement {
    int task;                /**< number of the task */
    const tulle_vec *X;      /**< new operand TULLE_BATCH_X */
    const tulle_vec *A;      /**< new operand TULLE_BATCH_A */
    tulle_vec *Y;            /**< new operand TULLE_BATCH_Y */
    const tulle_mat *matrix; /**< new matrix of a product, a factorisation or a triangular system */
    tulle_factor *F;         /**< new factors of a factorisation or a solution */
    const double *alpha;     /**< new alpha, in host memory; read by the call */
    const double *beta;      /**< new beta, in host memory; read by the call */
} tulle_batch_replacement;

/** The result of a task's last run. */
typedef struct tulle_batch_report {
    tulle_status status; /**< TULLE_OK; or TULLE_ZERO_PIVOT where a pivot of the task's factors
                              is zero, Inf or NaN: the numbers of a factorisation, or of a
                              solution with such factors, are then of no use */
    int64_t row; /**< row of A, from 0, of the first such pivot in the order of the factors; -1:
                      there is none */
} tulle_batch_report;

TULLE_BEGIN

/** A batch without tasks. Does not synchronise. Errors: TULLE_OUT_OF_MEMORY. */
TULLE_API tulle_status tulle_batch_create(tulle_ctx *ctx, tulle_batch **batch);

/** Gives up a batch, and its references to matrices and factors; NULL is fine. Synchronises. */
TULLE_API void tulle_batch_destroy(tulle_batch *batch);

/**
 * Records Y := alpha X A + beta Y: X n x k1, A k1 x k2, Y n x k2, k1 and k2 from 1 to 32. With beta
 * == 0, Y is not read.
 *
 * The batch keeps a reference to each matrix and each factor of its tasks, of all kinds, until it
 * is replaced or the batch is destroyed: the caller may destroy them after recording. Vectors, and
 * arrays that a matrix borrows, belong to the caller. They must outlive the batch's last run, or
 * the replacement of the vector, which still reads its shape.
 *
 * task: number of the task, from 0 on, in the order of recording; may be NULL. Error of the result:
 * as tulle_vec_combine, whose bits it has on a CPU. Does not synchronise. Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_SHAPE_MISMATCH, TULLE_SPACE_MISMATCH, TULLE_TYPE_MISMATCH,
 * TULLE_ALIASED, TULLE_OUT_OF_MEMORY. Source: DAXPY of I. Afanasyev and others, "Accelerating
 * industrial applications: the development of basic GPU kernels for the new block AMG algorithms"
 * (2015).
 */
TULLE_API tulle_status tulle_batch_axpy(tulle_batch *batch, double alpha, const tulle_vec *X,
                                        const tulle_vec *A, double beta, tulle_vec *Y, int *task);

/**
 * Records R := alpha X^T Z + beta R: X n x k1, Z n x k2, possibly the same, R k1 x k2, k1 and k2
 * from 1 to 32. Error of the result: as tulle_vec_inner, whose bits it has on a CPU.
 * Otherwise as tulle_batch_axpy.
 * Source: DOT of the same paper.
 */
TULLE_API tulle_status tulle_batch_dot(tulle_batch *batch, double alpha, const tulle_vec *X,
                                       const tulle_vec *Z, double beta, tulle_vec *R, int *task);

/**
 * Records Y := alpha op(A) X + beta Y: op(A) m x n, A in CSR or BSR, values of X's type, X n x k,
 * Y m x k, any k from 1 on. On a GPU, with TULLE_T, each number of Y is a sum over a column of A,
 * which no other thread adds to. There, and on a CPU for BSR, the first run then lists A's (block)
 * columns, which stay with its pattern. On a CPU, Y is bit for bit the Y that tulle_spmm computes
 * with the kernel that the rule picks, or tulle_spmv where X and Y are single columns without gaps;
 * a plan of A and a forced kernel do not count. Error of the result: as tulle_spmm. Otherwise as
 * tulle_batch_axpy, and TULLE_UNSUPPORTED for other formats. Source: MVM and MVMT of the same
 * paper.
 */
TULLE_API tulle_status tulle_batch_spmm(tulle_batch *batch, tulle_trans op, double alpha,
                                        const tulle_mat *A, const tulle_vec *X, double beta,
                                        tulle_vec *Y, int *task);

/**
 * Records Y := alpha X, n x k both, any k from 1 on, possibly the same. Bit for bit as
 * tulle_vec_scale. Otherwise as tulle_batch_axpy.
 */
TULLE_API tulle_status tulle_batch_scale(tulle_batch *batch, double alpha, const tulle_vec *X,
                                         tulle_vec *Y, int *task);

/** Records Y := X, n x k both, any k from 1 on, X and Y of any types, as tulle_vec_copy has it, bit
 * for bit. Otherwise as tulle_batch_axpy. */
TULLE_API tulle_status tulle_batch_copy(tulle_batch *batch, const tulle_vec *X, tulle_vec *Y,
                                        int *task);

/**
 * Records R := the 2-norms of X's columns: X n x k, R 1 x k, any k from 1 on. Bit for bit as
 * tulle_vec_norm2, with its bound. Otherwise as tulle_batch_axpy.
 */
TULLE_API tulle_status tulle_batch_norm2(tulle_batch *batch, const tulle_vec *X, tulle_vec *R,
                                         int *task);

/** Records R := the maximum norms of X's columns, as tulle_vec_norm_max has them. Otherwise as
 * tulle_batch_norm2. */
TULLE_API tulle_status tulle_batch_norm_max(tulle_batch *batch, const tulle_vec *X, tulle_vec *R,
                                            int *task);

/**
 * Records F's values anew from A's, as tulle_factor_update: A has the pattern and type that F was
 * made from, and F is L U or L L^T. One block of threads goes level by level through the rows
 * of the factors' pattern; tasks that use F need an order. Error of the result: as
 * tulle_factor_create. On a CPU bit for bit as tulle_factor_update. Bad pivots are in the
 * task's report (tulle_batch_reports), and in tulle_factor_status. Otherwise as tulle_batch_axpy.
 * Source: LU of the same paper.
 */
TULLE_API tulle_status tulle_batch_factor(tulle_batch *batch, tulle_factor *F, const tulle_mat *A,
                                          int *task);

/**
 * Records X := alpha op(M)^-1 B, M the matrix that F is the factors of, as tulle_factor_solve: B
 * and X n x k, any k, possibly the same; factors in f32 serve B and X in f64, too. One block of
 * threads goes level by level. Several tasks may solve with one F side by side. Where F has bad
 * pivots the report says so. Bit for bit as tulle_factor_solve, on a GPU with the kernel
 * trisolve_levels. Otherwise as tulle_batch_axpy. Source: SLE of the same paper.
 */
TULLE_API tulle_status tulle_batch_solve(tulle_batch *batch, tulle_trans op, double alpha,
                                         tulle_factor *F, const tulle_vec *B, tulle_vec *X,
                                         int *task);

/** Records X := alpha op(L)^-1 B (part TULLE_LOWER) or X := alpha op(U)^-1 B (TULLE_UPPER), as
 * tulle_factor_solve_part. Otherwise as tulle_batch_solve. */
TULLE_API tulle_status tulle_batch_solve_part(tulle_batch *batch, tulle_part part, tulle_trans op,
                                              double alpha, tulle_factor *F, const tulle_vec *B,
                                              tulle_vec *X, int *task);

/**
 * Records X := alpha op(T)^-1 B, T the given triangle of A (n x n, CSR or BSR), as tulle_trisolve:
 * B and X n x k, any k, possibly the same; A in f32 serves B and X in f64, too. The analysis of A's
 * pattern (tulle_trisolve_analyse) is done now, unless it is there, and then this synchronises. One
 * block of threads goes level by level. Bit for bit as tulle_trisolve, on a GPU with the kernel
 * trisolve_levels. A diagonal entry that is 0 divides, and the report says TULLE_OK. Otherwise as
 * tulle_batch_axpy, and TULLE_UNSUPPORTED (A's format; a diagonal entry is missing or repeated, the
 * record names the row) and TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_batch_trisolve(tulle_batch *batch, tulle_part part, tulle_diag diag,
                                            tulle_trans op, double alpha, const tulle_mat *A,
                                            const tulle_vec *B, tulle_vec *X, int *task);

/**
 * Sets the largest number of streams that TULLE_BATCH_STREAMS, TULLE_BATCH_TASKS and
 * TULLE_BATCH_SHUFFLES use from the next run on: 1 to 64; 32 if it is never called, the number that
 * a device runs beside each other. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT.
 */
TULLE_API tulle_status tulle_batch_set_streams(tulle_batch *batch, int streams);

/** Task number `task` starts when `earlier`, which was recorded before it, has ended. Does not
 * synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_OUT_OF_MEMORY. */
TULLE_API tulle_status tulle_batch_after(tulle_batch *batch, int task, int earlier);

/**
 * Gives the task another operand from the next run on, of the same shape and layout, and of any
 * type that the task takes beside its other operands: so of a copy any. Where a run is in a CUDA
 * graph, the graph goes on to use the operand that it was captured with: the caller keeps the
 * vector, the matrix or the factors until the graph's last launch. The batch keeps the graph's
 * description of all tasks until the batch is destroyed, some hundred bytes a task for each time
 * that tasks were recorded or replaced after a capture.
 *
 * The next run copies the task, or those between the first and the last that are new; it works the
 * whole batch out anew, as after recording, if the last run was captured, or the new operand lies
 * so that another kernel is to take the task. Does not synchronise. Errors: as when it was
 * recorded, and those of tulle_batch_run that only the new operand meets where the batch has run
 * already, as, on a CPU, a forced kernel that does not take it (a GPU's batches have none). Then
 * the batch keeps the old one.
 */
TULLE_API tulle_status tulle_batch_replace(tulle_batch *batch, int task,
                                           tulle_batch_operand operand, tulle_vec *X);

/**
 * tulle_batch_replace for the matrix of a product, a factorisation or a triangular system: A has
 * the pattern of the one that it replaces (tulle_mat_with_values). Synchronises if the replaced
 * matrix is another context's, and where the batch was its last owner and tulle_mat_destroy would
 * synchronise.
 */
TULLE_API tulle_status tulle_batch_replace_matrix(tulle_batch *batch, int task, const tulle_mat *A);

/**
 * Replaces several operands, of one task or of many, matrices, factors and scalars at once: all of
 * them, or, where it fails, none. Operands must fit together only after all replacements: so x and
 * y can change places everywhere.
 *
 *     tulle_batch_replacement turn[] = {{.task = product, .X = y, .Y = x},
 *                                       {.task = norm, .X = x},
 *                                       {.task = update, .alpha = &step}};
 *     tulle_batch_replace_several(batch, 3, turn);
 *
 * An operand has the shape and the layout of the one that it replaces, a matrix its pattern, F its
 * analysis (tulle_factor_create_like); replaced vectors still exist. Of two replacements of the
 * same the later counts. Otherwise as tulle_batch_replace, in all ways of running, but synchronises
 * where tulle_batch_replace_matrix would, for replaced factors as for matrices. The message of an
 * error names the task. Errors: TULLE_INVALID_ARGUMENT (count, task; a task has no such operand or
 * scalar; another pattern or analysis), and as when the tasks were recorded.
 */
TULLE_API tulle_status tulle_batch_replace_several(tulle_batch *batch, int count,
                                                   const tulle_batch_replacement *replacements);

/**
 * Runs all tasks, each once. ctx is the one that the batch was made in.
 *
 * Every number of a result is the same sum in the same order, whatever runs beside it:
 * deterministic for each way and place, but for TULLE_BATCH_SHARED. The first run after recording,
 * and after replacing, copies the device's description of tasks, some hundred bytes each; the
 * runs between can be captured in a CUDA graph, which must not be launched after the batch is
 * destroyed. Does not synchronise, but for that copy.
 *
 * TULLE_BATCH_TASKS, TULLE_BATCH_SHUFFLES and TULLE_BATCH_GRID run kernels that stand as the paper
 * has them, for comparison, on a GPU and for the paper's own tasks alone: axpy and dot with k1 = k2
 * = b; spmm of a matrix in BSR with blocks of b rows, or its transpose, and b vectors; factor of F
 * = L U with blocks of b rows that keeps inverted diagonal blocks (tulle_factor_options) and is not
 * modified; solve and solve_part with such an F of the vectors' type, not transposed, and b
 * vectors; b is 4, 8 or 16. A batch with any other task is TULLE_UNSUPPORTED there, before any of
 * it runs, and the record names the task and what it lacks. The first such run of a batch prepares
 * it anew, as after recording. Results have the error bounds of the plain operations, with sums in
 * another order; bits are the same from run to run, but not those of the other ways or of plain
 * calls. A dot in f64 adds up n b^2 / 1024 + 1024 / b^2 numbers one after the other, so that where
 * these are more than 700 its error is gamma of them instead. Where tulle was built with
 * -DTULLE_PUBLISHED=OFF these three ways are TULLE_UNSUPPORTED, on a CPU, too.
 *
 * TULLE_BATCH_SHARED lets threads of the CPU, as many as OpenMP has by default, take axpy, dot and
 * spmm tasks, none of which waits for another, whose arrays all lie in
 * page-locked host memory that the device has at the same address (cudaMallocHost, or
 * cudaHostRegister): X, A and Y by tulle_vec_wrap, matrices whose arrays are
 * borrowed (of a transpose, and of blocks with padding, the library has arrays of its own, which
 * are the device's: such tasks, those on factors, and all in managed or device memory stay with the
 * GPU). The first run after recording is the GPU's alone, and timed. After it a thread takes a task
 * only where it would be done before the GPU has done all tasks that are left, by the times of both
 * so far; after two runs that took longer so than the GPU alone, the next 32 are the GPU's; where
 * that gains less than 2 %, or the run takes less than 0.2 ms, and always where no task fits, or
 * some wait for others, or the context is repeatable, it is TULLE_BATCH_GROUPED. It synchronises:
 * earlier work of the context has ended before a thread begins, and threads have ended when it
 * returns; the GPU may still run. It cannot be captured. The tasks that threads take differ from
 * run to run, and so do roundings.
 *
 * Runs of a batch, and graphs that captured one, share its memory: one ends before the next begins,
 * on whatever streams they are.
 *
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT,
 * TULLE_UNSUPPORTED (see above). Source: the tasks and kernels of the paper above, sections 2 and 3
 * (TULLE_BATCH_TASKS, TULLE_BATCH_SHUFFLES, TULLE_BATCH_GRID); the other ways are ours.
 */
TULLE_API tulle_status tulle_batch_run(tulle_ctx *ctx, tulle_batch *batch, tulle_batch_way way);

/**
 * Number of tasks that threads of the CPU took from the GPU in the last run, which is 0 unless that
 * was TULLE_BATCH_SHARED. NULL: 0.
 */
TULLE_API int tulle_batch_by_cpu(const tulle_batch *batch);

/**
 * Gives the reports of all tasks of the last run, one each, by their numbers, in host memory that
 * is the batch's until the next task is recorded or replaced; NULL where there are no tasks. They
 * are copied there in stream order: they can be read when the context's work is done
 * (tulle_ctx_synchronize).
 *
 * A task that fails leaves the others alone. Does not synchronise, but for the first call after
 * recording; calls after it can be captured. Errors: TULLE_INVALID_ARGUMENT (it has not run since
 * then), TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_batch_reports(tulle_ctx *ctx, tulle_batch *batch,
                                           const tulle_batch_report **reports);

TULLE_END
#endif
