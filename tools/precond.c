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

const char *tool_precond_name(tool_precond precond, char name[TOOL_PRECOND_NAME]) {
    const kind *k = &kinds[precond.kind];
    if (k->number) {
        snprintf(name, TOOL_PRECOND_NAME, "%s:%d", k->name, precond.number);
    } else {
        snprintf(name, TOOL_PRECOND_NAME, "%s", k->name);
    }
    return name;
}

const char *tool_precond_title(tool_precond_kind which) {
    return kinds[which].title;
}

static tulle_status factorise(tulle_ctx *ctx, tool_precond precond, double shift, tulle_mat *A,
                              tool_preconditioner *made) {
    tulle_mat_info info;
    const tulle_factor_options options = {
        .kind = precond.kind == TOOL_IC ? TULLE_CHOLESKY : TULLE_LU,
        .fill = precond.number,
        .shift = shift,
    };
    tulle_status status = tulle_mat_describe(A, &info);
    if (status == TULLE_OK) status = tulle_factor_create(ctx, A, &options, &made->F);
    if (status == TULLE_OK) status = tulle_factor_describe(made->F, &made->factors);
    if (status != TULLE_OK) return status;
    return tulle_linop_from_factor(ctx, made->F, info.type, &made->M);
}

static tulle_status make_polynomial(tulle_ctx *ctx, tool_precond precond, tulle_linop *L,
                                    tulle_linop **M) {
    tulle_linop *diagonal = NULL;
    tulle_status status = tulle_linop_jacobi(ctx, L, &diagonal);
    if (status == TULLE_OK) {
        status = tulle_linop_chebyshev(ctx, L, diagonal, precond.number, precond.lowest,
                                       precond.highest, M);
    }
    tulle_linop_destroy(diagonal);
    return status;
}

tulle_status tool_precond_make(tulle_ctx *ctx, tool_precond precond, double shift, tulle_mat *A,
                               tulle_linop *L, tool_preconditioner *made) {
    *made = (tool_preconditioner){.M = NULL};
    switch (precond.kind) {
        case TOOL_JACOBI:
            return tulle_linop_jacobi(ctx, L, &made->M);
        case TOOL_BLOCK_JACOBI:
            return tulle_linop_block_jacobi(ctx, A, precond.number, &made->M);
        case TOOL_ILU:
        case TOOL_IC:
            return factorise(ctx, precond, shift, A, made);
        case TOOL_POLYNOMIAL:
            return make_polynomial(ctx, precond, L, &made->M);
        case TOOL_NO_PRECOND:
            break;
    }
    return TULLE_OK;
}

void tool_precond_free(tool_preconditioner *made) {
    tulle_linop_destroy(made->M);
    tulle_factor_destroy(made->F);
    *made = (tool_preconditioner){.M = NULL};
}
