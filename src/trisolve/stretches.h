/* SPDX-License-Identifier: Apache-2.0 */
/* Cuts the rows of op(T) = T, whose schedule has bounds, into stretches for the place's threads. No
 * stretches are made if threads would gain nothing. */
#ifndef TULLE_TRISOLVE_STRETCHES_H
#define TULLE_TRISOLVE_STRETCHES_H

#include "trisolve/schedule.h"

tulle_status tulle__cut_stretches(const tulle__place *place, const tulle__schedule_task *task,
                                  tulle__schedule *schedule);

#endif
