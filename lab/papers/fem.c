/* SPDX-License-Identifier: Apache-2.0 */
#include "lab/papers/fem.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/measure.h"
#include "bench/report.h"
#include "tools/common/progress.h"
#include "trials/mesh_system.h"
#include "trials/operation.h"

/* Meshes with four million nodes; of hexahedra also one whose cells have eight different Jacobians
 * each, and one of order 2. */
static const char *const meshes[] = {"box-quad:2000",           "box-hex:158",  "box-tet:158",
                                     "box-hex:158,perturb=0.2", "box-hex27:79", NULL};
static const char *const quick_meshes[] = {"box-quad:10", "box-tet:4", "box-hex27:3", NULL};

/* True for a kind of operator that the paper's step compares. Operators that add atomically are
 * left out. Operators with numbers in f32 are a kind of their own only under vectors in f64. */
static bool is_compared(tulle_type type, int kind) {
    return kind != TRIAL_OPERATOR_atomic && (kind != TRIAL_OPERATOR_narrow || type == TULLE_F64);
}

/* Returns the one variant of a problem. */
static bench_variant variant_of(const bench_session *s, const trial_problem *problem) {
    const bench_layout none = {.text = ""};
    const bench_kind kind = {.backend = problem->device.backend,
                             .type = problem->info.type,
                             .index = problem->info.index,
                             .trans = TULLE_N,
                             .block = problem->block,
                             .layout = &none,
                             .detail = problem->detail,
                             .own = ""};
    const bench_peer_set no_peers = {.count = 0};
    bench_variants list;
    bench_variants_list(s->settings, &no_peers, &kind, problem->operation, &list);
    const bench_variant variant = list.item[0];
    bench_variants_free(&list);
    return variant;
}

static void measure(bench_session *s, bench_row *row) {
    const tulle_status status =
        bench_measure(row->problem, row->variant, &s->settings->budget, row);
    if (status != TULLE_OK) {
        bench_session_failed(s, row->matrix->name, status);
        return;
    }
    bench_session_keep(s, row);
    if (!s->table) return;
    printf("\nPaper %d, %s:", row->experiment->paper, row->experiment->name);
    bench_report(row, 1);
}

static void run_operator(bench_session *s, const bench_experiment *experiment,
                         const bench_matrix *matrix, const trial_mesh_system *system, int kind) {
    const trial_given given = {.system = system,
                               .count = 1,
                               .type = system->mesh.type,
                               .block = trial_one_vector,
                               .detail = kind,
                               .seed = matrix->seed,
                               .check = !s->settings->no_check,
                               .budget = s->settings->budget};
    trial_problem problem;
    const tulle_status status =
        trial_problem_open(s->ctx, &trial_operation_mesh_cg, &given, &problem);
    if (status != TULLE_OK) {
        bench_session_failed(s, matrix->name, status);
        return;
    }
    const bench_variant variant = variant_of(s, &problem);
    bench_row row = {.place = &s->place,
                     .experiment = experiment,
                     .matrix = matrix,
                     .problem = &problem,
                     .variant = &variant};
    measure(s, &row);
    trial_problem_close(&problem);
}

static void run_operators(bench_session *s, const bench_experiment *experiment,
                          const bench_matrix *matrix, const trial_mesh_system *system) {
    for (int kind = 0; kind < TRIAL_OPERATOR_COUNT; kind++) {
        if (!is_compared(system->mesh.type, kind)) continue;
        s->cut = bench_session_over(s);
        if (s->cut) return;
        (void)tool_progress(NULL, matrix->name, kind, TRIAL_OPERATOR_COUNT);
        run_operator(s, experiment, matrix, system, kind);
    }
}

/* Measures all operators on a mesh; the mesh, the problem on it and the pattern are made once. */
static void run_mesh(bench_session *s, const bench_experiment *experiment, const char *spec) {
    const bool check = !s->settings->no_check;
    bench_matrix matrix = {.source = "generated", .seed = (uint64_t)s->settings->seed};
    trial_mesh mesh;
    trial_mesh_system system;
    snprintf(matrix.name, sizeof matrix.name, "%s", spec);
    tulle_status status = trial_mesh_open(s->ctx, spec, TULLE_F64, &mesh);
    if (status != TULLE_OK) {
        bench_session_failed(s, matrix.name, status);
        return;
    }
    system = (trial_mesh_system){.mesh = mesh};
    for (int type = TULLE_F32; type <= TULLE_F64 && status == TULLE_OK; type++) {
        const bool asked_for = s->settings->type == TRIAL_BOTH_TYPES || s->settings->type == type;
        if (!asked_for || s->cut) continue;
        status = trial_mesh_system_make(&system, (tulle_type)type, check);
        if (status == TULLE_OK) run_operators(s, experiment, &matrix, &system);
    }
    if (status != TULLE_OK) bench_session_failed(s, matrix.name, status);
    trial_mesh_system_close(&system);
}

void paper_fem(bench_session *session, const bench_experiment *experiment, bool quick) {
    for (const char *const *spec = quick ? quick_meshes : meshes; *spec; spec++) {
        session->cut = bench_session_over(session);
        if (session->cut) break;
        run_mesh(session, experiment, *spec);
    }
    tool_progress_end();
}
