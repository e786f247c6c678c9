/* SPDX-License-Identifier: Apache-2.0 */
/* tulle_dist_mat_load: one file, read by all processes, each of which keeps its own rows. */
#include "comm/comm.h"
#include "core/error.h"
#include "tulle/dist.h"
#include "tulle/io.h"

tulle_status tulle_dist_mat_load(tulle_ctx *ctx, tulle_comm *comm, const char *path,
                                 tulle_type type, tulle_dist_mat **A, tulle_file_info *info) {
    TULLE__NEED(A);
    *A = NULL;
    TULLE__NEED(comm);
    const int ranks = tulle_comm_ranks(comm), rank = tulle_comm_rank(comm);
    tulle_file_info about = {.rows = 0};
    tulle_mat *whole = NULL;
    tulle_status status = tulle_mat_load(ctx, path, type, &whole, &about);
    const tulle__agreement facts[] = {{"path: number of rows", (uint64_t)about.rows},
                                      {"path: number of columns", (uint64_t)about.cols},
                                      {"path: number of entries", (uint64_t)about.expanded}};
    status = tulle__comm_agree(comm, __func__, status, facts, 3);
    if (status == TULLE_OK) {
        int64_t first;
        const int64_t rows = tulle_dist_share(about.rows, ranks, rank, &first);
        status = tulle_dist_mat_from_rows(ctx, comm, whole, first, rows,
                                          tulle_dist_share(about.cols, ranks, rank, NULL), A);
    }
    tulle_mat_destroy(whole);
    if (status == TULLE_OK && info) *info = about;
    return status;
}
