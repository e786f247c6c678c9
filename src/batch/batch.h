/* SPDX-License-Identifier: Apache-2.0 */
/* A batch in host memory: the recorded tasks, and the schedule that devices have of them. */
#ifndef TULLE_BATCH_BATCH_H
#define TULLE_BATCH_BATCH_H

#include "batch/functions.h"
#include "core/backend.h"
#include "dense/dense.h"
#include "matrix/matrix.h"
#include "tulle/batch.h"

/* A task as it was recorded. The batch owns a reference to A and F, but not to the vectors. */
typedef struct tulle__recorded {
    tulle__task_kind kind;
    double alpha, beta;
    const tulle_vec *operand[3]; /* operands by tulle_batch_operand; spmm's A is not among them */
    const tulle_mat *A;
    tulle_factor *F;
    tulle_trans op;           /* op of A or of F */
    int parts;                /* parts of F or A: bit TULLE_LOWER, bit TULLE_UPPER, or both */
    tulle__diagonal diagonal; /* diagonal of a triangle of A */
    int first_wait, waits;    /* range in the list of the tasks that it waits for */
    int level;                /* one more than the largest level of the tasks that it waits for */
} tulle__recorded;

/* An order between two tasks, by their recorded numbers. */
typedef struct tulle__order {
    int task, earlier;
} tulle__order;

/* The last run of a batch that a GPU and a CPU's threads may share. */
typedef enum tulle__shared_run {
    TULLE__RUN_UNTIMED,
    TULLE__RUN_ALONE, /* the GPU's */
    TULLE__RUN_BOTH
} tulle__shared_run;

/* Shares of a GPU and of a CPU's threads in the tasks of a batch on a GPU (shared.c). */
typedef struct tulle__shares {
    bool wanted;               /* tasks that threads of the CPU can do are placed last */
    int first;                 /* index of the first of these tasks */
    tulle__shared_run last;    /* run between the marks */
    void *mark[2], *event[2];  /* event: ends of launches on their way */
    double gpu_rate, cpu_rate; /* rates in bytes a second, the CPU's of one thread; 0: not known */
    double alone_rate;         /* bytes a second of runs of the GPU alone */
    double cpu_seconds;        /* seconds that the last run kept the CPU's threads */
    int losses, rest;          /* runs lost in a row; runs to come of the GPU alone (shared.c) */
    int by_cpu;                /* number of tasks of the CPU in the last run */
} tulle__shares;

/* The steps of elimination on a pattern, in the place's memory (factor/steps.h); none where listing
 * them would not serve. */
typedef struct tulle__listed {
    uint64_t pattern; /* serial number of the pattern */
    tulle__steps steps;
} tulle__listed;

/* The arrays of graphs that have captured a run, or the copy of its reports: in the place's memory,
 * and in host memory. */
typedef struct tulle__captured {
    void *device_copy, *queue, *scratch;
    tulle_batch_report *reports, *host_reports;
} tulle__captured;

struct tulle_batch {
    tulle_ctx *ctx; /* owned */
    tulle__recorded *recorded;
    int count, room;
    tulle__order *order;
    int orders, order_room;
    int streams;    /* largest number of streams of the ways that use streams */
    bool published; /* tasks are described for published kernels, too, since a run asked for them */
    tulle__listed *listed; /* steps by pattern of factors, as long as the batch lives */
    int patterns, listed_room;

    tulle__captured
        *kept; /* arrays of earlier schedules, which graphs may use as long as the batch lives */
    int kept_count, kept_room;

    tulle__shares shares;
    bool captured;  /* true when a graph uses the members below */
    int renewed[2]; /* range of the tasks whose new form the device does not have yet; empty: it has
                       all */
    bool scheduled; /* true when the members below are the schedule of the recorded tasks */
    tulle__task *task; /* [count], by level */
    int *place_of;     /* [count]: position in task of each recorded task */
    int *level;        /* [count + 1]: first task of each level, and the end of the last */
    int64_t *first_item, *first_tile;
    int *wait;
    tulle__task_host *host;              /* [count] for products and tasks on factors */
    void *device_copy, *queue, *scratch; /* arrays in the place's memory: the schedule's copy, the
                                            state of the queue, scratch */
    void *for_threads;                   /* scratch of a CPU's threads, in host memory */
    tulle_batch_report *reports;         /* [count], in the place's memory */
    tulle_batch_report *host_reports;    /* on a GPU: copy of reports, in host memory */
    int host_room;                       /* number of reports that host_reports has room for */
    tulle__batch_job job;
};

/* Puts a task whose operand was replaced where the schedule has the old one, if nothing else
 * depends on what is new; else there is to be another schedule. After a failure the schedule has
 * the old one. */
tulle_status tulle__batch_renew(tulle_batch *batch, int number);

/* Renews all tasks whose matrix has its values at another address by now: tulle_mat_set_values
 * gives a matrix that borrows them an array of its own. */
tulle_status tulle__batch_renew_moved(tulle_batch *batch);

/* Makes the schedule that a device needs of the recorded tasks, where there is news. Waits if there
 * is. */
tulle_status tulle__batch_schedule(tulle_batch *batch);

/* The task of a recorded one, by itself; host is filled where the task is on factors. May wait,
 * where data is to be derived from a pattern. */
tulle_status tulle__batch_task(tulle_ctx *ctx, const tulle__recorded *r, tulle__task_host *host,
                               tulle__task *task);
tulle_status tulle__batch_factor_task(tulle_ctx *ctx, const tulle__recorded *r,
                                      tulle__task_host *host, tulle__task *task);
/* Finds, on a GPU, the steps of a task on values of factors, if they are or can be listed. */
tulle_status tulle__batch_list_steps(tulle_batch *batch, const tulle_factor *F, tulle__task *task);
void tulle__batch_free_steps(tulle_batch *batch);
tulle_status tulle__batch_solve_task(tulle_ctx *ctx, const tulle__recorded *r,
                                     tulle__task_host *host, tulle__task *task);

/* Copies the schedule from the lists of the host into one array of the GPU's memory. Waits. */
tulle_status tulle__batch_copy_schedule(tulle_batch *batch);

/* Copies the renewed tasks to where the GPU's copy has the old ones. Waits if there are some. */
tulle_status tulle__batch_copy_renewed(tulle_batch *batch);

/* Gives back the memory of a schedule, except the memory that graphs use. */
void tulle__batch_forget(tulle_batch *batch);

/* Adds the batch to the owners of the task's matrix and factors. */
void tulle__recorded_retain(const tulle__recorded *task);
/* Takes the batch from the owners of the task's matrix and factors. */
void tulle__recorded_release(const tulle__recorded *task);

/* Room in a list for one more than `count` elements of that size. */
tulle_status tulle__batch_more(tulle_ctx *ctx, void **array, int count, int *room, size_t size);

#endif
