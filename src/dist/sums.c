/* SPDX-License-Identifier: Apache-2.0 */
/* Inner products and norms of distributed vectors. */
#include <math.h>

#include "dist/dist.h"

static tulle_status check(const char *function, const tulle_ctx *ctx, const tulle_vec *X,
                          const double *results) {
    TULLE__NEED_OF(function, ctx);
    TULLE__NEED_OF(function, X);
    TULLE__NEED_OF(function, results);
    return TULLE_OK;
}

static tulle_status agree(tulle_comm *comm, const char *function, tulle_status here, int64_t cols) {
    return tulle__comm_agree(comm, function, here,
                             &(tulle__agreement){"columns of X", (uint64_t)cols}, 1);
}

/* Adds up over processes. A process that has failed takes part, too, so that the others hear. */
static tulle_status sum(tulle_comm *comm, const char *function, tulle_status here, double *results,
                        int64_t count) {
    TULLE__TRY(agree(comm, function, here, count));
    return tulle__comm_spoil(comm, tulle__comm_sum_host(comm, results, (int)count));
}

tulle_status tulle_dist_dot(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X,
                            const tulle_vec *Y, double *results) {
    TULLE__NEED(comm);
    tulle_status status = check(__func__, ctx, X, results);
    if (status == TULLE_OK) status = tulle_vec_dot(ctx, X, Y, tulle_to_num(results));
    return sum(comm, __func__, status, results, X ? X->cols : 0);
}

/* Computes the norms over all processes from those of each: the root of the sum of squares. The
 * norms are divided by the largest one first, so that their squares neither overflow nor vanish. */
static void join_norms(int ranks, int64_t cols, const double *all, double *results) {
    for (int64_t c = 0; c < cols; c++) {
        double largest = 0, squares = 0;
        for (int r = 0; r < ranks; r++) {
            const double norm = all[r * cols + c];
            if (norm > largest || isnan(norm)) largest = norm;
        }
        for (int r = 0; r < ranks; r++) {
            const double part = all[r * cols + c] / largest;
            squares += part * part;
        }
        const bool plain = largest > 0 && largest < INFINITY;
        results[c] = plain ? largest * sqrt(squares) : largest;
    }
}

tulle_status tulle_dist_norm2(tulle_ctx *ctx, tulle_comm *comm, const tulle_vec *X,
                              double *results) {
    TULLE__NEED(comm);
    const int ranks = comm->functions.ranks;
    const int64_t cols = X ? X->cols : 0;
    const size_t bytes = (size_t)cols * sizeof *results;
    tulle_status status = check(__func__, ctx, X, results);
    if (status == TULLE_OK) status = tulle_vec_norm2(ctx, X, tulle_to_num(results));
    double *all = status == TULLE_OK ? tulle__host_alloc(ctx, bytes * (size_t)ranks + 1) : NULL;
    if (status == TULLE_OK && !all) status = TULLE_OUT_OF_MEMORY;
    status = agree(comm, __func__, status, cols);
    if (status == TULLE_OK) status = tulle__comm_gather(comm, results, bytes, all);
    if (status == TULLE_OK) join_norms(ranks, cols, all, results);
    tulle__host_free(ctx, all);
    return status;
}
