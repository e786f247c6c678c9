/* SPDX-License-Identifier: Apache-2.0 */
/* The small least-squares problem of GMRES: the Hessenberg matrix column by column, made triangular
 * by Givens' rotations, the same lines on every device. Compiles as C17 and as CUDA C++. Source: Y.
 * Saad, "Iterative Methods for Sparse Linear Systems", 6.5.3. */
#ifndef TULLE_SOLVER_COLUMN_H
#define TULLE_SOLVER_COLUMN_H

#include "core/place.h"
#include "solver/state.h"

/* The largest number of columns before a restart. */
enum { TULLE__MOST_RESTART = 256 };

typedef struct tulle__column {
    tulle_type type;                  /* type of the vectors */
    int j, most;                      /* number of the column, and the largest number of columns */
    const void *first, *again, *norm; /* V^T w of the first projection, components that the
                                         second took off, norm of the rest of w; all of the type */
    void *scale;                      /* reciprocal of the norm, of the type */
    double *R;                        /* R, [most][most], by columns */
    double *cosines, *sines;          /* rotations, [most] each */
    double *g;                        /* right-hand side turned by the rotations, [most + 1] */
    void *y;                          /* solution, [most] of the type; 0 beyond the columns */
    const tulle__solve_state *from;
    tulle__solve_state *to;
    double *history;
} tulle__column;

TULLE__RULE double tulle__entry(const tulle__column *c, const void *numbers, int i) {
    return c->type == TULLE_F32 ? (double)((const float *)numbers)[i]
                                : ((const double *)numbers)[i];
}

TULLE__RULE void tulle__put_entry(const tulle__column *c, void *numbers, int i, double number) {
    if (c->type == TULLE_F32) {
        ((float *)numbers)[i] = (float)number;
    } else {
        ((double *)numbers)[i] = number;
    }
}

/* Arrays near the thread that turns the column, for which each number waits for the one before:
 * on a GPU they are in shared memory, whose pointers have a type of their own. */
#ifndef TULLE__NEAR
#define TULLE__NEAR double *
#endif

typedef struct tulle__column_near {
    TULLE__NEAR h; /* components, and then the column, [j + 1] */
    TULLE__NEAR cosines;
    TULLE__NEAR sines;
} tulle__column_near;

/* Place in R of the column's first number. */
TULLE__RULE int64_t tulle__column_begin(const tulle__column *c) {
    return (int64_t)c->j * c->most;
}

TULLE__RULE double tulle__component(const tulle__column *c, int i) {
    return tulle__entry(c, c->first, i) + tulle__entry(c, c->again, i);
}

/* Turns the column in h by its rotations, and sets the norm of the residual that they leave. A
 * column of which nothing but roundoff is left, since A is singular, does not count: y would be
 * noise. */
TULLE__RULE tulle__solve_state tulle__rule_column(const tulle__column *c,
                                                  const tulle__column_near *near) {
    tulle__solve_state s = *c->from;
    if (s.outcome != TULLE__GOES_ON) return s;
    TULLE__NEAR h = near->h;
    double carried = h[0];
    double largest = fmax(fabs(carried), tulle__entry(c, c->norm, 0));
    for (int i = 0; i < c->j; i++) {
        const double next = h[i + 1];
        largest = fmax(largest, fabs(next));
        h[i] = near->cosines[i] * carried + near->sines[i] * next;
        carried = near->cosines[i] * next - near->sines[i] * carried;
    }
    const double below = tulle__entry(c, c->norm, 0), length = hypot(carried, below);
    const double noise = 100 * largest * (c->type == TULLE_F32 ? 0x1p-24 : 0x1p-53);
    if (!(length > noise)) {
        s.iterations++;
        tulle__end(&s, tulle__is_number(length) ? TULLE_BROKE_DOWN : TULLE_NOT_A_NUMBER);
        return s;
    }
    const double cosine = carried / length, sine = below / length, g = c->g[c->j];
    c->cosines[c->j] = cosine;
    c->sines[c->j] = sine;
    h[c->j] = length;
    c->g[c->j + 1] = -sine * g;
    c->g[c->j] = cosine * g;
    tulle__put_entry(c, c->scale, 0, below > 0 ? 1 / below : 0);
    s.columns++;
    tulle__judge(&s, sine * g * (sine * g));
    return s;
}

/* Returns the number rounded to the type of the column's arrays. */
TULLE__RULE double tulle__rounded_entry(const tulle__column *c, double number) {
    return c->type == TULLE_F32 ? (double)(float)number : number;
}

#endif
