/* SPDX-License-Identifier: Apache-2.0 */
/* Timings that scatter, and what to do about them: most often other programs run. */
#ifndef TOOL_SCATTER_H
#define TOOL_SCATTER_H

#include <stdbool.h>

#include "tools/common/timing.h"

enum { TOOL_SCATTER_ROOM = 320 };

/* Says how busy a machine is. */
typedef struct tool_load {
    double average; /* programs that want to run, the mean of the last minute */
    int processors; /* that this process may use */
} tool_load;

tool_load tool_load_now(void);

/* True if the 90 % quantile of the samples is more than half as large again as the 10 % one; fewer
 * than five samples say nothing. */
bool tool_scatters(const tool_timing *timing);

/* One line for so many timings of which some scatter, on a GPU or on processors; "" where none
 * does. */
void tool_scatter_text(int scattered, int timings, bool on_gpu, const tool_load *load,
                       char text[TOOL_SCATTER_ROOM]);

/* True if calls of one product scatter, with what to say of that. */
bool tool_scatter_remark(const tool_timing *timing, bool on_gpu, const tool_load *load,
                         char what[TOOL_SCATTER_ROOM], char how[TOOL_SCATTER_ROOM]);

/* Before tulle itself has run for long: whether others keep half of the processors busy, and what
 * to say of that. */
bool tool_is_busy(const tool_load *load, char what[TOOL_SCATTER_ROOM], char how[TOOL_SCATTER_ROOM]);

#endif
