/* SPDX-License-Identifier: Apache-2.0 */
/* The mesh and the matrix that all operators of trials/operators.h share when systems are solved.
 */
#ifndef TRIAL_MESH_SYSTEM_H
#define TRIAL_MESH_SYSTEM_H

#include "tools/common/csr.h"
#include "trials/operators.h"

typedef struct trial_mesh_system {
    trial_mesh mesh;
    tulle_mat *A;  /* assembled */
    tool_csr host; /* A in host memory, for checks; empty without checks */
} trial_mesh_system;

/* Makes the matrix of the system's mesh, in numbers of a type, instead of one that was there. The
 * system is to be closed also after a failure. */
tulle_status trial_mesh_system_make(trial_mesh_system *s, tulle_type type, bool check);

/* Gives up the system, with its mesh. */
void trial_mesh_system_close(trial_mesh_system *s);

#endif
