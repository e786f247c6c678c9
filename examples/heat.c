/* SPDX-License-Identifier: Apache-2.0 */
/* Heat in a bracket of steel, from a mesh of Gmsh's (bracket.geo) to a picture for ParaView: it
 * holds a pipe at 90 degrees, is bolted to a wall at 15, and stands in air at 20. Lengths are in
 * centimetres, power in watts. Usage: example-heat bracket.msh [picture.vtu [a place such as
 * cpu:2]]
 */
#include <stdio.h>
#include <stdlib.h>
#include <tulle/mesh_io.h>
#include <tulle/tulle.h>

static void check(tulle_status status) {
    if (status == TULLE_OK) return;
    fprintf(stderr, "%s\n", tulle_last_error()->message);
    exit(EXIT_FAILURE);
}

/* Returns a condition by which h (T - surroundings) flows out through a surface. */
static tulle_condition loss(const char *group, double h, double surroundings) {
    return (tulle_condition){.group = group,
                             .kind = TULLE_ROBIN,
                             .value = {.number = h * surroundings},
                             .factor = {.number = h}};
}

/* A T = b by conjugate gradients with Jacobi's preconditioner; T on the host, to be freed. */
static double *solve(tulle_ctx *ctx, tulle_mat *A, const tulle_vec *b, int64_t n) {
    const tulle_solver_options options = {.method = TULLE_CG, .tolerance = 1e-10};
    double *T = malloc((size_t)n * sizeof *T);
    tulle_linop *L, *M;
    tulle_solver *S;
    tulle_vec *x;
    tulle_solver_report report;
    check(tulle_linop_from_mat(ctx, A, &L));
    check(tulle_linop_jacobi(ctx, L, &M));
    check(tulle_vec_create(ctx, TULLE_F64, n, &x));
    check(tulle_solver_create(ctx, L, M, &options, &S));
    check(tulle_solver_run(ctx, S, b, x, &report));
    printf("%s: %lld iterations\n", tulle_outcome_text(report.outcome),
           (long long)report.iterations);
    if (!T || report.outcome != TULLE_CONVERGED) exit(EXIT_FAILURE);
    check(tulle_vec_read(ctx, x, T, 0));
    tulle_solver_destroy(S);
    tulle_vec_destroy(x);
    tulle_linop_destroy(M);
    tulle_linop_destroy(L);
    return T;
}

int main(int argc, char **argv) {
    const char *picture = argc > 2 ? argv[2] : "bracket.vtu";
    const tulle_quantity steel = {.number = 0.5};
    const tulle_condition conditions[] = {
        {.group = "pipe", .kind = TULLE_DIRICHLET, .value = {.number = 90}},
        loss("wall", 0.1, 15),
        loss("air", 0.001, 20),
    };
    const tulle_diffusion_problem heat = {
        .k = &steel, .condition_count = 3, .conditions = conditions};
    tulle_ctx *ctx;
    tulle_mesh *mesh;
    tulle_mesh_info info;
    tulle_diffusion *D;
    tulle_assembly *S;
    tulle_mat *A;
    tulle_vec *b;

    if (argc < 2) {
        fprintf(stderr,
                "%s: which mesh? Usage: %s bracket.msh [picture.vtu [a place such as cpu:2]]; "
                "bracket.msh lies beside heat.c\n",
                argv[0], argv[0]);
        return EXIT_FAILURE;
    }
    check(tulle_ctx_create(argc > 3 ? argv[3] : "auto", NULL, &ctx));
    check(tulle_mesh_load(ctx, argv[1], &mesh, NULL));
    check(tulle_mesh_describe(mesh, &info));
    check(tulle_diffusion_create(ctx, mesh, &heat, &D));
    check(tulle_diffusion_assembly(ctx, D, TULLE_CSR, &S));
    check(tulle_assembly_matrix(ctx, S, TULLE_F64, &A));
    check(tulle_vec_create(ctx, TULLE_F64, info.nodes, &b));
    check(tulle_diffusion_values(ctx, D, S, A));
    check(tulle_diffusion_load(ctx, D, S, b));

    double *T = solve(ctx, A, b, info.nodes), coolest = T[0];
    for (int64_t i = 1; i < info.nodes; i++) coolest = T[i] < coolest ? T[i] : coolest;
    const tulle_mesh_field field = {
        .name = "temperature", .type = TULLE_F64, .components = 1, .values = T};
    const tulle_mesh_save_options options = {.field_count = 1, .fields = &field};
    check(tulle_mesh_save(ctx, mesh, picture, &options));
    printf("%lld cells, %.1f degrees where it is coolest: %s\n", (long long)info.cells, coolest,
           picture);

    free(T);
    tulle_vec_destroy(b);
    tulle_mat_destroy(A);
    tulle_assembly_destroy(S);
    tulle_diffusion_destroy(D);
    tulle_mesh_destroy(mesh);
    tulle_ctx_destroy(ctx);
    return EXIT_SUCCESS;
}
