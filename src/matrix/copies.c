/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/copies.h"

#include "matrix/build.h"
#include "matrix/functions.h"

bool tulle__copy_needless(const tulle_mat *A, const tulle__form *form, tulle_type type) {
    return !form && type == A->type;
}

tulle__copy *tulle__copy_find(const tulle_mat *A, const tulle__form *form, tulle_type type) {
    tulle__copy *copy = A->copies;
    while (copy && (copy->form != form || copy->type != type)) copy = copy->next;
    return copy;
}

/* Number of values that are kept in the order of a form. */
static int64_t slots_of(const tulle_mat *A, const tulle__form *form) {
    return tulle__form_pattern(form, A)->storage.stored;
}

int64_t tulle__copy_bytes(const tulle_mat *A, const tulle__copy *copy) {
    return slots_of(A, copy->form) * tulle_type_size(copy->type);
}

static tulle__copy *find(const tulle_mat *A, tulle__form *form, tulle_type type) {
    pthread_mutex_lock(&A->pattern->lock);
    tulle__copy *copy = tulle__copy_find(A, form, type);
    pthread_mutex_unlock(&A->pattern->lock);
    return copy;
}

const void *tulle__copy_values(const tulle_mat *A, tulle__form *form, tulle_type type) {
    form = tulle__form_of_values(form);
    return tulle__copy_needless(A, form, type) ? A->values.data : find(A, form, type)->data;
}

/* Stores every value of the source in its slot; padding stays. */
static tulle_status fill_slots(tulle_ctx *ctx, const tulle_mat *A, const tulle__form *form,
                               tulle_type type, const void *from, void *to) {
    static const tulle__pattern_arrays values_only = {0};
    tulle__pattern_view csr = tulle__view_of(tulle__form_pattern(form->source, A));
    tulle__pattern_view laid = tulle__view_of(form->pattern);
    return ctx->backend->format->fill_layout(&ctx->place, &csr, type, from, &laid, form->clipped,
                                             &values_only, to);
}

static tulle_status fill(tulle_ctx *ctx, const tulle_mat *A, tulle__form *form, tulle_type type,
                         void *to) {
    const tulle__place *place = &ctx->place;
    if (A->pattern->nnz == 0) return TULLE_OK;
    if (!form) {
        return ctx->backend->format->convert_values(place, A->pattern->nnz, A->type, A->values.data,
                                                    type, to);
    }
    const void *from = tulle__copy_values(A, form->source, type);
    if (!form->perm) return fill_slots(ctx, A, form, type, from, to);
    return ctx->backend->format->gather_values(place, form->pattern->nnz, type, form->perm, from,
                                               to);
}

tulle_status tulle__copy_put(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type,
                             void *data) {
    tulle__copy *made = tulle__host_alloc(ctx, sizeof *made);
    if (!made) return TULLE_OUT_OF_MEMORY;
    tulle__ctx_retain(ctx);
    made->ctx = ctx;
    atomic_init(&made->users, 1);
    made->type = type;
    made->data = data;
    pthread_mutex_lock(&A->pattern->lock);
    made->form = tulle__form_retain(form);
    tulle__copy **end = &A->copies;
    while (*end) end = &(*end)->next;
    *end = made;
    pthread_mutex_unlock(&A->pattern->lock);
    return TULLE_OK;
}

static tulle_status make(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type) {
    void *data = NULL;
    size_t bytes = 0;
    TULLE__TRY(tulle__size(slots_of(A, form), tulle_type_size(type), 0, &bytes));
    TULLE__TRY(tulle__alloc(ctx, bytes, &data));
    tulle_status status = TULLE_OK;
    if (bytes > 0) status = ctx->backend->set_bytes(&ctx->place, data, 0, bytes);
    if (status == TULLE_OK) status = fill(ctx, A, form, type, data);
    if (status == TULLE_OK) {
        status = ctx->backend->stream_wait(ctx->place.device, ctx->place.stream);
    }
    if (status == TULLE_OK) status = tulle__copy_put(ctx, A, form, type, data);
    if (status != TULLE_OK) tulle__free(ctx, data);
    return status;
}

tulle_status tulle__copies_make(tulle_ctx *ctx, tulle_mat *A, tulle__form *form, tulle_type type) {
    form = tulle__form_of_values(form);
    if (tulle__copy_needless(A, form, type) || find(A, form, type)) return TULLE_OK;
    if (form) TULLE__TRY(tulle__copies_make(ctx, A, form->source, type));
    return make(ctx, A, form, type);
}

tulle_status tulle__copies_refresh(tulle_ctx *ctx, const tulle_mat *A) {
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        TULLE__TRY(fill(ctx, A, copy->form, copy->type, copy->data));
    }
    return TULLE_OK;
}

/* Takes the copies that nothing wants off A's list. */
static tulle__copy *take_unwanted(tulle_mat *A, const tulle__derived *also) {
    tulle__copy *unwanted = NULL, **link = &A->copies;
    while (*link) {
        tulle__copy *copy = *link;
        if (tulle__derived_want(A, copy) || (also && also->owner->wants(also, A, copy))) {
            link = &copy->next;
        } else {
            *link = copy->next;
            copy->next = unwanted;
            unwanted = copy;
        }
    }
    return unwanted;
}

static void release_all(tulle__copy *copies) {
    while (copies) {
        tulle__copy *next = copies->next;
        tulle__copy_release(copies);
        copies = next;
    }
}

void tulle__copies_prune(tulle_mat *A, const tulle__derived *also) {
    pthread_mutex_lock(&A->pattern->lock);
    tulle__copy *unwanted = take_unwanted(A, also);
    pthread_mutex_unlock(&A->pattern->lock);
    release_all(unwanted);
}

void tulle__copies_release(tulle_mat *A) {
    release_all(A->copies);
    A->copies = NULL;
}

void tulle__copy_release(tulle__copy *copy) {
    if (!copy || atomic_fetch_sub(&copy->users, 1) > 1) return;
    tulle_ctx *ctx = copy->ctx;
    tulle__form_release(copy->form);
    tulle__free(ctx, copy->data);
    tulle__host_free(ctx, copy);
    tulle__ctx_release(ctx);
}
