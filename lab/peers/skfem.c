/* SPDX-License-Identifier: Apache-2.0 */
/* scikit-fem's stiffness matrix of a mesh, with the basis of its elements prepared, by as many
 * threads as the place has; each call finds the pattern anew, as that library does. */
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

#include "lab/peers/peers.h"
#include "lab/peers/scipy_process.h"
#include "tools/common/error.h"
#include "trials/diffusion.h"

typedef struct skfem_task {
    const trial_problem *problem;
    const trial_diffusion *made;
    double *v; /* vector that the matrix multiplies for the check */
    scipy_folder folder;
} skfem_task;

static tulle_status start(const char *const arguments[], char output[SCIPY_OUTPUT]) {
    static const scipy_script script = {.path = "skfem_peer.py",
                                        .needs = "numpy, scipy and scikit-fem"};
    return scipy_run_script(&script, arguments, output);
}

static tulle_status available(char version[BENCH_VERSION]) {
    const char *const arguments[] = {"--version", NULL};
    char output[SCIPY_OUTPUT];
    const tulle_status status = start(arguments, output);
    if (status != TULLE_OK) return status;
    scipy_first_line(output);
    snprintf(version, BENCH_VERSION, "scikit-fem %.40s", output);
    return TULLE_OK;
}

static void close_task(void *state) {
    skfem_task *t = state;
    scipy_folder_close(&t->folder);
    free(t->v);
    free(t);
}

static tulle_status write_arrays(const skfem_task *t) {
    const tulle_mesh_arrays *a = &t->made->arrays;
    const int64_t real = (int64_t)sizeof(double);
    tulle_shape_info shape;
    tulle_status status = tulle_shape_describe(a->blocks[0].shape, &shape);
    if (status != TULLE_OK) return status;
    status = scipy_write(&t->folder, "columns", a->blocks[0].nodes,
                         a->blocks[0].count * shape.nodes * (int64_t)sizeof(int32_t));
    if (status == TULLE_OK) {
        status =
            scipy_write(&t->folder, "values", a->coordinates, a->node_count * a->dimension * real);
    }
    return status == TULLE_OK ? scipy_write(&t->folder, "x", t->v, a->node_count * real) : status;
}

static tulle_status prepare(const bench_peer *peer, const trial_problem *problem,
                            trial_task *task) {
    (void)peer;
    const trial_diffusion *made = problem->own;
    if (problem->info.type != TULLE_F64 || made->is_load) {
        return tool_record(TULLE_UNSUPPORTED, "scikit-fem here: matrices in f64");
    }
    skfem_task *t = tool_alloc(1, sizeof *t);
    *t = (skfem_task){.problem = problem, .made = made};
    t->v = tool_alloc((size_t)made->arrays.node_count, sizeof *t->v);
    for (int64_t i = 0; i < made->arrays.node_count; i++) t->v[i] = cos((double)i);
    *task = (trial_task){.state = t, .threads = problem->device.threads};
    tulle_status status = scipy_folder_open(&t->folder);
    if (status == TULLE_OK) status = write_arrays(t);
    if (status != TULLE_OK) close_task(t);
    return status;
}

static const char *shape_name(tulle_shape shape) {
    if (shape == TULLE_HEXAHEDRON) return "hex";
    return shape == TULLE_TETRAHEDRON ? "tet" : "quad";
}

static tulle_status measure(void *state, const tool_budget *budget, tool_timing *timing) {
    const skfem_task *t = state;
    const int64_t whole[] = {t->problem->device.threads, budget->repeat,
                             4 * t->problem->device.cache_bytes};
    char number[3][SCIPY_NUMBER], seconds[SCIPY_NUMBER], output[SCIPY_OUTPUT];
    for (int i = 0; i < 3; i++) snprintf(number[i], SCIPY_NUMBER, "%" PRId64, whole[i]);
    snprintf(seconds, SCIPY_NUMBER, "%g", budget->seconds);
    const char *const arguments[] = {t->folder.path,
                                     shape_name(t->made->arrays.blocks[0].shape),
                                     number[0],
                                     number[1],
                                     seconds,
                                     number[2],
                                     NULL};
    const tulle_status status = start(arguments, output);
    return status == TULLE_OK ? scipy_times(output, timing) : status;
}

static tulle_status error_of(void *state, double *units) {
    const skfem_task *t = state;
    const int64_t nodes = t->made->arrays.node_count;
    double *y = tool_alloc((size_t)nodes, sizeof *y);
    const tulle_status status = scipy_read(&t->folder, "y", y, nodes * (int64_t)sizeof *y);
    if (status == TULLE_OK) *units = trial_diffusion_error(t->made, t->v, y);
    free(y);
    return status;
}

const bench_peer bench_peer_skfem = {
    .name = "skfem",
    .library = "scikit-fem",
    .op = "diffusion",
    .available = available,
    .prepare = prepare,
    .measure = measure,
    .error = error_of,
    .close = close_task,
};
