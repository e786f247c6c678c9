/* SPDX-License-Identifier: Apache-2.0 */
/* Paper 1's finite elements: the iterative solution of a diffusion problem by all ways to have its
 * matrix. */
#ifndef PAPERS_FEM_H
#define PAPERS_FEM_H

#include "bench/session.h"

/* Measures CG on each mesh, in each type that is asked for, by each operator, and writes a row for
 * each. */
void paper_fem(bench_session *session, const bench_experiment *experiment, bool quick);

#endif
