/* SPDX-License-Identifier: Apache-2.0 */
/* The pattern that elements make, and what comes to which of its entries: pairs of points are
 * sorted by row and column, stably, so that those of an entry come in the order of elements. Pairs
 * of points that are left out go into a row behind the others, which is then forgotten; points with
 * masked unknowns have a pair with themselves behind all others, which stands for no number. */
#include "fem/assembly/assembly.h"
#include "fem/functions.h"
#include "matrix/build.h"
#include "matrix/result.h"

/* Pairs, or places, in the making; all of the context's memory. */
typedef struct sorting {
    int64_t count;    /* number of pairs, diagonals included */
    int64_t numbered; /* number of pairs with numbers */
    int32_t *rows_of, *cols_of;
    int64_t *starts; /* beginnings of points + 1 rows, and the end */
    int32_t *sorted_cols;
    int64_t *order, *entry_of;
    int64_t sorted; /* number of pairs in the rows of points */
} sorting;

static tulle_status get(tulle_ctx *ctx, int64_t count, int64_t size, void *array) {
    size_t bytes;
    TULLE__TRY(tulle__size(count, size, 0, &bytes));
    return tulle__alloc(ctx, bytes, array);
}

static void let_go(tulle_ctx *ctx, sorting *s) {
    void *const all[] = {s->entry_of, s->order, s->sorted_cols, s->starts, s->cols_of, s->rows_of};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) tulle__free(ctx, all[i]);
}

static tulle_status open_sorting(tulle_assembly *S, sorting *s) {
    tulle_ctx *ctx = S->ctx;
    TULLE__TRY(get(ctx, s->count, sizeof *s->rows_of, &s->rows_of));
    TULLE__TRY(get(ctx, s->count, sizeof *s->cols_of, &s->cols_of));
    TULLE__TRY(get(ctx, S->points + 2, sizeof *s->starts, &s->starts));
    TULLE__TRY(get(ctx, s->count, sizeof *s->sorted_cols, &s->sorted_cols));
    return get(ctx, s->count, sizeof *s->order, &s->order);
}

/* Stably, by row and column. */
static tulle_status sort(tulle_assembly *S, sorting *s, int64_t cols) {
    tulle_ctx *ctx = S->ctx;
    int64_t nnz = 0;
    const tulle__coo_to_csr job = {.rows = S->points + 1,
                                   .cols = cols > 0 ? cols : 1,
                                   .nnz = s->count,
                                   .in_index_size = sizeof(int32_t),
                                   .index = TULLE_I64_I32,
                                   .type = TULLE_F32,
                                   .rows_of = s->rows_of,
                                   .cols_of = s->cols_of,
                                   .offsets = s->starts,
                                   .out_cols = s->sorted_cols,
                                   .perm = s->order,
                                   .host_nnz = &nnz};
    TULLE__TRY(ctx->backend->matrix->coo_to_csr(&ctx->place, &job));
    tulle__free(ctx, s->rows_of);
    tulle__free(ctx, s->cols_of);
    s->rows_of = s->cols_of = NULL;
    return tulle__copy_wait(ctx, &s->sorted, s->starts + S->points, sizeof s->sorted);
}

static tulle_status pair_all(tulle_assembly *S, const sorting *s) {
    tulle_ctx *ctx = S->ctx;
    tulle__pairs_job job = {.points = S->points,
                            .rows_of = s->rows_of,
                            .cols_of = s->cols_of,
                            .masked = S->masked,
                            .unknowns = S->block,
                            .first = s->numbered};
    for (int b = 0; b < S->parts.count; b++) {
        job.block = &S->parts.block[b];
        if (job.block->count == 0) continue;
        TULLE__TRY(ctx->backend->fem->pair_points(&ctx->place, &job));
    }
    if (!S->masked) return TULLE_OK;
    job.block = NULL;
    return ctx->backend->fem->pair_diagonals(&ctx->place, &job);
}

static tulle_status place_all(tulle_assembly *S, const sorting *s) {
    tulle_ctx *ctx = S->ctx;
    tulle__pairs_job job = {.points = S->points, .rows_of = s->rows_of, .cols_of = s->cols_of};
    for (int b = 0; b < S->parts.count; b++) {
        job.block = &S->parts.block[b];
        if (job.block->count == 0) continue;
        TULLE__TRY(ctx->backend->fem->place_points(&ctx->place, &job));
    }
    return TULLE_OK;
}

/* 32 bits do not hold all of them, and one more, which means none. */
static bool is_wide(int64_t numbers, int64_t sorted) {
    return numbers >= UINT32_MAX || sorted >= UINT32_MAX;
}

