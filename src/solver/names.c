/* SPDX-License-Identifier: Apache-2.0 */
/* Names of methods and outcomes. */
#include "solver/solver.h"

static const tulle__method *const methods[TULLE_METHOD_COUNT] = {
    [TULLE_CG] = &tulle__cg,         [TULLE_BICGSTAB] = &tulle__bicgstab,
    [TULLE_GMRES] = &tulle__gmres,   [TULLE_CHEBYSHEV] = &tulle__chebyshev,
    [TULLE_MINRES] = &tulle__minres, [TULLE_FGMRES] = &tulle__fgmres,
};

const tulle__method *tulle__method_of(tulle_method method) {
    const bool known = (int)method >= 0 && (int)method < TULLE_METHOD_COUNT;
    return known ? methods[method] : NULL;
}

const char *tulle_method_name(tulle_method method) {
    const tulle__method *known = tulle__method_of(method);
    return known ? known->name : NULL;
}

const char *tulle_outcome_name(tulle_outcome outcome) {
    switch (outcome) {
#define X(name, number, text)                                                                      \
    case TULLE_##name:                                                                             \
        return #name;
        TULLE_OUTCOMES(X)
#undef X
    }
    return "UNKNOWN";
}

const char *tulle_outcome_text(tulle_outcome outcome) {
    switch (outcome) {
#define X(name, number, text)                                                                      \
    case TULLE_##name:                                                                             \
        return text;
        TULLE_OUTCOMES(X)
#undef X
    }
    return "no such outcome";
}
