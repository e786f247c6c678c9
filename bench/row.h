/* SPDX-License-Identifier: Apache-2.0 */
/* One measurement with all that a reader needs to know of it: a line of lab/results/. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stdio.h>

#include "bench/made.h"
#include "bench/variant.h"
#include "trials/problem.h"

enum { BENCH_ROW_TEXT = 512 };

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

/* Of a paper, which a row belongs to. */
typedef struct bench_experiment {
    int paper;
    const char *name;
    const char *arranged; /* how the matrix's rows or entries were put: "rows by length"; NULL: they
                             were left as they are */
} bench_experiment;

typedef struct bench_row {
    const bench_place *place;
    const bench_experiment *experiment; /* NULL: of none */
    const bench_matrix *matrix;
    const trial_problem *problem;
    const bench_variant *variant;
    char kernel[64], params[96];
    tool_timing timing;
    int64_t kernel_bytes;    /* -1: unknown */
    double cost_bytes;       /* by the kernel's model, tulle_choice; NaN: it has none */
    int64_t effective_bytes; /* in cache lines (tools/common/lines.h); 0: not counted */
    int64_t
        iterations; /* of an iterative method, in a call; times are those of one. 0: it is none */
    double prep_ms;
    double convert_ms; /* what bringing things into another form takes, in each call, or once before
                          all of them; 0: nothing */
    int64_t extra_bytes;
    double err; /* NaN: not checked */
    int threads;
    double core_ms;   /* of the same on one core of the host; 0: not measured */
    double making_ms; /* of making the matrix from its triplets; 0: not measured */
    bool paper_check; /* whether the paper's own check was made */
    int64_t apart;    /* numbers of y that it finds wrong */
    bench_made made;  /* of an operation that makes a matrix */
} bench_row;

/* Of a tuner's search, which ran the row's kernel. */
typedef struct bench_row_step {
    const char *search;   /* "online" or "exhaustive" */
    int call;             /* the number of the call from 1; exhaustive: the points */
    double ms;            /* in the call; 0: it was not timed there */
    bool counts;          /* for the search */
    const char *best;     /* the best specification known after it */
    double best_ms;       /* measured for itself */
    double of_exhaustive; /* the time of the best of all over that; NaN: not known */
} bench_row_step;

/* One of a sequence of solutions with a tuner at work, which ends with the row's kernel. */
typedef struct bench_row_solution {
    int number;           /* from 1 */
    const char *method;   /* "bicgstab" */
    int64_t iterations;   /* of the method */
    int64_t applications; /* of the matrix */
    int trials;           /* that the tuner measured in it */
    bool settled;         /* whether it measures nothing any more */
    double left;          /* the norm of what is left of the equations, of that at the start */
    double ms;
} bench_row_solution;

/* A task that a thread of the host took: when it started, had its operands where they are needed,
 * had computed, and had its result where the operands came from. From the start of all. */
typedef struct bench_row_event {
    int lane; /* the thread */
    double start_ms, copied_ms, done_ms, end_ms;
} bench_row_event;

typedef struct bench_row_timeline {
    const bench_row_event *event;
    int events, lanes, own; /* the first lanes compute themselves, the others drive the place */
    double ms;              /* of all */
} bench_row_timeline;

double bench_row_gflops(const bench_row *row); /* NaN: nobody has counted */
double bench_row_gbs(const bench_row *row);
bool bench_row_wrong(const bench_row *row);

/* Returns the fewest bytes that have to be moved, each input read and each output written once, and
 * the time in ms at which the machine's own copy moves them. */
int64_t bench_row_minimal_bytes(const bench_row *row);
double bench_row_floor_ms(const bench_row *row);
double bench_row_floor(const bench_row *row); /* the floor's time over the measured time */

/* Of an iterative method: the time of its products alone with what vectors take at the speed of a
 * copy, and that over the measured time. */
double bench_row_parts_ms(const bench_row *row);
double bench_row_of_parts(const bench_row *row);

/* Preparing and all iterations; and what is compared with others: that, or the time. */
double bench_row_whole_ms(const bench_row *row);
double bench_row_cost_ms(const bench_row *row);

/* Returns "launch", "cache" or "memory", by the fewest bytes. */
const char *bench_row_class(const bench_row *row);

/* "MATRIX TYPE TRANS REQUEST", for people. */
const char *bench_row_text(const bench_row *row, char text[BENCH_ROW_TEXT]);

/* Appends the row as one JSON line and flushes; false, and errno, when it cannot be written. */
bool bench_row_write(const bench_row *row, FILE *file);

/* The same with a step of a search. */
bool bench_row_write_step(const bench_row *row, const bench_row_step *step, FILE *file);

/* The same with a solution. */
bool bench_row_write_solution(const bench_row *row, const bench_row_solution *solution, FILE *file);

/* The same of a time line, without what is measured of a call. */
bool bench_row_write_timeline(const bench_row *row, const bench_row_timeline *line, FILE *file);

/* The same of a row that was not measured: what is known of it beforehand, why it was not (NULL:
 * it is for a profiler to add to), and no times. */
bool bench_row_write_unmeasured(const bench_row *row, const char *choice, const char *reason,
                                FILE *file);

#endif
