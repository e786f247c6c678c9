/* SPDX-License-Identifier: Apache-2.0 */
/* Computes the levels of fill by definition: that of an entry of A' is 0, and the level of an entry
 * that comes up from L_ik U_kj is one more than those of these two together. */
#include <stdlib.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tools/common/verify_factor_parts.h"

enum { ABSENT = INT32_MAX, MOST = INT32_MAX - 1 };

/* Levels of fill. `level` holds the level of each entry of the row in both factors, as far as
 * known; `where`, by column, the entry's place in the row plus one; `known`, the level of each
 * entry of U. */
typedef struct levels {
    const tool_factored *f;
    int64_t most; /* the highest level that is kept */
    int32_t *level, *known;
    int64_t *where;
    int64_t *next; /* for L L^T, the next entry to visit of each row of L^T */
} levels;

static int64_t longest_row(const tool_factored *f) {
    int64_t longest = 0;
    for (int64_t i = 0; i < f->blocks; i++) {
        int64_t length = tool_csr_offset(f->l, i + 1) - tool_csr_offset(f->l, i);
        if (!f->symmetric) length += tool_csr_offset(f->u, i + 1) - tool_csr_offset(f->u, i);
        if (length > longest) longest = length;
    }
    return longest;
}

static tool_entry_error fault_at(const levels *l, int64_t i, int64_t j, const char *fault) {
    const int64_t b = l->f->claim->block;
    return tool_entry_fault(i * b, j * b, fault);
}

/* Returns the column of entry `at` of row i: first come L's entries without the diagonal, then U's;
 * for L L^T, all of L's. */
static int64_t column_at(const tool_factored *f, int64_t i, int64_t at) {
    const int64_t begin = tool_csr_offset(f->l, i);
    const int64_t lower = tool_csr_offset(f->l, i + 1) - begin - !f->symmetric;
    return at < lower ? tool_csr_column(f->l, begin + at)
                      : tool_csr_column(f->u, tool_csr_offset(f->u, i) + at - lower);
}

static int64_t length_of(const tool_factored *f, int64_t i) {
    const int64_t lower = tool_csr_offset(f->l, i + 1) - tool_csr_offset(f->l, i);
    if (f->symmetric) return lower;
    return lower - 1 + tool_csr_offset(f->u, i + 1) - tool_csr_offset(f->u, i);
}

static tool_entry_error from_matrix(levels *l, int64_t i) {
    const int64_t b = l->f->claim->block;
    const tool_csr *a = &l->f->a;
    l->level[l->where[i] - 1] = 0;
    for (int64_t r = i * b; r < (i + 1) * b; r++) {
        for (int64_t e = tool_csr_offset(a, r); e < tool_csr_offset(a, r + 1); e++) {
            const int64_t at = l->where[tool_csr_column(a, e) / b];
            if (at == 0) {
                return tool_entry_fault(r, tool_csr_column(a, e), "is missing, which A' has");
            }
            l->level[at - 1] = 0;
        }
    }
    return tool_entry_right();
}

static tool_entry_error from_row(levels *l, int64_t i, int64_t k, int64_t level, double *products) {
    const tool_csr *u = l->f->u;
    for (int64_t e = tool_behind_diagonal(l->f, k); e < tool_csr_offset(u, k + 1); e++) {
        const int64_t j = tool_csr_column(u, e);
        if (l->f->symmetric && j > i) break;
        const int64_t at = l->where[j], up = level + l->known[e] + 1;
        ++*products;
        if (at == 0 && up <= l->most) return fault_at(l, i, j, "is missing, which fills in");
        if (at > 0 && up < l->level[at - 1]) l->level[at - 1] = (int32_t)up;
    }
    return tool_entry_right();
}

static void keep(levels *l, int64_t i, int64_t length) {
    const int64_t lower = tool_csr_offset(l->f->l, i + 1) - tool_csr_offset(l->f->l, i) - 1;
    const int64_t begin = tool_csr_offset(l->f->u, i);
    for (int64_t at = 0; l->f->symmetric && at < lower; at++) {
        l->known[l->next[column_at(l->f, i, at)]++] = l->level[at];
    }
    for (int64_t at = lower; !l->f->symmetric && at < length; at++) {
        l->known[begin + at - lower] = l->level[at];
    }
}

static tool_entry_error walk_row(levels *l, int64_t i, int64_t length, double *products) {
    tool_entry_error found = from_matrix(l, i);
    for (int64_t at = 0; at < length && !found.fault; at++) {
        const int64_t k = column_at(l->f, i, at);
        if (l->level[at] > l->most) return fault_at(l, i, k, "is an entry that is not to be kept");
        if (k < i) found = from_row(l, i, k, l->level[at], products);
    }
    return found;
}

static tool_entry_error check_row(levels *l, int64_t i, double *products) {
    const int64_t length = length_of(l->f, i);
    for (int64_t at = 0; at < length; at++) {
        l->level[at] = ABSENT;
        l->where[column_at(l->f, i, at)] = at + 1;
    }
    tool_entry_error found = walk_row(l, i, length, products);
    if (!found.fault) keep(l, i, length);
    for (int64_t at = 0; at < length; at++) l->where[column_at(l->f, i, at)] = 0;
    return found;
}

tulle_status tool_factor_pattern(tool_factored *f, tool_entry_error *found) {
    enum { EVERY = 4096 };
    const int fill = f->claim->options->fill;
    levels l = {.f = f, .most = fill == TULLE_FILL_ALL ? MOST : fill};
    bool stop = false;
    l.level = tool_alloc((size_t)longest_row(f) + 1, sizeof *l.level);
    l.known = tool_alloc((size_t)f->u->nnz + 1, sizeof *l.known);
    l.where = tool_alloc((size_t)f->blocks + 1, sizeof *l.where);
    l.next = tool_alloc((size_t)f->blocks + 1, sizeof *l.next);
    for (int64_t i = 0; i < f->blocks; i++) l.next[i] = tool_behind_diagonal(f, i);
    *found = tool_entry_right();
    for (int64_t i = 0; i < f->blocks && !found->fault && !stop; i++) {
        *found = check_row(&l, i, &f->products);
        stop = i % EVERY == 0 && tool_progress(NULL, "checking the pattern", i, f->blocks);
    }
    free(l.level);
    free(l.known);
    free(l.where);
    free(l.next);
    return stop ? TULLE_CANCELLED : TULLE_OK;
}
