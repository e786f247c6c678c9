/* SPDX-License-Identifier: Apache-2.0 */
/* A cantilever of steel, 10 m x 1 m x 1 m, held at one end and pulled down at the other, by a
 * matrix of 3 x 3 blocks; how far its tip goes, beside the theory of beams, and a picture for
 * ParaView. Usage: example-beam [picture.vtu [hexahedra across [a place such as cpu:2]]] */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <tulle/mesh_io.h>
#include <tulle/tulle.h>

static const double length = 10, young = 2.1e11, poisson = 0.3, pull = 1e6;

/* Both differ by so many per cent at most, from 8 hexahedra across on. */
static const double agreed = 2;

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

/* S. P. Timoshenko: what bending and shear give, of a square of side 1, whose second moment of area
 * is 1/12; the shear coefficient is that of G. R. Cowper, "The Shear Coefficient in Timoshenko's
 * Beam Theory" (1966). */
static double deflection_of_theory(void) {
    const double shear_modulus = young / (2 * (1 + poisson));
    const double coefficient = 10 * (1 + poisson) / (12 + 11 * poisson);
    return pull * length * length * length / (3 * young / 12) +
           pull * length / (coefficient * shear_modulus);
}

/* The hierarchy of multigrid for A, by the rigid motions of the mesh's nodes. */
static tulle_linop *hierarchy_of(tulle_ctx *ctx, tulle_mat *A, const tulle_mesh *mesh) {
    tulle_mesh_arrays a;
    tulle_vec *nodes, *motions;
    tulle_linop *M;
    check(tulle_mesh_view(mesh, &a));
    check(tulle_vec_create_columns(ctx, TULLE_F64, a.node_count, 3, TULLE_ROW_MAJOR, 0, &nodes));
    check(tulle_vec_write(ctx, nodes, a.coordinates, 0));
    check(tulle_near_null_rigid(ctx, nodes, 3, &motions));
    const tulle_amg_options options = {.block = 3, .near_null = motions};
    check(tulle_amg_create(ctx, A, &options, &M));
    tulle_vec_destroy(motions);
    tulle_vec_destroy(nodes);
    return M;
}

/* A u = b by conjugate gradients and multigrid; u on the host, to be freed. */
static double *solve(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b, const tulle_mesh *mesh,
                     int64_t rows) {
    const tulle_solver_options options = {.method = TULLE_CG, .tolerance = 1e-8};
    double *u = malloc((size_t)rows * sizeof *u);
    tulle_linop *L, *M = hierarchy_of(ctx, A, mesh);
    tulle_solver *S;
    tulle_vec *x;
    tulle_solver_report report;
    check(tulle_linop_from_mat(ctx, A, &L));
    check(tulle_vec_create(ctx, TULLE_F64, rows, &x));
    check(tulle_solver_create(ctx, L, M, &options, &S));
    check(tulle_solver_run(ctx, S, b, x, &report));
    printf("%s: %lld iterations\n", tulle_outcome_text(report.outcome),
           (long long)report.iterations);
    if (!u || report.outcome != TULLE_CONVERGED) exit(EXIT_FAILURE);
    check(tulle_vec_read(ctx, x, u, 0));
    tulle_solver_destroy(S);
    tulle_vec_destroy(x);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    return u;
}

/* Returns the mean distance by which the nodes at the end go down. */
static double deflection_of(const tulle_mesh *mesh, const double *u) {
    tulle_mesh_arrays a;
    double sum = 0;
    int64_t count = 0;
    check(tulle_mesh_view(mesh, &a));
    for (int64_t i = 0; i < a.node_count; i++) {
        if (a.coordinates[3 * i] < length) continue;
        sum -= u[3 * i + 2];
        count++;
    }
    return sum / (double)count;
}

int main(int argc, char **argv) {
    const char *picture = argc > 1 ? argv[1] : "beam.vtu";
    const int across = argc > 2 ? atoi(argv[2]) : 8;
    const tulle_elastic_condition conditions[] = {
        {.group = "x-min", .kind = TULLE_DIRICHLET},
        {.group = "x-max", .kind = TULLE_NEUMANN, .value = {[2] = {.number = -pull}}},
    };
    const tulle_elasticity_problem beam = {.first = {.number = young},
                                           .second = {.number = poisson},
                                           .condition_count = 2,
                                           .conditions = conditions};
    char spec[64];
    tulle_ctx *ctx;
    tulle_mesh *mesh;
    tulle_elasticity_info info;
    tulle_elasticity *E;
    tulle_assembly *S;
    tulle_mat *A;
    tulle_vec *b;

    snprintf(spec, sizeof spec, "box-hex:%dx%dx%d,size=%gx1x1", 10 * across, across, across,
             length);
    check(tulle_ctx_create(argc > 3 ? argv[3] : "auto", NULL, &ctx));
    check(tulle_mesh_generate(ctx, spec, &mesh));
    check(tulle_elasticity_create(ctx, mesh, &beam, &E));
    check(tulle_elasticity_describe(E, &info));
    check(tulle_elasticity_assembly(ctx, E, TULLE_BSR, &S));
    check(tulle_assembly_matrix(ctx, S, TULLE_F64, &A));
    check(tulle_vec_create(ctx, TULLE_F64, info.nodes * info.unknowns, &b));
    check(tulle_elasticity_values(ctx, E, S, A));
    check(tulle_elasticity_load(ctx, E, S, b));

    double *u = solve(ctx, A, b, mesh, info.nodes * info.unknowns);
    const tulle_mesh_field field = {
        .name = "displacement", .type = TULLE_F64, .components = 3, .values = u};
    const tulle_mesh_save_options options = {.field_count = 1, .fields = &field};
    check(tulle_mesh_save(ctx, mesh, picture, &options));
    const double theory = deflection_of_theory(), found = deflection_of(mesh, u);
    const double off = 100 * fabs(found / theory - 1);
    printf("the tip goes down by %.3g mm, by the theory of beams %.3g mm, %.1f %% apart: %s\n",
           1e3 * found, 1e3 * theory, off, picture);

    free(u);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_assembly_destroy(S);
    tulle_elasticity_destroy(E);
    tulle_mesh_destroy(mesh);
    tulle_ctx_destroy(ctx);
    return across >= 8 && !(off <= agreed) ? EXIT_FAILURE : EXIT_SUCCESS;
}
