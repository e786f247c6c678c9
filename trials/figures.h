/* SPDX-License-Identifier: Apache-2.0 */
/* Numbers that a way to compute has beside its times and its error: of a hierarchy the number of
 * its levels, its complexity, the time of each phase of its setup. An operation lists them, in a
 * list that ends with a name NULL. A row of the benchmark has each as a JSON member of its name,
 * and in a table of their own. */
#ifndef TRIAL_FIGURES_H
#define TRIAL_FIGURES_H

#include <stdint.h>

/* TRIAL_FIGURES: most figures of an operation. TRIAL_PARTS: most parts of a result, and TRIAL_PART:
 * most numbers of a part. */
enum { TRIAL_FIGURES = 16, TRIAL_PARTS = 64, TRIAL_PART = 6 };

typedef enum trial_unit {
    TRIAL_MS,    /* a time in milliseconds */
    TRIAL_COUNT, /* a whole number */
    TRIAL_RATIO  /* a number without a unit */
} trial_unit;

typedef struct trial_figure {
    const char *name;    /* "cycle_ms"; NULL: the list ends */
    const char *heading; /* the heading of its column, "cycle" */
    trial_unit unit;
} trial_figure;

/* The figures of a way to compute, in the order of its operation's list, and its parts: rows of
 * numbers, of a hierarchy one for each level. */
typedef struct trial_figures {
    double of[TRIAL_FIGURES]; /* NaN: not known */
    int parts;                /* number of parts; 0: not known */
    double part[TRIAL_PARTS][TRIAL_PART];
} trial_figures;

/* Makes all figures unknown. */
void trial_figures_forget(trial_figures *figures);

#endif
