/* SPDX-License-Identifier: Apache-2.0 */
/* What a tuner knows of one structure and op: the search, and the measurement under way. */
#ifndef TULLE_TUNE_TUNING_H
#define TULLE_TUNE_TUNING_H

#include "tune/cache.h"
#include "tune/space.h"
#include "tune/sweep.h"

/* A step of a search, as tulle_tuner_step. */
typedef struct tulle__step {
    tulle__point point;
    double ms;
    bool counts, best;
} tulle__step;

typedef struct tulle__tuning {
    struct tulle__tuning *next;
    uint64_t fingerprint;
    bool usable;     /* false: the rule has no answer, and tulle_spmv does what can be done */
    bool exhaustive; /* which of the next two is used */
    tulle__space space;
    tulle__search search;
    tulle__sweep sweep;
    tulle__step *path; /* of the search; tulle__host_alloc */
    int steps, room;
    tulle__cache_entry entry; /* the result, once settled */
    tulle__point best;
    bool settled, from_cache, saved;
    void *event[2];   /* NULL once settled */
    bool pending;     /* between the events a kernel runs at tulle__tuning_trial's point */
    bool slow_launch; /* which took the host suspiciously long */
    bool again;       /* the point's last measurement did not count for that */
} tulle__tuning;

/* How a tuner searches; most: as for tulle__search_start. */
typedef struct tulle__manner {
    bool exhaustive;
    int most;
    tulle__domain domain;
} tulle__manner;

/* Starts a tuning, from the cache where it has the structure. */
tulle_status tulle__tuning_create(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                                  const tulle__cache *cache, const tulle__manner *manner,
                                  tulle__tuning **tuning);
void tulle__tuning_destroy(tulle_ctx *ctx, tulle__tuning *tuning);

/* The point that waits to be measured. */
const tulle__point *tulle__tuning_trial(const tulle__tuning *tuning);

/* Takes the measurement under way, if it is done; does not wait. */
tulle_status tulle__tuning_harvest(tulle_ctx *ctx, tulle__tuning *tuning);

/* Takes the time of the trial; below 0: it was not its case. */
void tulle__tuning_step(tulle_ctx *ctx, tulle__tuning *tuning, double ms);

/* How many steps the path has, and one of them. */
int tulle__tuning_steps(const tulle__tuning *tuning);
tulle__step tulle__tuning_path(const tulle__tuning *tuning, int i);

/* The least time of a point; 0: it was not measured. */
double tulle__tuning_ms(const tulle__tuning *tuning, const tulle__point *point);

#endif
