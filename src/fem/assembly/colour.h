/* SPDX-License-Identifier: Apache-2.0 */
/* Elements by colour: the elements of one colour share no point. */
#ifndef TULLE_FEM_ASSEMBLY_COLOUR_H
#define TULLE_FEM_ASSEMBLY_COLOUR_H

#include "core/context.h"

/* order[k] is the element at place k; colour c has the places from begins[c] to before
 * begins[c + 1]. On the host; given back by tulle__colours_free. */
typedef struct tulle__colours {
    int64_t count;
    int32_t *order;
    int64_t *begins;
} tulle__colours;

/* Colours elements greedily: each element gets the lowest colour that no earlier element has with
 * which it shares a point. points: `each` points of each element, -1 for none, below `all`; in host
 * memory. */
tulle_status tulle__colours_find(tulle_ctx *ctx, int64_t elements, int each, int64_t all,
                                 const int32_t *points, tulle__colours *colours);

/* Arrays of the caller's for tulle__colours_fill: the room, for as many points and elements, and
 * the arrays of colours, order for all elements and begins for two more. */
typedef struct tulle__colour_room {
    uint64_t *taken; /* for each point, a bit for each colour that its elements have, of the colours
                        under test */
    int32_t *colour; /* colour of each element; -1: none yet */
} tulle__colour_room;
void tulle__colours_fill(int64_t elements, int each, int64_t all, const int32_t *points,
                         const tulle__colour_room *room, tulle__colours *colours);

void tulle__colours_free(tulle_ctx *ctx, tulle__colours *colours);

#endif
