/* SPDX-License-Identifier: Apache-2.0 */
#include "trials/mesh_system.h"

static void drop_matrix(trial_mesh_system *s) {
    tool_csr_close(&s->host);
    tulle_mat_destroy(s->A);
    s->host = (tool_csr){.rows = 0};
    s->A = NULL;
}

tulle_status trial_mesh_system_make(trial_mesh_system *s, tulle_type type, bool check) {
    trial_mesh *m = &s->mesh;
    drop_matrix(s);
    tulle_status status = m->type == type ? TULLE_OK : trial_mesh_retype(m, type);
    if (status == TULLE_OK) status = trial_mesh_problem_assemble(&m->problem, type, &s->A);
    if (status == TULLE_OK && check) status = tool_csr_open(m->ctx, s->A, &s->host);
    return status;
}

void trial_mesh_system_close(trial_mesh_system *s) {
    drop_matrix(s);
    trial_mesh_close(&s->mesh);
}
