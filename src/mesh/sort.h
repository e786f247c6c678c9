/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TULLE_MESH_SORT_H
#define TULLE_MESH_SORT_H

#include "mesh/ask.h"

TULLE_BEGIN

/* Sorts as qsort does, but keeps the order of equal items, needs n log n comparisons for any input,
 * and reports progress. Memory for as many items again is taken from the context. After a failure
 * the items are in an unspecified order, and some may occur twice. */
TULLE_API tulle_status tulle__sort(tulle_ctx *ctx, const char *what, void *items, int64_t count,
                                   int64_t size, int (*compare)(const void *, const void *));

TULLE_END

#endif
