/* SPDX-License-Identifier: Apache-2.0 */
/* Answers of a rule for a pattern and a shape of call, kept with the pattern, so that a call
 * asks once and then looks up. */
#ifndef TULLE_SPMV_ANSWERS_H
#define TULLE_SPMV_ANSWERS_H

#include "matrix/derived.h"
#include "spmv/spmv.h"

/* A question: all that an answer depends on beside the pattern and the device where it lives. */
typedef struct tulle__question {
    const tulle__backend *backend;
    const struct tulle__rule *rule;
    tulle__spmv_call call;
    tulle__values values;
    bool repeatable;
} tulle__question;

typedef struct tulle__answer {
    tulle__spec spec; /* kernel with its parameters; kernel NULL: the rule has none */
    size_t workspace; /* bytes of the kernel's workspace */
} tulle__answer;

/* Looks for a kept answer to the question; returns true and fills *answer where there is one. */
bool tulle__answer_find(const tulle__pattern *pattern, const tulle__question *question,
                        tulle__answer *answer);

/* Keeps an answer, in the context's host memory; of several, the oldest goes. */
tulle_status tulle__answer_keep(tulle_ctx *ctx, tulle__pattern *pattern,
                                const tulle__question *question, const tulle__answer *answer);

#endif
