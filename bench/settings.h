/* SPDX-License-Identifier: Apache-2.0 */
/* What the command line of tulle bench asks for. */
#ifndef BENCH_SETTINGS_H
#define BENCH_SETTINGS_H

#include "bench/blocks.h"
#include "tools/common/args.h"
#include "tools/common/timing.h"

enum { BENCH_BOTH = 2, BENCH_ANY_INDEX = 3 };

typedef struct bench_settings {
    const char *on;
    const char *operation; /* "spmv", or the name of a bench_maker or a bench_operation */
    int op;                /* from that, bench/op.h */
    const char *second;    /* of an operation with two matrices, or NULL */
    const char *set, *matrices;
    tool_list kernels, formats;
    bool sweep;
    int type;    /* tulle_type or BENCH_BOTH */
    int trans;   /* tulle_trans or BENCH_BOTH */
    int part;    /* tulle_part or BENCH_BOTH */
    int kind;    /* tulle_factor_kind or BENCH_BOTH */
    int fill;    /* a level of fill, or TULLE_FILL_ALL; 0: none */
    int precond; /* BENCH_SOLVE_... of bench/solve.h */
    int index;   /* tulle_index or BENCH_ANY_INDEX: as the matrix comes */
    int64_t repeat, seed;
    double seconds, minutes; /* minutes 0: no limit */
    double give_up;          /* seconds of a call that makes a matrix; 0: no limit */
    const char *fills;       /* that, as it was given */
    const char *vectors, *layouts;
    const char *json, *resume, *shard, *peers;
    bool no_check, explain, quiet;
    /* From these: */
    tool_budget budget;
    bench_blocks blocks;
    bool own_vectors; /* in place of their numbers: as many as a block of the matrix has rows */
    int64_t shard_number, shard_count; /* number from 1 */
    char **operand;
    int operand_count;
} bench_settings;

#endif
