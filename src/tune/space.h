/* SPDX-License-Identifier: Apache-2.0 */
/* The space from which a tuner chooses: the registry's kernels that take a product without a plan,
 * with all values of their parameters. */
#ifndef TULLE_TUNE_SPACE_H
#define TULLE_TUNE_SPACE_H

#include "matrix/matrix.h"
#include "spmv/spmv.h"
#include "tulle/tune.h"
#include "tune/domain.h"
#include "tune/search.h"

typedef struct tulle__space {
    tulle__spmv_shape shape;
    tulle__stats stats;    /* copy of the shape's statistics, because the matrix may be destroyed */
    tulle_storage storage; /* copy of the shape's storage, because the matrix may be destroyed */
    unsigned need;
    /* domain to which the caller restricts the space */
    tulle__domain domain;
    const tulle__kernel *kernel[TULLE__MOST_CANDIDATES]; /* kernels, in the order of the terrain */
    /* true when every point that can run is allowed */
    bool everything;
    /* largest cost of a point by its model; infinite: any cost */
    double most_cost;
    size_t most_workspace; /* most bytes of scratch of a point */
    /* terrain of the search, whose `user` is this struct */
    tulle__terrain terrain;
} tulle__space;

/* Fills the space of a product. With `everything`, or in a domain of one kernel, the space has all
 * points that can run, however slow; else those that the models allow a search to try. The start of
 * a domain is the rule's choice if that is of the domain's kernel, else the choice of the kernel's
 * own rule; the start is in the space in any case. Fails with TULLE_UNSUPPORTED if the rule has no
 * answer to start from, or if the domain's kernel cannot take the product. The struct must not be
 * moved. */
tulle_status tulle__space_make(const tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                               const tulle__domain *domain, bool everything, tulle__space *space);

tulle__spec tulle__space_spec(const tulle__space *space, const tulle__point *point);

/* tulle__space_text writes a point as "NAME:param=value,...", all parameters in the kernel's order;
 * tulle__space_read reads it, and returns false if the space has no such point. */
void tulle__space_text(const tulle__space *space, const tulle__point *point,
                       char text[TULLE_SPEC_TEXT]);
bool tulle__space_read(const tulle__space *space, const char *text, tulle__point *point);

/* These functions give the first point, and the point after a point, kernel by kernel; they return
 * false if there is none. */
bool tulle__space_first(const tulle__space *space, tulle__point *point);
bool tulle__space_next(const tulle__space *space, tulle__point *point);

/* Returns the bytes of scratch of the point that takes the most. */
size_t tulle__space_workspace(const tulle__space *space);

#endif
