/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/form.h"

#include "format/formats.h"
#include "matrix/marks_of.h"

static bool same_options(const tulle_convert_options *a, const tulle_convert_options *b) {
    return a->flags == b->flags && a->slice == b->slice && a->window == b->window &&
           a->width == b->width && a->block == b->block && a->block_cols == b->block_cols &&
           !(a->fill < b->fill) && !(a->fill > b->fill);
}

static bool same(const tulle__form_key *a, const tulle__form_key *b) {
    return a->format == b->format && a->transposed == b->transposed &&
           same_options(&a->options, &b->options);
}

static void free_form(tulle__derived *derived) {
    tulle__form *form = (tulle__form *)derived;
    tulle_ctx *ctx = derived->ctx;
    tulle__pattern_release(form->pattern);
    tulle__free(ctx, form->perm);
    tulle__free(ctx, form->clipped);
    tulle__form_release(form->source);
}

static int64_t bytes_of(const tulle__derived *derived) {
    return tulle__form_bytes((const tulle__form *)derived);
}

static const tulle__owner forms = {.free = free_form, .bytes = bytes_of, .leaves = true};

tulle_status tulle__form_new(tulle_ctx *ctx, const tulle__form_key *key, tulle__form *source,
                             tulle__form **form) {
    *form = tulle__derived_new(ctx, sizeof **form, &forms);
    if (!*form) return TULLE_OUT_OF_MEMORY;
    (*form)->key = *key;
    (*form)->source = source;
    return TULLE_OK;
}

void tulle__form_put(tulle__pattern *pattern, tulle__form *form) {
    pthread_mutex_lock(&pattern->lock);
    tulle__derived_put(pattern, &form->base);
    pthread_mutex_unlock(&pattern->lock);
}

tulle__form *tulle__form_find(tulle__pattern *pattern, const tulle__form_key *key) {
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *form = tulle__derived_first(pattern, &forms);
    while (form && !same(&((tulle__form *)form)->key, key)) form = tulle__derived_next(form);
    tulle__derived_retain(form);
    pthread_mutex_unlock(&pattern->lock);
    return (tulle__form *)form;
}

tulle__form *tulle__form_retain(tulle__form *form) {
    if (form) tulle__derived_retain(&form->base);
    return form;
}

void tulle__form_release(tulle__form *form) {
    if (form) tulle__derived_release(&form->base);
}

int64_t tulle__form_bytes(const tulle__form *form) {
    if (!form) return 0;
    const tulle__pattern *p = form->pattern;
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    int64_t perm = form->perm ? p->nnz * (int64_t)sizeof *form->perm : 0;
    int64_t clipped = form->clipped ? (p->rows + 1) * tulle_offset_size(p->index) : 0;
    return tulle__structure_bytes(&n, p->index) + perm + clipped + tulle__marks_bytes(p);
}
