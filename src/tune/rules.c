/* SPDX-License-Identifier: Apache-2.0 */
#include <stddef.h>
#include <string.h>

#include "tune/rule.h"

static const tulle__rule rules[] = {
    {"tulle", tulle__rule_tulle},
    {"reguly_giles", tulle__rule_reguly_giles},
};

const tulle__rule *tulle__rule_named(const char *name) {
    if (!name) return &rules[0];
    for (size_t i = 0; i < sizeof rules / sizeof *rules; i++) {
        if (strcmp(rules[i].name, name) == 0) return &rules[i];
    }
    return NULL;
}
