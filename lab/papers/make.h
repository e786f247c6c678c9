/* SPDX-License-Identifier: Apache-2.0 */
/* Measures the steps of a paper with an op, which makes matrices, on one matrix in one type. */
#ifndef PAPERS_MAKE_H
#define PAPERS_MAKE_H

#include "bench/session.h"
#include "lab/papers/run.h"

/* Measures all steps that the run asks for, until the session is over. A kernel that runs out of
 * memory leaves a row that says so. Fails where the problem of the matrix cannot be opened. */
tulle_status paper_make(bench_session *session, const paper_settings *settings,
                        const bench_matrix *matrix, tulle_mat *A);

#endif
