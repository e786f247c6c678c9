/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * A matrix is an immutable, reference-counted pattern and its values. Several matrices may share a
 * pattern; data derived from the pattern (plans) belongs to it and survives new values.
 */
#ifndef TULLE_MATRIX_H
#define TULLE_MATRIX_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "context.h"
#include "export.h"
#include "formats.h"
#include "status.h"
#include "types.h"

/** A matrix; see the head of this file. */
typedef struct tulle_mat tulle_mat;

/** Options of a new matrix: how its arrays are handed over; zero-initialise for the defaults. */
typedef struct tulle_mat_options {
    int base;                  /**< base of the indices and offsets given: 0 or 1 */
    tulle_ownership ownership; /**< ownership of all arrays; base 1 allows TULLE_COPY alone;
                                    arrays that are used in place are aligned to their elements
                                    (codes: 4 bytes) */
    tulle_release_fn release;  /**< callback for TULLE_TAKE, called once for each array */
    void *user;                /**< handed to release */
    bool pattern;              /**< true: values is NULL, and every entry is 1; one that is
                                    stored k times counts as k. For COO, CSR and CSC. The
                                    matrix then owns an array of values in the context's memory,
                                    even if the other arrays are borrowed or taken */
} tulle_mat_options;

/** Shape, types and statistics of a matrix. Lengths count stored entries. */
typedef struct tulle_mat_info {
    int64_t rows;              /**< number of rows */
    int64_t cols;              /**< number of columns */
    int64_t nnz;               /**< number of stored entries */
    tulle_format format;       /**< storage format */
    tulle_type type;           /**< type of the values */
    tulle_index index;         /**< type of the offsets and indices */
    tulle_backend backend;     /**< kind of place where the matrix lives */
    int64_t pattern_bytes;     /**< bytes of offsets, indices and all other arrays but values;
                                    without the few bytes by which a GPU cuts CSR into equal
                                    pieces */
    int64_t value_bytes;       /**< bytes of the values, padding included */
    int64_t plan_bytes;        /**< bytes of all plans, and of the copies in other forms that
                                    they run on */
    bool sorted;               /**< true when columns never fall in a row; COO: when rows do not
                                    either */
    int64_t min_row;           /**< entries of the shortest row; 0 without rows */
    int64_t max_row;           /**< entries of the longest row; 0 without rows */
    int64_t empty_rows;        /**< number of rows without entries */
    double mean_row;           /**< mean of the row lengths */
    double sd_row;             /**< standard deviation of the row lengths */
    int64_t bandwidth;         /**< largest |column - row| of an entry */
    int64_t row_histogram[33]; /**< number of rows by length: [0]: empty rows; [b]: rows of
                                    2^(b-1) to 2^b - 1 entries */
    tulle_storage storage;     /**< numbers of the format's layout */
} tulle_mat_info;

/** Flags of tulle_mat_convert. */
enum {
    TULLE_SUM_DUPLICATES = 1 /**< entries of the same row and column become one, their sum */
};

TULLE_BEGIN

/** tulle_mat_create_csr with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_mat_create_csr_sized(tulle_ctx *ctx, int64_t rows, int64_t cols,
                                                  int64_t nnz, tulle_index index,
                                                  const void *offsets, const void *columns,
                                                  tulle_type type, const void *values,
                                                  const tulle_mat_options *options,
                                                  size_t options_size, tulle_mat **A);

/**
 * Makes a CSR matrix from arrays in host memory or in the context's (TULLE_BORROW and TULLE_TAKE:
 * in the context's).
 *
 * Shapes: offsets rows + 1, cols and values nnz. Columns of a row may stand in any order and may
 * repeat (repeated entries add up). cols and values may be NULL when nnz is 0.
 * Synchronises: yes, once, for validation and statistics. Deterministic.
 * Errors: TULLE_INVALID_ARGUMENT (a NULL, a negative size, a bad enum or base, TULLE_TAKE without
 * release, an array used in place that is not aligned to its type, values beside options' pattern,
 * pattern for a format that it is not for), TULLE_TOO_LARGE (a size that
 * the index type cannot hold), TULLE_INVALID_MATRIX (offsets not starting at base, falling, or not
 * ending at nnz, which is found out before columns and values are read; a column out of range; the
 * error record names the row), TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT. After a failure nothing was
 * taken: arrays of TULLE_TAKE still belong to the caller.
 */
