/* SPDX-License-Identifier: Apache-2.0 */
/* Advises which format and kernel to take for y = A x on a device, by the models of the library's
 * kernels. */
#ifndef TOOL_ADVICE_H
#define TOOL_ADVICE_H

#include "formats.h"
#include "tulle/advanced.h"
#include "tulle/statistics.h"

/* A format that the matrix could be in, with the forecast of the product in this format. */
typedef struct tool_candidate {
    tool_format format;
    tulle_forecast forecast;
} tool_candidate;

enum { TOOL_WHY = 240 };

typedef struct tool_advice {
    tulle_device_info device;
    int count;
    tool_candidate item[TOOL_FORMATS]; /* candidates, the cheapest first */
    int csr, advised;                  /* indices of CSR and of the advised candidate */
    char format_why[TOOL_WHY];         /* reason for the format */
    char kernel_why[TOOL_WHY];         /* reason for the kernel: the lengths of the rows */
    char kernel_summary[TOOL_WHY];     /* summary of the advised kernel */
} tool_advice;

/* Advice for a context's device. Candidates are all formats that have a kernel there and whose
 * padding the library would convert to. Another format than CSR must save as much as for
 * tulle_mat_optimize by models. */
tulle_status tool_advise(tulle_ctx *ctx, const tulle_mat_info *matrix, const tool_formats *formats,
                         tool_advice *advice);

/* Returns the modelled time of candidate i over the modelled time of CSR. */
double tool_advice_times_csr(const tool_advice *advice, int i);

/* True if the matrix is so small that models of formats other than CSR hold little but the start
 * of these formats' kernels. */
bool tool_advice_is_start_alone(const tool_advice *advice);

#endif
