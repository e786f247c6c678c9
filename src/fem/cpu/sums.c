/* SPDX-License-Identifier: Apache-2.0 */
/* Sums of numbers of elements, on the CPU. */
#ifndef VALUE

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

#define TULLE__SELF "fem/cpu/sums.c"
#define VALUE float
#define FROM uint32_t
#define NAME(function) function##_f32_32
#include TULLE__SELF
#undef FROM
#undef NAME
#define FROM uint64_t
#define NAME(function) function##_f32_64
#include TULLE__SELF
#undef VALUE
#undef FROM
#undef NAME
#define VALUE double
#define FROM uint32_t
#define NAME(function) function##_f64_32
#include TULLE__SELF
#undef FROM
#undef NAME
#define FROM uint64_t
#define NAME(function) function##_f64_64
#include TULLE__SELF
#undef VALUE
#undef FROM
#undef NAME

tulle_status tulle__cpu_sum_elements(const tulle__place *place, const tulle__sums_job *job) {
    static void (*const run[2][2])(const tulle__place *, const tulle__sums_job *) = {
        {sum_f32_32, sum_f32_64}, {sum_f64_32, sum_f64_64}};
    run[tulle__type_index(job->type)][job->wide](place, job);
    return TULLE_OK;
}

tulle_status tulle__cpu_mask_entries(const tulle__place *place, const tulle__mask_job *job) {
    int64_t zeros = 0;
    double largest = 0;
#pragma omp parallel for reduction(+ : zeros) num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->count))
    for (int64_t k = 0; k < job->count; k++) zeros += tulle__mask_entry(job, k);
    if (zeros == 0) return TULLE_OK;
    for (int64_t k = 0; k < job->count; k++) largest = tulle__masked_largest(job, k, largest);
    for (int64_t k = 0; k < job->count; k++) tulle__put_largest(job, k, largest);
    return TULLE_OK;
}

tulle_status tulle__cpu_find_scales(const tulle__place *place, const tulle__scales_job *job) {
    double largest = 0;
    for (int64_t k = 0; k < job->count; k++) {
        largest = tulle__larger(largest, tulle__row_diagonal(job, k));
    }
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->count))
    for (int64_t k = 0; k < job->count; k++) tulle__put_scale(job, k, largest);
    return TULLE_OK;
}

#else

/* Number (r, c) of an item, added to what it begins with. */
static VALUE NAME(add)(const tulle__sums_job *job, int64_t item, int r, int c, VALUE sum) {
    const FROM *from = job->from, *ends = job->ends;
    const bool one = job->sources == 1;
    const FROM end = ends[item + 1];
    for (FROM k = ends[item]; k < end; k++) {
        if (from[k] == (FROM)TULLE__NO_NUMBER) continue;
        const tulle__fem_source *s = one ? job->source : tulle__source_of(job, (int64_t)from[k]);
        sum +=
            ((const VALUE *)s->values)[(int64_t)from[k] - s->first + r * s->r_step + c * s->c_step];
    }
    return sum;
}

/* The sum that comes to `slot` of the values. */
static void NAME(put)(const tulle__sums_job *job, VALUE beta, int64_t item, int r, int c,
                      int64_t slot) {
    VALUE *to = (VALUE *)job->values + slot * job->step;
    const VALUE sum = NAME(add)(job, item, r, c, beta == 0 ? 0 : beta * *to);
    *to = job->masked && job->masked[slot] ? 0 : sum;
}

static void NAME(sum_row_of_ell)(const tulle__sums_job *job, VALUE beta, int64_t row) {
    const int64_t size = tulle_offset_size(job->index);
    const int64_t first = tulle__get(job->offsets, size, row);
    const int64_t end = tulle__get(job->offsets, size, row + 1);
    for (int64_t k = first; k < end; k++) {
        NAME(put)(job, beta, k, 0, 0, (k - first) * job->stride + row);
    }
}

static void NAME(sum)(const tulle__place *place, const tulle__sums_job *job) {
    const VALUE beta = tulle__scalar_value(VALUE, job->beta);
    if (job->offsets) {
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->ell_rows))
        for (int64_t row = 0; row < job->ell_rows; row++) NAME(sum_row_of_ell)(job, beta, row);
        return;
    }
    const int cells = job->rows * job->cols;
#pragma omp parallel for num_threads(                                                              \
    tulle__threads_for(place, TULLE__WORK_POINTS, job->items *cells))
    for (int64_t item = 0; item < job->items; item++) {
        for (int rc = 0; rc < cells; rc++) {
            NAME(put)(job, beta, item, rc / job->cols, rc % job->cols, item * cells + rc);
        }
    }
}

#endif
