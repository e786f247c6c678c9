/* SPDX-License-Identifier: Apache-2.0 */
/* The rows that an earlier run wrote, so that this run need not measure them again. */
#ifndef BENCH_SEEN_H
#define BENCH_SEEN_H

#include <stdbool.h>

#include "tulle/types.h"

typedef struct bench_seen bench_seen;

/* What tells measurements apart. index NULL: any. */
typedef struct bench_key {
    const char *machine, *backend, *matrix, *type, *index, *trans, *request;
} bench_key;

/* Reads JSON lines; path NULL, or no such file yet: nothing was seen. A line that was cut off when
 * its run was killed counts as not there. NULL and a failure recorded when the file cannot be
 * read. */
bench_seen *bench_seen_open(const char *path);
void bench_seen_close(bench_seen *seen);

bool bench_seen_has(const bench_seen *seen, const bench_key *key);

#endif
