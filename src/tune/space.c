/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/space.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "spmv/bytes.h"
#include "spmv/select.h"

/* Largest model of a point, relative to the rule's choice, that a search tries: larger models are
 * believed. */
static const double most_cost_ratio = 1.5;

/* Time of a launch in milliseconds, by which short calls may differ. Between two marks on a GPU a
 * product cannot start before the one before it ends, and its code may have to be loaded
 * (docs/lab-notes.md, "The tuner: short calls"). So a search that begins with tulle's own choice,
 * which is near the best, follows only larger gains. From another start there is more to gain than
 * to lose, and turns at the end judge the result ("The tuner: the paper's domain"). */
static const double launch_ms = TULLE__LAUNCH_US / 1000;

/* Least time of a start, in milliseconds, that a search may leave. On an H200, 22 of 51 searches
 * whose start took less in its call left it, for points with 0.86 times its speed in calls back to
 * back (docs/lab-notes.md, "The tuner: off in short calls"). */
static const double shortest_ms = 8 * TULLE__LAUNCH_US / 1000;

/* Returns the most bytes of scratch for a search; the context keeps the scratch, so it must be
 * small beside the data that the product reads. */
static size_t search_workspace(const tulle__spmv_shape *shape) {
    return (size_t)tulle__spmv_minimal_bytes(shape, true) / 16 + (1u << 20);
}

/* Returns true when a parameter has value 0 and its kernel's home does not, or the other way round.
 * Value 0 of a parameter with several values stands for another way of working, such as one block
 * per row in csr_vector, and is no neighbour of value 1: only the kernel's own rule knows when that
 * way is good. */
static bool changes_way(const tulle__space *space, const tulle__point *point) {
    const tulle__kernel *kernel = space->kernel[point->kernel];
    const tulle__point *home = &space->terrain.candidate[point->kernel].home;
    for (int p = 0; p < kernel->param_count; p++) {
        const int *values = kernel->params[p].values;
        bool differ = (values[point->at[p]] == 0) != (values[home->at[p]] == 0);
        if (kernel->params[p].count > 2 && differ) return true;
    }
    return false;
}

/* Returns true when a point is in the domain; the start always is, because it runs anyway. */
static bool is_in_domain(const tulle__space *space, const tulle__point *point) {
    return tulle__same_point(point, &space->terrain.candidate[0].home) ||
           tulle__domain_has(&space->domain, space->kernel[point->kernel], point->at);
}

static bool allowed(const void *user, const tulle__point *point) {
    const tulle__space *space = user;
    tulle__spec spec = tulle__space_spec(space, point);
    if (!is_in_domain(space, point)) return false;
    if (!space->everything && changes_way(space, point)) return false;
    return tulle__spmv_settle(&spec, &space->shape, space->need) &&
           tulle__spmv_cost(&spec, &space->shape) <= space->most_cost &&
           tulle__spmv_workspace(&spec, &space->shape) <= space->most_workspace;
}

tulle__spec tulle__space_spec(const tulle__space *space, const tulle__point *point) {
    tulle__spec spec = {.kernel = space->kernel[point->kernel]};
    for (int p = 0; p < spec.kernel->param_count; p++) {
        spec.params[p] = spec.kernel->params[p].values[point->at[p]];
        spec.given |= 1u << p;
    }
    return spec;
}

/* Finds the number of each parameter's value in its table; returns false if a value is not
 * there. */
static bool place(const tulle__spec *spec, int *at) {
    for (int p = 0; p < spec->kernel->param_count; p++) {
        const tulle__param *param = &spec->kernel->params[p];
        at[p] = 0;
        while (at[p] < param->count && param->values[at[p]] != spec->params[p]) at[p]++;
        if (at[p] == param->count) return false;
    }
    return true;
}

/* Reads a parameter with a value of its table from the text up to the next comma; returns false if
 * the text is anything else. */
static bool read_param(const tulle__param *param, const char *text, size_t length, int *at) {
    for (*at = 0; *at < param->count; ++*at) {
        char wanted[64];
        snprintf(wanted, sizeof wanted, "%s=%d", param->name, param->values[*at]);
        if (strlen(wanted) == length && memcmp(text, wanted, length) == 0) return true;
    }
    return false;
}

bool tulle__space_read(const tulle__space *space, const char *text, tulle__point *point) {
    size_t name = strcspn(text, ":");
    *point = (tulle__point){0};
    for (;; point->kernel++) {
        if (point->kernel == space->terrain.count) return false;
        const char *known = space->kernel[point->kernel]->name;
        if (strlen(known) == name && memcmp(known, text, name) == 0) break;
    }
    const tulle__kernel *kernel = space->kernel[point->kernel];
    const char *rest = text + name;
    for (int p = 0; p < kernel->param_count; p++) {
        if (*rest++ != (p ? ',' : ':')) return false;
        size_t length = strcspn(rest, ",");
        if (!read_param(&kernel->params[p], rest, length, &point->at[p])) return false;
        rest += length;
    }
    return *rest == '\0' && allowed(space, point);
}

void tulle__space_text(const tulle__space *space, const tulle__point *point,
                       char text[TULLE_SPEC_TEXT]) {
    tulle__spec spec = tulle__space_spec(space, point);
    char params[96];
    tulle__params_text(&spec, params, sizeof params);
    snprintf(text, TULLE_SPEC_TEXT, "%s%s%s", spec.kernel->name, params[0] ? ":" : "", params);
}

