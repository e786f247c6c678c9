/* SPDX-License-Identifier: Apache-2.0 */
/* The parts that an attempt iterates with: the matrix in its format, as an operator, and the
 * preconditioner. */
#ifndef TULLE_SOLVE_PARTS_H
#define TULLE_SOLVE_PARTS_H

#include "solve/precond.h"
#include "tulle/reorder.h"

/* Iterations of CG with the diagonal that take about as long on a CPU as multigrid of the classical
 * family does, setup included (families.c); one of BiCGStab takes as long as two. */
enum { TULLE__PRICE_OF_AMG = 300 };

/* Says which parts to make. */
typedef struct tulle__way {
    tulle_method method;
    tulle__precond precond;
    int64_t block;  /* rows of the blocks of BSR that A is converted to; 0: A's own format */
    int restart;    /* number of vectors before GMRES begins anew; 0: the default */
    int trial;      /* iterations after which other ways are looked at; 0: the caller's limit */
    double slowest; /* mean factor of the norm in each of the first iterations from which other ways
                       are looked at (pace.h); 0: none */
    int stall;      /* iterations after which other ways are looked at where the norm has not fallen
                       (pace.h); 0: none */
    const tulle_order *order; /* order of complete factors, not owned; NULL: one is looked for */
} tulle__way;

typedef struct tulle__parts {
    tulle_mat *A;              /* in the way's format */
    tulle_linop *L;            /* A, or the operator that stands for A */
    tulle_linop *M;            /* preconditioner; NULL: none */
    tulle_factor *F;           /* factors of M; NULL: none */
    double unit;               /* F are the factors of A times this power of 2 */
    tulle_factor_info factors; /* rows 0 without factors */
    tulle_amg_info hierarchy;  /* levels 0 without multigrid */
    tulle_mat_info info;       /* numbers of A */
    double convert_ms;
} tulle__parts;

/* Finds a method by its name; function is the public one that the name was given to. */
tulle_status tulle__method_find(const char *function, const char *name, tulle_method *method);

/* Makes the parts of A. Residuals that are to be exact are computed with `rows`, the same matrix in
 * any format. Instead of A the operator `instead` is iterated with, unless that is NULL.
 * After a failure nothing is to be freed. Fails as conversions and preconditioners do:
 * TULLE_ZERO_PIVOT names the row in the error record. */
tulle_status tulle__parts_make(tulle_ctx *ctx, tulle_mat *A, tulle_mat *rows, tulle_linop *instead,
                               const tulle__way *way, const tulle_solve_options *options,
                               tulle__parts *parts);
/* Makes the preconditioner M of parts that have A, L and info already: of A alone, but for the
 * diagonal and for polynomials, which are made of L. */
tulle_status tulle__parts_precondition(tulle_ctx *ctx, const tulle__way *way,
                                       const tulle_solve_options *options, tulle__parts *parts);
/* Makes multigrid's hierarchy as the preconditioner M: of A, or of a distributed matrix where
 * `shared` is one. */
tulle_status tulle__parts_coarsen(tulle_ctx *ctx, const tulle__way *way,
                                  const tulle_solve_options *options, tulle_dist_mat *shared,
                                  tulle__parts *parts);
void tulle__parts_free(tulle__parts *parts);

/* Measures how much solving with the factors F of A blows a vector up: the largest number of
 * (L U)^-1 A z over that of z, z random. The growth is about 1 for good factors, whatever the units
 * of A and of its rows. Source: E. Chow and Y. Saad, "Experimental study of ILU preconditioners for
 * indefinite matrices" (1997), who take ones for A z. */
tulle_status tulle__parts_growth(tulle_ctx *ctx, const tulle__parts *parts, double *growth);

/* Returns true when solving with the factors blows vectors up, by `growth`, so much that they are
 * of no use: by u^(-3/4) or more, u the unit roundoff. */
bool tulle__parts_grow(const tulle__parts *parts, double growth);

#endif
