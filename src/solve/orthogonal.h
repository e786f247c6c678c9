/* SPDX-License-Identifier: Apache-2.0 */
/* A vector made orthogonal to a basis by the classical Gram-Schmidt method. What the first
 * projection leaves along the basis is measured while it is made, and taken off, too, where it is
 * more than a method of Krylov's minds: then the basis is read three times, else twice. */
#ifndef TULLE_SOLVE_ORTHOGONAL_H
#define TULLE_SOLVE_ORTHOGONAL_H

#include "core/place.h"

/* What may be left along the basis, of the vector's length. A V = V H holds to roundoff whatever is
 * left, for what stays in a vector is not in H; and the norm that GMRES makes smallest, |g - H y|,
 * is that of the residual |V (g - H y)| but for a factor of the condition of V, 1 + about the root
 * of the columns times this. That of modified Gram-Schmidt loses far more, and GMRES with it is
 * backward stable (C. C. Paige, M. Rozloznik and Z. Strakos 2006). A solution that is claimed is
 * checked by its true residual. */
#define TULLE__LEFT_F64 1e-4
#define TULLE__LEFT_F32 1e-3

typedef struct tulle__orthogonal {
    tulle_type type;
    int64_t n, stride; /* of columns of the basis, a multiple of TULLE__ORTHOGONAL_UNIT */
    int columns;
    /* Behind row n zeros, as many as make whole units: they stay. */
    const void *V;
    void *w;             /* orthogonal: comes out with length 1, or 0 */
    void *first, *again; /* [columns] of the type: V^T w, and what was taken off later, or 0 */
    void *norm;          /* of what is left, before it got length 1, of the type */
    double *sums;        /* [columns + 1][pieces] */
    double *whole;       /* [columns + 1] */
    int64_t pieces;
} tulle__orthogonal;

enum { TULLE__ORTHOGONAL_UNIT = 16 };

/* Pieces of rows, which are what a block of a GPU takes. */
enum { TULLE__ORTHOGONAL_PIECE = 1024, TULLE__ORTHOGONAL_MOST_PIECES = 528 };

static inline int64_t tulle__orthogonal_pieces(int64_t n) {
    const int64_t pieces = n / TULLE__ORTHOGONAL_PIECE + (n % TULLE__ORTHOGONAL_PIECE != 0);
    if (pieces < 1) return 1;
    return pieces < TULLE__ORTHOGONAL_MOST_PIECES ? pieces : (int64_t)TULLE__ORTHOGONAL_MOST_PIECES;
}

#endif
