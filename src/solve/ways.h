/* SPDX-License-Identifier: Apache-2.0 */
/* Parts that the choice of the first way and that of the next ones share. */
#ifndef TULLE_SOLVE_WAYS_H
#define TULLE_SOLVE_WAYS_H

#include "solve/choice.h"

/* GMRES keeps all its vectors of a system of so few rows. */
enum { TULLE__SMALL_SYSTEM = 256 };

/* choice.c */
void tulle__add_why(char *why, const char *more);
void tulle__choose_restart(tulle__choice *c);
/* Takes BiCGStab with the diagonal on trial before GMRES, where it may be worth that. */
void tulle__try_short(tulle__choice *c);
/* Limits the iterations of CG where A is only nearly symmetric. */
void tulle__limit_nearly(tulle__choice *c);
tulle_status tulle__choose_precond(tulle__choice *c);
bool tulle__wants_definite(tulle_method method);
bool tulle__choice_is_csr(const tulle__choice *c);
/* Returns true where A is in a format of which there are factors. */
bool tulle__choice_has_factors(const tulle__choice *c);
void tulle__set_factors(tulle__choice *c);
void tulle__note_factors(tulle__choice *c);
void tulle__set_diagonal(tulle__choice *c);
/* Has A, in CSR with full blocks, converted to BSR of these. */
void tulle__set_block(tulle__choice *c);
bool tulle__may_permute(const tulle__choice *c);
/* Chooses factors of A with its rows permuted. why: reason that stands before that of the
 * permutation, or NULL. */
void tulle__take_permuted(tulle__choice *c, const char *why);
/* Has the rows of A put back where they came, where they were permuted. */
void tulle__restore_rows(tulle__choice *c);
void tulle__forget_order(tulle__choice *c);

/* families.c */
bool tulle__is_multigrid(tulle__precond_kind kind);
/* Returns true where the caller says what the nodes of A are, or what A nearly takes to 0. */
bool tulle__has_nodes(const tulle_solve_options *options);
/* Returns true where multigrid of these nodes may be chosen: it smooths with blocks of the diagonal
 * that are to be definite. */
bool tulle__may_take_nodes(const tulle__choice *c);
void tulle__take_nodes(tulle__choice *c);
bool tulle__may_coarsen(const tulle__choice *c);
/* Takes multigrid where it is expected to be the least work, else plans it for later. chain: number
 * of rows of the longest chain of A's lower triangle. An iteration with the preconditioner that was
 * chosen takes `each` times as long as one with the diagonal, and `times` fewer iterations are
 * needed. */
void tulle__look_at_multigrid(tulle__choice *c, double chain, double each, double times);
/* Plans multigrid for the time when the method with the diagonal has taken as long as multigrid is
 * expected to take. */
void tulle__plan_multigrid(tulle__choice *c);
void tulle__take_amg(tulle__choice *c);
void tulle__leave_family(tulle__choice *c, const char *why);
void tulle__end_trial_of_amg(tulle__choice *c);

/* complete.c */
void tulle__plan_trial(tulle__choice *c);
tulle_status tulle__look_at_complete(tulle__choice *c);
bool tulle__take_complete(tulle__choice *c);
/* Chooses complete factors of rows where they came, after those of permuted rows; returns false
 * where these did not come last, or those have been tried. */
bool tulle__take_restored(tulle__choice *c);
tulle_status tulle__end_trial(tulle__choice *c);
tulle_status tulle__end_trial_of_short_recurrence(tulle__choice *c);

#endif
