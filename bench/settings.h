/* SPDX-License-Identifier: Apache-2.0 */
/* Settings that the command line of tulle bench asks for. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "tools/common/args.h"
#include "tools/common/hierarchy.h"
#include "tools/common/timing.h"
#include "trials/operation.h"

enum { BENCH_ANY_INDEX = 3 };

typedef struct bench_settings {
    const char *on;
    const char *operation; /* "spmv", or the name of another trial_operation */
    int op;                /* number of the operation (trials/op.h) */
    const char *second;    /* second matrix of an operation with two; NULL: none was named */
    const char *set, *matrices;
    tool_list kernels, formats, choices;
    bool sweep;
    int type;  /* tulle_type or TRIAL_BOTH_TYPES */
    int trans; /* tulle_trans or TRIAL_BOTH */
    trial_wish wish;
    int index; /* tulle_index, or BENCH_ANY_INDEX: the index type of the matrix as it comes */
    int64_t repeat, seed;
    double seconds, minutes; /* time for each variant, and for the run; minutes 0: no limit */
    /* most seconds that a call may take that makes a matrix; 0: no limit */
    double give_up;
    const char *fills;        /* fill of factors, as the user gave it; NULL: none was given */
    tool_hierarchy hierarchy; /* options of multigrid's hierarchy */
    const char *vectors, *layouts;
    const char *json, *resume, *shard, *peers;
    bool no_check, explain, quiet;
    bool fields; /* true: the fields of JSON lines are listed, and nothing is measured */
    /* The members below are made from those above. */
    tool_budget budget;
    /* bit c is 1 if rows of the trial_choice c are asked for; 0: none is named */
    unsigned chosen;
    trial_blocks blocks;
    /* there are as many vectors as a block of the matrix has rows, whatever `blocks` says */
    bool own_vectors;
    int64_t shard_number, shard_count; /* shard_number counts from 1 */
    char **operand;
    int operand_count;
} bench_settings;

#endif
