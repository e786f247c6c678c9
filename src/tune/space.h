/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuner may choose from: the registry's kernels that take a product without a plan, with all
 * values of their parameters. */
#ifndef TULLE_TUNE_SPACE_H
#define TULLE_TUNE_SPACE_H

#include "matrix/matrix.h"
#include "spmv/spmv.h"
#include "tulle/tune.h"
#include "tune/domain.h"
#include "tune/search.h"

typedef struct tulle__space {
    tulle__spmv_shape shape;
    tulle__stats stats;    /* the shape's own, for the matrix may go */
    tulle_storage storage; /* likewise */
    unsigned need;
    tulle__domain domain;                                /* what the caller lets it choose from */
    const tulle__kernel *kernel[TULLE__MOST_CANDIDATES]; /* as in the terrain */
    bool everything;                                     /* that can run is allowed */
    double most_cost;                                    /* of a point; infinite: any */
    size_t most_workspace;                               /* of a point */
    tulle__terrain terrain;                              /* whose user is this struct */
} tulle__space;

/* Fills the space of a product; TULLE_UNSUPPORTED where the rule has no answer to start from, or
 * the domain's kernel cannot take the product. With everything, and in a domain of one kernel: all
 * that can run, however slow, else what the models allow a search to try. A domain's start, the
 * rule's choice where that is of its kernel, else what the kernel's own rule picks, is in it, too.
 * The space must stay where it is. */
tulle_status tulle__space_make(const tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                               const tulle__domain *domain, bool everything, tulle__space *space);

tulle__spec tulle__space_spec(const tulle__space *space, const tulle__point *point);

/* A point as "NAME:param=value,...", all parameters in the kernel's order, and back; false where
 * the space has no such point. */
void tulle__space_text(const tulle__space *space, const tulle__point *point,
                       char text[TULLE_SPEC_TEXT]);
bool tulle__space_read(const tulle__space *space, const char *text, tulle__point *point);

/* All points, kernel by kernel: the first, and the one after a point; false where there is none. */
bool tulle__space_first(const tulle__space *space, tulle__point *point);
bool tulle__space_next(const tulle__space *space, tulle__point *point);

/* Bytes of scratch that the point with the largest takes. */
size_t tulle__space_workspace(const tulle__space *space);

#endif