TULLE_HOST_INLINE tulle_status tulle_mat_create_csr(tulle_ctx *ctx, int64_t rows, int64_t cols,
                                                    int64_t nnz, tulle_index index,
                                                    const void *offsets, const void *columns,
                                                    tulle_type type, const void *values,
                                                    const tulle_mat_options *options,
                                                    tulle_mat **A) {
    return tulle_mat_create_csr_sized(ctx, rows, cols, nnz, index, offsets, columns, type, values,
                                      options, sizeof(tulle_mat_options), A);
}

/** tulle_mat_create_coo with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_mat_create_coo_sized(tulle_ctx *ctx, int64_t rows, int64_t cols,
                                                  int64_t nnz, tulle_index index,
                                                  const void *row_indices, const void *columns,
                                                  tulle_type type, const void *values,
                                                  const tulle_mat_options *options,
                                                  size_t options_size, tulle_mat **A);

/**
 * Makes a COO matrix; entries in any order, repeated entries add up. Row and column indices have
 * the index type's column size. Otherwise, and for errors, as tulle_mat_create_csr.
 */
TULLE_HOST_INLINE tulle_status tulle_mat_create_coo(tulle_ctx *ctx, int64_t rows, int64_t cols,
                                                    int64_t nnz, tulle_index index,
                                                    const void *row_indices, const void *columns,
                                                    tulle_type type, const void *values,
                                                    const tulle_mat_options *options,
                                                    tulle_mat **A) {
    return tulle_mat_create_coo_sized(ctx, rows, cols, nnz, index, row_indices, columns, type,
                                      values, options, sizeof(tulle_mat_options), A);
}

/** tulle_mat_create with the size of its options in bytes: bindings for other languages call it. */
TULLE_API tulle_status tulle_mat_create_sized(tulle_ctx *ctx, int64_t rows, int64_t cols,
                                              tulle_format format, const tulle_storage *storage,
                                              tulle_index index, const tulle_mat_arrays *arrays,
                                              tulle_type type, const tulle_mat_options *options,
                                              size_t options_size, tulle_mat **A);

/**
 * Makes a matrix of any format from its arrays, which formats.h describes, and its numbers.
 *
 * Shapes: as in formats.h; arrays that the format lacks are not looked at, and empty ones may be
 * NULL. @a storage must give `stored`, and width, stride, head, slice, window, coded, block, full,
 * block_cols and the sections as far as the format has them. The call counts the entries itself.
 * Base 1 (options) is for COO, CSR and CSC. Synchronises: yes, for validation and statistics.
 * Deterministic. Errors: as tulle_mat_create_csr; TULLE_INVALID_MATRIX also for an order that is no
 * permutation, an entry behind padding, a length that does not fit, diagonals or block columns that
 * do not ascend. Numbers of an array that give the length of another (the last offset; PACKED: the
 * end of the codes, by mask) are read before the other array.
 */
TULLE_HOST_INLINE tulle_status tulle_mat_create(tulle_ctx *ctx, int64_t rows, int64_t cols,
                                                tulle_format format, const tulle_storage *storage,
                                                tulle_index index, const tulle_mat_arrays *arrays,
                                                tulle_type type, const tulle_mat_options *options,
                                                tulle_mat **A) {
    return tulle_mat_create_sized(ctx, rows, cols, format, storage, index, arrays, type, options,
                                  sizeof(tulle_mat_options), A);
}

