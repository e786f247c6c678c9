/* SPDX-License-Identifier: Apache-2.0 */
/* The job of the back ends' function join_parts. */
#ifndef TULLE_COMM_JOIN_H
#define TULLE_COMM_JOIN_H

#include "core/place.h"

/* Computes to[i] := sum of from[i * item_step + p * part_step] over parts p, in f64. The order in
 * which parts are added depends on their number and the kind of device alone: a CPU adds them one
 * after the other, and so does a GPU up to TULLE__JOIN_IN_ORDER of them; of more, each lane of a
 * warp adds every 32nd part, and the lanes' sums are added in pairs. */
typedef struct tulle__join {
    tulle_type type; /* type of the numbers */
    int64_t items, parts;
    int64_t item_step, part_step;
    const void *from;
    void *to; /* apart from `from` */
} tulle__join;

enum { TULLE__JOIN_IN_ORDER = 128 };

#endif
