/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_FIND_H
#define BENCH_FIND_H

#include <stdbool.h>

enum { BENCH_PATH = 4096 };

/* Finds a file of the bench folder ("sets/smoke.txt"): in the folder that the environment variable
 * TULLE_BENCH names, else in bench/ of the current folder, beside the program and above it. */
bool bench_find(const char *name, char path[BENCH_PATH]);

#endif
