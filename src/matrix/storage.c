/* SPDX-License-Identifier: Apache-2.0 */
/* Layouts that a caller made: do their numbers fit, and what do they hold? */
#include "matrix/layout.h"
#include "matrix/packed.h"

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
    if (s->stored % (s->block * s->block) != 0) {
        return bad(function, "stored", s->stored, "a multiple of the cells of a block");
    }
    bool whole = v->rows % s->block == 0 && v->cols % s->block == 0;
    return whole || !s->full || s->stored == 0
               ? TULLE_OK
               : bad(function, "full", s->full, "false where blocks reach over the edge");
}

static tulle_status check_head(const char *function, const tulle_storage *s) {
    bool fits = s->head >= 0 && s->head <= s->stored && s->width >= 0;
    return fits ? TULLE_OK : bad(function, "head", s->head, "0 to the slots stored");
}

static tulle_status check_numbers(const char *function, const tulle__pattern_view *v) {
    const tulle_storage *s = &v->storage;
    switch (v->format) {
        case TULLE_ELL:
        case TULLE_ELLR:
        case TULLE_DIA:
            return check_stride(function, v, s->stored);
        case TULLE_HYB:
            TULLE__TRY(check_head(function, s));
            return check_stride(function, v, s->head);
        case TULLE_CSR_COO:
            return check_head(function, s);
        case TULLE_SELL:
            return check_sell(function, v);
        case TULLE_PACKED:
            return check_packed(function, v);
        case TULLE_JDS:
            return s->width >= 0 && s->width <= s->stored
                       ? TULLE_OK
                       : bad(function, "width", s->width, "0 to the slots stored");
        case TULLE_JDS_ELL:
            return check_sections(function, v);
        case TULLE_BSR:
            return check_bsr(function, v);
        default:
            return TULLE_OK;
    }
}

/* The numbers that the format has; whatever a caller left in the others is 0. */
static tulle_storage own_numbers(tulle_format format, const tulle_storage *s) {
    tulle_storage own = {.stored = s->stored};
    switch (format) {
        case TULLE_HYB:
            own.head = s->head;
            own.stride = s->stride;
            own.width = s->width;
            break;
        case TULLE_ELL:
        case TULLE_ELLR:
        case TULLE_DIA:
            own.stride = s->stride;
            own.width = s->width;
            break;
        case TULLE_CSR_COO:
            own.head = s->head;
            own.width = s->width;
            break;
        case TULLE_JDS:
            own.width = s->width;
            break;
        case TULLE_SELL:
            own.slice = s->slice;
            own.window = s->window;
            break;
        case TULLE_PACKED:
            own.slice = s->slice;
            own.window = s->window;
            own.coded = s->coded;
            break;
        case TULLE_JDS_ELL:
            own.sections = s->sections;
            for (int i = 0; i <= s->sections; i++) {
                own.section_row[i] = s->section_row[i];
                own.section_at[i] = s->section_at[i];
            }
            break;
        case TULLE_BSR:
            own.block = s->block;
            own.full = s->full;
            break;
        default:
            break;
    }
    return own;
}

/* Arrays that the format does not have are not looked at: those that would be empty even where
 * there are entries. */
static void forget_others(tulle__pattern_view *v) {
    const tulle_storage some = {.stored = 32,
                                .width = 1,
                                .slice = 1,
                                .window = v->storage.window,
                                .coded = TULLE__PIECE,
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

tulle_status tulle__check_layout_stats(const char *function, const tulle__pattern_view *view,
                                       const tulle__stats *s, int base) {
    static const struct {
        const char *argument, *text;
    } faults[] = {
        [TULLE__BAD_OFFSET] = {"offsets",
                               "offsets start at the base, never fall, and end where the slots "
                               "(bsr: the blocks) do; sell: they rise by whole slices; jds: "
                               "never by more than before"},
        [TULLE__BAD_INDEX] = {"cols", "is out of range"},
        [TULLE__BAD_PADDING] = {"cols", "entries stand before the padding of their row"},
        [TULLE__BAD_ASCENT] = {"cols", "diagonals, and the block columns of a block row, ascend"},
        [TULLE__BAD_TAIL] = {"rows", "the rows of the tail are in range and never fall"},
        [TULLE__BAD_ORDER] = {"order", "every row stands at one position"},
        [TULLE__BAD_LENGTH] = {"lengths", "it is the number of entries of the row"},
        [TULLE__BAD_MASK] = {"mask", "is the bit of a place outside the matrix"},
        [TULLE__BAD_CODES] = {"mask", "is the word of a line whose codes lie outside codes"}};
    if (s->bad_kind == TULLE__BAD_NONE) return TULLE_OK;
    const char *argument = faults[s->bad_kind].argument;
    if (view->format == TULLE_CSC && s->bad_kind == TULLE__BAD_INDEX) argument = "rows";
    if (view->format == TULLE_PACKED && s->bad_kind == TULLE__BAD_PADDING) argument = "mask";
    return tulle__fail(TULLE_INVALID_MATRIX, function, argument, -1, "%s, %s[%lld]: %lld: %s",
                       tulle_format_name(view->format), argument, (long long)s->bad_row,
                       (long long)s->bad_value + base, faults[s->bad_kind].text);
}

/* The CSR is made from a matrix that is not there for anybody else. */
static tulle_status stats_of(tulle_ctx *ctx, const tulle_mat *A, tulle__stats *stats) {
    tulle_mat *csr = NULL;
    TULLE__TRY(tulle__as_csr(ctx, A, A->pattern->index, false, &csr));
    tulle__pattern_view view = tulle__view_of(csr->pattern);
    tulle_status status = ctx->backend->check_pattern(&ctx->place, &view, stats);
    tulle_mat_destroy(csr);
    return status;
}

static tulle_status count_entries(tulle_ctx *ctx, tulle__pattern_view *view) {
    void *offsets = NULL;
    size_t bytes = 0;
    if (view->format == TULLE_CSC) return TULLE_OK;
    TULLE__TRY(tulle__size(view->rows + 1, tulle_offset_size(view->index), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &offsets));
    tulle_status status = ctx->backend->walk_offsets(&ctx->place, view, offsets, &view->nnz);
    tulle__free(ctx, offsets);
    return status;
}

tulle_status tulle__layout_stats(tulle_ctx *ctx, tulle__pattern_view *view, tulle_type type,
                                 const void *values, tulle__stats *stats) {
    static const tulle__array lent = {.ownership = TULLE_BORROW};
    TULLE__TRY(count_entries(ctx, view));
    tulle_mat *A = NULL;
    tulle__stats none = {.bad_row = -1};
    TULLE__TRY(tulle__mat_make(ctx, view, type, values, &lent, &none, &A));
    tulle_status status = stats_of(ctx, A, stats);
    tulle_mat_destroy(A);
    return status;
}
