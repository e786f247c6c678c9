/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/derived.h"

#include "matrix/copies.h"

void *tulle__derived_new(tulle_ctx *ctx, size_t size, const tulle__owner *owner) {
    tulle__derived *made = tulle__host_alloc(ctx, size);
    if (!made) return NULL;
    made->owner = owner;
    made->ctx = ctx;
    tulle__ctx_retain(ctx);
    atomic_init(&made->users, 1);
    return made;
}

/* A bit for a kind, by its address; several kinds may share one. */
static unsigned bit_of(const tulle__owner *owner) {
    return 1u << ((uintptr_t)owner / sizeof *owner % 32);
}

bool tulle__derived_ever(const tulle__pattern *pattern, const tulle__owner *owner) {
    return atomic_load_explicit(&pattern->kinds, memory_order_acquire) & bit_of(owner);
}

static tulle__derived *from(tulle__derived *derived, const tulle__owner *owner) {
    while (derived && derived->owner != owner) derived = derived->next;
    return derived;
}

tulle__derived *tulle__derived_first(const tulle__pattern *pattern, const tulle__owner *owner) {
    return from(pattern->derived, owner);
}

tulle__derived *tulle__derived_next(const tulle__derived *derived) {
    return from(derived->next, derived->owner);
}

void tulle__derived_put(tulle__pattern *pattern, tulle__derived *derived) {
    derived->pattern = pattern;
    derived->next = pattern->derived;
    pattern->derived = derived;
    atomic_fetch_or_explicit(&pattern->kinds, bit_of(derived->owner), memory_order_release);
}

void tulle__derived_take(tulle__derived *derived) {
    tulle__derived **link = &derived->pattern->derived;
    while (*link != derived) link = &(*link)->next;
    *link = derived->next;
    derived->pattern = NULL;
}

void tulle__derived_retain(tulle__derived *derived) {
    if (derived) atomic_fetch_add(&derived->users, 1);
}

/* Takes a user off, and returns true when it was the last. Data that leaves the list with its
 * last user may be found in it until then, so users are counted under the lock. */
static bool lose(tulle__derived *derived) {
    if (!derived->owner->leaves) return atomic_fetch_sub(&derived->users, 1) == 1;
    tulle__pattern *pattern = derived->pattern;
    if (pattern) pthread_mutex_lock(&pattern->lock);
    bool last = atomic_fetch_sub(&derived->users, 1) == 1;
    if (last && pattern) tulle__derived_take(derived);
    if (pattern) pthread_mutex_unlock(&pattern->lock);
    return last;
}

void tulle__derived_release(tulle__derived *derived) {
    if (!derived || !lose(derived)) return;
    tulle_ctx *ctx = derived->ctx;
    if (derived->owner->free) derived->owner->free(derived);
    tulle__host_free(ctx, derived);
    tulle__ctx_release(ctx);
}

/* Takes the first derived thing off the list that only the list still holds, and returns it; NULL:
 * there is none. owner: the only owner whose things count; NULL: every owner. */
static tulle__derived *take_one(tulle__pattern *pattern, const tulle__owner *owner) {
    pthread_mutex_lock(&pattern->lock);
    tulle__derived *derived = pattern->derived;
    while (derived && (derived->owner->leaves || (owner && derived->owner != owner))) {
        derived = derived->next;
    }
    if (derived) tulle__derived_take(derived);
    pthread_mutex_unlock(&pattern->lock);
    return derived;
}

void tulle__derived_forget(tulle__pattern *pattern, const tulle__owner *owner) {
    tulle__derived *derived = NULL;
    while ((derived = take_one(pattern, owner))) tulle__derived_release(derived);
}

int64_t tulle__derived_bytes(const tulle_mat *A) {
    int64_t bytes = 0;
    pthread_mutex_lock(&A->pattern->lock);
    for (const tulle__derived *d = A->pattern->derived; d; d = d->next) {
        if (d->owner->bytes) bytes += d->owner->bytes(d);
    }
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        bytes += tulle__copy_bytes(A, copy);
    }
    pthread_mutex_unlock(&A->pattern->lock);
    return bytes;
}

bool tulle__derived_elsewhere(const tulle_mat *A) {
    bool elsewhere = false;
    pthread_mutex_lock(&A->pattern->lock);
    for (const tulle__derived *d = A->pattern->derived; d; d = d->next) {
        if (d->owner->bytes && d->ctx != A->ctx) elsewhere = true;
    }
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        if (copy->ctx != A->ctx) elsewhere = true;
    }
    pthread_mutex_unlock(&A->pattern->lock);
    return elsewhere;
}

bool tulle__derived_want(const tulle_mat *A, const tulle__copy *copy) {
    for (const tulle__derived *d = A->pattern->derived; d; d = d->next) {
        if (d->owner->wants && d->owner->wants(d, A, copy)) return true;
    }
    return false;
}
