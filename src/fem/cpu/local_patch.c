/* SPDX-License-Identifier: Apache-2.0 */
/* Element matrices in patches times x, on the CPU: a thread has a patch, and what it needs of its
 * nodes in the cache. */
#ifndef VALUE

#include <omp.h>

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

#define TULLE__SELF "fem/cpu/local_patch.c"
#define VALUE float
#define STORED float
#define NAME(function) function##_f32
#include TULLE__SELF
#undef VALUE
#undef STORED
#undef NAME
#define VALUE double
#define STORED double
#define NAME(function) function##_f64
#include TULLE__SELF
#undef STORED
#undef NAME
#define STORED float
#define NAME(function) function##_narrow
#include TULLE__SELF
#undef VALUE
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

/* Elements have at most 8 rows where they are in patches. */
enum { NAME(MOST_ROWS) = 8 };

static void NAME(gather)(const tulle__local_patches_job *job, const tulle__patch *patch,
                         VALUE *room) {
    const uint32_t *list = job->patches.list + patch->node;
    const VALUE *x = job->vectors.x;
    for (int32_t l = 0; l < patch->nodes; l++) {
        const bool none = job->vectors.diagonal || (list[l] & TULLE__PATCH_MASKED);
        VALUE *own = room + tulle__patch_place(job->patches.more, l);
        own[0] = none ? 0 : x[(list[l] & TULLE__PATCH_NODE) * job->vectors.x_step];
        own[TULLE__PATCH_SUM] = 0;
    }
}

static void NAME(add_element)(const tulle__local_patches_job *job, int64_t e, VALUE *room) {
    const int rows = job->patches.each;
    const int64_t cells = tulle__local_cells(rows, job->packed);
    const uint16_t *at = job->patches.places + e * job->patches.width;
    const STORED *own = (const STORED *)job->numbers + tulle__local_number_at(cells, e, 0);
    VALUE u[NAME(MOST_ROWS)], y[NAME(MOST_ROWS)] = {0};
    for (int i = 0; i < rows; i++) u[i] = room[at[i]];
    for (int i = 0; i < rows; i++) {
        for (int j = job->packed ? i : 0; j < rows; j++) {
            const int64_t cell = tulle__local_cell(rows, job->packed, i, j);
            const VALUE number = (VALUE)own[cell * TULLE__LOCAL_LANES];
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

static void NAME(scatter)(const tulle__local_patches_job *job, const tulle__patch *patch,
                          const VALUE *room, VALUE alpha, VALUE beta) {
    const int more = job->patches.more;
    const uint32_t *list = job->patches.list + patch->node;
    VALUE *slots = job->vectors.slots;
    for (int32_t l = 0; l < patch->nodes; l++) {
        if (list[l] & TULLE__PATCH_SHARED) continue;
        VALUE *to = (VALUE *)job->vectors.y + list[l] * job->vectors.y_step;
        const VALUE sum = alpha * room[tulle__patch_place(more, l) + TULLE__PATCH_SUM];
        *to = beta == 0 ? sum : sum + beta * *to;
    }
    for (int64_t s = patch->slot; s < patch->slot + patch->slots; s++) {
        slots[s] = room[tulle__patch_place(more, job->patches.surface[s]) + TULLE__PATCH_SUM];
    }
}

static void NAME(apply)(const tulle__place *place, const tulle__local_patches_job *job) {
    const VALUE alpha = tulle__scalar_value(VALUE, job->vectors.alpha);
    const VALUE beta = tulle__scalar_value(VALUE, job->vectors.beta);
    const int64_t count = job->patches.count;
    const int64_t numbers = tulle__patch_room(job->patches.more, job->patches.most);
    const int all = tulle__threads_for(place, TULLE__WORK_MATRICES, job->patches.elements);
    const int threads = count < all ? (int)count : all;
#pragma omp parallel for schedule(dynamic) num_threads(threads)
    for (int64_t p = 0; p < count; p++) {
        const tulle__patch *patch = &job->patches.patch[p];
        VALUE *room = (VALUE *)job->room + omp_get_thread_num() * numbers;
        NAME(gather)(job, patch, room);
        for (int64_t e = patch->element; e < patch->element + patch->elements; e++) {
            NAME(add_element)(job, e, room);
        }
        NAME(scatter)(job, patch, room, alpha, beta);
    }
}

#endif