static tulle_status open_list(tulle_assembly *S, int64_t items, int64_t sorted, int64_t numbers,
                              tulle__sum_list *list) {
    list->wide = is_wide(numbers, sorted);
    list->count = sorted;
    const int64_t size = list->wide ? 8 : 4;
    TULLE__TRY(tulle__assembly_alloc(S, items + 1, size, &list->ends));
    return tulle__assembly_alloc(S, sorted, size, &list->from);
}

static tulle__entries_job entries_job(const tulle_assembly *S, const sorting *s) {
    return (tulle__entries_job){.blocks = &S->parts,
                                .pairs = s->numbered,
                                .sorted = s->sorted,
                                .rows = S->points,
                                .starts = s->starts,
                                .cols_of = s->sorted_cols,
                                .order = s->order,
                                .entry_of = s->entry_of};
}

static tulle_status count_entries(tulle_assembly *S, sorting *s) {
    tulle_ctx *ctx = S->ctx;
    TULLE__TRY(get(ctx, s->sorted + 1, sizeof *s->entry_of, &s->entry_of));
    tulle__entries_job job = entries_job(S, s);
    job.host_entries = &S->items;
    return ctx->backend->fem->count_entries(&ctx->place, &job);
}

static int64_t numbers_of(const tulle_assembly *S) {
    if (S->parts.count == 0) return 0;
    const tulle__fem_block *last = &S->parts.block[S->parts.count - 1];
    return last->first_number + last->numbers;
}

static int64_t numbers_of_vectors(const tulle_assembly *S) {
    if (S->parts.count == 0) return 0;
    const tulle__fem_block *last = &S->parts.block[S->parts.count - 1];
    return last->first_of_vector + last->of_vector;
}

/* A pattern of points, with values, as CSR or as BSR. */
static tulle_status open_draft(const tulle_assembly *S, tulle__draft *draft, bool blocks) {
    const int64_t numbers = S->items * S->block * S->block;
    *draft = (tulle__draft){.ctx = S->ctx,
                            .rows = S->points * S->block,
                            .cols = S->points * S->block,
                            .nnz = numbers,
                            .format = blocks ? TULLE_BSR : TULLE_CSR,
                            .index = numbers > INT32_MAX ? TULLE_I64_I32 : TULLE_I32,
                            .type = TULLE_F32,
                            .storage = {.stored = numbers}};
    if (blocks) {
        draft->storage.block = S->block;
        draft->storage.full = true;
    }
    TULLE__TRY(tulle__draft_alloc(draft));
    const size_t bytes = tulle__bytes(numbers, tulle_type_size(draft->type));
    if (bytes == 0) return TULLE_OK;
    return S->ctx->backend->set_bytes(&S->ctx->place, draft->values, 0, bytes);
}

static tulle_status stats_of(const tulle__draft *draft, tulle__stats *stats) {
    tulle_ctx *ctx = draft->ctx;
    const tulle__pattern_view view = tulle__draft_view(draft);
    return ctx->backend->matrix->rising_stats(&ctx->place, &view, stats);
}

/* Fills the draft, and the list of what comes to its entries. */
static tulle_status write_entries(tulle_assembly *S, const sorting *s, tulle__draft *draft) {
    tulle__entries_job job = entries_job(S, s);
    TULLE__TRY(open_list(S, S->items, s->sorted, numbers_of(S), &S->entries));
    job.index = draft->index;
    job.offsets = draft->arrays.offsets;
    job.cols = draft->arrays.cols_of;
    job.wide = S->entries.wide;
    job.ends = S->entries.ends;
    job.from = S->entries.from;
    S->contributions = s->sorted * S->block * S->block;
    return S->ctx->backend->fem->write_entries(&S->ctx->place, &job);
}

static tulle_status draft_pattern(tulle_assembly *S, const sorting *s, bool blocks, tulle_mat **A) {
    tulle__draft draft;
    tulle__stats stats;
    tulle_status status = open_draft(S, &draft, blocks);
    if (status == TULLE_OK) status = write_entries(S, s, &draft);
    if (status == TULLE_OK) status = stats_of(&draft, &stats);
    if (status == TULLE_OK) return tulle__draft_finish(&draft, &stats, A);
    tulle__draft_free(&draft);
    return status;
}

static tulle__pattern_view points_of(const tulle_assembly *S, const tulle_mat *A) {
    tulle__pattern_view csr = tulle__view_of(A->pattern);
    csr.format = TULLE_CSR;
    csr.rows = csr.cols = S->points;
    csr.nnz = S->items;
    csr.storage = (tulle_storage){.stored = S->items};
    return csr;
}

