/* SPDX-License-Identifier: Apache-2.0 */
/* CSR by rows with vectors, once for each type combination.
 *
 * Neighbouring rows of stencils and bands have the same length and the columns of the row before
 * plus one: then LANES rows are summed at once, x is read as it lies in memory, and the values of
 * four entries of each are transposed. Other rows go in chunks (csr_chunk.h, csr_few.h), or are
 * summed four entries at once.
 *
 * The rows that are summed together depend on where a thread begins, and the way on the width of
 * the vectors, so the sum of a row must not depend on these: up to SHORT_ROW entries it is (s0 +
 * s2) + (s1 + s3), where s_j has the products of every fourth entry from j on, rounded, from left
 * to right. The sum of a longer row is as in long_row.h, for each width. No include guard, on
 * purpose. */

/* Adds one to three entries to the first lanes. It takes a mask and no loop: the number of
 * entries is hard to foresee for the processor. */
static SIMD_TARGET BY_VALUE(quad)
    NAME(add_some)(const VALUE *values, const INDEX *cols, const VALUE *x, int64_t count,
                   BY_VALUE(quad) sum) {
    BY_VALUE(quad) numbers = BY_VALUE(pick)(x, BY_INDEX(some_columns)(cols, count));
    numbers = BY_VALUE(quad_keep)(numbers, count);
    return BY_VALUE(quad_add)(sum, BY_VALUE(quad_mul)(BY_VALUE(quad_some)(values, count), numbers));
}

/* Sums a row of fewer than FEWEST entries as short_row would, without vectors. */
static inline SIMD_TARGET COMPUTED NAME(few)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                             int64_t count) {
    COMPUTED sum = 0;
    if (count > 0) sum += values[0] * x[cols[0]];
    if (count > 2) sum += values[2] * x[cols[2]];
    if (count > 1) sum += values[1] * x[cols[1]];
    return sum;
}

static SIMD_TARGET COMPUTED NAME(short_row)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                            int64_t count) {
    BY_VALUE(quad) sum = BY_VALUE(quad_zero)();
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        BY_VALUE(quad) numbers = BY_VALUE(pick)(x, BY_INDEX(columns)(cols + k));
        numbers = BY_VALUE(quad_mul)(BY_VALUE(quad_load)(values + k), numbers);
        sum = BY_VALUE(quad_add)(sum, numbers);
    }
    if (k < count) sum = NAME(add_some)(values + k, cols + k, x, count - k, sum);
    return BY_VALUE(quad_sum)(sum);
}

/* Sums a row as short_row does, with a branch for each of its ends: faster where the processor
 * foresees the lengths. */
static ALWAYS_INLINE COMPUTED NAME(plain_row)(const VALUE *values, const INDEX *cols,
                                              const VALUE *x, int64_t count) {
    BY_VALUE(partial) s = BY_VALUE(partial_zero)();
    int64_t k = 0;
#pragma GCC unroll 1
    for (; k + 4 <= count; k += 4) {
        s = BY_VALUE(partial_four)(s, values + k, x + cols[k], x + cols[k + 1], x + cols[k + 2],
                                   x + cols[k + 3]);
    }
    if (count & 2) {
        s = count & 1 ? BY_VALUE(partial_three)(s, values + k, x + cols[k], x + cols[k + 1],
                                                x + cols[k + 2])
                      : BY_VALUE(partial_two)(s, values + k, x + cols[k], x + cols[k + 1]);
    } else if (count & 1) {
        s = BY_VALUE(partial_one)(s, values + k, x + cols[k]);
    }
    return BY_VALUE(partial_sum)(s);
}

#ifdef SIMD_GATHERS
#include "spmv/cpu/simd/long_row_gather.h"
#else
#include "spmv/cpu/simd/long_row.h"
#endif

static SIMD_TARGET __attribute__((noinline)) COMPUTED NAME(long_unforeseen)(const VALUE *values,
                                                                            const INDEX *cols,
                                                                            const VALUE *x,
                                                                            int64_t count) {
    return NAME(long_row)(values, cols, x, count, false);
}

