/* SPDX-License-Identifier: Apache-2.0 */
#include "fem/patches/patched.h"

#include "fem/arrays.h"
#include "fem/functions.h"

static tulle_status combine(const tulle__patched *own, tulle_type type, const tulle__column *a) {
    const tulle__combine_job job = {.type = type,
                                    .count = own->rest.count,
                                    .rows = own->rest.rows,
                                    .vectors = tulle__vectors_of(a),
                                    .ends = own->rest.ends,
                                    .from = own->rest.from,
                                    .products = own->slots,
                                    .masked = own->masked,
                                    .scales = own->rest.scales};
    if (job.count == 0) return TULLE_OK;
    return a->ctx->backend->fem->combine_products(&a->ctx->place, &job);
}

/* Sums in slots come to y after all of them are there; atomic additions find beta y. */
tulle_status tulle__patched_multiply(const tulle__patched *own, tulle_type type,
                                     const tulle__column *a) {
    if (own->atomic) TULLE__TRY(combine(own, type, a));
    for (int k = 0; k < own->blocks; k++) {
        const tulle__patched_block *b = &own->block[k];
        if (b->patching.count > 0) TULLE__TRY(b->kind->multiply(own, b, type, a));
    }
    TULLE__TRY(tulle__kept_multiply(&own->kept, type, a, own->slots, own->between));
    return own->atomic ? TULLE_OK : combine(own, type, a);
}

tulle_status tulle__patched_divide(tulle__patched_making *m) {
    for (int k = 0; k < m->own->blocks; k++) {
        tulle__patched_block *b = &m->own->block[k];
        if (b->patching.count == 0) continue;
        b->kind->limit(m, b);
        TULLE__TRY(tulle__patches_divide(&b->patching, m->rest.touched));
    }
    return TULLE_OK;
}

static tulle_status fill(tulle__patched_making *m) {
    tulle__patched *own = m->own;
    for (int k = 0; k < own->blocks; k++) {
        tulle__patched_block *b = &own->block[k];
        b->first_slot = own->between;
        if (b->patching.count > 0) TULLE__TRY(b->kind->fill(m, b));
        own->between += b->slots;
        tulle__patching_close(&b->patching);
    }
    return TULLE_OK;
}

/* Numbers that the largest patch is worked on in. */
static int64_t largest_room(const tulle__patched *own) {
    int64_t most = 0;
    for (int k = 0; k < own->blocks; k++) {
        const int64_t room = own->block[k].kind->room(&own->block[k]);
        if (room > most) most = room;
    }
    return most;
}

/* Brings the rest, and makes room for sums. */
static tulle_status bring(tulle__patched_making *m) {
    tulle__patched *own = m->own;
    const int64_t size = tulle_type_size(m->type);
    TULLE__TRY(tulle__rest_bring(&m->rest, !own->atomic, &own->rest));
    if (own->masked) {
        TULLE__TRY(tulle__rest_bring_scales(&m->rest, m->extras->rows.scales, m->type, &own->rest));
    }
    if (m->ctx->kind == TULLE_CPU) {
        const int64_t numbers = largest_room(own) * m->ctx->place.threads;
        TULLE__TRY(tulle__array_new(m->ctx, numbers, size, &own->room));
    }
    if (own->atomic) return TULLE_OK;
    return tulle__array_new(m->ctx, own->between + own->kept.products, size, &own->slots);
}

tulle_status tulle__patched_finish(tulle__patched_making *m) {
    const tulle__kept_given *kept = &m->extras->kept;
    TULLE__TRY(tulle__kept_touch(kept, &m->rest));
    TULLE__TRY(tulle__rest_list(&m->rest));
    TULLE__TRY(fill(m));
    TULLE__TRY(tulle__kept_open(m->ctx, kept, m->type, m->own->masked, &m->own->kept));
    TULLE__TRY(tulle__kept_list(kept, &m->own->kept, m->own->between, &m->rest));
    return bring(m);
}

void tulle__patched_close(tulle_ctx *ctx, tulle__patched *own) {
    tulle__free(ctx, own->room);
    tulle__free(ctx, own->slots);
    tulle__rest_close(ctx, &own->rest);
    tulle__kept_close(ctx, &own->kept);
    tulle__free(ctx, own->masked);
    for (int k = own->blocks - 1; k >= 0; k--) {
        own->block[k].kind->close(ctx, &own->block[k]);
        tulle__patching_close(&own->block[k].patching);
    }
    tulle__host_free(ctx, own->block);
}
