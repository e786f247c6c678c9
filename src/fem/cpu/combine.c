/* SPDX-License-Identifier: Apache-2.0 */
/* Products of elements become those of their unknowns, on the CPU. */
#ifndef VALUE

#include "core/access.h"
#include "core/threads/sizes.h"
#include "fem/functions.h"

#define TULLE__SELF "fem/cpu/combine.c"
#include "core/each_value.h"

tulle_status tulle__cpu_combine_products(const tulle__place *place, const tulle__combine_job *job) {
    if (job->type == TULLE_F32) {
        combine_f32(place, job);
    } else {
        combine_f64(place, job);
    }
    return TULLE_OK;
}

#else

static VALUE NAME(sum_of)(const tulle__combine_job *job, int64_t i) {
    const VALUE *products = job->products;
    const int64_t end = tulle__listed(job->ends, job->wide, i + 1);
    VALUE sum = 0;
    for (int64_t k = tulle__listed(job->ends, job->wide, i); k < end; k++) {
        sum += products[tulle__listed(job->from, job->wide, k)];
    }
    return sum;
}

static void NAME(combine)(const tulle__place *place, const tulle__combine_job *job) {
    const VALUE alpha = tulle__scalar_value(VALUE, job->vectors.alpha);
    const VALUE beta = tulle__scalar_value(VALUE, job->vectors.beta);
    const VALUE *x = job->vectors.x, *scales = job->scales;
#pragma omp parallel for num_threads(tulle__threads_for(place, TULLE__WORK_POINTS, job->count))
    for (int64_t i = 0; i < job->count; i++) {
        const int64_t row = job->rows ? job->rows[i] : i;
        VALUE sum = 0, *to = (VALUE *)job->vectors.y + row * job->vectors.y_step;
        if (job->masked && job->masked[row]) {
            sum = job->vectors.diagonal ? scales[i] : scales[i] * x[row * job->vectors.x_step];
        } else if (job->ends) {
            sum = NAME(sum_of)(job, i);
        }
        *to = beta == 0 ? alpha * sum : alpha * sum + beta * *to;
    }
}

#endif
