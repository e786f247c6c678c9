/* SPDX-License-Identifier: Apache-2.0 */
/* Parts of a graph by METIS, where it was found when libtulle was built. A node weighs as much as
 * its row has entries, so that parts have equal shares of the work of a product. */
#define _POSIX_C_SOURCE 200809L
#include "order/partition.h"

#include "core/error.h"

#if TULLE__METIS

#include <metis.h>
#include <pthread.h>
#include <signal.h>

#include "order/fill.h"

/* METIS takes its random numbers from rand(): two calls at once would mix theirs. */
static pthread_mutex_t one_at_a_time = PTHREAD_MUTEX_INITIALIZER;

/* Below so many nodes a part METIS may find parts without nodes, and says so on standard output. */
enum { FEWEST = 16, MOST_BISECTED = 8, SEED = 1 };

static tulle_status judge(const char *function, int code) {
    if (code == METIS_OK) return TULLE_OK;
    if (code == METIS_ERROR_MEMORY) {
        return tulle__fail(TULLE_OUT_OF_MEMORY, function, "A", -1, "METIS has no memory left");
    }
    return tulle__fail(TULLE_TOO_LARGE, function, "A", -1, "METIS does not take such a graph");
}

/* Copies the graph into METIS's numbers, [nodes + 1], [edge ends] and [nodes]. */
static tulle_status copy(tulle_ctx *ctx, const tulle__graph *g, void **begin, void **neighbours,
                         idx_t **weight) {
    size_t bytes;
    TULLE__TRY(tulle__order_copy(ctx, g->begin, 8, g->nodes + 1, sizeof(idx_t), begin));
    TULLE__TRY(tulle__order_copy(ctx, g->neighbours, g->narrow ? 4 : 8, g->begin[g->nodes],
                                 sizeof(idx_t), neighbours));
    TULLE__TRY(tulle__size(g->nodes, sizeof **weight, 0, &bytes));
    *weight = tulle__host_alloc(ctx, bytes);
    if (!*weight) return TULLE_OUT_OF_MEMORY;
    for (int64_t v = 0; v < g->nodes; v++) {
        (*weight)[v] = (idx_t)(g->begin[v + 1] - g->begin[v] + 1);
    }
    return TULLE_OK;
}

/* Calls METIS, which handles two signals meanwhile, and leaves to neither all that the program had
 * asked of it. */
static int call(idx_t nodes, void *begin, void *neighbours, idx_t *weight, idx_t parts,
                idx_t *part) {
    static const int taken[] = {SIGABRT, SIGTERM};
    struct sigaction before[2];
    idx_t options[METIS_NOPTIONS], constraints = 1, cut;
    METIS_SetDefaultOptions(options);
    options[METIS_OPTION_SEED] = SEED;
    options[METIS_OPTION_NUMBERING] = 0;
    pthread_mutex_lock(&one_at_a_time);
    for (int i = 0; i < 2; i++) sigaction(taken[i], NULL, before + i);
    const int code = (parts <= MOST_BISECTED ? METIS_PartGraphRecursive : METIS_PartGraphKway)(
        &nodes, &constraints, begin, neighbours, weight, NULL, NULL, &parts, NULL, NULL, options,
        &cut, part);
    for (int i = 0; i < 2; i++) sigaction(taken[i], before + i, NULL);
    pthread_mutex_unlock(&one_at_a_time);
    return code;
}

static tulle_status run(const char *function, tulle_ctx *ctx, const tulle__graph *g, int parts,
                        int32_t *part) {
    void *begin = NULL, *neighbours = NULL, *found = NULL;
    idx_t *weight = NULL;
    tulle_status status = copy(ctx, g, &begin, &neighbours, &weight);
    if (status == TULLE_OK) {
        status = tulle__order_copy(ctx, g->begin, 8, g->nodes, sizeof(idx_t), &found);
    }
    if (status == TULLE_OK) {
        status = judge(function, call((idx_t)g->nodes, begin, neighbours, weight, parts, found));
    }
    for (int64_t v = 0; status == TULLE_OK && v < g->nodes; v++) {
        part[v] = (int32_t)((const idx_t *)found)[v];
    }
    tulle__host_free(ctx, begin);
    tulle__host_free(ctx, neighbours);
    tulle__host_free(ctx, weight);
    tulle__host_free(ctx, found);
    return status;
}

tulle_status tulle__partition(const char *function, tulle_ctx *ctx, const tulle__graph *g,
                              int parts, int32_t *part) {
    const int64_t ends = g->begin[g->nodes];
    if (g->nodes > IDX_MAX - ends) {
        return tulle__fail(TULLE_TOO_LARGE, function, "A", -1,
                           "A has %lld entries beside the diagonal's, and this METIS counts to "
                           "%lld",
                           (long long)ends, (long long)IDX_MAX);
    }
    TULLE__TRY(tulle__progress(ctx, "partitioning", 0, g->nodes));
    if (parts > 1 && ends > 0 && g->nodes >= FEWEST * (int64_t)parts) {
        TULLE__TRY(run(function, ctx, g, parts, part));
    } else {
        for (int64_t v = 0; v < g->nodes; v++) part[v] = (int32_t)(v * parts / g->nodes);
    }
    return tulle__progress(ctx, "partitioning", g->nodes, g->nodes);
}

#else

tulle_status tulle__partition(const char *function, tulle_ctx *ctx, const tulle__graph *graph,
                              int parts, int32_t *part) {
    (void)ctx;
    (void)graph;
    (void)parts;
    (void)part;
    return tulle__fail(TULLE_UNSUPPORTED, function, NULL, -1,
                       "this libtulle was built without METIS: install its headers (Debian: "
                       "libmetis-dev) and build again, or share the rows as they stand");
}

#endif
