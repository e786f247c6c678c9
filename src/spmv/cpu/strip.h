/* SPDX-License-Identifier: Apache-2.0 */
/* A strip: neighbouring rows of an ELL, or of a slice or section that is one; entry k of row r in
 * slot k * step + r. Once for each type combination. A column of -1 is padding; x and y are not
 * touched for it. No include guard, on purpose. */

typedef struct NAME(strip) {
    const VALUE *values;
    const INDEX *cols;
    int64_t rows, step, width;
} NAME(strip);

/* Returns the rows of a task's arrays whose first slot is given. */
static NAME(strip) NAME(strip_at)(const tulle__spmv_task *task, int64_t slot, int64_t rows,
                                  int64_t step, int64_t width) {
    if (width == 0) return (NAME(strip)){0};
    return (NAME(strip)){.values = (const VALUE *)task->values + slot,
                         .cols = (const INDEX *)task->cols_of + slot,
                         .rows = rows,
                         .step = step,
                         .width = width};
}

/* Sums rows r to r + TULLE__LANES - 1, their sums in registers. Returns true when they have an
 * entry: all columns together have the sign bit only if each has. */
static bool NAME(sum_lanes)(const NAME(strip) * s, int64_t r, const VALUE *restrict x,
                            COMPUTED *restrict sums) {
    const VALUE *restrict values = s->values + r;
    const INDEX *restrict cols = s->cols + r;
    COMPUTED lane[TULLE__LANES];
    INDEX all = -1;
    for (int l = 0; l < TULLE__LANES; l++) lane[l] = sums[r + l];
    for (int64_t k = 0; k < s->width; k++) {
        for (int l = 0; l < TULLE__LANES; l++) {
            INDEX j = cols[k * s->step + l];
            all &= j;
            if (j >= 0) lane[l] += values[k * s->step + l] * x[j];
        }
    }
    for (int l = 0; l < TULLE__LANES; l++) sums[r + l] = lane[l];
    return all >= 0;
}

/* Sums row r. Returns true when it has an entry. */
static bool NAME(sum_row)(const NAME(strip) * s, int64_t r, const VALUE *x, COMPUTED *sums) {
    const VALUE *values = s->values + r;
    const INDEX *cols = s->cols + r;
    int64_t k = 0;
    for (; k < s->width && cols[k * s->step] >= 0; k++) {
        sums[r] += values[k * s->step] * x[cols[k * s->step]];
    }
    return k > 0;
}

static bool NAME(sum_rows)(const NAME(strip) * s, const VALUE *x, COMPUTED *sums) {
    bool entries = false;
    int64_t r = 0;
    for (; r + TULLE__LANES <= s->rows; r += TULLE__LANES) {
        entries |= NAME(sum_lanes)(s, r, x, sums);
    }
    for (; r < s->rows; r++) entries |= NAME(sum_row)(s, r, x, sums);
    return entries;
}

/* Returns slots k to k + width - 1 of a strip, or those of them that it has. */
static NAME(strip) NAME(strip_slots)(const NAME(strip) * s, int64_t k, int64_t width) {
    NAME(strip) some = *s;
    some.values += k * s->step;
    some.cols += k * s->step;
    some.width = s->width - k < width ? s->width - k : width;
    return some;
}

/* Number of slots of all rows that are read before the next ones. */
static int64_t NAME(strip_depth)(const NAME(strip) * s) {
    return s->rows <= TULLE__NARROW ? s->width : TULLE__DEPTH;
}

/* Sums a strip. Entries come before padding, so that nothing follows slots that no row uses. */
static void NAME(sum_strip)(const NAME(strip) * s, const VALUE *x, COMPUTED *sums) {
    int64_t depth = NAME(strip_depth)(s);
    bool more = true;
    for (int64_t k = 0; k < s->width && more; k += depth) {
        NAME(strip) some = NAME(strip_slots)(s, k, depth);
        more = NAME(sum_rows)(&some, x, sums);
    }
}

static bool NAME(scatter_slot)(const NAME(strip) * s, int64_t k, COMPUTED alpha,
                               const COMPUTED *restrict own, VALUE *restrict y) {
    const VALUE *restrict values = s->values + k * s->step;
    const INDEX *restrict cols = s->cols + k * s->step;
    INDEX all = -1;
    for (int64_t r = 0; r < s->rows; r++) {
        INDEX j = cols[r];
        all &= j;
        if (j >= 0) y[j] += alpha * (values[r] * own[r]);
    }
    return all >= 0;
}

static void NAME(scatter_strip)(const NAME(strip) * s, COMPUTED alpha, const COMPUTED *own,
                                VALUE *y) {
    bool more = true;
    for (int64_t k = 0; k < s->width && more; k++) more = NAME(scatter_slot)(s, k, alpha, own, y);
}
