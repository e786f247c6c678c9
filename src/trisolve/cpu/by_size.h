/* SPDX-License-Identifier: Apache-2.0 */
/* Copies of a function SOME_ROWS(system, begin, end, strip, b, w, turned), which solves for some
 * rows and a strip of columns: for one column, and for a block size from the list SIZES(S) or any
 * size; and for TRISOLVE_WIDE columns, with the vectors of AVX2 and without. These are fragments
 * for one pair of value types. For one column, and for small blocks, wide vectors were slower
 * (docs/lab-notes.md). Defines NAME(all_columns), for all columns of X. */

#define COPY(target, is_avx2, name, b, w, turned)                                                  \
    target static void NAME(name)(const NAME(system) * s, int64_t begin, int64_t end,              \
                                  tulle__strip strip) {                                            \
        strip.avx2 = is_avx2;                                                                      \
        SOME_ROWS(s, begin, end, strip, b, w, turned);                                             \
    }
#define COPIES(b) COPY(, false, plain_##b, b, 1, false) COPY(, false, turned_##b, b, 1, true)
SIZES(COPIES)
COPY(, false, any, s->b, 1, s->turned)
COPY(, false, wide, s->b, TRISOLVE_WIDE, s->turned)
COPY(, false, wide_1, 1, TRISOLVE_WIDE, s->turned)
COPY(FOR_AVX2, true, wide_avx2, s->b, TRISOLVE_WIDE, s->turned)
#undef COPIES
#undef COPY

static void NAME(all_columns)(const NAME(system) * s, int64_t begin, int64_t end) {
    typedef void (*copy)(const NAME(system) *, int64_t, int64_t, tulle__strip);
#define PAIR(b) [b] = {NAME(plain_##b), NAME(turned_##b)},
    static const copy single[TULLE__MOST_BLOCK + 1][2] = {SIZES(PAIR)};
#undef PAIR
    const bool large = s->b * (int)sizeof(COMPUTED) >= TRISOLVE_AVX2_BYTES;
    const bool avx2 = large && tulle__takes_avx2(s->task->params);
    const copy wide = s->b == 1 ? NAME(wide_1) : avx2 ? NAME(wide_avx2) : NAME(wide);
    const copy sized = single[s->b][s->turned], one = sized ? sized : NAME(any);
    const int64_t vectors = s->task->vectors;
    for (int64_t v = 0; v < vectors; v += TRISOLVE_WIDE) {
        const int64_t left = vectors - v;
        const int count = left < TRISOLVE_WIDE ? (int)left : TRISOLVE_WIDE;
        (count == 1 ? one : wide)(s, begin, end, (tulle__strip){v, count, false});
    }
}
#undef SOME_ROWS
#undef SIZES
