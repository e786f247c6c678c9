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

tool_launch tool_launched(void) {
    for (size_t i = 0; i < sizeof known / sizeof *known; i++) {
        const int ranks = read_number(known[i][0], 1, 0);
        const int rank = read_number(known[i][1], 0, -1);
        if (ranks <= 1 || rank < 0 || rank >= ranks) continue;
        return (tool_launch){ranks, rank, read_number(known[i][2], 0, rank)};
    }
    return (tool_launch){.ranks = 1};
}
