/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of PACKED with vectors, once for each type combination. While lines are whole the sums of
 * the slice's rows stay in registers; on a diagonal, x is read as it lies in memory. Each row is
 * summed line by line. No include guard, on purpose. */

typedef struct NAME(line) {
    const void *values; /* values of the computed type, or narrow */
    const VALUE *x;     /* x from the line's base column on */
    int64_t room;       /* number of x's numbers from there on */
    const uint8_t *codes;
    uint32_t entries;
    int kind;
} NAME(line);

static ALWAYS_INLINE NAME(line)
    NAME(line_at)(const tulle__spmv_task *task, int64_t number, bool narrow) {
    const uint32_t *mask = (const uint32_t *)task->mask + 2 * number;
    const void *values = (const VALUE *)task->values + TULLE__LINE * number;
    if (narrow) values = (const float *)task->values + TULLE__LINE * number;
    int64_t base = ((const INDEX *)task->cols_of)[number];
    int64_t place = TULLE__PIECE * tulle__word_place(mask[1]);
    int kind = tulle__word_kind(mask[1]);
    return (NAME(line)){.values = values,
                        .x = (const VALUE *)task->x + base,
                        .room = task->shape.cols - base,
                        .codes = kind == 0 ? NULL : (const uint8_t *)task->codes + place,
                        .entries = mask[0],
                        .kind = kind};
}

static ALWAYS_INLINE BY_VALUE(vec)
    NAME(line_values)(const NAME(line) * line, int from, bool narrow) {
    return narrow ? BY_VALUE(widen)((const float *)line->values + from)
                  : BY_VALUE(load)((const VALUE *)line->values + from);
}

/* Loads the numbers of x for a vec of lanes that all have an entry. */
static ALWAYS_INLINE BY_VALUE(vec) NAME(numbers)(const NAME(line) * line, int kind, int from) {
    return kind == 0 ? BY_VALUE(load)(line->x + from)
                     : BY_VALUE(coded)(line->x, line->room, line->codes, kind, from);
}

/* Adds a line all of whose lanes have an entry. */
static ALWAYS_INLINE void NAME(add_whole)(const NAME(line) * line, int kind, bool narrow,
                                          BY_VALUE(vec) * sum) {
    enum { LANES = BY_VALUE(LANES) };
#pragma GCC unroll 8
    for (int from = 0; from < TULLE__LINE; from += LANES) {
        BY_VALUE(vec) *own = sum + from / LANES;
        *own = BY_VALUE(vec_fma)(NAME(line_values)(line, from, narrow),
                                 NAME(numbers)(line, kind, from), *own);
    }
}

/* Adds whole lines, from `number` on and before `last`, and returns the next line. */
static ALWAYS_INLINE int64_t NAME(whole_lines)(const tulle__spmv_task *task, int64_t number,
                                               int64_t last, bool narrow, COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES), VECS_A_LINE = TULLE__LINE / LANES };
    BY_VALUE(vec) sum[VECS_A_LINE];
#pragma GCC unroll 8
    for (int v = 0; v < VECS_A_LINE; v++) sum[v] = BY_VALUE(load)(sums + v * LANES);
    for (; number < last; number++) {
        NAME(line) line = NAME(line_at)(task, number, narrow);
        if (line.entries != UINT32_MAX) break;
        if (line.kind == 0) NAME(add_whole)(&line, 0, narrow, sum);
        if (line.kind == 1) NAME(add_whole)(&line, 1, narrow, sum);
        if (line.kind == 2) NAME(add_whole)(&line, 2, narrow, sum);
        if (line.kind == 3) NAME(add_whole)(&line, 3, narrow, sum);
    }
#pragma GCC unroll 8
    for (int v = 0; v < VECS_A_LINE; v++) BY_VALUE(store)(sums + v * LANES, sum[v]);
    return number;
}

/* Loads the numbers of x for the lanes of a vec that have an entry, and 0 for others, which
 * fetch the number of one that has. */
static SIMD_TARGET BY_VALUE(vec)
    NAME(some_numbers)(const NAME(line) * line, int kind, int from, uint32_t lanes) {
    uint32_t codes[BY_VALUE(LANES)];
    codes_of_lanes(line->codes, kind, from, BY_VALUE(LANES), lanes, codes);
    BY_VALUE(vec) all = BY_VALUE(coded)(line->x, line->room, (const uint8_t *)codes, 3, 0);
    return BY_VALUE(keep)(all, lanes);
}

/* Adds the products of a line to the sums of its rows; some of the line's slots may have no entry.
 */
static ALWAYS_INLINE void NAME(add_any)(const NAME(line) * line, int kind, bool narrow,
                                        COMPUTED *sums) {
    enum { LANES = BY_VALUE(LANES), ALL = (1 << LANES) - 1 };
    for (int from = 0; from < TULLE__LINE; from += LANES) {
        uint32_t lanes = line->entries >> from & ALL;
        if (lanes == 0) continue;
        BY_VALUE(vec) numbers, own = NAME(line_values)(line, from, narrow);
        if (lanes == ALL) {
            numbers = NAME(numbers)(line, kind, from);
        } else {
            numbers = NAME(some_numbers)(line, kind, from, lanes);
            own = BY_VALUE(keep)(own, lanes);
        }
        BY_VALUE(store)(sums + from, BY_VALUE(vec_fma)(own, numbers, BY_VALUE(load)(sums + from)));
    }
}

static ALWAYS_INLINE void NAME(slices_of)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                          bool narrow, COMPUTED *sums) {
    const OFFSET *offsets = task->offsets;
    for (int64_t s = begin; s < end; s++, sums += TULLE__LINE) {
        int64_t number = offsets[s] / TULLE__LINE, last = offsets[s + 1] / TULLE__LINE;
        while (number < last) {
            number = NAME(whole_lines)(task, number, last, narrow, sums);
            if (number == last) break;
            NAME(line) line = NAME(line_at)(task, number++, narrow);
            if (line.kind == 0) NAME(add_any)(&line, 0, narrow, sums);
            if (line.kind == 1) NAME(add_any)(&line, 1, narrow, sums);
            if (line.kind == 2) NAME(add_any)(&line, 2, narrow, sums);
            if (line.kind == 3) NAME(add_any)(&line, 3, narrow, sums);
        }
    }
}

static SIMD_TARGET void NAME(slices)(const tulle__spmv_task *task, int64_t begin, int64_t end,
                                     void *sums) {
    if (task->shape.values == TULLE__VALUES_F32_F64) {
        NAME(slices_of)(task, begin, end, true, sums);
    } else {
        NAME(slices_of)(task, begin, end, false, sums);
    }
}
