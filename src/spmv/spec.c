/* SPDX-License-Identifier: Apache-2.0 */
#include "spmv/spec.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

static const tulle__spmv_kernel *find(const tulle__backend *backend, const char *name,
                                      size_t length) {
    for (int i = 0; i < backend->spmv_count; i++) {
        const tulle__spmv_kernel *kernel = backend->spmv[i];
        if (strlen(kernel->name) == length && memcmp(kernel->name, name, length) == 0) {
            return kernel;
        }
    }
    return NULL;
}

/* "8, 16, 32" */
static void list_values(const tulle__param *param, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (int v = 0; v < param->count && used < room; v++) {
        int n = snprintf(text + used, room - used, v ? ", %d" : "%d", param->values[v]);
        used += n > 0 ? (size_t)n : 0;
    }
}

static tulle_status set_param(tulle__spmv_spec *spec, const char *function, const char *text,
                              size_t length) {
    const tulle__spmv_kernel *kernel = spec->kernel;
    const char *equals = memchr(text, '=', length);
    for (int p = 0; equals && p < kernel->param_count; p++) {
        const tulle__param *param = &kernel->params[p];
        size_t name = (size_t)(equals - text);
        if (strlen(param->name) != name || memcmp(param->name, text, name) != 0) continue;
        char *end = NULL;
        long value = strtol(equals + 1, &end, 10);
        for (int v = 0; end == text + length && v < param->count; v++) {
            if (param->values[v] != value) continue;
            spec->params[p] = (int)value;
            spec->given |= 1u << p;
            return TULLE_OK;
        }
        char allowed[160];
        list_values(param, allowed, sizeof allowed);
        return tulle__fail(TULLE_INVALID_ARGUMENT, function, "spec", -1,
                           "'%.*s': %s of %s is one of %s", (int)length, text, param->name,
                           kernel->name, allowed);
    }
    return tulle__fail(
        TULLE_INVALID_ARGUMENT, function, "spec", -1,
        "'%.*s' is no parameter of %s (it has %s%s%s%s%s%s%s; write param=value)", (int)length,
        text, kernel->name, kernel->param_count ? "" : "none",
        kernel->param_count > 0 ? kernel->params[0].name : "", kernel->param_count > 1 ? ", " : "",
        kernel->param_count > 1 ? kernel->params[1].name : "", kernel->param_count > 2 ? ", " : "",
        kernel->param_count > 2 ? kernel->params[2].name : "",
        kernel->param_count > 3 ? ", ..." : "");
}

tulle_status tulle__spmv_spec_parse(const tulle__backend *backend, const char *function,
                                    const char *text, tulle__spmv_spec *spec) {
    size_t name = strcspn(text, ":");
    *spec = (tulle__spmv_spec){.kernel = find(backend, text, name)};
    if (!spec->kernel) {
        return tulle__fail(TULLE_NOT_FOUND, function, "spec", -1,
                           "there is no kernel '%.*s' on this backend (tulle kernels lists them)",
                           (int)name, text);
    }
    if (text[name] == '\0') return TULLE_OK;
    const char *rest = text + name + 1;
    for (;;) {
        size_t length = strcspn(rest, ",");
        TULLE__TRY(set_param(spec, function, rest, length));
        if (rest[length] == '\0') return TULLE_OK;
        rest += length + 1;
    }
}

void tulle__spmv_params_text(const tulle__spmv_kernel *kernel, const int *params, char *text,
                             size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (int p = 0; p < kernel->param_count && used < room; p++) {
        int n = snprintf(text + used, room - used, p ? ",%s=%d" : "%s=%d", kernel->params[p].name,
                         params[p]);
        used += n > 0 ? (size_t)n : 0;
    }
}

void tulle__spmv_params_fill(const tulle__spmv_shape *shape, tulle__spmv_spec *spec) {
    int own[TULLE__MAX_PARAMS] = {0};
    if (spec->kernel->defaults) spec->kernel->defaults(shape, own);
    for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
        if (!(spec->given & 1u << p)) spec->params[p] = own[p];
    }
}
