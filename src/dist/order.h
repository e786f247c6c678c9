/* SPDX-License-Identifier: Apache-2.0 */
/* Rows that have moved to other processes, and the way that their vectors go. */
#ifndef TULLE_DIST_ORDER_H
#define TULLE_DIST_ORDER_H

#include "dist/dist.h"

struct tulle_dist_order {
    tulle_ctx *ctx;   /* owned */
    tulle_comm *comm; /* owned */
    int64_t rows;     /* number of this process's rows before */
    tulle__halo halo; /* the rows that went and came; in their new order those that came are all
                         rows of this process */
};

/* Makes an order whose halo is still to be made. */
tulle_status tulle__dist_order_make(const tulle_dist_mat *A, tulle_dist_order **P);

#endif
