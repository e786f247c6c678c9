/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/vectors.h"

#include <math.h>
#include <stdlib.h>

#include "tools/common/block.h"
#include "tools/common/error.h"

static tulle_status create(const trial_problem *p, trial_shape shape, tulle_vec **made) {
    return tulle_vec_create_columns(p->ctx, p->info.type, shape.rows, shape.cols, p->block.layout,
                                    0, made);
}

static tulle_status create_factor(const trial_problem *p, trial_vectors *v) {
    tulle_status status = tulle_vec_create(p->ctx, p->info.type, 1, &v->factor);
    return status == TULLE_OK ? tulle_vec_fill(p->ctx, v->factor, v->by) : status;
}

/* Fills the operands with random numbers, and the start of y with random numbers or NaN. The second
 * operand has x's numbers where both are as large, unless asked otherwise: sums of squares are as
 * large as the sums of their magnitudes, so that errors that a bound allows are small beside them.
 */
static tulle_status fill(const trial_problem *p, const trial_vectors *v, const trial_shapes *shapes,
                         uint64_t seed) {
    const uint64_t unlike = shapes->unlike ? seed + 2 : seed;
    tulle_status status = tulle_vec_random(p->ctx, p->x, seed);
    if (status == TULLE_OK && v->second) status = tulle_vec_random(p->ctx, v->second, unlike);
    if (status != TULLE_OK) return status;
    return shapes->adds ? tulle_vec_random(p->ctx, v->start, seed + 1)
                        : tulle_vec_fill(p->ctx, v->start, (double)NAN);
}

static tulle_status read(const trial_problem *p, const tulle_vec *block, void **columns) {
    if (!block) return TULLE_OK;
    *columns = tool_block_host(block);
    return tool_block_read(p->ctx, block, *columns);
}

static tulle_status read_all(const trial_problem *p, trial_vectors *v) {
    tulle_status status = read(p, p->x, &v->host_x);
    if (status == TULLE_OK) status = read(p, v->second, &v->host_second);
    return status == TULLE_OK ? read(p, v->start, &v->host_start) : status;
}

tulle_status trial_vectors_open(trial_problem *p, const trial_given *given,
                                const trial_shapes *shapes) {
    trial_vectors *v = tool_alloc(1, sizeof *v);
    *v = (trial_vectors){
        .sums = shapes->sums, .expect = shapes->expect, .by = shapes->by != 0 ? shapes->by : 0.5};
    p->own = v;
    if (shapes->host) v->numbers = tool_alloc((size_t)shapes->y.rows, sizeof *v->numbers);
    tulle_status status = create(p, shapes->x, &p->x);
    if (status == TULLE_OK) status = create(p, shapes->y, &p->y);
    if (status == TULLE_OK) status = create(p, shapes->y, &v->start);
    if (status == TULLE_OK && shapes->second.rows > 0) {
        status = create(p, shapes->second, &v->second);
    }
    if (status == TULLE_OK) status = create_factor(p, v);
    if (status == TULLE_OK) status = fill(p, v, shapes, given->seed);
    if (given->check) p->checked_rows = trial_vectors_checked(p, shapes->y.rows);
    return status == TULLE_OK && given->check ? read_all(p, v) : status;
}

void trial_vectors_close(trial_problem *p) {
    trial_vectors *v = p->own;
    if (!v) return;
    tulle_vec_destroy(v->second);
    tulle_vec_destroy(v->start);
    tulle_vec_destroy(v->factor);
    free(v->numbers);
    free(v->host_x);
    free(v->host_second);
    free(v->host_start);
    free(v);
}

tulle_status trial_vectors_reset(const trial_problem *p) {
    const trial_vectors *v = p->own;
    for (int64_t c = 0; v->numbers && c < p->block.vectors; c++) v->numbers[c] = (double)NAN;
    return tulle_vec_copy(p->ctx, v->start, p->y);
}

tulle_status trial_vectors_prepare(const trial_problem *p, trial_task *task) {
    task->state = (void *)p;
    return TULLE_OK;
}

void trial_vectors_finish(void *state) {
    (void)state;
}

tulle_status trial_vectors_factor(const trial_problem *p, tulle_scalar *factor) {
    const trial_vectors *v = p->own;
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(v->factor, &info);
    if (status != TULLE_OK) return status;
    *factor = p->detail == TRIAL_VECTORS_HOST ? tulle_num(v->by) : tulle_at(info.data);
    return TULLE_OK;
}

tulle_status trial_vectors_result(const trial_problem *p, tulle_result *result) {
    const trial_vectors *v = p->own;
    tulle_vec_info info;
    tulle_status status = tulle_vec_describe(p->y, &info);
    if (status != TULLE_OK) return status;
    *result = v->numbers ? tulle_to_num(v->numbers) : tulle_to_at(info.data);
    return TULLE_OK;
}
