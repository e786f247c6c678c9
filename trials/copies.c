/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/copies.h"

#include <stdlib.h>

#include "tools/common/error.h"

tulle_status trial_copies_open(const trial_problem *p, trial_copies *c) {
    const int64_t count = p->block.vectors;
    tulle_mat_arrays arrays;
    *c = (trial_copies){.problem = p, .count = count};
    c->A = tool_alloc((size_t)count, sizeof *c->A);
    tulle_status status = tulle_batch_create(p->ctx, &c->batch);
    if (status == TULLE_OK) status = trial_problem_copy(p, c->A);
    if (status == TULLE_OK) status = tulle_mat_view(c->A[0], &arrays);
    for (int64_t i = 1; i < count && status == TULLE_OK; i++) {
        status = tulle_mat_with_values(p->ctx, c->A[0], p->info.type, p->info.storage.stored,
                                       arrays.values, c->A + i);
    }
    return status;
}

void trial_copies_close(trial_copies *c) {
    tulle_batch_destroy(c->batch);
    for (int64_t i = 0; i < c->count; i++) tulle_mat_destroy(c->A[i]);
    free(c->A);
}

tulle_status trial_copies_run(const trial_copies *c) {
    return tulle_batch_run(c->problem->ctx, c->batch, trial_batch_way(c->problem));
}

int64_t trial_copies_sample(int64_t count, int i) {
    return i == 0 ? 0 : i == 1 ? count / 2 : count - 1;
}
