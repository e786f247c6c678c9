/* SPDX-License-Identifier: Apache-2.0 */
/* Processes compare what they are to agree on before they make an object. */
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"

/* Message of a process to the others: how it went, and its facts. */
typedef struct telling {
    int64_t status;
    uint64_t values[TULLE__MOST_AGREEMENTS];
} telling;

static tulle_status judge(const tulle_comm *comm, const char *function, const telling *all,
                          const tulle__agreement *facts, int count) {
    for (int r = 0; r < comm->functions.ranks; r++) {
        if (all[r].status == TULLE_OK) continue;
        return tulle__fail(TULLE_PEER_FAILED, function, NULL, -1, "rank %d failed: %s", r,
                           tulle_status_text((tulle_status)all[r].status));
    }
    for (int i = 0; i < count; i++) {
        for (int r = 1; r < comm->functions.ranks; r++) {
            if (all[r].values[i] == all[0].values[i]) continue;
            return tulle__fail(TULLE_INVALID_ARGUMENT, function, facts[i].name, -1,
                               "%s differs between rank 0 and rank %d: give all processes the same",
                               facts[i].name, r);
        }
    }
    return TULLE_OK;
}

tulle_status tulle__comm_agree(tulle_comm *comm, const char *function, tulle_status here,
                               const tulle__agreement *facts, int count) {
    telling own = {.status = here};
    telling *all = calloc((size_t)comm->functions.ranks, sizeof *all);
    if (!all) {
        return tulle__comm_spoil(
            comm, tulle__fail(TULLE_OUT_OF_MEMORY, function, NULL, -1, "no memory is left"));
    }
    for (int i = 0; i < count; i++) own.values[i] = facts[i].value;
    tulle_status status = tulle__comm_spoil(comm, tulle__comm_gather(comm, &own, sizeof own, all));
    if (status == TULLE_OK) {
        status = here == TULLE_OK ? judge(comm, function, all, facts, count) : here;
    }
    free(all);
    return status;
}
