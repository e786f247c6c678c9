/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a function SOME_ROWS(system, begin, end, v, b, w, turned), which solves for some rows
 * and the w columns from v on, each compiled for a size of block and a number of columns of its
 * own; fragments for one pair of value types. Defines NAME(some_rows). */

#define COPY(name, b, w, turned)                                                                   \
    static void NAME(name)(const NAME(system) * s, int64_t begin, int64_t end, int64_t v,          \
                           int columns) {                                                          \
        (void)columns;                                                                             \
        SOME_ROWS(s, begin, end, v, b, w, turned);                                                 \
    }
#define COPIES(b) COPY(plain_##b, b, 1, false) COPY(turned_##b, b, 1, true)
COPY(one, 1, 1, false)
COPY(one_wide, 1, TRISOLVE_WIDE, false)
COPY(one_any, 1, columns, false)
COPIES(2)
COPIES(3)
COPIES(4)
COPIES(5)
COPIES(8)
COPIES(16)
COPY(wide, s->b, TRISOLVE_WIDE, s->turned)
COPY(any, s->b, columns, s->turned)
#undef COPIES
#undef COPY

static void NAME(some_rows)(const NAME(system) * s, int64_t begin, int64_t end, int64_t v, int w) {
    typedef void (*copy)(const NAME(system) *, int64_t, int64_t, int64_t, int);
#define PAIR(b) [b] = { NAME(plain_##b), NAME(turned_##b) }
    static const copy single[TULLE__MOST_BLOCK + 1][2] = {
        [1] = {NAME(one), NAME(one)}, PAIR(2), PAIR(3), PAIR(4), PAIR(5), PAIR(8), PAIR(16)};
#undef PAIR
    copy run = w == TRISOLVE_WIDE ? NAME(wide) : NAME(any);
    if (s->b == 1) run = w == TRISOLVE_WIDE ? NAME(one_wide) : NAME(one_any);
    if (w == 1 && single[s->b][s->turned]) run = single[s->b][s->turned];
    run(s, begin, end, v, w);
}

/* The same for all columns. */
static void NAME(all_columns)(const NAME(system) * s, int64_t begin, int64_t end) {
    const int64_t vectors = s->task->vectors;
    for (int64_t v = 0; v < vectors; v += TRISOLVE_WIDE) {
        const int64_t left = vectors - v;
        NAME(some_rows)(s, begin, end, v, left < TRISOLVE_WIDE ? (int)left : TRISOLVE_WIDE);
    }
}
#undef SOME_ROWS