static inline SIMD_TARGET COMPUTED NAME(one_row)(const VALUE *values, const INDEX *cols,
                                                 const VALUE *x, int64_t count) {
    if (count < FEWEST) return NAME(few)(values, cols, x, count);
    return count <= SHORT_ROW ? NAME(short_row)(values, cols, x, count)
                              : NAME(long_unforeseen)(values, cols, x, count);
}

/* True when the columns of LANES rows of `count` entries ascend by one from row to row. */
static inline SIMD_TARGET bool NAME(ascend)(const INDEX *cols, int64_t count) {
    enum { LANES = BY_VALUE(LANES), STEP = BY_INDEX(ONES_AT_ONCE) };
    const INDEX *next = cols + count;
    int64_t pairs = (LANES - 1) * count, k = 0;
    for (; k + STEP < pairs; k += STEP) {
        if (!BY_INDEX(ones)(cols + k, next + k)) return false;
    }
    return BY_INDEX(ones)(cols + pairs - STEP, next + pairs - STEP);
}

/* True when each of LANES rows has `count` entries. */
static inline SIMD_TARGET bool NAME(equally_long)(const OFFSET *offsets, OFFSET count) {
    enum { LANES = BY_VALUE(LANES) };
#ifdef SIMD_CHUNKS
    return BY_OFFSET(all_of_length)(offsets, LANES, count);
#else
    OFFSET differs = 0;
    for (int r = 0; r < LANES; r++) differs |= (offsets[r + 1] - offsets[r]) ^ count;
    return !differs;
#endif
}

/* True when LANES rows, whose offsets and first row's columns are given, have `count` entries
 * each, and columns that ascend by one. */
static inline SIMD_TARGET bool NAME(alike)(const OFFSET *offsets, const INDEX *cols,
                                           int64_t count) {
    enum { LANES = BY_VALUE(LANES) };
    if (offsets[LANES] - offsets[0] != (OFFSET)(LANES * count)) return false;
    if (cols[count] != cols[0] + 1) return false;
    return NAME(equally_long)(offsets, (OFFSET)count) && NAME(ascend)(cols, count);
}

static inline SIMD_TARGET BY_VALUE(vec)
    NAME(add_product)(BY_VALUE(vec) sum, BY_VALUE(vec) a, BY_VALUE(vec) b) {
    return BY_VALUE(add)(sum, BY_VALUE(vec_mul)(a, b));
}

/* Computes the sums of LANES rows that are alike; cols are the first one's. */
static inline SIMD_TARGET BY_VALUE(vec)
    NAME(alike_rows)(const VALUE *values, const INDEX *cols, const VALUE *x, int64_t count) {
    BY_VALUE(vec) t[4], s0 = BY_VALUE(zero)(), s1 = s0, s2 = s0, s3 = s0;
    int64_t k = 0;
    for (; k + 4 <= count; k += 4) {
        BY_VALUE(transpose)(values + k, count, t);
        s0 = NAME(add_product)(s0, t[0], BY_VALUE(load)(x + cols[k]));
        s1 = NAME(add_product)(s1, t[1], BY_VALUE(load)(x + cols[k + 1]));
        s2 = NAME(add_product)(s2, t[2], BY_VALUE(load)(x + cols[k + 2]));
        s3 = NAME(add_product)(s3, t[3], BY_VALUE(load)(x + cols[k + 3]));
    }
    int64_t left = count - k;
    if (left > 0) BY_VALUE(transpose)(values + count - 4, count, t);
    if (left == 1) {
        s0 = NAME(add_product)(s0, t[3], BY_VALUE(load)(x + cols[k]));
    } else if (left == 2) {
        s0 = NAME(add_product)(s0, t[2], BY_VALUE(load)(x + cols[k]));
        s1 = NAME(add_product)(s1, t[3], BY_VALUE(load)(x + cols[k + 1]));
    } else if (left == 3) {
        s0 = NAME(add_product)(s0, t[1], BY_VALUE(load)(x + cols[k]));
        s1 = NAME(add_product)(s1, t[2], BY_VALUE(load)(x + cols[k + 1]));
        s2 = NAME(add_product)(s2, t[3], BY_VALUE(load)(x + cols[k + 2]));
    }
    return BY_VALUE(add)(BY_VALUE(add)(s0, s2), BY_VALUE(add)(s1, s3));
}

