/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAPERS_NCU_CSV_H
#define PAPERS_NCU_CSV_H

#include <stdio.h>

#include "lab/papers/ncu.h"

/* Reads the output of ncu --csv to the end: a line for each metric of each launch, among lines of
 * the profiler's own that start with "==". why: receives the profiler's first line of error, if
 * any. */
void ncu_csv_read(FILE *file, ncu_products *products, char why[512]);

#endif
