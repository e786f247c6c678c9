/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/form.h"

#include "matrix/counts.h"
#include "matrix/marks.h"

static bool same_options(const tulle_convert_options *a, const tulle_convert_options *b) {
    return a->flags == b->flags && a->slice == b->slice && a->window == b->window &&
           a->width == b->width && a->block == b->block && !(a->fill < b->fill) &&
           !(a->fill > b->fill);
}

static bool same(const tulle__form_key *a, const tulle__form_key *b) {
    return a->format == b->format && a->transposed == b->transposed &&
           same_options(&a->options, &b->options);
}

tulle__form *tulle__form_find(tulle__pattern *owner, const tulle__form_key *key) {
    pthread_mutex_lock(&owner->lock);
    tulle__form *form = owner->forms;
    while (form && !same(&form->key, key)) form = form->next;
    tulle__form_retain(form);
    pthread_mutex_unlock(&owner->lock);
    return form;
}

void tulle__form_put(tulle__form *form) {
    tulle__pattern *owner = form->owner;
    pthread_mutex_lock(&owner->lock);
    form->next = owner->forms;
    owner->forms = form;
    pthread_mutex_unlock(&owner->lock);
}

tulle__form *tulle__form_retain(tulle__form *form) {
    if (form) form->users++;
    return form;
}

static void unlink_form(tulle__form *form) {
    tulle__form **link = &form->owner->forms;
    while (*link != form) link = &(*link)->next;
    *link = form->next;
}

static void free_form(tulle__form *form) {
    tulle_ctx *ctx = form->pattern->ctx;
    tulle__ctx_retain(ctx);
    tulle__pattern_release(form->pattern);
    tulle__free(ctx, form->perm);
    tulle__free(ctx, form->clipped);
    tulle__host_free(ctx, form);
    tulle__ctx_release(ctx);
}

void tulle__form_release(tulle__form *form) {
    while (form) {
        tulle__form *source = form->source;
        pthread_mutex_lock(&form->owner->lock);
        bool last = --form->users == 0;
        if (last) unlink_form(form);
        pthread_mutex_unlock(&form->owner->lock);
        if (!last) return;
        free_form(form);
        form = source;
    }
}

int64_t tulle__form_bytes(const tulle__form *form) {
    if (!form) return 0;
    const tulle__pattern *p = form->pattern;
    tulle_mat_lengths n = tulle__counts(p->format, p->rows, p->cols, &p->storage);
    int64_t perm = form->perm ? p->nnz * (int64_t)sizeof *form->perm : 0;
    int64_t clipped = form->clipped ? (p->rows + 1) * tulle_offset_size(p->index) : 0;
    int64_t marks = p->marks ? tulle__mark_count(p->rows, p->nnz) * tulle_offset_size(p->index) : 0;
    return tulle__structure_bytes(&n, p->index) + perm + clipped + marks;
}
