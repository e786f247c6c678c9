/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/peers/peers.h"

#include "bench/peers.h"

static const bench_peer *const peers[] = {
#define X(name) &bench_peer_##name,
    BENCH_PEERS(X)
#undef X
};

enum { COUNT = sizeof peers / sizeof *peers };
_Static_assert(sizeof peers / sizeof *peers <= (size_t)BENCH_MOST_PEERS, "room for all peers");

void lab_peers_offer(void) {
    bench_peers_offer(peers, COUNT);
}
