/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_TRISOLVE_SELECT_H
#define TULLE_TRISOLVE_SELECT_H

#include "core/select.h"
#include "trisolve/trisolve.h"

/* Finds kernel number i to try, as tulle__select does. */
tulle_status tulle__trisolve_select(const char *function, const tulle_ctx *ctx,
                                    const tulle__trisolve_task *task, int i, tulle__spec *spec);

#endif
