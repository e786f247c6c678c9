/* SPDX-License-Identifier: Apache-2.0 */
/* A solution in units of the solver's own: what is true of A x = b is true of 2^i A, 2^j b and
 * 2^(j - i) x, whose digits are the same. Squares of their numbers must be numbers of f64, and the
 * numbers themselves, with all digits, of the vectors' type. */
#include <math.h>

#include "solver/solver.h"

/* Sizes of A, M and b between which products of two of the first with the last, and in f64 their
 * squares, are far from the ends of a type. */
static const double least_norm[] = {[TULLE_F32] = 1e-8, [TULLE_F64] = 1e-30};
static const double largest_norm[] = {[TULLE_F32] = 1e8, [TULLE_F64] = 1e30};

/* Least product that has not lost digits; exponent of the factor with which a product is tried
 * again; and the largest exponent of one factor, a number of the type. */
static const double least_product[] = {[TULLE_F32] = 1e-25, [TULLE_F64] = 1e-250};
static const int far_away[] = {[TULLE_F32] = 60, [TULLE_F64] = 400};
static const int most_power[] = {[TULLE_F32] = 120, [TULLE_F64] = 1000};

/* Exponents: largest share of A's exponent that is left to b and to x, in halves, so that
 * products have all digits; and the largest exponent that a guess may have. */
static const int most_share[] = {[TULLE_F32] = 30, [TULLE_F64] = 300};
static const int most_guess[] = {[TULLE_F32] = 60, [TULLE_F64] = 600};

static int within(int power, int most) {
    return power < -most ? -most : power > most ? most : power;
}

tulle_status tulle__solver_multiply(tulle_solver *S, int power, tulle_vec *x) {
    while (power != 0) {
        const int now = within(power, most_power[S->type]);
        TULLE__TRY(tulle_vec_scale(S->ctx, tulle_num(ldexp(1, now)), x));
        power -= now;
    }
    return TULLE_OK;
}

/* Finds the exponent of a vector from its norm. Where the norm is beyond f64, it takes the vector's
 * largest number instead, whose exponent is smaller than the norm's by at most that of the root of
 * n. The number is scaled down first, so that a sum over processes stays within f64. */
tulle_status tulle__solver_exponent(tulle_solver *S, const tulle_vec *x, double norm,
                                    tulle__exponent *found) {
    enum { BELOW = 200 };
    double largest = norm;
    int below = 0;
    if (norm == INFINITY) {
        TULLE__TRY(tulle_vec_norm_max(S->ctx, x, tulle_to_num(&largest)));
        largest = ldexp(largest, -BELOW);
        below = BELOW;
        if (tulle__is_shared(S)) TULLE__TRY(tulle__solver_sum(S, &largest, 1));
    }
    *found = (tulle__exponent){.finite = tulle__is_number(largest), .is_0 = largest == 0};
    if (found->finite && !found->is_0) found->power = ilogb(largest) + below;
    return TULLE_OK;
}

int tulle__solver_power_of_b(const tulle_solver *S, double norm, const tulle__exponent *b) {
    const bool moderate = norm >= least_norm[S->type] && norm <= largest_norm[S->type];
    return b->finite && !b->is_0 && !moderate ? within(-b->power, most_power[TULLE_F64]) : 0;
}

/* Measures |L b| / |b| for a multiple of b; 0 where that is not known. */
static tulle_status measure(tulle_solver *S, tulle_linop *L, double *size) {
    tulle_vec *from = tulle__vector(S, TULLE__X), *to = tulle__vector(S, TULLE__R);
    double before, after;
    int power = 0;
    for (int attempt = 0; attempt < 2; attempt++) {
        TULLE__TRY(tulle__solver_copy(S, tulle__vector(S, TULLE__B), from));
        TULLE__TRY(tulle__solver_multiply(S, power, from));
        TULLE__TRY(tulle__linop_run(S->ctx, L, TULLE_N, tulle_num(1), from, tulle_num(0), to));
        TULLE__TRY(tulle__solver_norm(S, from, &before));
        TULLE__TRY(tulle__solver_norm(S, to, &after));
        const bool is_number = tulle__is_number(after);
        *size = is_number && before > 0 ? after / before : 0;
        if (is_number && after >= least_product[S->type]) break;
        power = is_number ? far_away[S->type] : -far_away[S->type];
    }
    return TULLE_OK;
}

static int power_of(const tulle_solver *S, double size) {
    const bool moderate = size >= least_norm[S->type] && size <= largest_norm[S->type];
    if (moderate || !(size > 0) || !tulle__is_number(size)) return 0;
    return within(-ilogb(size), most_power[S->type]);
}

static uint64_t renewals(const tulle_solver *S) {
    return tulle__stamp_join(S->A->renewals, S->M ? S->M->renewals : 0);
}

tulle_status tulle__solver_look_at_sizes(tulle_solver *S) {
    double size;
    if (S->units.known && S->units.of == renewals(S)) return TULLE_OK;
    S->report.products++;
    TULLE__TRY(measure(S, S->A, &size));
    S->units.A = power_of(S, size);
    S->units.M = 0;
    if (S->M) {
        S->report.preconditions++;
        TULLE__TRY(measure(S, S->M, &size));
        S->units.M = power_of(S, size);
    }
    S->units.known = true;
    S->units.of = renewals(S);
    return TULLE_OK;
}

/* Limits b's share so that the guess does not pass its largest exponent: but b does not become
 * smaller for that than in the caller's units, where it might have no digits left. */
int tulle__solver_share_of_b(const tulle_solver *S, const tulle__exponent *guess) {
    const int share = within(S->units.A / 2, most_share[S->type]);
    const int power = S->units.b + share - S->units.A; /* exponent of x's unit */
    const int above = guess->power + power - most_guess[S->type];
    const int most = power < S->units.b + share ? power : S->units.b + share;
    if (!guess->finite || guess->is_0 || above <= 0 || most <= 0) return share;
    return share - (above < most ? above : most);
}
