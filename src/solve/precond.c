/* SPDX-License-Identifier: Apache-2.0 */
#include "solve/precond.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/error.h"

typedef struct kind {
    const char *name;
    const char *number; /* meaning of the number; NULL: the kind has none */
    int usual, min, max;
} kind;

static const kind kinds[] = {
#define X(kind, name, number, usual, min, max) {name, number, usual, min, max},
    TULLE__PRECONDS(X)
#undef X
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static tulle_status refuse(const char *function, const char *text, const char *what) {
    return tulle__fail(TULLE_INVALID_ARGUMENT, function, "options", -1, "precond: '%s' %s", text,
                       what);
}

static tulle_status parse_number(const char *function, const char *text, const char *number,
                                 const kind *k, int *value) {
    char *end = NULL;
    char what[96];
    if (!k->number) return refuse(function, text, "takes no number");
    const long read = strtol(number, &end, 10);
    snprintf(what, sizeof what, "has a number that is not %s, %d to %d", k->number, k->min, k->max);
    if (end == number || *end || read < k->min || read > k->max) {
        return refuse(function, text, what);
    }
    *value = (int)read;
    return TULLE_OK;
}

tulle_status tulle__precond_parse(const char *function, const char *text, tulle__precond *precond) {
    const size_t length = strcspn(text, ":");
    for (int i = 0; i < KINDS; i++) {
        const kind *k = &kinds[i];
        if (strlen(k->name) != length || strncmp(k->name, text, length) != 0) continue;
        *precond = (tulle__precond){.kind = (tulle__precond_kind)i, .number = k->usual};
        if (!text[length]) return TULLE_OK;
        return parse_number(function, text, text + length + 1, k, &precond->number);
    }
    return refuse(function, text,
                  "is none of none, jacobi, block-jacobi:B, ilu:K, ic:K, milu:K, lu, "
                  "chebyshev:D, amg:D, amg-plain:D, amg-smoothed:D");
}

void tulle__precond_name(tulle__precond precond, char name[TULLE_PRECOND_NAME]) {
    const kind *k = &kinds[precond.kind];
    if (k->number) {
        snprintf(name, TULLE_PRECOND_NAME, "%s:%d", k->name, precond.number);
    } else {
        snprintf(name, TULLE_PRECOND_NAME, "%s", k->name);
    }
}
