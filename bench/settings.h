/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line of tulle bench asks for. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "tools/common/args.h"
#include "tools/common/timing.h"
#include "trials/operation.h"

enum { BENCH_ANY_INDEX = 3 };

typedef struct bench_settings {
    const char *on;
    const char *operation; /* "spmv", or the name of another trial_operation */
    int op;                /* its number, trials/op.h */
    const char *second;    /* of an operation with two matrices, or NULL */
    const char *set, *matrices;
    tool_list kernels, formats;
    bool sweep;
    int type;  /* tulle_type or TRIAL_BOTH_TYPES */
    int trans; /* tulle_trans or TRIAL_BOTH */
    trial_wish wish;
    int index; /* tulle_index or BENCH_ANY_INDEX: as the matrix comes */
    int64_t repeat, seed;
    double seconds, minutes; /* minutes 0: no limit */
    double give_up;          /* seconds of a call that makes a matrix; 0: no limit */
    const char *fills;       /* that, as it was given */
    const char *vectors, *layouts;
    const char *json, *resume, *shard, *peers;
    bool no_check, explain, quiet;
    /* From these: */
    tool_budget budget;
    trial_blocks blocks;
    bool own_vectors; /* in place of their numbers: as many as a block of the matrix has rows */
    int64_t shard_number, shard_count; /* number from 1 */
    char **operand;
    int operand_count;
} bench_settings;

#endif
