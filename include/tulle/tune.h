/* SPDX-License-Identifier: Apache-2.0 */
/** @file
 * Products that get faster while a solver runs: a tuner times the calls that it is given and moves
 * on to better kernels and parameters.
 */
#ifndef TULLE_TUNE_H
#define TULLE_TUNE_H

#include <stdbool.h>
#include <stddef.h>

#include "context.h"
#include "export.h"
#include "matrix.h"
#include "status.h"
#include "types.h"
#include "vec.h"

/**
 * A tuner: measurements of products, by structure. It belongs to whoever tunes, never to a matrix,
 * and to one context, with which it is used by one thread at a time.
 */
typedef struct tulle_tuner tulle_tuner;

/** Kinds of search of a tuner. */
typedef enum tulle_tuner_mode {
    TULLE_TUNE_ONLINE = 0,    /**< few trials, none of them bad */
    TULLE_TUNE_EXHAUSTIVE = 1 /**< everything, however slow: the yardstick */
} tulle_tuner_mode;

/** Settings of a tuner; zero-initialise for the defaults. */
typedef struct tulle_tuner_options {
    tulle_tuner_mode mode; /**< kind of search */
    const char *cache;     /**< path of the file of results; NULL: tulle/tuning.txt in
                                $XDG_CACHE_HOME, or in ~/.cache; "": none */
    int max_calls;         /**< largest number of calls that are measured for one structure, 1 to
                                1000, for TULLE_TUNE_ONLINE; 0: 15 */
    const char *spec;      /**< the one kernel that it chooses parameters for, and values of these,
                                "NAME:param=V|V,..."; a parameter that is not named has all of its
                                values. It starts at the rule's choice where that is of the kernel,
                                else at what the kernel itself picks, tries whatever models say, and
                                uses no cache. NULL: all kernels, and the rule's choice stays
                                where a GPU is through with it in 20 us */
} tulle_tuner_options;

/** Room for a specification, "NAME:param=value,...". */
enum { TULLE_SPEC_TEXT = 160 };

/** State of a tuner's search for a product. */
typedef struct tulle_tuner_info {
    char start[TULLE_SPEC_TEXT]; /**< specification that the rule chose, where the search began */
    char best[TULLE_SPEC_TEXT];  /**< specification that calls run on between trials, and in the
                                      end */
    double start_ms;             /**< least time of `start` in milliseconds; 0: not measured */
    double best_ms;              /**< least time of `best` in milliseconds; 0: not measured */
    int steps;                   /**< number of steps of tulle_tuner_path */
    bool settled;                /**< true when the search is over: nothing is timed any more */
    bool from_cache;             /**< true when settled by the cache, without a search */
} tulle_tuner_info;

/** A step of a search; see tulle_tuner_path. */
typedef struct tulle_tuner_step {
    char spec[TULLE_SPEC_TEXT]; /**< specification that ran */
    double ms;                  /**< its time in milliseconds; exhaustive: the least of its times */
    bool counts;                /**< true: the time counts; false: it was taken while code and
                                     caches were cold */
    bool best;                  /**< true when this is the best so far, from this step on */
} tulle_tuner_step;

/** The cache file of a tuner. */
typedef struct tulle_tuner_cache_info {
    const char *path;  /**< path of the file, "": none; lives as long as the tuner */
    int entries;       /**< number of results that the file had when the tuner was made */
    int ignored_lines; /**< number of lines of the file that are no results, and are dropped when
                            it is next written */
} tulle_tuner_cache_info;

TULLE_BEGIN

/** tulle_tuner_create with the size of its options in bytes: bindings for other languages call it.
 */
TULLE_API tulle_status tulle_tuner_create_sized(tulle_ctx *ctx, const tulle_tuner_options *options,
                                                size_t options_size, tulle_tuner **tuner);

/**
 * A tuner for products in a context.
 *
 * @param options NULL for the defaults; copied.
 *
 * The cache: a text file with a line for each device, version of tulle, number of threads, product
 * and structure, read here and written by tulle_tuner_save; numbers in it have a point in every
 * locale. A file that cannot be read is none. The default one has also which vectors are faster on
 * a processor (spmv.h): a line for each type and for short and long rows, with the processor's
 * vendor, family, model and stepping.
 *
 * Does not synchronise. Errors: TULLE_INVALID_ARGUMENT, TULLE_NOT_FOUND and TULLE_UNSUPPORTED
 * (options.spec names no kernel of tulle_spmv that runs without a plan), TULLE_PARSE_ERROR (the
 * file is something else than a cache; it stays as it is), TULLE_OUT_OF_MEMORY.
 */
