/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/specs.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/error.h"

/* A pattern that is being turned into specifications of a kernel. */
typedef struct expansion {
    const trial_problem *problem;
    int number; /* number of the kernel in its back end's list */
    tulle_kernel_info kernel;
    char fixed[96]; /* the parameters that the rule of Reguly and Giles picks */
    bench_variants *list;
} expansion;

bool paper_specs_add_kernel(const tulle_kernel_info *kernel, const char *spec,
                            const trial_problem *problem, bench_variants *list) {
    const tulle_mat_info *A = &problem->info;
    if (kernel->format != A->format || !kernel->supports[A->type][A->index]) return false;
    if (strcmp(kernel->operation, "spmv") != 0 || !kernel->forward) return false;
    bool planned = kernel->needs_plan || kernel->has_plan;
    bench_variants_add(list, planned ? TRIAL_PLAN : TRIAL_FORCED, spec, NULL);
    return true;
}

static void expand(const expansion *e, const char *rest, const char *spec);

/* Appends a parameter, "name=value", to the specification, and expands the rest of the pattern. */
static void extend(const expansion *e, const char *rest, const char *spec, const char *name,
                   int length, long value) {
    char longer[BENCH_SPEC];
    snprintf(longer, sizeof longer, "%s%c%.*s=%ld", spec, strchr(spec, ':') ? ',' : ':', length,
             name, value);
    expand(e, rest, longer);
}

static void extend_all(const expansion *e, const char *rest, const char *spec, const char *name,
                       int length) {
    tulle_param_info param;
    for (int p = 0;
         tulle_kernel_param(e->problem->device.backend, e->number, p, &param) == TULLE_OK; p++) {
        bool same = strncmp(param.name, name, (size_t)length) == 0 && !param.name[length];
        for (int v = 0; same && v < param.value_count; v++) {
            extend(e, rest, spec, name, length, param.values[v]);
        }
    }
}

/* Returns the value of "name=" in parameters such as "coop=8,repeat=1,block=128"; 0: there is none.
 */
static long value_in(const char *params, const char *name, int length) {
    for (const char *at = params; *at; at += strcspn(at, ","), at += *at == ',') {
        if (strncmp(at, name, (size_t)length) == 0 && at[length] == '=') {
            return strtol(at + length + 1, NULL, 10);
        }
    }
    return 0;
}

static void expand(const expansion *e, const char *rest, const char *spec) {
    if (!*rest) {
        (void)paper_specs_add_kernel(&e->kernel, spec, e->problem, e->list);
        return;
    }
    const char *name = rest;
    int length = (int)strcspn(name, "=");
    const char *value = name + length + 1;
    const char *next = value + strcspn(value, ",");
    rest = next + (*next == ',');
    if (*value == '*') {
        extend_all(e, rest, spec, name, length);
        return;
    }
    if (*value == '@') {
        extend(e, rest, spec, name, length, value_in(e->fixed, name, length));
        return;
    }
    for (char *end = NULL; value < next; value = end + (*end == '|')) {
        long number = strtol(value, &end, 10);
        extend(e, rest, spec, name, length, number);
    }
}

static bool find_kernel(expansion *e, tulle_backend backend, const char *pattern) {
    for (e->number = 0; e->number < tulle_kernel_count(backend); e->number++) {
        if (tulle_kernel_describe(backend, e->number, &e->kernel) != TULLE_OK) continue;
        if (tool_kernel_means(pattern, e->kernel.name)) return true;
    }
    return false;
}

bool paper_specs_there(const char *pattern, tulle_backend backend) {
    expansion e = {.number = 0};
    return find_kernel(&e, backend, pattern);
}

/* Asks the rule of Reguly and Giles for the values that @ stands for. */
static tulle_status ask_rule(expansion *e) {
    const trial_problem *p = e->problem;
    tulle_choice choice;
    tulle_status status = tulle_ctx_set_rule(p->ctx, "reguly_giles");
    if (status == TULLE_OK) status = tulle_spmv_describe(p->ctx, p->trans, p->A, true, &choice);
    if (status == TULLE_OK) snprintf(e->fixed, sizeof e->fixed, "%s", choice.params);
    tulle_status restored = tulle_ctx_set_rule(p->ctx, "tulle");
    return status != TULLE_OK ? status : restored;
}

tulle_status paper_specs_add(const char *pattern, const trial_problem *problem,
                             bench_variants *list) {
    expansion e = {.problem = problem, .list = list};
    if (!find_kernel(&e, problem->device.backend, pattern)) return TULLE_OK;
    tulle_status status = strchr(pattern, '@') ? ask_rule(&e) : TULLE_OK;
    if (status != TULLE_OK) return status;
    size_t name = strcspn(pattern, ":");
    expand(&e, pattern + name + (pattern[name] == ':'), e.kernel.name);
    return TULLE_OK;
}
