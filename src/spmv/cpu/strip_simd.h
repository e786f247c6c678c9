/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a strip (strip.h) of a task, with the vectors that its parameter names; once for each
 * type combination. No include guard, on purpose. */

static void NAME(sum_strip_of)(const tulle__spmv_task *task, const NAME(strip) * s,
                               COMPUTED *sums) {
    const tulle__simd *simd = tulle__simd_of(task->params[0]);
    if (!simd) {
        NAME(sum_strip)(s, task->x, sums);
        return;
    }
    bool in_order = s->step == s->rows; /* rows in the order of memory: then nothing is won by a few
                                           slots at a time */
    tulle__simd_strip strip = {.values = s->values,
                               .cols = s->cols,
                               .rows = s->rows,
                               .step = s->step,
                               .width = s->width,
                               .depth = in_order ? s->width : NAME(strip_depth)(s)};
    simd->strip[tulle__type_index(task->shape.type)][task->shape.index](&strip, task->x, sums);
}
