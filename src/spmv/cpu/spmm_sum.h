/* SPDX-License-Identifier: Apache-2.0 */
/* The entries of a row times some columns of X, once for each type combination: sum_columns. The
 * sums stay in registers: as many columns as registers hold, entries outer and columns inner, so
 * that a row of a row-major X is read as vectors. Few columns have more than one sum each, so
 * that the additions do not wait for each other. No include guard, on purpose. */

/* Computes `ways` sums for each of `width` columns, TULLE__WIDE in all at most; by_row: true
 * when X is row-major. All three are known when this is compiled, and the inner loops disappear. */
static inline __attribute__((always_inline)) void NAME(sum_width)(
    const VALUE *restrict values, const INDEX *restrict cols, int64_t count,
    const VALUE *restrict x, int64_t ldx, COMPUTED *restrict sums, const bool by_row,
    const int width, const int ways) {
    COMPUTED s[TULLE__WIDE];
    int64_t e = 0;
    for (int j = 0; j < ways * width; j++) s[j] = 0;
    for (; e + ways <= count; e += ways) {
        for (int w = 0; w < ways; w++) {
            VALUE a = values[e + w];
            const VALUE *from = x + (by_row ? cols[e + w] * ldx : cols[e + w]);
            for (int j = 0; j < width; j++) {
                s[w * width + j] += a * from[by_row ? j : j * ldx];
            }
        }
    }
    for (; e < count; e++) {
        const VALUE *from = x + (by_row ? cols[e] * ldx : cols[e]);
        for (int j = 0; j < width; j++) s[j] += values[e] * from[by_row ? j : j * ldx];
    }
    for (int w = 1; w < ways; w++) {
        for (int j = 0; j < width; j++) s[j] += s[w * width + j];
    }
    for (int j = 0; j < width; j++) sums[j] = s[j];
}

static void NAME(sum_by_row)(const VALUE *values, const INDEX *cols, int64_t count, const VALUE *x,
                             int64_t ldx, COMPUTED *sums, int width) {
    switch (width) {
        case 32:
            NAME(sum_width)(values, cols, count, x, ldx, sums, true, 32, 1);
            break;
        case 16:
            NAME(sum_width)(values, cols, count, x, ldx, sums, true, 16, 1);
            break;
        case 8:
            NAME(sum_width)(values, cols, count, x, ldx, sums, true, 8, 2);
            break;
        case 4:
            NAME(sum_width)(values, cols, count, x, ldx, sums, true, 4, 4);
            break;
        case 2:
            NAME(sum_width)(values, cols, count, x, ldx, sums, true, 2, 4);
            break;
        default:
            NAME(sum_width)(values, cols, count, x, ldx, sums, true, 1, 4);
    }
}

static void NAME(sum_by_column)(const VALUE *values, const INDEX *cols, int64_t count,
                                const VALUE *x, int64_t ldx, COMPUTED *sums, int width) {
    switch (width) {
        case 8:
            NAME(sum_width)(values, cols, count, x, ldx, sums, false, 8, 1);
            break;
        case 4:
            NAME(sum_width)(values, cols, count, x, ldx, sums, false, 4, 1);
            break;
        case 2:
            NAME(sum_width)(values, cols, count, x, ldx, sums, false, 2, 2);
            break;
        default:
            NAME(sum_width)(values, cols, count, x, ldx, sums, false, 1, 4);
    }
}
