/* SPDX-License-Identifier: Apache-2.0 */
#ifndef BENCH_FIND_H
#define BENCH_FIND_H

#include <stdbool.h>

enum { BENCH_PATH = 4096 };

/* Finds a file of the bench folder ("sets/smoke.txt"), which the environment variable TULLE_BENCH
 * may name. */
bool bench_find(const char *name, char path[BENCH_PATH]);

/* Finds a file of another folder, which an environment variable may name: without the variable,
 * FOLDER stands beside the program, above the program as in the source tree, or in share/tulle of
 * an installation. */
bool bench_find_in(const char *variable, const char *folder, const char *name,
                   char path[BENCH_PATH]);

#endif
