/* SPDX-License-Identifier: Apache-2.0 */
/* How patches are made, on the host: all kinds of elements are divided, and then each is filled,
 * when it is known which nodes are in several patches. */
#ifndef TULLE_FEM_PATCHES_PATCHING_H
#define TULLE_FEM_PATCHES_PATCHING_H

#include "core/context.h"
#include "fem/patches/bisect.h"
#include "fem/patches/patches.h"

/* Elements with `each` nodes: those of element e from nodes + e * each on. Patches are divided by
 * where elements are (fem/patches/bisect.h), or, with node_count, by the nodes that all elements,
 * whose centres then are all there in their order, share (fem/patches/grow.h). */
typedef struct tulle__patching {
    tulle_ctx *ctx;
    const int32_t *nodes;
    int64_t node_count; /* all are below it; 0: centres know where elements are */
    int each;
    int more; /* as in tulle__patches */
    int64_t count;
    tulle__centre *centres; /* of the elements that are meant; in the order of patches in the end */
    double size[3];         /* of an element, in the mean */
    int64_t most_elements;  /* of a patch */
    int64_t most_nodes;     /* of a patch, each * 1 at least */
    int64_t *begins;        /* of each patch in centres; owned */
} tulle__patching;

/* Divides the elements. touched: of each node, in how many patches it is; these are added. */
tulle_status tulle__patches_divide(tulle__patching *p, int32_t *touched, tulle__patches *patches);

/* Fills the arrays, on the host, to be given back by tulle__patches_free. masked: of each node, or
 * NULL. Deterministic. */
tulle_status tulle__patches_fill(tulle__patching *p, const int32_t *touched, const uint8_t *masked,
                                 tulle__patches *patches);
void tulle__patches_free(tulle_ctx *ctx, tulle__patches *patches);

/* Copies of all arrays but order in the place's memory; those of a failed call are NULL. */
tulle_status tulle__patches_bring(tulle_ctx *ctx, const tulle__patches *host, tulle__patches *to);
void tulle__patches_release(tulle_ctx *ctx, const tulle__patches *patches);

#endif
