/* SPDX-License-Identifier: Apache-2.0 */
/* Generates the stand-ins for the matrices of the papers, on the CPU. The pattern of a stand-in is
 * the same for every seed; the seed gives the values. */
#include <string.h>

#include "io/file/host.h"
#include "io/generators.h"
#include "lab/papers/like/like.h"
#include "lab/papers/like/rows.h"

static tulle_status read_spec(const tulle__generation *g, paper_like *like) {
    if (!g->numbers) return tulle__spec_bad(g, "numbers are missing");
    size_t length = strcspn(g->numbers, ",");
    const char *option = g->numbers + length;
    if (!paper_like_find(g->numbers, length, like)) {
        return tulle__fail(TULLE_NOT_FOUND, "tulle_generate", "spec", -1,
                           "\"%.60s\": the papers have no matrix of that name; usage: %s", g->spec,
                           g->generator->info.usage);
    }
    bool stored = strcmp(option, ",stored") == 0;
    if (*option && !stored) return tulle__spec_bad(g, "what does \"%.20s\" mean?", option);
    like->args.columns = paper_row_columns;
    like->args.value = paper_row_value;
    like->args.value_seed = g->seed;
    if (stored && like->matrix->symmetric) like->args.number[PAPER_CLOUD_LOWER] = 1;
    return TULLE_OK;
}

static tulle_status make(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                         tulle_mat **A) {
    const tulle__generator generator = {.info = paper_like_generator.info};
    const char *colon = strchr(spec, ':');
    tulle__generation g = {NULL, &generator, spec, colon ? colon + 1 : NULL, seed, type, NULL};
    paper_like like;
    tulle_mat *made = NULL;
    *A = NULL;
    TULLE__TRY(read_spec(&g, &like));
    tulle_status status = tulle__host_context(ctx, &g.ctx);
    if (status == TULLE_OK) {
        status = like.transposed ? tulle__from_rows_transposed(&g, &like.args, &made)
                                 : tulle__from_rows(&g, &like.args, &made);
    }
    if (status == TULLE_OK && g.ctx != ctx) {
        status = tulle_mat_copy(ctx, made, type, A);
        tulle_mat_destroy(made);
    } else {
        *A = made;
    }
    tulle__host_context_done(ctx, g.ctx);
    return status;
}

const tool_generator paper_like_generator = {
    .info = {.name = "like",
             .usage = "like:NAME[,stored]",
             .summary = "a stand-in for a matrix that papers use: its sizes and its kind of "
                        "structure",
             .example = "like:cant,stored"},
    .make = make,
};
