/* SPDX-License-Identifier: Apache-2.0 */
/* The transpose of a pattern that is its own transpose: values change places with their mirror
 * images. */
#ifndef INDEX

#include <stdatomic.h>

#include "core/access.h"
#include "core/search.h"
#include "core/threads/sizes.h"
#include "matrix/functions.h"

/* Number of rows that a thread takes at a time. */
enum { BLOCK = 1024 };

static void put(const tulle__turning *job, int64_t e, int64_t mirrored) {
    if (job->out_values) {
        tulle__move_value(job->type, job->out_values, e, job->values, mirrored);
    }
    if (job->perm) job->perm[e] = mirrored;
}

#define TULLE__SELF "matrix/mirror.c"
#include "matrix/each_index.h"

tulle_status tulle__cpu_mirror_csr(const tulle__place *place, const tulle__turning *job,
                                   bool *host_mirrored) {
    const tulle__pattern_view *csr = job->csr;
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, csr->rows + csr->nnz);
    switch (csr->index) {
        case TULLE_I32:
            *host_mirrored = mirror_i32(threads, job);
            break;
        case TULLE_I64_I32:
            *host_mirrored = mirror_i64_i32(threads, job);
            break;
        case TULLE_I64:
            *host_mirrored = mirror_i64(threads, job);
            break;
    }
    return TULLE_OK;
}

#else

/* Finds the place of entry (i, row), or -1. It is looked for first where it would be if the k-th
 * entry of a row were the k-th from the end in its mirror image, as in a stencil. */
static int64_t NAME(find)(const tulle__pattern_view *csr, int64_t i, int64_t row, int64_t k) {
    const OFFSET *offsets = csr->offsets;
    const INDEX *columns = csr->cols_of;
    const int64_t last = offsets[i + 1];
    int64_t at = offsets[i];
    if (k < last - at && columns[last - 1 - k] == row) return last - 1 - k;
    TULLE__LOWER_BOUND(at, last, q, columns[q] < row);
    return at < last && columns[at] == row ? at : -1;
}

/* Moves the row's entries; returns true when every entry has a mirror image. */
static bool NAME(mirror_row)(const tulle__turning *job, int64_t row) {
    const OFFSET *offsets = job->csr->offsets;
    const INDEX *columns = job->csr->cols_of;
    const int64_t begin = offsets[row], end = offsets[row + 1];
    for (int64_t e = begin; e < end; e++) {
        const int64_t at = NAME(find)(job->csr, columns[e], row, e - begin);
        if (at < 0) return false;
        put(job, e, at);
    }
    return true;
}

static bool NAME(mirror)(int threads, const tulle__turning *job) {
    const int64_t rows = job->csr->rows;
    atomic_bool missing = false;
#pragma omp parallel for num_threads(threads) schedule(dynamic, BLOCK)
    for (int64_t row = 0; row < rows; row++) {
        if (atomic_load_explicit(&missing, memory_order_relaxed)) continue;
        if (!NAME(mirror_row)(job, row)) {
            atomic_store_explicit(&missing, true, memory_order_relaxed);
        }
    }
    return !missing;
}

#endif
