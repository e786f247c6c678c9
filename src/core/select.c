/* SPDX-License-Identifier: Apache-2.0 */
#include "core/select.h"

static bool repeats(const tulle_ctx *ctx, const tulle__selector *s, const tulle__kernel *kernel) {
    return !ctx->repeatable || (kernel->flags & s->repeats);
}

static bool serves(const tulle_ctx *ctx, const tulle__selector *s, tulle__stage stage,
                   const tulle__kernel *kernel) {
    const unsigned flag = stage == TULLE__BY_RULE ? TULLE__DEFAULT : TULLE__REFERENCE;
    if (!(kernel->flags & flag) || !repeats(ctx, s, kernel) || !s->takes(kernel, s->task)) {
        return false;
    }
    return stage != TULLE__BY_RULE || !s->suits || s->suits(kernel, s->task);
}

static const tulle__kernel *kernel_at(const tulle_ctx *ctx, const tulle__selector *s, int i) {
    const tulle__kernels *all = &ctx->backend->kernels[s->operation];
    for (int stage = TULLE__BY_RULE; stage <= TULLE__BY_REFERENCE; stage++) {
        for (int k = 0; k < all->count; k++) {
            if (serves(ctx, s, (tulle__stage)stage, all->item[k]) && i-- == 0) return all->item[k];
        }
    }
    return NULL;
}

static tulle_status check_forced(const char *function, const tulle_ctx *ctx,
                                 const tulle__selector *s, const tulle__kernel *forced) {
    if (!repeats(ctx, s, forced)) {
        return tulle__fail(TULLE_UNSUPPORTED, function, NULL, -1,
                           "the forced kernel %s does not repeat bitwise, as the context is set to",
                           forced->name);
    }
    if (s->takes(forced, s->task)) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1,
                       "the forced kernel %s does not take these types, or this case",
                       forced->name);
}

tulle_status tulle__select(const char *function, const tulle_ctx *ctx,
                           const tulle__selector *selector, int i, tulle__spec *spec) {
    const tulle__spec *forced = &ctx->forced[selector->operation];
    *spec = (tulle__spec){0};
    if (!forced->kernel) {
        spec->kernel = kernel_at(ctx, selector, i);
    } else if (i == 0) {
        TULLE__TRY(check_forced(function, ctx, selector, forced->kernel));
        *spec = *forced;
    }
    if (!spec->kernel) return TULLE_OK;
    int own[TULLE__MAX_PARAMS] = {0};
    selector->defaults(spec->kernel, selector->task, own);
    tulle__spec_fill(spec, own);
    return TULLE_OK;
}

tulle_status tulle__select_none(const char *function) {
    return tulle__fail(TULLE_UNSUPPORTED, function, "A", -1, "no kernel takes this case");
}
