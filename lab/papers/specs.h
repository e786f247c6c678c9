/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAPERS_SPECS_H
#define PAPERS_SPECS_H

#include "bench/variant.h"

/* Adds all kernels that a pattern (paper_step.kernel) means on a problem: none where the place has
 * no such kernel or the kernel has no such types. A kernel that can prepare data runs with a plan.
 */
tulle_status paper_specs_add(const char *pattern, const trial_problem *problem,
                             bench_variants *list);

/* True when a back end has the kernel that a pattern names. */
bool paper_specs_there(const char *pattern, tulle_backend backend);

/* Adds a kernel of the registry with the parameters of `spec`, with a plan where the kernel can
 * prepare data; returns true when the kernel takes the problem's format and types. */
bool paper_specs_add_kernel(const tulle_kernel_info *kernel, const char *spec,
                            const trial_problem *problem, bench_variants *list);

#endif
