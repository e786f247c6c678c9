/* SPDX-License-Identifier: Apache-2.0 */
/* Knows the rows that an earlier run wrote, so that this run need not measure them again. */
#ifndef BENCH_SEEN_H
#define BENCH_SEEN_H

#include <stdbool.h>

#include "tulle/types.h"

typedef struct bench_seen bench_seen;

/* Names that tell measurements apart. `index` NULL means any index type. */
typedef struct bench_key {
    const char *machine, *backend, *matrix, *type, *index, *trans, *request;
} bench_key;

/* Reads JSON lines. With path NULL, or where there is no such file yet, no row was seen. A line
 * that was cut off when its run was killed counts as not there. Returns NULL, with a failure
 * recorded, when the file cannot be read. */
bench_seen *bench_seen_open(const char *path);
void bench_seen_close(bench_seen *seen);

bool bench_seen_has(const bench_seen *seen, const bench_key *key);

#endif
