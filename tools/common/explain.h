/* SPDX-License-Identifier: Apache-2.0 */
/* Asks the library on what kernel a product would run, and why. */
#ifndef TOOL_EXPLAIN_H
#define TOOL_EXPLAIN_H

#include "tools/common/json.h"
#include "tulle/advanced.h"

typedef struct tool_explanation {
    char *text; /* explanation in lines; NULL: nobody asked for one */
    tulle_alternative *item;
    int count;
} tool_explanation;

/* Explains the product op(A) x as it would run now; after a failure there is nothing to free. */
tulle_status tool_explain(tulle_ctx *ctx, tulle_trans op, const tulle_mat *A,
                          tool_explanation *explanation);
void tool_explanation_free(tool_explanation *explanation);

/* Adds the explanation as "explanation" to a JSON object. */
void tool_explanation_add(cJSON *json, const tool_explanation *explanation);

#endif
