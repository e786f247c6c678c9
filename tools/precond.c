/* SPDX-License-Identifier: Apache-2.0 */
#include "precond.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"
#include "tools/common/suggest.h"

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

static const char *const titles[] = {
    [TULLE__JACOBI] = "the diagonal",
    [TULLE__BLOCK_JACOBI] = "blocks along the diagonal",
    [TULLE__ILU] = "incomplete factors L U",
    [TULLE__IC] = "incomplete factors L L'",
    [TULLE__COMPLETE] = "complete factors L U",
    [TULLE__MILU] = "incomplete factors L U with A's row sums",
    [TULLE__POLYNOMIAL] = "Chebyshev's polynomial on the diagonal",
    [TULLE__MULTIGRID] = "multigrid",
    [TULLE__PLAIN_AMG] = "multigrid by plain aggregation",
    [TULLE__SMOOTHED_AMG] = "multigrid by smoothed aggregation",
};
enum { KINDS = sizeof kinds / sizeof *kinds };

static int find(const char *text, size_t length) {
    for (int k = 0; k < KINDS; k++) {
        if (strlen(kinds[k].name) == length && strncmp(kinds[k].name, text, length) == 0) return k;
    }
    return -1;
}

static int no_kind(const char *command, const char *text, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, text);
    tool_suggestions close = tool_suggest(name);
    for (int k = 0; k < KINDS; k++) tool_suggest_offer(&close, kinds[k].name);
    return tool_misuse(command, "--precond: '%s' is none of %s%s", name, TOOL_PRECONDS,
                       tool_suggest_text(&close));
}

int tool_precond_parse(const char *command, const char *text, tulle__precond *precond) {
    *precond = (tulle__precond){.kind = TULLE__NO_PRECOND};
    if (!text) return TOOL_OK;
    const size_t length = strcspn(text, ":");
    const int found = find(text, length);
    if (found < 0) return no_kind(command, text, length);
    const kind *k = &kinds[found];
    int64_t number = k->usual;
    if (text[length] == ':' && !k->number) {
        return tool_misuse(command, "--precond: %s takes no number, in '%s'", k->name, text);
    }
    if (text[length] == ':' && !tool_parse_int(text + length + 1, k->min, k->max, &number)) {
        return tool_misuse(command, "--precond: %s must be a whole number from %d to %d, in '%s'",
                           k->number, k->min, k->max, text);
    }
    *precond = (tulle__precond){.kind = (tulle__precond_kind)found, .number = (int)number};
    return TOOL_OK;
}

const char *tool_precond_title(tulle__precond_kind which) {
    return titles[which];
}
