/* SPDX-License-Identifier: Apache-2.0 */
#include "core/kernel.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/backend.h"
#include "core/error.h"

static bool is_called(const char *kernel, const char *name, size_t length) {
    return kernel && strlen(kernel) == length && memcmp(kernel, name, length) == 0;
}

static const tulle__kernel *find(const tulle__backend *backend, const char *name, size_t length,
                                 int *operation) {
    for (int op = 0; op < TULLE__OPERATION_COUNT; op++) {
        for (int i = 0; i < backend->kernels[op].count; i++) {
            const tulle__kernel *kernel = backend->kernels[op].item[i];
            *operation = op;
            if (is_called(kernel->name, name, length) || is_called(kernel->also, name, length)) {
                return kernel;
            }
        }
    }
    return NULL;
}

/* True when some operation has a published kernel of that name, compiled or not. */
static bool is_published(const char *name, size_t length) {
    for (int op = 0; op < TULLE__OPERATION_COUNT; op++) {
        const char *const *published = tulle__operations[op]->published;
        for (; published && *published; published++) {
            if (is_called(*published, name, length)) return true;
        }
    }
    return false;
}

/* Lists a parameter's values as "8, 16, 32". */
static void list_values(const tulle__param *param, char *text, size_t room) {
    size_t used = 0;
    text[0] = '\0';
    for (int v = 0; v < param->count && used < room; v++) {
        int n = snprintf(text + used, room - used, v ? ", %d" : "%d", param->values[v]);
        used += n > 0 ? (size_t)n : 0;
    }
}

static tulle_status set_param(tulle__spec *spec, const char *function, const char *text,
                              size_t length) {
    const tulle__kernel *kernel = spec->kernel;
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

tulle_status tulle__spec_parse(const tulle__backend *backend, const char *function,
                               const char *text, tulle__spec *spec, int *operation) {
    size_t name = strcspn(text, ":");
    *spec = (tulle__spec){.kernel = find(backend, text, name, operation)};
    if (!spec->kernel && !TULLE__PUBLISHED && is_published(text, name)) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "spec", -1,
                           "this build of tulle leaves out published kernels such as '%.*s'; "
                           "configure it with -DTULLE_PUBLISHED=ON",
                           (int)name, text);
    }
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

tulle_status tulle__spec_parse_of(const tulle__backend *backend, const char *function,
                                  int operation, const char *text, tulle__spec *spec) {
    int found = -1;
    TULLE__TRY(tulle__spec_parse(backend, function, text, spec, &found));
    if (found == operation) return TULLE_OK;
    return tulle__fail(TULLE_UNSUPPORTED, function, "spec", -1,
                       "%s is a kernel of %s; name one of %s (tulle kernels lists them)",
                       spec->kernel->name, tulle__operations[found]->name,
                       tulle__operations[operation]->name);
}

bool tulle__spec_allows(const tulle__spec *asked, const tulle__spec *spec) {
    if (spec->kernel != asked->kernel) return false;
    for (int p = 0; p < TULLE__MAX_PARAMS; p++) {
        if ((asked->given & 1u << p) && spec->params[p] != asked->params[p]) return false;
    }
    return true;
}

void tulle__params_text(const tulle__spec *spec, char *text, size_t room) {
    const tulle__kernel *kernel = spec->kernel;
    size_t used = 0;
    text[0] = '\0';
    for (int p = 0; p < kernel->param_count && used < room; p++) {
        int n = snprintf(text + used, room - used, p ? ",%s=%d" : "%s=%d", kernel->params[p].name,
                         spec->params[p]);
        used += n > 0 ? (size_t)n : 0;
    }
}
