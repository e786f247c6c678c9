/* SPDX-License-Identifier: Apache-2.0 */
#define _GNU_SOURCE
#include "tools/common/scatter.h"

#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

/* Timings scatter where their quantiles lie further apart than the ratio `apart`; `others` and
 * `busy` are ratios of the load to the processors. Bench's own threads count in the load, so that
 * only a load above the number of processors shows other programs. */
static const double apart = 1.5, others = 1.25, busy = 0.5;

tool_load tool_load_now(void) {
    cpu_set_t set;
    tool_load load = {0};
    if (getloadavg(&load.average, 1) != 1) load.average = 0;
    load.processors = sched_getaffinity(0, sizeof set, &set) == 0
                          ? CPU_COUNT(&set)
                          : (int)sysconf(_SC_NPROCESSORS_ONLN);
    return load;
}

bool tool_scatters(const tool_timing *timing) {
    enum { LEAST = 5 };
    return timing->samples >= LEAST && timing->q90 > apart * timing->q10;
}

/* Returns the number of threads that leave other programs their processors. */
static int threads_beside(const tool_load *load) {
    const double left = load->processors - load->average;
    return left < 1 ? 1 : (int)left;
}

/* Says which settings a user can change, or what to look at, where times scatter. */
static void advise(bool on_gpu, const tool_load *load, char how[TOOL_SCATTER_ROOM]) {
    if (load->average > others * load->processors) {
        snprintf(how, TOOL_SCATTER_ROOM,
                 "other programs run (load %.1f on %d processors); wait until they end",
                 load->average, load->processors);
    } else if (on_gpu) {
        snprintf(how, TOOL_SCATTER_ROOM,
                 "see with nvidia-smi what else runs and how its clocks change");
    } else {
        snprintf(how, TOOL_SCATTER_ROOM, "set OMP_PLACES=cores and OMP_PROC_BIND=close");
    }
}

void tool_scatter_text(int scattered, int timings, bool on_gpu, const tool_load *load,
                       char text[TOOL_SCATTER_ROOM]) {
    char how[TOOL_SCATTER_ROOM];
    text[0] = '\0';
    if (scattered == 0) return;
    advise(on_gpu, load, how);
    snprintf(
        text, TOOL_SCATTER_ROOM,
        "%d of %d timings scatter: 90 %% quantiles above %.1f times those of 10 %%; %.150s, or "
        "measure for longer with --seconds",
        scattered, timings, apart, how);
}

bool tool_scatter_remark(const tool_timing *timing, bool on_gpu, const tool_load *load,
                         char what[TOOL_SCATTER_ROOM], char how[TOOL_SCATTER_ROOM]) {
    if (!tool_scatters(timing)) return false;
    snprintf(what, TOOL_SCATTER_ROOM,
             "timings scatter: of %d calls of one product the 90 %% quantile is %.1f times that of "
             "10 %%",
             (int)timing->samples, timing->q90 / timing->q10);
    advise(on_gpu, load, how);
    return true;
}

bool tool_is_busy(const tool_load *load, char what[TOOL_SCATTER_ROOM],
                  char how[TOOL_SCATTER_ROOM]) {
    if (load->average < busy * load->processors) return false;
    snprintf(what, TOOL_SCATTER_ROOM, "other programs run (load %.1f on %d processors)",
             load->average, load->processors);
    snprintf(how, TOOL_SCATTER_ROOM,
             "timings scatter until they end; or leave them processors: OMP_NUM_THREADS=%d",
             threads_beside(load));
    return true;
}
