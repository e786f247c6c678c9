/* SPDX-License-Identifier: Apache-2.0 */
/* Checks that the numbers of layouts that a caller made fit each other and the shape. */
#include "format/draft.h"
#include "format/lay_out.h"

static tulle_status bad(const char *function, const char *what, int64_t is, const char *must) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "storage", -1,
                       "storage: %s is %lld; it must be %s", what, (long long)is, must);
}

static tulle_status check_stride(const char *function, const tulle__pattern_view *v,
                                 int64_t slots) {
    const tulle_storage *s = &v->storage;
    int64_t stride = 0, all = 0;
    if (__builtin_mul_overflow(tulle__ceil_div(v->rows, 32), 32, &stride) || s->stride != stride) {
        return bad(function, "stride", s->stride, "the rows rounded up to a multiple of 32");
    }
    bool fits = s->width >= 0 && !__builtin_mul_overflow(s->width, stride, &all);
    return fits && all == slots
               ? TULLE_OK
               : bad(function, "width", s->width, "the slots divided by the stride");
}

static tulle_status check_sell(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    if (s->slice < 1 || s->slice > TULLE__MOST_SLICE)
        return bad(function, "slice", s->slice, "1 to 1024");
    bool fits = s->window == 1 || (s->window > 1 && s->window % s->slice == 0);
    return fits ? TULLE_OK : bad(function, "window", s->window, "1 or a multiple of the slice");
}

static tulle_status check_packed(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    if (s->slice != TULLE__LINE) return bad(function, "slice", s->slice, "32");
    if (s->stored % TULLE__LINE != 0) return bad(function, "stored", s->stored, "a multiple of 32");
    if (s->coded < 0 || s->coded % TULLE__PIECE != 0 || s->coded / TULLE__PIECE > TULLE__PIECES) {
        return bad(function, "coded", s->coded, "a multiple of 32, at most 2^35");
    }
    return check_sell(function, v);
}

static tulle_status check_sections(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    if (s->sections < 0 || s->sections > TULLE_SECTIONS) {
        return bad(function, "sections", s->sections, "0 to 33");
    }
    if (s->section_row[0] != 0) return bad(function, "section_row[0]", s->section_row[0], "0");
    if (s->section_at[0] != 0) return bad(function, "section_at[0]", s->section_at[0], "0");
    for (int i = 0; i < s->sections; i++) {
        int64_t row = s->section_row[i], next_row = s->section_row[i + 1];
        if (next_row <= row || next_row > v->rows) {
            return bad(function, "the end of a section in section_row", next_row,
                       "above its beginning and at most the rows");
        }
        int64_t at = s->section_at[i], next_at = s->section_at[i + 1];
        if (next_at < at || (next_at - at) % tulle__stride_of(next_row - row) != 0) {
            return bad(function, "the end of a section in section_at", next_at,
                       "its beginning, and as many slots on for each of its padded rows");
        }
    }
    return s->section_at[s->sections] == s->stored
               ? TULLE_OK
               : bad(function, "stored", s->stored, "where the last section ends");
}

static tulle_status check_bsr(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    if (s->block < 1 || s->block > TULLE__MOST_BLOCK)
        return bad(function, "block", s->block, "1 to 16");
    if (s->block_cols < 0 || s->block_cols > TULLE__MOST_BLOCK)
        return bad(function, "block_cols", s->block_cols, "1 to 16, or 0: as many as the rows");
    if (s->stored % tulle__block_cells(s) != 0) {
        return bad(function, "stored", s->stored, "a multiple of the cells of a block");
    }
    bool whole = v->rows % tulle__block_rows(s) == 0 && v->cols % tulle__block_cols(s) == 0;
    return whole || !s->full || s->stored == 0
               ? TULLE_OK
               : bad(function, "full", s->full, "false where blocks reach over the edge");
}

static tulle_status check_csr_coo(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    bool fits = s->head >= 0 && s->head <= s->stored && s->width >= 0;
    return fits ? TULLE_OK : bad(function, "head", s->head, "0 to the slots stored");
}

static tulle_status check_hyb(const char *function, const tulle__pattern_view *v) {
    TULLE__TRY(check_csr_coo(function, v));
    return check_stride(function, v, v->storage.head);
}

static tulle_status check_ell(const char *function, const tulle__pattern_view *v) {
    return check_stride(function, v, v->storage.stored);
}

static tulle_status check_jds(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    bool fits = s->width >= 0 && s->width <= s->stored;
    return fits ? TULLE_OK : bad(function, "width", s->width, "0 to the slots stored");
}

static tulle_status check_dcsr(const char *function, const tulle__pattern_view *v) {
    int64_t heads = v->storage.heads;
    bool fits = heads >= 0 && heads <= v->rows && heads <= v->storage.stored;
    return fits ? TULLE_OK : bad(function, "heads", heads, "0 to the rows, and to the entries");
}

static tulle_status check_none(const char *function, const tulle__pattern_view *v) {
    (void)function;
    (void)v;
    return TULLE_OK;
}

static tulle_status check_numbers(const char *function, const tulle__pattern_view *v) {
    switch (v->format) {
#define F(number, name, traits, numbers, options, check, lay_out, about)                           \
    case TULLE_##number:                                                                           \
        return check_##check(function, v);
        TULLE__EACH_FORMAT(F)
#undef F
    }
    return TULLE_OK;
}

/* Returns the numbers that the format has; all others become 0, whatever the caller left there. */
static tulle_storage own_numbers(tulle_format format, const tulle_storage *s) {
    int has = tulle__format_of(format)->numbers;
    tulle_storage own = {.stored = s->stored};
#define N(number, name)                                                                            \
    if (has & TULLE__HAS_##number) own.name = s->name;
    TULLE__EACH_NUMBER(N)
#undef N
    for (int i = 1; i <= own.sections; i++) {
        own.section_row[i] = s->section_row[i];
        own.section_at[i] = s->section_at[i];
    }
    return own;
}

/* Makes arrays NULL that the format does not have, and that would be empty even in a matrix with
 * entries. */
static void forget_others(tulle__pattern_view *v) {
    const tulle_storage some = {.stored = 32,
                                .width = 1,
                                .slice = 1,
                                .window = v->storage.window,
                                .coded = TULLE__PIECE,
                                .heads = 1,
                                .block = 1,
                                .full = v->storage.full};
    tulle_mat_lengths n = tulle__counts(v->format, 1, 1, &some);
    for (int k = 0; k < TULLE__ARRAYS; k++) {
        if (tulle__array_count(&n, k) == 0) *tulle__view_array(v, k) = NULL;
    }
}

tulle_status tulle__check_storage(const char *function, tulle__pattern_view *view) {
    if ((unsigned)view->format >= TULLE_FORMAT_COUNT) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "format", -1,
                           "format %d is not one of tulle_format", (int)view->format);
    }
    TULLE__TRY(check_numbers(function, view));
    view->storage = own_numbers(view->format, &view->storage);
    forget_others(view);
    return TULLE_OK;
}