/* Computes y := alpha sums + beta y for LANES rows. */
static inline SIMD_TARGET void NAME(combine)(BY_VALUE(vec) sum, COMPUTED alpha, COMPUTED beta,
                                             VALUE *y) {
    enum { LANES = BY_VALUE(LANES) };
    COMPUTED sums[LANES];
    BY_VALUE(store)(sums, sum);
    for (int r = 0; r < LANES; r++) sums[r] = alpha * sums[r];
    for (int r = 0; r < LANES && beta != 0; r++) sums[r] += beta * y[r];
    for (int r = 0; r < LANES; r++) y[r] = sums[r];
}

static SIMD_TARGET double NAME(entries)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    return NAME(one_row)((const VALUE *)task->values + begin, (const INDEX *)task->cols_of + begin,
                         task->x, end - begin);
}

/* Gathers the facts of the rows whose offsets are given. */
static inline SIMD_TARGET chunk_rows NAME(look_at)(const OFFSET *offsets, int64_t rows) {
    OFFSET longest = offsets[1] - offsets[0], unlike = 0;
    for (int64_t r = 1; r < rows; r++) {
        OFFSET last = offsets[r] - offsets[r - 1], count = offsets[r + 1] - offsets[r];
        longest = count > longest ? count : longest;
        unlike += count != last;
    }
    return (chunk_rows){.rows = rows, .longest = longest, .unlike = unlike};
}

#ifdef SIMD_CHUNKS
#include "spmv/cpu/simd/csr_chunk.h"
#include "spmv/cpu/simd/csr_few.h"
#endif

#ifdef SIMD_CHUNKS
/* Computes y of the rows of a chunk from i on together and returns true, if their lengths differ
 * too much for each row to be summed alone. */
static SIMD_TARGET bool NAME(by_chunk)(const tulle__spmv_task *task, int64_t i, const chunk_rows *c,
                                       COMPUTED alpha, COMPUTED beta) {
    if (c->unlike * CHUNK_RUN > c->rows && NAME(try_few)(task, i, c, alpha, beta)) return true;
    if (c->unlike * CHUNK_UNLIKE <= c->rows) return false;
    NAME(unlike_rows)(task, i, c, alpha, beta);
    return true;
}
#endif

/* Computes y := alpha A x + beta y for rows of `count` entries each, a constant. */
static ALWAYS_INLINE void NAME(uniform_rows)(const VALUE *values, const INDEX *cols, const VALUE *x,
                                             int64_t rows, int64_t count, COMPUTED alpha,
                                             COMPUTED beta, VALUE *y) {
    int64_t r = 0;
#ifdef SIMD_CHUNKS
    if (count <= MOST_FEW) {
        r = NAME(fours_of_rows)(values, cols, x, rows, count, alpha, beta, y);
        values += r * count;
        cols += r * count;
    }
#endif
    if (beta == 0) {
        for (; r + 2 <= rows; r += 2) {
            COMPUTED sum = NAME(plain_row)(values, cols, x, count);
            COMPUTED next = NAME(plain_row)(values + count, cols + count, x, count);
            y[r] = alpha * sum;
            y[r + 1] = alpha * next;
            values += 2 * count;
            cols += 2 * count;
        }
    }
    for (; r < rows; r++) {
        COMPUTED sum = alpha * NAME(plain_row)(values, cols, x, count);
        y[r] = beta == 0 ? sum : sum + beta * y[r];
        values += count;
        cols += count;
    }
}

/* Computes y of some rows, one by one. Code for long rows stands in the way of short ones
 * (registers), so that it is `within` the loop only where there are some. */
static ALWAYS_INLINE void NAME(rows_alone)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                           COMPUTED alpha, COMPUTED beta, bool within) {
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    OFFSET first = offsets[begin];
    for (int64_t i = begin; i < end; i++) {
        OFFSET next = offsets[i + 1];
        int64_t count = next - first;
        COMPUTED sum = count <= 1 ? NAME(few)(values + first, cols + first, x, count)
                       : count <= SHORT_ROW
                           ? NAME(plain_row)(values + first, cols + first, x, count)
                       : within ? NAME(long_row)(values + first, cols + first, x, count, true)
                                : NAME(long_unforeseen)(values + first, cols + first, x, count);
        y[i] = beta == 0 ? alpha * sum : alpha * sum + beta * y[i];
        first = next;
    }
}

