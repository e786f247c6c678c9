/* SPDX-License-Identifier: Apache-2.0 */
/* A few multivectors, matrices and factors, and tasks of all kinds between them, at random: to be
 * run as one batch, or one by one. */
#ifndef TESTS_BATCH_WORLDS_H
#define TESTS_BATCH_WORLDS_H

#include "columns.h"
#include "tulle/tulle.h"

/* Multivectors come by twos that may change places, since they are alike. */
enum {
    WORLD_WIDE = 0,   /* four of n x k */
    WORLD_OTHER = 4,  /* two of n x k, of the other type */
    WORLD_SQUARE = 6, /* two of k x k */
    WORLD_FLAT = 8,   /* two of 1 x k */
    WORLD_FLAT_OTHER = 10,
    WORLD_VECTORS = 12,
    WORLD_TASKS = 12
};

typedef enum {
    WORLD_AXPY,
    WORLD_DOT,
    WORLD_SPMM,
    WORLD_TRISOLVE,
    WORLD_FACTOR,
    WORLD_SOLVE,
    WORLD_SCALE,
    WORLD_COPY,
    WORLD_NORM2,
    WORLD_NORM_MAX,
    WORLD_KINDS
} world_kind;

/* Numbers of multivectors, matrices and factors; -1: it has none. */
typedef struct {
    world_kind kind;
    double alpha, beta;
    tulle_trans op;
    int part; /* 2: both */
    tulle_diag diag;
    int x, a, y, matrix, factor;
} world_task;

typedef struct {
    tulle_ctx *ctx;
    tulle_type type, factors; /* of numbers, and of factors */
    columns start[WORLD_VECTORS];
    placed at[WORLD_VECTORS];
    tulle_mat *A[2];
    tulle_factor *F[2];
    world_task task[WORLD_TASKS];
    int tasks;
} world;

/* Multivectors of up to so many rows, and up to so many tasks, WORLD_TASKS at most. */
world world_make(tulle_ctx *ctx, int most_rows, int most_tasks, uint64_t *random);
void world_free(world *w);

/* Multivectors and factors are what they were. */
void world_reset(world *w);

/* All tasks, each after those whose numbers it needs or changes. */
void world_record(const world *w, tulle_batch *batch);

/* The same one after the other: by the plain call, where a batch has its bits, else as a batch of
 * one task. Counts tasks of each kind, and those by plain calls, beside what is there. */
typedef struct {
    int64_t tasks[WORLD_KINDS], plain[WORLD_KINDS];
} world_count;
void world_run_alone(const world *w, tulle_batch_way way, world_count *count);

/* What all multivectors hold. */
void world_read(const world *w, columns to[WORLD_VECTORS]);

/* Other operands and scalars, for all tasks: replacements that are as many as returned, which the
 * caller frees. Scalars are in the world's tasks. */
int world_change(world *w, uint64_t *random, tulle_batch_replacement **replacements);

#endif
