/* SPDX-License-Identifier: Apache-2.0 */
#include "precond.h"

#include <stdbool.h>
#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/numbers.h"
#include "tools/common/suggest.h"

/* number: whether there is one, and which are allowed. */
typedef struct kind {
    const char *name, *title, *number;
    int usual, min, max;
} kind;

enum { MOST_FILL = 1000000, MOST_BLOCK = 16, MOST_DEGREE = 100 };

static const kind kinds[] = {
    [TOOL_NO_PRECOND] = {.name = "none"},
    [TOOL_JACOBI] = {.name = "jacobi", .title = "the diagonal"},
    [TOOL_BLOCK_JACOBI] = {.name = "block-jacobi",
                           .title = "blocks along the diagonal",
                           .number = "the rows of a block",
                           .usual = 4,
                           .min = 1,
                           .max = MOST_BLOCK},
    [TOOL_ILU] = {.name = "ilu",
                  .title = "incomplete factors L U",
                  .number = "the level of fill",
                  .max = MOST_FILL},
    [TOOL_IC] = {.name = "ic",
                 .title = "incomplete factors L L'",
                 .number = "the level of fill",
                 .max = MOST_FILL},
    [TOOL_COMPLETE] = {.name = "lu", .title = "complete factors L U"},
    [TOOL_MILU] = {.name = "milu",
                   .title = "incomplete factors L U with A's row sums",
                   .number = "the level of fill",
                   .max = MOST_FILL},
    [TOOL_POLYNOMIAL] = {.name = "chebyshev",
                         .title = "Chebyshev's polynomial on the diagonal",
                         .number = "its degree",
                         .usual = 4,
                         .min = 1,
                         .max = MOST_DEGREE},
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

int tool_precond_parse(const char *command, const char *text, tool_precond *precond) {
    *precond = (tool_precond){.kind = TOOL_NO_PRECOND};
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
    *precond = (tool_precond){.kind = (tool_precond_kind)found, .number = (int)number};
    return TOOL_OK;
}

const char *tool_precond_title(tool_precond_kind which) {
    return kinds[which].title;
}
