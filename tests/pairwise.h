/* SPDX-License-Identifier: Apache-2.0 */
/* All pairs: few cases in which every value of every factor meets every value of every other. */
#ifndef TESTS_PAIRWISE_H
#define TESTS_PAIRWISE_H

enum { PAIRWISE_FACTORS = 14 };

/* Calls `run` with one choice of levels[f] values for each factor at a time. Deterministic. */
void pairwise(int factors, const int *levels, void (*run)(const int *values, void *user),
              void *user);

#endif
