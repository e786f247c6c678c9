/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_mat_facts. */
#include "matrix/facts.h"

#include <string.h>

#include "matrix/functions.h"
#include "matrix/reformat.h"
#include "matrix/renumber.h"

/* Blocks count as such where so much of them is entries. */
static const double full = 0.9;

static double number_of(int64_t bits) {
    double number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static void finish(const tulle__fact_job *job, const tulle__fact_counts *c, tulle_facts *f) {
    static const int64_t none = INT64_MAX;
    *f = (tulle_facts){.diagonal = c->diagonal,
                       .diagonal_zero = c->diagonal_zero,
                       .diagonal_positive = c->diagonal_positive,
                       .empty_diagonal = c->empty_diagonal == none ? -1 : c->empty_diagonal,
                       .off_diagonal = job->csr->nnz - c->diagonal,
                       .off_positive = c->off_positive,
                       .uneven = c->uneven,
                       .mirrored = c->mirrored,
                       .equal = c->equal,
                       .alike = c->alike,
                       .near = c->near,
                       .opposite = c->opposite,
                       .indefinite_pairs = c->indefinite_pairs,
                       .not_dominant = c->not_dominant,
                       .zeros = c->zeros,
                       .not_finite = c->not_finite,
                       .bad_row = c->bad_row,
                       .bad_column = c->bad_col,
                       .smallest = c->smallest == none ? 0 : number_of(c->smallest),
                       .largest = number_of(c->largest)};
    f->symmetric = job->square && c->unlike == 0 && f->alike == f->off_diagonal;
    f->nearly_symmetric = job->square && c->unlike == 0 && f->near == f->off_diagonal;
}

/* False when the pieces of rows alone show that blocks of the size are not full. */
static bool may_be_full(const tulle__fact_counts *c, int64_t nnz, int64_t size) {
    static const int64_t sizes[] = TULLE__FACT_BLOCKS;
    for (int i = 0; i < TULLE__FACT_BLOCK_COUNT; i++) {
        const double cells = (double)(sizes[i] * c->pieces[i]);
        if (size % sizes[i] == 0 && (double)nnz / cells < full) return false;
    }
    return true;
}

/* Finds the largest size of which the blocks are full. */
static tulle_status find_blocks(tulle_ctx *ctx, const tulle_mat *csr, const tulle__fact_counts *c,
                                tulle_facts *f) {
    static const int64_t sizes[] = {8, 6, 5, 4, 3, 2};
    const tulle__pattern *p = csr->pattern;
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes && p->nnz > 0; i++) {
        const tulle_convert_options options = {.block = sizes[i]};
        tulle_storage storage;
        if (p->rows < 2 * sizes[i] || !may_be_full(c, p->nnz, sizes[i])) continue;
        const tulle_status status = tulle__mat_forecast(ctx, csr, TULLE_BSR, &options, &storage);
        if (status == TULLE_UNSUPPORTED || status == TULLE_TOO_LARGE) return TULLE_OK;
        if (status != TULLE_OK) return status;
        const double filled = (double)p->nnz / (double)storage.stored;
        if (filled < full) continue;
        f->block = sizes[i];
        f->block_filled = filled;
        return TULLE_OK;
    }
    return TULLE_OK;
}

/* Counts the facts of a matrix as CSR with ascending columns. */
static tulle_status count(tulle_ctx *ctx, const tulle_mat *A, bool square, bool whole, bool blocks,
                          tulle_facts *f) {
    tulle_mat *csr = NULL;
    tulle__fact_counts counts;
    TULLE__TRY(tulle__as_csr(ctx, A, A->pattern->index, true, &csr));
    const tulle__pattern_view view = tulle__view_of(csr->pattern);
    const tulle__fact_job job = {.csr = &view,
                                 .type = csr->type,
                                 .values = csr->values.data,
                                 .square = square,
                                 .whole = whole};
    tulle_status status = ctx->backend->matrix->count_facts(&ctx->place, &job, &counts);
    if (status == TULLE_OK) finish(&job, &counts, f);
    if (status == TULLE_OK && blocks) status = find_blocks(ctx, csr, &counts, f);
    tulle_mat_destroy(csr);
    return status;
}

/* Returns the first number that an axis does not list. */
static int64_t first_missing(const tulle__axis *axis) {
    int64_t number = 0;
    while (number < axis->count && axis->numbers[number] == number) number++;
    return number;
}

/* Gives rows and columns their numbers in the whole matrix, in which rows without entries have no
 * diagonal either. */
static void number_back(const tulle__axis *axis, tulle_facts *f) {
    const int64_t missing = first_missing(axis);
    const int64_t empty = f->empty_diagonal < 0 ? missing : axis->numbers[f->empty_diagonal];
    f->empty_diagonal = empty < missing ? empty : missing;
    if (f->bad_row < 0) return;
    f->bad_row = axis->numbers[f->bad_row];
    f->bad_column = axis->numbers[f->bad_column];
}

/* Counts the facts of a hypersparse matrix: rows and columns get new indices together, so the
 * diagonal stays the diagonal. */
static tulle_status count_renumbered(tulle_ctx *ctx, const tulle_mat *A, bool whole,
                                     tulle_facts *f) {
    const tulle__pattern *p = A->pattern;
    tulle__axis axis = {.size = p->rows, .few = true};
    const tulle__axes_of axes = {A, &axis, &axis};
    tulle_mat *small = NULL;
    tulle_status status = tulle__axes_list(ctx, &axes, 1);
    if (status == TULLE_OK) status = tulle__renumber(ctx, &axes, &small);
    if (status == TULLE_OK) status = count(ctx, small, p->rows == p->cols, whole, false, f);
    if (status == TULLE_OK) number_back(&axis, f);
    tulle_mat_destroy(small);
    tulle__axes_free(ctx, &axes, 1);
    return status;
}

static bool is_hypersparse(const tulle__pattern *p) {
    const bool listed = p->format == TULLE_COO || tulle__has(p->format, TULLE__COMPRESSED);
    return listed && tulle__is_hypersparse(p->rows, p->nnz);
}

tulle_status tulle__mat_facts(tulle_ctx *ctx, const tulle_mat *A, bool whole, tulle_facts *facts) {
    static const char *const what = "analysing";
    const tulle__pattern *p = A->pattern;
    TULLE__TRY(tulle__progress(ctx, what, 0, p->nnz));
    tulle_facts found;
    TULLE__TRY(is_hypersparse(p) ? count_renumbered(ctx, A, whole, &found)
                                 : count(ctx, A, p->rows == p->cols, whole, true, &found));
    TULLE__TRY(tulle__progress(ctx, what, p->nnz, p->nnz));
    *facts = found;
    return TULLE_OK;
}

tulle_status tulle_mat_facts(tulle_ctx *ctx, const tulle_mat *A, tulle_facts *facts) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(facts);
    TULLE__TRY(tulle__check_space(__func__, ctx, A));
    const tulle__pattern *p = A->pattern;
    if (p->format != TULLE_CSR && !is_hypersparse(p)) {
        TULLE__TRY(tulle__check_offsets_fit(__func__, ctx, p->rows, p->index));
    }
    return tulle__mat_facts(ctx, A, true, facts);
}
