/* SPDX-License-Identifier: Apache-2.0 */
/* Fills a multivector on the CPU; memory between its columns (or rows) and the leading dimension
 * stays as it is. */
#ifndef VALUE

#include "core/place.h"
#include "core/threads/sizes.h"
#include "dense/dense.h"
#include "dense/functions.h"
#include "dense/random.h"

/* Number of elements of a run that a thread takes at a time. */
enum { PIECE = 16384 };

/* A multivector as runs of successive numbers in memory: columns, or rows where rows are
 * contiguous. */
typedef struct runs {
    int64_t count, length, ld, pieces;
    int64_t rows;
    bool by_row;
} runs;

static runs runs_of(int64_t rows, int64_t cols, int64_t ld, tulle_layout layout) {
    int64_t length = tulle__dense_run(rows, cols, layout);
    return (runs){.count = tulle__dense_runs(rows, cols, layout),
                  .length = length,
                  .ld = ld,
                  .pieces = (length + PIECE - 1) / PIECE,
                  .rows = rows,
                  .by_row = layout == TULLE_ROW_MAJOR};
}

/* Returns the index of an element, column by column, which is the same for every layout. */
static uint64_t number_of(const runs *all, int64_t run, int64_t i) {
    return (uint64_t)(all->by_row ? run + i * all->rows : run * all->rows + i);
}

static int64_t piece_end(const runs *all, int64_t piece) {
    return all->length - piece * PIECE < PIECE ? all->length : (piece + 1) * PIECE;
}

#define TULLE__SELF "dense/dense_cpu.c"
#include "core/each_value.h"

tulle_status tulle__cpu_fill(const tulle__place *place, tulle_type type, int64_t rows, int64_t cols,
                             int64_t ld, tulle_layout layout, void *data, double value) {
    runs all = runs_of(rows, cols, ld, layout);
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, rows * cols);
    if (type == TULLE_F32) {
        fill_f32(threads, &all, data, (float)value);
    } else {
        fill_f64(threads, &all, data, value);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_random(const tulle__place *place, tulle_type type, int64_t rows,
                               int64_t cols, int64_t ld, tulle_layout layout, void *data,
                               uint64_t seed) {
    runs all = runs_of(rows, cols, ld, layout);
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, rows * cols);
    if (type == TULLE_F32) {
        random_f32(threads, &all, data, seed);
    } else {
        random_f64(threads, &all, data, seed);
    }
    return TULLE_OK;
}

#else

static void NAME(fill)(int threads, const runs *all, VALUE *data, VALUE value) {
#pragma omp parallel for collapse(2) num_threads(threads)
    for (int64_t run = 0; run < all->count; run++) {
        for (int64_t piece = 0; piece < all->pieces; piece++) {
            VALUE *to = data + run * all->ld;
            for (int64_t i = piece * PIECE; i < piece_end(all, piece); i++) to[i] = value;
        }
    }
}

static void NAME(random)(int threads, const runs *all, VALUE *data, uint64_t seed) {
#pragma omp parallel for collapse(2) num_threads(threads)
    for (int64_t run = 0; run < all->count; run++) {
        for (int64_t piece = 0; piece < all->pieces; piece++) {
            VALUE *to = data + run * all->ld;
            for (int64_t i = piece * PIECE; i < piece_end(all, piece); i++) {
                to[i] = NAME(tulle__random)(seed, number_of(all, run, i));
            }
        }
    }
}

#endif
