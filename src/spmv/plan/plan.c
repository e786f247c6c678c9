/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/plan/plan.h"

#include "spmv/select.h"

static bool is_for(const tulle__plan *plan, tulle_trans op, tulle_type type, bool multivector) {
    return plan->call.op == op && tulle__computed_type(plan->values) == type &&
           tulle__is_multivector(&plan->call) == multivector;
}

/* True when the kernel promises that the product that it computes repeats. */
static bool repeats(const tulle__plan *plan) {
    unsigned flag = plan->run_op == TULLE_N ? TULLE__REPEATABLE : TULLE__REPEATABLE_T;
    return plan->spec.kernel->flags & flag;
}

/* True when the copy is among those that end in the values that the plan reads. */
static bool wants(const tulle__derived *derived, const tulle_mat *A, const tulle__copy *copy) {
    const tulle__plan *plan = (const tulle__plan *)derived;
    if (tulle__computed_type(plan->values) != A->type) return false;
    if (tulle__stored_type(plan->values) != copy->type) return false;
    const tulle__form *form = tulle__form_of_values(plan->form);
    while (form && form != copy->form) form = form->source;
    return form == copy->form;
}

static int64_t prepared_bytes(const tulle__derived *derived) {
    return (int64_t)((const tulle__plan *)derived)->bytes;
}

static void free_plan(tulle__derived *derived) {
    tulle__plan *plan = (tulle__plan *)derived;
    tulle__form_release(plan->form);
    tulle__free(derived->ctx, plan->prepared);
}

static const tulle__owner plans = {.free = free_plan, .bytes = prepared_bytes, .wants = wants};

tulle__plan *tulle__plan_new(tulle_ctx *ctx) {
    return tulle__derived_new(ctx, sizeof(tulle__plan), &plans);
}

static tulle__plan *first(const tulle__pattern *pattern) {
    return (tulle__plan *)tulle__derived_first(pattern, &plans);
}

static tulle__plan *next(const tulle__plan *plan) {
    return (tulle__plan *)tulle__derived_next(&plan->base);
}

/* Holds the values that the plan runs on; false: A does not have them. */
static bool hold_values(const tulle_mat *A, const tulle__plan *plan, tulle__copy **copy) {
    const tulle__form *form = tulle__form_of_values(plan->form);
    tulle_type type = tulle__stored_type(plan->values);
    *copy = NULL;
    if (tulle__copy_needless(A, form, type)) return true;
    *copy = tulle__copy_find(A, form, type);
    if (*copy) atomic_fetch_add(&(*copy)->users, 1);
    return *copy;
}

tulle__plan_found tulle__plan_find(const tulle_mat *A, const tulle__plan_wish *wish) {
    tulle__pattern *pattern = A->pattern;
    tulle__plan_found found = {0};
    if (!tulle__derived_ever(pattern, &plans)) return found;
    pthread_mutex_lock(&pattern->lock);
    for (tulle__plan *plan = first(pattern); plan && !found.plan; plan = next(plan)) {
        if (is_for(plan, wish->op, A->type, wish->multivector) &&
            (!wish->spec || tulle__spec_allows(wish->spec, &plan->spec)) &&
            (!wish->repeatable || repeats(plan)) && hold_values(A, plan, &found.copy)) {
            tulle__derived_retain(&plan->base);
            found.plan = plan;
        }
    }
    pthread_mutex_unlock(&pattern->lock);
    return found;
}

tulle__plan_found tulle__plan_hold(const tulle_mat *A, tulle__plan *plan) {
    tulle__plan_found found = {.plan = plan};
    tulle__derived_retain(&plan->base);
    pthread_mutex_lock(&A->pattern->lock);
    hold_values(A, plan, &found.copy);
    pthread_mutex_unlock(&A->pattern->lock);
    return found;
}

void tulle__plan_lose(const tulle__plan_found *found) {
    tulle__copy_release(found->copy);
    if (found->plan) tulle__plan_release(found->plan);
}

tulle__plan *tulle__plan_there(const tulle_mat *A, tulle_trans op, bool multivector) {
    tulle__pattern *pattern = A->pattern;
    pthread_mutex_lock(&pattern->lock);
    tulle__plan *plan = first(pattern);
    while (plan && !is_for(plan, op, A->type, multivector)) plan = next(plan);
    if (plan) tulle__derived_retain(&plan->base);
    pthread_mutex_unlock(&pattern->lock);
    return plan;
}

void tulle__plan_release(tulle__plan *plan) {
    tulle__derived_release(&plan->base);
}

/* Takes a plan for the same products as another off the list; NULL: there is none. */
static tulle__plan *take_rival(tulle__pattern *pattern, const tulle__plan *other) {
    tulle__plan *plan = first(pattern);
    while (plan && !is_for(plan, other->call.op, tulle__computed_type(other->values),
                           tulle__is_multivector(&other->call))) {
        plan = next(plan);
    }
    if (plan) tulle__derived_take(&plan->base);
    return plan;
}

void tulle__plan_put(tulle__pattern *pattern, tulle__plan *plan) {
    pthread_mutex_lock(&pattern->lock);
    tulle__plan *old = take_rival(pattern, plan);
    tulle__derived_put(pattern, &plan->base);
    pthread_mutex_unlock(&pattern->lock);
    if (old) tulle__plan_release(old);
}

void tulle__plans_forget(tulle__pattern *pattern) {
    tulle__derived_forget(pattern, &plans);
}

int64_t tulle__plan_bytes(const tulle_mat *A, const tulle__plan *plan) {
    int64_t bytes = prepared_bytes(&plan->base);
    for (const tulle__form *form = plan->form; form; form = form->source) {
        bytes += tulle__form_bytes(form);
    }
    pthread_mutex_lock(&A->pattern->lock);
    for (const tulle__copy *copy = A->copies; copy; copy = copy->next) {
        if (wants(&plan->base, A, copy)) bytes += tulle__copy_bytes(A, copy);
    }
    pthread_mutex_unlock(&A->pattern->lock);
    return bytes;
}
