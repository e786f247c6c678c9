/* SPDX-License-Identifier: Apache-2.0 */
/* Lame's constants of a material, from those that the caller has. */
#include <inttypes.h>

#include "fem/problems/problem.h"

/* Two constants of an element, or of a point in it. */
typedef struct pair {
    double first, second;
} pair;

/* A material's energy is positive whatever its strain is: the bulk modulus and mu are. */
static bool is_material(tulle_elastic_constants constants, pair given) {
    if (constants == TULLE_YOUNG_POISSON) {
        return given.first > 0 && given.second > -1 && given.second < 0.5;
    }
    return given.second > 0 && 3 * given.first + 2 * given.second > 0;
}

static pair lame_of(tulle_elastic_constants constants, pair given) {
    if (constants == TULLE_LAME) return given;
    const double young = given.first, poisson = given.second;
    return (pair){young * poisson / ((1 + poisson) * (1 - 2 * poisson)),
                  young / (2 * (1 + poisson))};
}

/* Converts the given constants to Lame's, in place. */
static tulle_status convert(tulle_elastic_constants constants, int64_t element, double *first,
                            double *second) {
    const pair given = {*first, *second};
    if (!is_material(constants, given)) {
        return tulle__fail(TULLE_INVALID_ARGUMENT, "tulle_elasticity_create", "problem", element,
                           constants == TULLE_LAME
                               ? "lambda and mu are %g and %g in cell %" PRId64
                                 " of its shape; mu and 3 lambda + 2 mu must be greater than 0"
                               : "E and nu are %g and %g in cell %" PRId64
                                 " of its shape; E must be greater than 0, nu between -1 and 1/2",
                           given.first, given.second, element);
    }
    const pair lame = lame_of(constants, given);
    *first = lame.first;
    *second = lame.second;
    return TULLE_OK;
}

tulle_status tulle__elastic_constants(const tulle__problem_draft *draft, tulle__body *body) {
    static const char *const names[][2] = {{"E", "nu"}, {"lambda", "mu"}};
    const tulle_elasticity_problem *p = draft->problem;
    const tulle__cells *cells = &body->cells;
    const int points = tulle__cell_nodes(cells->shape);
    const int of_first = tulle__quantity_per(&p->first, points);
    const int of_second = tulle__quantity_per(&p->second, points);
    const int per = of_first > of_second ? of_first : of_second;
    TULLE__TRY(tulle__quantity_of_cells(draft, names[p->constants][0], &p->first, cells, per,
                                        &body->lambda));
    TULLE__TRY(
        tulle__quantity_of_cells(draft, names[p->constants][1], &p->second, cells, per, &body->mu));
    if (per == 0) return convert(p->constants, 0, &body->lambda.number, &body->mu.number);
    double *first = (double *)body->lambda.numbers, *second = (double *)body->mu.numbers;
    for (int64_t k = 0; k < per * cells->count; k++) {
        TULLE__TRY(convert(p->constants, k % cells->count, &first[k], &second[k]));
    }
    return TULLE_OK;
}
