/* SPDX-License-Identifier: Apache-2.0 */
#include "tools/common/launcher.h"

#include <stdlib.h>

#include "tools/common/numbers.h"

/* Variables of a launcher: number of processes, rank, rank on this machine. Slurm sets the number
 * of a step's tasks in the processes that srun starts, and not in a batch script. */
static const char *const known[][3] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK", "OMPI_COMM_WORLD_LOCAL_RANK"},
    {"PMI_SIZE", "PMI_RANK", "MPI_LOCALRANKID"},
    {"SLURM_STEP_NUM_TASKS", "SLURM_PROCID", "SLURM_LOCALID"},
};

static int read_number(const char *name, int least, int otherwise) {
    const char *text = getenv(name);
    int64_t number;
    if (!text || !tool_parse_int(text, least, INT32_MAX, &number)) return otherwise;
    return (int)number;
}

/* A launcher of several processes comes before one of a single process, which may have started the
 * other one. */
tool_launch tool_launched(void) {
    tool_launch one = {.ranks = 1};
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int ranks = read_number(known[i][0], 1, 0);
        const int rank = read_number(known[i][1], 0, -1);
        if (rank < 0 || rank >= ranks) continue;
        if (ranks > 1) return (tool_launch){true, ranks, rank, read_number(known[i][2], 0, rank)};
        one.found = true;
    }
    return one;
}
