/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/kernel_name.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"

static bool same(const char *spec, size_t length, const char *name) {
    return strlen(name) == length && strncmp(name, spec, length) == 0;
}

bool tool_kernel_means(const char *spec, const char *name) {
    size_t length = strcspn(spec, ":");
    const char *brief = strchr(name, '_');
    return same(spec, length, name) || (brief && same(spec, length, brief + 1));
}

bool tool_kernel_is(const char *spec, const tulle_kernel_info *info) {
    return tool_kernel_means(spec, info->name) ||
           (info->also && tool_kernel_means(spec, info->also));
}

bool tool_kernel_spec(tulle_backend backend, const char *operation, const char *asked,
                      char spec[TOOL_KERNEL_SPEC]) {
    bool found = false;
    snprintf(spec, TOOL_KERNEL_SPEC, "%s", asked);
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        if (tulle_kernel_describe(backend, i, &info) != TULLE_OK) continue;
        if (!tool_kernel_is(asked, &info)) continue;
        bool first = strcmp(info.operation, operation) == 0;
        if (first || !found) {
            snprintf(spec, TOOL_KERNEL_SPEC, "%s%s", info.name, asked + strcspn(asked, ":"));
        }
        found = true;
        if (first) break;
    }
    return found;
}

static tulle_status check(tulle_backend backend, const char *operation, const char *does,
                          const char *spec) {
    for (int i = 0; i < tulle_kernel_count(backend); i++) {
        tulle_kernel_info info;
        tulle_status status = tulle_kernel_describe(backend, i, &info);
        if (status != TULLE_OK) return status;
        if (tool_kernel_is(spec, &info) && strcmp(info.operation, operation) == 0) {
            return TULLE_OK;
        }
    }
    return tool_record(TULLE_UNSUPPORTED,
                       "%s takes no part in this %s, whose kernels begin with %s_ (tulle kernels "
                       "lists them)",
                       spec, does, operation);
}

tulle_status tool_kernel_force(tulle_ctx *ctx, const char *operation, const char *does,
                               const char *asked) {
    char spec[TOOL_KERNEL_SPEC];
    tulle_device_info device;
    if (!asked) return TULLE_OK;
    tulle_status status = tulle_ctx_device(ctx, &device);
    if (status != TULLE_OK) return status;
    tool_kernel_spec(device.backend, operation, asked, spec);
    status = tulle_ctx_force_kernel(ctx, spec);
    return status == TULLE_OK ? check(device.backend, operation, does, spec) : status;
}
