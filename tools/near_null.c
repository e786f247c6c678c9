/* SPDX-License-Identifier: Apache-2.0 */
#include "near_null.h"

#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

#include "tools/common/block.h"
#include "tools/common/error.h"
#include "tools/common/vector_file.h"
#include "trials/mesh_problem.h"

static bool is(const tool_near_null *n, const char *word) {
    return n->what && strcmp(n->what, word) == 0;
}

bool tool_near_null_given(const tool_near_null *n) {
    return n->what || n->coordinates || n->block > 0;
}

int tool_near_null_check(const char *command, const tool_near_null *n, bool mesh) {
    if (mesh && (n->block > 0 || n->coordinates)) {
        return tool_misuse(command, "--%s: the mesh says that: leave it out",
                           n->block > 0 ? "block-size" : "coordinates");
    }
    if (n->coordinates && !is(n, "rigid")) {
        return tool_misuse(command, "--coordinates goes with --near-null rigid");
    }
    if (is(n, "rigid") && !mesh && !n->coordinates) {
        return tool_misuse(command,
                           "--near-null rigid: motions need nodes: give --coordinates FILE, with a "
                           "row of 2 or 3 numbers for each");
    }
    return TOOL_OK;
}

static tulle_status take_columns(tulle_ctx *ctx, const char *path, tulle_type type, int64_t rows,
                                 int64_t columns, const void *numbers, tulle_vec **B) {
    tulle_status status =
        tulle_vec_create_columns(ctx, type, rows, columns, TULLE_COLUMN_MAJOR, 0, B);
    if (status == TULLE_OK) status = tool_block_write(ctx, *B, numbers);
    return status == TULLE_OK ? TULLE_OK
                              : tool_record(status, "%s: %s", path, tulle_last_error()->message);
}

static tulle_status load(tulle_ctx *ctx, const char *path, tulle_type type, tulle_vec **B) {
    int64_t rows, columns;
    void *numbers = NULL;
    tulle_status status = tool_load_array(path, type, &rows, &columns, &numbers);
    if (status == TULLE_OK) status = take_columns(ctx, path, type, rows, columns, numbers, B);
    free(numbers);
    return status;
}

static tulle_status make_rigid(tulle_ctx *ctx, const tulle_mat_info *A, const tulle_mesh *mesh,
                               tool_near_null *n) {
    tulle_vec *X = NULL;
    tulle_vec_info nodes = {.rows = 0};
    tulle_status status =
        mesh ? trial_mesh_nodes(ctx, mesh, A->type, &X) : load(ctx, n->coordinates, A->type, &X);
    if (status == TULLE_OK) status = tulle_vec_describe(X, &nodes);
    if (status == TULLE_OK && (nodes.cols < 2 || nodes.cols > 3)) {
        status = tool_record(TULLE_SHAPE_MISMATCH,
                             "%s: is %" PRId64 " x %" PRId64 ": a node is a row of 2 or 3 numbers",
                             n->coordinates, nodes.rows, nodes.cols);
    }
    if (status == TULLE_OK && nodes.rows * nodes.cols != A->rows) {
        status = tool_record(TULLE_SHAPE_MISMATCH,
                             "%s: has %" PRId64 " nodes of %" PRId64 " unknowns, but A has %" PRId64
                             " rows",
                             n->coordinates, nodes.rows, nodes.cols, A->rows);
    }
    if (status == TULLE_OK && n->block > 0 && n->block != nodes.cols) {
        status = tool_record(TULLE_SHAPE_MISMATCH,
                             "--block-size %" PRId64 ": rigid motions have %" PRId64
                             " unknowns of a node, the columns of %s",
                             n->block, nodes.cols, n->coordinates);
    }
    if (status == TULLE_OK) {
        n->block = nodes.cols;
        status = tulle_near_null_rigid(ctx, X, (int)nodes.cols, &n->B);
    }
    tulle_vec_destroy(X);
    return status;
}

static tulle_status load_vectors(tulle_ctx *ctx, const tulle_mat_info *A, tool_near_null *n) {
    tulle_vec_info found = {.rows = 0};
    tulle_status status = load(ctx, n->what, A->type, &n->B);
    if (status == TULLE_OK) status = tulle_vec_describe(n->B, &found);
    if (status != TULLE_OK || (found.rows == A->rows && found.cols <= 16)) return status;
    return tool_record(TULLE_SHAPE_MISMATCH,
                       "%s: is %" PRId64 " x %" PRId64 ", but a near null space must have %" PRId64
                       " rows and 1 to 16 columns",
                       n->what, found.rows, found.cols, A->rows);
}

/* Unknowns of a node where nobody says how many: the rows of A's blocks. */
static int64_t block_of(const tulle_mat_info *A) {
    return A->format == TULLE_BSR && A->storage.block > 0 ? A->storage.block : 1;
}

tulle_status tool_near_null_open(tulle_ctx *ctx, const tulle_mat_info *A, const tulle_mesh *mesh,
                                 tool_near_null *n, tulle_solve_options *options) {
    tulle_status status = TULLE_OK;
    const bool constant = is(n, "constant") || !n->what;
    if (is(n, "rigid")) {
        status = make_rigid(ctx, A, mesh, n);
    } else if (!constant) {
        status = load_vectors(ctx, A, n);
    }
    if (status != TULLE_OK) return status;
    if (n->block == 0) n->block = block_of(A);
    if (constant && n->block == 1) {
        return tool_record(TULLE_INVALID_ARGUMENT,
                           "--near-null constant: give --block-size B, how many unknowns a node "
                           "has, 2 or more");
    }
    n->vectors = n->block;
    options->block = (int)n->block;
    options->near_null = n->B;
    if (!n->B) return TULLE_OK;
    tulle_vec_info found = {.rows = 0};
    status = tulle_vec_describe(n->B, &found);
    n->vectors = found.cols;
    return status;
}

void tool_near_null_close(tool_near_null *n) {
    tulle_vec_destroy(n->B);
    n->B = NULL;
}

void tool_near_null_add(cJSON *json, const tool_near_null *n) {
    if (n->vectors == 0) return;
    cJSON *item = tool_json_child(json, "near_null");
    tool_json_text(item, "from", n->what ? n->what : "constant");
    tool_json_int(item, "block", n->block);
    tool_json_int(item, "vectors", n->vectors);
}