/**
 * Makes a matrix with the pattern of @a A, shared, and other values (one for each slot; in host
 * memory or in the context's; copied).
 *
 * @param count number of values: nnz, or storage.stored where the format pads
 *              (tulle_mat_counts).
 *
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT (a NULL, a bad type, another count than A's),
 * TULLE_SPACE_MISMATCH, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_with_values(tulle_ctx *ctx, const tulle_mat *A, tulle_type type,
                                             int64_t count, const void *values, tulle_mat **B);

/**
 * Gives @a A new values (one for each slot, of its type; in host memory or in the context's; copied
 * in stream order). The pattern and all plans stay.
 *
 * @param count number of values: nnz, or storage.stored where the format pads
 *              (tulle_mat_counts).
 *
 * A borrowed array of values is never written. A gets an array of its own instead, and the calls
 * that follow use that one. The borrowed array must stay until work in flight that reads it is
 * done; views (tulle_mat_view) and CUDA graphs from before still refer to it. A's own array given
 * as @a values means the same as tulle_mat_values_changed.
 *
 * Does not synchronise, unless memory for an array of A's own must come from the device. Errors:
 * TULLE_INVALID_ARGUMENT (a NULL, another count than A's), TULLE_SPACE_MISMATCH,
 * TULLE_OUT_OF_MEMORY (A is then as it was), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_set_values(tulle_ctx *ctx, tulle_mat *A, int64_t count,
                                            const void *values);

/**
 * Says that the caller has changed the numbers in the array of values that @a A borrows
 * (TULLE_BORROW): all that was made from them (plans' copies in other formats, of the transpose, in
 * f32) is made again in stream order, without new analysis.
 *
 * Due after each change and before the next product, conversion or copy, whether or not there is a
 * plan: one may have been built by tulle_mat_optimize, tulle_mat_plan or a tuner. Without the call,
 * products that run on the array itself have the new numbers and those that run on a copy the old
 * ones. The array must not change while work in flight reads it, and borrowed offsets and indices
 * must not change at all. Where the array was written by another stream than the context's, the
 * context's must wait for that first.
 *
 * Does not synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH,
 * TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_values_changed(tulle_ctx *ctx, tulle_mat *A);

/**
 * Converts to another format or index type; always a new matrix, in the same memory space, of the
 * context. To CSR: COO and CSC are sorted by row and column, entries of the same place in their
 * order. To COO: CSC is sorted likewise, and COO keeps its order. All other formats keep the order
 * of each row. To any other format by way of CSR, with the default options of
 * tulle_mat_convert_with. Flags: TULLE_SUM_DUPLICATES (the result is then sorted; DIA and BSR
 * always are). Synchronises: yes. Deterministic (bitwise, also the sums).
 * Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_TOO_LARGE (the index type cannot
 * hold the sizes, or rows + 1 offsets cannot fit in the machine; or the padding passes the limit of
 * tulle_convert_options, and the record says how much it would have been), TULLE_OUT_OF_MEMORY,
 * TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_convert(tulle_ctx *ctx, const tulle_mat *A, tulle_format format,
                                         tulle_index index, unsigned flags, tulle_mat **B);

/** tulle_mat_convert_with with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_mat_convert_with_sized(tulle_ctx *ctx, const tulle_mat *A,
                                                    tulle_format format, tulle_index index,
                                                    const tulle_convert_options *options,
                                                    size_t options_size, tulle_mat **B);

/** tulle_mat_convert with a say in the layout; NULL options: the defaults. Errors: the same. */
TULLE_HOST_INLINE tulle_status tulle_mat_convert_with(tulle_ctx *ctx, const tulle_mat *A,
                                                      tulle_format format, tulle_index index,
                                                      const tulle_convert_options *options,
                                                      tulle_mat **B) {
    return tulle_mat_convert_with_sized(ctx, A, format, index, options,
                                        sizeof(tulle_convert_options), B);
}

/**
 * B := A^T, a new CSR matrix of A's columns by A's rows, columns ascending, entries of the same
 * place in their order. Of A in BSR with blocks of r x c, B is in BSR with blocks of c x r. B is in
 * DCSR instead if A is in COO, CSR or DCSR and B has so many rows and
 * so few entries that tulle_mat_load would read it as DCSR. In A's own context B may share A's
 * pattern, with its plans, if that pattern is its own transpose and not borrowed. Beside B the call
 * holds the scratch of its way: on a GPU most where entries are sorted by column, less where the
 * context's memory is capped. Ownership: *B is the caller's (tulle_mat_destroy). Synchronises: yes.
 * Deterministic: bitwise, as values are only moved. Source: mirror images, a sort of columns or
 * buckets (src/matrix/turn.c). Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH,
 * TULLE_TOO_LARGE (the index type cannot hold the sizes, or columns + 1 offsets cannot fit in the
 * machine), TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_transpose(tulle_ctx *ctx, const tulle_mat *A, tulle_mat **B);

/**
 * A copy in the memory space of @a ctx, with the value type @a type (f64 to f32 rounds to nearest).
 * In A's own context the copy shares A's pattern, with its plans, unless that is borrowed.
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_OUT_OF_MEMORY, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_copy(tulle_ctx *ctx, const tulle_mat *A, tulle_type type,
                                      tulle_mat **B);

/** Adds an owner of @a A, who must destroy it too; returns A. NULL is fine. */
TULLE_API tulle_mat *tulle_mat_retain(tulle_mat *A);

