/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a graph, of about equal work, with few edges between them. */
#ifndef TULLE_ORDER_PARTITION_H
#define TULLE_ORDER_PARTITION_H

#include "order/graph.h"

/* Sets part[v] to the part of node v, 0 to parts - 1, by METIS. Errors name the argument A of a
 * public function. */
tulle_status tulle__partition(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                              int parts, int32_t *part);

/* Orders nodes by their parts, and within a part as they were: place[v] is the new number of node
 * v, and the nodes of part p have the numbers starts[p] to starts[p + 1] - 1. */
void tulle__partition_order(int64_t nodes, const int32_t *part, int parts, int64_t *starts,
                            int64_t *place);

#endif
