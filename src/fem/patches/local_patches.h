/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an operator of element matrices in patches. */
#ifndef TULLE_FEM_PATCHES_LOCAL_PATCHES_H
#define TULLE_FEM_PATCHES_LOCAL_PATCHES_H

#include "fem/assembly/assembly.h"
#include "fem/patches/local.h"
#include "fem/patches/patched.h"

/* Divides the elements of all blocks of an assembly whose points are unknowns, and whose lists are
 * in the place's memory, into patches; `most` elements of each, or 0 for a default. Their matrices
 * are still to be told to the blocks. *there is false if matrices have other than 3, 4 or 8 rows,
 * if an element has an unknown twice, or where there are 2^30 unknowns and places that are left
 * out. To be closed after a failure, too. */
tulle_status tulle__local_patches_open(tulle_ctx *ctx, const tulle_assembly *places,
                                       tulle_type type, int64_t most, tulle__patched *own,
                                       bool *there);

#endif
