/* SPDX-License-Identifier: Apache-2.0 */
#ifndef PAPERS_NCU_CSV_H
#define PAPERS_NCU_CSV_H

#include <stdio.h>

#include "lab/papers/ncu.h"

/* Reads what ncu --csv prints, a line for each metric of each launch between lines of its own that
 * start with "==", to the end. why: its first line of error, if there is any. */
void ncu_csv_read(FILE *file, ncu_products *products, char why[512]);

#endif