static SIMD_TARGET __attribute__((noinline)) void NAME(single_rows)(const tulle__spmv_task *task,
                                                                    int64_t begin, int64_t end,
                                                                    COMPUTED alpha, COMPUTED beta) {
    if (beta == 0) {
        NAME(rows_alone)(task, begin, end, alpha, 0, false);
    } else {
        NAME(rows_alone)(task, begin, end, alpha, beta, false);
    }
}

static SIMD_TARGET __attribute__((noinline)) void NAME(single_long_rows)(
    const tulle__spmv_task *task, int64_t begin, int64_t end, COMPUTED alpha, COMPUTED beta) {
    if (beta == 0) {
        NAME(rows_alone)(task, begin, end, alpha, 0, true);
    } else {
        NAME(rows_alone)(task, begin, end, alpha, beta, true);
    }
}

/* Returns the first row after `begin` and before `end` that has not `count` entries, or end. */
static ALWAYS_INLINE int64_t NAME(run_end)(const OFFSET *offsets, int64_t begin, int64_t end,
                                           OFFSET count) {
    int64_t row = begin + 1;
#ifdef SIMD_CHUNKS
    enum { STEP = BY_OFFSET(ROWS_AT_ONCE), ALL = (1 << STEP) - 1 };
    for (; row + STEP <= end; row += STEP) {
        const uint64_t others = BY_OFFSET(rows_of_length)(offsets + row, count) ^ ALL;
        if (others != 0) return row + __builtin_ctzll(others);
    }
#endif
    while (row < end && offsets[row + 1] - offsets[row] == count) row++;
    return row;
}

/* Computes y of some rows: those of one length that follow each other at once. */
static SIMD_TARGET __attribute__((noinline)) void NAME(runs_of_rows)(const tulle__spmv_task *task,
                                                                     int64_t begin, int64_t end,
                                                                     COMPUTED alpha,
                                                                     COMPUTED beta) {
    const OFFSET *offsets = task->offsets;
    for (int64_t i = begin, stop; i < end; i = stop) {
        OFFSET first = offsets[i], count = offsets[i + 1] - first;
        const INDEX *cols = (const INDEX *)task->cols_of + first;
        const VALUE *values = (const VALUE *)task->values + first, *x = task->x;
        VALUE *y = (VALUE *)task->y + i;
        stop = NAME(run_end)(offsets, i, end, count);
        switch (count) {
            case 1:
                NAME(uniform_rows)(values, cols, x, stop - i, 1, alpha, beta, y);
                break;
            case 2:
                NAME(uniform_rows)(values, cols, x, stop - i, 2, alpha, beta, y);
                break;
            case 3:
                NAME(uniform_rows)(values, cols, x, stop - i, 3, alpha, beta, y);
                break;
            case 4:
                NAME(uniform_rows)(values, cols, x, stop - i, 4, alpha, beta, y);
                break;
            case 5:
                NAME(uniform_rows)(values, cols, x, stop - i, 5, alpha, beta, y);
                break;
            case 6:
                NAME(uniform_rows)(values, cols, x, stop - i, 6, alpha, beta, y);
                break;
            case 7:
                NAME(uniform_rows)(values, cols, x, stop - i, 7, alpha, beta, y);
                break;
            case 8:
                NAME(uniform_rows)(values, cols, x, stop - i, 8, alpha, beta, y);
                break;
            default:
                NAME(single_rows)(task, i, stop, alpha, beta);
        }
    }
}

/* True when neighbouring rows of a chunk are often alike (in columns), so that testing for it pays:
 * half of a sample of groups of LANES rows are. */