TULLE_HOST_INLINE tulle_status tulle_tuner_create(tulle_ctx *ctx,
                                                  const tulle_tuner_options *options,
                                                  tulle_tuner **tuner) {
    return tulle_tuner_create_sized(ctx, options, sizeof(tulle_tuner_options), tuner);
}

/**
 * Gives up a tuner; NULL is fine. Saves first what is not saved yet, where that succeeds. The tuner
 * goes with its last owner: operators made from it keep it.
 */
TULLE_API void tulle_tuner_destroy(tulle_tuner *tuner);

/**
 * y := alpha op(A) x + beta y, as tulle_spmv, by the kernel and parameters that were fastest so
 * far, or that are worth a try.
 *
 * The search: after Reguly and Giles, "Efficient sparse matrix-vector multiplication on cache-based
 * GPUs" (InPar 2012; slides, "Dynamic run-time tuning"). It starts at the rule's choice. A call
 * runs one candidate between two marks in the stream, which a later call reads once they are
 * passed; until then calls run on the best so far. Kernels whose model says more than 1.5 times the
 * rule's choice are not tried; a direction that measured worse is not followed. At the end the
 * rule's choice and the best run in turns, and the best stays only if it wins these, too. After
 * options.max_calls measured calls at the latest the search is over, and a call costs as much as
 * tulle_spmv.
 *
 * Products of the same op whose matrices have the same shape, format, types and row statistics
 * share what was measured: new values, matrices that share a pattern, or the same mesh assembled
 * anew.
 *
 * It is exactly tulle_spmv, and measures nothing, under the repeatable setting, where a kernel is
 * forced, and where the pattern has a plan for the product.
 *
 * Shapes, error bound and aliasing: as tulle_spmv, at every call. Does not synchronise. Allocates
 * in the first call for a structure (host memory, marks, workspace). Deterministic: no; calls may
 * run different kernels, whose roundings differ. May be captured in a CUDA graph once
 * tulle_tuner_describe says settled, and is then as tulle_spmv in this, too.
 *
 * Errors: as tulle_spmv.
 */
TULLE_API tulle_status tulle_tuner_spmv(tulle_tuner *tuner, tulle_trans op, tulle_scalar alpha,
                                        const tulle_mat *A, const tulle_vec *x, tulle_scalar beta,
                                        tulle_vec *y);

/**
 * Describes the state of a product's search. Does not synchronise: call tulle_ctx_synchronize first
 * to have the last call in it. Errors: TULLE_INVALID_ARGUMENT, TULLE_SPACE_MISMATCH,
 * TULLE_NOT_FOUND (nothing of this product was tuned), TULLE_DEVICE_FAULT.
 */
TULLE_API tulle_status tulle_tuner_describe(tulle_tuner *tuner, tulle_trans op, const tulle_mat *A,
                                            tulle_tuner_info *info);

/**
 * Step @a i of the search. Online: the measured calls, in order. Exhaustive: the points, in order,
 * each once.
 * Errors: as tulle_tuner_describe; TULLE_NOT_FOUND also where there is no step @a i.
 */
TULLE_API tulle_status tulle_tuner_path(tulle_tuner *tuner, tulle_trans op, const tulle_mat *A,
                                        int i, tulle_tuner_step *step);

/**
 * Adds the results of searches that have settled to the cache file, and keeps what other processes
 * have written to it meanwhile. The file is replaced as a whole, under a lock, so that no reader
 * sees half of it. Does nothing where no result is new, or the tuner has no cache file. Errors:
 * TULLE_INVALID_ARGUMENT, TULLE_IO_ERROR (the file, or its lock beside it, cannot be written),
 * TULLE_PARSE_ERROR (by now the file is something else than a cache; it stays as it is),
 * TULLE_OUT_OF_MEMORY.
 */
TULLE_API tulle_status tulle_tuner_save(tulle_tuner *tuner);

/** Describes the cache file, and how much of it can be used. Errors: TULLE_INVALID_ARGUMENT. */
TULLE_API tulle_status tulle_tuner_cache(const tulle_tuner *tuner, tulle_tuner_cache_info *info);

TULLE_END
#endif
