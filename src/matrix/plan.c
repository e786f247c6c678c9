/* SPDX-License-Identifier: Apache-2.0 */
#include "matrix/plan.h"

#include "spmv/select.h"

static bool serves(const tulle__plan *plan, const tulle__spmv_spec *spec) {
    if (!spec) return true;
    if (plan->spec.kernel != spec->kernel) return false;
    for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
        if ((spec->given & 1u << p) && plan->spec.params[p] != spec->params[p]) return false;
    }
    return true;
}

static bool is_for(const tulle__plan *plan, tulle_trans op, tulle_type type, bool blocks) {
    return plan->call.op == op && plan->type == type && tulle__spmv_is_block(&plan->call) == blocks;
}

/* What the kernel promises of the product that it computes. */
static bool repeats(const tulle__plan *plan) {
    unsigned flag = plan->run_op == TULLE_N ? TULLE__REPEATABLE : TULLE__REPEATABLE_T;
    return plan->spec.kernel->flags & flag;
}

/* Whether A has the values that the plan runs on, which are held then. */
static bool hold_values(const tulle_mat *A, const tulle__plan *plan, tulle__copy **copy) {
    const tulle__form *form = tulle__form_of_values(plan->form);
    tulle_type type = tulle__plan_type(plan);
    *copy = NULL;
    if (tulle__copy_needless(A, form, type)) return true;
    *copy = tulle__copy_find(A, form, type);
    if (*copy) atomic_fetch_add(&(*copy)->users, 1);
    return *copy;
}

tulle__plan_found tulle__plan_find(const tulle_mat *A, const tulle__plan_wish *wish) {
    tulle__pattern *pattern = A->pattern;
    tulle__plan_found found = {0};
    pthread_mutex_lock(&pattern->lock);
    for (tulle__plan *plan = pattern->plans; plan && !found.plan; plan = plan->next) {
        if (is_for(plan, wish->op, A->type, wish->blocks) && serves(plan, wish->spec) &&
            (!wish->repeatable || repeats(plan)) && hold_values(A, plan, &found.copy)) {
            atomic_fetch_add(&plan->users, 1);
            found.plan = plan;
        }
    }
    pthread_mutex_unlock(&pattern->lock);
    return found;
}

tulle__plan_found tulle__plan_hold(const tulle_mat *A, tulle__plan *plan) {
    tulle__plan_found found = {.plan = plan};
    atomic_fetch_add(&plan->users, 1);
    pthread_mutex_lock(&A->pattern->lock);
    hold_values(A, plan, &found.copy);
    pthread_mutex_unlock(&A->pattern->lock);
    return found;
}

void tulle__plan_lose(const tulle__plan_found *found) {
    tulle__copy_release(found->copy);
    if (found->plan) tulle__plan_release(found->plan);
}

tulle__plan *tulle__plan_there(const tulle_mat *A, tulle_trans op, bool blocks) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    tulle__plan *plan = pattern->plans;
    while (plan && !is_for(plan, op, A->type, blocks)) plan = plan->next;
    if (plan) atomic_fetch_add(&plan->users, 1);
    pthread_mutex_unlock(&pattern->lock);
    return plan;
}

void tulle__plan_release(tulle__plan *plan) {
    if (atomic_fetch_sub(&plan->users, 1) > 1) return;
    tulle_ctx *ctx = plan->ctx;
    tulle__form_release(plan->form);
    tulle__free(ctx, plan->prepared);
    tulle__host_free(ctx, plan);
    tulle__ctx_release(ctx);
}

/* Moves the plan that the link belongs to to another list. */
static void move(tulle__plan **link, tulle__plan **list) {
    tulle__plan *plan = *link;
    *link = plan->next;
    plan->next = *list;
    *list = plan;
}

static void release_all(tulle__plan *plans) {
    while (plans) {
        tulle__plan *next = plans->next;
        tulle__plan_release(plans);
        plans = next;
    }
}

void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan) {
    tulle__plan *old = NULL;
    pthread_mutex_lock(&pattern->lock);
    tulle__plan **link = &pattern->plans;
    while (*link) {
        if (is_for(*link, plan->call.op, plan->type, tulle__spmv_is_block(&plan->call))) {
            move(link, &old);
        } else {
            link = &(*link)->next;
        }
    }
    *link = plan;
    pthread_mutex_unlock(&pattern->lock);
    release_all(old);
}

void tulle__plans_release(tulle__pattern *pattern) {
    pthread_mutex_lock(&pattern->lock);
    tulle__plan *old = pattern->plans;
    pattern->plans = NULL;
    pthread_mutex_unlock(&pattern->lock);
    release_all(old);
}

/* Whether the values of `form` are among those that end in the plan's. */
bool tulle__plan_wants(const tulle__plan *plan, const tulle__copy *copy) {
    if (tulle__plan_type(plan) != copy->type) return false;
    const tulle__form *form = tulle__form_of_values(plan->form);
    while (form && form != copy->form) form = form->source;
    return form == copy->form;
}

bool tulle__plans_want(const tulle_mat *A, const tulle__copy *copy) {
    for (const tulle__plan *plan = A->pattern->plans; plan; plan = plan->next) {
        if (plan->type == A->type && tulle__plan_wants(plan, copy)) return true;
    }
    return false;
}

int64_t tulle__plan_bytes(const tulle_mat *A, const tulle__plan *plan) {
    int64_t bytes = (int64_t)plan->bytes;
    for (const tulle__form *form = plan->form; form; form = form->source) {
        bytes += tulle__form_bytes(form);
    }
    pthread_mutex_lock(&A->pattern->lock);
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        if (tulle__plan_wants(plan, copy)) bytes += tulle__copy_bytes(A, copy);
    }
    pthread_mutex_unlock(&A->pattern->lock);
    return bytes;
}

int64_t tulle__plans_bytes(const tulle_mat *A) {
    tulle__pattern *pattern = A->pattern;
    int64_t bytes = 0;
    pthread_mutex_lock(&pattern->lock);
    for (const tulle__plan *plan = pattern->plans; plan; plan = plan->next) {
        bytes += (int64_t)plan->bytes;
    }
    for (const tulle__form *form = pattern->forms; form; form = form->next) {
        bytes += tulle__form_bytes(form);
    }
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        bytes += tulle__copy_bytes(A, copy);
    }
    pthread_mutex_unlock(&pattern->lock);
    return bytes;
}

bool tulle__plans_elsewhere(const tulle_mat *A) {
    tulle__pattern *pattern = A->pattern;
    bool elsewhere = false;
    pthread_mutex_lock(&pattern->lock);
    for (const tulle__plan *plan = pattern->plans; plan; plan = plan->next) {
        if (plan->ctx != A->ctx) elsewhere = true;
    }
    for (const tulle__form *form = pattern->forms; form; form = form->next) {
        if (form->pattern->ctx != A->ctx) elsewhere = true;
    }
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        if (copy->ctx != A->ctx) elsewhere = true;
    }
    pthread_mutex_unlock(&pattern->lock);
    return elsewhere;
}
