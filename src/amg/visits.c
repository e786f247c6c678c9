/* SPDX-License-Identifier: Apache-2.0 */
/* The form of a cycle. Classical and smoothed interpolation go with a V cycle: each level is
 * visited once, and corrections have the factor 1.
 *
 * Piecewise constant interpolation makes coarse matrices too large, by nearly 2 in smooth
 * directions of a grid, so that corrections are too small, and the more so the more levels there
 * are. The remedies are a factor of corrections ("over-correction", D. Braess, "Towards algebraic
 * multigrid for elliptic problems of second order", 1995) and a second visit (the W cycle), which
 * costs little where a level has a fraction of the entries of the level before.
 *
 * M stays symmetric and positive definite with a factor f below 2. Let B be the operator that
 * solves on the next level, with eigenvalues of B R A P in (0, 1], and S the smoother, with
 * eigenvalues of S in [-1, 1] in the inner product of A. Then I - M A = S (I - f P B R A) S has
 * eigenvalues in [1 - f, 1), and those of M A are in (0, f]. Two visits have those of I - (I - M
 * A)^2, in (0, 1]. With one visit they stay in (0, f], so that the level above has the factor 1,
 * and the same bounds. */
#include "amg/amg.h"

/* Factor of corrections (Braess takes 1.8, too). */
static const double over = 1.8;

/* A level is visited twice where its matrix has at most this share of the entries of that of the
 * level before. Where all levels are that small, they cost at most 1 + 0.8 + 0.64 + ... = 5 times
 * the first one together. */
static const double most_share = 0.4;

static bool visited_twice(const tulle__amg *own, int l) {
    const tulle__amg_level *level = own->level + l;
    if (own->options.family != TULLE_AMG_AGGREGATION) return false;
    if (l == 0 || l == own->levels - 1 || level->passes) return false;
    return (double)level->info.nnz <= most_share * (double)level[-1].info.nnz;
}

/* Returns the factor of corrections that a level gets from the next one. */
static double correction_of(const tulle__amg *own, int l) {
    const tulle__amg_level *level = own->level + l, *next = level + 1;
    if (own->options.family != TULLE_AMG_AGGREGATION) return 1;
    if (l == own->levels - 1 || level->passes) return 1;
    return next->twice || next->inverse ? over : 1;
}

void tulle__amg_plan_visits(tulle__amg *own) {
    for (int l = own->levels - 1; l >= 0; l--) {
        own->level[l].twice = visited_twice(own, l);
        own->level[l].correction = correction_of(own, l);
    }
}
