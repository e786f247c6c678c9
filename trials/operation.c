/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/operation.h"

const char *trial_choice_name(trial_choice choice) {
    static const char *const choices[] = {"rule", "plan", "optimise", "forced", "peer"};
    return choices[choice];
}

bool trial_operation_captured(const trial_operation *operation, int detail) {
    return operation->captured > 0 && detail >= operation->captured;
}

bool trial_operation_asked(const trial_operation *operation, const trial_wish *wish,
                           tulle_backend backend, int detail) {
    bool there = detail == 0 || operation->detail[detail];
    bool graph = trial_operation_captured(operation, detail);
    return there && (!graph || backend == TULLE_CUDA) &&
           (!operation->asked || operation->asked(wish, detail));
}

bool trial_problem_captured(const trial_problem *problem) {
    return trial_operation_captured(problem->operation, problem->detail);
}

const char *trial_operation_detail(const trial_operation *operation, int detail) {
    return operation->detail[detail] ? operation->detail[detail] : "";
}

/* Returns the properties of a vector of n numbers, as those of a matrix with one column. */
static tulle_mat_info info_of_size(const trial_given *given) {
    return (tulle_mat_info){.rows = given->n,
                            .cols = 1,
                            .nnz = given->n,
                            .type = given->type,
                            .index = given->n > INT32_MAX ? TULLE_I64 : TULLE_I32};
}

tulle_status trial_problem_open(tulle_ctx *ctx, const trial_operation *operation,
                                const trial_given *given, trial_problem *problem) {
    *problem = (trial_problem){.ctx = ctx,
                               .A = given->A,
                               .info = info_of_size(given),
                               .trans = given->trans,
                               .block = given->block,
                               .operation = operation,
                               .detail = given->detail,
                               .fill = given->fill > 0 ? given->fill : 0,
                               .count = given->count,
                               .checked = given->check,
                               .sample = given->sample};
    tulle_status status = tulle_ctx_device(ctx, &problem->device);
    if (status == TULLE_OK && given->A) status = tulle_mat_describe(given->A, &problem->info);
    if (status == TULLE_OK) status = operation->open(problem, given);
    if (status != TULLE_OK) trial_problem_close(problem);
    return status;
}

tulle_status trial_problem_copy(const trial_problem *problem, tulle_mat **A) {
    const tulle_storage *storage = &problem->info.storage;
    const tulle_convert_options as_it_is = {.block = storage->block,
                                            .block_cols = storage->block_cols};
    return tulle_mat_convert_with(problem->ctx, problem->A, problem->info.format,
                                  problem->info.index, &as_it_is, A);
}

tulle_status trial_problem_reset(const trial_problem *p) {
    return p->operation->reset ? p->operation->reset(p) : TULLE_OK;
}