/**
 * Gives up a matrix; NULL is fine. Its memory goes with its last owner. Work of other contexts than
 * the matrix's own that uses it must be done (tulle_ctx_synchronize). The last owner's call
 * synchronises with the matrix's own context if arrays were taken (TULLE_TAKE), if an array of A's
 * own has replaced borrowed values (tulle_mat_set_values), or if memory of another context goes:
 * that of the pattern, or of plans and copies which that context made.
 */
TULLE_API void tulle_mat_destroy(tulle_mat *A);

/** Tells shape, types and statistics of A. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_mat_describe(const tulle_mat *A, tulle_mat_info *info);

/** Returns the rows of @a A, which must not be NULL. Neither synchronises nor fails. */
TULLE_API int64_t tulle_mat_rows(const tulle_mat *A);

/** Returns the columns of @a A, which must not be NULL. Neither synchronises nor fails. */
TULLE_API int64_t tulle_mat_cols(const tulle_mat *A);

/** Returns the entries of @a A, which must not be NULL. Neither synchronises nor fails. */
TULLE_API int64_t tulle_mat_nnz(const tulle_mat *A);

/** Returns the type of the values of @a A, not NULL. Neither synchronises nor fails. */
TULLE_API tulle_type tulle_mat_type(const tulle_mat *A);

/**
 * Returns the context that @a A was made in, which A holds for as long as A lives; A must not be
 * NULL. The caller does not own the context. Neither synchronises nor fails.
 */
TULLE_API tulle_ctx *tulle_mat_context(const tulle_mat *A);

/**
 * Gives the arrays of A, for reading only. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT.
 */
TULLE_API tulle_status tulle_mat_view(const tulle_mat *A, tulle_mat_arrays *arrays);

/**
 * Copies arrays to host memory; any of them may be NULL. Sizes: as the arrays of tulle_mat_view.
 * Synchronises: yes. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH, TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_mat_read(tulle_ctx *ctx, const tulle_mat *A, void *offsets, void *rows,
                                      void *columns, void *values);

/** Host arrays to be filled, each as large as that of tulle_mat_view; NULL: not wanted. */
typedef struct tulle_mat_buffers {
    void *offsets; /**< offsets, for which formats.h has the layout */
    void *rows;    /**< row indices, for which formats.h has the layout */
    void *cols;    /**< column indices, block columns, or diagonals */
    void *order;   /**< the row at each position */
    void *lengths; /**< entries of each row */
    void *mask;    /**< uint32_t: bits of the slots that hold an entry; for PACKED also the kinds
                        of lines */
    void *codes;   /**< uint8_t: columns of PACKED */
    void *values;  /**< one value for each slot */
} tulle_mat_buffers;

/**
 * Copies any of the arrays to host memory. How many elements each has: tulle_mat_counts.
 * Synchronises: yes. Errors: as tulle_mat_read.
 */
TULLE_API tulle_status tulle_mat_read_arrays(tulle_ctx *ctx, const tulle_mat *A,
                                             const tulle_mat_buffers *to);

/** Number of elements of each array of a matrix. */
typedef struct tulle_mat_lengths {
    int64_t offsets; /**< number of offsets, each of the offset size */
    int64_t rows;    /**< number of row indices, each of the index size */
    int64_t cols;    /**< number of column indices, each of the index size */
    int64_t order;   /**< number of rows in `order`, each of the index size */
    int64_t lengths; /**< number of row lengths, each of the index size */
    int64_t mask;    /**< number of words of the mask, 4 bytes each */
    int64_t codes;   /**< number of codes, 1 byte each */
    int64_t values;  /**< number of values, each of the value size */
} tulle_mat_lengths;

/** Fills in the lengths of all arrays. Does not synchronise. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_mat_counts(const tulle_mat *A, tulle_mat_lengths *counts);

/**
 * Returns the name of a format: "coo", "csr", "sell", ...; NULL for a number that is no format.
 * Static storage.
 */
TULLE_API const char *tulle_format_name(tulle_format format);

/** Options of tulle_mat_optimize_with; zero-initialise for the defaults. */
typedef struct tulle_optimize_options {
    int64_t expected_calls; /**< number of products that will follow; default 1000 */
    int64_t vectors;        /**< number of vectors of each product: 1 (default): tulle_spmv;
                                 more: tulle_spmm */
    tulle_layout layout;    /**< layout of X and Y, where there are several vectors */
    int64_t memory;         /**< largest number of bytes that the plan may hold; 0: no limit */
    bool f32_values; /**< true: f64 values may be kept as f32 under the f64 product: fewer bytes,
                          and bits of the values lost for good; never done unless allowed */
} tulle_optimize_options;

