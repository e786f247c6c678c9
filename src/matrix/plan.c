/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/plan.h"

static bool serves(const tulle__plan *plan, const tulle__spmv_spec *spec) {
    if (!spec) return true;
    if (plan->spec.kernel != spec->kernel) return false;
    for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
        if ((spec->given & 1u << p) && plan->spec.params[p] != spec->params[p]) return false;
    }
    return true;
}

tulle__plan *tulle__plan_find(const tulle_mat *A, tulle_trans op, const tulle__spmv_spec *spec) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    tulle__plan *plan = pattern->plans;
    while (plan && (plan->op != op || plan->type != A->type || !serves(plan, spec) ||
                    (plan->on_transpose && pattern->nnz > 0 && !A->transposed_values))) {
        plan = plan->next;
    }
    if (plan) atomic_fetch_add(&plan->users, 1);
    pthread_mutex_unlock(&pattern->lock);
    return plan;
}

void tulle__plan_release(tulle_ctx *ctx, tulle__plan *plan) {
    if (atomic_fetch_sub(&plan->users, 1) > 1) return;
    tulle__free(ctx, plan->prepared);
    tulle__host_free(ctx, plan);
}

/* Takes all plans for op and type (any type: -1) off the list. */
static void remove_plans(tulle__pattern *pattern, int op, int type) {
    pthread_mutex_lock(&pattern->lock);
    tulle__plan **link = &pattern->plans;
    while (*link) {
        tulle__plan *plan = *link;
        bool match = (op < 0 || (int)plan->op == op) && (type < 0 || (int)plan->type == type);
        if (match) {
            *link = plan->next;
            tulle__plan_release(pattern->ctx, plan);
        } else {
            link = &plan->next;
        }
    }
    pthread_mutex_unlock(&pattern->lock);
}

void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan) {
    remove_plans(pattern, (int)plan->op, (int)plan->type);
    pthread_mutex_lock(&pattern->lock);
    plan->next = pattern->plans;
    pattern->plans = plan;
    pthread_mutex_unlock(&pattern->lock);
}

void tulle__plans_forget(tulle__pattern *pattern) {
    remove_plans(pattern, -1, -1);
}

void tulle__plans_release(tulle__pattern *pattern) {
    tulle__plans_forget(pattern);
    tulle__transposed *transposed = pattern->transposed;
    pattern->transposed = NULL;
    if (!transposed) return;
    tulle__pattern_release(transposed->pattern);
    tulle__free(pattern->ctx, transposed->perm);
    tulle__host_free(pattern->ctx, transposed);
}

int64_t tulle__plans_bytes(const tulle__pattern *pattern) {
    int64_t bytes = 0;
    pthread_mutex_t *lock = (pthread_mutex_t *)&pattern->lock;
    pthread_mutex_lock(lock);
    for (const tulle__plan *plan = pattern->plans; plan; plan = plan->next) {
        bytes += (int64_t)plan->bytes;
    }
    pthread_mutex_unlock(lock);
    return bytes;
}
