/* SPDX-License-Identifier: Apache-2.0 */
#include <string.h>

#include "spmv/rule/rule.h"

/* All rules; the first is the default. */
static const tulle__rule rules[] = {
    {"tulle", tulle__rule_tulle},
    {"reguly_giles", tulle__rule_reguly_giles},
};

const tulle__rule *tulle__rule_of(const tulle_ctx *ctx) {
    const tulle__rule *rule = ctx->rule[TULLE__OP_SPMV];
    return rule ? rule : &rules[0];
}

tulle_status tulle_ctx_set_rule(tulle_ctx *ctx, const char *rule) {
    TULLE__NEED(ctx);
    TULLE__NEED(rule);
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].name, rule) != 0) continue;
        ctx->rule[TULLE__OP_SPMV] = &rules[i];
        return TULLE_OK;
    }
    return tulle__fail(TULLE_NOT_FOUND, __func__, "rule", -1,
                       "there is no rule '%s': use tulle or reguly_giles", rule);
}
