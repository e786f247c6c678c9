/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/ends.h"

#include "format/faults.h"

/* Reports the fault of offsets in the context's memory that do not end where they must: then no
 * check gets as far as another array. */
static tulle_status tell_offsets(const char *function, tulle_ctx *ctx,
                                 const tulle__pattern_view *view, int base) {
    tulle__stats stats;
    if (view->format == TULLE_CSR) {
        TULLE__TRY(ctx->backend->matrix->check_pattern(&ctx->place, view, &stats));
        return tulle__check_stats(function, ctx, view, &stats, base);
    }
    TULLE__TRY(ctx->backend->format->check_layout(&ctx->place, view, &stats));
    return tulle__check_layout_stats(function, view, &stats, base);
}

static tulle_status refuse_offsets(const char *function, tulle_ctx *ctx,
                                   const tulle__pattern_view *given, int64_t count, int base) {
    int64_t size = tulle_offset_size(given->index);
    size_t bytes = tulle__bytes(count, size);
    void *offsets = NULL;
    TULLE__TRY(tulle__alloc(ctx, bytes, &offsets));
    tulle__pattern_view view = {.rows = given->rows,
                                .cols = given->cols,
                                .nnz = given->nnz,
                                .format = given->format,
                                .index = given->index,
                                .offsets = offsets,
                                .storage = given->storage};
    tulle_status status = tulle__copy_wait(ctx, offsets, given->offsets, bytes);
    if (status == TULLE_OK && base != 0) {
        status = ctx->backend->format->convert_indices(&ctx->place, count, size, offsets, size,
                                                       offsets, -base);
    }
    if (status == TULLE_OK) status = tell_offsets(function, ctx, &view, base);
    tulle__free(ctx, offsets);
    return status;
}

static tulle_status check_offsets(const char *function, tulle_ctx *ctx,
                                  const tulle__pattern_view *view, int base) {
    int64_t count = tulle__counts(view->format, view->rows, view->cols, &view->storage).offsets;
    int64_t size = tulle_offset_size(view->index), last = 0;
    size_t bytes = 0;
    if (count == 0) return TULLE_OK;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    const char *from = (const char *)view->offsets + bytes - size;
    TULLE__TRY(tulle__copy_wait(ctx, &last, from, (size_t)size));
    if (tulle__get(&last, size, 0) == tulle__facts_of(view).last + base) return TULLE_OK;
    return refuse_offsets(function, ctx, view, count, base);
}

/* The end of the codes as the words of the lines give it. Words are looked at from the last on:
 * in a matrix that a conversion made, the last line with codes is where they end. */
typedef struct words {
    int64_t pieces; /* number of pieces of codes that there must be */
    bool met;       /* true when a line ends there */
    int64_t most;   /* largest end of a line's codes */
    tulle__stats fault;
} words;

static void look_at(words *w, int64_t first, const uint32_t *mask, int64_t count) {
    for (int64_t i = count - 1; i >= 0 && !w->met; i--) {
        uint32_t word = mask[i];
        int kind = (first + i) % 2 == 1 ? tulle__word_kind(word) : 0;
        if (kind == 0) continue;
        int64_t end = tulle__word_place(word) + tulle__code_bytes(kind);
        w->met = end == w->pieces;
        if (end > w->most) w->most = end;
        if (end <= w->pieces) continue;
        w->fault.bad_kind = TULLE__BAD_CODES;
        w->fault.bad_row = first + i;
        w->fault.bad_value = word;
    }
}

static tulle_status check_codes(const char *function, tulle_ctx *ctx,
                                const tulle__pattern_view *view) {
    uint32_t room[1024];
    const int64_t most = sizeof room / sizeof *room;
    words w = {.pieces = view->storage.coded / TULLE__PIECE};
    int64_t left = tulle__counts(view->format, view->rows, view->cols, &view->storage).mask;
    while (left > 0 && w.pieces > 0 && !w.met) {
        int64_t count = left < most ? left : most;
        left -= count;
        const char *from = (const char *)view->mask + left * (int64_t)sizeof *room;
        TULLE__TRY(tulle__copy_wait(ctx, room, from, (size_t)count * sizeof *room));
        look_at(&w, left, room, count);
    }
    if (w.met || w.pieces == 0) return TULLE_OK;
    TULLE__TRY(tulle__check_layout_stats(function, view, &w.fault, 0));
    return tulle__fail(TULLE_INVALID_MATRIX, function, "mask", -1,
                       "packed: coded is %lld, but the codes of the lines end at %lld: coded must "
                       "be that",
                       (long long)view->storage.coded, (long long)(w.most * TULLE__PIECE));
}

tulle_status tulle__check_ends(const char *function, tulle_ctx *ctx,
                               const tulle__pattern_view *view, int base) {
    TULLE__TRY(check_offsets(function, ctx, view, base));
    return view->format == TULLE_PACKED ? check_codes(function, ctx, view) : TULLE_OK;
}
