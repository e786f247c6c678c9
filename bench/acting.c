/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/acting.h"

bool bench_actor_captured(const bench_actor *actor, int detail) {
    return actor->captured > 0 && detail >= actor->captured;
}

bool bench_actor_asked(const bench_actor *actor, const bench_settings *settings,
                       tulle_backend backend, int detail) {
    bool there = detail == 0 || actor->detail[detail];
    bool graph = bench_actor_captured(actor, detail);
    return there && (!graph || backend == TULLE_CUDA) &&
           (!actor->asked || actor->asked(settings, detail));
}

bool bench_acting_captured(const bench_problem *problem) {
    return bench_actor_captured(problem->actor, problem->detail);
}

const char *bench_actor_detail(const bench_actor *actor, int detail) {
    return actor->detail[detail] ? actor->detail[detail] : "";
}

/* Numbers of a vector, as the entries of a matrix with one column. */
static tulle_mat_info info_of_size(const bench_given *given) {
    return (tulle_mat_info){.rows = given->n,
                            .cols = 1,
                            .nnz = given->n,
                            .type = given->type,
                            .index = given->n > INT32_MAX ? TULLE_I64 : TULLE_I32};
}

tulle_status bench_acting_open(tulle_ctx *ctx, const bench_actor *actor, const bench_given *given,
                               bench_problem *problem) {
    *problem = (bench_problem){.ctx = ctx,
                               .A = given->A,
                               .info = info_of_size(given),
                               .trans = given->trans,
                               .block = given->block,
                               .actor = actor,
                               .detail = given->detail,
                               .fill = given->fill > 0 ? given->fill : 0,
                               .count = given->count};
    tulle_status status = tulle_ctx_device(ctx, &problem->device);
    if (status == TULLE_OK && given->A) status = tulle_mat_describe(given->A, &problem->info);
    if (status == TULLE_OK) status = actor->open(problem, given);
    if (status != TULLE_OK) bench_problem_close(problem);
    return status;
}

tulle_status bench_acting_copy(const bench_problem *problem, tulle_mat **A) {
    const tulle_convert_options as_it_is = {.block = problem->info.storage.block};
    return tulle_mat_convert_with(problem->ctx, problem->A, problem->info.format,
                                  problem->info.index, &as_it_is, A);
}
