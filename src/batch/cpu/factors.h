/* SPDX-License-Identifier: Apache-2.0 */
/* Tasks on factors on the CPU: what all threads do with large ones, by one. */
#ifndef TULLE_BATCH_CPU_FACTORS_H
#define TULLE_BATCH_CPU_FACTORS_H

#include "batch/functions.h"

tulle_status tulle__batch_factor_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                        const tulle__task *t);
tulle_status tulle__batch_solve_by_one(const tulle__place *alone, const tulle__batch_job *job,
                                       const tulle__task *t);

#endif
