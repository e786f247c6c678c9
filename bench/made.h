/* SPDX-License-Identifier: Apache-2.0 */
/* A measurement of an operation that makes a matrix: a line of lab/results/. */
#ifndef BENCH_MADE_H
#define BENCH_MADE_H

#include "bench/row.h"
#include "bench/verdict.h"

typedef struct bench_made {
    const bench_place *place;
    const bench_experiment *experiment; /* NULL: of none */
    const bench_matrix *matrix;
    const bench_making *making;
    const bench_variant *variant;
    char kernel[64], params[96];
    tool_timing timing;
    bool reported;              /* of a call of tulle's own: the next one says what it took */
    tulle_spgemm_report report; /* of a call after those that were timed; its times are its own */
    int64_t nnz;                /* of C */
    int64_t peak_bytes;         /* held at a time, C included, A and B not; -1: unknown */
    bench_verdict verdict;
    int threads;
} bench_made;

double bench_made_gflops(const bench_made *row); /* NaN: no multiplications */
double bench_made_floor(const bench_made *row);  /* the floor's time over the measured time */
double bench_made_floor_ms(const bench_made *row);
int64_t bench_made_extra(const bench_made *row); /* the peak without C; -1: unknown */
const char *bench_made_class(const bench_made *row);
bool bench_made_wrong(const bench_made *row);

/* "MATRIX TYPE REQUEST", for people. */
const char *bench_made_text(const bench_made *row, char text[BENCH_ROW_TEXT]);

/* As bench_row_write and bench_row_write_unmeasured. */
bool bench_made_write(const bench_made *row, FILE *file);
bool bench_made_write_refused(const bench_made *row, const char *reason, FILE *file);

/* The rows of one matrix as a table for people, each series' fastest right one marked; with the
 * phases of tulle's own. */
void bench_made_report(const bench_made *rows, int count, FILE *file);

#endif
