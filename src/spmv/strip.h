/* SPDX-License-Identifier: Apache-2.0 */
/* A strip: neighbouring rows of an ELL, or of a slice or section that is one; entry k of row r in
 * slot k * step + r. Once for each type combination. A column of -1 is padding; x and y are not
 * touched for it. No include guard, on purpose. */

typedef struct NAME(strip) {
    const VALUE *values;
    const INDEX *cols;
    int64_t rows, step, width;
} NAME(strip);

/* The rows of a task's arrays whose first slot is given. */
static NAME(strip) NAME(strip_at)(const tulle__spmv_task *task, int64_t slot, int64_t rows,
                                  int64_t step, int64_t width) {
    if (width == 0) return (NAME(strip)){0};
    return (NAME(strip)){.values = (const VALUE *)task->values + slot,
                         .cols = (const INDEX *)task->cols_of + slot,
                         .rows = rows,
                         .step = step,
                         .width = width};
}

/* One slot of each row. Returns whether there was an entry: all columns together have the sign bit
 * only if each has. */
static bool NAME(sum_slots)(const VALUE *restrict values, const INDEX *restrict cols,
                            const VALUE *restrict x, int64_t rows, COMPUTED *restrict sums) {
    INDEX all = -1;
    for (int64_t r = 0; r < rows; r++) {
        INDEX j = cols[r];
        all &= j;
        if (j >= 0) sums[r] += values[r] * x[j];
    }
    return all >= 0;
}

static bool NAME(scatter_slots)(const VALUE *restrict values, const INDEX *restrict cols,
                                const COMPUTED *restrict scaled, int64_t rows, VALUE *restrict y) {
    INDEX all = -1;
    for (int64_t r = 0; r < rows; r++) {
        INDEX j = cols[r];
        all &= j;
        if (j >= 0) y[j] += values[r] * scaled[r];
    }
    return all >= 0;
}

/* Entries come before padding, so that nothing follows a slot that no row uses. */
static void NAME(sum_strip)(const NAME(strip) * s, const VALUE *x, COMPUTED *sums) {
    bool more = true;
    for (int64_t k = 0; k < s->width && more; k++) {
        more = NAME(sum_slots)(s->values + k * s->step, s->cols + k * s->step, x, s->rows, sums);
    }
}

static void NAME(scatter_strip)(const NAME(strip) * s, const COMPUTED *scaled, VALUE *y) {
    bool more = true;
    for (int64_t k = 0; k < s->width && more; k++) {
        more =
            NAME(scatter_slots)(s->values + k * s->step, s->cols + k * s->step, scaled, s->rows, y);
    }
}
