/* SPDX-License-Identifier: Apache-2.0 */
/* These facts of a matrix are known before a method is chosen. */
#ifndef TOOL_SOLVE_FACTS_H
#define TOOL_SOLVE_FACTS_H

#include "analysis.h"

typedef struct tool_facts {
    tool_analysis a;
    bool symmetric;      /* in values, too */
    int64_t rows, block; /* rows of dense blocks, or 0 */
    char blocks[80];     /* where there are some: how much of them is entries */
} tool_facts;

/* Looks at a matrix in CSR or DCSR, on the host; fails as tool_analyse. */
tulle_status tool_facts_find(tulle_ctx *ctx, const tulle_mat *csr, tool_facts *facts);

#endif
