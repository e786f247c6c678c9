/* SPDX-License-Identifier: Apache-2.0 */
/* The coarsening of a level, which is kept for other values of its matrix. */
#include "amg/amg.h"

void tulle__amg_keep(tulle_ctx *ctx, void *rows, size_t bytes, int64_t first, int64_t coarse,
                     tulle__amg_coarsening *kept) {
    tulle__ctx_retain(ctx);
    *kept = (tulle__amg_coarsening){.rows = {ctx, rows, bytes}, .first = first, .coarse = coarse};
}

void tulle__amg_drop(tulle__amg_coarsening *kept) {
    tulle__own_vector_release(&kept->rows);
    kept->first = kept->coarse = 0;
}
