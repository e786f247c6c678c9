/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/op.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/suggest.h"

/* Products with several vectors have names of their own, and spmv's number. */
static const char block_products[] = "spmm", bsr_products[] = "spmm_bsr";

/* Name that stands for all operations whose names begin with it (batches.h); it has no number. */
static const char batches[] = "batch";

static const trial_operation *const operations[] = {
#define X(name) &trial_operation_##name,
    TRIAL_OPERATIONS(X)
#undef X
};

enum { OPERATIONS = sizeof operations / sizeof *operations };

const trial_operation *trial_operation_of(int op) {
    return operations[op];
}

bool trial_op_wants_vectors(const char *name) {
    return strcmp(name, block_products) == 0;
}

bool trial_op_wants_bsr(const char *name) {
    return strcmp(name, bsr_products) == 0;
}

static bool is_called(const trial_operation *operation, const char *name) {
    return strcmp(operation->name, name) == 0 ||
           (operation->also && strcmp(operation->also, name) == 0);
}

int trial_op_of(const char *name) {
    int op = OPERATIONS - 1;
    if (trial_op_wants_vectors(name) || trial_op_wants_bsr(name)) return 0;
    while (op >= 0 && !is_called(operations[op], name)) op--;
    return op;
}

/* Returns a hint where a name is an operation's name and a format's, as kernels have: it proposes
 * --op and --format. */
static const char *with_format(const char *name) {
    static char text[2 * TRIAL_OP_NAMES];
    for (int length = (int)strlen(name) - 1; length > 0; length--) {
        char op[TRIAL_OP_NAMES];
        if (name[length] != '_' || length >= TRIAL_OP_NAMES) continue;
        snprintf(op, sizeof op, "%.*s", length, name);
        for (int f = 0; trial_op_of(op) >= 0 && tulle_format_name((tulle_format)f); f++) {
            if (strcmp(tulle_format_name((tulle_format)f), name + length + 1) != 0) continue;
            snprintf(text, sizeof text, "; did you mean --op %s --format %s%s?", op,
                     name + length + 1, f == TULLE_BSR ? ":block=N" : "");
            return text;
        }
    }
    return "";
}

const char *trial_op_suggestion(const char *name) {
    tool_suggestions close = tool_suggest(name);
    for (int op = 0; op < OPERATIONS; op++) tool_suggest_offer(&close, operations[op]->name);
    tool_suggest_offer(&close, block_products);
    tool_suggest_offer(&close, bsr_products);
    tool_suggest_offer(&close, batches);
    const char *format = with_format(name);
    return *format ? format : tool_suggest_text(&close);
}

const char *trial_op_names(char text[TRIAL_OP_NAMES]) {
    size_t length = (size_t)snprintf(text, TRIAL_OP_NAMES, "%s, %s, %s, %s", operations[0]->name,
                                     block_products, bsr_products, batches);
    for (int op = 1; op < OPERATIONS && length < TRIAL_OP_NAMES; op++) {
        length +=
            (size_t)snprintf(text + length, TRIAL_OP_NAMES - length, ", %s", operations[op]->name);
    }
    return text;
}
