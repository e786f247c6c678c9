/* SPDX-License-Identifier: Apache-2.0 */
/* A tuning: the search for one structure and op, and the measurement under way. */
#ifndef TULLE_TUNE_TUNING_H
#define TULLE_TUNE_TUNING_H

#include "tune/cache.h"
#include "tune/space.h"
#include "tune/sweep.h"

/* A step of a search, with the members of tulle_tuner_step. */
typedef struct tulle__step {
    tulle__point point;
    double ms;
    bool counts, best;
} tulle__step;

typedef struct tulle__tuning {
    struct tulle__tuning *next;
    uint64_t fingerprint;
    bool usable;     /* false when the rule has no answer, and tulle_spmv computes the products */
    bool exhaustive; /* true when `sweep` is used, false when `search` is */
    tulle__space space;
    tulle__search search;
    tulle__sweep sweep;
    tulle__step *path; /* steps of the search; owned, from tulle__host_alloc */
    int steps, room;
    tulle__cache_entry entry; /* result, once the tuning is settled */
    tulle__point best;
    bool settled, from_cache, saved;
    void *event[2]; /* events around a trial; NULL once the tuning is settled */
    /* true while a kernel runs between the events, at the point of tulle__tuning_trial */
    bool pending;
    bool slow_launch; /* true when the launch of this kernel took suspiciously long */
    /* true when the point's last measurement did not count, because of a slow launch */
    bool again;
} tulle__tuning;

/* The way in which a tuner searches; most: as for tulle__search_start. */
typedef struct tulle__manner {
    bool exhaustive;
    int most;
    tulle__domain domain;
} tulle__manner;

/* Starts a tuning, from the cache if it has the structure. */
tulle_status tulle__tuning_create(tulle_ctx *ctx, const tulle_mat *A, tulle_trans op,
                                  const tulle__cache *cache, const tulle__manner *manner,
                                  tulle__tuning **tuning);
void tulle__tuning_destroy(tulle_ctx *ctx, tulle__tuning *tuning);

/* Returns the point that is to be measured next. */
const tulle__point *tulle__tuning_trial(const tulle__tuning *tuning);

/* Takes the measurement under way if it is done; does not wait. */
tulle_status tulle__tuning_harvest(tulle_ctx *ctx, tulle__tuning *tuning);

/* Takes the time of the trial in milliseconds; below 0: the kernel cannot take this case. */
void tulle__tuning_step(tulle_ctx *ctx, tulle__tuning *tuning, double ms);

/* tulle__tuning_steps returns the number of steps of the search, tulle__tuning_path one of them. */
int tulle__tuning_steps(const tulle__tuning *tuning);
tulle__step tulle__tuning_path(const tulle__tuning *tuning, int i);

/* Returns the least time of a point in milliseconds; 0: the point was not measured. */
double tulle__tuning_ms(const tulle__tuning *tuning, const tulle__point *point);

#endif
