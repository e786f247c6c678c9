/* SPDX-License-Identifier: Apache-2.0 */
/* Making the forms of a pattern. */
#include "matrix/build.h"
#include "matrix/copies.h"
#include "matrix/functions.h"
#include "matrix/reformat.h"
#include "matrix/turn.h"

/* A form to be made: the pattern, the form's key, and its source. */
typedef struct form_job {
    tulle_ctx *ctx;
    const char *function;
    tulle_mat *A;
    const tulle__form_key *key;
    tulle_type type;     /* type of the values */
    tulle__form *source; /* held source; NULL: A's pattern */
} form_job;

static const tulle__pattern *source_pattern(const form_job *job) {
    return tulle__form_pattern(job->source, job->A);
}

static tulle_status new_form(const form_job *job, tulle__form **form) {
    return tulle__form_new(job->ctx, job->key, job->source, form);
}

/* Makes a form of columns that were sorted: they are the CSR of the transpose, or the CSC of the
 * matrix itself. */
static tulle_status adopt_columns(const form_job *job, void *offsets, void *indices,
                                  tulle__pattern **pattern) {
    static const tulle__array from_pool = {.ownership = TULLE_COPY};
    const tulle__pattern *p = source_pattern(job);
    tulle_ctx *ctx = job->ctx;
    if (!job->key->transposed) {
        tulle__pattern_view csc = {.rows = p->rows,
                                   .cols = p->cols,
                                   .nnz = p->nnz,
                                   .format = TULLE_CSC,
                                   .index = p->index,
                                   .offsets = offsets,
                                   .rows_of = indices};
        return tulle__pattern_make(ctx, &csc, &from_pool, &p->stats, pattern);
    }
    tulle__pattern_view csr = {.rows = p->cols,
                               .cols = p->rows,
                               .nnz = p->nnz,
                               .format = TULLE_CSR,
                               .index = p->index,
                               .offsets = offsets,
                               .cols_of = indices};
    tulle__stats stats;
    TULLE__TRY(tulle__turned_stats(ctx, &p->stats, &csr, &stats));
    return tulle__pattern_make(ctx, &csr, &from_pool, &stats, pattern);
}

static tulle_status fill_by_columns(const form_job *job, tulle__form *made) {
    const tulle__pattern *p = source_pattern(job);
    tulle_ctx *ctx = job->ctx;
    size_t offsets_bytes = 0, index_bytes = 0, perm_bytes = 0;
    TULLE__TRY(tulle__size(p->cols + 1, tulle_offset_size(p->index), 0, &offsets_bytes));
    TULLE__TRY(tulle__size(p->nnz, tulle_index_size(p->index), 0, &index_bytes));
    TULLE__TRY(tulle__size(p->nnz, sizeof *made->perm, 0, &perm_bytes));
    void *offsets = NULL, *indices = NULL, *perm = NULL;
    tulle_status status = tulle__alloc(ctx, offsets_bytes, &offsets);
    if (status == TULLE_OK) status = tulle__alloc(ctx, index_bytes, &indices);
    if (status == TULLE_OK) status = tulle__alloc(ctx, perm_bytes, &perm);
    if (status == TULLE_OK) status = tulle__turn_pattern(ctx, p, offsets, indices, perm);
    if (status == TULLE_OK) status = adopt_columns(job, offsets, indices, &made->pattern);
    if (status == TULLE_OK) {
        made->perm = perm;
        return TULLE_OK;
    }
    tulle__free(ctx, perm);
    tulle__free(ctx, indices);
    tulle__free(ctx, offsets);
    return status;
}

static tulle_status make_by_columns(const form_job *job, tulle__form **form) {
    tulle__form *made = NULL;
    TULLE__TRY(tulle__check_offsets_fit(job->function, job->ctx, source_pattern(job)->cols,
                                        source_pattern(job)->index));
    TULLE__TRY(new_form(job, &made));
    tulle_status status = fill_by_columns(job, made);
    if (status != TULLE_OK) {
        made->source = NULL; /* the source stays the job's */
        tulle__form_release(made);
        return status;
    }
    tulle__form_put(job->A->pattern, made);
    *form = made;
    return TULLE_OK;
}

