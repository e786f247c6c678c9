/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_generate: a model matrix whose rows are shared by processes. */
#include "comm/comm.h"
#include "io/generators.h"
#include "tulle/dist.h"

static const char *const function = "tulle_dist_generate";

/* Makes this process's rows of a matrix that is made row by row, or else the whole matrix. */
static tulle_status make(tulle_ctx *ctx, const char *spec, uint64_t seed, tulle_type type,
                         tulle__generation_share *share, tulle_mat **made) {
    TULLE__TRY(tulle__generate_check(function, ctx, spec, type));
    return tulle__generate(ctx, spec, seed, type, share, made);
}

tulle_status tulle_dist_generate(tulle_ctx *ctx, tulle_comm *comm, const char *spec, uint64_t seed,
                                 tulle_type type, tulle_dist_mat **A) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__NEED(comm);
    const int ranks = tulle_comm_ranks(comm), rank = tulle_comm_rank(comm);
    tulle__generation_share share = {.ranks = ranks, .rank = rank};
    tulle_mat *made = NULL;
    tulle_mat_info about = {.rows = 0};
    tulle_status status = make(ctx, spec, seed, type, &share, &made);
    if (status == TULLE_OK) status = tulle_mat_describe(made, &about);
    const tulle__agreement facts[] = {{"spec: number of columns", (uint64_t)about.cols},
                                      {"seed", seed}};
    status = tulle__comm_agree(comm, function, status, facts, 2);
    if (status == TULLE_OK) {
        int64_t first = 0;
        const int64_t rows =
            share.taken ? about.rows : tulle_dist_share(about.rows, ranks, rank, &first);
        status = tulle_dist_mat_from_rows(ctx, comm, made, first, rows,
                                          tulle_dist_share(about.cols, ranks, rank, NULL), A);
    }
    tulle_mat_destroy(made);
    return status;
}
