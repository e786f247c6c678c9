/* SPDX-License-Identifier: Apache-2.0 */
#include "bench/mesh_system.h"

static void drop_matrix(bench_mesh_system *s) {
    tool_csr_close(&s->host);
    tulle_mat_destroy(s->A);
    s->host = (tool_csr){.rows = 0};
    s->A = NULL;
}

tulle_status bench_mesh_system_make(bench_mesh_system *s, tulle_type type, bool check) {
    bench_mesh *m = &s->mesh;
    drop_matrix(s);
    tulle_status status = m->type == type ? TULLE_OK : bench_mesh_retype(m, type);
    if (status == TULLE_OK) status = tulle_assembly_matrix(m->ctx, m->S, type, &s->A);
    if (status == TULLE_OK) status = tulle_diffusion_values(m->ctx, m->D, m->S, s->A);
    if (status == TULLE_OK && check) status = tool_csr_open(m->ctx, s->A, &s->host);
    return status;
}

void bench_mesh_system_close(bench_mesh_system *s) {
    drop_matrix(s);
    bench_mesh_close(&s->mesh);
}
