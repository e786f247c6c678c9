/* SPDX-License-Identifier: Apache-2.0 */
/* Adds up parts on the CPU, one after the other. */
#include "comm/functions.h"

static double number(tulle_type type, const void *numbers, int64_t i) {
    return type == TULLE_F32 ? (double)((const float *)numbers)[i] : ((const double *)numbers)[i];
}

tulle_status tulle__cpu_join_parts(const tulle__place *place, const tulle__join *job) {
    (void)place;
    for (int64_t i = 0; i < job->items; i++) {
        double sum = 0;
        for (int64_t p = 0; p < job->parts; p++) {
            sum += number(job->type, job->from, i * job->item_step + p * job->part_step);
        }
        if (job->type == TULLE_F32) {
            ((float *)job->to)[i] = (float)sum;
        } else {
            ((double *)job->to)[i] = sum;
        }
    }
    return TULLE_OK;
}
