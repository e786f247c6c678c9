/* SPDX-License-Identifier: Apache-2.0 */
/* A batch on the host: what was recorded, and what of it devices have. */
#ifndef TULLE_BATCH_BATCH_H
#define TULLE_BATCH_BATCH_H

#include "batch/functions.h"
#include "core/backend.h"
#include "dense/dense.h"
#include "matrix/matrix.h"
#include "tulle/batch.h"

/* A task as it was recorded. */
typedef struct tulle__recorded {
    tulle__task_kind kind;
    double alpha, beta;
    const tulle_vec *operand[3]; /* by tulle_batch_operand; spmm has no A among them */
    const tulle_mat *A;
    tulle_factor *F;
    tulle_trans op;           /* of A, or of F */
    int parts;                /* of F or A: bit TULLE_LOWER, bit TULLE_UPPER, or both */
    tulle__diagonal diagonal; /* of a triangle of A */
    int first_wait, waits;    /* of the list of those that it waits for */
    int level;                /* one more than the largest of theirs */
} tulle__recorded;

/* Of two tasks, by their recorded numbers. */
typedef struct tulle__order {
    int task, earlier;
} tulle__order;

/* The last run of a batch that a GPU and a CPU's threads may share. */
typedef enum tulle__shared_run {
    TULLE__RUN_UNTIMED,
    TULLE__RUN_ALONE, /* the GPU's */
    TULLE__RUN_BOTH
} tulle__shared_run;

/* Of a GPU and a CPU's threads (shared.c), on a GPU. */
typedef struct tulle__shares {
    bool wanted;               /* tasks that threads of the CPU can do are placed last */
    int first;                 /* of these */
    tulle__shared_run last;    /* what is between the marks */
    void *mark[2], *event[2];  /* event: ends of launches on their way */
    double gpu_rate, cpu_rate; /* bytes a second, of the CPU by one thread; 0: not known */
    double alone_rate;         /* of runs that were the GPU's alone */
    double cpu_seconds;        /* how long the last run kept the CPU's threads */
    int losses, rest;          /* see shared.c */
    int by_cpu;                /* tasks in the last run */
} tulle__shares;

/* The steps of elimination on a pattern, in the place's memory (factor/steps.h); none where listing
 * them would not serve. */
typedef struct tulle__listed {
    uint64_t pattern; /* its serial number */
    tulle__steps steps;
} tulle__listed;

/* The arrays of graphs that have captured a run, or the copy of its reports: in the place's memory,
 * and in host memory. */
typedef struct tulle__captured {
    void *plan, *queue, *scratch;
    tulle_batch_report *reports, *host_reports;
} tulle__captured;

struct tulle_batch {
    tulle_ctx *ctx; /* owned */
    tulle__recorded *recorded;
    int count, room;
    tulle__order *order;
    int orders, order_room;
    int streams;    /* of all ways that use some, at most */
    bool published; /* tasks are described for published kernels, too, since a run asked for them */
    tulle__listed
        *listed; /* of patterns of factors that tasks compute, as long as the batch lives */
    int patterns, listed_room;

    tulle__captured
        *kept; /* of earlier schedules: graphs may be launched as long as the batch lives */
    int kept_count, kept_room;

    tulle__shares shares;
    bool captured;     /* what follows is used by a graph */
    int renewed[2];    /* the first and the one behind the last of the tasks that the device has
                          not in their new form yet; the same: it has all */
    bool scheduled;    /* what follows is that of what is recorded */
    tulle__task *task; /* [count], by level */
    int *place_of;     /* [count]: where a recorded task is among them */
    int *level;        /* [count + 1]: where each level begins, and the end of the last */
    int64_t *first_item, *first_tile;
    int *wait;
    tulle__task_host *host;           /* [count] for products and tasks on factors */
    void *plan, *queue, *scratch;     /* in the place's memory */
    void *for_threads;                /* of a CPU: in host memory */
    tulle_batch_report *reports;      /* the same; [count] */
    tulle_batch_report *host_reports; /* on a GPU: their copy, in host memory */
    int host_room;                    /* for so many */
    tulle__batch_job job;
};

/* Puts a task whose operand was replaced where the schedule has the old one, if nothing else
 * depends on what is new; else there is to be another schedule. After a failure the schedule has
 * the old one. */
tulle_status tulle__batch_renew(tulle_batch *batch, int number);

/* The same for all tasks whose matrix has its values elsewhere by now: tulle_mat_set_values gives
 * one that borrows them an array of its own. */
tulle_status tulle__batch_renew_moved(tulle_batch *batch);

/* From what is recorded to what a device needs, where there is news of it. Waits if there is. */
tulle_status tulle__batch_schedule(tulle_batch *batch);

/* A task by itself, of that; host is filled where it is on factors. May wait, where something is to
 * be derived from a pattern. */
tulle_status tulle__batch_task(tulle_ctx *ctx, const tulle__recorded *r, tulle__task_host *host,
                               tulle__task *task);
tulle_status tulle__batch_factor_task(tulle_ctx *ctx, const tulle__recorded *r,
                                      tulle__task_host *host, tulle__task *task);
/* On a GPU: the steps of a task on values of factors, if they are or can be listed. */
tulle_status tulle__batch_list_steps(tulle_batch *batch, const tulle_factor *F, tulle__task *task);
void tulle__batch_free_steps(tulle_batch *batch);
tulle_status tulle__batch_solve_task(tulle_ctx *ctx, const tulle__recorded *r,
                                     tulle__task_host *host, tulle__task *task);

/* Copies the tasks, and all that a GPU is told of them, from the lists of the host into its memory.
 * Waits. */
tulle_status tulle__batch_copy_plan(tulle_batch *batch);

/* Those that are new among them, to where that copy has the old ones. Waits if there are some. */
tulle_status tulle__batch_copy_renewed(tulle_batch *batch);

/* Gives back what a schedule has in memory, but for what graphs use. */
void tulle__batch_forget(tulle_batch *batch);

/* Room in a list for one more than `count` elements of that size. */
tulle_status tulle__batch_more(tulle_ctx *ctx, void **array, int count, int *room, size_t size);

#endif
