/* SPDX-License-Identifier: Apache-2.0 */
/* A crew runs a command together, each member with a part of the rows: processes that a launcher of
 * MPI has started, or threads of this process, one for each GPU (--gpus) or as many as the user
 * says
 * (--ranks). One of them speaks, the one of rank 0, and if a member fails, the failing one. */
#ifndef TOOL_CREW_H
#define TOOL_CREW_H

#include "tools/common/args.h"
#include "tools/common/launcher.h"
#include "tulle/tulle.h"

typedef struct tool_crew {
    int64_t threads;  /* --ranks; 0: not given */
    const char *gpus; /* --gpus; NULL: not given */
    int partition;    /* --partition: a tool_partition */
    tool_launch launch;
    int ranks; /* number of members; 1: there is no crew */
} tool_crew;

/* Shares of the rows that --partition names: as the rows stand, or by METIS. */
typedef enum { TOOL_BY_ROWS, TOOL_BY_METIS } tool_partition;

/* Options of commands that a crew can run. */
#define TOOL_CREW_OPTIONS(c)                                                                       \
    {.name = "gpus",                                                                               \
     .kind = TOOL_TEXT,                                                                            \
     .target = &(c)->gpus,                                                                         \
     .value = "N|all",                                                                             \
     .help = "share the rows between N GPUs of this machine, one thread each"},                    \
        {.name = "ranks",                                                                          \
         .kind = TOOL_INT,                                                                         \
         .target = &(c)->threads,                                                                  \
         .value = "N",                                                                             \
         .help = "share the rows between N threads, each with a part of the cores",                \
         .min = 1,                                                                                 \
         .max = 1024},                                                                             \
    {                                                                                              \
        .name = "partition", .kind = TOOL_CHOICE, .target = &(c)->partition,                       \
        .value = "rows|metis", .help = "shares: rows as they stand (default), or those of METIS"   \
    }

/* A member, as its work sees it. */
typedef struct tool_member {
    int rank, ranks;
    bool keeps; /* true when findings are kept here: false for threads of ranks above 0 */
    tool_partition partition;
    tulle_comm *comm;
    tulle_ctx *ctx;
} tool_member;

/* The work of a member. All fail where one does: what can fail in one member alone is followed by
 * tool_member_agree. */
typedef tulle_status (*tool_member_fn)(const tool_member *member, void *user);

/* Silences the processes of ranks above 0, before the command line is read. */
void tool_crew_begin(tool_crew *crew);

/* Counts the members. Returns TOOL_OK, or an exit code with its message printed. */
int tool_crew_count(const char *command, tool_crew *crew);

/* Ends a command that fails before tool_crew_run, or goes on where the code is TOOL_OK: tells the
 * launcher's other processes, one of which speaks. Returns the code. */
int tool_crew_leave(const tool_crew *crew, int code);

/* Runs the work in all members, on places as `on` says: the number of members shares the cores, and
 * each has a GPU of its own. Returns TOOL_OK, or an exit code with its message printed by the
 * member that failed. */
int tool_crew_run(const tool_crew *crew, const char *on, tool_member_fn work, void *user);

/* Tells the members how this one fares: returns its own failure, or TULLE_PEER_FAILED where another
 * one has failed. */
tulle_status tool_member_agree(const tool_member *member, tulle_status status);

/* An option of the command line that all members are given alike, since the calls that they make
 * together follow from it. */
typedef struct tool_alike {
    const char *name;
    const char *text; /* NULL: the number is compared */
    double number;
} tool_alike;

/* Fails in all members where an option differs between processes. */
tulle_status tool_member_alike(const tool_member *member, const tool_alike *options, int count);

/* Moves the rows of a square matrix to the members that the crew's partition says: *A is then the
 * matrix of the moved rows, and *P the order of vectors, the caller's. *P NULL: rows stay. */
tulle_status tool_member_partition(const tool_member *member, tulle_dist_mat **A,
                                   tulle_dist_order **P);

/* A tulle_monitor_fn that returns 1 if the user asked to stop. */
int tool_member_heed(void *user, int64_t iteration, double norm);

#endif
