/* SPDX-License-Identifier: Apache-2.0 */
#include "elastic_system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>

#include <cmocka.h>

#include "meshes.h"
#include "places.h"

int elastic_axis[3] = {0, 1, 2};

void elastic_along(tulle_quantity q[3],
                   double (*function)(const double x[3], int64_t element, void *axis)) {
    for (int d = 0; d < 3; d++) {
        q[d] = (tulle_quantity){.function = function, .user = &elastic_axis[d]};
    }
}

elastic_system elastic_open(tulle_ctx *ctx, const char *spec, const tulle_elasticity_problem *p,
                            tulle_format format, tulle_type type) {
    elastic_system s = {.mesh = mesh_of(ctx, spec)};
    s.unknowns = mesh_arrays(s.mesh).dimension;
    s.n = mesh_info(s.mesh).nodes * s.unknowns;
    must(tulle_elasticity_create(ctx, s.mesh, p, &s.E));
    must(tulle_elasticity_assembly(ctx, s.E, format, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, type, &s.A));
    must(tulle_vec_create(ctx, type, s.n, &s.b));
    must(tulle_elasticity_values(ctx, s.E, s.S, s.A));
    must(tulle_elasticity_load(ctx, s.E, s.S, s.b));
    return s;
}

void elastic_close(elastic_system *s) {
    tulle_vec_destroy(s->b);
    tulle_mat_destroy(s->A);
    tulle_assembly_destroy(s->S);
    tulle_elasticity_destroy(s->E);
    tulle_mesh_destroy(s->mesh);
}

entries elastic_entries(tulle_ctx *ctx, const tulle_mat *A) {
    tulle_mat *csr = NULL;
    must(tulle_mat_convert(ctx, A, TULLE_CSR, TULLE_I32, 0, &csr));
    entries e = entries_read(ctx, csr);
    entries_sort(&e);
    tulle_mat_destroy(csr);
    return e;
}
