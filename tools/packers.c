/* SPDX-License-Identifier: Apache-2.0 */
#include "packers.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "tools/common/error.h"
#include "tools/common/progress.h"
#include "tulle/io.h"
#include "tulle/tulle.h"

static tulle_status compare(const tulle_mat *A, const tulle_mat *B) {
    tulle_mat_info a, b;
    tulle_status status = tulle_mat_describe(A, &a);
    if (status == TULLE_OK) status = tulle_mat_describe(B, &b);
    if (status != TULLE_OK || a.nnz == b.nnz) return status;
    return tool_record(TULLE_IO_ERROR, "what was written is not what was read");
}

static tulle_status write_and_read(tulle_ctx *ctx, const tulle_mat *A, const char *path) {
    tulle_mat *B = NULL;
    tulle_status status = tulle_mat_save(ctx, A, path, NULL);
    if (status == TULLE_OK) status = tulle_mat_load(ctx, path, TULLE_F64, &B, NULL);
    if (status == TULLE_OK) status = compare(A, B);
    tulle_mat_destroy(B);
    unlink(path);
    return status;
}

static tulle_status check(const char *folder, tool_packer *packer) {
    char path[4096];
    snprintf(path, sizeof path, "%s/matrix.mtx%s", folder, packer->ending);
    tulle_ctx *ctx = NULL;
    tulle_mat *A = NULL;
    tulle_status status = tool_open_place("cpu", &ctx);
    if (status == TULLE_OK) status = tulle_generate(ctx, "p2d5:7,9", 1, TULLE_F64, &A);
    if (status == TULLE_OK) status = write_and_read(ctx, A, path);
    tulle_mat_destroy(A);
    tulle_ctx_destroy(ctx);
    packer->works = status == TULLE_OK;
    if (!packer->works) snprintf(packer->problem, sizeof packer->problem, "%s", tool_error_line());
    return status == TULLE_CANCELLED ? status : TULLE_OK;
}

tulle_status tool_check_packers(tool_packer packers[TOOL_PACKERS]) {
    static const char *const endings[TOOL_PACKERS] = {"", ".gz", ".xz", ".zst"};
    const char *parent = getenv("TMPDIR");
    char folder[4000];
    snprintf(folder, sizeof folder, "%s/tulle-XXXXXX", parent && parent[0] ? parent : "/tmp");
    bool made = mkdtemp(folder) != NULL;
    tulle_status status = TULLE_OK;
    for (int i = 0; i < TOOL_PACKERS && status == TULLE_OK; i++) {
        packers[i] = (tool_packer){.ending = endings[i]};
        if (made) {
            status = check(folder, &packers[i]);
        } else {
            snprintf(packers[i].problem, sizeof packers[i].problem, "%.400s: %s", folder,
                     strerror(errno));
        }
    }
    if (made) rmdir(folder);
    return status;
}
