/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an operator of element matrices in patches. */
#ifndef TULLE_FEM_LOCAL_PATCHES_H
#define TULLE_FEM_LOCAL_PATCHES_H

#include "core/context.h"
#include "fem/local.h"
#include "fem/patching.h"
#include "fem/rest.h"

/* Divides the elements of all blocks, whose lists are in the place's memory, into patches of such
 * as follow each other: *there. order: of each block which element is at which place. Not there if
 * matrices have other than 3, 4 or 8 rows, or an element has an unknown twice. size: of x's
 * numbers. What there is after a failure is the caller's to give back, too. */
tulle_status tulle__local_patch(tulle_ctx *ctx, const tulle__fem_blocks *parts, int64_t rows,
                                int64_t size, tulle__local_block *blocks, int32_t *order[],
                                tulle__rest *rest, bool *there);

#endif
