/* SPDX-License-Identifier: Apache-2.0 */
/* A row is one measurement with all that a reader needs to know of it: a line of lab/results/. */
#ifndef BENCH_ROW_H
#define BENCH_ROW_H

#include <stdio.h>

#include <cjson/cJSON.h>

#include "bench/made.h"
#include "bench/variant.h"
#include "trials/field.h"
#include "trials/problem.h"

enum { BENCH_ROW_TEXT = 512 };

/* The machine of a run, the same for all of its rows. */
typedef struct bench_place {
    tulle_device_info device;
    char machine[300]; /* name of the device, with the host's processor where the device is a GPU */
    double copy_gbs;
} bench_place;

/* The matrix of a row, the same for all rows of that matrix. */
typedef struct bench_matrix {
    char name[256];
    const char *source; /* "real", "generated", "like" or "tile" */
    uint64_t seed;
} bench_matrix;

/* An experiment of a paper, to which a row belongs. */
typedef struct bench_experiment {
    int paper;
    const char *name;
    /* order in which the matrix's rows or entries were put: "rows by length"; NULL: they were left
     * as they are */
    const char *arranged;
} bench_experiment;

typedef struct bench_row {
    const bench_place *place;
    const bench_experiment *experiment; /* NULL: the row belongs to no experiment */
    const bench_matrix *matrix;
    const trial_problem *problem;
    const bench_variant *variant;
    char kernel[64], params[96];
    tool_timing timing;
    int64_t kernel_bytes; /* -1: unknown */
    /* bytes by the kernel's model (tulle_choice); NaN: the kernel has none */
    double cost_bytes;
    int64_t effective_bytes; /* bytes in whole cache lines (tools/common/lines.h); 0: not counted */
    /* iterations in a call; the times are those of one. 0: the method is not iterative */
    int64_t iterations;
    double prep_ms;
    /* time of bringing operands into another form, in each call, or once before all calls; 0:
     * nothing is converted */
    double convert_ms;
    int64_t extra_bytes;
    double err; /* NaN: not checked */
    int threads;
    int processes;       /* number of processes or threads that share the rows; 0: none do */
    double core_ms;      /* time of the same operation on one core of the host; 0: not measured */
    double making_ms;    /* time of making the matrix from its triplets; 0: not measured */
    bool paper_check;    /* the paper's own check was made */
    int64_t apart;       /* numbers of y that the paper's own check finds wrong */
    bench_made made;     /* members for an operation that makes a matrix; zeros for others */
    trial_values values; /* values of the operation's own fields */
} bench_row;

/* A step of a tuner's search: a call that ran the row's kernel. */
typedef struct bench_row_step {
    const char *search; /* "online" or "exhaustive" */
    /* number of the call from 1; in an exhaustive search, the number of points */
    int call;
    double ms;        /* time measured in the call; 0: the call was not timed */
    bool counts;      /* the search takes the time into account */
    const char *best; /* the best specification known after the call */
    double best_ms;   /* time of `best` when measured outside of the search */
    /* the time of the exhaustive search's best over best_ms; NaN: not known */
    double of_exhaustive;
} bench_row_step;

/* One of a sequence of solutions with a tuner at work; the row's kernel is the one in use after the
 * last of them. */
typedef struct bench_row_solution {
    int number;           /* from 1 */
    const char *method;   /* "bicgstab" */
    int64_t iterations;   /* iterations of the method */
    int64_t applications; /* products with the matrix */
    int trials;           /* trials that the tuner measured during the solution */
    bool settled;         /* the tuner measures nothing any more */
    double left;          /* the norm of the residual at the end over that at the start */
    double ms;
} bench_row_solution;

/* A task that a thread of the host took: the times at which the task started, had its operands
 * where they are needed, had computed, and had its result where the operands came from. All times
 * count from the start of all tasks. */
typedef struct bench_row_event {
    int lane; /* number of the thread */
    double start_ms, copied_ms, done_ms, end_ms;
} bench_row_event;

typedef struct bench_row_timeline {
    const bench_row_event *event;
    /* number of events; number of threads; the first `own` threads compute on the host, the others
     * drive the place */
    int events, lanes, own;
    double ms; /* time of all tasks together */
} bench_row_timeline;

double bench_row_gflops(const bench_row *row); /* NaN: the operations are not counted */
double bench_row_gbs(const bench_row *row);
bool bench_row_wrong(const bench_row *row);

/* Returns the fewest bytes that have to be moved, each input read and each output written once, and
 * the time in ms at which the machine's own copy moves them. */
int64_t bench_row_minimal_bytes(const bench_row *row);
double bench_row_floor_ms(const bench_row *row);
double bench_row_floor(const bench_row *row); /* Returns the floor's time over the measured time. */

/* For an iterative method, the first returns the time of its products measured alone, with the
 * time that its vectors take at the speed of a copy; the second returns that sum over the
 * measured time. */
double bench_row_parts_ms(const bench_row *row);
double bench_row_of_parts(const bench_row *row);

/* The first returns the time of preparing and of a solution. The second returns the time that
 * is compared with other rows': the first where trial_problem.whole is set, else the time of a
 * call. */
double bench_row_whole_ms(const bench_row *row);
double bench_row_cost_ms(const bench_row *row);

/* Returns "launch", "cache" or "memory", by the fewest bytes. */
const char *bench_row_class(const bench_row *row);

/* Writes "MATRIX TYPE TRANS REQUEST" into `text`, for people, and returns `text`. */
const char *bench_row_text(const bench_row *row, char text[BENCH_ROW_TEXT]);

/* The first returns all fields of a measured row, of its JSON line and of its text
 * (tools/common/fields.h); the second returns them with those of a step of a search. Released with
 * cJSON_Delete, or by bench_row_print. */
cJSON *bench_row_fields(const bench_row *row);
cJSON *bench_row_step_fields(const bench_row *row, const bench_row_step *step);

/* Appends the fields as one JSON line, releases them, and flushes; false, with errno set, when the
 * line cannot be written. The next four functions do so, too. */
bool bench_row_print(cJSON *fields, FILE *file);
bool bench_row_write(const bench_row *row, FILE *file);

/* Appends the row with a solution. */
bool bench_row_write_solution(const bench_row *row, const bench_row_solution *solution, FILE *file);

/* Appends the row with a time line, without the measurements of a call. */
bool bench_row_write_timeline(const bench_row *row, const bench_row_timeline *line, FILE *file);

/* Appends a row that was not measured: the members known beforehand, the reason (NULL: the row is
 * for a profiler to add to), and no times. */
bool bench_row_write_unmeasured(const bench_row *row, const char *choice, const char *reason,
                                FILE *file);

#endif
