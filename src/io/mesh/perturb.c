/* SPDX-License-Identifier: Apache-2.0 */
#include <math.h>

#include "io/mesh/generator.h"
#include "io/rows_common.h"

static const char *const what = "moving nodes";

/* Computes the square of the distance of each node to the nearest node of its cells; the number is
 * below 0 for nodes on the boundary, which are those of facets, since a generator lists all facets
 * of the boundary. */
static tulle_status find_distances(const tulle__mesh_request *r, const tulle_mesh *mesh,
                                   double *square) {
    const tulle_mesh_block *cells = &mesh->blocks[0], *facets = &mesh->blocks[1];
    const int nodes = tulle__shape_of(cells->shape)->info.nodes;
    for (int64_t i = 0; i < mesh->info.nodes; i++) square[i] = INFINITY;
    for (int64_t k = 0; k < facets->count * tulle__shape_of(facets->shape)->info.nodes; k++) {
        square[facets->nodes[k]] = -1;
    }
    for (int64_t c = 0; c < cells->count; c++) {
        const int32_t *node = tulle__element(cells, c);
        TULLE__TRY(tulle__ask(r->ctx, what, c, cells->count));
        for (int a = 0; a < nodes; a++) {
            for (int b = 0; b < a; b++) {
                double apart = 0;
                for (int d = 0; d < mesh->info.dimension; d++) {
                    const double along =
                        tulle__node(mesh, node[a])[d] - tulle__node(mesh, node[b])[d];
                    apart += along * along;
                }
                square[node[a]] = fmin(square[node[a]], apart);
                square[node[b]] = fmin(square[node[b]], apart);
            }
        }
    }
    return TULLE_OK;
}

static tulle_status move_nodes(const tulle__mesh_request *r, tulle_mesh *mesh,
                               const double *square) {
    const int dimension = mesh->info.dimension;
    for (int64_t i = 0; i < mesh->info.nodes; i++) {
        TULLE__TRY(tulle__ask(r->ctx, what, i, mesh->info.nodes));
        if (square[i] < 0) continue;
        const double most = r->perturb * sqrt(square[i] / dimension);
        for (int d = 0; d < dimension; d++) {
            mesh->coordinates[i * dimension + d] +=
                most * tulle__signed_unit(tulle__bits(r->seed, (uint64_t)i, (uint64_t)d));
        }
    }
    return TULLE_OK;
}

tulle_status tulle__mesh_perturb(const tulle__mesh_request *r, tulle_mesh *mesh) {
    void *square;
    tulle_mesh_quality quality;
    TULLE__TRY(tulle__mesh_array(r->ctx, mesh->info.nodes, sizeof(double), &square));
    tulle_status status = find_distances(r, mesh, square);
    if (status == TULLE_OK) status = move_nodes(r, mesh, square);
    tulle__host_free(r->ctx, square);
    TULLE__TRY(status);
    TULLE__TRY(tulle_mesh_measure(r->ctx, mesh, &quality));
    if (quality.least > 0) return TULLE_OK;
    return tulle__mesh_spec_bad(r, "cell %lld turns over; perturb less",
                                (long long)quality.least_cell);
}
