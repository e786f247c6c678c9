/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices in patches times x, on the CPU: a thread has a patch, and the numbers of its
 * nodes in the cache. */
#ifndef REAL

#include <omp.h>

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

#define TULLE__SELF "fem/cpu/local_patch.c"
#define REAL float
#define STORED float
#define NAME(function) function##_f32
#include TULLE__SELF
#undef REAL
#undef STORED
#undef NAME
#define REAL double
#define STORED double
#define NAME(function) function##_f64
#include TULLE__SELF
#undef STORED
#undef NAME
#define STORED float
#define NAME(function) function##_narrow
#include TULLE__SELF
#undef REAL
#undef STORED
#undef NAME

tulle_status tulle__cpu_pack_patched(const tulle__place *place, const tulle__pack_job *job) {
    const int threads = tulle__threads_for(place, TULLE__WORK_MATRICES, job->block.count);
#pragma omp parallel for num_threads(threads)
    for (int64_t k = 0; k < job->block.count; k++) {
        for (int i = 0; i < job->block.rows; i++) {
            for (int j = 0; j < job->block.rows; j++) tulle__pack_number(job, k, i, j);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_apply_local_patches(const tulle__place *place,
                                            const tulle__local_patches_job *job) {
    if (job->type == TULLE_F32) {
        apply_f32(place, job);
    } else if (job->stored == TULLE_F64) {
        apply_f64(place, job);
    } else {
        apply_narrow(place, job);
    }
    return TULLE_OK;
}

#else

#include "fem/cpu/patch.h"

/* Elements have at most 8 rows where they are in patches. */
enum { NAME(MOST_ROWS) = 8 };

static void NAME(add_element)(const tulle__local_patches_job *job, int64_t e, REAL *room) {
    const int rows = job->patches.each;
    const int64_t cells = tulle__local_cells(rows, job->packed);
    const uint16_t *at = job->patches.places + e * job->patches.width;
    const STORED *own = (const STORED *)job->numbers + tulle__local_number_at(cells, e, 0);
    REAL u[NAME(MOST_ROWS)], y[NAME(MOST_ROWS)] = {0};
    for (int i = 0; i < rows; i++) u[i] = room[at[i]];
    for (int i = 0; i < rows; i++) {
        for (int j = job->packed ? i : 0; j < rows; j++) {
            const int64_t cell = tulle__local_cell(rows, job->packed, i, j);
            const REAL number = (REAL)own[cell * TULLE__LOCAL_LANES];
            if (job->vectors.diagonal) {
                y[i] += i == j ? number : 0;
                continue;
            }
            const bool flip = job->transposed && !job->packed;
            y[flip ? j : i] += number * u[flip ? i : j];
            if (job->packed && i != j) y[j] += number * u[i];
        }
    }
    for (int i = 0; i < rows; i++) room[at[i] + TULLE__PATCH_SUM] += y[i];
}

static void NAME(apply)(const tulle__place *place, const tulle__local_patches_job *job) {
    const REAL alpha = tulle__scalar_value(REAL, job->vectors.alpha);
    const REAL beta = tulle__scalar_value(REAL, job->vectors.beta);
    const int64_t count = job->patches.count;
    const int64_t numbers = tulle__patch_room(job->patches.more, job->patches.most);
    const int all = tulle__threads_for(place, TULLE__WORK_MATRICES, job->patches.elements);
    const int threads = count < all ? (int)count : all;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < count; p++) {
        const tulle__patch *patch = &job->patches.patch[p];
        REAL *room = (REAL *)job->room + omp_get_thread_num() * numbers;
        NAME(gather)(&job->patches, &job->vectors, patch, room);
        for (int64_t e = patch->element; e < patch->element + patch->elements; e++) {
            NAME(add_element)(job, e, room);
        }
        NAME(scatter)(&job->patches, &job->vectors, patch, room, alpha, beta);
    }
}

#endif
