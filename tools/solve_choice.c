/* SPDX-License-Identifier: Apache-2.0 */
#include "solve_choice.h"

#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "factor_quality.h"
#include "solve_ratio.h"
#include "tools/common/names.h"

/* With incomplete factors a method takes a third of the iterations that it takes with Jacobi's
 * preconditioner: 2.6 to 3.4 times fewer for p2d5, p3d7 and fem. */
static const double fewer = 3;

/* Factors of which solving blows a vector up as much, in powers of the roundoff, are no help. */
static const double growth_power = -0.75;

static const char *rounded(const tulle_facts *f) {
    return f->equal == f->off_diagonal ? "" : " but for rounding";
}

static void choose_method(const tulle_facts *f, tool_choice *c) {
    char *why = c->method_why;
    if (f->symmetric && f->empty_diagonal < 0 && f->diagonal_positive == f->diagonal) {
        c->method = TULLE_CG;
        snprintf(why, TOOL_WHY, "A is symmetric%s, and its diagonal is positive%s", rounded(f),
                 f->not_dominant == 0 ? " and dominant" : "");
    } else if (f->symmetric) {
        c->method = TULLE_GMRES;
        snprintf(why, TOOL_WHY,
                 "A is symmetric%s and not positive definite: not all of its diagonal is positive",
                 rounded(f));
    } else if (f->not_dominant == 0) {
        c->method = TULLE_BICGSTAB;
        snprintf(why, TOOL_WHY, "A is not symmetric, and its diagonal is dominant");
    } else {
        c->method = TULLE_GMRES;
        snprintf(why, TOOL_WHY,
                 "A is not symmetric, and its diagonal is not dominant in %" PRId64 " rows",
                 f->not_dominant);
    }
}

static bool has_factors(const tool_layout *format) {
    return !format->given || format->format == TULLE_CSR || format->format == TULLE_BSR;
}

/* A method for symmetric and positive definite matrices wants such preconditioners. */
static bool wants_definite(tulle_method method) {
    return method == TULLE_CG || method == TULLE_CHEBYSHEV;
}

/* Says how much of the blocks is entries. */
static void say_blocks(const tulle_facts *f, char why[TOOL_WHY]) {
    snprintf(why, TOOL_WHY, "%.0f %% of its blocks of %" PRId64 " x %" PRId64 " are entries",
             100 * f->block_filled, f->block, f->block);
}

/* Factors with the pattern of A: L L' where that may do, otherwise L U, of blocks where there are
 * such. */
static void choose_factors(const tulle_facts *f, const tool_latitude *may, tool_choice *c) {
    const bool in_blocks = c->format.given && c->format.format == TULLE_BSR;
    const bool ic = wants_definite(c->method) && !in_blocks;
    c->precond = (tool_precond){.kind = ic ? TOOL_IC : TOOL_ILU};
    if (ic || !may->format || f->block == 0) return;
    c->format = (tool_layout){.given = true, .format = TULLE_BSR, .options = {.block = f->block}};
    say_blocks(f, c->format_why);
}

static void add_why(char *why, const char *more) {
    const size_t length = strlen(why);
    snprintf(why + length, TOOL_WHY - length, "%s%s", length > 0 ? "; " : "", more);
}

/* The preconditioner that can always be made, and is cheap. */
static void choose_diagonal(const tulle_facts *f, const tool_latitude *may, tool_choice *c) {
    c->precond = (tool_precond){.kind = TOOL_JACOBI};
    if (may->format) c->format = (tool_layout){.given = false};
    c->format_why[0] = '\0';
    if (f->block > 0) {
        c->precond = (tool_precond){.kind = TOOL_BLOCK_JACOBI, .number = (int)f->block};
    }
}

/* Judges whether factors that were made are good for something; c->precond_why says why, or why
 * not. */
static tulle_status judge(tulle_ctx *ctx, const tool_latitude *may, const tool_parts *parts,
                          tool_choice *c, bool *good) {
    const char *name = c->precond.kind == TOOL_IC ? "IC(0)" : "ILU(0)";
    const double unit = parts->info.type == TULLE_F32 ? ldexp(1, -24) : ldexp(1, -53);
    tool_factor_quality quality;
    double ratio = 0;
    *good = false;
    tulle_status status = tool_factor_judge(ctx, parts->A, parts->precond.F, 1, &quality);
    if (status != TULLE_OK) return status;
    if (!(quality.growth < pow(unit, growth_power))) {
        snprintf(c->precond_why, TOOL_WHY, "solving with %s is not stable: it grows to %.3g", name,
                 quality.growth);
        return TULLE_OK;
    }
    *good = true;
    snprintf(c->precond_why, TOOL_WHY, "%s has %s pivots", name,
             c->precond.kind == TOOL_IC ? "positive" : "no zero");
    if (may->at_any_price) return TULLE_OK;
    status = tool_ratio_find(ctx, c->method, parts, &ratio);
    *good = ratio <= fewer;
    c->dear = !*good;
    snprintf(c->precond_why, TOOL_WHY,
             "with %s an iteration takes %.1f times as long, and%s about %g times fewer are needed",
             name, ratio, *good ? "" : " only", fewer);
    return status;
}

