/* SPDX-License-Identifier: Apache-2.0 */
/* Greedy, after Cohen et al., "The AETG system" (1997): take a pair that is still uncovered, and
 * give every other factor the value that covers most new pairs. */
#include "pairwise.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdlib.h>

#include <cmocka.h>

typedef struct {
    int factors, levels[PAIRWISE_FACTORS], first[PAIRWISE_FACTORS], total;
    char *covered; /* total x total, by numbers of (factor, value) */
} table;

static char *cell(const table *t, int f, int v, int g, int w) {
    return &t->covered[(t->first[f] + v) * t->total + t->first[g] + w];
}

static int gain(const table *t, const int *values, int f, int v) {
    int pairs = 0;
    for (int g = 0; g < t->factors; g++) {
        if (g != f && values[g] >= 0) pairs += !*cell(t, f, v, g, values[g]);
    }
    return pairs;
}

static void complete(const table *t, int *values) {
    for (int f = 0; f < t->factors; f++) {
        if (values[f] >= 0) continue;
        int best = 0;
        for (int v = 1; v < t->levels[f]; v++) {
            if (gain(t, values, f, v) > gain(t, values, f, best)) best = v;
        }
        values[f] = best;
    }
}

static void mark(const table *t, const int *values) {
    for (int f = 0; f < t->factors; f++) {
        for (int g = 0; g < t->factors; g++) {
            if (f != g) *cell(t, f, values[f], g, values[g]) = 1;
        }
    }
}

/* Runs a case for the pair unless it is covered. */
static void cover(const table *t, int f, int v, int g, int w,
                  void (*run)(const int *values, void *user), void *user) {
    if (*cell(t, f, v, g, w)) return;
    int values[PAIRWISE_FACTORS];
    for (int h = 0; h < t->factors; h++) values[h] = -1;
    values[f] = v;
    values[g] = w;
    complete(t, values);
    mark(t, values);
    run(values, user);
}

void pairwise(int factors, const int *levels, void (*run)(const int *values, void *user),
              void *user) {
    table t = {.factors = factors};
    for (int f = 0; f < factors; f++) {
        t.levels[f] = levels[f];
        t.first[f] = t.total;
        t.total += levels[f];
    }
    t.covered = calloc((size_t)t.total * (size_t)t.total, 1);
    assert_non_null(t.covered);
    for (int f = 0; f < factors; f++) {
        for (int g = f + 1; g < factors; g++) {
            for (int v = 0; v < levels[f]; v++) {
                for (int w = 0; w < levels[g]; w++) cover(&t, f, v, g, w, run, user);
            }
        }
    }
    free(t.covered);
}
