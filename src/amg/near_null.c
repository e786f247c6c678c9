/* SPDX-License-Identifier: Apache-2.0 */
/* Rigid motions, the near null space of linear elasticity. */
#include <math.h>

#include "amg/amg.h"
#include "tulle/vec.h"
#include "vector/operands.h"

/* Numbers of a call, on the host. */
typedef struct rigid {
    tulle_ctx *ctx;
    int dim;
    int columns;
    int64_t nodes;
    void *given;         /* the coordinates, node by node, in their type */
    double *coordinates; /* [nodes * dim], centred and scaled */
    void *motions;       /* [nodes * dim * columns] in the type of the coordinates */
} rigid;

static tulle_status read(rigid *r, const tulle_vec *X) {
    const int64_t count = X->rows * X->cols;
    tulle_vec *rows = NULL;
    r->given = tulle__host_alloc(r->ctx, (size_t)(count * tulle_type_size(X->type)));
    r->coordinates = tulle__host_alloc(r->ctx, (size_t)(r->nodes * r->dim) * sizeof(double));
    r->motions = tulle__host_alloc(
        r->ctx, (size_t)(r->nodes * r->dim * r->columns * tulle_type_size(X->type)));
    if (!r->given || !r->coordinates || !r->motions) return TULLE_OUT_OF_MEMORY;
    TULLE__TRY(
        tulle_vec_create_columns(r->ctx, X->type, X->rows, X->cols, TULLE_ROW_MAJOR, 0, &rows));
    tulle_status status = tulle_vec_copy(r->ctx, X, rows);
    if (status == TULLE_OK) status = tulle_vec_read(r->ctx, rows, r->given, 0);
    tulle_vec_destroy(rows);
    for (int64_t k = 0; status == TULLE_OK && k < r->nodes * r->dim; k++) {
        const int64_t at = k / r->dim * X->cols + k % r->dim;
        r->coordinates[k] = X->type == TULLE_F32 ? (double)((const float *)r->given)[at]
                                                 : ((const double *)r->given)[at];
        if (!isfinite(r->coordinates[k])) {
            return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_near_null_rigid", "coordinates",
                               k / r->dim, "the coordinates of node %lld are not finite",
                               (long long)(k / r->dim));
        }
    }
    return status;
}

/* Moves the mean of the nodes to 0, and divides by the largest number. Quarters of numbers have
 * differences that do not overflow. */
static void centre(rigid *r) {
    double largest = 0;
    for (int d = 0; d < r->dim; d++) {
        double mean = 0;
        for (int64_t i = 0; i < r->nodes; i++) {
            mean += (r->coordinates[i * r->dim + d] / 4 - mean) / (double)(i + 1);
        }
        for (int64_t i = 0; i < r->nodes; i++) {
            double *x = r->coordinates + i * r->dim + d;
            *x = *x / 4 - mean;
            if (fabs(*x) > largest) largest = fabs(*x);
        }
    }
    for (int64_t k = 0; largest > 0 && k < r->nodes * r->dim; k++) r->coordinates[k] /= largest;
}

/* Component `row` of motion `column` of a node at y. */
static double motion(int dim, const double *y, int row, int column) {
    if (column < dim) return row == column;
    if (dim == 2) return row == 0 ? -y[1] : y[0];
    const int axis = column - dim;
    if (row == axis) return 0;
    return row == (axis + 1) % 3 ? -y[(axis + 2) % 3] : y[(axis + 1) % 3];
}

static void fill(rigid *r, tulle_type type) {
    for (int64_t i = 0; i < r->nodes * r->dim; i++) {
        const double *y = r->coordinates + i / r->dim * r->dim;
        for (int j = 0; j < r->columns; j++) {
            const double number = motion(r->dim, y, (int)(i % r->dim), j);
            if (type == TULLE_F32) {
                ((float *)r->motions)[i * r->columns + j] = (float)number;
            } else {
                ((double *)r->motions)[i * r->columns + j] = number;
            }
        }
    }
}

static tulle_status make(rigid *r, const tulle_vec *X, tulle_vec **B) {
    TULLE__TRY(read(r, X));
    centre(r);
    fill(r, X->type);
    TULLE__TRY(tulle_vec_create_columns(r->ctx, X->type, r->nodes * r->dim, r->columns,
                                        TULLE_ROW_MAJOR, 0, B));
    const tulle_status status = tulle_vec_write(r->ctx, *B, r->motions, 0);
    if (status == TULLE_OK) return TULLE_OK;
    tulle_vec_destroy(*B);
    *B = NULL;
    return status;
}

tulle_status tulle_near_null_rigid(tulle_ctx *ctx, const tulle_vec *coordinates, int dim,
                                   tulle_vec **B) {
    TULLE__NEED(B);
    *B = NULL;
    TULLE__NEED(ctx);
    TULLE__NEED(coordinates);
    if (dim != 2 && dim != 3) return TULLE__BAD("dim", "dim is %d; it must be 2 or 3", dim);
    TULLE__TRY(tulle__operand_check(__func__, ctx, (tulle__operand){"coordinates", coordinates},
                                    coordinates->rows, coordinates->cols, coordinates->type));
    if (coordinates->cols < dim) {
        return tulle__fail(TULLE_SHAPE_MISMATCH, __func__, "coordinates", -1,
                           "coordinates have %lld columns; nodes in %d dimensions need %d",
                           (long long)coordinates->cols, dim, dim);
    }
    rigid r = {.ctx = ctx, .dim = dim, .columns = dim == 2 ? 3 : 6, .nodes = coordinates->rows};
    const tulle_status status = make(&r, coordinates, B);
    tulle__host_free(ctx, r.given);
    tulle__host_free(ctx, r.coordinates);
    tulle__host_free(ctx, r.motions);
    return status;
}
