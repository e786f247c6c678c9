/* SPDX-License-Identifier: Apache-2.0 */
#ifndef TRIAL_SPOIL_H
#define TRIAL_SPOIL_H

#include "trials/problem.h"

/* Gives factors of A the values of another matrix, so that a call that computes nothing is found
 * out. Waits. */
tulle_status trial_spoil_factor(const trial_problem *problem, const tulle_mat *A, tulle_factor *F);

#endif
