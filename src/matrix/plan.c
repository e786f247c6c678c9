/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/plan.h"

#include "matrix/transposed.h"

static bool serves(const tulle__plan *plan, const tulle__spmv_spec *spec) {
    if (!spec) return true;
    if (plan->spec.kernel != spec->kernel) return false;
    for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
        if ((spec->given & 1u << p) && plan->spec.params[p] != spec->params[p]) return false;
    }
    return true;
}

static bool is_for(const tulle__plan *plan, tulle_trans op, tulle_type type) {
    return plan->op == op && plan->type == type;
}

/* Whether A has all that the plan runs on; the pattern's lock is held. */
static bool complete(const tulle_mat *A, const tulle__plan *plan) {
    return !plan->on_transpose || A->pattern->nnz == 0 || A->transposed_values;
}

tulle__plan *tulle__plan_find(const tulle_mat *A, tulle_trans op, unsigned need,
                              const tulle__spmv_spec *spec) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    tulle__plan *plan = pattern->plans;
    while (plan && !(is_for(plan, op, A->type) && serves(plan, spec) && complete(A, plan) &&
                     (plan->spec.kernel->flags & (need | TULLE__BLOCKS)) == need)) {
        plan = plan->next;
    }
    if (plan) atomic_fetch_add(&plan->users, 1);
    pthread_mutex_unlock(&pattern->lock);
    return plan;
}

bool tulle__plan_there(const tulle_mat *A, tulle_trans op) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    const tulle__plan *plan = pattern->plans;
    while (plan && !is_for(plan, op, A->type)) plan = plan->next;
    pthread_mutex_unlock(&pattern->lock);
    return plan != NULL;
}

void tulle__plan_release(tulle__plan *plan) {
    if (atomic_fetch_sub(&plan->users, 1) > 1) return;
    tulle_ctx *ctx = plan->ctx;
    tulle__free(ctx, plan->prepared);
    tulle__host_free(ctx, plan);
    tulle__ctx_release(ctx);
}

/* Takes the plan off the list that the link belongs to. */
static void unlink_plan(tulle__plan **link) {
    tulle__plan *plan = *link;
    *link = plan->next;
    tulle__plan_release(plan);
}

void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan) {
    tulle__plan **link = &pattern->plans;
    while (*link) {
        if (is_for(*link, plan->op, plan->type)) {
            unlink_plan(link);
        } else {
            link = &(*link)->next;
        }
    }
    *link = plan;
}

void tulle__plans_forget(tulle__pattern *pattern) {
    pthread_mutex_lock(&pattern->lock);
    while (pattern->plans) unlink_plan(&pattern->plans);
    pthread_mutex_unlock(&pattern->lock);
}

void tulle__plans_release(tulle__pattern *pattern) {
    tulle__plans_forget(pattern);
    tulle__transposed_release(pattern->transposed);
    pattern->transposed = NULL;
}

int64_t tulle__plan_bytes(const tulle_mat *A, const tulle__plan *plan) {
    return (int64_t)plan->bytes + (plan->on_transpose ? tulle__transposed_bytes(A) : 0);
}

int64_t tulle__plans_bytes(const tulle_mat *A) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    int64_t bytes = tulle__transposed_bytes(A);
    for (const tulle__plan *plan = pattern->plans; plan; plan = plan->next) {
        bytes += (int64_t)plan->bytes;
    }
    pthread_mutex_unlock(&pattern->lock);
    return bytes;
}

bool tulle__plans_elsewhere(const tulle_mat *A) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    bool elsewhere = A->transposed_ctx && A->transposed_ctx != A->ctx;
    if (pattern->transposed && pattern->transposed->pattern->ctx != A->ctx) elsewhere = true;
    for (const tulle__plan *plan = pattern->plans; plan; plan = plan->next) {
        if (plan->ctx != A->ctx) elsewhere = true;
    }
    pthread_mutex_unlock(&pattern->lock);
    return elsewhere;
}