/** Choice of tulle_mat_optimize_with, and its reasons. */
typedef struct tulle_optimize_report {
    bool planned;        /**< true when products use a plan now */
    tulle_format format; /**< format of the matrix or copy that products run on */
    bool transposed;     /**< true when products run on a transposed copy */
    bool narrow;         /**< true when the values of that copy are in f32 */
    const char *kernel;  /**< name of the kernel; static storage; NULL where nothing serves the
                              product */
    char params[96];     /**< parameters of the kernel, "coop=8,repeat=1,block=128", or "" */
    bool measured;       /**< true: before_us and after_us are measured; false: they are by the
                              kernels' models */
    double before_us;    /**< time of a call without the plan, in microseconds; 0: unknown */
    double after_us;     /**< time of a call with the plan, in microseconds */
    double prepare_ms;   /**< measured time of the call of tulle_mat_optimize_with, in
                              milliseconds */
    int64_t plan_bytes;  /**< bytes of the plan */
    int64_t pays_after;  /**< number of calls that make up for prepare_ms; -1: nothing is gained */
    char why[512];       /**< the choice and its reason in words */
} tulle_optimize_report;

/** tulle_mat_optimize_with with the size of its options in bytes: bindings for other languages call
 * it. */
TULLE_API tulle_status tulle_mat_optimize_with_sized(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                                     const tulle_optimize_options *options,
                                                     size_t options_size,
                                                     tulle_optimize_report *report);

/**
 * Prepares products op(A) x on the context's kind of device: chooses the arrays and the kernel that
 * they run on, and builds the plan for it. The candidates are A itself, with prepared data or with
 * another kernel than the rule's, and copies of A in other formats (SELL, DIA, BSR, HYB, COO and
 * all others with a fast kernel). The candidate is chosen whose gain
 *
 *     expected_calls * (time of a call now - time of a call then) - time to prepare
 *
 * is largest; if the gain is too small, no plan is built. The plan belongs to the
 * pattern, takes its memory from @a ctx, and is found by every later call of its kind with the same
 * op and value type; new values (tulle_mat_set_values, tulle_mat_values_changed) need no new
 * analysis. A itself stays as it is. With TULLE_T on a GPU a plan is always built, because only a
 * plan makes the product repeatable; it runs on a form of the transpose, or on a format that serves
 * both ways.
 *
 * The kernels' models name the candidates. If the gain of the best one is at least twice the cost
 * of trying, it and those that the models cannot tell from it are built, and timed beside the
 * product without a plan; the fastest stays. Otherwise no plan is built. Under the repeatable
 * setting nothing is timed: a plan is built where the models promise a clear gain, and the choice
 * depends on the pattern, the device model, the version and the settings alone.
 *
 * Where there is a plan already, also one of tulle_mat_plan, it stays, and only data that another
 * matrix of the pattern lacks is made: calling it again is free.
 *
 * @param options NULL for the defaults
 * @param report  filled unless it is NULL
 *
 * Synchronises: yes. Deterministic under the repeatable setting.
 * Errors: TULLE_INVALID_ARGUMENT (a negative number in the options), TULLE_SPACE_MISMATCH,
 * TULLE_UNSUPPORTED (A is not in CSR), TULLE_OUT_OF_MEMORY, TULLE_CANCELLED, TULLE_DEVICE_FAULT.
 * After a failure A is as it was.
 */
TULLE_HOST_INLINE tulle_status tulle_mat_optimize_with(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                                       const tulle_optimize_options *options,
                                                       tulle_optimize_report *report) {
    return tulle_mat_optimize_with_sized(ctx, op, A, options, sizeof(tulle_optimize_options),
                                         report);
}

/**
 * tulle_mat_optimize_with for tulle_spmv, without a limit and a report.
 * Errors: as tulle_mat_optimize_with; TULLE_INVALID_ARGUMENT also for expected_calls below 1.
 */
TULLE_API tulle_status tulle_mat_optimize(tulle_ctx *ctx, tulle_trans op, tulle_mat *A,
                                          int64_t expected_calls);

TULLE_END
#endif
