/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/peers.h"

#include <stdio.h>
#include <string.h>

#include "tools/common/error.h"
#include "tools/common/suggest.h"

/* Peers that this program has offered. */
static const bench_peer *const *peers;
static int peer_count;

void bench_peers_offer(const bench_peer *const *offered, int count) {
    peers = offered;
    peer_count = count;
}

bool bench_peers_offered(void) {
    return peer_count > 0;
}

static bool is(const char *name, const char *word, size_t length) {
    return strlen(name) == length && strncmp(name, word, length) == 0;
}

static bool named_by(const bench_peer *peer, const char *word, size_t length) {
    return is(peer->name, word, length) || is(peer->library, word, length);
}

static bool in_list(const char *list, const bench_peer *peer) {
    if (strcmp(list, "all") == 0) return true;
    for (const char *word = list;;) {
        size_t length = strcspn(word, ",");
        if (named_by(peer, word, length)) return true;
        if (word[length] == '\0') return false;
        word += length + 1;
    }
}

static int unknown(const char *word, size_t length) {
    char name[64];
    snprintf(name, sizeof name, "%.*s", (int)length, word);
    tool_suggestions close = tool_suggest(name);
    for (int i = 0; i < peer_count; i++) tool_suggest_offer(&close, peers[i]->library);
    for (int i = 0; i < peer_count; i++) tool_suggest_offer(&close, peers[i]->name);
    return tool_misuse("bench", "--peers: this build has no peer '%s'%s", name,
                       tool_suggest_text(&close));
}

static int check_list(const char *list) {
    for (const char *word = list;;) {
        size_t length = strcspn(word, ",");
        bool known = false;
        for (int i = 0; i < peer_count && !known; i++) known = named_by(peers[i], word, length);
        if (!known) return unknown(word, length);
        if (word[length] == '\0') return TOOL_OK;
        word += length + 1;
    }
}

static void add(const bench_peer *peer, bench_peer_set *found, const char **missing) {
    bench_peer_found *next = &found->item[found->count];
    *next = (bench_peer_found){.peer = peer};
    if (peer->available(next->version) == TULLE_OK) {
        found->count++;
        return;
    }
    const char *reason = tool_error_line();
    if (*missing && strcmp(*missing, peer->library) == 0) return;
    *missing = peer->library;
    fprintf(stderr, "tulle: bench: without %s: %s\n", peer->library, reason);
}

const char *bench_peer_op(const bench_peer *peer) {
    return peer->op ? peer->op : "spmv";
}

int bench_peers_find(const char *list, tulle_backend backend, const char *op,
                     bench_peer_set *found) {
    found->count = 0;
    if (strcmp(list, "none") == 0) return TOOL_OK;
    int code = strcmp(list, "all") == 0 ? TOOL_OK : check_list(list);
    if (code != TOOL_OK || backend == TULLE_EMULATED) return code;
    const char *missing = NULL;
    for (int i = 0; i < peer_count; i++) {
        bool its_place = peers[i]->gpu == (backend == TULLE_CUDA);
        bool fits = its_place && strcmp(bench_peer_op(peers[i]), op) == 0;
        if (fits && in_list(list, peers[i])) add(peers[i], found, &missing);
    }
    return TOOL_OK;
}
