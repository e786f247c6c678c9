/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/levels.h"

#include "core/context.h"
#include "core/error.h"

static int64_t number(const void *array, bool wide, int64_t i) {
    return wide ? ((const int64_t *)array)[i] : ((const int32_t *)array)[i];
}

/* Counts the levels of A's lower triangle and the products of a factorisation. It walks along the
 * rows in their order, so that the levels of all rows that row i waits for are known before row i.
 * Where columns ascend, a row is left at its diagonal. */
static void count_rows(const tulle_mat_info *info, const tulle_mat_arrays *a, int32_t *level,
                       tulle__levels *count) {
    const bool wide_offsets = info->index != TULLE_I32, wide = info->index == TULLE_I64;
    int64_t products = 0; /* in a register: a sum in memory takes as long as all the rest */
    for (int64_t i = 0; i < info->rows; i++) {
        const int64_t end = number(a->offsets, wide_offsets, i + 1);
        int32_t own = 0;
        for (int64_t e = number(a->offsets, wide_offsets, i); e < end; e++) {
            const int64_t k = number(a->cols, wide, e);
            if (k >= i && info->sorted) break;
            if (k >= i) continue;
            if (level[k] > own) own = level[k];
            products +=
                number(a->offsets, wide_offsets, k + 1) - number(a->offsets, wide_offsets, k);
        }
        level[i] = own + 1;
        if (level[i] > count->levels) count->levels = level[i];
    }
    count->products = (double)products;
}

tulle_status tulle__levels_count(tulle_ctx *ctx, const tulle_mat *A, tulle__levels *count) {
    tulle_mat_info info;
    tulle_mat_arrays arrays;
    *count = (tulle__levels){.levels = 0};
    TULLE__TRY(tulle_mat_describe(A, &info));
    TULLE__TRY(tulle_mat_view(A, &arrays));
    if (info.rows == 0) return TULLE_OK;
    if (info.rows > INT32_MAX) { /* a level has 32 bits here */
        count->levels = info.rows;
        return TULLE_OK;
    }
    int32_t *level = tulle__host_alloc(ctx, (size_t)info.rows * sizeof *level);
    if (!level) return TULLE_OUT_OF_MEMORY;
    count_rows(&info, &arrays, level, count);
    tulle__host_free(ctx, level);
    return TULLE_OK;
}
