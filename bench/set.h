/* SPDX-License-Identifier: Apache-2.0 */
/* Lists the matrices of a run: those of the command line, then those of a set file. */
#ifndef BENCH_SET_H
#define BENCH_SET_H

#include "bench/settings.h"

typedef struct bench_set {
    char **item;
    int count, room;
} bench_set;

/* Fills the list with this run's shard of the matrices; returns an exit code of the tool. A set
 * file names a matrix in each line; # starts a comment; "smoke" stands for sets/smoke.txt of the
 * bench folder. */
int bench_set_open(const bench_settings *settings, bench_set *set);
void bench_set_close(bench_set *set);

#endif
