/* SPDX-License-Identifier: Apache-2.0 */
/* Lists every kernel that could serve a call, with its cost by its model, and the reasons why
 * some may not. */
#include <stdio.h>

#include "spmv/choice.h"

/* Flags that a kernel must have to be picked: A x must repeat, unless no kernel's does and the
 * context does not insist. */
static unsigned need_of(const tulle_ctx *ctx, const tulle__spmv_call *call,
                        const tulle__spmv_shape *shape) {
    unsigned need = tulle__spmv_need(call, ctx->repeatable);
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, false);
    for (int i = 0; i < kernels->count; i++) {
        tulle__spec spec = {.kernel = kernels->item[i]};
        if (tulle__spmv_settle(&spec, shape, need)) return need;
    }
    return ctx->repeatable ? need : need & ~(unsigned)TULLE__REPEATABLE;
}

static const char *lacks(unsigned missing) {
    if (missing & TULLE__FORWARD) return "computes no A x from these arrays";
    if (missing & TULLE__TRANSPOSED) return "computes no A^T x from these arrays";
    return "adds in an order that changes from run to run";
}

static void say_why_not(const tulle__spec *spec, const tulle__spmv_shape *shape, unsigned need,
                        char *text, size_t room) {
    const tulle__kernel *kernel = spec->kernel;
    unsigned missing = need & ~kernel->flags;
    if (kernel->format != shape->format) {
        snprintf(text, room, "reads %s", tulle_format_name(kernel->format));
    } else if (missing) {
        snprintf(text, room, "%s", lacks(missing));
    } else if (!tulle__spmv_of(kernel)->run[shape->values][shape->index]) {
        snprintf(text, room, "not for these types of values and indices");
    } else {
        snprintf(text, room, "its own check refuses this matrix");
    }
}

static void describe(const tulle__spec *spec, const tulle__spmv_shape *shape,
                     tulle_alternative *a) {
    *a = (tulle_alternative){.kernel = spec->kernel->name,
                             .format = spec->kernel->format,
                             .needs_plan = spec->kernel->flags & TULLE__NEEDS_PLAN,
                             .kernel_bytes = tulle__spmv_bytes(spec, shape, true),
                             .cost_bytes = tulle__spmv_cost(spec, shape)};
    tulle__params_text(spec, a->params, sizeof a->params);
}

/* Considers the kernel for the call itself, without a plan. */
static void consider(const tulle__kernel *kernel, const tulle__spmv_shape *shape, unsigned need,
                     tulle_alternative *a) {
    tulle__spec spec = {.kernel = kernel};
    if (tulle__spmv_settle(&spec, shape, need)) {
        describe(&spec, shape, a);
        return;
    }
    *a = (tulle_alternative){.kernel = kernel->name, .format = kernel->format};
    say_why_not(&spec, shape, need, a->why_not, sizeof a->why_not);
}

/* Rank in the list: the chosen one, those that may run, those that may with a plan, the rest. */
static int rank(const tulle_alternative *a) {
    if (a->why_not[0]) return 3;
    return a->chosen ? 0 : a->needs_plan ? 2 : 1;
}

static bool before(const tulle_alternative *a, const tulle_alternative *b) {
    if (rank(a) != rank(b)) return rank(a) < rank(b);
    return rank(a) < 3 && a->cost_bytes < b->cost_bytes;
}

/* Puts one more into its place among those that there is room for. */
static void insert(tulle_alternative *list, int room, int count, const tulle_alternative *a) {
    int at = count < room ? count : room;
    while (at > 0 && before(a, &list[at - 1])) {
        if (at < room) list[at] = list[at - 1];
        at--;
    }
    if (at < room) list[at] = *a;
}

/* True when the choice is this kernel on A's own arrays: then it is listed already. */
static bool is_choice(const tulle_mat *A, const tulle__spmv_selection *choice,
                      const tulle__kernel *kernel) {
    return choice->spec.kernel == kernel && choice->pattern == A->pattern;
}

tulle_status tulle_spmv_alternatives(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                                     tulle_alternative *list, int room, int *count) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    TULLE__NEED(count);
    if (room < 0) return TULLE__BAD("room", "room is %d; it must not be negative", room);
    if (room > 0) TULLE__NEED(list);
    TULLE__TRY(tulle__choice_check(__func__, ctx, op, A));
    tulle__spmv_call call = tulle__one_vector(op);
    tulle__spmv_shape shape = tulle__spmv_shape_now(ctx, A, &call);
    tulle__spmv_selection choice;
    tulle_status status = tulle__choice_find(ctx, A, &call, &choice);
    if (status == TULLE_UNSUPPORTED) return tulle__spmv_none(ctx, __func__, A, &call);
    TULLE__TRY(status);
    unsigned need = need_of(ctx, &call, &shape);
    tulle_alternative a;
    describe(&choice.spec, &choice.shape, &a);
    a.chosen = true;
    a.ratio = 1;
    double chosen_cost = a.cost_bytes;
    *count = 0;
    insert(list, room, (*count)++, &a);
    const tulle__kernels *kernels = tulle__spmv_kernels(ctx->backend, false);
    for (int i = 0; i < kernels->count; i++) {
        const tulle__kernel *kernel = kernels->item[i];
        if (is_choice(A, &choice, kernel)) continue;
        consider(kernel, &shape, need, &a);
        a.ratio = chosen_cost > 0 ? a.cost_bytes / chosen_cost : 0;
        insert(list, room, (*count)++, &a);
    }
    tulle__spmv_unselect(&choice);
    return TULLE_OK;
}
