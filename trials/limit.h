/* SPDX-License-Identifier: Apache-2.0 */
/* The longest time of a call that is measured. A call that takes longer is cancelled, through the
 * library's progress callback, and left out like one for which memory does not suffice. */
#ifndef TRIAL_LIMIT_H
#define TRIAL_LIMIT_H

#include <stdbool.h>

#include "tulle/context.h"

typedef struct trial_limit {
    double seconds; /* 0: no limit */
    double until;   /* on the clock of tulle__seconds; 0: time does not count now */
    bool passed;    /* since it began to count */
} trial_limit;

/* These two begin and end the time that counts for the limit. */
void trial_limit_begin(trial_limit *limit);
void trial_limit_end(trial_limit *limit);

/* Makes the context's progress callback cancel calls for which the limit is over; *limit must stay
 * where it is. */
tulle_status trial_limit_watch(trial_limit *limit, tulle_ctx *ctx);

/* Writes why a call ended that the limit cancelled, such as "it took longer than 60 s", and returns
 * `text`. */
enum { TRIAL_LIMIT_TEXT = 64 };
const char *trial_limit_text(const trial_limit *limit, char text[TRIAL_LIMIT_TEXT]);

#endif
