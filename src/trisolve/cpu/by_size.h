/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a function SOME_ROWS(system, begin, end, strip, b, w, turned), which solves for some
 * rows and a strip of columns, each compiled for one column or TRISOLVE_WIDE, and for a size of
 * block from the list SIZES(S) or any; fragments for one pair of value types. Defines
 * NAME(all_columns), for all columns of X. */

#define COPY(name, b, w, turned)                                                                   \
    static void NAME(name)(const NAME(system) * s, int64_t begin, int64_t end,                     \
                           tulle__strip strip) {                                                   \
        SOME_ROWS(s, begin, end, strip, b, w, turned);                                             \
    }
#define COPIES(b) COPY(plain_##b, b, 1, false) COPY(turned_##b, b, 1, true)
SIZES(COPIES)
COPY(any, s->b, 1, s->turned)
COPY(wide, s->b, TRISOLVE_WIDE, s->turned)
COPY(wide_1, 1, TRISOLVE_WIDE, s->turned)
#undef COPIES
#undef COPY

static void NAME(all_columns)(const NAME(system) * s, int64_t begin, int64_t end) {
    typedef void (*copy)(const NAME(system) *, int64_t, int64_t, tulle__strip);
#define PAIR(b) [b] = {NAME(plain_##b), NAME(turned_##b)},
    static const copy single[TULLE__MOST_BLOCK + 1][2] = {SIZES(PAIR)};
#undef PAIR
    const copy wide = s->b == 1 ? NAME(wide_1) : NAME(wide), sized = single[s->b][s->turned];
    const copy one = sized ? sized : NAME(any);
    const int64_t vectors = s->task->vectors;
    for (int64_t v = 0; v < vectors; v += TRISOLVE_WIDE) {
        const int64_t left = vectors - v;
        const int count = left < TRISOLVE_WIDE ? (int)left : TRISOLVE_WIDE;
        (count == 1 ? one : wide)(s, begin, end, (tulle__strip){v, count});
    }
}
#undef SOME_ROWS
#undef SIZES