static inline SIMD_TARGET bool NAME(often_alike)(const OFFSET *offsets, const INDEX *cols,
                                                 const chunk_rows *c) {
    enum { LANES = BY_VALUE(LANES) };
    int64_t alike = 0, asked = 0;
    for (int64_t r = LOOK_FIRST; r + LANES <= c->rows; r += LOOK_STEP, asked++) {
        int64_t count = offsets[r + 1] - offsets[r];
        if (count >= FEWEST && count <= SHORT_ROW) {
            alike += NAME(alike)(offsets + r, cols + offsets[r], count);
        }
    }
    return 2 * alike >= asked;
}

/* Sums a row between rows that are alike. Such rows are the borders of grids, whose lengths follow
 * a pattern that the processor foresees. */
static ALWAYS_INLINE COMPUTED NAME(border_row)(const VALUE *values, const INDEX *cols,
                                               const VALUE *x, int64_t count) {
    return count > 1 && count <= SHORT_ROW ? NAME(plain_row)(values, cols, x, count)
                                           : NAME(one_row)(values, cols, x, count);
}

/* Computes y of the rows from i on, LANES at once or one by one, up to `end` or until twice
 * LANES that follow each other are not alike; returns the row where it stopped. */
static SIMD_TARGET __attribute__((noinline)) int64_t NAME(alike_or_single)(
    const tulle__spmv_task *task, int64_t i, int64_t end, COMPUTED alpha, COMPUTED beta) {
    enum { LANES = BY_VALUE(LANES) };
    const OFFSET *offsets = task->offsets;
    const INDEX *cols = task->cols_of;
    const VALUE *values = task->values, *x = task->x;
    VALUE *y = task->y;
    const bool far = from_memory(task);
    for (int64_t single = 0; i < end && single < 2 * LANES;) {
        OFFSET first = offsets[i];
        int64_t count = offsets[i + 1] - first;
        bool short_row = count >= FEWEST && count <= SHORT_ROW && i + LANES <= end;
        if (short_row && NAME(alike)(offsets + i, cols + first, count)) {
            if (far && count <= SHORT_ROW / 2) {
                ask_ahead(values + first, LANES * count * (int64_t)sizeof *values);
                ask_ahead(cols + first, LANES * count * (int64_t)sizeof *cols);
            }
            NAME(combine)
            (NAME(alike_rows)(values + first, cols + first, x, count), alpha, beta, y + i);
            i += LANES;
            single = 0;
        } else {
            COMPUTED sum = alpha * NAME(border_row)(values + first, cols + first, x, count);
            y[i] = beta == 0 ? sum : sum + beta * y[i];
            i++;
            single++;
        }
    }
    return i;
}

static SIMD_TARGET void NAME(rows)(const tulle__spmv_task *task, int64_t begin, int64_t end) {
    COMPUTED alpha = tulle__scalar_value(COMPUTED, task->alpha);
    COMPUTED beta = tulle__scalar_value(COMPUTED, task->beta);
    int64_t span = SPAN_FIRST;
    for (int64_t i = begin; i < end;) {
        const OFFSET *offsets = (const OFFSET *)task->offsets + i;
        chunk_rows c = NAME(look_at)(offsets, end - i < CHUNK_ROWS ? end - i : CHUNK_ROWS);
#ifdef SIMD_CHUNKS
        if (task->shape.rows > LEARNT_ROWS * (int64_t)tulle__spmv_threads(task) &&
            NAME(by_chunk)(task, i, &c, alpha, beta)) {
            i += c.rows;
            span = SPAN_FIRST;
            continue;
        }
#endif
        if (NAME(often_alike)(offsets, task->cols_of, &c)) {
            i = NAME(alike_or_single)(task, i, end, alpha, beta);
            span = SPAN_FIRST;
            continue;
        }
        int64_t stop = end - i < span ? end : i + span;
        span = span < SPAN_MOST ? 2 * span : span;
        if (c.unlike * CHUNK_RUN <= c.rows) {
            NAME(runs_of_rows)(task, i, stop, alpha, beta);
        } else if (offsets[c.rows] - offsets[0] > c.rows * SHORT_ROW / 2) {
            NAME(single_long_rows)(task, i, stop, alpha, beta);
        } else {
            NAME(single_rows)(task, i, stop, alpha, beta);
        }
        i = stop;
    }
}