/* Makes a matrix, for a moment, of the source with A's values. */
static tulle_status source_matrix(const form_job *job, tulle_mat **S) {
    tulle_mat *A = job->A;
    TULLE__TRY(tulle__copies_make(job->ctx, A, job->source, job->type));
    if (!job->source && job->type == A->type) {
        *S = tulle_mat_retain(A);
        return TULLE_OK;
    }
    tulle__array lent = {.data = (void *)tulle__copy_values(A, job->source, job->type),
                         .ownership = TULLE_BORROW};
    tulle__pattern *pattern = (tulle__pattern *)source_pattern(job);
    return tulle__mat_around(job->ctx, pattern, job->type, &lent, S);
}

/* Makes a form around B's arrays; B's values, which others have for themselves, become A's copy,
 * unless their order is the source's. */
static tulle_status adopt_converted(const form_job *job, tulle_mat *B, void *clipped,
                                    tulle__form **form) {
    tulle__form *made = NULL;
    TULLE__TRY(new_form(job, &made));
    made->pattern = B->pattern;
    made->clipped = clipped;
    tulle__pattern_retain(B->pattern);
    tulle__form_put(job->A->pattern, made);
    *form = made;
    if (tulle__form_of_values(made) != made) return TULLE_OK;
    tulle_status status = tulle__copy_put(job->ctx, job->A, made, job->type, B->values.data);
    if (status == TULLE_OK) B->values.data = NULL;
    return status;
}

/* Fails if B has fewer entries than its source, that is, if the conversion has added repeated
 * entries up: new values are put into B's slots one by one, and would not be added up. */
static tulle_status check_entries(const form_job *job, const tulle_mat *B) {
    if (B->pattern->nnz == source_pattern(job)->nnz) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, job->function, "A", -1,
                       "A has repeated entries, which a plan in format %s cannot hold: sum them "
                       "first (tulle_mat_convert, TULLE_SUM_DUPLICATES)",
                       tulle_format_name(job->key->format));
}

static tulle_status make_converted(const form_job *job, tulle__form **form) {
    tulle_mat *S = NULL, *B = NULL;
    void *clipped = NULL;
    TULLE__TRY(source_matrix(job, &S));
    tulle_status status =
        tulle__convert(job->function, job->ctx, S, job->key->format, source_pattern(job)->index,
                       &job->key->options, &clipped, &B);
    tulle_mat_destroy(S);
    if (status != TULLE_OK) return status;
    status = check_entries(job, B);
    if (status == TULLE_OK) status = adopt_converted(job, B, clipped, form);
    if (!*form) tulle__free(job->ctx, clipped);
    tulle_mat_destroy(B);
    return status;
}

static bool by_columns(const tulle__form_key *key) {
    return key->format == (key->transposed ? TULLE_CSR : TULLE_CSC);
}

/* Makes the source of a form: all but the transpose itself are made from it, or from the
 * pattern. */
static tulle_status make_source(form_job *job) {
    static const tulle__form_key transpose = {.format = TULLE_CSR, .transposed = true};
    if (!job->key->transposed || job->key->format == TULLE_CSR) return TULLE_OK;
    return tulle__form_make(job->ctx, job->function, job->A, &transpose, job->type, &job->source);
}

tulle_status tulle__form_make(tulle_ctx *ctx, const char *function, tulle_mat *A,
                              const tulle__form_key *key, tulle_type type, tulle__form **form) {
    *form = tulle__form_find(A->pattern, key);
    if (!*form) {
        form_job job = {.ctx = ctx, .function = function, .A = A, .key = key, .type = type};
        TULLE__TRY(make_source(&job));
        tulle_status status =
            by_columns(key) ? make_by_columns(&job, form) : make_converted(&job, form);
        if (!*form) tulle__form_release(job.source);
        if (status != TULLE_OK) {
            tulle__form_release(*form);
            *form = NULL;
            return status;
        }
    }
    tulle_status status = tulle__copies_make(ctx, A, *form, type);
    if (status == TULLE_OK) return TULLE_OK;
    tulle__form_release(*form);
    *form = NULL;
    return status;
}
