/* SPDX-License-Identifier: Apache-2.0 */
/* Finds timings that scatter, and says what to do about them: most often other programs run. */
#ifndef TOOL_SCATTER_H
#define TOOL_SCATTER_H

#include <stdbool.h>

#include "tools/common/timing.h"

enum { TOOL_SCATTER_ROOM = 320 };

/* Says how busy a machine is. */
typedef struct tool_load {
    double average; /* number of programs that want to run, as the mean of the last minute */
    int processors; /* number of processors that this process may use */
} tool_load;

tool_load tool_load_now(void);

/* Returns true if the 90 % quantile of the samples is more than half as large again as the 10 %
 * one; fewer than five samples never scatter. */
bool tool_scatters(const tool_timing *timing);

/* Writes one line about `timings` timings of which `scattered` scatter, on a GPU or on processors;
 * "" where none does. */
void tool_scatter_text(int scattered, int timings, bool on_gpu, const tool_load *load,
                       char text[TOOL_SCATTER_ROOM]);

/* Returns true if calls of one product scatter, and then writes a remark on that. */
bool tool_scatter_remark(const tool_timing *timing, bool on_gpu, const tool_load *load,
                         char what[TOOL_SCATTER_ROOM], char how[TOOL_SCATTER_ROOM]);

/* Returns true if other programs keep half of the processors busy, and then writes a remark on
 * that. To be called before tulle itself has run for long. */
bool tool_is_busy(const tool_load *load, char what[TOOL_SCATTER_ROOM], char how[TOOL_SCATTER_ROOM]);

#endif
