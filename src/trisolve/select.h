/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_TRISOLVE_SELECT_H
#define TULLE_TRISOLVE_SELECT_H

#include "core/context.h"
#include "trisolve/trisolve.h"

/* The number i of the kernels to try, with all its parameters: the forced one alone; else the
 * defaults that suit the task, then the reference. spec->kernel is NULL where there are no more.
 * Fails where the forced one may not run. */
tulle_status tulle__trisolve_select(const char *function, const tulle_ctx *ctx,
                                    const tulle__trisolve_task *task, int i, tulle__spec *spec);

#endif
