/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the peers of a run. The benchmark itself has none: a program that brings some offers
 * them. */
#ifndef BENCH_PEERS_H
#define BENCH_PEERS_H

#include "bench/peer.h"

/* A peer that is usable in this run, and the version of its library. */
typedef struct bench_peer_found {
    const bench_peer *peer;
    char version[BENCH_VERSION];
} bench_peer_found;

enum { BENCH_MOST_PEERS = 128 };

typedef struct bench_peer_set {
    bench_peer_found item[BENCH_MOST_PEERS];
    int count;
} bench_peer_set;

/* Finds the peers that a list names ("all", "none", or names of libraries or algorithms with
 * commas) and that fit the backend and the operation ("spmv": products with vectors); says once on
 * standard error why a peer cannot be used. Returns an exit code of the tool: a name that no peer
 * has is bad input. */
int bench_peers_find(const char *list, tulle_backend backend, const char *op,
                     bench_peer_set *found);

/* Returns the name of the operation that a peer computes. */
const char *bench_peer_op(const bench_peer *peer);

/* Offers peers to the runs that follow; the array must stay. */
void bench_peers_offer(const bench_peer *const *peers, int count);

/* Returns whether any peer was offered. */
bool bench_peers_offered(void);

#endif
