/* SPDX-License-Identifier: Apache-2.0 */
#include "core/context.h"
#include "core/threads/sizes.h"
#include "factor/functions.h"

static double scale_at(const tulle__move *m, int64_t i) {
    if (!m->scale) return 1;
    return m->scale_type == TULLE_F32 ? (double)((const float *)m->scale)[i]
                                      : ((const double *)m->scale)[i];
}

static void move_number(const tulle__move *m, int64_t natural, int64_t ordered, double scale) {
    int64_t from = m->back ? ordered : natural, to = m->back ? natural : ordered;
    const void *source = m->back ? m->ordered.data : m->natural.data;
    void *sink = m->back ? m->natural.data : m->ordered.data;
    if (m->type == TULLE_F32) {
        ((float *)sink)[to] = (float)(scale * (double)((const float *)source)[from]);
    } else {
        ((double *)sink)[to] = scale * ((const double *)source)[from];
    }
}

tulle_status tulle__cpu_move_rows(const tulle__place *place, const tulle__move *m) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, m->rows * m->cols);
#pragma omp parallel for num_threads(threads)
    for (int64_t i = 0; i < m->rows; i++) {
        int64_t row = m->order ? m->order[i] : i;
        double scale = scale_at(m, i);
        for (int64_t j = 0; j < m->cols; j++) {
            move_number(m, row * m->natural.row + j * m->natural.col,
                        i * m->ordered.row + j * m->ordered.col, scale);
        }
    }
    return TULLE_OK;
}
