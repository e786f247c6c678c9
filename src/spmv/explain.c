/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_spmv_explain: the choice of a product in words. */
#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "core/page.h"
#include "matrix/rows_in_words.h"
#include "spmv/bytes.h"
#include "spmv/choice.h"
#include "spmv/plan/plan.h"
#include "spmv/rule/rule.h"
#include "spmv/shares.h"
#include "tulle/spmv.h"

/* Subject of the text: the matrix, the call and its alternatives. */
typedef struct subject {
    const tulle_ctx *ctx;
    const tulle_mat *A;
    tulle_trans op;
    tulle__spmv_selection choice;
    int64_t minimal_bytes;
    const tulle_alternative *list; /* alternatives, the chosen one first */
    int count;
} subject;

static void say_matrix(tulle__page *t, const subject *s) {
    static const char *const types[TULLE__TYPE_COUNT] = {"f32", "f64"};
    static const char *const indices[TULLE__INDEX_COUNT] = {"32/32", "64/32", "64/64"};
    const tulle__pattern *p = s->A->pattern;
    const tulle_device_info *device = &s->ctx->info;
    tulle__page_say(t, "y = %s x on %.60s", s->op == TULLE_T ? "A^T" : "A", device->name);
    if (device->threads > 0) tulle__page_say(t, ", threads: %d", device->threads);
    tulle__page_say(t,
                    "\n  matrix    %" PRId64 " x %" PRId64 ", %" PRId64
                    " entries, %s, %s values, %s-bit indices\n",
                    p->rows, p->cols, p->nnz, tulle_format_name(p->format),
                    types[tulle__type_index(s->A->type)], indices[p->index]);
    tulle__page_say(
        t,
        "  rows      %.4g entries on average, standard deviation %.4g, the longest %" PRId64
        ":\n            %s\n",
        p->stats.mean_row, p->stats.sd_row, p->stats.max_row,
        tulle__rows_in_words(p->stats.mean_row, p->stats.sd_row, p->stats.max_row));
}

static void say_who(tulle__page *t, const subject *s) {
    switch (s->choice.by) {
        case TULLE__BY_FORCE:
            tulle__page_say(t, "forced by tulle_ctx_force_kernel");
            break;
        case TULLE__BY_PLAN:
            tulle__page_say(t, "by the plan that the matrix has");
            break;
        case TULLE__BY_RULE:
            tulle__page_say(t, "by the rule %s%s", tulle__rule_of(s->ctx)->name,
                            tulle__rule_of(s->ctx)->pick == tulle__rule_tulle
                                ? ": of the kernels that may run, the cheapest by their models"
                                : "");
            break;
        default:
            tulle__page_say(t, "the reference kernel, for the rule %s has no answer",
                            tulle__rule_of(s->ctx)->name);
            break;
    }
}

static void say_kernel(tulle__page *t, const subject *s) {
    const tulle__kernel *kernel = s->choice.spec.kernel;
    tulle__page_say(t, "  kernel    %s\n            %s\n", kernel->name, kernel->summary);
    tulle__page_say(t, "  chosen    ");
    say_who(t, s);
    tulle__page_say(t, "\n");
    for (int p = 0; p < kernel->param_count; p++) {
        tulle__page_say(t, "  %-9s %d: %s\n", kernel->params[p].name, s->choice.spec.params[p],
                        kernel->params[p].help);
    }
}

static void say_bytes(tulle__page *t, const subject *s) {
    char least[TULLE__HUMAN], own[TULLE__HUMAN], copy[TULLE__HUMAN];
    const tulle_alternative *chosen = &s->list[0];
    double minimal = (double)s->minimal_bytes, gbs = s->ctx->bandwidth;
    tulle__page_say(t, "  bytes     at least %s: each input read once, each output written once\n",
                    tulle__human_bytes(minimal, least));
    tulle__page_say(t, "            this kernel loads and stores %s, cached or not\n",
                    tulle__human_bytes((double)chosen->kernel_bytes, own));
    if (gbs > 0) {
        tulle__page_say(
            t,
            "  floor     %.4g us: the fewest bytes at %.4g GB/s, this machine's copy bandwidth\n",
            1e-3 * minimal / gbs, gbs);
    } else {
        tulle__page_say(
            t, "  floor     not known: tulle_ctx_copy_bandwidth has measured nothing yet\n");
    }
    tulle__page_say(t, "  model     the time in which a plain copy moves %s",
                    tulle__human_bytes(chosen->cost_bytes, copy));
    if (minimal > 0) tulle__page_say(t, ", %.3g times the floor", chosen->cost_bytes / minimal);
    if (gbs > 0) tulle__page_say(t, ": %.4g us", 1e-3 * chosen->cost_bytes / gbs);
    tulle__page_say(t, "\n");
}

static void say_plan(tulle__page *t, const subject *s) {
    char bytes[TULLE__HUMAN];
    const tulle__plan *plan = s->choice.plan;
    if (s->choice.workspace > 0) {
        tulle__page_say(t, "  scratch   %s of the context's workspace\n",
                        tulle__human_bytes((double)s->choice.workspace, bytes));
    }
    if (!plan) return;
    tulle__page_say(t, "  plan      %s",
                    tulle__human_bytes((double)tulle__plan_bytes(s->A, plan), bytes));
    if (plan->form) {
        tulle__page_say(t, ", with a copy of A%s as %s", plan->form->key.transposed ? "^T" : "",
                        tulle_format_name(plan->form->key.format));
    }
    if (plan->values == TULLE__VALUES_F32_F64) tulle__page_say(t, ", its values in f32");
    tulle__page_say(t, "\n");
}

