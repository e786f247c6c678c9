/* SPDX-License-Identifier: Apache-2.0 */
/* What all ways to have the matrix of a mesh share when systems with it are solved. */
#ifndef BENCH_MESH_SYSTEM_H
#define BENCH_MESH_SYSTEM_H

#include "bench/operators.h"
#include "tools/common/csr.h"

typedef struct bench_mesh_system {
    bench_mesh mesh;
    tulle_mat *A;  /* assembled */
    tool_csr host; /* the same, for checks; empty without any */
} bench_mesh_system;

/* Makes the matrix of the system's mesh, in numbers of a type, instead of one that was there. The
 * system is to be closed also after a failure. */
tulle_status bench_mesh_system_make(bench_mesh_system *s, tulle_type type, bool check);

/* With its mesh. */
void bench_mesh_system_close(bench_mesh_system *s);

#endif
