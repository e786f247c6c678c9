/* SPDX-License-Identifier: Apache-2.0 */
#include "shared_rows.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "comm/comm.h"
#include "tools/common/error.h"

/* Gathers where the rows of x of each member begin. */
static tulle_status find_starts(tool_shared_rows *r) {
    const int ranks = r->member->ranks;
    r->starts = tool_alloc((size_t)ranks + 1, sizeof *r->starts);
    const tulle_status status =
        tulle__comm_gather(r->member->comm, &r->info.first_col, sizeof *r->starts, r->starts);
    r->starts[ranks] = r->info.cols;
    for (int m = 0; m < ranks; m++) {
        const int64_t rows = r->starts[m + 1] - r->starts[m];
        if (rows > r->most) r->most = rows;
    }
    return status;
}

tulle_status tool_shared_rows_open(const tool_member *member, const tulle_dist_mat *A,
                                   tool_shared_rows *r) {
    *r = (tool_shared_rows){.member = member};
    tulle_status status = tulle_dist_mat_describe(A, &r->info);
    if (status != TULLE_OK) return status;
    const size_t size = (size_t)tulle_type_size(r->info.type), nnz = (size_t)r->info.local_nnz;
    status = find_starts(r);
    if (status != TULLE_OK) return status;
    r->offsets = tool_alloc((size_t)r->info.local_rows + 1, sizeof *r->offsets);
    r->columns = tool_alloc(nnz, sizeof *r->columns);
    r->values = tool_alloc(nnz, size);
    r->own_x = tool_alloc((size_t)r->most, size);
    r->x = tool_alloc((size_t)r->most * (size_t)member->ranks, size);
    return tulle_dist_mat_read(member->ctx, A, r->offsets, r->columns, r->values);
}

void tool_shared_rows_close(tool_shared_rows *r) {
    free(r->offsets);
    free(r->columns);
    free(r->values);
    free(r->own_x);
    free(r->x);
    free(r->starts);
    *r = (tool_shared_rows){.offsets = NULL};
}

tulle_status tool_shared_rows_gather(tool_shared_rows *r, const void *own) {
    const size_t size = (size_t)tulle_type_size(r->info.type);
    if (r->most == 0) return TULLE_OK;
    memcpy(r->own_x, own, (size_t)r->info.local_cols * size);
    return tulle__comm_gather(r->member->comm, r->own_x, (size_t)r->most * size, r->x);
}

long double tool_shared_number(const tool_shared_rows *r, const void *array, int64_t i) {
    return r->info.type == TULLE_F32 ? (long double)((const float *)array)[i]
                                     : (long double)((const double *)array)[i];
}

/* Returns the place in x of a row of the whole vector, which the last member that begins at it or
 * before it has. */
static int64_t place_of(const tool_shared_rows *r, int64_t row) {
    int least = 0, end = r->member->ranks;
    while (end - least > 1) {
        const int middle = (least + end) / 2;
        if (r->starts[middle] <= row) {
            least = middle;
        } else {
            end = middle;
        }
    }
    return least * r->most + row - r->starts[least];
}

tool_shared_row tool_shared_rows_multiply(const tool_shared_rows *r, int64_t i) {
    tool_shared_row found = {.terms = r->offsets[i + 1] - r->offsets[i]};
    for (int64_t k = r->offsets[i]; k < r->offsets[i + 1]; k++) {
        const long double term = tool_shared_number(r, r->values, k) *
                                 tool_shared_number(r, r->x, place_of(r, r->columns[k]));
        found.sum += term;
        found.mass += fabsl(term);
    }
    return found;
}

/* Sums of squares: of b - A x, of b, and of |A| |x| + |b|. */
typedef struct squares {
    long double residual, b, mass;
} squares;

tulle_status tool_shared_rows_mass(tool_shared_rows *r, const void *own_b, const void *own_x,
                                   double *residual, double *b_norm, double *mass) {
    const size_t ranks = (size_t)r->member->ranks;
    squares own = {0, 0, 0}, all = {0, 0, 0}, *each = tool_alloc(ranks, sizeof *each);
    tulle_status status = tool_shared_rows_gather(r, own_x);
    for (int64_t i = 0; status == TULLE_OK && i < r->info.local_rows; i++) {
        const long double b = tool_shared_number(r, own_b, i);
        const tool_shared_row row = tool_shared_rows_multiply(r, i);
        const long double left = b - row.sum, sizes = row.mass + fabsl(b);
        own.residual += left * left;
        own.b += b * b;
        own.mass += sizes * sizes;
    }
    if (status == TULLE_OK) status = tulle__comm_gather(r->member->comm, &own, sizeof own, each);
    for (size_t m = 0; m < ranks; m++) {
        all.residual += each[m].residual;
        all.b += each[m].b;
        all.mass += each[m].mass;
    }
    free(each);
    *residual = (double)sqrtl(all.residual);
    *b_norm = (double)sqrtl(all.b);
    *mass = (double)sqrtl(all.mass);
    return status;
}

tulle_status tool_shared_rows_residual(tool_shared_rows *r, const void *own_b, const void *own_x,
                                       double *residual, double *b_norm) {
    double mass;
    return tool_shared_rows_mass(r, own_b, own_x, residual, b_norm, &mass);
}
