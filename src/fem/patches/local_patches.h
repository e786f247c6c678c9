/* SPDX-License-Identifier: Apache-2.0 */
/* Elements of an operator of element matrices in patches. */
#ifndef TULLE_FEM_PATCHES_LOCAL_PATCHES_H
#define TULLE_FEM_PATCHES_LOCAL_PATCHES_H

#include "fem/assembly/assembly.h"
#include "fem/patches/local.h"
#include "fem/patches/patching.h"
#include "fem/patches/rest.h"
#include "operator/columns.h"

/* Arrays in the place's memory. */
typedef struct tulle__local_patches {
    bool there;
    tulle__patches of[TULLE_ELEMENT_BLOCKS];
    int32_t *order[TULLE_ELEMENT_BLOCKS];     /* the element at each place */
    int64_t first_slot[TULLE_ELEMENT_BLOCKS]; /* of each block among all */
    tulle__rest rest;
    void *slots, *room; /* room: on a CPU, for each thread */
} tulle__local_patches;

/* Divides the elements of all blocks of an assembly whose points are unknowns, and whose lists are
 * in the place's memory, into patches; `most` elements of each, or 0 for a default. Not there if
 * matrices have other than 3, 4 or 8 rows, if an element has an unknown twice, or where there are
 * 2^30 unknowns and places that are left out. What there is after a failure is to be closed, too.
 */
tulle_status tulle__local_patches_open(tulle_ctx *ctx, const tulle_assembly *places,
                                       tulle_type type, int64_t most, tulle__local_patches *p);
void tulle__local_patches_close(tulle_ctx *ctx, const tulle__local_patches *p);

/* What sums of patches come to, as one job for all blocks; the operator knows the rest of it. */
void tulle__local_patches_combine(const tulle__local_patches *p, tulle__combine_job *job);

/* The elements of a block times x. */
tulle_status tulle__local_patches_multiply(const tulle__local_patches *p, int b, tulle_type type,
                                           tulle_type stored, bool packed, const void *numbers,
                                           const tulle__column *c);

#endif
