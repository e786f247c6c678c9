/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of ranks. */
#include "dist/dist.h"

int64_t tulle_dist_share(int64_t n, int ranks, int rank, int64_t *first) {
    if (first) *first = 0;
    if (n < 0 || ranks < 1 || rank < 0 || rank >= ranks) return 0;
    const int64_t each = n / ranks, more = n % ranks;
    if (first) *first = rank * each + (rank < more ? rank : more);
    return each + (rank < more);
}
