/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/kernel_name.h"

#include <stdio.h>
#include <string.h>

#include "tulle/advanced.h"

static bool same(const char *spec, size_t length, const char *name) {
    return strlen(name) == length && strncmp(name, spec, length) == 0;
}

bool tool_kernel_means(const char *spec, const char *name) {
    size_t length = strcspn(spec, ":");
    const char *brief = strchr(name, '_');
    return same(spec, length, name) || (brief && same(spec, length, brief + 1));
}

bool tool_kernel_spec(tulle_backend backend, const char *operation, const char *asked,
                      char spec[TOOL_KERNEL_SPEC]) {
    bool found = false;
    snprintf(spec, TOOL_KERNEL_SPEC, "%s", asked);
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        if (!tool_kernel_means(asked, info.name)) continue;
        bool first = strcmp(info.operation, operation) == 0;
        if (first || !found) {
            snprintf(spec, TOOL_KERNEL_SPEC, "%s%s", info.name, asked + strcspn(asked, ":"));
        }
        found = true;
        if (first) break;
    }
    return found;
}
