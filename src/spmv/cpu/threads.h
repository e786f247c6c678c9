/* SPDX-License-Identifier: Apache-2.0 */
/* The threads of a product: their number changes no bits, and no kernel is chosen by it. */
#ifndef TULLE_SPMV_CPU_THREADS_H
#define TULLE_SPMV_CPU_THREADS_H

#include "core/threads/sizes.h"
#include "spmv/spmv.h"

/* Number of threads of a product. Padding is read, and multiplied with, as entries are. */
static inline int tulle__spmv_threads(const tulle__spmv_task *task) {
    const tulle__spmv_shape *s = &task->shape;
    const int64_t stored = s->storage && s->storage->stored > s->nnz ? s->storage->stored : s->nnz;
    const int64_t vectors = s->vectors > 1 ? s->vectors : 1;
    return tulle__threads_for(task->place, TULLE__WORK_ENTRIES,
                              (s->rows + s->cols + stored) * vectors);
}

#endif
