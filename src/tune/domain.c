/* SPDX-License-Identifier: Apache-2.0 */
#include "tune/domain.h"

#include <stdio.h>
#include <string.h>

#include "core/error.h"
#include "tulle/tune.h"

/* A specification that is being read: the name of its kernel, and the parameters that it has named
 * so far. */
typedef struct parse {
    const tulle__backend *backend;
    const char *function;
    const char *name;
    int length;
    unsigned named;
} parse;

/* Reads one value of a parameter, or the kernel alone. */
static tulle_status read_one(const parse *p, const char *param, int name, const char *value,
                             int length, tulle__spec *spec) {
    char one[TULLE_SPEC_TEXT];
    int used = snprintf(one, sizeof one, "%.*s%s%.*s%.*s", p->length, p->name, param ? ":" : "",
                        name, param ? param : "", length, value);
    if (used < 0 || (size_t)used >= sizeof one) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, p->function, "spec", -1,
                           "a kernel's name with a parameter has more than %zu characters",
                           sizeof one - 1);
    }
    return tulle__spec_parse_of(p->backend, p->function, TULLE__OP_SPMV, one, spec);
}

static void admit(parse *p, const tulle__spec *spec, tulle__domain *domain) {
    for (int i = 0; i < spec->kernel->param_count; i++) {
        const tulle__param *param = &spec->kernel->params[i];
        if (!(spec->given & 1u << i)) continue;
        if (!(p->named & 1u << i)) domain->values[i] = 0;
        p->named |= 1u << i;
        for (int v = 0; v < param->count; v++) {
            if (param->values[v] == spec->params[i]) domain->values[i] |= 1u << v;
        }
    }
}

/* Reads "param=V|V", a text of `length` characters. */
static tulle_status read_param(parse *p, const char *text, size_t length, tulle__domain *domain) {
    const char *equals = memchr(text, '=', length), *end = text + length;
    const char *value = equals ? equals + 1 : end;
    for (;;) {
        size_t room = (size_t)(end - value), of_value = strcspn(value, "|");
        if (of_value > room) of_value = room;
        tulle__spec spec;
        TULLE__TRY(read_one(p, text, (int)((equals ? equals + 1 : end) - text), value,
                            (int)of_value, &spec));
        admit(p, &spec, domain);
        if (of_value == room) return TULLE_OK;
        value += of_value + 1;
    }
}

tulle_status tulle__domain_parse(const tulle__backend *backend, const char *function,
                                 const char *text, tulle__domain *domain) {
    *domain = (tulle__domain){0};
    if (!text) return TULLE_OK;
    parse p = {.backend = backend, .function = function, .name = text};
    p.length = (int)strcspn(text, ":");
    tulle__spec spec;
    TULLE__TRY(read_one(&p, NULL, 0, "", 0, &spec));
    if (spec.kernel->flags & TULLE__NEEDS_PLAN) {
        return tulle__fail(TULLE_UNSUPPORTED, function, "spec", -1,
                           "%s runs with a plan only: name a kernel that needs none",
                           spec.kernel->name);
    }
    for (int i = 0; i < TULLE__MAX_PARAMS; i++) domain->values[i] = UINT32_MAX;
    const char *rest = text + p.length;
    while (*rest) {
        size_t length = strcspn(++rest, ",");
        TULLE__TRY(read_param(&p, rest, length, domain));
        rest += length;
    }
    domain->kernel = spec.kernel;
    return TULLE_OK;
}

bool tulle__domain_has(const tulle__domain *domain, const tulle__kernel *kernel, const int *at) {
    if (!domain->kernel) return true;
    if (domain->kernel != kernel) return false;
    for (int i = 0; i < kernel->param_count; i++) {
        if (!(domain->values[i] & 1u << at[i])) return false;
    }
    return true;
}
