/* SPDX-License-Identifier: Apache-2.0 */
/* Products with many small matrices on the CPU: threads share the systems. Interleaved systems are
 * computed together, so that the compiler makes vectors of systems; others one by one. */
#ifndef VALUE

#include "core/access.h"
#include "core/threads/sizes.h"
#include "uniform/functions.h"

/* Number of interleaved systems that a thread takes at a time. */
enum { STRIP = 32 };

#define TULLE__SELF "uniform/product_cpu.c"
#include "core/each_value.h"

tulle_status tulle__cpu_uniform_spmv(const tulle__place *place, const tulle__uniform_product *job) {
    const bool interleaved = job->a.col == 1 && job->x.col == 1 && job->y.col == 1;
    const int64_t width = interleaved ? STRIP : 1, pieces = (job->count + width - 1) / width;
    const int64_t items = job->count * (job->pattern.n + job->pattern.entries);
    const int threads = tulle__threads_for(place, TULLE__WORK_ENTRIES, items);
#pragma omp parallel for num_threads(threads)
    for (int64_t piece = 0; piece < pieces; piece++) {
        const int64_t begin = piece * width, left = job->count - begin;
        const int strip = (int)(left < width ? left : width);
        if (job->type == TULLE_F32) {
            interleaved ? strip_f32(job, begin, strip) : system_f32(job, begin);
        } else {
            interleaved ? strip_f64(job, begin, strip) : system_f64(job, begin);
        }
    }
    return TULLE_OK;
}

#else

static VALUE NAME(combine)(VALUE alpha, VALUE sum, VALUE beta, const VALUE *y) {
    return beta == 0 ? alpha * sum : alpha * sum + beta * *y;
}

static void NAME(strip)(const tulle__uniform_product *job, int64_t begin, int strip) {
    const tulle__uniform_view *p = &job->pattern;
    const VALUE alpha = tulle__scalar_value(VALUE, job->alpha);
    const VALUE beta = tulle__scalar_value(VALUE, job->beta);
    for (int i = 0; i < p->n; i++) {
        VALUE sums[STRIP] = {0};
        for (int e = 0; e < p->length[i]; e++) {
            const int slot = p->first[i] + e * p->step;
            const VALUE *a = (const VALUE *)job->a.data + p->entry_of[slot] * job->a.row + begin;
            const VALUE *x = (const VALUE *)job->x.data + p->columns[slot] * job->x.row + begin;
            for (int s = 0; s < strip; s++) sums[s] += a[s] * x[s];
        }
        VALUE *y = (VALUE *)job->y.data + i * job->y.row + begin;
        for (int s = 0; s < strip; s++) y[s] = NAME(combine)(alpha, sums[s], beta, y + s);
    }
}

static void NAME(system)(const tulle__uniform_product *job, int64_t s) {
    const tulle__uniform_view *p = &job->pattern;
    const VALUE alpha = tulle__scalar_value(VALUE, job->alpha);
    const VALUE beta = tulle__scalar_value(VALUE, job->beta);
    const VALUE *a = (const VALUE *)job->a.data + s * job->a.col;
    const VALUE *x = (const VALUE *)job->x.data + s * job->x.col;
    VALUE *y = (VALUE *)job->y.data + s * job->y.col;
    for (int i = 0; i < p->n; i++) {
        VALUE sum = 0;
        for (int e = 0; e < p->length[i]; e++) {
            const int slot = p->first[i] + e * p->step;
            sum += a[p->entry_of[slot] * job->a.row] * x[p->columns[slot] * job->x.row];
        }
        y[i * job->y.row] = NAME(combine)(alpha, sum, beta, y + i * job->y.row);
    }
}

#endif
