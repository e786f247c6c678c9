/* SPDX-License-Identifier: Apache-2.0 */
#include "papers/fem.h"

#include <stdio.h>
#include <stdlib.h>

#include "bench/acting.h"
#include "bench/measure.h"
#include "bench/operators.h"
#include "bench/report.h"
#include "tools/common/progress.h"

/* Four million rows; hexahedra also with eight Jacobians each. */
static const char *const meshes[] = {"box-quad:2000", "box-hex:158", "box-tet:158",
                                     "box-hex:158,perturb=0.2", NULL};
static const char *const quick_meshes[] = {"box-quad:10", "box-tet:4", NULL};

/* The one way to run it. */
static bench_variant variant_of(const bench_session *s, const bench_problem *problem) {
    const bench_layout none = {.text = ""};
    const bench_kind kind = {.backend = problem->device.backend,
                             .type = problem->info.type,
                             .index = problem->info.index,
                             .trans = TULLE_N,
                             .block = problem->block,
                             .layout = &none};
    const bench_peer_set no_peers = {.count = 0};
    bench_variants list;
    bench_variants_act(s->settings, &no_peers, &kind, problem->actor, problem->detail, &list);
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
    bench_report(row, 1, stdout);
}

static void run_operator(bench_session *s, const bench_experiment *experiment,
                         const bench_matrix *matrix, tulle_type type, int kind) {
    const bench_given given = {.mesh = matrix->name,
                               .count = 1,
                               .type = type,
                               .block = bench_one_vector,
                               .detail = kind,
                               .seed = matrix->seed,
                               .check = !s->settings->no_check,
                               .budget = s->settings->budget};
    bench_problem problem;
    const tulle_status status = bench_acting_open(s->ctx, &bench_actor_mesh_cg, &given, &problem);
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
    bench_problem_close(&problem);
}

void paper_fem(bench_session *session, const bench_experiment *experiment, bool quick,
               tulle_type type) {
    for (const char *const *spec = quick ? quick_meshes : meshes; *spec; spec++) {
        bench_matrix matrix = {.source = "generated", .seed = (uint64_t)session->settings->seed};
        snprintf(matrix.name, sizeof matrix.name, "%s", *spec);
        for (int kind = 0; kind < BENCH_OPERATOR_COUNT && !bench_session_over(session); kind++) {
            if (!bench_actor_mesh_cg.asked(session->settings, kind)) continue;
            (void)tool_progress(NULL, matrix.name, kind, BENCH_OPERATOR_COUNT);
            run_operator(session, experiment, &matrix, type, kind);
        }
    }
    tool_progress_end();
}
