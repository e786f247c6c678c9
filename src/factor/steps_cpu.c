/* SPDX-License-Identifier: Apache-2.0 */
/* Lists nothing: a CPU's threads find columns in arrays of their own (cpu/rows.c, cpu/spread.c). */
#include "factor/functions.h"

tulle_status tulle__cpu_list_steps(const tulle__place *place, const tulle__steps_task *task,
                                   tulle__steps *steps) {
    (void)place;
    (void)task;
    *steps = (tulle__steps){.count = 0};
    return TULLE_OK;
}
