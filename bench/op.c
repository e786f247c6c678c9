/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/op.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/suggest.h"

/* Products with vectors have one number, and names for several of them, too. */
static const char products[] = "spmv", block_products[] = "spmm", bsr_products[] = "spmm_bsr";

/* The name of all that begin so (batches.h), which has no number. */
static const char batches[] = "batch";

static const bench_maker *const makers[] = {
#define X(name) &bench_maker_##name,
    BENCH_MAKERS(X)
#undef X
};

static const bench_actor *const actors[] = {
#define X(name) &bench_actor_##name,
    BENCH_ACTORS(X)
#undef X
};

enum { MAKERS = sizeof makers / sizeof *makers, ACTORS = sizeof actors / sizeof *actors };

const bench_maker *bench_maker_of(int op) {
    return op > 0 && op <= MAKERS ? makers[op - 1] : NULL;
}

const bench_actor *bench_actor_of(int op) {
    return op > MAKERS ? actors[op - MAKERS - 1] : NULL;
}

const char *bench_op_name(int op) {
    if (op == 0) return products;
    const bench_maker *maker = bench_maker_of(op);
    return maker ? maker->name : bench_actor_of(op)->name;
}

bool bench_op_wants_vectors(const char *name) {
    return strcmp(name, block_products) == 0;
}

bool bench_op_wants_bsr(const char *name) {
    return strcmp(name, bsr_products) == 0;
}

const char *bench_op_kernels(int op) {
    const bench_actor *actor = bench_actor_of(op);
    return actor ? actor->kernels : bench_op_name(op);
}

static bool is_called(int op, const char *name) {
    const bench_actor *actor = bench_actor_of(op);
    return strcmp(bench_op_name(op), name) == 0 ||
           (actor && actor->also && strcmp(actor->also, name) == 0);
}

int bench_op_of(const char *name) {
    int op = MAKERS + ACTORS;
    if (bench_op_wants_vectors(name) || bench_op_wants_bsr(name)) return 0;
    while (op >= 0 && !is_called(op, name)) op--;
    return op;
}

/* A name with the one of a format behind it, as kernels have: what is in front is asked for. */
static const char *with_format(const char *name) {
    static char text[2 * BENCH_OP_NAMES];
    for (int length = (int)strlen(name) - 1; length > 0; length--) {
        char op[BENCH_OP_NAMES];
        if (name[length] != '_' || length >= BENCH_OP_NAMES) continue;
        snprintf(op, sizeof op, "%.*s", length, name);
        for (int f = 0; bench_op_of(op) >= 0 && tulle_format_name((tulle_format)f); f++) {
            if (strcmp(tulle_format_name((tulle_format)f), name + length + 1) != 0) continue;
            snprintf(text, sizeof text, "; did you mean --op %s --format %s%s?", op,
                     name + length + 1, f == TULLE_BSR ? ":block=N" : "");
            return text;
        }
    }
    return "";
}

const char *bench_op_suggestion(const char *name) {
    tool_suggestions close = tool_suggest(name);
    for (int op = 0; op <= MAKERS + ACTORS; op++) tool_suggest_offer(&close, bench_op_name(op));
    tool_suggest_offer(&close, block_products);
    tool_suggest_offer(&close, bsr_products);
    tool_suggest_offer(&close, batches);
    const char *format = with_format(name);
    return *format ? format : tool_suggest_text(&close);
}

const char *bench_op_names(char text[BENCH_OP_NAMES]) {
    size_t length = (size_t)snprintf(text, BENCH_OP_NAMES, "%s, %s, %s, %s", products,
                                     block_products, bsr_products, batches);
    for (int op = 1; op <= MAKERS + ACTORS && length < BENCH_OP_NAMES; op++) {
        length +=
            (size_t)snprintf(text + length, BENCH_OP_NAMES - length, ", %s", bench_op_name(op));
    }
    return text;
}
