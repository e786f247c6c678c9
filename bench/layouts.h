/* SPDX-License-Identifier: Apache-2.0 */
/* Chooses the formats that a benchmark runs in: those asked for, else those of the kernels asked
 * for, else CSR. */
#ifndef BENCH_LAYOUTS_H
#define BENCH_LAYOUTS_H

#include "bench/settings.h"
#include "tools/common/layout.h"

enum { BENCH_LAYOUTS = 64, BENCH_LAYOUT_TEXT = 64 };

typedef struct bench_layout {
    tool_layout layout;
    char text[BENCH_LAYOUT_TEXT]; /* the format as the user asked for it; "" for CSR */
} bench_layout;

typedef struct bench_layouts {
    bench_layout item[BENCH_LAYOUTS];
    int count;
} bench_layouts;

/* Returns an exit code: TOOL_OK, or TOOL_MISUSE with its message printed. */
int bench_layouts_check(const bench_settings *settings);

bench_layouts bench_layouts_of(const bench_settings *settings, tulle_backend backend);

#endif