/* Converts the pattern to ELL; the assembly keeps where rows begin in the list of entries. */
static tulle_status to_ell(tulle_assembly *S, const tulle_mat *csr, tulle_mat **ell) {
    tulle_ctx *ctx = S->ctx;
    const int64_t size = tulle_offset_size(S->index);
    TULLE__TRY(tulle__assembly_alloc(S, S->points + 1, size, &S->offsets));
    TULLE__TRY(ctx->backend->copy(&ctx->place, S->offsets, csr->pattern->offsets.data,
                                  tulle__bytes(S->points + 1, size)));
    return tulle_mat_convert(ctx, csr, TULLE_ELL, S->index, 0, ell);
}

/* Keeps the pattern of a matrix in CSR or BSR, and of ELL. */
static tulle_status keep(tulle_assembly *S, const tulle_mat *A, const tulle_mat *ell) {
    const tulle__pattern_view csr = points_of(S, A);
    S->pattern = (ell ? ell : A)->pattern;
    tulle__pattern_retain(S->pattern);
    if (!S->masked) return TULLE_OK;
    return tulle__assembly_mask(S, &csr, ell ? ell->pattern->storage.stride : 0);
}

static tulle_status make_pattern(tulle_assembly *S, const sorting *s, tulle_format format,
                                 const int64_t *places) {
    tulle_mat *A = NULL, *ell = NULL;
    TULLE__TRY(draft_pattern(S, s, format == TULLE_BSR, &A));
    S->index = A->pattern->index;
    const tulle__pattern_view csr = points_of(S, A);
    const int64_t longest = A->pattern->stats.max_row / S->block;
    tulle_status status = format == TULLE_ELL ? to_ell(S, A, &ell) : TULLE_OK;
    if (status == TULLE_OK) status = keep(S, A, ell);
    if (status == TULLE_OK) status = tulle__assembly_find_visits(S, &csr, longest, places);
    tulle_mat_destroy(ell);
    tulle_mat_destroy(A);
    return status;
}

static tulle_status find_entries(tulle_assembly *S, tulle_format format, const int64_t *places) {
    sorting s = {0};
    for (int b = 0; b < S->parts.count; b++) s.numbered += tulle__pairs_of(&S->parts.block[b]);
    s.count = s.numbered + (S->masked ? S->points : 0);
    tulle_status status = open_sorting(S, &s);
    if (status == TULLE_OK) status = pair_all(S, &s);
    if (status == TULLE_OK) status = sort(S, &s, S->points);
    if (status == TULLE_OK) status = count_entries(S, &s);
    if (status == TULLE_OK) status = make_pattern(S, &s, format, places);
    let_go(S->ctx, &s);
    return status;
}

static tulle_status write_places(tulle_assembly *S, const sorting *s) {
    TULLE__TRY(open_list(S, S->points, s->sorted, numbers_of_vectors(S), &S->places));
    return S->ctx->backend->fem->write_places(&S->ctx->place,
                                              &(tulle__places_job){.blocks = &S->parts,
                                                                   .sorted = s->sorted,
                                                                   .rows = S->points,
                                                                   .starts = s->starts,
                                                                   .order = s->order,
                                                                   .wide = S->places.wide,
                                                                   .ends = S->places.ends,
                                                                   .from = S->places.from});
}

tulle_status tulle__assembly_find_places(tulle_assembly *S, int64_t **order) {
    sorting s = {0};
    for (int b = 0; b < S->parts.count; b++) s.count += tulle__places_of_block(&S->parts.block[b]);
    tulle_status status = open_sorting(S, &s);
    if (status == TULLE_OK) status = place_all(S, &s);
    if (status == TULLE_OK) status = sort(S, &s, 1);
    if (status == TULLE_OK) status = write_places(S, &s);
    if (status == TULLE_OK && order) {
        *order = s.order;
        s.order = NULL;
    }
    let_go(S->ctx, &s);
    return status;
}

tulle_status tulle__assembly_find(tulle_assembly *S, tulle_format format) {
    int64_t *places = NULL;
    TULLE__TRY(tulle__progress(S->ctx, "assembling", 0, 2));
    TULLE__TRY(tulle__assembly_find_places(S, &places));
    tulle_status status = tulle__progress(S->ctx, "assembling", 1, 2);
    if (status == TULLE_OK) status = find_entries(S, format, places);
    tulle__free(S->ctx, places);
    return status == TULLE_OK ? tulle__progress(S->ctx, "assembling", 2, 2) : status;
}
