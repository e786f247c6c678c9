/* SPDX-License-Identifier: Apache-2.0 */
/* Elements whose matrices an operator of a mesh keeps, beside those that it computes anew: facets
 * with a factor (Robin). Their products stand behind the sums between patches, and come to rows
 * with these (fem/patches/rest.h). */
#ifndef TULLE_FEM_PATCHES_KEPT_H
#define TULLE_FEM_PATCHES_KEPT_H

#include "fem/patches/local.h"
#include "fem/patches/rest.h"
#include "operator/columns.h"
#include "tulle/fem.h"

enum { TULLE__KEPT_BLOCKS = 3 }; /* shapes of facets that cells of one dimension have */

/* Blocks of elements of rows, without any left out, and of each its matrices, symmetric, element
 * by element, of the operator's type. Lists and matrices are in the place's memory. */
typedef struct tulle__kept_given {
    int blocks;
    tulle_elements elements[TULLE__KEPT_BLOCKS];
    void *matrices[TULLE__KEPT_BLOCKS];
} tulle__kept_given;

/* The elements as the operator has them: upper triangles. */
typedef struct tulle__kept {
    int blocks;
    tulle__local_block block[TULLE__KEPT_BLOCKS];
    int64_t first[TULLE__KEPT_BLOCKS]; /* number of each block's first product among all products */
    int64_t products;                  /* number of products of all blocks */
} tulle__kept;

/* The first, called before tulle__rest_list, adds to row_touched the sums that the elements' rows
 * get; the second, called after it, lists the elements' products, whose first one has the slot
 * first_slot. */
tulle_status tulle__kept_touch(const tulle__kept_given *given, tulle__rest_making *rest);
tulle_status tulle__kept_list(const tulle__kept_given *given, const tulle__kept *kept,
                              int64_t first_slot, tulle__rest_making *rest);

/* Copies the elements, packed. masked: flag of each row, in the place's memory; NULL: none is
 * masked. There is something to close after a failure, too. */
tulle_status tulle__kept_open(tulle_ctx *ctx, const tulle__kept_given *given, tulle_type type,
                              const uint8_t *masked, tulle__kept *kept);
void tulle__kept_close(tulle_ctx *ctx, const tulle__kept *kept);

/* Multiplies all elements by x: the products go to slots from `first` on; or, where slots is NULL,
 * alpha times the products is added to y atomically. */
tulle_status tulle__kept_multiply(const tulle__kept *kept, tulle_type type, const tulle__column *c,
                                  void *slots, int64_t first);

#endif
