/* SPDX-License-Identifier: Apache-2.0 */
#include "diffusion_system.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

#include "meshes.h"
#include "places.h"

diffusion_system diffusion_open(tulle_ctx *ctx, const char *spec, const tulle_diffusion_problem *p,
                                tulle_type type) {
    return diffusion_open_on(ctx, mesh_of(ctx, spec), p, type);
}

diffusion_system diffusion_open_on(tulle_ctx *ctx, tulle_mesh *mesh,
                                   const tulle_diffusion_problem *p, tulle_type type) {
    diffusion_system s = {.mesh = mesh};
    tulle_diffusion_info info;
    must(tulle_diffusion_create(ctx, s.mesh, p, &s.D));
    must(tulle_diffusion_describe(s.D, &info));
    s.n = info.nodes;
    must(tulle_diffusion_assembly(ctx, s.D, TULLE_CSR, &s.S));
    must(tulle_assembly_matrix(ctx, s.S, type, &s.A));
    must(tulle_vec_create(ctx, type, s.n, &s.b));
    must(tulle_diffusion_values(ctx, s.D, s.S, s.A));
    must(tulle_diffusion_load(ctx, s.D, s.S, s.b));
    return s;
}

void diffusion_close(diffusion_system *s) {
    tulle_vec_destroy(s->b);
    tulle_mat_destroy(s->A);
    tulle_assembly_destroy(s->S);
    tulle_diffusion_destroy(s->D);
    tulle_mesh_destroy(s->mesh);
}

double *diffusion_read(tulle_ctx *ctx, const tulle_vec *v, tulle_type type, int64_t n) {
    double *numbers = malloc((size_t)n * sizeof *numbers);
    float *narrow = malloc((size_t)n * sizeof *narrow);
    assert_true(numbers && narrow);
    if (type == TULLE_F64) {
        must(tulle_vec_read(ctx, v, numbers, 0));
    } else {
        must(tulle_vec_read(ctx, v, narrow, 0));
        for (int64_t i = 0; i < n; i++) numbers[i] = (double)narrow[i];
    }
    free(narrow);
    return numbers;
}

void diffusion_node(const tulle_mesh *mesh, int64_t node, double x[3]) {
    const tulle_mesh_arrays a = mesh_arrays(mesh);
    for (int d = 0; d < 3; d++) x[d] = d < a.dimension ? a.coordinates[node * a.dimension + d] : 0;
}
