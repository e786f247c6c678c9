/* SPDX-License-Identifier: Apache-2.0 */
/* Chunks of CHUNK_ROWS rows whose lengths differ, once for each type combination. In such chunks
 * the end of each row would be a wrongly predicted branch: so the products of all entries are
 * made first, without a look at the rows, and then added row by row under masks, four rows at
 * once, in steps that are the same for the whole chunk (docs/lab-notes.md, "CPU: vectors for
 * rows of unlike length"). No include guard, on purpose. */

/* products[e] := value e times its number of x; up to three more are written. */
static inline SIMD_TARGET void NAME(products)(const VALUE *values, const INDEX *cols,
                                              const VALUE *x, int64_t count, bool far,
                                              COMPUTED *products) {
    int64_t e = 0;
#ifdef SIMD_GATHERS
    enum { WIDE = BY_VALUE(WIDE) };
    const __mmask16 all = first_lanes(WIDE);
    for (; e + WIDE <= count; e += WIDE) {
        BY_VALUE(wide) numbers = TULLE__PASTE(BY_VALUE(wide_gather), INDEX)(x, cols + e, all);
        numbers = BY_VALUE(wide_mul)(BY_VALUE(wide_load)(values + e, all), numbers);
        BY_VALUE(wide_store)(products + e, numbers);
    }
#endif
    for (; e + 4 <= count; e += 4) {
        if (far && e % 16 == 0) {
            ask_ahead(values + e, 16 * (int64_t)sizeof *values);
            ask_ahead(cols + e, 16 * (int64_t)sizeof *cols);
        }
        BY_VALUE(quad) numbers = BY_VALUE(pick)(x, BY_INDEX(columns)(cols + e));
        numbers = BY_VALUE(quad_mul)(BY_VALUE(quad_load)(values + e), numbers);
        BY_VALUE(quad_store)(products + e, numbers);
    }
    for (; e < count; e++) products[e] = values[e] * x[cols[e]];
}

/* Computes the partial sums s_0 to s_3 of a row of at most 4 * quads entries. */
static ALWAYS_INLINE BY_VALUE(quad)
    NAME(partial_sums)(const COMPUTED *products, int64_t count, int64_t quads) {
    BY_VALUE(quad) sum = BY_VALUE(quad_zero)();
    for (; quads > MASKED_QUADS && count > 4 * MASKED_QUADS; count -= 4, products += 4) {
        sum = BY_VALUE(quad_add)(sum, BY_VALUE(quad_load)(products));
    }
    for (int64_t q = 0; q < quads && q < MASKED_QUADS; q++) {
        sum = BY_VALUE(quad_add)(sum, BY_VALUE(quad_masked)(products + 4 * q, count - 4 * q));
    }
    return sum;
}

/* sums[i] := the products of row i, added. */
static ALWAYS_INLINE void NAME(add_rows)(const OFFSET *offsets, const COMPUTED *products,
                                         int64_t rows, int64_t quads, COMPUTED *sums) {
    OFFSET first = offsets[0];
    int64_t i = 0;
    for (; i + 4 <= rows; i += 4) {
        BY_VALUE(quad) s[4];
        for (int r = 0; r < 4; r++) {
            OFFSET begin = offsets[i + r], end = offsets[i + r + 1];
            s[r] = NAME(partial_sums)(products + (begin - first), end - begin, quads);
        }
        BY_VALUE(quad_store)(sums + i, BY_VALUE(quad_sums)(s));
    }
    for (; i < rows; i++) {
        OFFSET begin = offsets[i], end = offsets[i + 1];
        sums[i] =
            BY_VALUE(quad_sum)(NAME(partial_sums)(products + (begin - first), end - begin, quads));
    }
}

/* Computes the sums of rows of at most SHORT_ROW entries. */
static SIMD_TARGET void NAME(sum_unlike)(const tulle__spmv_task *task, const OFFSET *offsets,
                                         int64_t rows, int64_t longest, COMPUTED *sums) {
    COMPUTED products[CHUNK_ROWS * SHORT_ROW + 4 * MASKED_QUADS];
    NAME(products)
    ((const VALUE *)task->values + offsets[0], (const INDEX *)task->cols_of + offsets[0], task->x,
     offsets[rows] - offsets[0], from_memory(task), products);
    if (longest <= 4) {
        NAME(add_rows)(offsets, products, rows, 1, sums);
    } else if (longest <= 8) {
        NAME(add_rows)(offsets, products, rows, 2, sums);
    } else if (longest <= 12) {
        NAME(add_rows)(offsets, products, rows, 3, sums);
    } else if (longest <= 16) {
        NAME(add_rows)(offsets, products, rows, 4, sums);
    } else {
        NAME(add_rows)(offsets, products, rows, MASKED_QUADS + 1, sums);
    }
}

/* Computes the sums of rows of which some have more than SHORT_ROW entries: those between these,
 * and these one by one. */
static SIMD_TARGET void NAME(sum_parts)(const tulle__spmv_task *task, const OFFSET *offsets,
                                        int64_t rows, COMPUTED *sums) {
    int64_t begin = 0, longest = 0;
    for (int64_t r = 0; r <= rows; r++) {
        int64_t count = r < rows ? offsets[r + 1] - offsets[r] : SHORT_ROW + 1;
        if (count <= SHORT_ROW) {
            longest = count > longest ? count : longest;
            continue;
        }
        if (r > begin) NAME(sum_unlike)(task, offsets + begin, r - begin, longest, sums + begin);
        if (r < rows) sums[r] = (COMPUTED)NAME(entries)(task, offsets[r], offsets[r + 1]);
        begin = r + 1;
        longest = 0;
    }
}

/* Computes y of a chunk of rows from i on, whose lengths differ. */
static SIMD_TARGET void NAME(unlike_rows)(const tulle__spmv_task *task, int64_t i,
                                          const chunk_rows *c, COMPUTED alpha, COMPUTED beta) {
    COMPUTED sums[CHUNK_ROWS];
    VALUE *y = (VALUE *)task->y + i;
    const OFFSET *offsets = (const OFFSET *)task->offsets + i;
    if (c->longest <= SHORT_ROW) {
        NAME(sum_unlike)(task, offsets, c->rows, c->longest, sums);
    } else {
        NAME(sum_parts)(task, offsets, c->rows, sums);
    }
    for (int64_t r = 0; r < c->rows; r++) {
        y[r] = beta == 0 ? alpha * sums[r] : alpha * sums[r] + beta * y[r];
    }
}