/* Says whether threads share the columns of the product, or will. */
static void say_shares(tulle__page *t, const subject *s) {
    const tulle__spmv_kernel *kernel = tulle__spmv_of(s->choice.spec.kernel);
    const tulle__spmv_task task = {.shape = s->choice.shape, .place = &s->ctx->place};
    const tulle__pattern *pattern = s->choice.pattern;
    tulle__shared_work work;
    if (!kernel->shared_work || !kernel->shared_work(&task, &work)) return;
    const tulle__column_shares *shares = tulle__column_shares_now(pattern, &work);
    const int64_t due = tulle__column_shares_due(pattern, &work);
    char bytes[TULLE__HUMAN];
    if (shares) {
        tulle__page_say(
            t, "  shares    of columns, one for each of %d threads: %s with the pattern\n",
            shares->count,
            tulle__human_bytes((double)tulle__column_shares_bytes(pattern, shares), bytes));
    } else if (due > 0) {
        tulle__page_say(
            t, "  shares    of columns, if they pay, from product number %" PRId64 " on\n", due);
    }
}

static bool may_run(const tulle_alternative *a) {
    return !a->why_not[0];
}

static bool of_other_format(const subject *s, const tulle_alternative *a) {
    return !may_run(a) && a->format != s->A->pattern->format;
}

static void say_cost(tulle__page *t, const tulle_alternative *a) {
    char name[160];
    snprintf(name, sizeof name, "%s%s%s", a->kernel, a->params[0] ? ":" : "", a->params);
    tulle__page_say(t, "  %-50s %.2f%s\n", name, a->ratio, a->needs_plan ? ", with a plan" : "");
}

/* Says the names of the kernels for other formats, in lines that fit. */
static void say_other_formats(tulle__page *t, const subject *s) {
    enum { WIDTH = 96 };
    size_t begin = t->length;
    for (int i = 1; i < s->count; i++) {
        if (!of_other_format(s, &s->list[i])) continue;
        bool first = t->length == begin;
        if (first) {
            tulle__page_say(t,
                            "For matrices in other formats (tulle_mat_convert, tulle_mat_plan)\n");
            begin = t->length;
        } else if (t->length - begin + strlen(s->list[i].kernel) > WIDTH) {
            tulle__page_say(t, ",\n");
            begin = t->length;
        }
        tulle__page_say(t, "%s%s", t->length == begin ? "  " : ", ", s->list[i].kernel);
    }
    if (t->length > begin) tulle__page_say(t, "\n");
}

static void say_alternatives(tulle__page *t, const subject *s) {
    bool any = s->count > 1 && may_run(&s->list[1]);
    tulle__page_say(t, any ? "Other kernels, their time over this one's by the models\n"
                           : "No other kernel may run\n");
    for (int i = 1; i < s->count && may_run(&s->list[i]); i++) say_cost(t, &s->list[i]);
    for (int i = 1; i < s->count; i++) {
        const tulle_alternative *a = &s->list[i];
        if (may_run(a) || of_other_format(s, a)) continue;
        tulle__page_say(t, "  %-50s may not: %s\n", a->kernel, a->why_not);
    }
    say_other_formats(t, s);
}

/* Makes the list of all kernels, which the caller frees. */
static tulle_status list_all(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                             tulle_alternative **list, int *count) {
    TULLE__TRY(tulle_spmv_alternatives(ctx, op, A, NULL, 0, count));
    *list = tulle__host_alloc(ctx, (size_t)*count * sizeof **list);
    if (!*list) return TULLE_OUT_OF_MEMORY;
    return tulle_spmv_alternatives(ctx, op, A, *list, *count, count);
}

static void say_all(tulle__page *t, const subject *s) {
    say_matrix(t, s);
    say_kernel(t, s);
    say_bytes(t, s);
    say_plan(t, s);
    say_shares(t, s);
    say_alternatives(t, s);
}

tulle_status tulle_spmv_explain(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A, char *text,
                                size_t room, size_t *length) {
    TULLE__NEED(ctx);
    TULLE__NEED(A);
    tulle__page t;
    TULLE__TRY(tulle__page_begin(__func__, text, room, &t));
    TULLE__TRY(tulle__choice_check(__func__, ctx, op, A));
    tulle__spmv_call call = tulle__one_vector(op);
    subject s = {.ctx = ctx, .A = A, .op = op};
    tulle_alternative *list = NULL;
    tulle__spmv_shape shape = tulle__spmv_shape_now(ctx, A, &call);
    s.minimal_bytes = tulle__spmv_minimal_bytes(&shape, true);
    tulle_status status = tulle__choice_find(ctx, A, &call, &s.choice);
    if (status == TULLE_UNSUPPORTED) return tulle__spmv_none(ctx, __func__, A, &call);
    TULLE__TRY(status);
    status = list_all(ctx, op, A, &list, &s.count);
    s.list = list;
    if (status == TULLE_OK) say_all(&t, &s);
    tulle__host_free(ctx, list);
    tulle__spmv_unselect(&s.choice);
    if (length) *length = t.length;
    return status;
}
