/* SPDX-License-Identifier: Apache-2.0 */
/* Tells from the environment that a launcher of MPI has started this process, alone or beside
 * others. */
#ifndef TOOL_LAUNCHER_H
#define TOOL_LAUNCHER_H

#include <stdbool.h>

typedef struct tool_launch {
    bool found;     /* true where a launcher has started this process */
    int ranks;      /* number of processes; 1: no launcher, or one process */
    int rank;       /* rank of this process */
    int local_rank; /* rank among the processes of this machine */
} tool_launch;

/* Knows the variables of Open MPI, of MPICH's Hydra and its relatives, and of Slurm's srun. */
tool_launch tool_launched(void);

#endif
