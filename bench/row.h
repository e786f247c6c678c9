/* SPDX-License-Identifier: Apache-2.0 */
/* One measurement with all that a reader needs to know of it: a line of bench/results/. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stdio.h>

#include "bench/problem.h"
#include "bench/variant.h"

/* The same for all rows of a run. */
typedef struct bench_place {
    tulle_device_info device;
    char machine[300]; /* the device, and the host processor of a GPU */
    double copy_gbs;
} bench_place;

/* The same for all rows of a matrix. */
typedef struct bench_matrix {
    char name[256];
    const char *source; /* "real", "generated", "like" or "tile" */
    uint64_t seed;
} bench_matrix;

typedef struct bench_row {
    const bench_place *place;
    const bench_matrix *matrix;
    const bench_problem *problem;
    const bench_variant *variant;
    char kernel[64], params[96];
    bench_timing timing;
    int64_t kernel_bytes; /* -1: unknown */
    double prep_ms;
    int64_t extra_bytes;
    double err; /* NaN: not checked */
    int threads;
} bench_row;

double bench_row_gflops(const bench_row *row);
double bench_row_gbs(const bench_row *row);
double bench_row_floor(const bench_row *row); /* the floor's time over the measured time */
const char *bench_row_class(const bench_row *row);

/* The time at which the machine's own copy would have moved the fewest bytes, in ms. */
double bench_floor_ms(const bench_place *place, const bench_problem *problem);

/* Appends the row as one JSON line and flushes; false, and errno, when it cannot be written. */
bool bench_row_write(const bench_row *row, FILE *file);

#endif