static tulle_status make(tulle_ctx *ctx, tulle_mat *csr, const tool_latitude *may,
                         const tool_choice *c, tool_parts *parts) {
    return tool_parts_make(ctx, csr, may->instead, tool_layout_or_csr(c->format), c->precond,
                           may->shift, parts);
}

/* good: there are factors, and they are worth it; c->precond_why says why not. */
static tulle_status try_factors(tulle_ctx *ctx, tulle_mat *csr, const tulle_facts *f,
                                const tool_latitude *may, tool_choice *c, tool_parts *parts,
                                bool *good) {
    *good = false;
    if (f->not_finite > 0) {
        snprintf(c->precond_why, TOOL_WHY, "there are no factors of Inf or NaN");
        return TULLE_OK;
    }
    if (!has_factors(&c->format)) {
        snprintf(c->precond_why, TOOL_WHY, "there are no factors of %s",
                 tool_format_name(c->format.format));
        return TULLE_OK;
    }
    choose_factors(f, may, c);
    tulle_status status = make(ctx, csr, may, c, parts);
    if (status == TULLE_ZERO_PIVOT) {
        snprintf(c->precond_why, TOOL_WHY, "%s has no %s pivot in row %" PRId64,
                 c->precond.kind == TOOL_IC ? "IC(0)" : "ILU(0)",
                 c->precond.kind == TOOL_IC ? "positive" : "nonzero", tulle_last_error()->row);
        return TULLE_OK;
    }
    if (status == TULLE_OK) status = judge(ctx, may, parts, c, good);
    if (status != TULLE_OK || !*good) tool_parts_free(parts);
    return status;
}

/* Factors, or what is on the diagonal. */
static tulle_status choose_precond(tulle_ctx *ctx, tulle_mat *csr, const tulle_facts *f,
                                   const tool_latitude *may, tool_choice *c, tool_parts *parts) {
    bool good;
    tulle_status status = try_factors(ctx, csr, f, may, c, parts, &good);
    if (status == TULLE_OK && f->block > 0 && !c->format.given) {
        char blocks[TOOL_WHY];
        say_blocks(f, blocks);
        add_why(c->precond_why, blocks);
    }
    if (status != TULLE_OK || good) return status;
    choose_diagonal(f, may, c);
    status = make(ctx, csr, may, c, parts);
    if (status != TULLE_ZERO_PIVOT) return status;
    c->precond = (tool_precond){.kind = TOOL_JACOBI};
    add_why(c->precond_why, "a block of its diagonal is singular");
    return make(ctx, csr, may, c, parts);
}

static tulle_status choose(tulle_ctx *ctx, tulle_mat *csr, const tulle_facts *f,
                           const tool_latitude *may, tool_choice *c, tool_parts *parts) {
    if (may->precond) return choose_precond(ctx, csr, f, may, c, parts);
    return make(ctx, csr, may, c, parts);
}

tulle_status tool_choose(tulle_ctx *ctx, tulle_mat *csr, const tool_latitude *latitude,
                         tool_choice *choice, tool_parts *parts) {
    tulle_facts f = {.block = 0};
    tulle_status status = TULLE_OK;
    if (latitude->method || latitude->precond) status = tulle_mat_facts(ctx, csr, &f);
    if (status == TULLE_OK && latitude->method) choose_method(&f, choice);
    return status == TULLE_OK ? choose(ctx, csr, &f, latitude, choice, parts) : status;
}

/* A method that does not get far, and had no factors. */
static bool may_have_factors(const tool_latitude *may, const tool_attempt *before) {
    const tulle_outcome outcome = before->outcome;
    return may->precond && before->choice.dear &&
           (outcome == TULLE_STAGNATED || outcome == TULLE_MOST_ITERATIONS);
}

static bool may_change_method(const tool_latitude *may, const tool_attempt *before) {
    const tulle_outcome outcome = before->outcome;
    if (!may->method || before->choice.method == TULLE_GMRES) return false;
    if (outcome == TULLE_INDEFINITE || outcome == TULLE_BROKE_DOWN) return true;
    return outcome == TULLE_STAGNATED && before->choice.method == TULLE_BICGSTAB;
}

tulle_status tool_choose_again(tulle_ctx *ctx, tulle_mat *csr, const tool_latitude *latitude,
                               const tool_attempt *before, bool *again, tool_choice *choice,
                               tool_parts *parts) {
    const bool factors = may_have_factors(latitude, before);
    tool_latitude may = *latitude;
    tulle_facts f;
    *again = factors || may_change_method(latitude, before);
    if (!*again) return TULLE_OK;
    tulle_status status = tulle_mat_facts(ctx, csr, &f);
    if (status != TULLE_OK) return status;
    choice->method = factors ? before->choice.method : TULLE_GMRES;
    may.at_any_price = factors;
    memcpy(choice->method_why, before->choice.method_why, TOOL_WHY);
    if (!factors) {
        char ended[TOOL_WHY];
        snprintf(ended, sizeof ended, "%s ended as %s", tulle_method_name(before->choice.method),
                 tulle_outcome_name(before->outcome));
        add_why(choice->method_why, ended);
    }
    return choose(ctx, csr, &f, &may, choice, parts);
}
