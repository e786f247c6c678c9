/* SPDX-License-Identifier: Apache-2.0 */
/* Puts the rows of a multivector into another order, or rows to their places, on the CPU. */
#include "dense/gather.h"

#include "core/access.h"
#include "core/threads/sizes.h"
#include "dense/functions.h"

static void gather_row(const tulle__gather *g, int64_t i) {
    int64_t from = tulle__get(g->order, g->order_size, i) * g->from_row, to = i * g->to_row;
    for (int64_t c = 0; c < g->cols; c++) {
        tulle__put(g->to, g->item_size, to + c * g->to_col,
                   tulle__get(g->from, g->item_size, from + c * g->from_col));
    }
}

tulle_status tulle__cpu_gather_rows(const tulle__place *place, const tulle__gather *g) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, g->rows * g->cols);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < g->rows; i++) gather_row(g, i);
    return TULLE_OK;
}

static void scatter_row(const tulle__gather *g, int64_t i) {
    const tulle_type type = g->item_size == 4 ? TULLE_F32 : TULLE_F64;
    const int64_t to = tulle__get(g->order, g->order_size, i) * g->to_row, from = i * g->from_row;
    for (int64_t c = 0; c < g->cols; c++) {
        (g->adds ? tulle__add_value : tulle__move_value)(type, g->to, to + c * g->to_col, g->from,
                                                         from + c * g->from_col);
    }
}

tulle_status tulle__cpu_scatter_rows(const tulle__place *place, const tulle__gather *g) {
    const int threads = tulle__threads_for(place, TULLE__WORK_NUMBERS, g->rows * g->cols);
#pragma omp parallel for num_threads(threads) schedule(static)
    for (int64_t i = 0; i < g->rows; i++) scatter_row(g, i);
    return TULLE_OK;
}