/* Adds a kernel in the order of models; number 0 is the rule's choice and stays first. */
static void add(tulle__space *space, const tulle__spec *home) {
    tulle__terrain *terrain = &space->terrain;
    tulle__search_kernel made = {.axes = home->kernel->param_count,
                                 .model = tulle__spmv_cost(home, &space->shape)};
    if (terrain->count == TULLE__MOST_CANDIDATES || !place(home, made.home.at)) return;
    for (int p = 0; p < made.axes; p++) made.values[p] = home->kernel->params[p].count;
    int k = terrain->count++;
    for (; k > 1 && terrain->candidate[k - 1].model > made.model; k--) {
        terrain->candidate[k] = terrain->candidate[k - 1];
        terrain->candidate[k].home.kernel = k;
        space->kernel[k] = space->kernel[k - 1];
    }
    made.home.kernel = k;
    terrain->candidate[k] = made;
    space->kernel[k] = home->kernel;
}

static void add_others(tulle__space *space, const tulle__backend *backend,
                       const tulle__kernel *start) {
    const tulle__kernels *kernels = tulle__spmv_kernels(backend, false);
    for (int i = 0; i < kernels->count; i++) {
        tulle__spec spec = {.kernel = kernels->item[i]};
        if (spec.kernel == start || (spec.kernel->flags & TULLE__NEEDS_PLAN)) continue;
        if (tulle__spmv_only_by_name(spec.kernel)) continue;
        bool can = tulle__spmv_settle(&spec, &space->shape, space->need);
        bool worth = can && tulle__spmv_cost(&spec, &space->shape) <= space->most_cost;
        if (worth) add(space, &spec);
    }
}

/* Finds the start, and what all kernels must be able to do. The start is the domain's kernel by its
 * own rule, where the rule has picked another kernel. Of the needs of a call only the repeatability
 * of sums is waived, for a start that lacks it. */
static bool settle_start(tulle__space *space, const tulle__spmv_call *call, tulle__spec *start) {
    const tulle__kernel *kernel = space->domain.kernel;
    if (kernel && kernel != start->kernel) *start = (tulle__spec){.kernel = kernel};
    unsigned waived = (unsigned)TULLE__REPEATABLE & ~start->kernel->flags;
    space->need = tulle__spmv_need(call, false) & ~waived;
    return tulle__spmv_settle(start, &space->shape, space->need);
}

/* Sets the limits of models and memory for a search that may choose any kernel. */
static void set_limits(tulle__space *space, const tulle__spec *start) {
    space->most_cost = INFINITY;
    space->most_workspace = SIZE_MAX;
    if (space->everything) return;
    size_t own = tulle__spmv_workspace(start, &space->shape);
    size_t small = search_workspace(&space->shape);
    space->most_cost = most_cost_ratio * space->terrain.candidate[0].model;
    space->most_workspace = own > small ? own : small;
}

tulle_status tulle__space_make(const tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                               const tulle__domain *domain, bool everything, tulle__space *space) {
    tulle__spmv_call call = tulle__one_vector(op);
    tulle__spmv_selection rule;
    bool marked = ctx->kind == TULLE_CUDA && !domain->kernel;
    *space = (tulle__space){.domain = *domain,
                            .everything = everything || domain->kernel,
                            .terrain = {.allowed = allowed,
                                        .user = space,
                                        .blur = marked ? launch_ms : 0,
                                        .shortest = marked ? shortest_ms : 0}};
    TULLE__TRY(tulle__spmv_select(ctx, A, &call, TULLE__BY_RULE, &rule));
    space->stats = A->pattern->stats;
    space->storage = A->pattern->storage;
    space->shape = rule.shape;
    space->shape.stats = &space->stats;
    space->shape.storage = &space->storage;
    if (!settle_start(space, &call, &rule.spec)) return TULLE_UNSUPPORTED;
    add(space, &rule.spec);
    if (space->terrain.count == 0) return TULLE_UNSUPPORTED;
    set_limits(space, &rule.spec);
    if (!domain->kernel) add_others(space, ctx->backend, rule.spec.kernel);
    return TULLE_OK;
}

/* Moves to the next point, allowed or not, as an odometer of parameters does. */
static bool advance(const tulle__space *space, tulle__point *point) {
    const tulle__search_kernel *kernel = &space->terrain.candidate[point->kernel];
    for (int p = kernel->axes - 1; p >= 0; p--) {
        if (++point->at[p] < kernel->values[p]) return true;
        point->at[p] = 0;
    }
    return ++point->kernel < space->terrain.count;
}

bool tulle__space_first(const tulle__space *space, tulle__point *point) {
    *point = (tulle__point){0};
    return allowed(space, point) || tulle__space_next(space, point);
}

bool tulle__space_next(const tulle__space *space, tulle__point *point) {
    while (advance(space, point)) {
        if (allowed(space, point)) return true;
    }
    return false;
}

size_t tulle__space_workspace(const tulle__space *space) {
    size_t most = 0;
    tulle__point point;
    for (bool more = tulle__space_first(space, &point); more;
         more = tulle__space_next(space, &point)) {
        tulle__spec spec = tulle__space_spec(space, &point);
        size_t bytes = tulle__spmv_workspace(&spec, &space->shape);
        if (bytes > most) most = bytes;
    }
    return most;
}
