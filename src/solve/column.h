/* SPDX-License-Identifier: Apache-2.0 */
/* The small least-squares problem of GMRES: the Hessenberg matrix column by column, made triangular
 * by Givens' rotations, the same lines on every device. Compiles as C17 and as CUDA C++. Source: Y.
 * Saad, "Iterative Methods for Sparse Linear Systems", 6.5.3. */
#ifndef TULLE_SOLVE_COLUMN_H
#define TULLE_SOLVE_COLUMN_H

#include "core/place.h"
#include "solve/state.h"

typedef struct tulle__column {
    tulle_type type;                  /* of the vectors */
    int j, most;                      /* the column's number, and how many there can be */
    const void *first, *again, *norm; /* V^T w, of the type, and once more after the first was taken
                                         off w; what is left of |w| */
    void *scale;                      /* its reciprocal, of the type */
    double *R;                        /* [most][most], by columns */
    double *cosines, *sines;          /* [most] */
    double *g;                        /* [most + 1] */
    void *y;                          /* combine: [most] of the type; 0 beyond the columns */
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

/* The column with its rotations, and the norm of the residual that they leave. A column of which
 * nothing but roundoff is left, since A is singular, does not count: y would be noise. */
TULLE__RULE tulle__solve_state tulle__rule_column(const tulle__column *c) {
    tulle__solve_state s = *c->from;
    if (s.outcome != TULLE__GOES_ON) return s;
    double *h = c->R + (int64_t)c->j * c->most;
    double carried = tulle__entry(c, c->first, 0) + tulle__entry(c, c->again, 0);
    double largest = fmax(fabs(carried), tulle__entry(c, c->norm, 0));
    for (int i = 0; i < c->j; i++) {
        const double next = tulle__entry(c, c->first, i + 1) + tulle__entry(c, c->again, i + 1);
        largest = fmax(largest, fabs(next));
        h[i] = c->cosines[i] * carried + c->sines[i] * next;
        carried = c->cosines[i] * next - c->sines[i] * carried;
    }
    const double below = tulle__entry(c, c->norm, 0), length = hypot(carried, below);
    const double noise = 100 * largest * (c->type == TULLE_F32 ? 0x1p-24 : 0x1p-53);
    if (!(length > noise)) {
        s.iterations++;
        tulle__end(&s, tulle__is_number(length) ? TULLE_BROKE_DOWN : TULLE_NOT_A_NUMBER);
        return s;
    }
    c->cosines[c->j] = carried / length;
    c->sines[c->j] = below / length;
    h[c->j] = length;
    c->g[c->j + 1] = -c->sines[c->j] * c->g[c->j];
    c->g[c->j] *= c->cosines[c->j];
    tulle__put_entry(c, c->scale, 0, below > 0 ? 1 / below : 0);
    s.columns++;
    tulle__judge(&s, c->g[c->j + 1] * c->g[c->j + 1]);
    return s;
}

/* R y = g. */
TULLE__RULE void tulle__rule_combine(const tulle__column *c) {
    const int columns = (int)c->from->columns;
    for (int i = c->most - 1; i >= 0; i--) {
        double sum = i < columns ? c->g[i] : 0;
        for (int k = i + 1; k < columns; k++) {
            sum -= c->R[(int64_t)k * c->most + i] * tulle__entry(c, c->y, k);
        }
        tulle__put_entry(c, c->y, i, i < columns ? sum / c->R[(int64_t)i * c->most + i] : 0);
    }
}

#endif
