/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of elements, and the pairs of points that elements make, on the CPU. */
#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

tulle_status tulle__cpu_number_points(const tulle__place *place, const tulle__points_job *job) {
    int64_t bad = INT64_MAX;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->count))    \
    reduction(min                                                                                  \
              : bad)
    for (int64_t i = 0; i < job->count; i++) {
        const int64_t node = tulle__get(job->list, job->size, i);
        if ((node < -1 || node >= job->nodes) && i < bad) bad = i;
        for (int r = 0; r < job->unknowns; r++) {
            job->points[i * job->unknowns + r] = tulle__point_of(job, node, r);
        }
    }
    *job->host_bad = bad == INT64_MAX ? -1 : bad;
    return TULLE_OK;
}

tulle_status tulle__cpu_pair_points(const tulle__place *place, const tulle__pairs_job *job) {
    const tulle__fem_block *b = job->block;
    const int64_t cells = (int64_t)b->points * b->points, pairs = b->count * cells;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, pairs))
    for (int64_t e = 0; e < b->count; e++) {
        const int32_t *list = b->list + e * b->points;
        for (int64_t ij = 0; ij < cells; ij++) {
            tulle__put_pair(job, b->first_pair + e * cells + ij, list[ij / b->points],
                            list[ij % b->points]);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_place_points(const tulle__place *place, const tulle__pairs_job *job) {
    const tulle__fem_block *b = job->block;
    const int64_t places = b->count * b->points;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, places))
    for (int64_t i = 0; i < places; i++) {
        tulle__put_pair(job, b->first_place + i, b->list[i], b->list[i] < 0 ? -1 : 0);
    }
    return TULLE_OK;
}

tulle_status tulle__cpu_pair_diagonals(const tulle__place *place, const tulle__pairs_job *job) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->points))
    for (int64_t i = 0; i < job->points; i++) {
        const int32_t point = tulle__is_any_masked(job, i) ? (int32_t)i : -1;
        tulle__put_pair(job, job->first + i, point, point);
    }
    return TULLE_OK;
}
