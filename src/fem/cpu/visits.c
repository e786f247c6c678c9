/* SPDX-License-Identifier: Apache-2.0 */
/* Visits of rows, and sums of what they bring, on the CPU: a row's numbers stay near while elements
 * add to them. */
#ifndef VALUE

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

tulle_status tulle__cpu_list_visits(const tulle__place *place, const tulle__visits_job *job) {
    int twice = 0;
#pragma omp parallel for reduction(|                                                               \
                                   : twice)                                                        \
    num_threads(tulle__threads_for(place, TULLE__WORK_VISITS, job->visits))
    for (int64_t v = 0; v < job->visits; v++) twice |= tulle__write_visit(job, v);
    *job->host_twice = twice != 0;
    return TULLE_OK;
}

#define TULLE__SELF "fem/cpu/visits.c"
#include "core/each_value.h"

tulle_status tulle__cpu_sum_visits(const tulle__place *place, const tulle__row_sums_job *job) {
    if (job->type == TULLE_F32) {
        sum_f32(place, job);
    } else {
        sum_f64(place, job);
    }
    return TULLE_OK;
}

#else

/* Adds the numbers of one visit to a row whose entry k has its numbers from to + k * step on. */
static inline void NAME(visit)(const tulle__row_sums_job *job, int unknowns, int64_t v, VALUE *to,
                               int64_t step) {
    const int64_t from = tulle__listed(job->from, job->wide, v);
    const tulle__fem_source *s = job->sources == 1 ? job->source : tulle__source_of_row(job, from);
    const VALUE *K = (const VALUE *)s->values + (from - s->first);
    const uint8_t *position = job->positions + v * job->width;
    for (int j = 0; j < job->width; j++) {
        if (position[j] == TULLE__VISIT_NOWHERE) continue;
        VALUE *entry = to + position[j] * step;
        for (int r = 0; r < unknowns; r++) {
            for (int c = 0; c < unknowns; c++) {
                entry[r * unknowns + c] += K[j * s->j_step + r * s->r_step + c * s->c_step];
            }
        }
    }
}

static inline void NAME(sum_row)(const tulle__row_sums_job *job, int unknowns, VALUE beta,
                                 int64_t row) {
    const int64_t size = tulle_offset_size(job->index);
    const int64_t first = tulle__get(job->offsets, size, row);
    const int64_t entries = tulle__get(job->offsets, size, row + 1) - first;
    const int64_t cells = (int64_t)unknowns * unknowns,
                  step = job->stride > 0 ? job->stride : cells;
    VALUE *to = (VALUE *)job->values + (job->stride > 0 ? row : first * cells);
    for (int64_t k = 0; k < entries; k++) {
        for (int64_t i = 0; i < cells; i++) {
            VALUE *number = to + k * step + i;
            *number = beta == 0 ? 0 : beta * *number;
        }
    }
    const int64_t end = tulle__listed(job->ends, job->wide_ends, row + 1);
    for (int64_t v = tulle__listed(job->ends, job->wide_ends, row); v < end; v++) {
        NAME(visit)(job, unknowns, v, to, step);
    }
}

static void NAME(sum)(const tulle__place *place, const tulle__row_sums_job *job) {
    const VALUE beta = tulle__scalar_value(VALUE, job->beta);
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_VISITS, job->rows))
    for (int64_t row = 0; row < job->rows; row++) {
        if (job->unknowns == 1) {
            NAME(sum_row)(job, 1, beta, row);
        } else {
            NAME(sum_row)(job, job->unknowns, beta, row);
        }
    }
}

#endif
